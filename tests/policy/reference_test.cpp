// The commented file and the reference page: made from the keys, and true to the letter.
#include "policy/reference.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "policy/key.h"
#include "policy/table.h"

namespace backedge::policy {
namespace {

/// Applies `change` to every line.
template <class Change>
std::string each_line(std::string const& text, Change change) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) out += change(line) + "\n";
  return out;
}

/// Takes the "#" from every setting.
std::string uncommented(std::string const& text) {
  return each_line(text, [](std::string const& line) {
    return line.size() > 1 && line[0] == '#' && line[1] != ' ' ? line.substr(1) : line;
  });
}

/// Takes the "#" from the examples, which are indented.
std::string with_examples(std::string const& text) {
  return each_line(text, [](std::string const& line) { return line.rfind("#     ", 0) == 0 ? line.substr(1) : line; });
}

int settings() {
  int count = 0;
  for (Section const& section : sections()) count += static_cast<int>(section.keys.size());
  return count;
}

TEST(Reference, TheCommentedFileSetsNothing) {
  Reading const reading = read(template_file(), "backedge.toml");
  ASSERT_TRUE(reading.errors.empty()) << reading.errors.front().text();
  EXPECT_EQ(reading.settings, 0);
  EXPECT_EQ(show(reading.table), show(defaults()));
}

TEST(Reference, TakingEveryCommentSignAwayChangesNothing) {
  Reading const reading = read(uncommented(template_file()), "backedge.toml");
  ASSERT_TRUE(reading.errors.empty()) << reading.errors.front().text();
  EXPECT_EQ(reading.settings, settings());
  auto shown = show(reading.table);
  for (auto& setting : shown) setting.source = kDefaultSource;
  EXPECT_EQ(shown, show(defaults()));
}

TEST(Reference, TheExamplesOfTheCommentedFileAreAPolicy) {
  Reading const reading = read(with_examples(template_file()), "backedge.toml");
  ASSERT_TRUE(reading.errors.empty()) << reading.errors.front().text();
  ASSERT_EQ(reading.table.tools.size(), 1U);
  Contract const& contract = reading.table.tools.begin()->second;
  EXPECT_EQ(contract.effect, Effect::kRead);
  EXPECT_EQ(contract.when.size(), 1U);
  EXPECT_EQ(reading.table.settings.limits.per_tool.size(), 1U);
}

TEST(Reference, TheCommentedFileNamesEveryKeyInLinesOfAReadableWidth) {
  std::string const text = template_file();
  for (ToolKey const& key : tool_keys()) EXPECT_NE(text.find(std::string(key.name)), std::string::npos) << key.name;
  for (ConditionKey const& key : condition_keys())
    EXPECT_NE(text.find(std::string(key.name)), std::string::npos) << key.name;
  each_line(text, [](std::string const& line) {
    EXPECT_LE(line.size(), 100U) << line;
    return line;
  });
}

TEST(Reference, ThePageInDocsIsTheOneThatTheKeysMake) {
  std::ifstream in(BACKEDGE_SOURCE_DIR "/docs/policy.md");
  std::string const page(std::istreambuf_iterator<char>(in), {});
  EXPECT_TRUE(page == reference_markdown()) << "write it anew: backedge policy reference > docs/policy.md";
}

TEST(Reference, TheErrorInThePageIsTheErrorThatIsGiven) {
  auto const table = parse("[limits]\nmax_turn = 5\n", "backedge.toml");
  ASSERT_FALSE(table.ok());
  EXPECT_NE(reference_markdown().find("    " + table.error().text() + "\n"), std::string::npos) << table.error().text();
}

}  // namespace
}  // namespace backedge::policy
