// backedge replay: a run that the program itself has recorded, under other policies.
#include <cstdlib>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/commands.h"
#include "support/temp_folder.h"

namespace backedge::cli {
namespace {

using support::TempFolder;

/// A folder with a journal of one run: the same listing six times, then an answer.
class ReplayCommand : public testing::Test {
 protected:
  ReplayCommand() {
    std::string script;
    for (int i = 0; i < 6; ++i)
      script += R"({"calls":[{"tool":"list_files","args":{"path":"sub"}}]})"
                "\n";
    folder_.write("script.jsonl", script + R"({"text":"done"})"
                                           "\n");
    folder_.write("sub/a.txt", "a");
    folder_.write("open.toml", "[repeat]\nexact = false\ncycle = false\n");
    folder_.write("strict.toml", "[repeat]\nexact = 3\n");
    std::string const words = "run go --model scripted:script.jsonl --journal j.db --policy open.toml > out 2> err";
    std::string const command = "cd '" + folder_.path().string() + "' && HOME=. '" BACKEDGE_PROGRAM "' " + words;
    EXPECT_EQ(std::system(command.c_str()), 0) << folder_.read("err");
  }

  int replay(std::string const& policy, bool json, std::string const& run = "last") {
    std::ostringstream out;
    std::ostringstream err;
    ReplayOptions options;
    options.journal.common = {{folder_.path(), "", ""}, policy};
    options.journal.journal = (folder_.path() / "j.db").string();
    options.run = run;
    options.json = json;
    int const status = run_replay(options, out, err);
    out_ = out.str();
    err_ = err.str();
    return status;
  }

  TempFolder folder_;
  std::string out_;
  std::string err_;
};

TEST_F(ReplayCommand, ThePolicyOfTheRunGivesNoDifference) {
  EXPECT_EQ(replay("open.toml", false), kOk) << err_;
  EXPECT_NE(out_.find("Under open.toml nothing would have been decided otherwise: 6 calls and 7 turns are the same.\n"),
            std::string::npos)
      << out_;
}

TEST_F(ReplayCommand, AStricterOneNamesTheCallsInWordsAndWhatIsSavedAtMost) {
  EXPECT_EQ(replay("strict.toml", false), kOk) << err_;
  EXPECT_NE(out_.find("call 3: main > list_files {\"path\":\"sub\"}"), std::string::npos) << out_;
  EXPECT_NE(out_.find("ran then, refused now: run then, reuse (repeat.exact) now\n"), std::string::npos) << out_;
  EXPECT_NE(out_.find("for the 3rd time"), std::string::npos) << out_;
  EXPECT_NE(out_.find("Under strict.toml 2 calls that ran would have been refused"), std::string::npos) << out_;
  EXPECT_NE(out_.find("at most 4 calls"), std::string::npos) << out_;
}

TEST_F(ReplayCommand, TheSameAsJson) {
  EXPECT_EQ(replay("strict.toml", true), kOk) << err_;
  Result<boost::json::value> const parsed = parse_json(out_);
  ASSERT_TRUE(parsed.ok()) << out_;
  boost::json::object const& body = parsed->as_object();
  EXPECT_EQ(body.at("refused_now"), 2);
  EXPECT_EQ(body.at("saved_at_most").at("calls"), 4);
  EXPECT_EQ(body.at("own_policy_known"), true);
  EXPECT_EQ(body.at("cannot_judge"), 0);
  boost::json::object const& first = body.at("differences").as_array().at(0).as_object();
  EXPECT_EQ(first.at("kind"), "refused_now");
  EXPECT_EQ(first.at("call"), 3);
  EXPECT_EQ(first.at("then").at("verdict"), "run");
  EXPECT_EQ(first.at("now").at("code"), "repeat.exact");
}

TEST_F(ReplayCommand, WhatIsNotThereIsOneLineAndAStatus) {
  EXPECT_EQ(replay("strict.toml", false, "ffff"), kUsage);
  EXPECT_TRUE(out_.empty());
  EXPECT_FALSE(err_.empty());
  EXPECT_EQ(replay("nowhere.toml", false), kUsage);
  EXPECT_NE(err_.find("nowhere.toml"), std::string::npos) << err_;
}

}  // namespace
}  // namespace backedge::cli
