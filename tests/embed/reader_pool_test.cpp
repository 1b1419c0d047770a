// Readers that runs borrow: none is lent twice at once, as few as possible are made, and threads may share a policy.
#include "embed/reader_pool.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "backedge/run.h"
#include "embed/policy_state.h"

namespace backedge::embed {
namespace {

TEST(ReaderPool, ADeskThatIsGivenBackIsLentAgain) {
  facts::ContractBook const book;
  ReaderPool pool;
  Desk const* first = nullptr;
  {
    ReaderPool::Loan const loan = pool.borrow(book);
    first = loan.operator->();
  }
  ReaderPool::Loan const again = pool.borrow(book);
  EXPECT_EQ(again.operator->(), first);
  EXPECT_EQ(pool.size(), 1U);
}

TEST(ReaderPool, TwoLoansAtOnceAreTwoDesks) {
  facts::ContractBook const book;
  ReaderPool pool;
  for (int i = 0; i < 3; ++i) {
    ReaderPool::Loan const a = pool.borrow(book);
    ReaderPool::Loan const b = pool.borrow(book);
    EXPECT_NE(a.operator->(), b.operator->());
  }
  EXPECT_EQ(pool.size(), 2U);
}

TEST(ReaderPool, ManyRunsThatTakeTurnsShareOneDesk) {
  Policy const policy = Policy::defaults();
  std::vector<backedge::Run> runs;
  for (int i = 0; i < 50; ++i) runs.push_back(*backedge::Run::open(policy));
  for (int round = 0; round < 3; ++round) {
    for (backedge::Run& run : runs) {
      Result<Entered> const e = run.enter(run.root(), Call{"read_file", R"({"path":"a"})"}, Micros{round});
      ASSERT_TRUE(e.ok());
      if (!e->runs) continue;
      ASSERT_TRUE(run.leave(e->call, {CallStatus::kOk, "text"}, Micros{round}).ok());
    }
  }
  EXPECT_EQ(policy.state().readers.size(), 1U);
}

// What a run of 200 calls is told, as one text: the same for the same calls, whoever else is at work.
std::string told(Policy const& policy, int who) {
  Run run = *Run::open(policy);
  std::string out;
  for (int i = 0; i < 200; ++i) {
    std::string const arguments = R"({"path":"file_)" + std::to_string(who * 1000 + i / 3) + R"(","why":")" +
                                  std::string(static_cast<std::size_t>(who) * 50, 'x') + "\"}";
    Result<Entered> const e = run.enter(run.root(), Call{"read_file", arguments}, Micros{i});
    out += std::string(word_text(e->word)) + " " + e->code + " " + e->text + "\n";
    if (e->runs) (void)run.leave(e->call, {CallStatus::kOk, "what stands in " + arguments}, Micros{i});
  }
  return out;
}

TEST(ReaderPool, RunsOnManyThreadsUnderOnePolicyAreToldWhatTheyWouldBeToldAlone) {
  constexpr int kThreads = 8;
  std::vector<std::string> alone;
  for (int who = 0; who < kThreads; ++who) alone.push_back(told(Policy::defaults(), who));
  Policy const policy = Policy::defaults();
  std::vector<std::string> together(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int who = 0; who < kThreads; ++who) {
      threads.emplace_back([&policy, &together, who] { together[static_cast<std::size_t>(who)] = told(policy, who); });
    }
  }
  EXPECT_EQ(together, alone);
  EXPECT_LE(policy.state().readers.size(), static_cast<std::size_t>(kThreads));
}

}  // namespace
}  // namespace backedge::embed
