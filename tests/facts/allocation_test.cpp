// A reader that has grown to its work allocates nothing more. Counts what this test binary allocates; left out under a
// sanitizer, which has an operator new of its own and looks at who uses it.

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BACKEDGE_SANITIZED
#endif
#endif
#ifndef BACKEDGE_SANITIZED

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "facts/reader.h"

namespace {

std::size_t allocations = 0;

}  // namespace

// Both forms; std::stable_sort uses the second one.
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  void* const p = operator new(size, std::nothrow);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
// The two belong together, which the compiler cannot see.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::nothrow_t const&) noexcept { std::free(p); }

namespace backedge::facts {
namespace {

TEST(Allocation, AReaderThatHasGrownAllocatesNothing) {
  ContractBook book;
  Contract c;
  c.effect = Effect::kDelegate;
  c.identity = {"/path", "/n"};
  c.volatile_args = {"/id"};
  c.volatile_result = {"/time"};
  c.target = "/to";
  c.conflicts = {"file:{/path}"};
  ASSERT_TRUE(book.declare(Layer::kCode, "all", c).ok());
  Reader reader(book);
  std::string rows = R"({"path":"./a//b","to":"an agent with a name longer than small strings","id":1,"n":[)";
  for (int i = 0; i < 500; ++i) rows += R"({"k":"some text with words\n","v":1.5},)";
  rows += "0]}";
  std::vector<std::string> const arguments{rows, R"("{\"path\":\"a\"}")", "", R"({"n":12345678901234567890123})"};
  std::vector<std::string> const tools{"all", "Read", "a tool whose name is longer than any small string and unknown"};
  std::vector<std::string> const results{rows, "No files found",
                                         std::string(70'000, 'x') + " a b c d e f g h i j k l m n"};
  auto const read_all = [&] {
    std::uint64_t sum = 0;
    for (std::string const& tool : tools) {
      for (std::string const& text : arguments) sum += reader.call(tool, text).key.lo;
    }
    for (std::string const& text : results) {
      sum += reader.result(book.find("all").id, kernel::ResultStatus::kOk, text).outcome.lo;
      sum += reader.result(book.find("all").id, kernel::ResultStatus::kError, text).outcome.lo;
      sum += reader.text(text).message.lo;
    }
    return sum;
  };
  std::uint64_t const first = read_all();
  std::size_t const before = allocations;
  EXPECT_EQ(read_all(), first);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace backedge::facts

#endif
