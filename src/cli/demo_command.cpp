// backedge demo: five incidents and a healthy conversation, each unguarded and guarded, side by side, with a page for
// each run. Tested in tests/cli/command_line_test.cpp.

#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/journal_file.h"
#include "demo/demo.h"

namespace backedge::cli {

namespace {

/// What there is to choose from: "1 TITLE".
std::string all_incidents() {
  std::string out;
  for (demo::Incident const& one : demo::incidents())
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", one.number, one.title);
  return out;
}

/// The numbers that were named. Errors: kUsage, with all that there are.
Result<std::vector<int>> numbers(std::vector<std::string> const& words) {
  std::vector<int> out;
  for (std::string const& word : words) {
    auto const of = [&](demo::Incident const& one) { return std::to_string(one.number) == word; };
    auto const at = std::find_if(demo::incidents().begin(), demo::incidents().end(), of);
    if (at == demo::incidents().end()) {
      return Error{ErrorKind::kUsage,
                   fmt::format("--only {}: there is no such incident; name numbers of these: {}", in_quotes(word),
                               all_incidents()),
                   {}};
    }
    out.push_back(at->number);
  }
  return out;
}

}  // namespace

int run_demo(DemoOptions const& options, std::ostream& out, std::ostream& err) {
  demo::DemoOptions made;
  made.folder = options.common.here.folder / options.folder;
  Result<std::vector<int>> only = numbers(options.only);
  if (!only) return complain(err, only.error());
  made.only = *std::move(only);
  Result<demo::Demo> const played = demo::play_demo(made);
  if (!played) return complain(err, played.error());
  if (options.json) {
    out << demo::demo_json(*played) << '\n';
  } else {
    out << demo::demo_text(*played, options.folder);
  }
  return kOk;
}

}  // namespace backedge::cli
