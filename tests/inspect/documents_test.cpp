// JSON Lines: what each line gives, and what a broken one costs.
#include "inspect/documents.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace backedge::inspect {
namespace {

/// Writes down member "n" of every document, and every problem.
class Taker : public DocumentTaker {
 public:
  void collect(Json& json, JsonValue root, std::int64_t /*line*/) override {
    collected_.clear();
    json.members(root, [&](std::string_view name, JsonValue value) {
      if (name == "n") collected_ += json.text(value);
    });
  }
  bool take(std::int64_t line) override {
    log.push_back(std::to_string(line) + ":" + collected_);
    return log.size() < most;
  }
  void problem(std::string const& what, std::int64_t line) override {
    log.push_back(std::to_string(line) + "!" + what);
  }

  std::vector<std::string> log;
  std::size_t most = 100;

 private:
  std::string collected_;
};

std::vector<std::string> read(std::string const& text, std::size_t most = 100) {
  LineReader lines = LineReader::over(text, "f");
  Json json;
  Taker taker;
  taker.most = most;
  read_documents(lines, json, taker);
  return taker.log;
}

TEST(Documents, AreTakenLineByLine) {
  EXPECT_EQ(read("{\"n\":\"a\"}\n\n{\"n\":\"b\"}\r\n"), (std::vector<std::string>{"1:a", "3:b"}));
}

TEST(Documents, ThatAreBrokenLeaveNothingBehind) {
  EXPECT_EQ(read("{\"n\":\"a\", \"x\":[}\n{\"n\":\"b\"}\n{\"n\":\"c"),
            (std::vector<std::string>{"1!a line that is no JSON: malformed JSON", "2:b",
                                      "3!a line that is no JSON: a text that is not closed"}));
}

TEST(Documents, ThatNobodyReadsArePassedOver) {
  EXPECT_EQ(read("[1]\n{\"n\":\"b\"}\n[]"), (std::vector<std::string>{"1:", "2:b", "3:"}));
  EXPECT_EQ(read("[{\"n\":\"x\"}][2]"), (std::vector<std::string>{"1:", "1:"}));
  EXPECT_EQ(read("[1\n{\"n\":\"b\"}").back(), "2:b");
  EXPECT_EQ(read("[1\n{\"n\":\"b\"}").front().substr(0, 2), "1!");
}

TEST(Documents, AreRepairedWhereTheyCanBe) {
  EXPECT_EQ(read("{\"n\":\"a\xFF\"}\n{\"n\":\"\\ud83d\"}"),
            (std::vector<std::string>{"1!a repaired line: bytes that are not UTF-8", "1:a\xEF\xBF\xBD",
                                      "2!a repaired line: a text with a broken escape", "2:\xEF\xBF\xBD"}));
}

TEST(Documents, OnOneLineAreAllRead) {
  EXPECT_EQ(read("{\"n\":\"a\"}{\"n\":\"b\"} {\"n\":\"c\"}"), (std::vector<std::string>{"1:a", "1:b", "1:c"}));
}

TEST(Documents, AreReadNoFurtherThanWanted) { EXPECT_EQ(read("{\"n\":\"a\"}\n{\"n\":\"b\"}", 1).size(), 1U); }

}  // namespace
}  // namespace backedge::inspect
