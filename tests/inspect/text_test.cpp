// Repairs, lengths, times and cutting of texts.
#include "inspect/text.h"

#include <string>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "inspect/json.h"
#include "inspect/trace.h"

namespace backedge::inspect {
namespace {

TEST(Repaired, ReplacesWhatIsNotUtf8AndKeepsTheRest) {
  EXPECT_EQ(repaired("{\"a\":\"x\xFFy\"}").view(), "{\"a\":\"x\xEF\xBF\xBDy\"}");
  EXPECT_EQ(repaired("{\"a\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"}").view(),
            "{\"a\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"}");
  EXPECT_EQ(repaired("\"\xED\xA0\x80\"").view(), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"") << "a surrogate as UTF-8";
  EXPECT_EQ(repaired("\"\xC0\xAF\xF0\x9F\"").view(), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Repaired, ReplacesHalvesOfSurrogatePairs) {
  EXPECT_EQ(repaired(R"({"a":"\ud83d","b":"\ud83d\ude00","c":"\ude00x","d":"\\ud83d"})").view(),
            R"({"a":"\ufffd","b":"\ud83d\ude00","c":"\ufffdx","d":"\\ud83d"})");
}

TEST(Repaired, EscapesControlCharactersInsideTextsOnly) {
  EXPECT_EQ(repaired("{\"a\":\n\"x\ty\"}").view(), "{\"a\":\n\"x\\u0009y\"}");
}

TEST(Closed, KeepsWhatWasCompleteBeforeTheCut) {
  EXPECT_EQ(closed(R"([{"a":1},{"b":2},{"c":"x)").view(), R"([{"a":1},{"b":2}])");
  EXPECT_EQ(closed(R"({"a":[1,2],"b":"tex)").view(), R"({"a":[1,2]})");
  EXPECT_EQ(closed(R"({"m":[{"r":"u","c":"]}"},{"r":)").view(), R"({"m":[{"r":"u","c":"]}"}]})");
  EXPECT_EQ(closed(R"([)").view(), "");
  EXPECT_EQ(closed("").view(), "");
}

TEST(Closed, GivesJsonWhereverTheCutIs) {
  std::string const whole = R"([{"a":[{"b":"c,]}\""},{}],"d":{"e":[[1,2],[3]]}},{"f":null}])";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    PaddedText const text = closed(std::string_view(whole).substr(0, cut));
    if (text.view().empty()) continue;
    boost::system::error_code fault;
    boost::json::parse(text.view(), fault);
    EXPECT_FALSE(fault) << text.view();
  }
}

TEST(SpacedLength, IsThatOfTheSpacedAsciiForm) {
  EXPECT_EQ(spaced_length(R"({"a":"é"})"), static_cast<std::int64_t>(std::string(R"({"a": "\u00e9"})").size()));
  EXPECT_EQ(spaced_length("[1,2 , {\"k\" :\t\"v\"}]"),
            static_cast<std::int64_t>(std::string("[1, 2, {\"k\": \"v\"}]").size()));
  EXPECT_EQ(spaced_length(R"(["\/","\n","\u0041","\u20ac","\ud83d\ude00","😀","a:b,c"])"),
            static_cast<std::int64_t>(
                std::string(R"(["/", "\n", "A", "\u20ac", "\ud83d\ude00", "\ud83d\ude00", "a:b,c"])").size()));
  EXPECT_EQ(spaced_length(""), 0);
}

TEST(CodePoints, CountCharactersNotBytes) { EXPECT_EQ(code_points("aé€😀"), 4); }

TEST(Kept, KeepsShortTextsAndTellsLongOnesApart) {
  EXPECT_EQ(kept("short"), "short");
  std::string const a(kKeptText + 10, 'a');
  std::string b = a;
  b.back() = 'b';
  EXPECT_LT(kept(a).size(), a.size() + 200);
  EXPECT_EQ(kept(a), kept(a));
  EXPECT_NE(kept(a), kept(b));
}

TEST(TimeMs, ReadsIsoTimesWithZones) {
  EXPECT_EQ(time_ms("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(time_ms("2025-09-03T00:52:31.217Z"), 1'756'860'751'217);
  EXPECT_EQ(time_ms("2024-02-29T12:00:00+02:00"), 1'709'200'800'000);
  EXPECT_EQ(time_ms("yesterday"), 0);
  EXPECT_EQ(time_ms("[trimmed for fixture]"), 0);
}

}  // namespace
}  // namespace backedge::inspect
