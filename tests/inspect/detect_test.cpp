// Which format a file is of.
#include "inspect/detect.h"

#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

Detected look(std::string const& text) {
  LineReader lines = LineReader::over(text, "f");
  Json json;
  return detect(lines, json);
}

TEST(Detect, PassesOverLinesThatSayNothing) {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += R"({"type":"summary","summary":"s","leafUuid":"x"})"
            "\n";
  EXPECT_EQ(look(text).kind, Kind::kClaudeCode) << "a session of summaries only";
  text += testing::claude_user("u", "x");
  Detected const found = look(text);
  EXPECT_EQ(found.kind, Kind::kClaudeCode);
  EXPECT_EQ(found.session, "s");
}

TEST(Detect, KnowsASubagentsFile) {
  EXPECT_TRUE(look(testing::claude_user("u", "x", R"(,"isSidechain":true,"agentId":"a")")).subagent);
  EXPECT_FALSE(look(testing::claude_user("u", "x", R"(,"isSidechain":true)")).subagent);
}

TEST(Detect, GoesByContentWhateverTheLayout) {
  EXPECT_EQ(look(R"({"messages":[{"role":"user","content":"x"}]})").kind, Kind::kMessages);
  EXPECT_EQ(look("{\n  \"messages\": [\n{\"role\":\"user\",\"content\":\"x\"}\n]\n}").kind, Kind::kMessages);
  EXPECT_TRUE(look("{\n  \"messages\": [\n{\"role\":\"user\",\"content\":\"x\"}\n]\n}").whole);
  EXPECT_EQ(look("[\n{\"role\":\"user\",\"content\":\"x\"}\n]").kind, Kind::kMessages);
  EXPECT_EQ(look("\xEF\xBB\xBF\r\n[{\"role\":\"user\",\"content\":\"x\"}]").kind, Kind::kMessages);
  EXPECT_EQ(look(R"({"type":"session","id":"x","cwd":"/"})").kind, Kind::kPi);
}

TEST(Detect, ABrokenFirstLineHidesNothing) {
  EXPECT_EQ(look("{\"type\":\"user\",\"mes\n" + testing::claude_user("u", "x")).kind, Kind::kClaudeCode);
  EXPECT_EQ(look("started at noon\n" + testing::claude_user("u", "x")).kind, Kind::kClaudeCode);
  EXPECT_EQ(look("{\"role\":\"user\",\"content\":\"\xFF\"}").kind, Kind::kMessages);
}

TEST(Detect, SaysWhatItFoundInstead) {
  EXPECT_EQ(look("").found, "nothing");
  EXPECT_EQ(look("hello\nworld").found, "text that starts with \"hello\"");
  EXPECT_EQ(look(std::string("\x7F"
                             "ELF\x02\x01\x00\x00",
                             8))
                .found,
            "binary data");
  EXPECT_EQ(look(R"({"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7})").found,
            R"(a JSON object with the members "a", "b", "c", "d", "e", "f", …)");
  EXPECT_EQ(look("[1,2]").found, "a JSON list of something else");
  EXPECT_EQ(look("[").found, "broken JSON");
  EXPECT_EQ(look("{}").found, "an empty JSON object");
}

TEST(Detect, OtherFormatsAreNotMistaken) {
  for (
      char const* text : {
          R"({"timestamp":"t","type":"session_meta","payload":{"id":"x"}})",
          R"({"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[]}})",
          R"({"sessionId":"x","messages":[{"id":"1","type":"user","content":"hi"}]})",
          R"({"resourceSpans":[{"scopeSpans":[]}]})",
          R"({"trace":{},"observations":[]})",
          R"({"schema_version":"ATIF-v1.0","steps":[]})",
          R"({"trajectory_format":"mini-swe-agent-1.1","messages":[{"role":"user","content":"x"}]})",
          R"({"trajectory":[{"action":"ls","observation":"x","messages":[{"role":"user","content":"x"}]}],"info":{}})",
          R"({"uuid":"1","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}})",
          R"({"role":"user","message":{"content":[]}})",
          R"({"name":"package","version":"1.0.0","data":[{"role":"x"}]})",
      }) {
    EXPECT_EQ(look(text).kind, Kind::kUnknown) << text;
  }
}

}  // namespace
}  // namespace backedge::inspect
