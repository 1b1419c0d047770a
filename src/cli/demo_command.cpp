// backedge demo: five incidents and a healthy conversation, each unguarded and guarded, side by side, with a page for
// each run. Tested in tests/cli/command_line_test.cpp.

#include <ostream>

#include "cli/commands.h"
#include "cli/journal_file.h"
#include "demo/demo.h"

namespace backedge::cli {

int run_demo(DemoOptions const& options, std::ostream& out, std::ostream& err) {
  demo::DemoOptions made;
  made.folder = options.common.here.folder / options.folder;
  made.only = options.only;
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
