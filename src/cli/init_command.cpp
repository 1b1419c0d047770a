// backedge init: writes the commented backedge.toml. A file that is there is never overwritten unless asked for.
#include <cerrno>
#include <cstdio>
#include <memory>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/policy_files.h"
#include "policy/reference.h"

namespace backedge::cli {

int run_init(InitOptions const& options, std::ostream& out, std::ostream& err) {
  std::filesystem::path const path = options.folder / kPolicyFileName;
  std::string const text = policy::template_file();
  // "x" fails when the file exists, also when it came into being just now.
  auto close = [](std::FILE* file) { std::fclose(file); };
  std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), options.force ? "wb" : "wbx"), close);
  if (!file && errno == EEXIST) {
    err << fmt::format("backedge: {} exists already; --force overwrites it\n", kPolicyFileName);
    return kFailed;
  }
  bool const written =
      file && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() && std::fflush(file.get()) == 0;
  if (!written) {
    err << fmt::format("backedge: {} cannot be written: {}\n", kPolicyFileName, std::generic_category().message(errno));
    return kFailed;
  }
  out << fmt::format("wrote {}: every setting, commented out at its default\n", kPolicyFileName);
  return kOk;
}

}  // namespace backedge::cli
