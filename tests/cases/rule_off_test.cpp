// Every rule is needed: with it a named case of the corpus is decided right, without it the same case goes wrong.
//
// "Right" is what cases/judge.py says. A rule is switched off by the policy that the case is played under; the rest
// stays.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/corpus.h"

namespace backedge::cases {
namespace {

using support::corpus;
using support::judge;
using support::named_case;

struct Row {
  std::string file;
  std::string id;
  std::string off;  // the policy that switches the rule off
};

void PrintTo(Row const& row, std::ostream* out) { *out << row.id << " without " << row.off; }

class RuleOff : public ::testing::TestWithParam<Row> {};

bool right(Row const& row, Policy const& policy) {
  Case const one = named_case(corpus(row.file), row.id);
  Result<std::vector<Played>> const played = play_all({one}, policy, true);
  if (!played) {
    ADD_FAILURE() << played.error().text();
    return false;
  }
  std::string const report = judge(row.file, *played).report;
  // The judge names every case that is wrong at the start of a line; cases that were not played are named, too.
  return report.find("\n" + row.id + " ") == std::string::npos;
}

TEST_P(RuleOff, ACaseThatIsRightGoesWrongWithoutIt) {
  Row const& row = GetParam();
  EXPECT_TRUE(right(row, Policy::defaults())) << row.id;
  Result<Policy> const off = Policy::parse(row.off, "off.toml");
  ASSERT_TRUE(off.ok()) << off.error().text();
  EXPECT_FALSE(right(row, *off)) << row.id << " does not need " << row.off;
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleOff,
                         ::testing::Values(Row{"loop.jsonl", "L01", "[repeat]\nexact = 0\n"},
                                           Row{"loop.jsonl", "L07", "[repeat]\nexact_error = 0\n"},
                                           Row{"scenarios.jsonl", "S074", "[repeat]\neffect = 0\n"},
                                           Row{"loop.jsonl", "L02", "[repeat]\ncycle = 0\nexact = 0\n"},
                                           Row{"loop.jsonl", "L08", "[repeat]\nstagnant = 0\nstagnant_warn = 0\n"},
                                           Row{"loop.jsonl", "C023", "[repeat]\nstagnant_empty = 0\n"},
                                           Row{"loop.jsonl", "L09", "[repeat]\nerror = 0\nerror_warn = 0\n"},
                                           Row{"loop.jsonl", "L20", "[repeat]\nrange = 0\nrange_warn = 0\n"},
                                           Row{"loop.jsonl", "L22", "[repeat]\npoll = 0\npoll_warn = 0\n"},
                                           Row{"loop.jsonl", "C123a", "[repeat]\ntext = 0\n"},
                                           Row{"loop.jsonl", "C068a", "[repeat]\ncompact = 0\n"},
                                           Row{"loop.jsonl", "L01", "[ladder]\nobserve = true\n"},
                                           Row{"loop.jsonl", "N01", "[tool.A]\nreentry = \"allow\"\n"},
                                           Row{"incidents.jsonl", "a-16", "[tool.ask_agent]\nreentry = \"allow\"\n"},
                                           Row{"scenarios.jsonl", "S221", "[limits]\nhook_blocks = 100\n"},
                                           Row{"scenarios.jsonl", "S213", "[limits]\nconservative_at = 0\n"}));

}  // namespace
}  // namespace backedge::cases
