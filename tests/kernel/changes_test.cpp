// What counts as a change for whom: by what both sides declare, by time, and when too much was declared.
#include "kernel/changes.h"

#include <string>

#include <gtest/gtest.h>

#include "support/facts_by_hand.h"

namespace backedge::kernel {
namespace {

using support::named;
using support::read;
using support::touching;
using support::write;

struct Row {
  char const* title;
  CallFacts changed;
  CallFacts asks;
  bool matters;
};

TEST(Changes, AChangeMattersWhereBothSidesOverlapAndEverywhereIfOneSideDeclaresNothing) {
  Row const rows[] = {
      {"both declare the same thing", touching(write("edit"), {"a"}), touching(read("read"), {"a"}), true},
      {"both declare, different things", touching(write("edit"), {"a"}), touching(read("read"), {"b"}), false},
      {"one of several overlaps", touching(write("edit"), {"a", "b"}), touching(read("read"), {"b", "c"}), true},
      {"the change declares nothing", write("edit"), touching(read("read"), {"a"}), true},
      {"the asking call declares nothing", touching(write("edit"), {"a"}), read("read"), true},
      {"neither declares anything", write("edit"), read("read"), true},
  };
  for (Row const& row : rows) {
    Changes changes;
    std::uint32_t const before = changes.stamp();
    EXPECT_FALSE(changes.since(before, row.asks)) << row.title;
    changes.note(row.changed);
    EXPECT_EQ(changes.since(before, row.asks), row.matters) << row.title;
    EXPECT_FALSE(changes.since(changes.stamp(), row.asks)) << row.title << ": what came before does not count";
    EXPECT_EQ(changes.work_since(before, row.asks), row.matters) << row.title;
  }
}

TEST(Changes, AnythingMayHaveChangedMattersToEveryone) {
  Changes changes;
  changes.note_everything();
  EXPECT_TRUE(changes.since(0, touching(read("read"), {"a"})));
  EXPECT_TRUE(changes.since(0, read("read")));
  EXPECT_TRUE(changes.work_since(0, read("read")));
}

TEST(Changes, ElapsedTimeIsAReasonToLookAgainButIsNoWork) {
  Changes changes;
  changes.note_elapsed();
  EXPECT_TRUE(changes.since(0, touching(read("read"), {"a"})));
  EXPECT_FALSE(changes.work_since(0, read("read")));
}

TEST(Changes, AnOldChangeOfOneThingIsNotRenewedByAChangeOfAnother) {
  Changes changes;
  changes.note(touching(write("edit"), {"a"}));
  std::uint32_t const seen = changes.stamp();
  changes.note(touching(write("edit"), {"b"}));
  EXPECT_FALSE(changes.since(seen, touching(read("read"), {"a"})));
  EXPECT_TRUE(changes.since(seen, touching(read("read"), {"b"})));
}

TEST(Changes, BeyondTheMostResourcesAChangeCountsForEverything) {
  Changes changes;
  for (std::size_t n = 0; n < Changes::kMaxResources; ++n) {
    CallFacts call = write("edit");
    call.resources_declared = true;
    call.resources.push(named("thing " + std::to_string(n)));
    changes.note(call);
  }
  std::uint32_t const full = changes.stamp();
  changes.note(touching(write("edit"), {"thing 7"}));
  EXPECT_FALSE(changes.since(full, touching(read("read"), {"elsewhere"}))) << "a known thing is still told apart";
  changes.note(touching(write("edit"), {"one thing more"}));
  EXPECT_TRUE(changes.since(full, touching(read("read"), {"elsewhere"})));
}

TEST(Changes, ACallThatDeclaresAnEmptyListTouchesNothing) {
  Changes changes;
  changes.note(touching(write("print"), {}));
  EXPECT_FALSE(changes.since(0, touching(read("read"), {"a"})));
  EXPECT_TRUE(changes.since(0, read("read")));
}

}  // namespace
}  // namespace backedge::kernel
