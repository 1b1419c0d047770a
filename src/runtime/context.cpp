// See context.h.

#include "runtime/context.h"

namespace backedge::runtime {

Result<ToolResult> Context::run_agent(std::string_view agent, std::string_view task) {
  if (inline_) {
    return Error{ErrorKind::kState,
                 "a tool that is declared inline cannot wait for an agent; declare it with inline_ok = false",
                 {}};
  }
  return drive_.run_agent(call_, agent, task, stop_);
}

Result<std::string> Context::token() const {
  if (token_.empty()) return Error{ErrorKind::kUsage, "the runtime was created without a token key", {}};
  return token_;
}

}  // namespace backedge::runtime
