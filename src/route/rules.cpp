// Policy table → compiled rules; see rules.h.

#include "route/rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <re2/re2.h>

#include "facts/shell_text.h"
#include "policy/key.h"

namespace backedge {
namespace {

constexpr std::array<std::string_view, 4> kCallWords = {"allow", "reject", "ask", "reuse"};
constexpr std::array<std::string_view, 9> kResultWords = {"pass",  "truncate", "note",  "replace", "stage",
                                                          "final", "stop",     "raise", "retry"};

}  // namespace

std::string_view word_text(CallRouteWord word) { return kCallWords[static_cast<std::size_t>(word)]; }
std::string_view word_text(ResultRouteWord word) { return kResultWords[static_cast<std::size_t>(word)]; }

namespace route {
namespace {

Error wrong(std::string detail) { return {ErrorKind::kPolicy, std::move(detail), {}}; }

Result<Pattern> compile_pattern(std::string const& text) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(1 << 20);
  auto pattern = std::make_shared<re2::RE2 const>(re2::StringPiece(text.data(), text.size()), options);
  if (!pattern->ok()) return wrong(fmt::format("a pattern of a rule does not compile: {}", pattern->error()));
  return Pattern(std::move(pattern));
}

Result<std::vector<Test>> compile_tests(std::vector<policy::ValueTest> const& tests) {
  std::vector<Test> out;
  for (policy::ValueTest const& test : tests) {
    Test one{test, nullptr};
    if (test.regex) {
      Result<Pattern> pattern = compile_pattern(*test.regex);
      if (!pattern) return pattern.error();
      one.pattern = *std::move(pattern);
    }
    out.push_back(std::move(one));
  }
  return out;
}

Result<Rule> compile_rule(policy::RouteSettings const& said) {
  Rule out;
  out.said = said;
  out.on_call = policy::moment_of_word(said.then) == policy::RouteMoment::kCall;
  if (out.on_call) {
    auto const at = std::find(kCallWords.begin(), kCallWords.end(), said.then);
    out.call_word = static_cast<CallRouteWord>(at - kCallWords.begin());
  } else {
    auto const at = std::find(kResultWords.begin(), kResultWords.end(), said.then);
    if (at == kResultWords.end()) return wrong(fmt::format("a rule cannot do {}", said.then));
    out.result_word = static_cast<ResultRouteWord>(at - kResultWords.begin());
  }
  for (auto const& [from, to] : {std::pair(&said.where, &out.where), std::pair(&said.seen_where, &out.seen_where),
                                 std::pair(&said.result, &out.result)}) {
    Result<std::vector<Test>> tests = compile_tests(*from);
    if (!tests) return tests.error();
    *to = *std::move(tests);
  }
  if (said.text) {
    Result<Pattern> pattern = compile_pattern(*said.text);
    if (!pattern) return pattern.error();
    out.text = *std::move(pattern);
  }
  return out;
}

}  // namespace

int Rules::stage(std::string_view name) const {
  auto const at = std::find_if(stages_.begin(), stages_.end(), [&](Stage const& s) { return s.said.name == name; });
  return at == stages_.end() ? -1 : static_cast<int>(at - stages_.begin());
}

Result<std::shared_ptr<Rules const>> Rules::compile(policy::Table const& table) {
  if (table.routes.empty() && table.stages.empty()) return std::shared_ptr<Rules const>();
  auto out = std::make_shared<Rules>();
  for (policy::StageSettings const& said : table.stages) {
    out->stages_.push_back({said, -1});
    out->remembers_ = out->remembers_ || said.if_seen || said.unless_seen;
  }
  for (Stage& stage : out->stages_) {
    if (!stage.said.next) continue;
    stage.next = out->stage(*stage.said.next);
    if (stage.next < 0) return wrong(fmt::format("there is no stage {}", *stage.said.next));
  }
  for (policy::RouteSettings const& said : table.routes) {
    Result<Rule> rule = compile_rule(said);
    if (!rule) return rule.error();
    if (said.to_stage) {
      rule->to_stage = out->stage(*said.to_stage);
      if (rule->to_stage < 0) return wrong(fmt::format("there is no stage {}", *said.to_stage));
    }
    out->remembers_ = out->remembers_ || said.if_seen || said.unless_seen;
    out->rules_.push_back(*std::move(rule));
  }
  return std::shared_ptr<Rules const>(std::move(out));
}

bool any_glob(std::vector<std::string> const& globs, std::string_view text) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](std::string const& glob) { return facts::glob_matches(glob, text); });
}

}  // namespace route
}  // namespace backedge
