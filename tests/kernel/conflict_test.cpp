// Calls under way that touch the same thing: who waits for whom, what is set free, and who would wait for ever.
#include "kernel/conflict.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/driver.h"

namespace backedge::kernel {
namespace {

using namespace support;  // NOLINT(google-build-using-namespace): the words of the tests

CallFacts writes(std::string_view thing, std::string_view what = "1") { return touching(write("edit", what), {thing}); }
CallFacts reads(std::string_view thing, std::string_view what = "1") { return touching(read("cat", what), {thing}); }
CallFacts asks(CallFacts call) { return gated(std::move(call), GateOpinion::kAsk); }

// ---------------------------------------------------------------------------------------------- who waits

struct PairRow {
  char const* title;
  CallFacts first;
  CallFacts second;
  char const* said;
};

TEST(Conflict, TheLaterOfTwoCallsThatClashWaitsForTheEarlier) {
  PairRow const rows[] = {
      {"two writes of one thing", writes("a"), writes("a", "2"), "serialize conflict.serialize #1"},
      {"a read after a write", writes("a"), reads("a"), "serialize conflict.serialize #1"},
      {"a write after a read", reads("a"), writes("a"), "serialize conflict.serialize #1"},
      {"two reads", reads("a"), reads("a", "2"), "run"},
      {"two things", writes("a"), writes("b"), "run"},
      {"an unknown effect is treated as a write", touching(unknown("shell"), {"a"}), reads("a"),
       "serialize conflict.serialize #1"},
      {"nothing declared", write("edit"), write("edit", "2"), "run"},
  };
  for (PairRow const& row : rows) {
    Driver d;
    EXPECT_EQ(texts(d.enter(d.root, {row.first, row.second})), (Texts{"run", row.said})) << row.title;
  }
}

TEST(Conflict, AtAForeignDoorNothingWaitsAndTheRaceIsReported) {
  KernelOptions options = with(plain());
  options.door = Door::kForeign;
  Driver d(options);
  EXPECT_EQ(texts(d.enter(d.root, {writes("a"), writes("a", "2")})), (Texts{"run", "warn conflict.race #1"}));
}

TEST(Conflict, AWaitingCallRunsWhenItsTurnComes) {
  Driver d;
  (void)d.enter(d.root, {writes("a"), writes("a", "2")});
  EXPECT_FALSE(d.kernel.runs(CallId{2}));
  EXPECT_EQ(d.leave(CallId{1}), (Texts{"run"}));
  EXPECT_TRUE(d.kernel.runs(CallId{2}));
}

TEST(Conflict, ManyWaitInCallOrder) {
  Driver d;
  EXPECT_EQ(d.enter(d.root, {writes("a", "1"), writes("a", "2"), writes("a", "3"), writes("a", "4")}).size(), 4U);
  for (std::uint32_t id = 1; id <= 4; ++id) {
    std::vector<std::uint32_t> running;
    for (std::uint32_t other = 1; other <= 4; ++other) {
      if (d.kernel.runs(CallId{other})) running.push_back(other);
    }
    EXPECT_EQ(running, (std::vector<std::uint32_t>{id}));
    (void)d.leave(CallId{id});
  }
}

TEST(Conflict, ReadsThatWaitForOneWriteRunTogether) {
  Driver d;
  (void)d.enter(d.root, {writes("a"), reads("a", "1"), reads("a", "2")});
  EXPECT_EQ(d.leave(CallId{1}), (Texts{"run", "run"}));
}

TEST(Conflict, CallsOfSiblingAgentsWaitForEachOtherToo) {
  Driver d;
  std::vector<CallVerdict> const round = d.enter(d.root, {delegate("task", "1"), delegate("task", "2")});
  FrameId const a = d.open(round[0].call, "a");
  FrameId const b = d.open(round[1].call, "b");
  EXPECT_EQ(d.ask(a, writes("x")), "run");
  CallId const first = d.last;
  EXPECT_EQ(d.ask(b, writes("x", "2")), "serialize conflict.serialize #3");
  EXPECT_EQ(d.leave(first), (Texts{"run"}));
}

// ---------------------------------------------------------------------------------------------- checked again

TEST(Conflict, WhenItsTurnComesEverythingIsCheckedAgain) {
  Settings s = plain();
  s.repeat.effect = 2;
  Driver d(s);
  CallFacts const send = touching(idempotent(write("send", "bob"), false), {"outbox"});
  CallFacts again = send;
  again.key = named("same message, other words");  // the identity is what it is about
  (void)d.enter(d.root, {send, touching(write("edit", "x"), {"outbox"})});
  (void)d.enter(d.root, {again});
  EXPECT_EQ(d.leave(CallId{1}), (Texts{"run"}));
  EXPECT_EQ(d.leave(CallId{2}), (Texts{"block repeat.effect 2/2 #1"}));
  EXPECT_FALSE(d.kernel.has_live(CallId{3}));
}

TEST(Conflict, AfterAStopNothingThatWaitedRunsAndTheWholeQueueIsAnswered) {
  Driver d;
  (void)d.enter(d.root, {writes("a", "1"), writes("a", "2"), writes("a", "3")});
  d.kernel.cancel(d.root);
  Texts const said = d.leave(CallId{1});
  EXPECT_EQ(said, (Texts{"deny stopped stop", "deny stopped stop"}));
}

TEST(Conflict, AWaitingCallHoldsItsReservation) {
  Driver d(limited(Scope::kRun, Meter::kCalls, 2));
  EXPECT_EQ(texts(d.enter(d.root, {writes("a", "1"), writes("a", "2"), writes("a", "3")})),
            (Texts{"run", "serialize conflict.serialize #1", "block budget.calls 3/2"}));
}

// ---------------------------------------------------------------------------------------------- people in between

TEST(Conflict, ACallBehindOneThatIsAskedWaitsForTheAnswer) {
  Driver d;
  EXPECT_EQ(texts(d.enter(d.root, {asks(writes("a", "1")), writes("a", "2")})),
            (Texts{"ask gate.ask", "serialize conflict.serialize #1"}));
  EXPECT_EQ(d.answer(CallId{1}, Permission::kAllow), (Texts{"run"}));
  EXPECT_EQ(d.leave(CallId{1}), (Texts{"run"}));
}

TEST(Conflict, ACallBehindOneThatIsDeniedIsSetFree) {
  for (Permission const answer : {Permission::kDeny, Permission::kTimeout}) {
    Driver d;
    (void)d.enter(d.root, {asks(writes("a", "1")), writes("a", "2")});
    EXPECT_EQ(d.answer(CallId{1}, answer),
              (Texts{answer == Permission::kDeny ? "deny gate.deny" : "deny gate.timeout", "run"}));
    EXPECT_TRUE(d.kernel.runs(CallId{2}));
  }
}

TEST(Conflict, ACallBehindOneThatEndsWithItsFrameIsSetFree) {
  Driver d;
  std::vector<CallVerdict> const round = d.enter(d.root, {delegate("task", "1"), delegate("task", "2")});
  FrameId const a = d.open(round[0].call, "a");
  FrameId const b = d.open(round[1].call, "b");
  (void)d.ask(a, writes("x"));
  EXPECT_EQ(d.ask(b, writes("x", "2")), "serialize conflict.serialize #3");
  CallId const waiting = d.last;
  EXPECT_EQ(d.leave(round[0].call), (Texts{"run"}));
  EXPECT_TRUE(d.kernel.runs(waiting));
}

TEST(Conflict, ACallBehindOneThatEndsWithItsClosedFrameIsSetFree) {
  Driver d;
  std::vector<CallVerdict> const round = d.enter(d.root, {delegate("task", "1"), delegate("task", "2")});
  FrameId const a = d.open(round[0].call, "a");
  FrameId const b = d.open(round[1].call, "b");
  (void)d.ask(a, writes("x"));
  (void)d.ask(b, writes("x", "2"));
  CallId const waiting = d.last;
  EXPECT_EQ(texts(d.kernel.close_frame(a, d.now).calls), (Texts{"run"}));
  EXPECT_TRUE(d.kernel.runs(waiting));
}

TEST(Conflict, ACallThatWaitsAndNeedsAPersonIsAskedWhenItsTurnComes) {
  Driver d;
  EXPECT_EQ(texts(d.enter(d.root, {writes("a", "1"), asks(writes("a", "2"))})),
            (Texts{"run", "serialize conflict.serialize #1"}));
  EXPECT_EQ(d.leave(CallId{1}), (Texts{"ask gate.ask"}));
  EXPECT_EQ(d.answer(CallId{2}, Permission::kAllow), (Texts{"run"}));
}

TEST(Conflict, AnAllowedCallMayStillHaveToWait) {
  Driver d;
  (void)d.enter(d.root, {asks(writes("a", "1"))});
  EXPECT_EQ(d.ask(d.root, writes("b")), "run");
  Driver e;
  (void)e.enter(e.root, {asks(writes("a", "1")), reads("a", "2")});
  EXPECT_EQ(e.answer(CallId{1}, Permission::kAllow), (Texts{"run"}))
      << "the read waits for it, not the other way round";
}

// ---------------------------------------------------------------------------------------------- deadlock

TEST(Conflict, B5_WaitingForACallThatCanOnlyEndAfterwardsIsADeadlock) {
  Driver d;
  FrameId const in = d.open(d.root, touching(unknown("refactor"), {"x"}));
  EXPECT_EQ(d.ask(in, touching(write("edit"), {"x"})), "block deadlock #1");
  EXPECT_EQ(d.ask(in, touching(write("edit"), {"y"})), "run");
}

TEST(Conflict, B5_ACircleThroughTwoAgentsIsADeadlockForTheOneThatWouldCloseIt) {
  Driver d;
  std::vector<CallVerdict> const round =
      d.enter(d.root, {touching(unknown("one", "1"), {"x"}), touching(unknown("two", "2"), {"y"})});
  FrameId const a = d.open(round[0].call, "a");
  FrameId const b = d.open(round[1].call, "b");
  EXPECT_EQ(d.ask(a, writes("y")), "serialize conflict.serialize #2");
  EXPECT_EQ(d.ask(b, writes("x", "2")), "block deadlock #1") << "one waits for two, and two would wait for one";
}

TEST(Conflict, B5_ACircleThroughAnApprovalIsADeadlockToo) {
  Driver d;
  std::vector<CallVerdict> const round =
      d.enter(d.root, {touching(unknown("one", "1"), {"x"}), touching(unknown("two", "2"), {"y"})});
  FrameId const a = d.open(round[0].call, "a");
  FrameId const b = d.open(round[1].call, "b");
  EXPECT_EQ(d.ask(a, asks(writes("z"))), "ask gate.ask");
  CallId const asked = d.last;
  EXPECT_EQ(d.ask(a, writes("y")), "serialize conflict.serialize #2");
  EXPECT_EQ(d.ask(b, writes("z", "2")), "serialize conflict.serialize #3") << "a person may still answer";
  EXPECT_EQ(d.ask(b, writes("x", "3")), "block deadlock #1");
  EXPECT_EQ(d.answer(asked, Permission::kAllow), (Texts{"run"}));
}

TEST(Conflict, AFrameOfACallThatOpenedTwoIsOnThePathOfBoth) {
  Driver d;
  (void)d.enter(d.root, {touching(unknown("team"), {"x"})});
  CallId const team = d.last;
  FrameId const first = d.open(team, "a");
  FrameId const second = d.open(team, "b");
  EXPECT_EQ(d.ask(first, touching(write("edit", "1"), {"x"})), "block deadlock #1");
  EXPECT_EQ(d.ask(second, touching(write("edit", "2"), {"x"})), "block deadlock #1");
}

// A call that waits for word from an agent, named by an argument.
CallFacts waits_for(std::string_view agent) {
  CallFacts call = wait("wait", agent);
  call.names.push({named("from"), named(agent)});
  return call;
}

// Agents side by side, started by one round of the root.
struct Crew : Driver {
  std::vector<FrameId> frames;

  explicit Crew(std::vector<std::string> const& names, KernelOptions options = with(plain()))
      : Driver(std::move(options)) {
    std::vector<CallFacts> starts;
    for (std::size_t i = 0; i < names.size(); ++i) starts.push_back(delegate("task", std::to_string(i)));
    std::vector<CallVerdict> const round = enter(root, starts);
    for (std::size_t i = 0; i < names.size(); ++i) frames.push_back(open(round[i].call, names[i]));
  }
};

TEST(Conflict, ARingOfAgentsThatWaitForEachOtherIsADeadlockForTheOneThatWouldCloseIt) {
  std::vector<std::string> const names = {"a", "b", "c", "d"};
  for (std::size_t size = 1; size <= names.size(); ++size) {
    Crew d(names);
    for (std::size_t i = 0; i + 1 < size; ++i) EXPECT_EQ(d.ask(d.frames[i], waits_for(names[i + 1])), "run");
    std::string const closing = d.ask(d.frames[size - 1], waits_for(names[0]));
    EXPECT_TRUE(closing.starts_with("block deadlock")) << size << ": " << closing;
  }
}

TEST(Conflict, AWaitForOneWhoIsFreeIsNoDeadlock) {
  Crew d({"a", "b", "c"});
  EXPECT_EQ(d.ask(d.frames[0], waits_for("b")), "run");
  EXPECT_EQ(d.ask(d.frames[2], waits_for("b")), "run") << "b is at work";
  EXPECT_EQ(d.ask(d.frames[1], waits_for("nobody")), "run");
  EXPECT_EQ(d.ask(d.frames[1], read("cat")), "run");
}

TEST(Conflict, WhenTheOtherHasHeardTheRingIsOpenAgain) {
  Crew d({"a", "b"});
  EXPECT_EQ(d.ask(d.frames[0], waits_for("b")), "run");
  (void)d.leave(d.last);
  EXPECT_EQ(d.ask(d.frames[1], waits_for("a")), "run");
}

TEST(Conflict, AnAgentThatWaitsForAnAncestorIsADeadlock) {
  Crew d({"a", "b"});
  FrameId const below = d.open(d.frames[0], delegate("task", "x"), "c");
  EXPECT_TRUE(d.ask(below, waits_for("a")).starts_with("block deadlock"));
  EXPECT_EQ(d.ask(below, waits_for("b")), "run");
  EXPECT_TRUE(d.ask(d.frames[1], waits_for("a")).starts_with("block deadlock")) << "a needs c, which waits for b";
}

TEST(Conflict, TwoAgentsOfOneNameAreNoWaitForEither) {
  Crew d({"a", "b", "b"});
  EXPECT_EQ(d.ask(d.frames[1], waits_for("a")), "run");
  EXPECT_EQ(d.ask(d.frames[0], waits_for("b")), "run") << "the other b may still speak";
}

TEST(Conflict, ARingThroughAThingAndAMessageIsADeadlock) {
  Driver d;
  std::vector<CallVerdict> const round =
      d.enter(d.root, {touching(unknown("one", "1"), {"x"}), touching(unknown("two", "2"), {"y"})});
  FrameId const a = d.open(round[0].call, "a");
  FrameId const b = d.open(round[1].call, "b");
  EXPECT_EQ(d.ask(a, waits_for("b")), "run");
  EXPECT_EQ(d.ask(b, writes("x")), "block deadlock #1") << "one ends only after a, and a waits for b";
}

TEST(Conflict, AtAForeignDoorARingIsOnlyReported) {
  KernelOptions options = with(plain());
  options.door = Door::kForeign;
  Crew d({"a", "b"}, options);
  EXPECT_EQ(d.ask(d.frames[0], waits_for("b")), "run");
  EXPECT_TRUE(d.ask(d.frames[1], waits_for("a")).starts_with("warn deadlock"));
}

// ---------------------------------------------------------------------------------------------- the list of live calls

TEST(LiveCalls, SlotsAreUsedAgainAndIdsAreNot) {
  LiveCalls live;
  for (std::uint32_t id = 1; id <= 1000; ++id) {
    LiveCall& call = live.add(CallId{id});
    EXPECT_EQ(call.state, CallState::kFree);
    EXPECT_FALSE(call.opened.valid() || call.after.valid() || call.holds_descendant || call.answered);
    call.state = CallState::kRunning;
    call.opened = FrameId{id};
    call.after = CallId{id};
    call.holds_descendant = call.answered = true;
    if (id > 3) live.remove(*live.find(CallId{id - 3}));
  }
  std::vector<std::uint32_t> left;
  live.each([&](LiveCall const& c) { left.push_back(c.id.value); });
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::uint32_t>{998, 999, 1000}));
  EXPECT_EQ(live.find(CallId{5}), nullptr);
  EXPECT_EQ(live.find(CallId{0}), nullptr);
  EXPECT_EQ(live.find(CallId{4000}), nullptr);
}

}  // namespace
}  // namespace backedge::kernel
