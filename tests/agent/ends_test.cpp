// Ends in the middle of things: results that arrive while agents still work for them, questions that nobody waits for
// any more, processes that went down. Each was found by tests/sim/.

#include <map>

#include <gtest/gtest.h>

#include "agent/fold.h"
#include "support/puppet.h"

namespace backedge {
namespace {

using test::calls;
using test::says;

std::string const kRun(32, 'a');
std::string const kNext(32, 'b');

// A session whose inputs are written down one by one.
class Hand {
 public:
  explicit Hand(std::string_view policy = {}) : setup_(std::make_shared<agent::Setup>()) {
    if (!policy.empty()) setup_->policy = *Policy::parse(policy, "test.toml");
    tool({.name = "host", .contract = {.effect = Effect::kDelegate, .reentry = Reentry::kAllow}});
    tool({.name = "look"});
    tool({.name = "read", .contract = {.effect = Effect::kRead, .conflicts = {{"file:{/path}"}}}});
    tool({.name = "write", .contract = {.effect = Effect::kWrite, .conflicts = {{"file:{/path}"}}}});
    AgentSpec const child{.name = "child", .contract = {.effect = Effect::kDelegate}};
    setup_->policy = *setup_->policy.with(child.name, child.contract);
    EXPECT_TRUE(setup_->tools.add(child).ok());
    open();
  }

  agent::Session& session() { return *session_; }
  std::vector<Message> const& messages() { return session_->messages(session_->root()); }
  std::vector<talk::Event> events;  // of the last run

  /// The commands of the step.
  std::vector<agent::Command> feed(agent::Input input) {
    if (std::holds_alternative<agent::Begin>(input)) events.clear();
    agent::Batch batch;
    session_->step(std::move(input), now_ += Micros{1}, batch);
    events.insert(events.end(), batch.events.begin(), batch.events.end());
    for (talk::Event const& e : batch.events)
      for (RawText const& raw : e.raws) texts_.emplace(raw.sha256, raw.text);
    return std::move(batch.commands);
  }
  void begin(std::string const& run = kRun) { feed(agent::Begin{run, "go", Author::kPerson}); }
  std::vector<agent::Command> model(std::uint32_t frame, std::uint32_t turn, Result<Reply> reply) {
    return feed(agent::ModelAnswered{FrameId{frame}, TurnId{turn}, std::move(reply)});
  }
  std::vector<agent::Command> tool_returns(std::uint32_t call, std::string text = "ok") {
    return feed(agent::ToolReturned{CallId{call}, {CallStatus::kOk, std::move(text)}});
  }
  /// The process ends; another one takes the record up. Gives what went wrong.
  std::string crash(std::string const& run = kRun) {
    open();
    auto const folded = agent::fold(*session_, run, events, [this](std::string_view sha) {
      auto const at = texts_.find(sha);
      return at == texts_.end() ? std::string() : at->second;
    });
    return folded ? "" : folded.error().text();
  }

 private:
  void tool(ToolSpec const& spec) {
    setup_->policy = *setup_->policy.with(spec.name, spec.contract);
    EXPECT_TRUE(setup_->tools.add(spec).ok());
  }
  void open() { session_ = *agent::Session::open(setup_, "test", Micros{1}); }

  std::shared_ptr<agent::Setup> setup_;
  std::unique_ptr<agent::Session> session_;
  std::map<std::string, std::string, std::less<>> texts_;
  Micros now_{1000};
};

template <class C>
int count(std::vector<agent::Command> const& commands) {
  int n = 0;
  for (agent::Command const& c : commands) n += std::holds_alternative<C>(c) ? 1 : 0;
  return n;
}

Error stopped() { return {ErrorKind::kCancelled, "stopped", {}}; }

// A tool has asked for an agent, which runs a tool of its own as call 2.
void host_with_busy_child(Hand& h) {
  h.begin();
  h.model(1, 1, calls({{"host"}}));
  h.feed(agent::AgentAsked{CallId{1}, "child", "help", 1});
  h.model(2, 2, calls({{"look"}}));
}

TEST(Ends, AToolThatReturnsBeforeItsAgentEndsItAndTheRecordIsTakenUp) {
  Hand h;
  host_with_busy_child(h);
  std::vector<agent::Command> const commands = h.tool_returns(1, "without it");
  EXPECT_EQ(count<agent::StopTool>(commands), 1);
  EXPECT_EQ(count<agent::AnswerTool>(commands), 1);
  std::vector<Message> const before = h.messages();
  EXPECT_EQ(h.crash(), "") << "the first event of a step is the one that brought it about";
  EXPECT_EQ(h.messages(), before);
}

TEST(Ends, AQuestionThatIsStoppedAndFailsIsSettledAndRecorded) {
  Hand h("[limits]\nmax_tokens = 5000\n");
  h.begin();
  EXPECT_EQ(count<agent::StopModel>(h.feed(agent::Cancel{})), 1);
  EXPECT_FALSE(h.session().idle());
  h.model(1, 1, stopped());
  EXPECT_TRUE(h.session().idle());
  EXPECT_EQ(h.events.back().type, "turn.end") << "what was reserved for it is given back";
  EXPECT_EQ(h.crash(), "");
  EXPECT_TRUE(h.session().idle()) << "the folded session knows of the end as well";
}

TEST(Ends, TheNextRunDoesNotWaitForAQuestionOfAProcessThatHasEnded) {
  Hand h;
  h.begin();
  h.feed(agent::Cancel{});
  ASSERT_EQ(h.crash(), "");
  h.begin(kNext);
  EXPECT_TRUE(h.session().running());
  h.model(1, 2, says("done"));
  EXPECT_TRUE(h.session().idle());
}

TEST(Ends, AResumedRunDoesNotWaitForAQuestionThatWasStoppedBefore) {
  Hand h;
  host_with_busy_child(h);
  h.tool_returns(2);                  // the child asks its model again
  h.feed(agent::Cancel{FrameId{2}});  // and is not wanted any more
  ASSERT_EQ(h.crash(), "");
  h.feed(agent::Resumed{});
  h.model(1, 4, says("done"));
  EXPECT_TRUE(h.session().idle());
}

TEST(Ends, AgentsOfAToolThatIsRunAgainAreEndedFirst) {
  Hand h;
  host_with_busy_child(h);
  ASSERT_EQ(h.crash(), "");
  std::vector<agent::Command> const commands = h.feed(agent::Resumed{UnknownCalls::kAgain});
  EXPECT_EQ(count<agent::StartTool>(commands), 1) << "the tool, and not what ran below its agent";
  EXPECT_EQ(count<agent::AskModel>(commands), 0);
  EXPECT_EQ(count<agent::AnswerTool>(commands), 0) << "tickets are of the process that ended";
  EXPECT_EQ(h.events.back().type, "call.start");
  EXPECT_NE(h.events.back().body.find(R"("attempt":2)"), std::string::npos) << h.events.back().body;
}

TEST(Ends, NothingIsStartedAgainBelowACallThatIsTold) {
  Hand h;
  host_with_busy_child(h);
  ASSERT_EQ(h.crash(), "");
  std::vector<agent::Command> const commands = h.feed(agent::Resumed{UnknownCalls::kTell});
  ASSERT_EQ(commands.size(), 1U);
  auto const* asks = std::get_if<agent::AskModel>(commands.data());
  ASSERT_NE(asks, nullptr);
  EXPECT_EQ(asks->frame, h.session().root());
}

TEST(Ends, OnlyAToolThatRunsMayAskForAnAgent) {
  Hand h("[limits]\nmax_turns = -1\n");
  h.begin();
  h.model(1, 1, calls({{"child", R"({"task":"one two three"})"}}));
  std::vector<agent::Command> const commands = h.feed(agent::AgentAsked{CallId{1}, "child", "help", 9});
  EXPECT_EQ(count<agent::AnswerTool>(commands), 1);
  EXPECT_EQ(count<agent::AskModel>(commands), 0) << "call 1 is an agent itself, and no tool of it runs";
}

TEST(Ends, WhatFollowsAPauseBelongsToTheMessageThatWasPaused) {
  Hand h;
  h.begin();
  h.model(1, 1, says("first", "pause_turn"));
  h.model(1, 2, calls({{"look"}}, "second"));
  h.tool_returns(1);
  test::expect_whole(h.messages());
  ASSERT_EQ(h.messages().size(), 3U);
  EXPECT_EQ(h.messages()[1].blocks.size(), 3U);
}

TEST(Ends, IdsOfCallsAreUniqueInTheConversation) {
  Hand h;
  h.begin();
  h.model(1, 1,
          calls({{"look", R"({"n":1})", "same"}, {"look", R"({"n":2})", "same"}, {"look", R"({"n":3})", "call_1"}}));
  for (std::uint32_t call = 1; call <= 3; ++call) h.tool_returns(call);
  h.model(1, 2, calls({{"look", R"({"n":4})", "same"}}));
  h.tool_returns(4);
  std::vector<std::string> ids;
  for (Message const& message : h.messages())
    for (Block const& block : message.blocks)
      if (auto const* call = std::get_if<CallBlock>(&block)) ids.push_back(call->id);
  EXPECT_EQ(ids, (std::vector<std::string>{"same", "call_1", "call_2", "call_3"}));
  test::expect_whole(h.messages());
}

TEST(Ends, WhoWaitsForTheResultOfARefusedCallGetsTheRefusal) {
  Hand h("[repeat]\nerror_warn = 0\nerror = 3\n");
  h.begin();
  h.model(1, 1, calls({{"read", R"({"path":"/x"})"}}));
  h.feed(agent::ToolReturned{CallId{1}, ToolResult::error("the disk is gone")});
  // The first read waits for the write; the second is the same and will share its result. When the write has failed as
  // the reads do, neither may run.
  h.model(1, 2, calls({{"write", R"({"path":"/a"})"}, {"read", R"({"path":"/a"})"}, {"read", R"({"path":"/a"})"}}));
  EXPECT_EQ(h.session().running_calls(), std::vector<CallId>{CallId{2}});
  h.feed(agent::ToolReturned{CallId{2}, ToolResult::error("the disk is gone")});
  EXPECT_TRUE(h.session().running_calls().empty());
  ASSERT_EQ(h.messages().size(), 5U) << "the round is whole";
  test::expect_whole(h.messages());
}

}  // namespace
}  // namespace backedge
