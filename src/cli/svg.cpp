// dot as a process; see svg.h.

#include "cli/svg.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"
#include "tools/process.h"

namespace backedge::cli {
namespace {

/// What env and a shell say when there is no such program.
constexpr int kNoProgram = 127;

/// A folder that is gone when this is, with its descriptor.
class Workplace {
 public:
  Workplace() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "backedge-dot-XXXXXX").string();
    if (error || mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    descriptor_ = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  ~Workplace() {
    if (descriptor_ >= 0) ::close(descriptor_);
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Workplace(Workplace const&) = delete;
  Workplace& operator=(Workplace const&) = delete;

  bool ok() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

Error failed(std::string detail) { return {ErrorKind::kIo, std::move(detail), {}}; }

Result<void> judge(tools::Ended const& ended, std::string const& dot, std::chrono::milliseconds limit) {
  if (std::holds_alternative<tools::TimedOut>(ended.how)) {
    return failed(fmt::format("{} has not drawn the graph within {} s; --format html draws large graphs too", dot,
                              limit.count() / 1000));
  }
  auto const* exited = std::get_if<tools::Exited>(&ended.how);
  if (exited == nullptr) return failed(fmt::format("{} was ended by a signal", dot));
  if (exited->status == kNoProgram) {
    return Error{ErrorKind::kNotFound,
                 fmt::format("there is no program {} to draw with; install Graphviz (scripts/setup does), or use "
                             "--format html or dot",
                             in_quotes(dot)),
                 {}};
  }
  if (exited->status != 0)
    return failed(fmt::format("{} failed with status {}: {}", dot, exited->status, in_quotes(ended.head, 200)));
  return {};
}

}  // namespace

Result<std::string> draw_svg(std::string_view dot_text, std::string const& dot, std::chrono::milliseconds limit) {
  Workplace const place;
  if (!place.ok()) return failed("no folder for temporary files can be made to draw in; set TMPDIR to one");
  {
    std::ofstream in(place.path() / "graph.dot", std::ios::binary);
    in << dot_text;
    if (!in.flush()) return failed((place.path() / "graph.dot").string() + " cannot be written");
  }
  tools::Command command;
  command.words = {"/usr/bin/env", dot, "-q", "-Tsvg", "-o", "graph.svg", "graph.dot"};
  command.folder = place.descriptor();
  command.environment = tools::current_environment();
  command.time_limit = limit;
  Result<tools::Ended> const ended = tools::run_process(command, {});
  if (!ended) return ended.error();
  Result<void> const good = judge(*ended, dot, limit);
  if (!good) return good.error();
  std::ifstream out(place.path() / "graph.svg", std::ios::binary);
  std::string svg(std::istreambuf_iterator<char>(out), {});
  if (svg.empty()) return failed(dot + " drew nothing");
  return svg;
}

}  // namespace backedge::cli
