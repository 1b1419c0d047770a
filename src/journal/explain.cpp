// Why a verdict fell, for a person. The sentence itself is the one the model was told (embed/message.h), so that both
// read the same; around it stands what a person looks for next.

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "embed/message.h"
#include "journal/story.h"
#include "kernel/verdict.h"

namespace backedge::journal {
namespace {

constexpr std::size_t kShownCharacters = 300;

kernel::Code code_of(std::string_view text) {
  for (std::size_t i = 0; i < kernel::kCodes; ++i) {
    auto const code = static_cast<kernel::Code>(i);
    if (kernel::code_text(code) == text) return code;
  }
  return kernel::Code::kNone;
}

std::optional<CallWord> word_of(std::string_view text) {
  for (CallWord const word : {CallWord::kRun, CallWord::kWarn, CallWord::kReuse, CallWord::kSerialize, CallWord::kAsk,
                              CallWord::kBlock, CallWord::kDeny, CallWord::kReject}) {
    if (word_text(word) == text) return word;
  }
  return std::nullopt;
}

std::string seconds(Micros from, Micros to) {
  return fmt::format("{:.2f} s", static_cast<double>((to - from).count()) / 1e6);
}

std::string shown(StoryText const& text) {
  if (!text.text) return text.sha256.empty() ? "none" : "not kept, SHA-256 " + text.sha256;
  std::string const line = in_quotes(*text.text, kShownCharacters);
  // JSON arguments are read more easily without quotes of our own around theirs.
  bool const plain = std::none_of(text.text->begin(), text.text->end(),
                                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  bool const fits = cut(*text.text, kShownCharacters).size() == text.text->size();
  return plain && fits && text.text->starts_with('{') ? *text.text : line;
}

std::string call_name(Story const& story, CallId id) {
  auto const found = story.calls.find(id);
  if (found == story.calls.end()) return {};
  return fmt::format("call {} ({})", id.value, found->second.tool);
}

// In words that do not need to know the words of verdicts.
std::string_view decided(std::string_view word) {
  struct Row {
    std::string_view word, text;
  };
  constexpr Row kRows[] = {
      {"run", "it may run"},
      {"warn", "it may run, with a note to the model"},
      {"reuse", "it is not run, the earlier answer is given back"},
      {"serialize", "it waits until another call has ended"},
      {"ask", "a person is asked first"},
      {"block", "it is not run, as part of a loop or beyond a limit"},
      {"deny", "it is not run, it is not permitted"},
      {"reject", "it is not run, the call itself is wrong"},
  };
  for (Row const& row : kRows) {
    if (row.word == word) return row.text;
  }
  return "what this means is not known to this version";
}

bool routed(StoryVerdict const& v) { return v.code.starts_with("route.") || v.code.starts_with("stage."); }

std::string_view decided(StoryVerdict const& v) {
  if (routed(v) && v.word == "block") return "it is not run, a rule or the stage does not let it";
  return decided(v.word);
}

std::string why(Story const& story, StoryCall const& call) {
  StoryVerdict const& v = call.verdict;
  kernel::Code const code = code_of(v.code);
  std::optional<CallWord> const word = word_of(v.word);
  if (v.code.empty() || !word) return "no rule had anything against it";
  if (routed(v)) return v.text.empty() ? "the policy's " + v.code + " says so" : v.text;
  if (code == kernel::Code::kNone) return "rule " + v.code + ", which this version does not know";
  kernel::CallVerdict verdict;
  verdict.call = call.id;
  verdict.frame = call.frame;
  verdict.word = *word;
  verdict.code = code;
  verdict.observed = v.observed;
  verdict.closing = v.closing;
  verdict.evidence.count = v.count;
  verdict.evidence.limit = v.limit;
  verdict.evidence.period = static_cast<std::uint16_t>(std::clamp<std::int64_t>(v.period, 0, UINT16_MAX));
  verdict.evidence.scope = v.scope == "session" ? kernel::Scope::kSession
                           : v.scope == "frame" ? kernel::Scope::kFrame
                                                : kernel::Scope::kRun;
  embed::Scene scene;
  scene.tool = call.tool;
  scene.path = story.path(call.frame);
  scene.limit_source = v.set_by;
  scene.earlier = call_name(story, CallId{v.earlier});
  return embed::call_text(verdict, scene);
}

std::string outcome(Story const& story, StoryCall const& call) {
  if (call.ended) {
    std::string out = fmt::format("{}, {} bytes", call.status, call.result_bytes);
    if (call.started) out += ", after " + seconds(*call.started, *call.ended);
    return out;
  }
  if (call.started) return story.closed ? "nobody knows its end" : "it has started and not ended";
  bool const refused = call.verdict.word == "block" || call.verdict.word == "deny" || call.verdict.word == "reject" ||
                       call.verdict.word == "reuse";
  return refused && !call.verdict.observed ? "it was not run" : "it has not started";
}

std::string calls_there_are(Story const& story) {
  if (story.calls.empty()) return "this run has no calls";
  std::uint32_t const first = story.calls.begin()->first.value;
  std::uint32_t const last = story.calls.rbegin()->first.value;
  return first == last ? fmt::format("this run has only call {}", first)
                       : fmt::format("this run has the calls {} to {}", first, last);
}

}  // namespace

std::string words_of(StoryRoute const& r) {
  std::string out;
  if (r.what == "truncate") {
    out = fmt::format("cut for the model to {} characters", r.size);
  } else if (r.what == "note") {
    out = "passed on with a note";
  } else if (r.what == "replace") {
    out = "replaced for the model by another text";
  } else if (r.what == "stage") {
    out = fmt::format("sends the run to stage {}", r.stage);
  } else if (r.what == "final") {
    out = "makes the next message the answer";
  } else if (r.what == "stop") {
    out = "ends the work";
  } else if (r.what == "raise") {
    out = fmt::format("raises the limit of turns to {}", r.size);
  } else if (r.what == "retry") {
    out = "is tried once more, with only the task and this round in view";
  } else {
    out = r.what;
  }
  out += " by rule " + r.rule;
  if (!r.text.empty()) out += ": " + in_quotes(r.text, kShownCharacters);
  if (r.observed) out += " (only reported)";
  return out;
}

std::string words_of(StoryMove const& m) {
  if (m.why == "rollback") return fmt::format("view set back to the start of stage {}", m.from);
  std::string const to = m.to.empty() ? "no further stage" : "stage " + m.to;
  if (m.why == "start") return to + " begins the run";
  if (m.why == "spent") return fmt::format("{}: {} is spent", to, m.from);
  if (m.why == "answered") return fmt::format("{}: {} is done", to, m.from);
  return fmt::format("{}: a rule leads there{}", to, m.from.empty() ? "" : " from " + m.from);
}

Result<std::string> explain(Story const& story, CallId id) {
  auto const found = story.calls.find(id);
  if (found == story.calls.end()) {
    return Error{ErrorKind::kNotFound, fmt::format("there is no call {}: {}", id.value, calls_there_are(story)), {}};
  }
  StoryCall const& call = found->second;
  StoryVerdict const& v = call.verdict;
  std::string out;
  auto const line = [&out](std::string_view name, std::string const& text) {
    out += fmt::format("{:<10} {}\n", name, text);
  };
  std::vector<std::string> path = story.path(call.frame);
  path.push_back(call.tool);
  line("call", fmt::format("{}, turn {}, {} after the run began", call.id.value, call.turn.value,
                           seconds(story.first, call.proposed)));
  line("path", embed::path_text(path));
  line("tool", call.tool);
  line("arguments", shown(call.arguments));
  line("verdict", fmt::format("{}{}: {}", v.word.empty() ? "none yet" : v.word,
                              v.code.empty() ? std::string() : " (" + v.code + ")", decided(v)));
  line("why", why(story, call));
  if (v.count > 0 || v.limit > 0) {
    line("counted",
         v.limit > 0 ? fmt::format("{}, and the rule acts at {}", v.count, v.limit) : fmt::format("{}", v.count));
  }
  if (!v.set_by.empty()) line("set by", v.set_by);
  auto const earlier = story.calls.find(CallId{v.earlier});
  if (earlier != story.calls.end()) {
    line("earlier",
         fmt::format("call {}: {} {}", earlier->first.value, earlier->second.tool, shown(earlier->second.arguments)));
  }
  if (v.observed) line("observed", "the verdict was only reported: the call ran all the same");
  if (!call.approval.empty()) line("approval", call.approval);
  if (!call.released.empty()) line("later", fmt::format("{}: {}", call.released, decided(call.released)));
  line("outcome", outcome(story, call));
  for (StoryRoute const& route : call.routes) line("result", words_of(route));
  return out;
}

}  // namespace backedge::journal
