// runs, show and explain: what they print, and how they end.
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/sha256.h"
#include "cli/commands.h"
#include "journal/journal.h"
#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

struct Output {
  int status = 0;
  std::string out;
  std::string err;

  friend bool operator==(Output const&, Output const&) = default;
  friend std::ostream& operator<<(std::ostream& os, Output const& o) {
    return os << "status " << o.status << "\nout: " << o.out << "\nerr: " << o.err;
  }
};

template <class Options>
Output run(int (*command)(Options const&, std::ostream&, std::ostream&), Options const& options) {
  std::ostringstream out;
  std::ostringstream err;
  int const status = command(options, out, err);
  return {status, out.str(), err.str()};
}

std::string const kRunA = "a1" + std::string(30, '0');
std::string const kRunB = "b2" + std::string(30, '0');

/// A folder with a journal of two runs: one that was stopped as a loop, one that was left in its call.
class JournalCommands : public testing::Test {
 protected:
  JournalCommands() {
    Result<journal::Journal> opened = journal::Journal::open(folder_.path() / "j.db");
    EXPECT_TRUE(opened.ok());
    add(*opened, kRunA, 1, "run.open", R"({"session":"work","number":3,"agent":"main","model":"m1"})");
    add(*opened, kRunA, 2, "user.message", R"({"author":"person","text":"$"})", "Fix the build");
    add(*opened, kRunA, 3, "turn.propose", R"({"turn":1,"verdict":"go"})");
    add(*opened, kRunA, 4, "turn.end", R"({"turn":1,"verdict":"go","usage":{"input":1200,"output":30}})");
    add(*opened, kRunA, 5, "round.propose", R"({"calls":[{"call":1,"tool":"read_file","arguments":"$"}]})",
        R"({"path":"a"})");
    add(*opened, kRunA, 6, "verdict", R"({"call":1,"tool":"read_file","verdict":"run"})");
    add(*opened, kRunA, 7, "call.start", R"({"call":1,"tool":"read_file","attempt":1})");
    add(*opened, kRunA, 8, "call.end", R"({"call":1,"status":"ok","bytes":9,"result":"$"})", "text of a");
    add(*opened, kRunA, 9, "round.propose", R"({"calls":[{"call":2,"tool":"read_file","arguments":"$"}]})",
        R"({"path":"a"})");
    add(*opened, kRunA, 10, "verdict",
        R"({"call":2,"tool":"read_file","verdict":"block","code":"repeat.exact","earlier":1,"count":3,"limit":3})");
    add(*opened, kRunA, 11, "run.close",
        R"({"status":"loop","code":"repeat.exact","reason":"going round","turns":1,"calls":1,"refused":1,"near_limit":true,)"
        R"("usage":{"input":1200,"output":30},"cost_nano_usd":5000000})");
    add(*opened, kRunB, 1, "run.open", R"({"session":"work","number":4,"agent":"main"})");
    add(*opened, kRunB, 2, "round.propose", R"({"calls":[{"call":1,"tool":"bash","arguments":"$"}]})",
        R"({"command":"make"})");
    add(*opened, kRunB, 3, "verdict", R"({"call":1,"tool":"bash","verdict":"run"})");
    add(*opened, kRunB, 4, "call.start", R"({"call":1,"tool":"bash","attempt":1})");
  }

  /// "$" in the body becomes the name of the text.
  static void add(journal::Journal& journal, std::string const& run, std::uint64_t seq, std::string const& type,
                  std::string body, std::string const& text = {}) {
    talk::Event e{
        seq, Micros(1'700'000'000'000'000 + static_cast<std::int64_t>(seq) * 100'000), FrameId{1}, 0, type, {}, {}};
    std::size_t const at = body.find('$');
    if (at != std::string::npos) {
      e.raws.push_back({sha256_hex(text), text});
      body.replace(at, 1, e.raws.back().sha256);
    }
    e.body = body;
    EventView const view = e.view();
    Result<void> const done = journal.append(run, {&view, 1});
    ASSERT_TRUE(done.ok()) << done.error().text();
  }

  JournalChoice choice(std::string const& file = "j.db") const {
    return {{{folder_.path(), folder_.path() / "home", "", ""}, ""}, file};
  }

  TempFolder folder_;
};

TEST_F(JournalCommands, RunsAreListedTheNewestFirst) {
  EXPECT_EQ(
      run(run_runs, {choice(), false, false, false}).out,
      "run       began (UTC)       status      turns calls refused    tokens      cost  session        task\n"
      "b2000000  2023-11-14 22:13  open            0     0       0         0            work 4         \n"
      "a1000000  2023-11-14 22:13  loop            1     1       1      1230   $0.0050  work 3         Fix the build  "
      "[repeat.exact, near limit]\n");
  Output const near = run(run_runs, {choice(), true, false, false});
  EXPECT_EQ(near.out.find("b2000000"), std::string::npos);
  EXPECT_NE(near.out.find("a1000000"), std::string::npos);
  Output const json = run(run_runs, {choice(), true, true, false});
  Result<boost::json::value> const list = parse_json(json.out);
  ASSERT_TRUE(list.ok()) << json;
  EXPECT_EQ(list->at(0).at("run").as_string(), kRunA);
  EXPECT_EQ(list->at(0).at("cost_nano_usd").as_int64(), 5'000'000);
}

TEST_F(JournalCommands, ColoursComeOnlyWhenTheyAreWanted) {
  EXPECT_EQ(run(run_runs, {choice(), false, false, false}).out.find('\033'), std::string::npos);
  EXPECT_NE(run(run_runs, {choice(), false, false, true}).out.find("\033[31m"), std::string::npos);
  EXPECT_EQ(run(run_show, {choice(), "a", false, false, false}).out.find('\033'), std::string::npos);
  EXPECT_NE(run(run_show, {choice(), "a", false, false, true}).out.find("\033[31m"), std::string::npos);
}

TEST_F(JournalCommands, ShowDrawsATree) {
  EXPECT_EQ(run(run_show, {choice(), "a1", false, false, false}),
            (Output{kOk,
                    "run " + kRunA +
                        "  session work, run 3  loop, repeat.exact\n"
                        "task     Fix the build\n"
                        "model    m1\n"
                        "began    2023-11-14 22:13 UTC, 1.0 s long\n"
                        "used     1 turn, 1 call, 1 refused, 1230 tokens, $0.0050\n"
                        "cost     unpriced, 1 of 1 turn unpriced\n"
                        "         genai-prices 0.1.8 of 2026-09-23 knows no price of \"m1\"\n"
                        "verdicts block 1, run 1 (repeat.exact 1)\n"
                        "reason   going round\n"
                        "\n"
                        "main\n"
                        "└─ turn 1  1200 tokens in, 30 out, 0.1 s\n"
                        "   ├─ 1 read_file {\"path\":\"a\"}  ok, 9 bytes, 0.1 s\n"
                        "   └─ 2 read_file {\"path\":\"a\"}  blocked: repeat.exact, see call 1\n",
                    ""}));
}

TEST_F(JournalCommands, ShowSaysInWhichCallARunWasLeft) {
  Output const shown = run(run_show, {choice(), "last", false, false, false});
  EXPECT_NE(shown.out.find("left     left in call 1 (bash), which had started and not ended\n"), std::string::npos)
      << shown;
  EXPECT_NE(shown.out.find("└─ 1 bash {\"command\":\"make\"}  not ended\n"), std::string::npos) << shown;
}

std::string const kRunC = "c3" + std::string(30, '0');

TEST_F(JournalCommands, ShowPrintsWhatTheModelsSaidAndTheAnswer) {
  Result<journal::Journal> opened = journal::Journal::open(folder_.path() / "j.db");
  ASSERT_TRUE(opened.ok());
  std::string const many = "line 1\nline 2\nline 3 \x1b[2J";
  add(*opened, kRunC, 1, "run.open", R"({"session":"talk","number":1,"agent":"main"})");
  add(*opened, kRunC, 2, "turn.propose", R"({"turn":1,"verdict":"go"})");
  add(*opened, kRunC, 3, "turn.end", R"({"turn":1,"verdict":"go","text":"$"})", many);
  add(*opened, kRunC, 4, "round.propose", R"({"calls":[{"call":1,"tool":"read_file","arguments":"$"}]})",
      R"({"path":"a"})");
  add(*opened, kRunC, 5, "verdict", R"({"call":1,"tool":"read_file","verdict":"run"})");
  add(*opened, kRunC, 6, "call.start", R"({"call":1,"tool":"read_file","attempt":1})");
  add(*opened, kRunC, 7, "call.end", R"({"call":1,"status":"ok","bytes":9,"result":"$"})", "text\nof a\n");
  add(*opened, kRunC, 8, "turn.propose", R"({"turn":2,"verdict":"go"})");
  add(*opened, kRunC, 9, "turn.end", R"({"turn":2,"verdict":"go","text":"$"})", "All\ndone.");
  add(*opened, kRunC, 10, "run.close", R"({"status":"finished","turns":2,"calls":1,"answer":"$"})", "All\ndone.");
  Output const plain = run(run_show, {choice(), "c3", false, false, false});
  EXPECT_NE(plain.out.find("├─ turn 1  0.1 s\n"
                           "│  │ says      line 1\n"
                           "│  │           line 2\n"
                           "│  │           … 1 more line\n"
                           "│  └─ 1 read_file {\"path\":\"a\"}  ok, 9 bytes, 0.1 s\n"
                           "└─ turn 2  0.1 s\n"
                           "\n"
                           "answer   All\n"
                           "         done.\n"),
            std::string::npos)
      << plain;
  Output const full = run(run_show, {choice(), "c3", false, false, false, true});
  EXPECT_NE(full.out.find("│  │ says      line 1\n"
                          "│  │           line 2\n"
                          "│  │           line 3 \\x1b[2J\n"
                          "│  └─ 1 read_file  ok, 9 bytes, 0.1 s\n"
                          "│       arguments {\"path\":\"a\"}\n"
                          "│       result    text\n"
                          "│                 of a\n"),
            std::string::npos)
      << full;
  EXPECT_TRUE(full.out.ends_with("\nanswer   All\n         done.\n")) << full;
  EXPECT_TRUE(run(run_show, {choice(), "c3", true, false, false}).out.ends_with("\nanswer   All\n         done.\n"));
  Result<boost::json::value> const value = parse_json(run(run_show, {choice(), "c3", false, true, false}).out);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->at("answer").at("text").as_string(), "All\ndone.");
  EXPECT_EQ(value->at("turns").at(0).at("text").at("text").as_string(), many);
}

TEST_F(JournalCommands, ShowPrintsATableAndJson) {
  Output const table = run(run_show, {choice(), "a1", true, false, false});
  EXPECT_NE(table.out.find("    2     1     1  read_file            block     repeat.exact"), std::string::npos)
      << table;
  Output const json = run(run_show, {choice(), "a1", false, true, false});
  Result<boost::json::value> const value = parse_json(json.out);
  ASSERT_TRUE(value.ok()) << json;
  EXPECT_EQ(value->at("calls").at(0).at("result").at("text").as_string(), "text of a");
  EXPECT_EQ(value->at("calls").at(1).at("code").as_string(), "repeat.exact");
  EXPECT_EQ(value->at("turns").at(0).at("input_tokens").as_int64(), 1200);
}

TEST_F(JournalCommands, ExplainSaysWhy) {
  Output const why = run(run_explain, {choice(), "a1", "2"});
  EXPECT_EQ(why.status, kOk);
  EXPECT_NE(why.out.find("read_file with these arguments for the 3rd time since the last change"), std::string::npos)
      << why;
  EXPECT_NE(why.out.find("earlier    call 1: read_file {\"path\":\"a\"}\n"), std::string::npos) << why;
  EXPECT_EQ(run(run_explain, {choice(), "a1", "9"}),
            (Output{kUsage, "", "backedge: there is no call 9: this run has the calls 1 to 2\n"}));
  EXPECT_EQ(
      run(run_explain, {choice(), "a1", "two"}),
      (Output{kUsage, "", "backedge: \"two\" is no call: calls are numbered from 1, backedge show lists them\n"}));
}

TEST_F(JournalCommands, RunsGoOutAndComeInAgain) {
  EXPECT_EQ(run(run_runs_export, {choice(), {"a", "last"}, "out.jsonl"}), (Output{kOk, "", ""}));
  EXPECT_EQ(run(run_runs_export, {choice(), {"a", "last"}, ""}).out, folder_.read("out.jsonl"));
  EXPECT_EQ(run(run_runs_import, {choice("new.db"), "out.jsonl"}),
            (Output{kOk, "imported 2 runs with 15 events\n", ""}));
  EXPECT_EQ(run(run_runs_export, {choice("new.db"), {"a", "b"}, ""}).out, folder_.read("out.jsonl"));
  Output const again = run(run_runs_import, {choice("new.db"), "out.jsonl"});
  EXPECT_EQ(again.status, kFailed);
  EXPECT_NE(again.err.find("is in this journal already"), std::string::npos) << again;
  folder_.write("bad.jsonl", "{\n");
  Output const bad = run(run_runs_import, {choice("new.db"), "bad.jsonl"});
  EXPECT_EQ(bad.status, kUsage);
  EXPECT_TRUE(bad.err.starts_with("backedge: bad.jsonl:1:")) << bad;
  EXPECT_EQ(run(run_runs_import, {choice(), "none.jsonl"}),
            (Output{kUsage, "", "backedge: none.jsonl: no such file\n"}));
  EXPECT_EQ(run(run_runs_export, {choice(), {"a"}, "j.db"}),
            (Output{kUsage, "", "backedge: j.db: the export would overwrite the journal; name another file\n"}));
  EXPECT_EQ(run(run_runs_export, {choice(), {"a"}, "no/such/file"}).status, kFailed);
}

TEST_F(JournalCommands, RemoveTakesAllOrNone) {
  EXPECT_EQ(run(run_runs_remove, {choice(), {"a1", "ff"}}).status, kUsage);
  EXPECT_EQ(run(run_runs_remove, {choice(), {"a1", "a1"}}), (Output{kOk, "removed 1 run\n", ""}));
  EXPECT_EQ(run(run_show, {choice(), "a1", false, false, false}).status, kUsage);
  EXPECT_EQ(run(run_runs_remove, {choice(), {"last"}}), (Output{kOk, "removed 1 run\n", ""}));
  EXPECT_EQ(run(run_runs, {choice(), false, false, false}), (Output{kOk, "no runs yet\n", ""}));
}

TEST_F(JournalCommands, TheJournalIsTheNamedOneThePolicysOrTheDefaultOne) {
  std::string const none = ": there is no journal here; the first run begins one, --journal names another\n";
  EXPECT_EQ(run(run_runs, {choice("none.db"), false, false, false}),
            (Output{kUsage, "", "backedge: " + (folder_.path() / "none.db").string() + none}));
  EXPECT_EQ(
      run(run_runs, {choice(""), false, false, false}),
      (Output{kUsage, "", "backedge: " + (folder_.path() / "home/.local/state/backedge/journal.db").string() + none}));
  folder_.write("backedge.toml", "[journal]\npath = \"~/mine.db\"\n");
  EXPECT_EQ(run(run_runs, {choice(""), false, false, false}),
            (Output{kUsage, "", "backedge: " + (folder_.path() / "home/mine.db").string() + none}));
  folder_.write("backedge.toml", "[journal]\npath = \"j.db\"\n");
  EXPECT_EQ(run(run_runs, {choice(""), false, false, false}).status, kOk);
  folder_.write("backedge.toml", "[journal]\nsync = \"fast\"\n");
  Output const bad = run(run_runs, {choice(""), false, false, false});
  EXPECT_EQ(bad.status, kUsage);
  EXPECT_TRUE(bad.err.starts_with("backedge.toml:2:")) << bad;
  folder_.write("text", "no journal, and long enough not to be taken for one: " + std::string(600, 'x'));
  folder_.write("backedge.toml", "");
  EXPECT_EQ(run(run_runs, {choice("text"), false, false, false}).status, kUsage);
}

}  // namespace
}  // namespace backedge::cli
