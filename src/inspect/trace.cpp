// Names of formats. Tested in tests/inspect/read_test.cpp.
#include "inspect/trace.h"

namespace backedge::inspect {

std::string_view format_name(Format format) {
  switch (format) {
    case Format::kUnknown: return "unknown";
    case Format::kMessages: return "messages without calls";
    case Format::kOpenAi: return "OpenAI messages";
    case Format::kAnthropic: return "Anthropic messages";
    case Format::kTauBench: return "tau-bench conversation";
    case Format::kClaudeCode: return "Claude Code session";
    case Format::kPi: return "pi session";
  }
  return "unknown";
}

}  // namespace backedge::inspect
