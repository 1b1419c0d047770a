// Tables that are whole without a width, and never wider than one.
#include "cli/columns.h"

#include <sstream>

#include <gtest/gtest.h>

#include "base/text.h"

namespace backedge::cli {
namespace {

std::vector<Column> columns() {
  return {{.title = "run", .width = 4, .gap = 0, .keeps = 9},
          {.title = "turns", .width = 5, .right = true, .gap = 2, .keeps = 1},
          {.title = "session", .width = 10, .gap = 2, .keeps = 2, .least = 7},
          {.title = "task", .width = 12, .gap = 2, .keeps = 8, .least = 5}};
}

std::string table(std::size_t most) {
  Columns const made(columns(), most);
  std::ostringstream out;
  Paint const plain(false);
  made.head(plain, out);
  made.row({{"a1b2"}, {"7"}, {"work 3"}, {"Fix the build of it all", "  [loop]"}}, plain, out);
  made.row({{"ffff"}, {"12"}, {"äöü ß"}, {"é", "  [x]"}}, plain, out);
  return out.str();
}

TEST(Columns, AreWholeWithoutAWidth) {
  EXPECT_EQ(table(0),
            "run   turns  session     task\n"
            "a1b2      7  work 3      Fix the build of it all  [loop]\n"
            "ffff     12  äöü ß       é  [x]\n");
}

TEST(Columns, AreCutFirstAndThenLeftOut) {
  EXPECT_EQ(table(37),
            "run   turns  session     task\n"
            "a1b2      7  work 3      Fix the bui…\n"
            "ffff     12  äöü ß       é  [x]\n");
  EXPECT_EQ(table(27),
            "run   turns  session  task\n"
            "a1b2      7  work 3   Fix …\n"
            "ffff     12  äöü ß    é  […\n");
  EXPECT_EQ(table(25),
            "run   session     task\n"
            "a1b2  work 3      Fix th…\n"
            "ffff  äöü ß       é  [x]\n");
}

TEST(Columns, AreNeverWiderThanTheyMayBe) {
  for (std::size_t most = 4; most < 60; ++most) {
    std::istringstream lines(table(most));
    for (std::string line; std::getline(lines, line);) EXPECT_EQ(cut(line, most), line) << most;
  }
}

TEST(Columns, ColoursTakeNoRoom) {
  Columns const made(columns(), 37);
  std::ostringstream out;
  made.row({{"a1b2", "", "red"}, {"7"}, {"s"}, {"t", "  [x]"}}, Paint(true), out);
  EXPECT_EQ(out.str(), "\033[31ma1b2\033[0m      7  s           t\033[2m  [x]\033[0m\n");
}

}  // namespace
}  // namespace backedge::cli
