// Calls that waited for another: they are told what becomes of them, whatever ends the other.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backedge/run.h"

namespace backedge {
namespace {

constexpr Micros kNow{0};

// What was said of calls, as lines of "id word code".
std::vector<std::string> told(std::vector<Entered> const& all) {
  std::vector<std::string> out;
  for (Entered const& e : all) {
    out.push_back(std::to_string(e.call.value) + " " + std::string(word_text(e.word)) +
                  (e.code.empty() ? "" : " " + e.code));
  }
  return out;
}

using Told = std::vector<std::string>;

// Two edits of one file in one round; the first needs a person.
std::vector<Entered> two_edits(Run& run, Gate first) {
  Call const calls[] = {{"edit", R"({"path": "a", "old": "x"})", first}, {"edit", R"({"path": "a", "old": "y"})"}};
  return *run.enter(run.root(), calls, kNow);
}

TEST(Released, AfterANoTheCallBehindItRuns) {
  for (Approval const no : {Approval::kDeny, Approval::kTimeout}) {
    backedge::Run run = *backedge::Run::open(Policy::defaults());
    std::vector<Entered> const round = two_edits(run, Gate::kAsk);
    EXPECT_EQ(told(round), (Told{"1 ask gate.ask", "2 serialize conflict.serialize"}));
    Entered const answered = *run.approve(round[0].call, no, kNow);
    EXPECT_EQ(answered.word, CallWord::kDeny);
    EXPECT_EQ(told(answered.released), (Told{"2 run"}));
    EXPECT_TRUE(run.leave(round[1].call, {CallStatus::kOk, "done"}, kNow).ok());
  }
}

TEST(Released, AfterAYesTheCallBehindItStillWaits) {
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  std::vector<Entered> const round = two_edits(run, Gate::kAsk);
  Entered const answered = *run.approve(round[0].call, Approval::kAllow, kNow);
  EXPECT_TRUE(answered.runs);
  EXPECT_TRUE(answered.released.empty());
  EXPECT_EQ(run.leave(round[1].call, {}, kNow).error().kind, ErrorKind::kState) << "it does not run yet";
  EXPECT_EQ(told(run.leave(round[0].call, {CallStatus::kOk, "done"}, kNow)->released), (Told{"2 run"}));
}

TEST(Released, TheEndOfAnAgentSetsFreeWhatWaitedForItsCalls) {
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  Call const tasks[] = {{"task", R"({"prompt": "one"})"}, {"task", R"({"prompt": "two"})"}};
  std::vector<Entered> const round = *run.enter(run.root(), tasks, kNow);
  FrameId const a = *run.open_frame(round[0].call, "a", std::nullopt, kNow);
  FrameId const b = *run.open_frame(round[1].call, "b", std::nullopt, kNow);
  (void)run.enter(a, Call{"edit", R"({"path": "x", "old": "1"})"}, kNow);
  Entered const waits = *run.enter(b, Call{"edit", R"({"path": "x", "old": "2"})"}, kNow);
  ASSERT_EQ(waits.word, CallWord::kSerialize) << waits.text;
  Left const left = *run.close_frame(a, kNow);
  EXPECT_EQ(told(left.released), (Told{"4 run"}));
  EXPECT_FALSE(left.answers);
}

TEST(Released, WhoIsRefusedWhenHisTurnComesIsToldWhyWithThePath) {
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  Entered const task = *run.enter(run.root(), Call{"task", R"({"prompt": "p"})"}, kNow);
  FrameId const child = *run.open_frame(task.call, "helper", std::nullopt, kNow);
  Call const edits[] = {{"edit", R"({"path": "a", "old": "x"})"}, {"edit", R"({"path": "a", "old": "y"})"}};
  std::vector<Entered> const round = *run.enter(child, edits, kNow);
  ASSERT_TRUE(run.cancel(child, kNow).ok());
  std::vector<Entered> const released = run.leave(round[0].call, {CallStatus::kOk, "done"}, kNow)->released;
  ASSERT_EQ(told(released), (Told{"3 deny stopped"}));
  EXPECT_EQ(
      released[0].text,
      "denied (stopped): the run was stopped; path main > task > helper > edit; left 49 turns, 15 levels of depth; "
      "do not start anything more")
      << released[0].json;
}

TEST(Released, TheGraphShowsWhatBecameOfThem) {
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  std::vector<Entered> const round = two_edits(run, Gate::kAsk);
  (void)run.approve(round[0].call, Approval::kDeny, kNow);
  std::string const graph = run.graph_json();
  EXPECT_NE(graph.find(R"("id":1,"frame":1,"tool":"edit","verdict":"deny","code":"gate.deny")"), std::string::npos)
      << graph;
  EXPECT_NE(graph.find(R"("id":2,"frame":1,"tool":"edit","verdict":"run")"), std::string::npos) << graph;
}

TEST(Released, AnAgentThatEndsWithItsCallIsNotShownAtWork) {
  backedge::Run run = *backedge::Run::open(Policy::defaults());
  Entered const task = *run.enter(run.root(), Call{"task", R"({"prompt": "p"})"}, kNow);
  FrameId const child = *run.open_frame(task.call, "helper", std::nullopt, kNow);
  EXPECT_TRUE(run.standing(child)->open);
  (void)run.leave(task.call, {CallStatus::kOk, "done"}, kNow);
  EXPECT_FALSE(run.standing(child)->open);
  EXPECT_NE(run.graph_json().find(R"("agent":"helper","open":false)"), std::string::npos) << run.graph_json();
  EXPECT_EQ(run.enter(child, Call{"ls", "{}"}, kNow).error().kind, ErrorKind::kState);
}

}  // namespace
}  // namespace backedge
