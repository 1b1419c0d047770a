#include "cli/commands.h"

namespace backedge::cli {

int exit_status(Error const& error) {
  switch (error.kind) {
    case ErrorKind::kUsage:
    case ErrorKind::kPolicy:
    case ErrorKind::kNotFound:
    case ErrorKind::kInput: return kUsage;
    case ErrorKind::kState:
    case ErrorKind::kIo:
    case ErrorKind::kSignature:
    case ErrorKind::kModel:
    case ErrorKind::kContext:
    case ErrorKind::kCancelled: return kFailed;
  }
  return kFailed;
}

}  // namespace backedge::cli
