// Reading scripts; see script.h.

#include "models/script.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "models/json_text.h"

namespace backedge::models {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 11> kStepFields = {
    "agent", "text", "calls", "stop", "usage", "delay_ms", "error", "repeat", "error_kind", "final", "if_refused"};
constexpr std::array<std::string_view, 8> kReactionFields = {"text",     "calls", "stop",       "usage",
                                                             "delay_ms", "error", "error_kind", "final"};
constexpr std::array<std::string_view, 4> kCallFields = {"id", "tool", "args", "args_raw"};
constexpr std::array<std::string_view, 6> kUsageFields = {"in",         "out",         "cost_usd",
                                                          "cache_read", "cache_write", "reasoning"};
constexpr std::array<std::string_view, 2> kRootFields = {"then", "steps"};

constexpr std::int64_t kMostMs = 3'600'000;         // an hour: a longer delay is a slip of the keyboard
constexpr std::int64_t kMostTurns = 1'000'000'000;  // of one step; more is "for ever"
constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr double kMostUsd = 1e6;
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

// Reads one file; remembers the first fault and is harmless after it.
class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  bool good() const { return !error_; }
  Error const& error() const { return *error_; }

  void fail(JsonPart const& at, std::string detail) {
    if (!error_) error_ = Error{ErrorKind::kInput, std::move(detail), {file_, at.line, 0}};
  }

  // Members that nobody knows, or anything but an object.
  void check_fields(JsonPart const& part, std::string_view what, std::span<std::string_view const> known) {
    if (part.object() == nullptr) return fail(part, fmt::format("{} must be an object", what));
    for (json::key_value_pair const& member : *part.object()) {
      if (std::ranges::find(known, std::string_view(member.key())) != known.end()) continue;
      std::vector<std::string_view> const near = nearest(member.key(), known, 1);
      std::string const hint = near.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                            : fmt::format("did you mean \"{}\"", near.front());
      return fail(part.member(member.key()),
                  fmt::format("{} has no field {}; {}", what, in_quotes(std::string_view(member.key()), 40), hint));
    }
  }

  std::optional<std::string> text(JsonPart const& of, std::string_view name) {
    JsonPart const part = of.member(name);
    if (!part) return std::nullopt;
    if (part.string() == nullptr) {
      fail(part, fmt::format("\"{}\" must be a text", name));
      return std::nullopt;
    }
    return std::string(*part.string());
  }

  std::int64_t number(JsonPart const& of, std::string_view name, std::int64_t least, std::int64_t most,
                      std::int64_t otherwise) {
    JsonPart const part = of.member(name);
    if (!part) return otherwise;
    std::int64_t const* const n = part.value->if_int64();
    if (n != nullptr && *n >= least && *n <= most) return *n;
    fail(part, fmt::format("\"{}\" must be a whole number from {} to {}", name, least, most));
    return otherwise;
  }

  ScriptStep step(JsonPart const& part);
  ScriptStep said(JsonPart const& part);
  void then(JsonPart const& part, Then& out);

 private:
  ScriptCall call(JsonPart const& part);
  Usage usage(JsonPart const& part);
  void error_of(JsonPart const& part, ScriptStep& out);
  std::int64_t repeat(JsonPart const& part);

  std::string file_;
  std::optional<Error> error_;
};

ScriptCall Reader::call(JsonPart const& part) {
  ScriptCall out;
  check_fields(part, "a call", kCallFields);
  if (!good()) return out;
  out.id = text(part, "id").value_or("");
  out.tool = text(part, "tool").value_or("");
  if (out.tool.empty()) fail(part, R"(a call needs the name of its tool: "tool": "read_file")");
  JsonPart const args = part.member("args");
  std::optional<std::string> raw = text(part, "args_raw");
  if (args && raw) fail(args, R"(a call has both "args" and "args_raw"; keep one of them)");
  out.arguments = raw ? std::move(*raw) : args ? std::string(args.text) : "{}";
  return out;
}

Usage Reader::usage(JsonPart const& part) {
  Usage out;
  check_fields(part, "\"usage\"", kUsageFields);
  if (!good()) return out;
  out.input_tokens = number(part, "in", 0, kMostTokens, 0);
  out.output_tokens = number(part, "out", 0, kMostTokens, 0);
  out.cache_read_tokens = number(part, "cache_read", 0, kMostTokens, 0);
  out.cache_write_tokens = number(part, "cache_write", 0, kMostTokens, 0);
  out.reasoning_tokens = number(part, "reasoning", 0, kMostTokens, 0);
  if (JsonPart const cost = part.member("cost_usd")) {
    double const usd = cost.value->is_number() ? cost.value->to_number<double>() : -1;
    if (usd < 0 || usd > kMostUsd) {
      fail(cost, fmt::format("\"cost_usd\" must be a number from 0 to {}", kMostUsd));
    } else {
      out.cost_nano_usd = std::llround(usd * 1e9);
    }
  }
  return out;
}

void Reader::error_of(JsonPart const& part, ScriptStep& out) {
  out.error = text(part, "error");
  std::optional<std::string> const kind = text(part, "error_kind");
  if (!kind) return;
  if (!out.error)
    return fail(part.member("error_kind"), R"("error_kind" says of what kind an "error" is; there is none)");
  if (*kind == "context") out.error_kind = ErrorKind::kContext;
  if (*kind != "context" && *kind != "model")
    fail(part.member("error_kind"), R"("error_kind" must be "model" or "context")");
}

std::int64_t Reader::repeat(JsonPart const& part) {
  JsonPart const value = part.member("repeat");
  if (!value || value.string() == nullptr) return number(part, "repeat", 1, kMostTurns, 1);
  if (*value.string() != "for ever")
    fail(value, fmt::format(R"("repeat" must be a number of turns from 1 to {}, or "for ever")", kMostTurns));
  return ScriptStep::kForEver;
}

ScriptStep Reader::step(JsonPart const& part) {
  check_fields(part, "a step", kStepFields);
  ScriptStep out = said(part);
  JsonPart const refused = part.member("if_refused");
  if (!refused) return out;
  check_fields(refused, "\"if_refused\"", kReactionFields);
  out.if_refused.push_back(said(refused));
  return out;
}

ScriptStep Reader::said(JsonPart const& part) {
  ScriptStep out;
  out.line = part.line;
  if (!good()) return out;
  out.agent = text(part, "agent").value_or("");
  out.text = text(part, "text").value_or("");
  if (JsonPart const calls = part.member("calls")) {
    if (!calls.value->is_array()) fail(calls, R"("calls" must be a list of calls)");
    for (JsonPart const& c : calls.elements()) out.calls.push_back(call(c));
  }
  out.stop = text(part, "stop").value_or(out.calls.empty() ? "end_turn" : "tool_use");
  if (JsonPart const used = part.member("usage")) out.usage = usage(used);
  out.delay = std::chrono::milliseconds(number(part, "delay_ms", 0, kMostMs, 0));
  error_of(part, out);
  out.repeat = repeat(part);
  out.final_text = text(part, "final");
  if (out.final_text && out.calls.empty())
    fail(part.member("final"), R"("final" stands for the calls of its step when the answer is due; the step has none)");
  if (out.error && (!out.text.empty() || !out.calls.empty()))
    fail(part.member("error"), R"(a step with an "error" says nothing else; take its text and calls away)");
  if (!part.member("text") && !part.member("calls") && !out.error)
    fail(part, R"(a step needs "text", "calls" or "error")");
  return out;
}

void Reader::then(JsonPart const& part, Then& out) {
  std::string const word = part.string() == nullptr ? "" : std::string(*part.string());
  if (word == "answer") out = Then::kAnswer;
  if (word == "repeat") out = Then::kRepeat;
  if (word == "error") out = Then::kError;
  if (word != "answer" && word != "repeat" && word != "error")
    fail(part, R"("then" must be "answer", "repeat" or "error")");
}

}  // namespace

Result<void> Script::add(ScriptStep step) {
  Part& part = parts_[step.agent];
  std::int64_t const before = part.ends.empty() ? 0 : part.ends.back();
  if (before == kNoEnd) {
    return Error{ErrorKind::kInput,
                 fmt::format("this step is never reached: the one in line {} repeats for ever; end that one, or take "
                             "this one away",
                             part.steps.back().line),
                 {file_, step.line, 0}};
  }
  delays_ = delays_ || step.delay.count() > 0 || (!step.if_refused.empty() && step.if_refused[0].delay.count() > 0);
  part.ends.push_back(step.repeat == ScriptStep::kForEver ? kNoEnd : before + step.repeat);
  part.steps.push_back(std::move(step));
  return {};
}

Result<Script> Script::parse(std::string text, std::string const& file) {
  Result<JsonDocument> document = JsonDocument::read(std::move(text), file);
  if (!document) return document.error();
  Script out;
  out.file_ = file;
  Reader reader(file);
  std::vector<JsonPart> steps = document->roots();
  if (!document->by_lines() || (steps.size() == 1 && steps[0].member("steps"))) {
    JsonPart const root = steps[0];
    JsonPart list = root;
    if (root.object() != nullptr) {
      reader.check_fields(root, "a script", kRootFields);
      if (JsonPart const then = root.member("then")) reader.then(then, out.then_);
      list = root.member("steps");
    }
    if (reader.good() && (!list || !list.value->is_array())) reader.fail(root, R"("steps" must be a list of steps)");
    steps = list.elements();
  }
  if (!steps.empty() && steps[0].member("then")) {
    std::string_view const only = "then";
    reader.check_fields(steps[0], "the line about what comes at the end", std::span(&only, 1));
    reader.then(steps[0].member("then"), out.then_);
    steps.erase(steps.begin());
  }
  for (JsonPart const& part : steps) {
    ScriptStep step = reader.step(part);
    if (!reader.good()) break;
    if (Result<void> added = out.add(std::move(step)); !added) return added.error();
  }
  if (!reader.good()) return reader.error();
  if (out.parts_.empty())
    return Error{ErrorKind::kInput, R"(a script without steps; write one a line: {"text": "done"})", {file}};
  return out;
}

Result<Script> Script::load(std::string const& path) {
  Result<std::string> text = read_file(path, kMaxBytes);
  if (!text) return text.error();
  return parse(std::move(*text), path);
}

Script::Part const* Script::part(std::string_view agent) const {
  auto found = parts_.find(agent);
  if (found == parts_.end()) found = parts_.find(std::string_view());
  return found == parts_.end() ? nullptr : &found->second;
}

ScriptStep const* Script::at(std::string_view agent, std::int64_t turn) const {
  Part const* const p = part(agent);
  if (p == nullptr || turn < 1) return nullptr;
  if (then_ == Then::kRepeat && p->ends.back() != kNoEnd) turn = (turn - 1) % p->ends.back() + 1;
  auto const found = std::ranges::lower_bound(p->ends, turn);
  return found == p->ends.end() ? nullptr : &p->steps[static_cast<std::size_t>(found - p->ends.begin())];
}

ScriptStep const* Script::last(std::string_view agent) const {
  Part const* const p = part(agent);
  return p == nullptr ? nullptr : &p->steps.back();
}

}  // namespace backedge::models
