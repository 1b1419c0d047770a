// Requirement C5 through the program: the repository doctor of examples/doctor, with the real tools on its repository.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_folder.h"

namespace backedge {
namespace {

namespace fs = std::filesystem;

// Works in a folder of its own; the repository is a copy.
class Doctor : public testing::Test {
 protected:
  Doctor() { fs::copy(fs::path(BACKEDGE_SOURCE_DIR) / "examples/doctor", folder_, fs::copy_options::recursive); }
  struct Outcome {
    int status = 0;
    std::string text;
  };
  Outcome backedge(std::string const& words) const {
    std::string const command =
        "exec 2>&1; cd '" + (folder_ / "repo").string() + "' && HOME='" + folder_.string() +
        "' XDG_CONFIG_HOME= XDG_STATE_HOME= NO_COLOR=1 '" BACKEDGE_PROGRAM "' --policy ../backedge.toml " + words;
    FILE* const pipe = ::popen(command.c_str(), "r");
    Outcome out;
    char buffer[4096];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.text.append(buffer, n);
    int const status = ::pclose(pipe);
    out.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return out;
  }

  support::TempFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(Doctor, C5_FourStagesOnARealRepositoryWithAModelThatAlsoDoesWhatItMustNot) {
  Outcome const run = backedge("run 'What is wrong here?' --model scripted:../doctor.jsonl");
  EXPECT_EQ(run.status, 0) << run.text;
  EXPECT_NE(run.text.find("README.md:7 and Makefile:4 call tools/check.sh"), std::string::npos) << run.text;
  EXPECT_NE(run.text.find("finished; 11 turns"), std::string::npos) << run.text;

  Outcome const show = backedge("show last");
  std::size_t at = 0;
  for (std::string_view const line :
       {"stage explore begins the run", "2 read_file", "stage.forbidden", "stage read: explore is spent",
        "9 list_files", "10 list_files", "view set back to the start of stage read", "11 read_file",
        "stage analyse: read is done", "stage report: analyse is done", "turn 11"}) {
    at = show.text.find(line, at);
    ASSERT_NE(at, std::string::npos) << line << "\n" << show.text;
  }
  Outcome const why = backedge("explain last 2");
  EXPECT_NE(why.text.find("read_file is not open in stage explore, which has list_files, search_files"),
            std::string::npos)
      << why.text;
  EXPECT_NE(why.text.find("only list and search in this stage"), std::string::npos) << why.text;
  Outcome const reuse = backedge("explain last 11");
  EXPECT_NE(reuse.text.find("reuse (route.known)"), std::string::npos) << reuse.text;
  Outcome const same = backedge("replay last");
  EXPECT_NE(same.text.find("nothing would have been decided otherwise"), std::string::npos) << same.text;
}

}  // namespace
}  // namespace backedge
