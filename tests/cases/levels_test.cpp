// The loop and the kernel alone decide every case of the corpus the same.
//
// Compared are the decision of every call and event, the end and its exit status, the answer, what became of agents,
// and the properties, with the contracts of the cases and without. Differences that stay are listed with their reason.
#include <map>

#include "support/corpus.h"

namespace backedge::cases {
namespace {

using support::corpus;

// What a case came to, as one text a difference can be read from.
std::string account_of(Played const& p) {
  std::string out;
  for (Decision const& d : p.decisions) out += d.id + " " + d.word + " " + d.code + "\n";
  out += "end " + p.end + "\noutput " + p.output + "\n";
  for (auto const& [call, word] : p.status) out += "status " + call + " " + word + "\n";
  for (auto const& [name, holds] : p.properties) out += "property " + name + (holds ? " yes" : " no") + "\n";
  return out;
}

struct Row {
  std::string file;
  bool contracts;
};

class Levels : public ::testing::TestWithParam<Row> {};

TEST_P(Levels, TheLoopDecidesAsTheKernelAloneDoes) {
  std::vector<Case> const cases = corpus(GetParam().file);
  auto const loop = play_all(cases, Policy::defaults(), GetParam().contracts, Level::kLoop);
  auto const kernel = play_all(cases, Policy::defaults(), GetParam().contracts, Level::kKernel);
  ASSERT_TRUE(loop.ok()) << loop.error().text();
  ASSERT_TRUE(kernel.ok()) << kernel.error().text();
  ASSERT_EQ(loop->size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(account_of((*loop)[i]), account_of((*kernel)[i])) << cases[i].id;
}

// In one case a function is called whose frame the steps never open; the loop opens one for every call of a function,
// so that it counts more agents. All other numbers are the same.
TEST_P(Levels, TheNumbersAreTheSame) {
  std::map<std::string, std::string> const known = {{"C167", "spawned"}};
  std::vector<Case> const cases = corpus(GetParam().file);
  std::vector<Played> loop = *play_all(cases, Policy::defaults(), GetParam().contracts, Level::kLoop);
  std::vector<Played> kernel = *play_all(cases, Policy::defaults(), GetParam().contracts, Level::kKernel);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (auto const at = known.find(cases[i].id); at != known.end()) {
      EXPECT_GT(loop[i].numbers.at(at->second), kernel[i].numbers.at(at->second)) << "no longer a difference";
      loop[i].numbers.erase(at->second);
      kernel[i].numbers.erase(at->second);
    }
    EXPECT_EQ(loop[i].numbers, kernel[i].numbers) << cases[i].id;
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Levels,
                         ::testing::Values(Row{"loop.jsonl", true}, Row{"incidents.jsonl", true},
                                           Row{"scenarios.jsonl", true}, Row{"loop.jsonl", false},
                                           Row{"incidents.jsonl", false}, Row{"scenarios.jsonl", false}),
                         [](auto const& row) {
                           std::string const name = row.param.file.substr(0, row.param.file.find('.'));
                           return name + (row.param.contracts ? "_with_contracts" : "_without_contracts");
                         });

}  // namespace
}  // namespace backedge::cases
