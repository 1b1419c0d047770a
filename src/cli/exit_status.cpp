#include "cli/commands.h"

namespace backedge::cli {

int exit_status(Error const& error) {
  switch (error.kind) {
    case ErrorKind::kUsage:
    case ErrorKind::kPolicy:
    case ErrorKind::kNotFound: return kUsage;
    case ErrorKind::kInput:
    case ErrorKind::kState:
    case ErrorKind::kIo:
    case ErrorKind::kSignature: return kFailed;
  }
  return kFailed;
}

}  // namespace backedge::cli
