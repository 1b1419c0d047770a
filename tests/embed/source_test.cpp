// Every limit that fires names itself: how much, for whom, and the line of the file that set it.
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "backedge/run.h"

namespace backedge {
namespace {

constexpr Micros kNow{0};

struct Row {
  std::string code;
  std::string policy;  // its second line sets the number
  std::string source;
  std::function<Entered(Run&)> last;  // plays until the code comes, and gives that answer
};

Entered call(Run& run, std::string_view tool, std::string const& arguments, std::string_view answer = "x",
             CallStatus status = CallStatus::kOk) {
  Entered const e = *run.enter(run.root(), Call{tool, arguments}, kNow);
  if (e.runs) (void)run.leave(e.call, {status, answer}, kNow);
  return e;
}

std::string numbered(int i) { return R"({"n": )" + std::to_string(i) + "}"; }

Entered times(Run& run, int n, std::string_view tool, std::string const& arguments, std::string_view answer = "x",
              CallStatus status = CallStatus::kOk) {
  Entered last;
  for (int i = 0; i < n; ++i) last = call(run, tool, arguments, answer, status);
  return last;
}

std::vector<Row> rows() {
  return {
      {"repeat.exact", "[repeat]\nexact = 2\n", "p.toml:2", [](Run& r) { return times(r, 2, "t", "{}"); }},
      {"repeat.exact", "[repeat]\nexact_error = 2\n", "p.toml:2",
       [](Run& r) { return times(r, 2, "t", "{}", "no", CallStatus::kError); }},
      {"repeat.effect", "[repeat]\neffect = 3\n[tool.t]\neffect = \"write\"\nidempotent = false\n", "p.toml:2",
       [](Run& r) { return times(r, 3, "t", "{}"); }},
      {"repeat.poll", "[repeat]\npoll = 2\npoll_warn = 0\n[tool.t]\neffect = \"poll\"\n", "p.toml:2",
       [](Run& r) { return times(r, 2, "t", "{}"); }},
      {"repeat.stagnant", "[repeat]\nstagnant = 3\nstagnant_warn = 0\n[tool.t]\neffect = \"read\"\n", "p.toml:2",
       [](Run& r) {
         for (int i = 0; i < 2; ++i) call(r, "t", numbered(i), "same answer");
         return call(r, "t", numbered(9), "same answer");
       }},
      {"repeat.stagnant", "[repeat]\nstagnant_empty = 3\n[tool.t]\neffect = \"read\"\n", "p.toml:2",
       [](Run& r) {
         for (int i = 0; i < 2; ++i) call(r, "t", numbered(i), "");
         return call(r, "t", numbered(9), "");
       }},
      {"repeat.error", "[repeat]\nerror = 3\nerror_warn = 0\n", "p.toml:2",
       [](Run& r) {
         for (int i = 0; i < 2; ++i) call(r, "t", numbered(i), "no such host", CallStatus::kError);
         return call(r, "t", numbered(9), "no such host", CallStatus::kError);
       }},
      {"repeat.cycle", "[repeat]\ncycle = 3\nexact = 0\n", "p.toml:2",
       [](Run& r) {
         for (int i = 0; i < 6; ++i) call(r, i % 2 == 0 ? "a" : "b", "{}");
         return call(r, "a", "{}");
       }},
      {"livelock", "[repeat]\ncycle = 3\nexact = 0\n[tool.a]\neffect = \"delegate\"\n[tool.b]\neffect = \"delegate\"\n",
       "p.toml:2",
       [](Run& r) {
         for (int i = 0; i < 6; ++i) call(r, i % 2 == 0 ? "a" : "b", "{}");
         return call(r, "a", "{}");
       }},
      {"repeat.exact", "", "default", [](Run& r) { return times(r, 3, "t", "{}"); }},
      {"conservative", "[limits]\nconservative_at = 2\nmax_turns = 3\n", "p.toml:2",
       [](Run& r) {
         (void)r.leave_turn(r.enter_turn(r.root(), {}, kNow)->id, {}, "", true, kNow);
         return call(r, "t", "{}");
       }},
      {"budget.calls", "[limits]\nmax_calls = 1\n", "p.toml:2",
       [](Run& r) {
         call(r, "a", "{}");
         return call(r, "b", "{}");
       }},
      {"budget.calls", "[limits.session]\nmax_calls = 1\n", "p.toml:2",
       [](Run& r) {
         call(r, "a", "{}");
         return call(r, "b", "{}");
       }},
      {"budget.calls", "[limits.per_tool]\nt = 1\n", "p.toml:2",
       [](Run& r) {
         call(r, "t", "{}");
         return call(r, "t", numbered(1));
       }},
      {"budget.depth", "[limits]\nmax_depth = 1\n", "p.toml:2",
       [](Run& r) {
         Entered const e = *r.enter(r.root(), Call{"task", R"({"prompt": "p"})"}, kNow);
         FrameId const child = *r.open_frame(e.call, "h", std::nullopt, kNow);
         return *r.enter(child, Call{"ls", "{}"}, kNow);
       }},
      {"budget.descendants", "[limits.frame]\nmax_descendants = 0\n", "p.toml:2",
       [](Run& r) { return call(r, "task", R"({"prompt": "p"})"); }},
      {"budget.descendants", "[limits]\nmax_descendants = 0\n", "p.toml:2",
       [](Run& r) { return call(r, "task", R"({"prompt": "p"})"); }},
      {"reentry.depth", "[tool.f]\nmax_depth = 1\neffect = \"delegate\"\nreentry = \"bounded\"\n", "policy file",
       [](Run& r) {
         Entered const e = *r.enter(r.root(), Call{"f", "{}"}, kNow);
         FrameId const child = *r.open_frame(e.call, "f", std::nullopt, kNow);
         return *r.enter(child, Call{"f", "{}"}, kNow);
       }},
  };
}

TEST(Source, OfEveryLimitOnACallIsNamedInItsJson) {
  for (Row const& row : rows()) {
    Result<Policy> const policy = Policy::parse(row.policy, "p.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().text();
    backedge::Run run = *backedge::Run::open(*policy);
    Entered const e = row.last(run);
    EXPECT_FALSE(e.runs) << row.code;
    EXPECT_EQ(e.code, row.code) << e.text;
    EXPECT_NE(e.json.find(R"("limit_source":")" + row.source + '"'), std::string::npos) << row.policy << e.json;
    EXPECT_EQ(e.text.find('\n'), std::string::npos) << e.text;
    EXPECT_NE(e.text.find("; path main > "), std::string::npos) << e.text;
    bool const budget = row.code.starts_with("budget.") || row.code == "reentry.depth";
    EXPECT_EQ(e.text.find("(set by " + row.source + ")") != std::string::npos, budget) << e.text;
  }
}

struct TurnRow {
  std::string policy;
  std::string text;
  TurnEstimate estimate;
  Micros at{0};
};

TEST(Source, OfEveryLimitOnATurnIsNamedInItsText) {
  TurnRow const rows[] = {
      {"[limits]\nmax_turns = 0\n",
       "stopped (budget.turns): the limit of 0 turns for this run (set by p.toml:2) leaves no room; path main",
       {}},
      {"[limits.session]\nmax_turns = 0\n",
       "stopped (budget.turns): the limit of 0 turns for this session (set by p.toml:2) leaves no room; path main",
       {}},
      {"[limits.frame]\nmax_turns = 0\n",
       "stopped (budget.turns): the limit of 0 turns for this agent (set by p.toml:2) leaves no room; path main",
       {}},
      {"[limits]\nmax_tokens = 10\n",
       "stopped (budget.tokens): the limit of 10 tokens for this run (set by p.toml:2) leaves no room; path main",
       {.input_tokens = 11}},
      {"[limits]\nmax_cost = 0.01\n",
       "stopped (budget.cost): the limit of $0.0100 for this run (set by p.toml:2) leaves no room; path main",
       {.cost_nano_usd = 20'000'000}},
      {"[limits]\nmax_cost = 0.01\n",
       "stopped (budget.cost): the price of the next request is not known and there is a limit on money (set by "
       "p.toml:2); path main",
       {}},
      {"[limits]\nmax_time = \"5s\"\n",
       "answer now, without tools (budget.time): the limit of 5.0 s for this run (set by p.toml:2) leaves no room; "
       "path "
       "main; say what was found and what is missing",
       {},
       std::chrono::seconds{6}},
      {"[limits.frame]\nmax_tokens = 10\n",
       "stopped (budget.tokens): the limit of 10 tokens for this agent (set by p.toml:2) leaves no room; path main",
       {.input_tokens = 11}},
      {"[limits.frame]\nmax_cost = 0.01\n",
       "stopped (budget.cost): the limit of $0.0100 for this agent (set by p.toml:2) leaves no room; path main",
       {.cost_nano_usd = 20'000'000}},
      {"[limits.session]\nmax_cost = 0.01\n",
       "stopped (budget.cost): the price of the next request is not known and there is a limit on money (set by "
       "p.toml:2); path main",
       {}},
      {"[limits.frame]\nmax_time = \"5s\"\n",
       "answer now, without tools (budget.time): the limit of 5.0 s for one agent with all below it (set by p.toml:2) "
       "leaves no room; path main; say what was found and what is missing",
       {},
       std::chrono::seconds{6}},
  };
  for (TurnRow const& row : rows) {
    Result<Policy> const policy = Policy::parse(row.policy, "p.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().text();
    backedge::Run run = *backedge::Run::open(*policy);
    EXPECT_EQ(run.enter_turn(run.root(), row.estimate, row.at)->text, row.text);
  }
}

TEST(Source, OfTheLastTurnIsTheLimitThatMakesItTheLast) {
  struct Last {
    std::string policy;
    std::string text;
  };
  Last const rows[] = {
      {"[limits]\nmax_turns = 2\n", "this is the last of 2 turns (set by p.toml:2)"},
      {"[limits.frame]\nmax_turns = 2\n", "this is the last of 2 turns (set by p.toml:2)"},
      {"[limits.session]\nmax_turns = 2\n", "this is the last of 2 turns (set by p.toml:2)"},
  };
  for (Last const& row : rows) {
    backedge::Run run = *backedge::Run::open(*Policy::parse(row.policy, "p.toml"));
    (void)run.leave_turn(run.enter_turn(run.root(), {}, kNow)->id, {}, "", true, kNow);
    Turn const last = *run.enter_turn(run.root(), {}, kNow);
    EXPECT_EQ(last.word, TurnWord::kFinal);
    EXPECT_NE(last.text.find(row.text), std::string::npos) << last.text;
  }
}

}  // namespace
}  // namespace backedge
