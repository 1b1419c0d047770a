#include "tools/tree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <re2/re2.h>

namespace backedge::tools {
namespace {

// Of one folder, and of one walk: enough for any honest tree, and a few tens of megabytes.
constexpr std::size_t kMaxOfFolder = 100'000;
constexpr std::size_t kMaxVisited = 1'000'000;

std::string glob_to_regex(std::string_view glob) {
  std::string out;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    char const c = glob[i];
    if (c == '?') {
      out += "[^/]";
    } else if (c != '*') {
      std::size_t const end = std::min(glob.find_first_of("*?", i), glob.size());
      out += RE2::QuoteMeta(re2::StringPiece(glob.data() + i, end - i));
      i = end - 1;
    } else if (glob.substr(i).starts_with("**/")) {
      out += "(?:.*/)?";  // also no folder at all
      i += 2;
    } else if (glob.substr(i).starts_with("**")) {
      out += ".*";
      ++i;
    } else {
      out += "[^/]*";
    }
  }
  return out;
}

}  // namespace

Glob::Glob(std::string_view pattern) : whole_(pattern.find('/') != std::string_view::npos) {
  RE2::Options options(RE2::Quiet);
  options.set_dot_nl(true);
  options.set_encoding(RE2::Options::EncodingLatin1);  // names are bytes
  if (pattern.starts_with("./")) pattern.remove_prefix(2);
  pattern_ = std::make_unique<RE2>(glob_to_regex(pattern), options);
}

Glob::~Glob() = default;
Glob::Glob(Glob&&) noexcept = default;
Glob& Glob::operator=(Glob&&) noexcept = default;

bool Glob::matches(std::string_view path) const {
  if (!whole_) path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  return RE2::FullMatch(re2::StringPiece(path.data(), path.size()), *pattern_);
}

Result<WalkEnd> walk(Folder const& folder, std::string const& start, std::size_t depth, OnEntry const& visit,
                     std::stop_token const& stop) {
  struct Level {
    std::string path;
    std::vector<Entry> entries;
    std::size_t next = 0;
  };
  WalkEnd out;
  bool more = false;
  Result<std::vector<Entry>> first = folder.list(start, kMaxOfFolder, more);
  if (!first) return first.error();
  out.cut = more;
  std::vector<Level> way;
  way.push_back({start, std::move(*first)});
  std::size_t visited = 0;
  while (!way.empty() && !stop.stop_requested()) {
    Level& level = way.back();
    if (level.next == level.entries.size()) {
      way.pop_back();
      continue;
    }
    Entry const& entry = level.entries[level.next++];
    if (entry.name == ".git") {
      out.skipped_git = true;
      continue;
    }
    std::string path = level.path.empty() ? entry.name : level.path + "/" + entry.name;
    if (++visited > kMaxVisited) {
      out.cut = true;
      return out;
    }
    if (!visit(path, entry.kind)) return out;
    if (entry.kind != EntryKind::kFolder || way.size() >= depth) continue;
    Result<std::vector<Entry>> inner = folder.list(path, kMaxOfFolder, more);
    if (!inner) {
      ++out.unreadable;
      continue;
    }
    out.cut = out.cut || more;
    way.push_back({std::move(path), std::move(*inner)});
  }
  return out;
}

}  // namespace backedge::tools
