// The runtime and its journal: what is kept, what is brought back, what happens when the journal refuses.

#include "journal/journal.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "backedge/runtime.h"

namespace backedge {
namespace {

namespace fs = std::filesystem;

class Says : public Model {
 public:
  Result<Reply> ask(Request const& q, DeltaSink&, std::stop_token) override {
    return Reply{{Role::kAssistant, {TextBlock{std::to_string(q.messages.size())}}}, "end_turn", {}};
  }
  bool inline_ok() const override { return true; }
};

struct Ground {
  Ground() {
    std::string name = (fs::temp_directory_path() / "backedge-runtime-XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~Ground() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  Ground(Ground const&) = delete;
  Ground& operator=(Ground const&) = delete;

  Result<Runtime> runtime(Micros now = Micros{1'000'000}, std::int64_t keep_days = -1) const {
    RuntimeOptions options;
    options.model = std::make_shared<Says>();
    options.journal = (folder / "j.db").string();
    options.clock = [now] { return now; };
    options.keep_days = keep_days;
    return Runtime::create(Policy::defaults(), std::move(options));
  }

  fs::path folder;
};

TEST(RuntimeJournal, ASessionGoesOnInAnotherProcess) {
  Ground g;
  EXPECT_EQ(g.runtime()->start("talk", "one")->wait().answer, "1");
  EXPECT_EQ(g.runtime()->start("talk", "two")->wait().answer, "3");
}

TEST(RuntimeJournal, WhatIsOlderThanItsDaysIsRemovedAtTheStart) {
  Ground g;
  constexpr Micros kDay{86'400'000'000};
  EXPECT_EQ(g.runtime(kDay * 10)->start("old", "x")->wait().end, RunEnd::kFinished);
  EXPECT_EQ(g.runtime(kDay * 20)->start("new", "x")->wait().end, RunEnd::kFinished);
  ASSERT_TRUE(g.runtime(kDay * 21, 5).ok());
  Result<journal::Journal> const j = journal::Journal::open(g.folder / "j.db");
  Result<std::vector<journal::RunInfo>> const runs = j->runs();
  ASSERT_EQ(runs->size(), 1U);
  EXPECT_EQ(runs->front().session, "new");
}

TEST(RuntimeJournal, ARunThatHasEndedIsNotTakenUp) {
  Ground g;
  std::string const id = g.runtime()->start("talk", "one")->wait().run;
  Result<Runtime> runtime = g.runtime();
  Result<RunHandle> const again = runtime->resume(id, UnknownCalls::kTell);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind, ErrorKind::kState);
  EXPECT_EQ(runtime->resume("0000", UnknownCalls::kTell).error().kind, ErrorKind::kNotFound);
}

TEST(RuntimeJournal, AFileThatIsNoJournalIsRefused) {
  Ground g;
  std::ofstream(g.folder / "j.db") << "not a database, but long enough to be looked at as one";
  EXPECT_FALSE(g.runtime().ok());
}

}  // namespace
}  // namespace backedge
