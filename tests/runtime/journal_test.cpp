// The runtime and its journal: what is kept, what is brought back, what happens when the journal refuses.

#include "journal/journal.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backedge/runtime.h"
#include "support/temp_folder.h"

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
  Result<Runtime> runtime(Micros now = Micros{1'000'000}, std::int64_t keep_days = -1) const {
    RuntimeOptions options;
    options.model = std::make_shared<Says>();
    options.journal = (folder / "j.db").string();
    options.clock = [now] { return now; };
    options.keep_days = keep_days;
    return Runtime::create(Policy::defaults(), std::move(options));
  }

  support::TempFolder temporary;
  fs::path folder = temporary.path();
};

TEST(RuntimeJournal, ARunSaysHowManyToolsItsModelIsOfferedAndHowLongTheirListIs) {
  Ground g;
  RuntimeOptions options;
  options.model = std::make_shared<Says>();
  options.tools.deny = {"hidden"};
  Runtime runtime = *Runtime::create(Policy::defaults(), std::move(options));
  auto const body = [](ToolContext&) { return ToolResult{}; };
  for (std::string const name : {"add", "multiply", "hidden"})
    ASSERT_TRUE(runtime.add({.name = name, .about = "computes", .schema_json = R"({"type":"object"})"}, body).ok());
  std::string opened;
  (void)runtime
      .start("", "go",
             {.on_event =
                  [&](EventView const& e) {
                    if (e.type == "run.open") opened = e.body;
                  }})
      ->wait();
  EXPECT_NE(opened.find(R"("tools_offered":2,"tools_bytes":)" + std::to_string(11 + 2 * (8 + 17))), std::string::npos)
      << opened;
}

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

// Waits for nothing but its latches, whatever it is told.
class Deaf : public Model {
 public:
  Result<Reply> ask(Request const& q, DeltaSink& deltas, std::stop_token) override {
    if (asked_++ == 0) {
      began.count_down();
      may_answer.wait();
      deltas.text("late");
      return Reply{{Role::kAssistant, {TextBlock{"late"}}}, "end_turn", {}};
    }
    std::string const text = std::to_string(q.messages.size());
    deltas.text(text);
    return Reply{{Role::kAssistant, {TextBlock{text}}}, "end_turn", {}};
  }
  std::latch began{1}, may_answer{1};

 private:
  std::atomic<int> asked_{0};
};

struct Heard {
  StartOptions options() {
    StartOptions out;
    out.on_event = [this](EventView const& e) {
      std::lock_guard lock(mutex);
      types.emplace_back(e.type);
    };
    out.on_text = [this](FrameId, std::string_view piece) {
      std::lock_guard lock(mutex);
      text += piece;
    };
    return out;
  }
  std::mutex mutex;
  std::vector<std::string> types;
  std::string text;
};

std::vector<std::string> kept_types(fs::path const& file, std::string const& run) {
  std::vector<std::string> out;
  Result<journal::Journal> const j = journal::Journal::open(file);
  Result<std::vector<talk::Event>> const events = j->events(run);
  for (std::size_t i = 0; events && i < events->size(); ++i) out.push_back((*events)[i].type);
  return out;
}

TEST(RuntimeJournal, WhatAModelSaysLateIsOfItsOwnRunAndNotOfTheNextOne) {
  Ground g;
  auto const model = std::make_shared<Deaf>();
  RuntimeOptions options;
  options.model = model;
  options.journal = (g.folder / "j.db").string();
  std::string first, second;
  Heard heard;
  {
    Result<Runtime> runtime = Runtime::create(Policy::defaults(), std::move(options));
    Result<RunHandle> one = runtime->start("talk", "one");
    ASSERT_TRUE(one.ok());
    model->began.wait();
    one->cancel();
    EXPECT_EQ(one->wait().end, RunEnd::kInterrupted);
    Result<RunHandle> two = runtime->start("talk", "two", heard.options());
    ASSERT_TRUE(two.ok()) << two.error().text();
    model->may_answer.count_down();
    RunResult const result = two->wait();
    EXPECT_EQ(result.end, RunEnd::kFinished) << result.reason;
    EXPECT_EQ(heard.text, result.answer);
    first = one->id();
    second = two->id();
  }
  ASSERT_FALSE(heard.types.empty());
  EXPECT_EQ(heard.types.front(), "run.open");
  std::vector<std::string> const kept = kept_types(g.folder / "j.db", second);
  EXPECT_EQ(kept, heard.types);
  EXPECT_EQ(kept_types(g.folder / "j.db", first).back(), "turn.end") << "the late answer was paid for";
}

TEST(RuntimeJournal, WhatAToolGivesLateIsNotOfTheNextRun) {
  Ground g;
  std::latch began{1}, may_return{1};
  std::atomic<int> asked{0};
  class Calls : public Model {
   public:
    explicit Calls(std::atomic<int>& n) : n_(n) {}
    Result<Reply> ask(Request const&, DeltaSink&, std::stop_token) override {
      int const n = n_++;
      std::string const name = n == 0 ? "slow" : "wait";
      if (n == 2) return Reply{{Role::kAssistant, {TextBlock{"done"}}}, "end_turn", {}};
      return Reply{{Role::kAssistant, {CallBlock{"c" + std::to_string(n), name, "{}"}}}, "tool_use", {}};
    }

   private:
    std::atomic<int>& n_;
  };
  std::latch returned{1};
  RuntimeOptions options;
  options.model = std::make_shared<Calls>(asked);
  options.journal = (g.folder / "j.db").string();
  Heard heard;
  std::string first, second;
  {
    Result<Runtime> runtime = Runtime::create(Policy::defaults(), std::move(options));
    ASSERT_TRUE(runtime
                    ->add(ToolSpec{.name = "slow"},
                          [&](ToolContext&) {
                            began.count_down();
                            may_return.wait();
                            returned.count_down();
                            return ToolResult{CallStatus::kOk, "late"};
                          })
                    .ok());
    // Lets the late result in while the next run is in the middle of its own call.
    ASSERT_TRUE(runtime
                    ->add(ToolSpec{.name = "wait"},
                          [&](ToolContext&) {
                            may_return.count_down();
                            returned.wait();
                            return ToolResult{CallStatus::kOk, "own"};
                          })
                    .ok());
    Result<RunHandle> one = runtime->start("talk", "one");
    ASSERT_TRUE(one.ok());
    began.wait();
    one->cancel();
    EXPECT_EQ(one->wait().end, RunEnd::kInterrupted);
    Result<RunHandle> two = runtime->start("talk", "two", heard.options());
    ASSERT_TRUE(two.ok());
    EXPECT_EQ(two->wait().end, RunEnd::kFinished);
    second = two->id();
  }
  EXPECT_EQ(std::count(heard.types.begin(), heard.types.end(), "call.late"), 0);
  std::vector<std::string> const kept = kept_types(g.folder / "j.db", second);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), "call.late"), 0);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), "call.end"), 1);
}

TEST(RuntimeJournal, AJournalThatIsRemovedEndsTheRunThatWrites) {
  Ground g;
  Result<Runtime> runtime = g.runtime();
  EXPECT_EQ(runtime->start("talk", "one")->wait().end, RunEnd::kFinished);
  fs::remove(g.folder / "j.db");
  RunResult const result = runtime->start("talk", "two")->wait();
  EXPECT_EQ(result.end, RunEnd::kError);
  EXPECT_EQ(result.code, "journal");
  EXPECT_NE(result.reason.find("j.db: the journal has been removed or replaced"), std::string::npos) << result.reason;
}

TEST(RuntimeJournal, AFileThatIsNoJournalIsRefused) {
  Ground g;
  std::ofstream(g.folder / "j.db") << "not a database, but long enough to be looked at as one";
  EXPECT_FALSE(g.runtime().ok());
}

}  // namespace
}  // namespace backedge
