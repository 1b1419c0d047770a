// A case: what happened, as data, and nothing of what is expected.
//
// One JSON object a line. Only `id`, `config` and `steps` are read; whatever else a line holds would give the answer
// away. The format is described in cases/README.md. Tested in tests/cases/case_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "backedge/result.h"

namespace backedge::cases {

struct Case {
  std::string id;
  boost::json::object config;
  std::vector<boost::json::object> steps;
  std::string file;
  int line = 0;
};

/// Reads a file's text. Blank lines are skipped. Errors: kInput with file and line, for the first line that is no case.
Result<std::vector<Case>> parse_cases(std::string_view text, std::string const& file);

}  // namespace backedge::cases
