#include "tools/builtin.h"

#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tools/fake_context.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

std::string arguments(std::initializer_list<std::pair<std::string_view, boost::json::value>> members) {
  return boost::json::serialize(boost::json::object(members.begin(), members.end()));
}

std::string text_of(ToolResult const& result) {
  return (result.status == CallStatus::kOk ? "" : "error: ") + result.text;
}

TEST(BuiltinTools, HaveWritingAndRunningOnlyWhereAllowed) {
  auto const names = [](Bench const& bench) {
    std::vector<std::string> out;
    for (auto const& [spec, run] : bench.tools()) out.push_back(spec.name);
    return out;
  };
  EXPECT_EQ(names(Bench(BuiltinOptions{})), (std::vector<std::string>{"read_file", "list_files", "search_files"}));
  EXPECT_EQ(names(Bench()),
            (std::vector<std::string>{"read_file", "list_files", "search_files", "write_file", "run_command"}));
  EXPECT_FALSE(builtin_tools({.folder = "/nowhere/at/all"}).ok());
}

struct ReadCase {
  std::string content;
  std::string more;  // further arguments
  std::string shown;
};

TEST(ReadFile, ShowsNumberedLinesAndSaysWhatIsSpecial) {
  std::vector<ReadCase> const cases{
      {"one\ntwo\n", "", "     1\tone\n     2\ttwo\n"},
      {"one\ntwo", "", "     1\tone\n     2\ttwo\n[no newline at the end of the file]\n"},
      {"", "", "[the file is empty]\n"},
      {"\n\n", "", "     1\t\n     2\t\n"},
      {"a\r\nb\r\n", "", "     1\ta\n     2\tb\n[lines end in CR LF]\n"},
      {"a\r\nb\n", "", "     1\ta\n     2\tb\n[1 of these lines end in CR LF, the others in LF]\n"},
      {"1\n2\n3\n4\n", R"(,"offset":2,"limit":2)", "     2\t2\n     3\t3\n[lines 2 to 3 of 4; go on with offset 4]\n"},
      {"1\n2\n", R"(,"offset":2)", "     2\t2\n"},
      {"1\n2\n", R"(,"offset":3)", "error: offset 3 is behind the end: the file has 2 lines"},
      {"1\n2\n", R"(,"offset":9223372036854775807,"limit":9223372036854775807)",
       "error: offset 9223372036854775807 is behind the end: the file has 2 lines"},
      {"a\xff"
       "b\n",
       "",
       "     1\ta\xef\xbf\xbd"
       "b\n[bytes that are no UTF-8 are shown as \xef\xbf\xbd]\n"},
      {std::string("\x7f"
                   "ELF\0\0",
                   6),
       "", "error: \"f\" is a binary file of 6 bytes; it cannot be shown as text"},
  };
  for (ReadCase const& c : cases) {
    Bench const bench;
    bench.folder.write("f", c.content);
    EXPECT_EQ(text_of(bench.call("read_file", R"({"path":"f")" + c.more + "}")), c.shown);
  }
}

TEST(ReadFile, ReadsLinesAcrossPiecesOfTheFile) {
  Bench const bench;
  std::string content;
  for (int i = 1; i <= 5'000; ++i) content += std::string(static_cast<std::size_t>(i % 97), 'x') + "\n";
  bench.folder.write("f", content);
  std::string const text = bench.call("read_file", R"({"path":"f","limit":100000})").text;
  std::string expected;
  for (int i = 1; i <= 5'000; ++i)
    expected += fmt::format("{:>6}\t{}\n", i, std::string(static_cast<std::size_t>(i % 97), 'x'));
  EXPECT_EQ(text, expected);
}

TEST(ReadFile, BoundsAHugeLineAndSaysSo) {
  Bench const bench({.folder = {}, .max_result = 1'000});
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += "\xe2\x82\xac";
  bench.folder.write("f", content + "\nnext\n");
  ToolResult const result = bench.call("read_file", R"({"path":"f"})");
  EXPECT_LT(result.text.size(), 1'200u);
  EXPECT_TRUE(is_utf8(result.text));
  EXPECT_NE(result.text.find("[cut in line 1 at the limit of one result; the file has 2 lines; go on with offset 2]"),
            std::string::npos)
      << result.text.substr(900);
}

TEST(ReadFile, SaysWhatIsWrongWithAPath) {
  Bench const bench;
  bench.folder.write("src/main.cpp", "x");
  EXPECT_EQ(text_of(bench.call("read_file", R"({"path":"src/mian.cpp"})")),
            R"(error: there is no "src/mian.cpp"; near names: "src/main.cpp")");
  EXPECT_EQ(text_of(bench.call("read_file", R"({"path":"src"})")), R"(error: "src" is a folder, not a file)");
  EXPECT_NE(text_of(bench.call("read_file", R"({"path":"../x"})")).find("outside of the working folder"),
            std::string::npos);
  EXPECT_NE(text_of(bench.call("read_file", "{\"path\":\"a\\u0000b\"}")).find("zero byte"), std::string::npos);
  EXPECT_NE(text_of(bench.call("read_file", "")).find("/path is missing"), std::string::npos);
  EXPECT_NE(text_of(bench.call("read_file", "nonsense")).find("/path is missing"), std::string::npos);
}

TEST(ListFiles, ShowsLevelsAndSaysWhatIsLeftOut) {
  Bench const bench;
  for (char const* const path : {"a.txt", "src/b.cpp", "src/x/c.cpp", ".git/HEAD"}) bench.folder.write(path, "x");
  std::filesystem::create_symlink("/etc", bench.folder.path() / "etc");
  EXPECT_EQ(
      text_of(bench.call("list_files", "{}")),
      "a.txt\netc (link)\nsrc/\nsrc/b.cpp\nsrc/x/\n[folders at level 2 are not opened; give a larger depth or a path]\n"
      "[.git is left out]\n");
  EXPECT_EQ(text_of(bench.call("list_files", R"({"path":"src","depth":5})")), "src/b.cpp\nsrc/x/\nsrc/x/c.cpp\n");
  EXPECT_EQ(text_of(bench.call("list_files", R"({"glob":"*.cpp"})")), "src/b.cpp\nsrc/x/c.cpp\n[.git is left out]\n");
  EXPECT_EQ(text_of(bench.call("list_files", R"({"path":"src","glob":"*.py"})")), "[nothing matches the glob]\n");
  EXPECT_EQ(text_of(bench.call("list_files", R"({"path":"a.txt"})")), "error: \"a.txt\" is a file, not a folder");
  EXPECT_EQ(text_of(bench.call("list_files", R"({"path":"etc"})")).find("error: "), 0u);
}

TEST(ListFiles, StopsAtTheLimit) {
  Bench const bench({.folder = {}, .max_entries = 5});
  for (int i = 0; i < 9; ++i) bench.folder.write(fmt::format("f{}", i), "");
  EXPECT_EQ(text_of(bench.call("list_files", "{}")),
            "f0\nf1\nf2\nf3\nf4\n[stopped after 5 entries; there are more: narrow it by path, depth or glob]\n");
}

TEST(ListFiles, ShowsStrangeNamesAsText) {
  Bench const bench;
  bench.folder.write("a\nb", "");
  bench.folder.write("\xff", "");
  bench.folder.write("\xe6\x97\xa5\xe6\x9c\xac", "");
  std::string const text = bench.call("list_files", "{}").text;
  EXPECT_TRUE(is_utf8(text));
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
}

TEST(SearchFiles, ShowsFileLineAndText) {
  Bench const bench;
  bench.folder.write("a.txt", "hello\nworld\r\nhello again");
  bench.folder.write("src/b.cpp", "say hello();\n");
  bench.folder.write(".git/x", "hello");
  bench.folder.write("bin", std::string("hello\0", 6));
  EXPECT_EQ(text_of(bench.call("search_files", R"({"pattern":"hel+o"})")),
            "a.txt:1:hello\na.txt:3:hello again\nsrc/b.cpp:1:say hello();\n[binary files, not searched: 1]\n"
            "[.git is left out]\n");
  EXPECT_EQ(text_of(bench.call("search_files", R"({"pattern":"world$","path":"a.txt"})")), "a.txt:2:world\n");
  EXPECT_EQ(text_of(bench.call("search_files", R"({"pattern":"(?i)HELLO","glob":"*.cpp","path":"src"})")),
            "src/b.cpp:1:say hello();\n");
  EXPECT_EQ(text_of(bench.call("search_files", R"({"pattern":"nothing","path":"src"})")),
            "[no match; files searched: 1]\n");
  EXPECT_EQ(text_of(bench.call("search_files", R"({"pattern":"x","path":"nowhere"})")).find("error: there is no"), 0u);
  EXPECT_NE(text_of(bench.call("search_files", R"x({"pattern":"foo("})x")).find("no RE2 expression"),
            std::string::npos);
}

TEST(SearchFiles, BoundsMatchesAndLines) {
  Bench const bench({.folder = {}, .max_entries = 3});
  bench.folder.write("f", "xx\nxx\nxx\nxx\n");
  bench.folder.write("g", std::string(1'000'000, 'y'));
  EXPECT_NE(bench.call("search_files", R"({"pattern":"x"})").text.find("[stopped after 3 matches"), std::string::npos);
  std::string const text = bench.call("search_files", R"({"pattern":"y"})").text;
  EXPECT_LT(text.size(), 3'000u);
  EXPECT_NE(text.find("[998000 bytes more in this line]"), std::string::npos);
}

TEST(SearchFiles, IsLinearOnAHostilePattern) {
  Bench const bench;
  bench.folder.write("f", std::string(1'000'000, 'a') + "!\n");
  EXPECT_EQ(text_of(bench.call("search_files", R"({"pattern":"^(a+)+$"})")), "[no match; files searched: 1]\n");
}

TEST(WriteFile, MakesAndReplaces) {
  Bench const bench;
  EXPECT_EQ(text_of(bench.call("write_file", R"({"path":"x/y.txt","content":"a\nb"})")),
            "made x/y.txt: 2 lines, 3 bytes\n");
  EXPECT_EQ(text_of(bench.call("write_file", R"({"path":"x/y.txt","content":""})")),
            "replaced x/y.txt: 0 lines, 0 bytes\n");
  EXPECT_EQ(bench.folder.read("x/y.txt"), "");
  EXPECT_EQ(text_of(bench.call("write_file", R"({"path":"../y.txt","content":""})")).find("error: "), 0u);
  EXPECT_EQ(text_of(bench.call("write_file", R"({"path":"z"})")).find("error: /content is missing"), 0u);
}

TEST(WriteFile, DoesNotWriteThroughALink) {
  Bench const bench;
  bench.folder.write("real.txt", "old");
  std::filesystem::create_symlink("real.txt", bench.folder.path() / "link.txt");
  EXPECT_EQ(text_of(bench.call("write_file", arguments({{"path", "link.txt"}, {"content", "new"}}))),
            "error: \"link.txt\" is a link, not a file, and is not written to; name the file that it leads to");
  EXPECT_EQ(bench.folder.read("real.txt"), "old");
}

}  // namespace
}  // namespace backedge::tools
