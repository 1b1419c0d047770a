// run_command: shell text, run by /bin/sh in the working folder. Tested in tests/tools/run_command_test.cpp.
#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "tools/builtin_parts.h"
#include "tools/process.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

constexpr std::string_view kSchema = R"({"type":"object","properties":{
"command":{"type":"string","description":"shell text for /bin/sh"},
"timeout_ms":{"type":"integer","minimum":1,"maximum":600000,"description":"the command is ended after this time; 120000 if not given"}},
"required":["command"],"additionalProperties":false})";

constexpr std::string_view kAbout =
    "Runs shell text with /bin/sh in the working folder. Standard input is empty. Shows what it wrote, both streams "
    "together, and its exit status; any status but 0 is an error. When the shell ends, everything that it left in the "
    "background is ended too.";

constexpr std::int64_t kDefaultMs = 120'000;
constexpr std::int64_t kMaxMs = 600'000;
// So that the tool's own time limit, which keeps what was written, comes before the runtime's.
constexpr std::int64_t kMarginMs = 5'000;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

std::string output_text(Ended&& ended) {
  // The cut may have split a character on either side of the gap.
  if (ended.left_out > 0) ended.head.resize(ended.head.size() - incomplete_tail(ended.head));
  std::string text = to_utf8(std::move(ended.head));
  if (ended.left_out > 0) {
    auto const begins =
        std::ranges::find_if(ended.tail, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    if (begins - ended.tail.begin() < 4) ended.tail.erase(ended.tail.begin(), begins);
    text += fmt::format("\n[… {} bytes are left out here …]\n", ended.left_out);
    text += to_utf8(std::move(ended.tail));
  }
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  return text;
}

void set_variable(std::vector<std::string>& environment, std::string const& name, std::string const& value) {
  std::erase_if(environment, [&](std::string const& one) { return one.starts_with(name + "="); });
  environment.push_back(name + "=" + value);
}

ToolResult run(Workplace const& place, ToolContext& context) {
  Arguments const arguments(context.arguments());
  std::optional<std::string> const text = arguments.text("command");
  if (!text) return ToolResult::error("/command is missing: expected shell text");
  std::int64_t const ms = std::clamp<std::int64_t>(arguments.number("timeout_ms").value_or(kDefaultMs), 1, kMaxMs);
  Command command{.words = {"/bin/sh", "-c", *text},
                  .folder = place.folder.descriptor(),
                  .environment = place.environment,
                  .time_limit = std::chrono::milliseconds(ms),
                  .max_output = place.options.max_result};
  set_variable(command.environment, "PWD", place.folder.name());
  for (auto const& [name, value] : place.options.variables) set_variable(command.environment, name, value);
  if (!place.options.token_variable.empty()) {
    if (Result<std::string> const token = context.token())
      set_variable(command.environment, place.options.token_variable, *token);
  }
  Result<Ended> ended = run_process(command, context.stop());
  if (!ended) return failed(ended.error());

  auto const how = ended->how;
  std::size_t const stragglers = ended->stragglers;
  ToolResult out{CallStatus::kOk, output_text(std::move(*ended))};
  bool const silent = out.text.empty();
  std::visit(Overloaded{[&](Exited const& end) {
                          if (end.status != 0) out.status = CallStatus::kError;
                          out.text += fmt::format("[exit status {}{}]\n", end.status, silent ? ", no output" : "");
                        },
                        [&](Signalled const& end) {
                          out.status = CallStatus::kError;
                          out.text += fmt::format("[ended by signal {}, {}]\n", end.signal, ::strsignal(end.signal));
                        },
                        [&](TimedOut const&) {
                          out.status = CallStatus::kTimeout;
                          out.text += fmt::format(
                              "[ended after {} ms, its time limit{}; give a larger timeout_ms (at most {}) or "
                              "let it do less]\n",
                              ms, silent ? ", with no output" : "", kMaxMs);
                        },
                        [&](Cancelled const&) {
                          out.status = CallStatus::kCancelled;
                          out.text += "[cancelled]\n";
                        }},
             how);
  bool const by_itself = std::holds_alternative<Exited>(how) || std::holds_alternative<Signalled>(how);
  if (by_itself && stragglers > 0) out.text += fmt::format("[ended what was left in the background: {}]\n", stragglers);
  return out;
}

}  // namespace

BuiltinTool run_command_tool(SharedWorkplace place) {
  ToolSpec spec{.name = "run_command", .about = std::string(kAbout), .schema_json = std::string(kSchema)};
  // What a command does is told by its text: the built-in table knows the shell texts that only read, wait or poll.
  spec.contract.timeout_ms = kMaxMs + kMarginMs;
  spec.sets = {"shell"};
  return {std::move(spec), [place = std::move(place)](ToolContext& context) { return run(*place, context); }};
}

}  // namespace backedge::tools
