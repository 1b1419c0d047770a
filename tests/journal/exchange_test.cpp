// Runs out and in again: nothing is lost, nothing damaged comes in.
#include "journal/exchange.h"

#include <sstream>

#include "journal/support.h"

namespace backedge::journal {
namespace {

std::string exported(Journal const& journal, std::string const& run) {
  std::ostringstream out;
  Result<void> const done = export_run(journal, run, out);
  EXPECT_TRUE(done.ok()) << error_of(done);
  return out.str();
}

Result<Imported> import_text(Journal& journal, std::string const& text) {
  std::istringstream in(text);
  return import_runs(journal, in, "runs.jsonl");
}

std::string line(std::string const& run, int seq, std::string const& rest = R"("type":"clock","body":{}})") {
  return R"({"v":1,"run":")" + run + R"(","seq":)" + std::to_string(seq) + R"(,"at_us":5,"frame":1,)" + rest + "\n";
}

TEST(Exchange, WritesATextOnceBeforeTheFirstEventThatNamesIt) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  talk::Event last = naming(3, "call.end", "result", "hello");
  last.cause = 2;
  must_append(journal, run_id('a'),
              {event(1, "run.open", R"({"session":"s"})"), naming(2, "user.message", "text", "hello"), last});
  std::string const name = sha256_hex("hello");
  std::string const run = run_id('a');
  EXPECT_EQ(exported(journal, run),
            R"({"v":1,"run":")" + run +
                R"(","seq":1,"at_us":1000001,"frame":1,"type":"run.open","body":{"session":"s"}})"
                "\n"
                R"({"raw":")" +
                name +
                R"(","text":"hello"})"
                "\n"
                R"({"v":1,"run":")" +
                run + R"(","seq":2,"at_us":1000002,"frame":1,"type":"user.message","body":{"text":")" + name +
                R"("}})"
                "\n"
                R"({"v":1,"run":")" +
                run + R"(","seq":3,"at_us":1000003,"frame":1,"cause":2,"type":"call.end","body":{"result":")" + name +
                R"("}})"
                "\n");
}

TEST(Exchange, ComesBackByteForByteWithWhateverItHolds) {
  TempFolder folder;
  Journal one = opened(folder.path() / "one.db");
  std::string const bytes("\xff\xfe\0 no text \n\"", 12);
  must_append(
      one, run_id('a'),
      {event(1, "run.open", R"({"session":"s","number":1})"),
       naming(2, "user.message", "text", "line\n\"quoted\" \\ 日本 \x01"), naming(3, "call.end", "result", bytes),
       naming(4, "call.end", "result", ""), naming(5, "model.reply", "arguments", R"({"password":"hunter2"})"),
       event(6, "some.day", R"({"a":[1.50,"}",{"b":12345678901234567890}], "c" : "\u0041" })"),
       event(7, "run.close", R"({"status":"finished","near_limit":true})")});
  std::string const first = exported(one, run_id('a'));
  Journal two = opened(folder.path() / "two.db");
  Result<Imported> const imported = import_text(two, first);
  ASSERT_TRUE(imported.ok()) << error_of(imported);
  EXPECT_EQ(imported->runs, std::vector{run_id('a')});
  EXPECT_EQ(imported->events, 7);
  EXPECT_EQ(exported(two, run_id('a')), first);
  EXPECT_EQ(*two.events(run_id('a')), *one.events(run_id('a')));
  EXPECT_EQ(*two.runs(), *one.runs());
}

TEST(Exchange, KeepsTypesAndMembersThatItDoesNotKnow) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  std::string const text =
      R"({"v":1,"run":")" + run_id('a') +
      R"(","seq":1,"at_us":-7,"frame":0,"type":"dance","body":{"x": {"y":[]}},"mood":"good","more":[{"}":"]"}]})"
      "\n";
  ASSERT_TRUE(import_text(journal, text).ok());
  EXPECT_EQ(exported(journal, run_id('a')), text);
  EXPECT_EQ(journal.events(run_id('a'))->at(0).body, R"({"x": {"y":[]}})");
}

TEST(Exchange, TakesOutSecretsOfWhatItImports) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  std::string const secret = "PASSWORD=hunter2";
  std::string const name = sha256_hex(secret);
  ASSERT_TRUE(import_text(journal, R"({"raw":")" + name +
                                       R"(","text":"PASSWORD=hunter2"})"
                                       "\n" +
                                       line(run_id('a'), 1, R"("type":"x","body":{"text":")" + name + R"("}})"))
                  .ok());
  std::string const out = exported(journal, run_id('a'));
  EXPECT_EQ(out.find("hunter2"), std::string::npos);
  EXPECT_NE(out.find("PASSWORD=[secret:"), std::string::npos);
}

TEST(Exchange, ReadsSeveralRunsOfOneFileAlsoWhenTheirLinesAlternate) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  Result<Imported> const done =
      import_text(journal, line(run_id('a'), 1) + line(run_id('b'), 1) + "\n" + line(run_id('a'), 2) +
                               line(run_id('b'), 2) + line(run_id('b'), 3));
  ASSERT_TRUE(done.ok()) << error_of(done);
  EXPECT_EQ(done->runs, (std::vector{run_id('a'), run_id('b')}));
  EXPECT_EQ(journal.events(run_id('b'))->size(), 3U);
}

TEST(Exchange, NamesTheLineThatIsWrongAndImportsNothing) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  std::string const a = run_id('a');
  struct Case {
    std::string second;
    std::string complaint;
  };
  for (Case const& c : std::vector<Case>{
           {R"({"v":2,"run":"x"})", "is of version 2, this backedge reads up to 1: use a newer one"},
           {line(a, 2).substr(0, 40), "is damaged: "},
           {"[1]", "is no event: it is not a JSON object"},
           {R"({"v":1})", "is no event: v, seq, at_us, frame, type and body are needed"},
           {line("xyz", 1), "names no run: that is 32 hexadecimal digits"},
           {line(a, 3), "is event 3 of run " + a + ", but event 2 is next"},
           {line(a, 1), "is event 1 of run " + a + ", but event 2 is next"},
           {line(a, 2, R"("type":"x","body":[]})"), "is no event: "},
           {line(a, 2, R"("type":"x","body":{"a":1,"a":2}})"), "is damaged: "},
           {R"({"raw":")" + sha256_hex("x") + R"(","text":"y"})", "holds another text than its name says"},
           {R"({"raw":")" + sha256_hex("x") + R"("})", "names a text but has none"},
           {R"({"raw":")" + sha256_hex("x") + R"(","base64":"*"})", "names a text but has none"},
           {"\x01\x02", "is damaged: "}}) {
    Result<Imported> const done = import_text(journal, line(a, 1) + c.second);
    ASSERT_FALSE(done.ok()) << c.second;
    EXPECT_EQ(done.error().kind, ErrorKind::kInput);
    EXPECT_EQ(done.error().where.file, "runs.jsonl");
    EXPECT_EQ(done.error().where.line, 2);
    EXPECT_NE(done.error().detail.find("this line " + c.complaint), std::string::npos) << done.error().text();
    EXPECT_NE(done.error().detail.find("nothing was imported"), std::string::npos);
    EXPECT_TRUE(journal.runs()->empty());
  }
}

TEST(Exchange, RefusesARunThatIsThereAlready) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  ASSERT_TRUE(import_text(journal, line(run_id('a'), 1)).ok());
  Result<Imported> const again = import_text(journal, line(run_id('b'), 1) + line(run_id('a'), 1));
  EXPECT_EQ(again.error().kind, ErrorKind::kState);
  EXPECT_EQ(journal.runs()->size(), 1U);
}

}  // namespace
}  // namespace backedge::journal
