// The corpus of cases and its judge, for tests.
//
// Cases are played in this process; whether the decisions are right says cases/judge.py, which knows what is expected.
#pragma once

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/play.h"
#include "cases/report.h"

namespace backedge::support {

inline std::string corpus_path(std::string const& name) { return std::string(BACKEDGE_SOURCE_DIR) + "/cases/" + name; }

inline std::string read_text(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Every case of a file of the corpus; aborts when the file is malformed, which its own test reports.
inline std::vector<cases::Case> corpus(std::string const& name) {
  return *cases::parse_cases(read_text(corpus_path(name)), name);
}

/// The case with this id.
inline cases::Case named_case(std::vector<cases::Case> const& all, std::string const& id) {
  auto const it = std::find_if(all.begin(), all.end(), [&](cases::Case const& c) { return c.id == id; });
  if (it == all.end()) {
    ADD_FAILURE() << "no case " << id;
    return {};
  }
  return *it;
}

struct Judgement {
  bool right = false;  // every judged case
  std::string report;  // as the judge printed it
  /// "130 of 130 right"
  std::string last_line() const {
    std::size_t const end = report.find_last_not_of('\n');
    if (end == std::string::npos) return {};
    std::size_t const start = report.rfind('\n', end);
    return report.substr(start + 1, end - start);
  }
};

/// Lays the decisions before the judge. `category` empty: all of the file.
inline Judgement judge(std::string const& name, std::vector<cases::Played> const& played,
                       std::string const& category = {}) {
  std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(test.begin(), test.end(), '/', '_');
  std::string const decisions = ::testing::TempDir() + "backedge_decisions_" + test + ".jsonl";
  std::ofstream out(decisions, std::ios::binary);
  for (cases::Played const& p : played) out << cases::decisions_line(p) << '\n';
  out.close();
  std::string command = "python3 '" + corpus_path("judge.py") + "' '" + corpus_path(name) + "' '" + decisions + "'";
  if (!category.empty()) command += " --category " + category;
  Judgement judgement;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return judgement;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) judgement.report.append(buffer, n);
  judgement.right = ::pclose(pipe) == 0;
  std::remove(decisions.c_str());
  return judgement;
}

}  // namespace backedge::support
