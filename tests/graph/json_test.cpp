// The JSON form, DOT and the page: complete, clean UTF-8, and safe inside HTML.
#include "graph/json.h"

#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "base/json.h"
#include "graph/dot.h"
#include "graph/page.h"
#include "graph/support.h"

namespace backedge::graph {
namespace {

using testing::Grow;

boost::json::value parsed(CallTree const& tree, JsonOptions options = {}) {
  Result<boost::json::value> value = parse_json(to_json(tree, make_graph(tree), options));
  EXPECT_TRUE(value.ok()) << (value.ok() ? "" : value.error().text());
  return value.ok() ? *value : boost::json::value();
}

TEST(GraphJson, HoldsTheTreeTheBackEdgesAndTheGraph) {
  boost::json::value const v = parsed(testing::ping_pong());
  EXPECT_EQ(v.at("format"), "backedge.graph");
  EXPECT_EQ(v.at("v"), kJsonVersion);
  EXPECT_EQ(v.at("frames").as_array().size(), 3U);
  EXPECT_EQ(v.at("calls").at(2).at("verdict").at("code"), "reentry.cycle");
  EXPECT_EQ(v.at("calls").at(2).at("verdict").at("earlier"), 0);
  EXPECT_EQ(v.at("back_edges").at(0).at("to_frame"), 1);
  EXPECT_EQ(v.at("graph").at("edges").at(2).at("kind"), "back");
  EXPECT_EQ(v.at("graph").at("edges").at(2).at("reasons").at("reentry.cycle"), 1);
  EXPECT_EQ(v.at("run").at("totals").at("refused"), 1);
  EXPECT_EQ(v.at("run").at("totals").at("spend").at("tokens"), 300);
  EXPECT_FALSE(v.at("run").at("totals").at("spend").as_object().contains("nano_usd"));
}

TEST(GraphJson, ALongTextKeepsItsBeginningAndItsEnd) {
  Grow g;
  std::string const text = "begin" + std::string(5000, 'x') + "\xc3\xa4\xc3\xa4 end";
  g.call(g.frame(""), "read", "{}", text);
  boost::json::value const result = parsed(g.tree, {.text_bytes = 100}).at("calls").at(0).at("result");
  std::string const kept(result.at("text").as_string());
  EXPECT_TRUE(kept.starts_with("beginxxx"));
  EXPECT_TRUE(kept.ends_with("end"));
  EXPECT_LT(kept.size(), 200U);
  EXPECT_EQ(result.at("cut"), true);
  EXPECT_EQ(result.at("bytes"), text.size());
  EXPECT_EQ(parsed(g.tree).at("calls").at(0).at("result").at("text").as_string(), text);
}

TEST(GraphJson, BytesThatAreNoUtf8AreReplaced) {
  Grow g;
  g.call(g.frame(""), "read", "{}", "a\xff\xc3z\xed\xa0\x80\xf0\x9f\x98\x80");
  boost::json::value const v = parsed(g.tree);
  EXPECT_EQ(v.at("calls").at(0).at("result").at("text"),
            "a\xef\xbf\xbd\xef\xbf\xbdz\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xf0\x9f\x98\x80");
}

TEST(GraphJson, ATextThatWasNotKeptIsSaidToBe) {
  Grow g;
  g.call(g.frame(""), "read");
  g.tree.calls[0].result = {"", 77, false};
  boost::json::value const v = parsed(g.tree).at("calls").at(0).at("result");
  EXPECT_EQ(v, (boost::json::value{{"kept", false}, {"bytes", 77}}));
}

TEST(GraphPage, NoTextOfARunEndsTheElementThatHoldsIt) {
  Grow g;
  g.call(g.frame(""), "read", R"({"a":"</script><script>alert(1)</script><!--"})");
  std::string const text = page(g.tree);
  EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(text.find("\\u003c/script>\\u003cscript>alert(1)"), std::string::npos);
  std::size_t const data = text.find("id=\"data\">");
  ASSERT_NE(data, std::string::npos);
  std::size_t const begin = text.find('{', data);
  std::size_t const end = text.find("</script>", begin);
  EXPECT_TRUE(parse_json(std::string_view(text).substr(begin, end - begin)).ok());
}

TEST(GraphPage, NamesNoAddressAndForbidsTheNetwork) {
  std::string const text = page("{}");
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(text.find("connect-src"), std::string::npos);
  for (std::string_view const outside : {"src=\"http", "href=\"http", "@import", "url(http"})
    EXPECT_EQ(text.find(outside), std::string::npos) << outside;
}

TEST(GraphDot, DrawsBackEdgesRedWithTheirReason) {
  std::string const dot = to_dot(testing::ping_pong(2), make_graph(testing::ping_pong(2)));
  EXPECT_NE(dot.find("n2 -> n1 [color=\"#d11a3f\""), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"reentry.cycle ×2\\n200 tokens\""), std::string::npos) << dot;
}

TEST(GraphDot, TheColourSaysHowStrongTheWordAgainstItWas) {
  CallTree tree = testing::ping_pong();
  for (auto const& [word, observed, code, colour] :
       {std::tuple("block", true, "reentry.cycle", "#d11a3f"), std::tuple("warn", false, "reentry.cycle", "#b26a00")}) {
    tree.calls[2].verdict.word = word;
    tree.calls[2].verdict.observed = observed;
    tree.calls[2].verdict.code = code;
    find_back_edges(tree);
    EXPECT_NE(to_dot(tree, make_graph(tree)).find(std::string("n2 -> n1 [color=\"") + colour), std::string::npos)
        << word;
  }
  Grow g;
  std::uint32_t const main = g.frame("");
  g.call(main, "read");
  g.call(main, "read");
  find_back_edges(g.tree);
  EXPECT_NE(to_dot(g.tree, make_graph(g.tree)).find("n1 -> n1 [color=\"#5a6470\""), std::string::npos);
}

TEST(GraphDot, NoNameBreaksOutOfItsLabel) {
  Grow g;
  g.call(g.frame("a\"];evil [label=\""), "t\\\"\nx\xff");
  std::string const dot = to_dot(g.tree, make_graph(g.tree));
  EXPECT_NE(dot.find("label=\"a\\\"];evil [label=\\\""), std::string::npos) << dot;
  // Every line is a statement that the writer made: four of the head, two nodes, one edge, the end.
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '\n'), 8) << dot;
}

TEST(GraphDot, SpendIsWrittenShort) {
  EXPECT_EQ(spend_text({1, 0, kUnpriced, 0, false}), "");
  EXPECT_EQ(spend_text({1, 999, kUnpriced, 0, false}), "999 tokens");
  EXPECT_EQ(spend_text({1, 13'930, kUnpriced, 0, false}), "14k tokens");
  EXPECT_EQ(spend_text({1, 12345, 42'000'000, 0, true}), "~12k tokens · $0.0420");
}

TEST(CleanTexts, EveryTextGoesThroughTheFilter) {
  CallTree tree = testing::ping_pong();
  tree.title = tree.reason = tree.answer = "s";
  tree.turns[0].text = tree.turns[0].verdict.text = "s";
  tree.run = tree.model = tree.turns[0].model = tree.turns[0].stop_reason = tree.frames[0].model = "s";
  tree.frames[1].agent = "s";
  tree.notes = {"s"};
  for (Call& c : tree.calls) c.name = c.tool = c.arguments.text = c.result.text = c.verdict.text = "s";
  int seen = 0;
  clean_texts(tree, [&](std::string const& text) {
    seen += text == "s" ? 1 : 0;
    return std::optional<std::string>("clean");
  });
  EXPECT_EQ(seen, 5 + 7 + 5 * 3);
  EXPECT_EQ(to_json(tree, make_graph(tree)).find("\"s\""), std::string::npos);
}

}  // namespace
}  // namespace backedge::graph
