// The words of every verdict; see message.h.

#include "embed/message.h"

#include <algorithm>
#include <span>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "base/text.h"

namespace backedge::embed {
namespace {

using kernel::CallVerdict;
using kernel::Code;
using kernel::Evidence;
using kernel::TurnVerdict;

std::string ordinal(std::int64_t n) {
  std::int64_t const last = n % 10;
  bool const teen = n % 100 >= 11 && n % 100 <= 13;
  return fmt::format("{}{}", n, teen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string amount(Code code, std::int64_t n) {
  switch (code) {
    case Code::kBudgetTurns: return fmt::format("{} turn{}", n, n == 1 ? "" : "s");
    case Code::kBudgetCalls: return fmt::format("{} call{}", n, n == 1 ? "" : "s");
    case Code::kBudgetDepth: return fmt::format("{} call{} deep", n, n == 1 ? "" : "s");
    case Code::kBudgetDescendants: return fmt::format("{} started agent{}", n, n == 1 ? "" : "s");
    case Code::kBudgetTokens: return fmt::format("{} tokens", n);
    case Code::kBudgetCost: return money_text(n);
    case Code::kBudgetTime: return fmt::format("{:.1f} s", static_cast<double>(n) / 1e6);
    default: return fmt::format("{}", n);
  }
}

// A limit that holds for a frame with everything below it may be that of a frame above.
std::string_view scope_text(Code code, kernel::Scope s) {
  bool const with_all_below = code == Code::kBudgetDescendants || code == Code::kBudgetTime;
  switch (s) {
    case kernel::Scope::kFrame: return with_all_below ? "one agent with all below it" : "this agent";
    case kernel::Scope::kRun: return "this run";
    case kernel::Scope::kSession: return "this session";
  }
  return "this run";
}

std::string from_source(Scene const& scene) {
  return scene.limit_source.empty() ? std::string() : fmt::format(" (set by {})", scene.limit_source);
}

std::string budget_text(Code code, Evidence const& e, Scene const& scene) {
  if (code == Code::kBudgetCost && e.limit == 0) {
    return fmt::format("the price of the next request is not known and there is a limit on money{}",
                       from_source(scene));
  }
  // A frame that was pressed by this limit knows that no call is left, not of how many.
  if (code == Code::kBudgetCalls && e.limit == 0)
    return fmt::format("no call is left for {}{}", scope_text(code, e.scope), from_source(scene));
  std::string const of = scene.limit_of_tool ? fmt::format(" of {}", scene.tool) : std::string();
  return fmt::format("the limit of {}{} for {}{} leaves no room", amount(code, e.limit), of, scope_text(code, e.scope),
                     from_source(scene));
}

// The measure of a recursion did not shrink; negative: the arguments have none.
std::string growing_text(std::string_view who, Evidence const& e, std::string_view seen) {
  if (e.count < 0)
    return fmt::format(
        "{} may start again inside itself only about something smaller{}, and this call does not say "
        "how big it is",
        who, seen);
  if (e.limit < 0)
    return fmt::format(
        "{} may start again inside itself only about something smaller, and the one above{} did not say "
        "how big it was",
        who, seen);
  return fmt::format("{} may start again inside itself only about something smaller: {} is not less than {}{}", who,
                     e.count, e.limit, seen);
}

// What happened, without the path and without advice.
std::string what_happened(Code code, Evidence const& e, Scene const& s) {
  std::string_view const tool = s.tool;
  std::string const seen = s.earlier.empty() ? std::string() : fmt::format(", see {}", s.earlier);
  switch (code) {
    case Code::kReentryCycle: {
      std::string const who = s.target.empty() ? std::string(tool) : s.target;
      return fmt::format("{} is already at work on this path{}: this call would start it again inside itself", who,
                         seen);
    }
    case Code::kReentryDepth:
      return fmt::format("{} stands {} times on this path already; its limit is {}{}",
                         s.target.empty() ? tool : s.target, e.count - 1, e.limit, from_source(s));
    case Code::kReentryGrowing: return growing_text(s.target.empty() ? tool : s.target, e, seen);
    case Code::kReentryConflict:
      return fmt::format("{} would read what a call above it is still writing{}", tool, seen);
    case Code::kPassthrough:
      return fmt::format("the task is handed on in the same words for the {} time and nobody has worked on it",
                         ordinal(e.count));
    case Code::kExact:
      if (e.refused)
        return fmt::format(
            "{} with these arguments for the {} time since the last change, and it was refused each time{}", tool,
            ordinal(e.count), seen);
      return fmt::format(
          "{} with these arguments for the {} time since the last change, and the answer was the same each time{}",
          tool, ordinal(e.count), seen);
    case Code::kEffect:
      return fmt::format("{} has already done this once{}; doing it again would do it twice", tool, seen);
    case Code::kCycle:
      return fmt::format("the same {} steps begin for the {} time and gave the same answers each time", e.period,
                         ordinal((e.count - 1) / std::max<std::int64_t>(1, e.period) + 1));
    case Code::kLivelock: return fmt::format("the work is handed round in a circle of {} without progress", e.period);
    case Code::kStagnant:
      return fmt::format("{} gave the same answer {} times in a row although it was asked differently{}", tool,
                         e.count - 1, seen);
    case Code::kError:
      return fmt::format("{} calls in a row failed with the same error{}, whatever the arguments were", e.count - 1,
                         seen);
    case Code::kRange:
      return fmt::format("{} asks for the {} time in a row only for lines that were shown before{}", tool,
                         ordinal(e.count), seen);
    case Code::kPoll: return fmt::format("{} was asked {} times and nothing has moved{}", tool, e.count - 1, seen);
    case Code::kNovelty: return fmt::format("only {} % of what the last reads brought was new", e.count);
    case Code::kText:
      return e.period > 0 ? fmt::format("the answer ends in the same words {} times over", e.count)
                          : fmt::format("the same answer was given {} times in a row", e.count);
    case Code::kHook:
      return fmt::format("the hook kept the turn from ending {} times and nothing has changed", e.count);
    case Code::kConservative:
      return fmt::format("only {} left, so only tools that have worked in this run are open; {} has not",
                         amount(Code::kBudgetTurns, e.count), tool);
    case Code::kUnknownTool:
    case Code::kArguments: return s.fault;
    case Code::kGateDeny: return fmt::format("{} is not permitted", tool);
    case Code::kGateAsk: return fmt::format("{} needs a person's permission", tool);
    case Code::kGateTimeout: return fmt::format("nobody answered whether {} may run", tool);
    case Code::kConflict: return fmt::format("{} touches what {} is working on and runs after it", tool, s.earlier);
    case Code::kRace: return fmt::format("{} and {} touch the same thing at the same time", tool, s.earlier);
    case Code::kDeadlock:
      if (s.earlier.empty()) return fmt::format("{} would wait for its own path and could never end", tool);
      return fmt::format("{} would wait for {}, which waits for this path: neither could ever end", tool, s.earlier);
    case Code::kReentrantHook: return "the hook is already running on this chain and would start itself again";
    case Code::kOwnEvent: return "the message was written by the agent itself";
    case Code::kSelfInvocation: return "the command would start this agent's own program again below itself";
    case Code::kChainCycle: return "it is already on the chain that would start it";
    case Code::kCompactNoGain: return fmt::format("{} compactions in a row freed nothing", e.count);
    case Code::kRoute: return s.what.empty() ? "a rule says so" : s.what;
    case Code::kStageForbidden: return s.what.empty() ? fmt::format("{} is not open in this stage", tool) : s.what;
    case Code::kStageSpent: return s.what.empty() ? "the last stage is spent" : s.what;
    case Code::kStopped: return "the run was stopped";
    case Code::kBudgetTurns:
    case Code::kBudgetCalls:
    case Code::kBudgetDepth:
    case Code::kBudgetDescendants:
    case Code::kBudgetTokens:
    case Code::kBudgetCost:
    case Code::kBudgetTime: return budget_text(code, e, s);
    case Code::kNone: break;
  }
  return {};
}

std::string what_happened(CallVerdict const& v, Scene const& s) {
  if (v.closing && v.code != Code::kStopped) return "this turn was to be the answer, so no call runs any more";
  return what_happened(v.code, v.evidence, s);
}

std::string advice(CallVerdict const& v, Scene const& s) {
  if (v.closing && v.code != Code::kStopped) return "answer with what is known";
  if (!s.hint.empty()) return s.hint;
  switch (v.word) {
    case CallWord::kReuse:
      return fmt::format("the answer of {} still holds and is given back; use it, or do something else", s.earlier);
    case CallWord::kWarn: return "if the next answer is the same, do something else";
    case CallWord::kSerialize:
    case CallWord::kAsk:
    case CallWord::kRun: return {};
    case CallWord::kReject: return "correct the call";
    case CallWord::kDeny: return v.code == Code::kStopped ? "do not start anything more" : "go on without this call";
    case CallWord::kBlock: break;
  }
  switch (v.code) {
    case Code::kReentryCycle:
    case Code::kReentryGrowing:
    case Code::kReentryDepth: return "do the work here with other tools, or answer with what is known";
    case Code::kPassthrough: return "do the task here or say what is missing";
    case Code::kReentryConflict:
    case Code::kDeadlock: return "finish without it, or answer with what is known";
    case Code::kConservative: return "use a tool that has worked, or answer with what is known";
    default: break;
  }
  if (kernel::is_budget(v.code)) return "answer with what is known";
  return "answer with what is known, or do something that changes the situation";
}

std::string_view label(CallWord w) {
  switch (w) {
    case CallWord::kReuse: return "not run again";
    case CallWord::kWarn: return "note";
    case CallWord::kSerialize: return "waits";
    case CallWord::kAsk: return "asked";
    case CallWord::kBlock: return "blocked";
    case CallWord::kDeny: return "denied";
    case CallWord::kReject: return "rejected";
    case CallWord::kRun: break;
  }
  return "runs";
}

}  // namespace

std::string path_text(std::vector<std::string> const& path) {
  constexpr std::size_t kHead = 4;  // a long path tells by its ends
  constexpr std::size_t kTail = 12;
  if (path.size() <= kHead + kTail) return fmt::format("{}", fmt::join(path, " > "));
  std::span<std::string const> const all(path);
  return fmt::format("{} > … {} more … > {}", fmt::join(all.first(kHead), " > "), path.size() - kHead - kTail,
                     fmt::join(all.last(kTail), " > "));
}

std::string code_text(Code code, Scene const& scene) {
  return scene.code.empty() ? std::string(kernel::code_text(code)) : scene.code;
}

std::string money_text(std::int64_t nano_usd) { return fmt::format("${:.4f}", static_cast<double>(nano_usd) / 1e9); }

std::string call_text(CallVerdict const& v, Scene const& s) {
  std::string out =
      fmt::format("{} ({}): {}; path {}", label(v.word), code_text(v.code, s), what_happened(v, s), path_text(s.path));
  if (!s.left.empty()) out += fmt::format("; left {}", s.left);
  std::string const instead = advice(v, s);
  if (!instead.empty()) out += "; " + instead;
  return out;
}

std::string call_json(CallVerdict const& v, Scene const& s) {
  boost::json::object evidence;
  if (v.evidence.count > 0) evidence["count"] = v.evidence.count;
  if (v.evidence.limit > 0) evidence["limit"] = v.evidence.limit;
  if (!s.limit_source.empty()) evidence["limit_source"] = s.limit_source;
  if (v.evidence.period > 0) evidence["period"] = v.evidence.period;
  if (v.evidence.earlier.valid()) evidence["earlier_call"] = v.evidence.earlier.value;
  if (!s.earlier.empty()) evidence["earlier"] = s.earlier;
  boost::json::object out;
  out["verdict"] = word_text(v.word);
  out["code"] = code_text(v.code, s);
  out["tool"] = s.tool;
  out["what"] = what_happened(v, s);
  out["path"] = boost::json::array(s.path.begin(), s.path.end());
  out["evidence"] = std::move(evidence);
  if (!s.left.empty()) out["left"] = s.left;
  std::string const instead = advice(v, s);
  if (!instead.empty()) out["instead"] = instead;
  return boost::json::serialize(boost::json::object{{"backedge", std::move(out)}});
}

std::string turn_text(TurnVerdict const& v, Scene const& s) {
  if (v.word == TurnWord::kGo) return {};
  bool const final = v.word == TurnWord::kFinal;
  std::string why = what_happened(v.code, v.evidence, s);
  if (final && v.code == Code::kBudgetTurns)
    why = fmt::format("this is the last of {}{}", amount(v.code, v.evidence.limit), from_source(s));
  if (kernel::is_repetition(v.code) && v.code != Code::kText) why = "the run goes round in circles";
  return fmt::format("{} ({}): {}; path {}{}", final ? "answer now, without tools" : "stopped", code_text(v.code, s),
                     why, path_text(s.path),
                     !s.hint.empty() ? "; " + s.hint
                     : final         ? "; say what was found and what is missing"
                                     : "");
}

std::string event_text(kernel::EventVerdict const& v, std::string_view what) {
  if (v.word == EventWord::kRun) return {};
  return fmt::format("{} ({}): {}: {}", word_text(v.word), kernel::code_text(v.code), what,
                     what_happened(v.code, v.evidence, {}));
}

}  // namespace backedge::embed
