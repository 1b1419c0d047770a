// Run: raw call -> facts -> kernel -> verdict in words, the same way at every door. See backedge/run.h.
//
// Holds one lock for every public function; everything below it is single-threaded. What reads texts is borrowed from
// the policy for one call at a time, and the settings are the policy's own: a run at rest is small.

#include "backedge/run.h"

#include <algorithm>
#include <mutex>
#include <ranges>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/seal.h"
#include "base/text.h"
#include "embed/event_log.h"
#include "embed/message.h"
#include "embed/policy_state.h"
#include "embed/record.h"
#include "embed/router.h"
#include "kernel/kernel.h"

namespace backedge {
namespace {

namespace json = boost::json;
using kernel::CallVerdict;
using kernel::Code;
using kernel::Meter;

Error state_error(std::string detail) { return {ErrorKind::kState, std::move(detail), {}}; }

kernel::ResultStatus status_of(CallStatus s) {
  switch (s) {
    case CallStatus::kOk: return kernel::ResultStatus::kOk;
    case CallStatus::kError: return kernel::ResultStatus::kError;
    case CallStatus::kTimeout: return kernel::ResultStatus::kTimeout;
    case CallStatus::kCancelled: return kernel::ResultStatus::kCancelled;
    case CallStatus::kUnknown: break;
  }
  return kernel::ResultStatus::kUnknown;
}

kernel::ArgumentFault fault_of(CallFault fault) {
  switch (fault) {
    case CallFault::kNone: return kernel::ArgumentFault::kNone;
    case CallFault::kUnknownTool: return kernel::ArgumentFault::kUnknownTool;
    case CallFault::kMissing: return kernel::ArgumentFault::kMissing;
    case CallFault::kMistyped: break;
  }
  return kernel::ArgumentFault::kMistyped;
}

// The key of the policy that holds the number at which a rule speaks; empty when there is none.
std::string_view setting_of(Code code, kernel::Evidence const& e, kernel::Repeat const& rule) {
  switch (code) {
    case Code::kExact:
      return e.limit != rule.exact && e.limit == rule.exact_error ? "repeat.exact_error" : "repeat.exact";
    case Code::kStagnant:
      return e.limit != rule.stagnant && e.limit == rule.stagnant_empty ? "repeat.stagnant_empty" : "repeat.stagnant";
    case Code::kLivelock: return "repeat.cycle";
    case Code::kNovelty: return "repeat.novelty_percent";
    case Code::kHook: return "limits.hook_blocks";
    case Code::kConservative: return "limits.conservative_at";
    default: return kernel::is_repetition(code) ? kernel::code_text(code) : std::string_view();
  }
}

// Numbers that come from outside: nothing below zero, and nothing whose sum over a run could overflow.
std::int64_t counted(std::int64_t n) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;  // tokens, or nano-USD: a million dollars a turn
  return std::clamp<std::int64_t>(n, 0, kMost);
}

// A parent's token: who is on the path in other processes.
struct Lineage {
  std::vector<std::string> links;
  std::vector<std::string> agents;
};

Result<Lineage> read_token(RunOptions const& options) {
  Lineage out;
  if (options.parent_token.empty()) return out;
  if (options.token_key.empty())
    return Error{ErrorKind::kSignature, "there is a parent token but no key to verify it with", {}};
  Result<std::string> payload = open_seal(options.parent_token, options.token_key);
  if (!payload) return payload.error();
  Result<json::value> parsed = parse_json(*payload, "token");
  if (!parsed) return parsed.error();
  auto const read = [&](char const* key, std::vector<std::string>& to) {
    json::value const* list = parsed->is_object() ? parsed->as_object().if_contains(key) : nullptr;
    if (list == nullptr || !list->is_array()) return false;
    for (json::value const& v : list->as_array()) {
      if (!v.is_string()) return false;
      to.emplace_back(v.as_string());
    }
    return true;
  };
  if (!read("chain", out.links) || !read("agents", out.agents)) {
    return Error{ErrorKind::kSignature, "the parent token holds no chain", {}};
  }
  return out;
}

}  // namespace

struct Run::State {
  State(Policy p, RunOptions o, Lineage const& lineage)
      : policy(std::move(p)),
        options(std::move(o)),
        kernel(kernel_options(lineage)),
        log(options.on_event),
        router(policy.state().routes, options.host_routes, kernel.settings().ladder.observe) {
    chain.links = lineage.links;
    if (!options.agent.empty()) chain.links.push_back("agent:" + options.agent);
    FrameId parent;
    for (std::string const& agent : lineage.agents) {
      record.add_frame({.parent = parent, .by = {}, .agent = agent, .tool = {}});
      ++parent.value;
    }
    record.add_frame({.parent = parent, .by = {}, .agent = options.agent, .tool = {}});
  }

  kernel::KernelOptions kernel_options(Lineage const& lineage) const {
    kernel::KernelOptions out;
    out.settings = embed::PolicyState::settings(policy);
    out.door = options.door == Door::kForeign ? kernel::Door::kForeign : kernel::Door::kOwn;
    if (!options.agent.empty()) out.agent = digest_name(options.agent);
    for (std::string const& agent : lineage.agents) out.ancestors.push_back(digest_name(agent));
    out.now = options.now;
    return out;
  }

  // ---- words

  // The limit on one tool that this code speaks of, or null.
  kernel::ToolLimit const* limit_of_tool(Code code, kernel::Evidence const& e, Digest tool_id) const {
    for (kernel::ToolLimit const& t : kernel.settings().limits.per_tool) {
      if (code == Code::kBudgetCalls && t.tool_id == tool_id && t.max_calls == e.limit) return &t;
    }
    return nullptr;
  }

  // Where the number was set at which this code speaks; empty when there is none.
  std::string limit_source(FrameId frame, Code code, kernel::Evidence const& e, Digest tool_id,
                           std::string_view tool) const {
    kernel::Limits const& limits = kernel.settings().limits;
    if (kernel::is_budget(code)) {
      if (code == Code::kBudgetTurns && frame != kernel.root() && e.scope == kernel::Scope::kRun)
        return "its share of the caller's turns";
      if (kernel::ToolLimit const* const t = limit_of_tool(code, e, tool_id)) return t->source;
      auto const meter = static_cast<Meter>(static_cast<int>(code) - static_cast<int>(Code::kBudgetTurns));
      if (meter == Meter::kTurns && e.scope == kernel::Scope::kRun && !router.raised_by().empty())
        return router.raised_by();
      return limits.at(e.scope, meter).source;
    }
    if (code == Code::kReentryDepth) {
      for (facts::FieldSource const& field : policy.state().book.explain(tool)) {
        if (field.field == "max_depth") return field.source;
      }
    }
    std::string_view const key = setting_of(code, e, kernel.settings().repeat);
    return key.empty() ? std::string() : std::string(policy.state().table.source_of(key));
  }

  std::string left_text(FrameId frame, Micros now) const {
    std::vector<std::string> parts;
    auto const add = [&](Meter meter, auto say) {
      if (auto const rest = kernel.left(frame, meter, now)) parts.push_back(say(*rest));
    };
    add(Meter::kTurns, [](std::int64_t n) { return fmt::format("{} turn{}", n, n == 1 ? "" : "s"); });
    add(Meter::kCalls, [](std::int64_t n) { return fmt::format("{} call{}", n, n == 1 ? "" : "s"); });
    add(Meter::kDescendants, [](std::int64_t n) { return fmt::format("{} agent{}", n, n == 1 ? "" : "s"); });
    add(Meter::kTokens, [](std::int64_t n) { return fmt::format("{} tokens", n); });
    add(Meter::kCost, [](std::int64_t n) { return embed::money_text(n); });
    add(Meter::kTime, [](std::int64_t n) { return fmt::format("{} s", n / 1'000'000); });
    add(Meter::kDepth, [](std::int64_t n) { return fmt::format("{} level{} of depth", n, n == 1 ? "" : "s"); });
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  embed::Scene scene(FrameId frame, std::string_view tool, Digest tool_id, Code code, kernel::Evidence const& e,
                     Micros now) const {
    embed::Scene s;
    s.tool = tool;
    s.path = record.path(frame);
    if (!tool.empty()) s.path.emplace_back(tool);
    s.earlier = record.call_name(e.earlier);
    s.left = kernel.has_frame(frame) ? left_text(frame, now) : std::string();
    s.limit_source = limit_source(frame, code, e, tool_id, tool);
    s.limit_of_tool = limit_of_tool(code, e, tool_id) != nullptr;
    return s;
  }

  std::string set_by(CallVerdict const& v, FrameId frame, Digest tool_id, std::string_view tool) const {
    return v.code == Code::kNone ? std::string() : limit_source(frame, v.code, v.evidence, tool_id, tool);
  }

  // Of all calls of a round; empty when nothing was said of any.
  std::vector<std::string> set_by(FrameId frame, std::span<Call const> calls, std::span<kernel::CallFacts const> facts,
                                  std::span<CallVerdict const> verdicts) const {
    std::vector<std::string> out;
    if (std::all_of(verdicts.begin(), verdicts.end(), [](CallVerdict const& v) { return v.code == Code::kNone; }))
      return out;
    out.reserve(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i)
      out.push_back(set_by(verdicts[i], frame, facts[i].tool_id, calls[i].tool));
    return out;
  }

  Entered entered(CallVerdict const& v, FrameId frame, kernel::CallFacts const& call, std::string_view tool,
                  Micros now) const {
    Entered out{.call = v.call, .word = v.word, .runs = v.runs()};
    facts::CompiledContract const& contract = policy.state().book.at(call.contract);
    out.timeout_ms = contract.timeout_ms;
    out.max_output = contract.max_output;
    out.reads = call.terms.effect == Effect::kRead;
    if (v.code == Code::kNone) return out;
    embed::Scene s = scene(frame, tool, call.tool_id, v.code, v.evidence, now);
    s.fault = std::string(call.fault_text);
    s.target = std::string(call.target_name);
    bool const back = v.code == Code::kReentryCycle || v.code == Code::kReentryDepth || v.code == Code::kReentryGrowing;
    if (back && record.has_frame(v.evidence.frame)) s.target = record.frame(v.evidence.frame).agent;
    router.describe(v.code, frame, v.call, v.closing, s);
    out.code = embed::code_text(v.code, s);
    out.text = embed::call_text(v, s);
    out.json = embed::call_json(v, s);
    out.earlier = v.evidence.earlier;
    out.ends_run = v.step == kernel::LadderStep::kStop;
    return out;
  }

  // Calls that waited, decided anew.
  std::vector<Entered> decided_anew(std::vector<CallVerdict> const& all, Micros now) {
    std::vector<Entered> out;
    for (CallVerdict const& v : all) {
      if (options.graph) record.update_call(v);
      std::string_view const tool = record.tool_of(v.call);
      kernel::CallFacts const* facts = kernel.facts(v.call);
      out.push_back(entered(v, v.frame, facts == nullptr ? kernel::CallFacts{} : *facts, tool, now));
      Digest const tool_id = facts == nullptr ? Digest{} : facts->tool_id;
      log.call(v.frame, tool, v, out.back().code, out.back().text, set_by(v, v.frame, tool_id, tool), now);
    }
    return out;
  }

  void ask_routes(FrameId frame, std::span<Call const> calls, std::span<kernel::CallFacts> facts) {
    embed::Asker const who{frame, frame == kernel.root(), record.frame(frame).agent};
    router.begin_round(frame);
    for (std::size_t i = 0; i < calls.size(); ++i) router.ask(who, calls[i], facts[i]);
  }

  // A rule's word on a result, or the host's: what acts on the run acts here.
  void act(FrameId frame, CallId call, route::ResultAnswer const& answer, Micros now) {
    ResultRoute const& r = answer.route;
    if (!answer.spoken || r.word == ResultRouteWord::kPass) return;
    std::string const name = r.name.empty() ? std::string("callback") : r.name;
    bool acts = router.acts();
    switch (r.word) {
      case ResultRouteWord::kFinal:
      case ResultRouteWord::kStop: {
        std::string const what = answer.what + (r.word == ResultRouteWord::kFinal ? " wants the answer" : " ends it");
        router.say_of_frame(frame, "route." + name, what, r.text);
        if (r.word == ResultRouteWord::kFinal) {
          kernel.demand_answer(frame, Code::kRoute);
        } else {
          kernel.stop(frame, Code::kRoute);
        }
        break;
      }
      case ResultRouteWord::kRaise:
        acts = acts && kernel.raise_turns(r.size);
        if (acts) router.raised_by(answer.what);
        break;
      default: break;
    }
    log.routed(frame, call, name, r, acts, now);
  }

  Turn turn(kernel::TurnVerdict const& v, FrameId frame, Micros now) const {
    Turn out{.id = v.turn, .word = v.word, .frame = v.evidence.frame};
    if (v.code == Code::kNone) return out;
    embed::Scene s = scene(frame, {}, {}, v.code, v.evidence, now);
    router.describe(v.code, v.evidence.frame.valid() ? v.evidence.frame : frame, {}, true, s);
    out.code = embed::code_text(v.code, s);
    out.text = embed::turn_text(v, s);
    if (v.observed) out.word = TurnWord::kGo;
    return out;
  }

  mutable std::mutex mutex;
  Policy policy;
  RunOptions options;
  kernel::Kernel kernel;
  embed::Record record;
  embed::EventLog log;
  embed::Router router;
  Chain chain;
};

Run::Run(std::unique_ptr<State> state) : state_(std::move(state)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Result<Run> Run::open(Policy const& policy, RunOptions options) {
  Result<Lineage> lineage = read_token(options);
  if (!lineage) return lineage.error();
  return Run(std::make_unique<State>(policy, std::move(options), *lineage));
}

FrameId Run::root() const { return state_->kernel.root(); }

Result<Turn> Run::enter_turn(FrameId frame, TurnEstimate const& estimate, Micros now) {
  std::lock_guard lock(state_->mutex);
  if (!state_->kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  State& s = *state_;
  route::TurnAnswer plan;
  if (frame == s.kernel.root() && s.router.on() && s.kernel.standing(frame).state == kernel::FrameState::kWorking) {
    plan = s.router.before_turn();
    for (route::Move const& move : plan.moves) s.log.stage_moved(frame, move.from, move.to, move.why, now);
    if (plan.last) {
      s.router.say_of_frame(frame, "stage.spent", plan.what, {});
      s.kernel.demand_answer(frame, Code::kStageSpent);
    }
  }
  kernel::TurnAsk const ask{counted(estimate.input_tokens), counted(estimate.max_output_tokens),
                            counted(estimate.cost_nano_usd.value_or(0)), estimate.cost_nano_usd.has_value()};
  kernel::TurnVerdict const v = s.kernel.enter_turn(frame, ask, now);
  Turn out = s.turn(v, frame, now);
  if (s.router.acts()) out.note = std::move(plan.note);
  if (out.goes() && frame == s.kernel.root()) s.router.turn_taken();
  s.log.turn_proposed(frame, estimate, v, out.code, now);
  return out;
}

Result<Turn> Run::leave_turn(TurnId id, Usage const& usage, std::string_view text, bool has_calls, Micros now) {
  std::lock_guard lock(state_->mutex);
  if (!state_->kernel.has_turn(id)) return state_error(fmt::format("turn {} is not open", id.value));
  kernel::TurnSpent const spent{counted(usage.input_tokens), counted(usage.output_tokens), counted(usage.cost_nano_usd),
                                has_calls, state_->policy.state().borrow_desk()->reader.text(text)};
  kernel::TurnVerdict const v = state_->kernel.leave_turn(id, spent, now);
  Turn out = state_->turn(v, v.evidence.frame, now);
  state_->log.turn_ended(v.evidence.frame, usage, text, v, out.code, now);
  return out;
}

Result<std::vector<Entered>> Run::enter(FrameId frame, std::span<Call const> calls, Micros now) {
  std::lock_guard lock(state_->mutex);
  State& s = *state_;
  if (!s.kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  embed::ReaderPool::Loan const desk = s.policy.state().borrow_desk();
  desk->round.clear();
  std::vector<std::string> faults;  // fault texts live in the reader only until the next call
  for (Call const& call : calls) {
    kernel::CallFacts facts = desk->reader.call(call.tool, call.arguments);
    facts.gate = static_cast<kernel::GateOpinion>(call.gate);
    if (call.fault != CallFault::kNone && facts.fault == kernel::ArgumentFault::kNone) {
      facts.fault = fault_of(call.fault);
      facts.fault_text = call.fault_text;
    }
    if (calls.size() > 1 && (facts.fault != kernel::ArgumentFault::kNone || !facts.target_name.empty())) {
      faults.reserve(calls.size() * 2);  // views into it must not move
      facts.fault_text = faults.emplace_back(facts.fault_text);
      facts.target_name = faults.emplace_back(facts.target_name);
    }
    facts.tool = call.tool;
    desk->round.push_back(facts);
  }
  bool const routed = s.router.on() || std::any_of(calls.begin(), calls.end(),
                                                   [](Call const& c) { return c.route.word != CallRouteWord::kAllow; });
  if (routed) s.ask_routes(frame, calls, desk->round);
  desk->verdicts.clear();
  s.kernel.enter(frame, desk->round, now, desk->verdicts);
  std::vector<bool> const rolls_back = routed ? s.router.end_round(desk->verdicts) : std::vector<bool>();
  std::vector<Entered> out;
  out.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size() && s.options.graph; ++i)
    s.record.add_call(frame, calls[i].tool, desk->round[i].tool_id, desk->verdicts[i]);
  for (std::size_t i = 0; i < calls.size(); ++i)
    out.push_back(s.entered(desk->verdicts[i], frame, desk->round[i], calls[i].tool, now));
  for (std::size_t i = 0; i < rolls_back.size(); ++i)
    out[i].rolls_back = rolls_back[i] && out[i].code == "stage.forbidden";
  s.log.round(frame, calls, desk->verdicts, out, s.set_by(frame, calls, desk->round, desk->verdicts), now);
  return out;
}

Result<Entered> Run::enter(FrameId frame, Call const& call, Micros now) {
  Result<std::vector<Entered>> all = enter(frame, std::span(&call, 1), now);
  if (!all) return all.error();
  return std::move(all->front());
}

Result<Entered> Run::approve(CallId call, Approval answer, Micros now) {
  std::lock_guard lock(state_->mutex);
  State& s = *state_;
  if (!s.kernel.asked(call)) return state_error(fmt::format("call {} is not waiting for an answer", call.value));
  kernel::CallFacts const facts = *s.kernel.facts(call);
  s.log.approval(s.kernel.frame_of(call), call, answer, now);
  std::vector<CallVerdict> released;
  CallVerdict const v = s.kernel.approve(call, static_cast<kernel::Permission>(answer), now, released);
  if (s.options.graph) s.record.update_call(v);
  std::string_view const tool = s.record.tool_of(call);
  Entered out = s.entered(v, v.frame, facts, tool, now);
  s.log.call(v.frame, tool, v, out.code, out.text, s.set_by(v, v.frame, facts.tool_id, tool), now);
  out.released = s.decided_anew(released, now);
  return out;
}

Result<Left> Run::leave(CallId call, Outcome const& outcome, Micros now) {
  std::lock_guard lock(state_->mutex);
  State& s = *state_;
  if (!s.kernel.runs(call)) return state_error(fmt::format("call {} is not running", call.value));
  embed::ReaderPool::Loan const desk = s.policy.state().borrow_desk();
  kernel::ResultFacts const& result =
      desk->reader.result(s.kernel.facts(call)->contract, status_of(outcome.status), outcome.text);
  s.log.result(s.kernel.frame_of(call), call, result, outcome.text, now);
  FrameId const frame = s.kernel.frame_of(call);
  kernel::Released const released = s.kernel.leave(call, result, now);
  route::ResultAnswer answer;
  if (s.router.on()) {
    answer = s.router.result(call, result, outcome.status, outcome.text);
    s.act(frame, call, answer, now);
    if (!s.router.acts()) answer.route = {};
  }
  return Left{.released = s.decided_anew(released.calls, now),
              .answers = released.answers,
              .route = std::move(answer.route),
              .routed = answer.spoken};
}

Result<void> Run::route(FrameId frame, CallId call, ResultRoute const& route, Micros now) {
  std::lock_guard lock(state_->mutex);
  State& s = *state_;
  if (!s.kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  if (route.word == ResultRouteWord::kStage && !s.router.go_to(route.stage))
    return Error{ErrorKind::kInput, fmt::format("there is no stage named {}", in_quotes(route.stage)), {}};
  if (route.word == ResultRouteWord::kPass) return {};
  s.act(frame, call, {.route = route, .what = "the program", .spoken = true, .source = {}}, now);
  return {};
}

void Run::restart_routing() {
  std::lock_guard lock(state_->mutex);
  state_->router.restart();
}

Result<bool> Run::answered(FrameId frame) {
  std::lock_guard lock(state_->mutex);
  State& s = *state_;
  if (!s.kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  bool const works = s.kernel.standing(frame).state == kernel::FrameState::kWorking;
  return works && frame == s.kernel.root() && s.router.on() && s.router.acts() && s.router.answered();
}

std::string Run::stage() const {
  std::lock_guard lock(state_->mutex);
  return std::string(state_->router.stage());
}

Result<FrameId> Run::open_frame(CallId by, std::string_view agent, std::optional<std::int64_t> max_turns, Micros now) {
  std::lock_guard lock(state_->mutex);
  State& s = *state_;
  if (!s.kernel.runs(by)) return state_error(fmt::format("call {} is not running and cannot start an agent", by.value));
  FrameId const parent = s.kernel.frame_of(by);
  kernel::FrameAsk ask{.by = by, .agent = agent.empty() ? Digest{} : digest_name(agent)};
  if (max_turns) ask.turns = *max_turns;
  FrameId const id = s.kernel.open_frame(ask, now);
  s.record.add_frame(
      {.parent = parent, .by = by, .agent = std::string(agent), .tool = std::string(s.record.tool_of(by))});
  if (s.options.graph) s.record.opened(by, id);
  s.log.frame_opened(id, by, agent, max_turns, now);
  return id;
}

Result<Left> Run::close_frame(FrameId frame, Micros now) {
  std::lock_guard lock(state_->mutex);
  State& s = *state_;
  if (!s.kernel.has_frame(frame) || frame == s.kernel.root())
    return state_error(fmt::format("frame {} is not open", frame.value));
  kernel::Released const released = s.kernel.close_frame(frame, now);
  s.router.close_frame(frame);
  s.log.frame_closed(frame, now);
  return Left{.released = s.decided_anew(released.calls, now)};
}

void Run::user_message(Author author, Micros now, std::string_view text) {
  std::lock_guard lock(state_->mutex);
  state_->log.user(state_->kernel.root(), author, text, now);
  if (author == Author::kPerson) {
    state_->kernel.person_spoke(now);
    state_->router.person_spoke();
  } else {
    state_->kernel.automatic_message();
  }
}

Result<Judged> Run::compacted(FrameId frame, std::span<CallId const> dropped, bool freed, Micros now) {
  std::lock_guard lock(state_->mutex);
  if (!state_->kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  kernel::EventVerdict const v = state_->kernel.compacted(frame, dropped, freed);
  state_->log.note("compact", frame, word_text(v.word), now);
  return Judged{v.word, std::string(kernel::code_text(v.code)), embed::event_text(v, "compaction")};
}

Result<Judged> Run::hook_blocks(FrameId frame, std::string_view hook, std::string_view text, Micros now) {
  std::lock_guard lock(state_->mutex);
  if (!state_->kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  kernel::EventVerdict const v = state_->kernel.hook_blocks(frame, combine(digest_name(hook), digest_name(text)));
  state_->log.note("hook", frame, word_text(v.word), now);
  return Judged{v.word, std::string(kernel::code_text(v.code)), embed::event_text(v, hook)};
}

Result<void> Run::cancel(FrameId frame, Micros now) {
  std::lock_guard lock(state_->mutex);
  if (!state_->kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  state_->kernel.cancel(frame);
  state_->log.note("cancel", frame, "stopped", now);
  return {};
}

Result<Standing> Run::standing(FrameId frame) const {
  std::lock_guard lock(state_->mutex);
  if (!state_->record.has_frame(frame)) return state_error(fmt::format("there is no frame {}", frame.value));
  Standing out;
  out.open = state_->kernel.has_frame(frame);
  if (!out.open) return out;
  kernel::FrameStanding const s = state_->kernel.standing(frame);
  out.pressed = s.state == kernel::FrameState::kPressed || s.state == kernel::FrameState::kFinal;
  out.stopped = s.state == kernel::FrameState::kStopped;
  if (s.why == Code::kNone) return out;
  embed::Scene words;
  state_->router.describe(s.why, frame, {}, true, words);
  out.code = embed::code_text(s.why, words);
  if (out.stopped) out.end = kernel::end_reason(s.why);
  return out;
}

Result<std::string> Run::left_text(FrameId frame, Micros now) const {
  std::lock_guard lock(state_->mutex);
  if (!state_->kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  return state_->left_text(frame, now);
}

Result<std::optional<std::int64_t>> Run::turns_left(FrameId frame, Micros now) const {
  std::lock_guard lock(state_->mutex);
  if (!state_->kernel.has_frame(frame)) return state_error(fmt::format("frame {} is not open", frame.value));
  return state_->kernel.left(frame, Meter::kTurns, now);
}

std::int64_t Run::descendants() const {
  std::lock_guard lock(state_->mutex);
  return state_->kernel.descendants();
}

Result<std::string> Run::token(CallId call) const {
  std::lock_guard lock(state_->mutex);
  State const& s = *state_;
  if (s.options.token_key.empty()) return Error{ErrorKind::kUsage, "the run was opened without a token key", {}};
  FrameId const frame = s.kernel.frame_of(call);
  if (!frame.valid()) return state_error(fmt::format("call {} is not under way", call.value));
  json::array links(s.chain.links.begin(), s.chain.links.end());
  json::array agents;
  std::vector<FrameId> path;
  for (FrameId at = frame; s.record.has_frame(at); at = s.record.frame(at).parent) path.push_back(at);
  for (FrameId const at : std::views::reverse(path)) {
    embed::Record::FrameNode const& f = s.record.frame(at);
    if (!f.agent.empty()) agents.emplace_back(f.agent);
    if (!f.by.valid()) continue;  // the root and what is above it stand on the chain already
    links.emplace_back("tool:" + f.tool);
    if (!f.agent.empty()) links.emplace_back("agent:" + f.agent);
  }
  links.emplace_back("tool:" + std::string(s.record.tool_of(call)));
  return seal(json::serialize(json::object{{"v", 1}, {"chain", std::move(links)}, {"agents", std::move(agents)}}),
              s.options.token_key);
}

Chain Run::chain() const { return state_->chain; }

std::string Run::graph_json() const {
  std::lock_guard lock(state_->mutex);
  kernel::Kernel const& k = state_->kernel;
  return state_->record.graph_json([&k](FrameId frame) { return frame < k.root() || k.has_frame(frame); });
}

}  // namespace backedge
