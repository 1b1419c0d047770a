// The search for files, and which of them belong together. Tested in tests/inspect/read_test.cpp.
#include "inspect/read.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "inspect/claude_code.h"
#include "inspect/detect.h"
#include "inspect/messages.h"
#include "inspect/pi.h"

namespace backedge::inspect {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kExamples = 5;
constexpr std::size_t kMetaLimit = std::size_t{1} << 20;

Error unreadable(std::string const& name, Detected const& detected) {
  return Error{
      ErrorKind::kInput,
      "is in no format that can be read: found " + detected.found + "; readable are " + std::string(readable_formats()),
      {name}};
}

/// One spelling for one path, so that no file is read twice.
std::string normal(fs::path const& path) { return path.lexically_normal().string(); }

/// Marks messages that another trace held before.
class CopyMarker {
 public:
  void mark(Trace& trace) {
    std::vector<std::uint64_t> own;
    for (ModelMessage& message : trace.models) {
      if (message.identity.empty()) continue;
      std::uint64_t const hash = digest_bytes(message.identity, DigestTag::kRaw).lo;
      message.copied = seen_.contains(hash);
      own.push_back(hash);
    }
    seen_.insert(own.begin(), own.end());
  }

 private:
  std::unordered_set<std::uint64_t> seen_;
};

/// Reads one file of a known kind.
Result<void> read_file(LineReader& lines, Json& json, Detected const& detected, TakeTrace const& take) {
  switch (detected.kind) {
    case Kind::kMessages: {
      MessagesReader reader(lines.name(), take, json);
      if (detected.whole) return reader.read_whole(lines, kLongestText);
      reader.read_lines(lines);
      return {};
    }
    case Kind::kClaudeCode: {
      ClaudeCodeReader reader(lines.name(), json);
      reader.read(lines);
      take(reader.finish());
      return {};
    }
    case Kind::kPi: {
      PiReader reader(lines.name(), json);
      reader.read(lines);
      take(reader.finish());
      return {};
    }
    case Kind::kUnknown: break;
  }
  return unreadable(lines.name(), detected);
}

class Search {
 public:
  explicit Search(TakeTrace const& take) : take_(take) {}

  void add(std::string const& path);
  ReadSummary read();

 private:
  Detected const& detected(std::string const& path);
  std::vector<std::string> subagents_of(std::string const& session);
  void add_subagents_below(fs::path const& folder, std::vector<std::string>& out);
  void add_siblings(fs::path const& session, std::vector<std::string>& out);
  std::vector<std::string> const& sibling_names(fs::path const& folder);
  void read_session(std::string const& path);
  void read_other(std::string const& path);
  void deliver(Trace&& trace);

  TakeTrace const& take_;
  ReadSummary summary_;
  Json json_;
  CopyMarker copies_;
  std::map<std::string, bool> files_;  // true: named by the caller
  std::map<std::string, Detected> detected_;
  std::map<std::string, std::vector<std::string>> siblings_;  // agent-*.jsonl by folder
  std::set<std::string> joined_;                              // files that are part of a session
};

void Search::add(std::string const& path) {
  std::error_code fault;
  if (!fs::is_directory(path, fault)) {
    files_[normal(path)] = true;
    return;
  }
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, fault);
  if (fault) {
    summary_.errors.push_back(Error{ErrorKind::kIo, "cannot open the folder: " + fault.message(), {path}});
    return;
  }
  for (; entry != fs::recursive_directory_iterator(); entry.increment(fault)) {
    if (fault) break;
    std::string const name = entry->path().filename().string();
    if (entry->is_directory(fault) && (name == ".git" || name == "node_modules")) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(fault) && !name.ends_with(".meta.json")) {
      files_.try_emplace(normal(entry->path()), false);
    }
  }
  if (fault) summary_.errors.push_back(Error{ErrorKind::kIo, "cannot read the folder: " + fault.message(), {path}});
}

Detected const& Search::detected(std::string const& path) {
  auto const known = detected_.find(path);
  if (known != detected_.end()) return known->second;
  Detected out;
  Result<LineReader> lines = LineReader::open(path);
  if (lines) {
    out = detect(*lines, json_);
  } else if (files_.contains(path)) {
    summary_.errors.push_back(lines.error());
    out.found = "";
  }
  return detected_.emplace(path, std::move(out)).first->second;
}

void Search::add_subagents_below(fs::path const& folder, std::vector<std::string>& out) {
  std::error_code fault;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, fault);
  if (fault) return;  // most sessions have none
  for (; entry != fs::recursive_directory_iterator() && !fault; entry.increment(fault)) {
    if (entry->path().extension() != ".jsonl" || !entry->is_regular_file(fault)) continue;
    std::string const path = normal(entry->path());
    if (detected(path).kind == Kind::kClaudeCode) out.push_back(path);
  }
}

std::vector<std::string> const& Search::sibling_names(fs::path const& folder) {
  auto const [place, fresh] = siblings_.try_emplace(folder.string());
  if (!fresh) return place->second;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault); !fault && entry != fs::directory_iterator();
       entry.increment(fault)) {
    std::string const name = entry->path().filename().string();
    if (name.starts_with("agent-") && name.ends_with(".jsonl")) place->second.push_back(normal(entry->path()));
  }
  return place->second;
}

void Search::add_siblings(fs::path const& session, std::vector<std::string>& out) {
  std::string const id = detected(session.string()).session;
  if (id.empty()) return;
  fs::path const folder = session.has_parent_path() ? session.parent_path() : fs::path(".");
  for (std::string const& path : sibling_names(folder)) {
    Detected const& other = detected(path);
    if (other.subagent && other.session == id) out.push_back(path);
  }
}

std::vector<std::string> Search::subagents_of(std::string const& session) {
  std::vector<std::string> out;
  fs::path const path(session);
  add_subagents_below(path.parent_path() / path.stem() / "subagents", out);
  add_siblings(path, out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void Search::deliver(Trace&& trace) {
  copies_.mark(trace);
  ++summary_.traces;
  take_(std::move(trace));
}

std::string meta_of(std::string const& subagent) {
  std::string const path =
      subagent.substr(0, subagent.size() - fs::path(subagent).extension().string().size()) + ".meta.json";
  std::string_view text;
  Result<LineReader> lines = LineReader::open(path);
  if (!lines || !lines->whole(kMetaLimit, text)) return {};
  return std::string(text);
}

void Search::read_session(std::string const& path) {
  Result<LineReader> lines = LineReader::open(path);
  if (!lines) {
    summary_.errors.push_back(lines.error());
    return;
  }
  ClaudeCodeReader reader(path, json_);
  reader.read(*lines, detected(path).subagent ? meta_of(path) : std::string());
  ++summary_.files;
  if (!detected(path).subagent) {
    for (std::string const& subagent : subagents_of(path)) {
      Result<LineReader> more = LineReader::open(subagent);
      if (!more) {
        summary_.errors.push_back(more.error());
        continue;
      }
      reader.read(*more, meta_of(subagent));
      joined_.insert(subagent);
      ++summary_.files;
    }
  }
  deliver(reader.finish());
}

void Search::read_other(std::string const& path) {
  Result<LineReader> lines = LineReader::open(path);
  if (!lines) {
    summary_.errors.push_back(lines.error());
    return;
  }
  Result<void> const done = read_file(*lines, json_, detected(path), [&](Trace&& trace) { deliver(std::move(trace)); });
  if (!done) summary_.errors.push_back(done.error());
  ++summary_.files;
}

ReadSummary Search::read() {
  std::vector<std::string> later;  // subagents' files: most of them turn out to be part of a session
  for (auto const& [path, named] : files_) {
    Detected const& what = detected(path);
    if (what.kind == Kind::kUnknown) {
      if (named && !what.found.empty()) summary_.errors.push_back(unreadable(path, what));
      if (named) continue;
      ++summary_.passed_over;
      if (summary_.examples.size() < kExamples) summary_.examples.push_back(path);
    } else if (what.kind != Kind::kClaudeCode) {
      read_other(path);
    } else if (what.subagent) {
      later.push_back(path);
    } else {
      read_session(path);
    }
  }
  for (std::string const& path : later) {
    if (!joined_.contains(path)) read_session(path);
  }
  return std::move(summary_);
}

}  // namespace

ReadSummary read_paths(std::span<std::string const> paths, TakeTrace const& take) {
  Search search(take);
  for (std::string const& path : paths) search.add(path);
  return search.read();
}

Result<void> read_bytes(std::string_view bytes, std::string const& name, TakeTrace const& take) {
  LineReader lines = LineReader::over(bytes, name);
  Json json;
  Detected const detected = detect(lines, json);
  if (detected.kind == Kind::kUnknown) return unreadable(name, detected);
  return read_file(lines, json, detected, take);
}

}  // namespace backedge::inspect
