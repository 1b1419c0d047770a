// The journal keeps what it is given, in order, once, without secrets.
#include "journal/journal.h"

#include <thread>

#include <sys/stat.h>

#include "journal/database.h"
#include "journal/support.h"

namespace backedge::journal {
namespace {

constexpr char kOpen[] = R"({"session":"work","number":3,"agent":"main"})";
constexpr char kClose[] = R"({"status":"loop","code":"repeat.exact","turns":4,"calls":7,"refused":2,"near_limit":true,)"
                          R"("usage":{"input":100,"output":20},"cost_nano_usd":5000})";

std::vector<talk::Event> whole_run() {
  return {event(1, "run.open", kOpen), naming(2, "user.message", "text", "Fix the build"),
          naming(3, "call.end", "result", "done"), event(4, "run.close", kClose)};
}

TEST(Journal, GivesBackTheEventsOfARunInOrderWithTheirTexts) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  must_append(journal, run_id('a'), whole_run());
  Result<std::vector<talk::Event>> const events = journal.events(run_id('a'));
  ASSERT_TRUE(events.ok()) << error_of(events);
  EXPECT_EQ(*events, whole_run());
  EXPECT_EQ(*journal.text(sha256_hex("done")), "done");
}

TEST(Journal, KeepsWhatItHeldWhenItIsOpenedAgain) {
  TempFolder folder;
  {
    Journal journal = opened(folder.path() / "j.db");
    must_append(journal, run_id('a'), whole_run());
  }
  Journal journal = opened(folder.path() / "j.db", {.create = false});
  EXPECT_EQ(*journal.events(run_id('a')), whole_run());
}

TEST(Journal, ListsRunsFromWhatOpenMessageAndCloseSay) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  must_append(journal, run_id('a'), whole_run());
  must_append(journal, run_id('b'), {event(1, "run.open", R"({"session":"work","number":4})")});
  RunInfo const a{.id = run_id('a'),
                  .session = "work",
                  .number = 3,
                  .opened = Micros(1'000'001),
                  .closed = Micros(1'000'004),
                  .status = "loop",
                  .code = "repeat.exact",
                  .turns = 4,
                  .calls = 7,
                  .refused = 2,
                  .tokens = 120,
                  .cost_nano_usd = 5000,
                  .near_limit = true,
                  .task = "Fix the build"};
  RunInfo const b{.id = run_id('b'), .session = "work", .number = 4, .opened = Micros(1'000'001)};
  EXPECT_EQ(*journal.runs(), (std::vector<RunInfo>{b, a}));
  EXPECT_EQ(*journal.runs(true), (std::vector<RunInfo>{a}));
  EXPECT_EQ(*journal.session("work"), (std::vector<RunInfo>{a, b}));
  EXPECT_EQ(*journal.session("play"), (std::vector<RunInfo>{}));
}

TEST(Journal, KeepsTheStatusThatARunClosesWithHoweverLongAndFinishedWhereThereIsNone) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  std::string const beyond_small(100, 's');
  char digit = 'a';
  for (std::string const& status : {std::string("loop"), beyond_small, std::string()}) {
    std::string const run = run_id(digit++);
    must_append(journal, run, {event(1, "run.open", "{}"), event(2, "run.close", R"({"status":")" + status + R"("})")});
    EXPECT_EQ(journal.find(run)->status, status.empty() ? "finished" : status);
  }
}

template <class Text>
concept Bindable = requires(Statement& s, Text&& text) {
  s.bind_text(1, std::forward<Text>(text));
  s.bind_blob(1, std::forward<Text>(text));
};
static_assert(Bindable<std::string const&> && Bindable<std::string_view> && Bindable<char const (&)[3]>);
static_assert(!Bindable<std::string> && !Bindable<std::string const>, "a statement would read it after its end");

TEST(Journal, FindsARunByABeginningThatIsItsOwnOrAsTheLastOne) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  EXPECT_NE(error_of(journal.find("last")).find("there is no run here yet"), std::string::npos);
  std::string const one = "ab" + std::string(30, '1');
  std::string const two = "ac" + std::string(30, '2');
  must_append(journal, one, {event(1, "run.open", "{}")});
  must_append(journal, two, {event(1, "run.open", "{}")});
  EXPECT_EQ(journal.find("ab")->id, one);
  EXPECT_EQ(journal.find(two)->id, two);
  EXPECT_EQ(journal.find("last")->id, two);
  EXPECT_EQ(journal.find("a").error().kind, ErrorKind::kUsage);
  EXPECT_EQ(journal.find("ad").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(journal.find("").error().kind, ErrorKind::kUsage);
  EXPECT_EQ(journal.find("A%").error().kind, ErrorKind::kUsage);
}

TEST(Journal, RefusesAGapARepetitionAndARunThatIsNotThere) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  EXPECT_EQ(append(journal, run_id('a'), {event(2, "verdict", "{}")}).error().kind, ErrorKind::kNotFound);
  must_append(journal, run_id('a'), {event(1, "run.open", "{}")});
  EXPECT_EQ(append(journal, run_id('a'), {event(1, "run.open", "{}")}).error().kind, ErrorKind::kState);
  EXPECT_EQ(append(journal, run_id('a'), {event(3, "verdict", "{}")}).error().kind, ErrorKind::kState);
  EXPECT_EQ(append(journal, run_id('a'), {event(2, "verdict", "{}"), event(4, "verdict", "{}")}).error().kind,
            ErrorKind::kUsage);
  EXPECT_EQ(append(journal, "nonsense", {event(1, "run.open", "{}")}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(append(journal, run_id('b'), {event(1, "run.open", "{}", {{"x", "y"}})}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(journal.events(run_id('a'))->size(), 1U);
}

TEST(Journal, KeepsNoSecretInTextsBodiesOrNames) {
  TempFolder folder;
  std::string const secret = "hunter2hunter2";
  std::string const arguments = R"({"password":")" + secret + R"("})";
  {
    Journal journal = opened(folder.path() / "j.db");
    must_append(journal, run_id('a'), {event(1, "run.open", "{}"), naming(2, "model.reply", "arguments", arguments)});
    // Named again without its text, and brought again: it is known under one name all the time.
    must_append(
        journal, run_id('a'),
        {event(3, "round.propose", R"({"arguments":")" + sha256_hex(arguments) + R"("})"),
         naming(4, "call.end", "result", arguments), event(5, "compact", R"({"what":"TOKEN=)" + secret + R"("})")});
    Result<std::vector<talk::Event>> const events = journal.events(run_id('a'));
    ASSERT_TRUE(events.ok()) << error_of(events);
    std::string const name = (*events)[1].raws.at(0).sha256;
    EXPECT_EQ(name, sha256_hex((*events)[1].raws.at(0).text));
    EXPECT_EQ((*events)[2].raws, (*events)[1].raws);
    EXPECT_EQ((*events)[3].raws, (*events)[1].raws);
    EXPECT_NE((*events)[4].body.find("TOKEN=[secret:"), std::string::npos);
    EXPECT_EQ((*events)[1].body.find(sha256_hex(arguments)), std::string::npos);
  }
  std::string const file = folder.read("j.db");
  EXPECT_EQ(file.find(secret), std::string::npos);
  EXPECT_EQ(file.find(sha256_hex(arguments)), std::string::npos);
}

TEST(Journal, MarksOfTwoJournalsDiffer) {
  TempFolder folder;
  auto const stored = [&](char const* name) {
    Journal journal = opened(folder.path() / name);
    must_append(journal, run_id('a'), {event(1, "compact", R"({"what":"TOKEN=abcdef"})")});
    return journal.events(run_id('a'))->at(0).body;
  };
  EXPECT_NE(stored("one.db"), stored("two.db"));
}

TEST(Journal, KeepsOnlyDigestsWhenTextsAreNotWanted) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db", {.full_texts = false});
  must_append(journal, run_id('a'), whole_run());
  std::vector<talk::Event> expected = whole_run();
  for (talk::Event& e : expected) e.raws.clear();
  EXPECT_EQ(*journal.events(run_id('a')), expected);
  EXPECT_EQ(journal.runs()->at(0).task, "");
  EXPECT_EQ(journal.text(sha256_hex("done")).error().kind, ErrorKind::kNotFound);
}

TEST(Journal, RemovesRunsWithTheTextsThatNothingElseNames) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  std::string const a = run_id('a');
  std::string const b = run_id('b');
  std::string const c = run_id('c');
  must_append(journal, a, {naming(1, "user.message", "text", "shared"), naming(2, "call.end", "result", "only a")});
  must_append(journal, b, {naming(1, "user.message", "text", "shared"), naming(2, "call.end", "result", "only b")});
  must_append(journal, c, {naming(1, "user.message", "text", "shared")});
  EXPECT_EQ(journal.remove(std::vector{a, run_id('f')}).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(journal.runs()->size(), 3U) << "all or none";
  ASSERT_TRUE(journal.remove(std::vector{a}).ok());
  EXPECT_EQ(journal.text(sha256_hex("only a")).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(*journal.text(sha256_hex("shared")), "shared");
  EXPECT_EQ(journal.events(a).error().kind, ErrorKind::kNotFound);
  ASSERT_TRUE(journal.remove(std::vector{b, b}).ok());
  EXPECT_EQ(journal.events(c)->at(0).raws.at(0).text, "shared");
  ASSERT_TRUE(journal.remove(std::vector{c}).ok());
  EXPECT_EQ(journal.text(sha256_hex("shared")).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(append(journal, a, {event(3, "verdict", "{}")}).error().kind, ErrorKind::kNotFound);
}

TEST(Journal, NoticesThatItsFileIsNoLongerTheOneAtItsPath) {
  for (bool const replaced : {false, true}) {
    TempFolder folder;
    Journal journal = opened(folder.path() / "j.db");
    must_append(journal, run_id('a'), {event(1, "run.open", kOpen)});
    std::filesystem::remove(folder.path() / "j.db");
    if (replaced) static_cast<void>(opened(folder.path() / "other.db"));
    if (replaced) std::filesystem::rename(folder.path() / "other.db", folder.path() / "j.db");
    talk::Event const close = event(2, "run.close", kClose);
    EventView const view = close.view();
    Result<void> const done = journal.append(run_id('a'), {&view, 1});
    ASSERT_FALSE(done.ok()) << replaced;
    EXPECT_EQ(done.error().kind, ErrorKind::kIo);
    EXPECT_NE(done.error().text().find("removed or replaced"), std::string::npos) << done.error().text();
  }
}

TEST(Journal, RemovesWhatIsOlderByItsLastEvent) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  auto const at = [](std::uint64_t seq, std::int64_t micros) {
    talk::Event e = event(seq, "clock", "{}");
    e.at = Micros(micros);
    return e;
  };
  must_append(journal, run_id('a'), {at(1, 100), at(2, 200)});
  must_append(journal, run_id('b'), {at(1, 100), at(2, 900)});
  must_append(journal, run_id('c'), {at(1, 800)});
  EXPECT_EQ(*journal.remove_older(Micros(100)), 0);
  EXPECT_EQ(*journal.remove_older(Micros(500)), 1);
  EXPECT_EQ(journal.events(run_id('a')).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(journal.runs()->size(), 2U);
}

TEST(Journal, TakesEventsFromManyThreads) {
  TempFolder folder;
  Journal journal = opened(folder.path() / "j.db");
  std::vector<std::jthread> threads;
  for (char const digit : {'1', '2', '3', '4'}) {
    threads.emplace_back([&journal, digit] {
      for (std::uint64_t seq = 1; seq <= 100; ++seq)
        must_append(journal, run_id(digit), {naming(seq, "call.end", "result", std::to_string(seq))});
    });
  }
  threads.clear();
  for (char const digit : {'1', '2', '3', '4'}) EXPECT_EQ(journal.events(run_id(digit))->size(), 100U);
  ASSERT_TRUE(journal.remove(std::vector{run_id('1'), run_id('2'), run_id('3')}).ok());
  EXPECT_EQ(*journal.text(sha256_hex("77")), "77") << "run 4 names it still";
}

TEST(Journal, IsForItsOwnerOnly) {
  TempFolder folder;
  std::filesystem::path const file = folder.path() / "deep" / "er" / "j.db";
  Journal journal = opened(file);
  must_append(journal, run_id('a'), whole_run());
  auto const mode = [](std::filesystem::path const& path) {
    struct stat s{};
    EXPECT_EQ(stat(path.c_str(), &s), 0) << path;
    return s.st_mode & 0777U;
  };
  EXPECT_EQ(mode(file), 0600U);
  EXPECT_EQ(mode(file.string() + "-wal"), 0600U);
  EXPECT_EQ(mode(file.parent_path()), 0700U);
  EXPECT_EQ(mode(file.parent_path().parent_path()), 0700U);
}

TEST(Journal, StandsInTheStateFolderByDefault) {
  EXPECT_EQ(*default_path("/state", "/home/ann"), "/state/backedge/journal.db");
  EXPECT_EQ(*default_path("", "/home/ann"), "/home/ann/.local/state/backedge/journal.db");
  EXPECT_EQ(*default_path("relative", "/home/ann"), "/home/ann/.local/state/backedge/journal.db");
  EXPECT_EQ(default_path("", "").error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace backedge::journal
