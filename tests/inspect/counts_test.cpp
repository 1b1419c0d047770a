// The measured facts: against recorded counts, against brute force, and against other ways to write the same JSON.
#include "inspect/counts.h"

#include <algorithm>
#include <random>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "inspect/support.h"

namespace backedge::inspect {
namespace {

namespace json = boost::json;

json::object const& truth() {
  static json::object const all =
      json::parse(testing::file_text(testing::traces_folder() / "ground-truth.json")).as_object();
  return all;
}

std::int64_t number(json::object const& o, char const* key) { return o.at(key).to_number<std::int64_t>(); }

/// The numbers of a trace under the names of the recorded counts.
json::object measured(Counts const& c) {
  json::object out{{"calls", c.calls},
                   {"distinct_calls", c.distinct_calls},
                   {"exact_repeats", c.exact_repeats},
                   {"exact_repeats_same_result", c.exact_repeats_same_result},
                   {"no_progress_repeats", c.no_progress_repeats},
                   {"near_repeats", c.near_repeats},
                   {"longest_identical_run", c.longest_identical_run},
                   {"cycles_period_3_to_8", c.cycles_period_3_to_8},
                   {"cycle_longest", c.cycle_longest},
                   {"threads", c.threads},
                   {"max_depth", c.max_depth},
                   {"tool_errors", c.tool_errors},
                   {"total_tokens", c.total_tokens},
                   {"repeat_tokens", c.repeat_tokens},
                   {"repeat_same_result_tokens", c.repeat_same_result_tokens}};
  json::array runs;
  for (IdenticalRun const& r : c.identical_runs)
    runs.push_back(json::object{{"tool", r.tool}, {"start", r.start}, {"len", r.length}});
  json::array pairs;
  for (PingPong const& p : c.pingpongs)
    pairs.push_back(json::object{{"a", p.a}, {"b", p.b}, {"start", p.start}, {"len", p.length}});
  json::object tools;
  for (auto const& [name, tool] : c.tools) tools[name] = tool.calls;
  out["identical_runs"] = std::move(runs);
  out["pingpongs"] = std::move(pairs);
  out["tools"] = std::move(tools);
  return out;
}

/// Compares what both name; the recorded counts have a few more.
void expect_equal(json::object const& ours, json::object const& theirs, std::string const& what) {
  for (auto const& member : ours) {
    if (json::value const* other = theirs.if_contains(member.key())) {
      EXPECT_TRUE(member.value() == *other)
          << what << " " << member.key() << ": " << member.value() << ", not " << *other;
    }
  }
}

class RecordedSession : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedSession, CountsAsWasCountedByOtherMeans) {
  json::object const& expected = truth().at(GetParam()).as_object();
  std::vector<Trace> const traces = testing::traces_under((testing::traces_folder() / GetParam()).string());
  if (json::value const* list = expected.if_contains("per_trajectory")) {
    ASSERT_EQ(traces.size(), list->as_array().size());
    Counts sum;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      json::object const& one = list->as_array()[i].as_object();
      EXPECT_EQ(traces[i].title, one.at("id").as_string());
      Counts const counts = count(traces[i]);
      expect_equal(measured(counts), one, traces[i].title);
      add(sum, counts);
    }
    json::object ours = measured(sum);
    for (char const* per_trace : {"identical_runs", "pingpongs", "tools"}) ours.erase(per_trace);
    expect_equal(ours, expected, GetParam());
    return;
  }
  ASSERT_EQ(traces.size(), 1U);
  expect_equal(measured(count(traces[0])), expected, GetParam());
  EXPECT_TRUE(traces[0].problems.empty());
  EXPECT_TRUE(traces[0].unknown_lines.empty());
}

std::vector<std::string> recorded_files() {
  std::vector<std::string> out;
  for (auto const& member : truth()) out.emplace_back(member.key());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Counts, RecordedSession, ::testing::ValuesIn(recorded_files()), [](auto const& file) {
  std::string name;
  for (char const c : file.param) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST(RecordedSessions, ReadAsAFolderCountSubagentsOnce) {
  Counts sum;
  for (Trace const& trace : testing::traces_under((testing::traces_folder() / "claude-code").string()))
    add(sum, count(trace));
  std::int64_t calls = 0;
  std::int64_t tokens = 0;
  for (auto const& member : truth()) {
    if (!member.key().starts_with("claude-code/") ||
        std::string_view(member.key()).find("/subagents/") != std::string_view::npos)
      continue;
    calls += number(member.value().as_object(), "calls");
    tokens += number(member.value().as_object(), "total_tokens");
  }
  EXPECT_EQ(sum.calls, calls);
  EXPECT_EQ(sum.total_tokens, tokens);
}

/// Writes JSON as another program might: members shuffled, blanks anywhere, characters escaped at random.
void write_otherwise(json::value const& value, std::mt19937& random, std::string& out) {
  auto const blank = [&] { out.append(random() % 3, ' '); };
  auto const text = [&](std::string_view s) {
    out += '"';
    for (char const c : s) {
      char hex[8];
      bool const plain =
          static_cast<unsigned char>(c) >= 0x80 || (c >= ' ' && c != '"' && c != '\\' && random() % 20 != 0);
      std::snprintf(hex, sizeof hex, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += plain ? std::string(1, c) : std::string(hex);
    }
    out += '"';
  };
  blank();
  if (value.is_object()) {
    std::vector<std::pair<std::string, json::value const*>> members;
    for (auto const& member : value.as_object()) members.emplace_back(member.key(), &member.value());
    std::shuffle(members.begin(), members.end(), random);
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out += ',';
      blank();
      text(members[i].first);
      blank();
      out += ':';
      write_otherwise(*members[i].second, random, out);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (std::size_t i = 0; i < value.as_array().size(); ++i) {
      if (i > 0) out += ',';
      write_otherwise(value.as_array()[i], random, out);
    }
    out += ']';
  } else if (value.is_string()) {
    text(value.as_string());
  } else {
    out += json::serialize(value);
  }
  blank();
}

TEST(RecordedSessions, CountTheSameHoweverTheirJsonIsWritten) {
  std::mt19937 random(7);
  for (char const* file :
       {"claude-code/viewer/fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl", "claude-code/codemie/session-196820da.jsonl",
        "claude-code/spotter/tool_heavy.jsonl", "pi/large-session.jsonl"}) {
    std::string rewritten;
    std::string const original = testing::file_text(testing::traces_folder() / file);
    for (std::size_t at = 0; at < original.size();) {
      std::size_t const end = std::min(original.find('\n', at), original.size());
      write_otherwise(json::parse(original.substr(at, end - at)), random, rewritten);
      rewritten += "\r\n";
      at = end + 1;
    }
    json::object const before = measured(count(testing::trace_of(original)));
    json::object const after = measured(count(testing::trace_of(rewritten)));
    EXPECT_EQ(json::serialize(before), json::serialize(after)) << file;
  }
}

// ---- sequences against brute force

/// A trace of calls named by letters, each with an equal result.
Trace trace_of_letters(std::string const& letters) {
  Trace trace;
  trace.threads.resize(1);
  for (char const c : letters) {
    ModelMessage message;
    message.calls = {static_cast<std::uint32_t>(trace.calls.size())};
    Call call;
    call.tool = std::string(1, c);
    call.arguments = "{}";
    call.message = static_cast<std::uint32_t>(trace.models.size());
    call.has_result = true;
    trace.models.push_back(message);
    trace.calls.push_back(call);
  }
  return trace;
}

std::vector<std::pair<std::size_t, std::size_t>> pingpongs_by_definition(std::string const& s) {
  auto const alternates = [&](std::size_t from, std::size_t to) {
    if (to - from < 4 || s[from] == s[from + 1]) return false;
    for (std::size_t i = from + 2; i < to; ++i) {
      if (s[i] != s[i - 2]) return false;
    }
    return true;
  };
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t from = 0; from < s.size(); ++from) {
    for (std::size_t to = from + 4; to <= s.size(); ++to) {
      bool const longer = (from > 0 && alternates(from - 1, to)) || (to < s.size() && alternates(from, to + 1));
      if (alternates(from, to) && !longer) out.emplace_back(from, to - from);
    }
  }
  return out;
}

std::size_t longest_run_by_definition(std::string const& s) {
  std::size_t best = 0;
  for (std::size_t from = 0; from < s.size(); ++from) {
    for (std::size_t to = from + 1; to <= s.size(); ++to) {
      if (s.find_first_not_of(s[from], from) >= to) best = std::max(best, to - from);
    }
  }
  return best;
}

TEST(Sequences, AgreeWithTheirDefinitionOnAllShortSequences) {
  for (std::size_t length = 0; length <= 9; ++length) {
    std::size_t total = 1;
    for (std::size_t i = 0; i < length; ++i) total *= 3;
    for (std::size_t n = 0; n < total; ++n) {
      std::string letters;
      for (std::size_t i = 0, rest = n; i < length; ++i, rest /= 3) letters += static_cast<char>('a' + rest % 3);
      Counts const counts = count(trace_of_letters(letters));
      std::vector<std::pair<std::size_t, std::size_t>> found;
      for (PingPong const& p : counts.pingpongs)
        found.emplace_back(static_cast<std::size_t>(p.start), static_cast<std::size_t>(p.length));
      ASSERT_EQ(found, pingpongs_by_definition(letters)) << letters;
      ASSERT_EQ(static_cast<std::size_t>(counts.longest_identical_run), longest_run_by_definition(letters)) << letters;
    }
  }
}

TEST(Sequences, OfPeriodThreeToEightAreCycles) {
  auto const cycles = [](std::string const& letters) {
    Counts const c = count(trace_of_letters(letters));
    return std::to_string(c.cycles_period_3_to_8) + " " + std::to_string(c.cycle_longest) + " " +
           std::to_string(c.cycle_period);
  };
  EXPECT_EQ(cycles("abcabc"), "1 6 3");
  EXPECT_EQ(cycles("xabcabcabcay"), "1 9 3");
  EXPECT_EQ(cycles("abcdaecdae"), "1 8 4");
  EXPECT_EQ(cycles("ababab"), "0 0 0") << "a ping-pong";
  EXPECT_EQ(cycles("aaaaaa"), "0 0 0") << "a run";
  EXPECT_EQ(cycles("abcdefghabcdefgh"), "1 16 8");
  EXPECT_EQ(cycles("abcdefghiabcdefghi"), "0 0 0") << "longer than looked for";
}

TEST(Repeats, AreWithoutProgressOnlyWhenNothingWasWrittenInBetween) {
  auto const read = testing::openai_call("1", "Read", "{}", "same");
  auto const trace = [&](std::string const& between) {
    return count(testing::trace_of("[" + read + "," + between + read + "]")).no_progress_repeats;
  };
  EXPECT_EQ(trace(""), 1);
  EXPECT_EQ(trace(testing::openai_call("2", "Grep", "{}", "x") + ","), 1);
  EXPECT_EQ(trace(testing::openai_call("2", "Edit", "{}", "x") + ","), 0);
  EXPECT_EQ(trace(testing::openai_call("2", "Bash", R"({"command":"echo > f"})", "x") + ","), 0);
}

TEST(Repeats, AreEqualWhateverTheFormOfTheArguments) {
  Counts const c =
      count(testing::trace_of("[" + testing::openai_call("1", "f", R"({"a":1,"b":[1,2]})", "x") + "," +
                              testing::openai_call("2", "f", R"({ "b" : [1, 2.0], "a" : 1e0 })", "x") + "," +
                              testing::openai_call("3", "f", R"("{\"b\":[1,2],\"a\":1}")", "x") + "]"));
  EXPECT_EQ(c.exact_repeats, 2);
  EXPECT_EQ(c.exact_repeats_same_result, 2);
}

TEST(Repeats, AreNearWhenOnlyTheWindowDiffers) {
  Counts const c =
      count(testing::trace_of("[" + testing::openai_call("1", "Read", R"({"file":"a","offset":1})", "x") + "," +
                              testing::openai_call("2", "Read", R"({"file":"a","offset":2,"limit":5})", "y") + "," +
                              testing::openai_call("3", "Bash", R"({"command":"cd /x && make 2>&1 | tail -3"})", "x") +
                              "," + testing::openai_call("4", "Bash", R"({"command":"make","timeout":5})", "x") + "]"));
  EXPECT_EQ(c.exact_repeats, 0);
  EXPECT_EQ(c.near_repeats, 2);
}

TEST(Repeats, WithoutResultsAreNeverTheSame) {
  Counts const c = count(testing::trace_of(
      R"([{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":"{}"},{"id":"b","name":"f","arguments":"{}"}]}])"));
  EXPECT_EQ(c.exact_repeats, 1);
  EXPECT_EQ(c.exact_repeats_same_result, 0);
  EXPECT_EQ(c.calls_without_result, 2);
}

}  // namespace
}  // namespace backedge::inspect
