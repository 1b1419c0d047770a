// docs/routing.md: every policy in it is one that is read, and every key of rules and stages has its place in it.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "policy/key.h"
#include "policy/table.h"

namespace backedge::policy {
namespace {

std::string page() {
  std::ifstream in(BACKEDGE_SOURCE_DIR "/docs/routing.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What stands between ```toml and ```, each block by itself.
std::vector<std::string> policies(std::string const& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```toml") {
      inside = true;
      out.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      out.back() += line + "\n";
    }
  }
  return out;
}

TEST(RoutingPage, EveryPolicyInItIsRead) {
  std::vector<std::string> const all = policies(page());
  EXPECT_GE(all.size(), 5U);
  int rules = 0;
  for (std::string const& text : all) {
    Reading const reading = read(text, "docs/routing.md");
    for (Error const& error : reading.errors) ADD_FAILURE() << error.text() << "\n" << text;
    rules += static_cast<int>(reading.table.routes.size() + reading.table.stages.size());
  }
  EXPECT_GE(rules, 12);
}

TEST(RoutingPage, NamesEveryActionAndMostKeys) {
  std::string const text = page();
  for (RouteKey const& key : route_keys()) {
    for (std::string_view const word : key.form.words)
      EXPECT_NE(text.find("`" + std::string(word) + "`"), std::string::npos) << word;
  }
  for (StageKey const& key : stage_keys()) {
    bool const said_of_rules = key.name == "about" || key.name == "unless_seen";
    if (!said_of_rules) {
      EXPECT_NE(text.find(std::string(key.name) + " = "), std::string::npos) << key.name;
    }
  }
}

}  // namespace
}  // namespace backedge::policy
