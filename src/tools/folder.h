// The working folder: the one door through which the file tools reach the file system.
//
// Whatever path a model writes, what is opened lies below the folder at the moment it is opened: paths are resolved by
// the kernel (openat2 with RESOLVE_BENEATH) from a descriptor of the folder, so that a link swapped in between a check
// and its use changes nothing. Where the kernel has no openat2, the path is walked part by part and no link is followed
// at all. Links that stay below the folder are followed when a file is read, never when one is written. Special files
// (pipes, devices, sockets) are refused before they are opened. Files are replaced by rename, so a reader sees the old
// text or the new one.
//
// Not held: a hard link to a file outside is that file; a folder that another process moves out of the working folder
// while a file is being written into it takes the file along; what is mounted below the folder counts as below it.
// Tested in tests/tools/folder_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include "backedge/result.h"
#include "tools/descriptor.h"

namespace backedge::tools {

enum class EntryKind : std::uint8_t { kFile, kFolder, kLink, kOther };

struct Entry {
  std::string name;
  EntryKind kind = EntryKind::kOther;
};

struct OpenFile {
  Descriptor descriptor;
  std::int64_t size = 0;
};

/// Any thread, several at once. All paths are as a model wrote them; "" and "." are the folder itself, and an absolute
/// path is taken when it begins with the folder's own. Errors, in words for the model: kInput for a path that is none
/// or leads out, kNotFound with the nearest names, kIo with what the system said.
class Folder {
 public:
  static Result<Folder> open(std::filesystem::path const& path);

  /// The path below the folder, without ".", ".." and doubled slashes. By its text alone.
  Result<std::string> below(std::string_view path) const;

  /// A regular file, for reading; it never blocks.
  Result<OpenFile> open_file(std::string_view path) const;
  /// A folder, for openat and its kin.
  Result<Descriptor> open_folder(std::string_view path) const;
  /// What lies in a folder, sorted by name, at most `limit` entries; `more` says that there are others.
  Result<std::vector<Entry>> list(std::string_view path, std::size_t limit, bool& more) const;
  /// What the path names, without following a link at its end.
  Result<EntryKind> kind(std::string_view path) const;
  /// Makes the file, with the folders above it, or replaces it and keeps its mode. True: it is new.
  Result<bool> write(std::string_view path, std::string_view content) const;

  /// For tests: walk part by part although the kernel could resolve.
  void walk_only() { walk_only_ = true; }
  int descriptor() const { return root_->get(); }
  std::string const& name() const { return name_; }

 private:
  Folder() = default;

  Descriptor resolve(std::string const& path, int flags, bool links) const;
  Descriptor walk(std::string const& path, int flags) const;
  Result<Descriptor> open_checked(std::string const& path, mode_t type) const;
  Result<Descriptor> make_folders(std::string const& path) const;
  Error failure(std::string const& path, int error, std::string_view what) const;

  std::shared_ptr<Descriptor const> root_;
  std::string name_;       // as given, absolute
  std::string canonical_;  // without links
  bool walk_only_ = false;
};

}  // namespace backedge::tools
