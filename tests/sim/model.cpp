// Habits of models and tools; see model.h.

#include "sim/model.h"

#include <fmt/format.h>

namespace backedge::sim {
namespace {

constexpr std::string_view kNormalEnds[] = {"end_turn", "stop", ""};

class Writer {
 public:
  Writer(World const& world, Request const& request, Random& random) : w_(world), q_(request), r_(random) {}

  Reply write() {
    bool const calls = q_.may_call ? !r_.chance(ends_percent()) : r_.chance(w_.stubborn);
    if (r_.chance(calls ? 30 : 92)) text(words());
    if (calls) write_calls();
    out_.stop_reason = calls ? std::string("tool_use") : std::string(kNormalEnds[r_.below(3)]);
    if (r_.chance(w_.odd_stop_reason)) odd_end();
    if (r_.chance(85)) out_.usage = {r_.between(0, 400), r_.between(0, 60), r_.between(0, 30'000'000), 0, 0, 0};
    return std::move(out_);
  }

 private:
  Habit habit() const { return w_.habits[mix(w_.seed ^ q_.frame.value) % w_.habits.size()]; }
  std::uint64_t ends_percent() const { return q_.frame.value > 30 ? 95 : q_.turn > 12 ? 60 : 12; }
  std::string words() {
    if (habit() == Habit::kSameWords) return r_.chance(50) ? "Let me see." : "again and again and again and again ";
    return fmt::format("words {} of {}", r_.below(40), q_.frame.value);
  }
  void text(std::string words) { out_.message.blocks.emplace_back(TextBlock{std::move(words)}); }

  void write_calls() {
    std::int64_t const n = r_.chance(50) ? 1 : r_.between(1, 5);
    for (std::int64_t i = 0; i < n; ++i) {
      if (i > 0 && r_.chance(25)) {  // the same again, in one round
        if (auto const* last = std::get_if<CallBlock>(&out_.message.blocks.back())) {
          call(last->tool, last->arguments);
          continue;
        }
      }
      one_call();
    }
    if (r_.chance(3)) text("and that is that");
  }

  void one_call() {
    if (r_.chance(w_.odd_calls)) return odd_call();
    std::string const fresh = file(r_.below(3), r_.below(1000));
    switch (habit()) {
      case Habit::kProgress: return call(any_tool(), r_.chance(70) ? fresh : delegated());
      case Habit::kSameCall: return call(r_.chance(80) ? "plain" : "read", file(0, 0));
      case Habit::kCycle:
        return call(q_.turn % 2 == 0 ? "read" : "poll", file(static_cast<std::uint64_t>(q_.turn % 2), 0));
      case Habit::kHandBack: return call(r_.chance(80) ? any_agent() : any_tool(), delegated());
      case Habit::kFailing:
        return call(r_.pick({"plain", "read", "read", "write"}),
                    fmt::format(R"({{"path":"/{}","fail":true}})", static_cast<char>('a' + r_.below(4))));
      case Habit::kSameWords: return call(any_tool(), fresh);
      case Habit::kWild: break;
    }
    if (r_.chance(40)) return call(any_agent(), delegated());
    call(any_tool(), file(r_.below(2), r_.below(3)));
  }

  void odd_call() {
    switch (r_.below(6)) {
      case 0: return call("no_such_tool", "{}");
      case 1: return call("", "{}");
      case 2: return call("read", R"({"path":)");
      case 3: return call("write", R"({"path":7})");
      case 4: return call("read", "[]");
      default: return call("\"quoted\" \x01 name", "");
    }
  }

  static std::string file(std::uint64_t path, std::uint64_t n) {
    return fmt::format(R"({{"path":"/{}","n":{}}})", static_cast<char>('a' + path), n);
  }
  std::string delegated() {
    if (r_.chance(30)) return R"({"task":"do all the same things once more","path":"/a"})";
    return fmt::format(R"({{"task":"work {} on {} for {}","path":"/{}"}})", r_.below(1000), r_.below(1000),
                       r_.below(1000), static_cast<char>('a' + r_.below(3)));
  }
  std::string any_tool() {
    std::uint64_t const at = r_.below(w_.tools.size() + w_.agents.size());
    return at < w_.tools.size() ? w_.tools[at].name : w_.agents[at - w_.tools.size()].name;
  }
  std::string any_agent() { return w_.agents.empty() ? any_tool() : r_.pick(w_.agents).name; }

  void call(std::string tool, std::string arguments) {
    std::string id = fmt::format("c{}", r_.next() % 1'000'000'007);
    if (r_.chance(w_.odd_ids)) id = r_.pick({"", "same", "call_0", "call_1_1", "call_1_2"});
    out_.message.blocks.emplace_back(CallBlock{std::move(id), std::move(tool), std::move(arguments)});
  }

  void odd_end() {
    out_.stop_reason = r_.pick({"max_tokens", "length", "max_tokens", "pause_turn", "pause_turn", "refusal", "tool_use",
                                "end_turn", "model_context_window_exceeded", "sunspots", "SAFETY"});
    if (out_.stop_reason != "max_tokens" && out_.stop_reason != "length") return;
    if (out_.message.blocks.empty() || !r_.chance(70)) return;
    if (auto* last = std::get_if<CallBlock>(&out_.message.blocks.back()))
      last->arguments.resize(r_.below(last->arguments.size() + 1));
  }

  World const& w_;
  Request const& q_;
  Random& r_;
  Reply out_{{Role::kAssistant, {}}, {}, {}};
};

}  // namespace

Result<Reply> model_answer(World const& world, Request const& request, Random& random) {
  if (random.chance(world.model_fails)) {
    return Error{random.pick({ErrorKind::kModel, ErrorKind::kContext, ErrorKind::kCancelled, ErrorKind::kIo}),
                 "the provider is down",
                 {}};
  }
  return Writer(world, request, random).write();
}

ToolResult tool_answer(World const& world, std::string_view tool, std::string_view arguments, std::int64_t nth,
                       Random& random) {
  if (arguments.find("fail") != std::string_view::npos) return ToolResult::error("it broke as ever");
  if (random.chance(5)) return ToolResult::error(fmt::format("fault {}", nth));
  if (random.chance(3)) return {random.pick({CallStatus::kTimeout, CallStatus::kCancelled, CallStatus::kUnknown}), {}};
  if (random.chance(5)) return {CallStatus::kOk, {}};
  if (random.chance(5)) return {CallStatus::kOk, std::string(static_cast<std::size_t>(nth % 90), 'x')};
  bool const steady = mix(world.seed ^ tool.size()) % 3 == 0 || tool == "read" || tool == "plain";
  std::string out = fmt::format("{} of {}", tool, arguments);
  if (!steady) out += fmt::format(" at {}", nth);
  return {CallStatus::kOk, std::move(out)};
}

}  // namespace backedge::sim
