// The edges of the public API: numbers from outside, other processes, ids of nothing, runs that only observe.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "backedge/run.h"
#include "base/json.h"
#include "base/seal.h"

namespace backedge {
namespace {

constexpr Micros kNow{0};
constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

Policy policy(std::string const& toml) { return *Policy::parse(toml, "p.toml"); }

// ---------------------------------------------------------------------------------------------- numbers

TEST(Edges, NumbersFromOutsideNeitherOverflowNorGiveAnythingBack) {
  backedge::Run run = *backedge::Run::open(policy("[limits]\nmax_tokens = 1000\nmax_cost = 1\n"));
  for (std::int64_t const n : {-1L, -kHuge, -kHuge - 1}) {
    Turn const turn =
        *run.enter_turn(run.root(), {.input_tokens = n, .max_output_tokens = n, .cost_nano_usd = n}, kNow);
    ASSERT_EQ(turn.word, TurnWord::kGo) << turn.text;
    ASSERT_TRUE(run.leave_turn(turn.id, {n, n, n}, "", true, kNow).ok());
    EXPECT_NE(run.left_text(run.root(), kNow)->find("1000 tokens, $1.0000"), std::string::npos);
  }
  Turn const turn = *run.enter_turn(run.root(), {.cost_nano_usd = 0}, kNow);
  ASSERT_TRUE(run.leave_turn(turn.id, {kHuge, kHuge, kHuge}, "", true, kNow).ok());
  Turn const after =
      *run.enter_turn(run.root(), {.input_tokens = kHuge, .max_output_tokens = kHuge, .cost_nano_usd = kHuge}, kNow);
  EXPECT_EQ(after.code, "budget.tokens");
}

TEST(Edges, AnAgentThatIsGivenFewerTurnsThanNoneGetsItsShare) {
  backedge::Run run = *backedge::Run::open(policy("[limits]\nmax_turns = 12\n"));
  (void)run.leave_turn(run.enter_turn(run.root(), {}, kNow)->id, {}, "", true, kNow);
  Entered const e = *run.enter(run.root(), Call{"task", R"({"prompt": "p"})"}, kNow);
  FrameId const child = *run.open_frame(e.call, "a", -kHuge - 1, kNow);
  EXPECT_EQ(run.turns_left(child, kNow)->value(), 10);
  EXPECT_EQ(run.turns_left(run.root(), kNow)->value(), 1);
}

// ---------------------------------------------------------------------------------------------- other processes

boost::json::object opened(std::string const& token) {
  Result<std::string> const payload = open_seal(token, "secret");
  EXPECT_TRUE(payload.ok());
  return parse_json(*payload)->as_object();
}

TEST(Edges, ATokenHoldsEveryAgentAndToolBetweenTheRootAndTheCall) {
  backedge::Run run = *backedge::Run::open(Policy::defaults(), {.agent = "clerk", .token_key = "secret"});
  Entered const task = *run.enter(run.root(), Call{"task", R"({"prompt": "p"})"}, kNow);
  FrameId const child = *run.open_frame(task.call, "helper", std::nullopt, kNow);
  Entered const shell = *run.enter(child, Call{"shell", "{}"}, kNow);
  boost::json::object const token = opened(*run.token(shell.call));
  EXPECT_EQ(token.at("chain"), (boost::json::array{"agent:clerk", "tool:task", "agent:helper", "tool:shell"}));
  EXPECT_EQ(token.at("agents"), (boost::json::array{"clerk", "helper"}));

  backedge::Run below = *backedge::Run::open(
      Policy::defaults(), {.agent = "worker", .parent_token = *run.token(shell.call), .token_key = "secret"});
  EXPECT_EQ(below.chain().start("agent:helper").code, "chain.cycle");
  for (std::string const agent : {"clerk", "helper"}) {
    Entered const back =
        *below.enter(below.root(), Call{"task", R"({"agent": ")" + agent + R"(", "prompt": "q"})"}, kNow);
    EXPECT_EQ(back.code, "reentry.cycle") << agent;
    EXPECT_NE(back.text.find("path clerk > helper > worker > task"), std::string::npos) << back.text;
  }
}

TEST(Edges, AThirdProcessKnowsTheFirst) {
  std::string token;
  for (std::string const agent : {"a", "b", "c"}) {
    backedge::Run run =
        *backedge::Run::open(Policy::defaults(), {.agent = agent, .parent_token = token, .token_key = "secret"});
    token = *run.token(run.enter(run.root(), Call{"shell", "{}"}, kNow)->call);
  }
  EXPECT_EQ(opened(token).at("agents"), (boost::json::array{"a", "b", "c"}));
}

TEST(Edges, FramesOfOtherProcessesAreNotToBeTouched) {
  backedge::Run parent = *backedge::Run::open(Policy::defaults(), {.agent = "clerk", .token_key = "secret"});
  std::string const token = *parent.token(parent.enter(parent.root(), Call{"shell", "{}"}, kNow)->call);
  backedge::Run run =
      *backedge::Run::open(Policy::defaults(), {.agent = "worker", .parent_token = token, .token_key = "secret"});
  ASSERT_NE(run.root(), FrameId{1});
  EXPECT_EQ(run.enter(FrameId{1}, Call{"ls", "{}"}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.enter_turn(FrameId{1}, {}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.close_frame(FrameId{1}, kNow).error().kind, ErrorKind::kState);
  EXPECT_EQ(run.cancel(FrameId{1}, kNow).error().kind, ErrorKind::kState);
  EXPECT_TRUE(run.enter(run.root(), Call{"ls", "{}"}, kNow)->runs);
}

TEST(Edges, ATokenWithoutAKeyToVerifyItIsRefused) {
  std::string const forged = seal(R"({"v": 1, "chain": [], "agents": []})", "");
  EXPECT_EQ(backedge::Run::open(Policy::defaults(), {.parent_token = forged}).error().kind, ErrorKind::kSignature);
}

TEST(Edges, ASealedTextThatIsNoTokenIsRefused) {
  for (std::string const payload : {"", "[]", "{}", R"({"chain": [1], "agents": []})", R"({"chain": []})", "{"}) {
    EXPECT_FALSE(backedge::Run::open(Policy::defaults(), {.parent_token = seal(payload, "k"), .token_key = "k"}).ok())
        << payload;
  }
}

TEST(Edges, AnyChangeOfATokenIsNoticed) {
  backedge::Run run = *backedge::Run::open(Policy::defaults(), {.agent = "clerk", .token_key = "secret"});
  std::string const token = *run.token(run.enter(run.root(), Call{"shell", "{}"}, kNow)->call);
  rc::check([&] {
    std::string forged = token;
    auto const at = *rc::gen::inRange<std::size_t>(0, token.size());
    forged[at] = *rc::gen::arbitrary<char>();
    RC_PRE(forged != token);
    RC_ASSERT(!backedge::Run::open(Policy::defaults(), {.parent_token = forged, .token_key = "secret"}).ok());
  });
}

TEST(Edges, AMessageByNobodyKnownIsNotTheAgentsOwn) {
  EXPECT_EQ(judge_trigger("", "").word, EventWord::kRun);
  EXPECT_EQ(judge_trigger("", "agent").word, EventWord::kRun);
  EXPECT_EQ(judge_trigger("agent", "agent").word, EventWord::kSuppress);
}

// ---------------------------------------------------------------------------------------------- ids of nothing

TEST(Edges, AnyIdsAndAnyOrderGiveAnAnswerOrAnErrorAndNeverACrash) {
  rc::check([] {
    backedge::Run run = *backedge::Run::open(policy("[limits]\nmax_turns = 9\nmax_calls = 9\n"), {.token_key = "k"});
    auto const steps = *rc::gen::container<std::vector<std::uint16_t>>(rc::gen::arbitrary<std::uint16_t>());
    for (std::uint16_t const step : steps) {
      std::uint32_t const n = step / 16 % 12;
      FrameId const frame{n};
      CallId const call{n};
      Call const calls[] = {{"edit", R"({"path": "a"})", n % 3 == 0 ? Gate::kAsk : Gate::kAllow},
                            {"task", R"({"prompt": "p"})"}};
      switch (step % 16) {
        case 0: (void)run.enter_turn(frame, {}, kNow); break;
        case 1: (void)run.leave_turn(TurnId{n}, {}, "text", n % 2 == 0, kNow); break;
        case 2:
        case 3: (void)run.enter(frame, std::span(calls, n % 3), kNow); break;
        case 4: (void)run.approve(call, static_cast<Approval>(n % 3), kNow); break;
        case 5: (void)run.leave(call, {CallStatus::kOk, "x"}, kNow); break;
        case 6: (void)run.open_frame(call, "a", std::nullopt, kNow); break;
        case 7: (void)run.close_frame(frame, kNow); break;
        case 8: (void)run.user_message(Author::kPerson, kNow); break;
        case 9: (void)run.compacted(frame, std::vector<CallId>{call, CallId{n + 1}}, n % 2 == 0, kNow); break;
        case 10: (void)run.hook_blocks(frame, "h", "t", kNow); break;
        case 11: (void)run.cancel(frame, kNow); break;
        case 12: (void)run.standing(frame); break;
        case 13: (void)run.left_text(frame, kNow); break;
        case 14: (void)run.token(call); break;
        default: (void)run.turns_left(frame, kNow); break;
      }
    }
    RC_ASSERT(parse_json(run.graph_json()).ok());
  });
}

TEST(Edges, AnEmptyRoundIsNoRound) {
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  EXPECT_TRUE(run.enter(run.root(), std::span<Call const>{}, kNow)->empty());
}

// ---------------------------------------------------------------------------------------------- observing

TEST(Edges, WhoOnlyObservesIsStoppedAllTheSame) {
  backedge::Run run = *backedge::Run::open(Policy::defaults().observing(true));
  ASSERT_TRUE(run.cancel(run.root(), kNow).ok());
  EXPECT_EQ(run.enter_turn(run.root(), {}, kNow)->word, TurnWord::kStop);
  EXPECT_FALSE(run.enter(run.root(), Call{"ls", "{}"}, kNow)->runs);
}

// ---------------------------------------------------------------------------------------------- events

TEST(Edges, EveryEventIsOneLineOfJsonThatNamesItsFrame) {
  std::vector<std::string> lines;
  backedge::Run run = *backedge::Run::open(
      Policy::defaults(), {.on_event = [&](backedge::EventView const& e) { lines.push_back(event_line(e)); }});
  Entered const task = *run.enter(run.root(), Call{"task", "{\"prompt\": \"a\\nb\"}"}, kNow);
  FrameId const child = *run.open_frame(task.call, "line\nbreak", std::nullopt, kNow);
  (void)run.leave_turn(run.enter_turn(child, {}, kNow)->id, {}, "text\n", true, kNow);
  (void)run.hook_blocks(child, "hook", "no\n", kNow);
  (void)run.compacted(child, {}, true, kNow);
  run.user_message(Author::kAutomatic, kNow);
  (void)run.cancel(child, kNow);
  (void)run.close_frame(child, kNow);
  (void)run.leave(task.call, {CallStatus::kTimeout, "x\n"}, kNow);
  std::string types;
  std::uint64_t seq = 0;
  for (std::string const& line : lines) {
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    Result<boost::json::value> const parsed = parse_json(line);
    ASSERT_TRUE(parsed.ok()) << line;
    boost::json::object const& event = parsed->as_object();
    EXPECT_EQ(event.at("seq").to_number<std::uint64_t>(), ++seq);
    types += std::string(event.at("type").as_string()) + "@" + std::to_string(event.at("frame").to_number<int>()) + " ";
  }
  EXPECT_EQ(types,
            "round.propose@1 verdict@1 frame.open@2 turn.propose@2 turn.end@2 hook@2 compact@2 user.message@1 cancel@2 "
            "frame.close@2 "
            "call.end@1 ");
}

}  // namespace
}  // namespace backedge
