#include "tools/folder.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include "base/text.h"
#include "tools/utf8.h"

namespace backedge::tools {
namespace {

// Names looked at to suggest one; a folder may hold millions.
constexpr std::size_t kSuggestFrom = 2'000;
// The kernel's own limit of a path.
constexpr std::size_t kMaxPath = 4'095;

std::string shown(std::string_view path) { return path.empty() ? "the working folder" : in_quotes(path, 200); }

EntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::kFile;
  if (S_ISDIR(mode)) return EntryKind::kFolder;
  return S_ISLNK(mode) ? EntryKind::kLink : EntryKind::kOther;
}

char const* noun(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a link";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    std::size_t const slash = std::min(path.find('/'), path.size());
    if (slash > 0) out.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return out;
}

std::pair<std::string, std::string> split_last(std::string const& path) {
  std::size_t const slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

// What of `path` lies below `folder`, by its text; null when it does not.
char const* inside(std::string const& folder, std::string_view path) {
  if (folder.empty() || !path.starts_with(folder)) return nullptr;
  std::string_view const rest = path.substr(folder.size());
  return rest.empty() || rest.front() == '/' || folder.back() == '/' ? rest.data() : nullptr;
}

struct Folded {
  std::string path;
  bool leaves = false;
};

Folded fold(std::string_view path) {
  Folded out;
  std::vector<std::string> kept;
  for (std::string& part : parts_of(path)) {
    if (part == ".") continue;
    if (part != "..") {
      kept.push_back(std::move(part));
    } else if (kept.empty()) {
      out.leaves = true;
    } else {
      kept.pop_back();
    }
  }
  for (std::string const& part : kept) {
    if (!out.path.empty()) out.path += '/';
    out.path += part;
  }
  return out;
}

bool write_all(int to, std::string_view content) {
  while (!content.empty()) {
    ssize_t const n = ::write(to, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// Sorted, so that what a model sees does not depend on the disk.
bool read_entries(int folder, std::size_t limit, std::vector<Entry>& out, bool& more) {
  Descriptor own(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const stream = own ? ::fdopendir(own.get()) : nullptr;
  if (stream == nullptr) return false;
  own.release();
  more = false;
  while (dirent const* const entry = ::readdir(stream)) {
    std::string_view const name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (out.size() == limit) {
      more = true;
      break;
    }
    EntryKind kind = EntryKind::kOther;
    struct stat status{};
    switch (entry->d_type) {
      case DT_REG: kind = EntryKind::kFile; break;
      case DT_DIR: kind = EntryKind::kFolder; break;
      case DT_LNK: kind = EntryKind::kLink; break;
      case DT_UNKNOWN:
        if (::fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) kind = kind_of(status.st_mode);
        break;
      default: break;
    }
    out.push_back({std::string(name), kind});
  }
  ::closedir(stream);
  std::ranges::sort(out, {}, &Entry::name);
  return true;
}

}  // namespace

Result<Folder> Folder::open(std::filesystem::path const& path) {
  Folder out;
  std::error_code ec;
  out.name_ = std::filesystem::absolute(path, ec).lexically_normal().string();
  while (out.name_.size() > 1 && out.name_.back() == '/') out.name_.pop_back();
  out.canonical_ = std::filesystem::canonical(path, ec).string();
  Descriptor root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) {
    int const error = errno;
    return Error{
        error == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo,
        fmt::format("the working folder {} cannot be opened: {}", in_quotes(path.string(), 200), std::strerror(error)),
        {}};
  }
  out.root_ = std::make_shared<Descriptor const>(std::move(root));
  return out;
}

Result<std::string> Folder::below(std::string_view path) const {
  auto const leaves = [&] {
    return Error{ErrorKind::kInput,
                 fmt::format("{} lies outside of the working folder {}; only paths below it can be used",
                             in_quotes(path, 200), in_quotes(name_, 200)),
                 {}};
  };
  if (path.find('\0') != std::string_view::npos)
    return Error{ErrorKind::kInput, fmt::format("{} holds a zero byte, which no path can", in_quotes(path, 200)), {}};
  if (path.size() > kMaxPath)
    return Error{ErrorKind::kInput, fmt::format("the path has {} bytes, the limit is {}", path.size(), kMaxPath), {}};
  if (path.starts_with('/')) {
    // Dots are folded first: "/work/../etc" begins with "/work" only as a text.
    std::string const absolute = "/" + fold(path).path;
    for (std::string const* const folder : {&name_, &canonical_}) {
      if (char const* const rest = inside(*folder, absolute)) return fold(rest).path;
    }
    return leaves();
  }
  Folded folded = fold(path);
  if (folded.leaves) return leaves();
  return std::move(folded.path);
}

// The descriptor, or none with errno set. `path` is folded.
Descriptor Folder::resolve(std::string const& path, int flags, bool links) const {
  std::string const target = path.empty() ? "." : path;
  if (!walk_only_) {
    open_how how{};
    how.flags = static_cast<decltype(how.flags)>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    if (!links) how.resolve |= RESOLVE_NO_SYMLINKS;
    // EAGAIN: something was renamed meanwhile, and the kernel cannot tell whether the path stayed below.
    for (int i = 0; i < 16; ++i) {
      long const opened = ::syscall(SYS_openat2, descriptor(), target.c_str(), &how, sizeof(how));
      if (opened >= 0) return Descriptor(static_cast<int>(opened));
      if (errno != EAGAIN && errno != EINTR) break;
    }
    // A kernel or a sandbox without the call.
    if (errno != ENOSYS && errno != EPERM && errno != E2BIG) return {};
  }
  return walk(target, flags);
}

Descriptor Folder::walk(std::string const& path, int flags) const {
  std::vector<std::string> const parts = parts_of(path);
  Descriptor at;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool const last = i + 1 == parts.size();
    int const how = (last ? flags : O_PATH | O_DIRECTORY) | O_NOFOLLOW | O_CLOEXEC;
    Descriptor next(::openat(at ? at.get() : descriptor(), parts[i].c_str(), how));
    if (!next) return {};
    struct stat status{};
    // O_PATH with O_NOFOLLOW opens a link itself.
    if (::fstat(next.get(), &status) == 0 && S_ISLNK(status.st_mode)) {
      errno = ELOOP;
      return {};
    }
    at = std::move(next);
  }
  return at;
}

Error Folder::failure(std::string const& path, int error, std::string_view what) const {
  switch (error) {
    case EXDEV:
      return {
          ErrorKind::kInput,
          fmt::format("{} leads out of the working folder by a link, or by a link with an absolute target; name the "
                      "file itself",
                      shown(path)),
          {}};
    case ELOOP:
      return {ErrorKind::kInput,
              fmt::format("{} goes through links that cannot be followed; name the file itself", shown(path)),
              {}};
    case ENAMETOOLONG: return {ErrorKind::kInput, fmt::format("{} has a name that is too long", shown(path)), {}};
    case ENOTDIR:
      return {ErrorKind::kNotFound, fmt::format("{} goes through a file as if it were a folder", shown(path)), {}};
    case ENOENT: break;
    default: return {ErrorKind::kIo, fmt::format("{} {}: {}", shown(path), what, std::strerror(error)), {}};
  }
  // The first part that is missing, and what else lies there.
  std::string at;
  for (std::string const& part : parts_of(path)) {
    std::string const next = at.empty() ? part : fmt::format("{}/{}", at, part);
    if (resolve(next, O_PATH, true)) {
      at = next;
      continue;
    }
    std::vector<Entry> entries;
    bool more = false;
    if (Descriptor const folder = resolve(at, O_PATH | O_DIRECTORY, true))
      read_entries(folder.get(), kSuggestFrom, entries, more);
    std::vector<std::string_view> names;
    names.reserve(entries.size());
    for (Entry const& entry : entries) names.emplace_back(entry.name);
    std::string text = fmt::format("there is no {}", shown(path));
    if (next != path) text += fmt::format(": {} does not exist", shown(next));
    std::string near;
    for (std::string_view const name : nearest(part, names))
      near += fmt::format("{}{}", near.empty() ? "" : ", ",
                          in_quotes(at.empty() ? std::string(name) : fmt::format("{}/{}", at, name), 200));
    text += near.empty() ? "; list the folder to see what is there" : fmt::format("; near names: {}", near);
    return {ErrorKind::kNotFound, std::move(text), {}};
  }
  return {ErrorKind::kNotFound, fmt::format("there is no {}", shown(path)), {}};
}

// The type is looked at through a descriptor that opens nothing, and again on the file that was opened.
Result<Descriptor> Folder::open_checked(std::string const& path, mode_t type) const {
  struct stat status{};
  Descriptor const probe = resolve(path, O_PATH, true);
  if (!probe || ::fstat(probe.get(), &status) != 0) return failure(path, errno, "cannot be opened");
  bool const folder = type == S_IFDIR;
  auto const wrong = [&] {
    return Error{ErrorKind::kInput,
                 fmt::format("{} is {}, not {}", shown(path), noun(status.st_mode), folder ? "a folder" : "a file"),
                 {}};
  };
  if ((status.st_mode & S_IFMT) != type) return wrong();
  Descriptor opened = resolve(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (folder ? O_DIRECTORY : 0), true);
  if (!opened || ::fstat(opened.get(), &status) != 0) return failure(path, errno, "cannot be opened");
  if ((status.st_mode & S_IFMT) != type) return wrong();
  return opened;
}

Result<OpenFile> Folder::open_file(std::string_view path) const {
  Result<std::string> const relative = below(path);
  if (!relative) return relative.error();
  Result<Descriptor> opened = open_checked(*relative, S_IFREG);
  if (!opened) return opened.error();
  struct stat status{};
  if (::fstat(opened->get(), &status) != 0) return failure(*relative, errno, "cannot be read");
  return OpenFile{std::move(*opened), static_cast<std::int64_t>(status.st_size)};
}

Result<Descriptor> Folder::open_folder(std::string_view path) const {
  Result<std::string> const relative = below(path);
  if (!relative) return relative.error();
  return open_checked(*relative, S_IFDIR);
}

Result<std::vector<Entry>> Folder::list(std::string_view path, std::size_t limit, bool& more) const {
  Result<Descriptor> const folder = open_folder(path);
  if (!folder) return folder.error();
  std::vector<Entry> out;
  if (!read_entries(folder->get(), limit, out, more)) return failure(std::string(path), errno, "cannot be listed");
  return out;
}

Result<EntryKind> Folder::kind(std::string_view path) const {
  Result<std::string> const relative = below(path);
  if (!relative) return relative.error();
  if (relative->empty()) return EntryKind::kFolder;
  auto const [above, name] = split_last(*relative);
  Descriptor const folder = resolve(above, O_PATH | O_DIRECTORY, true);
  struct stat status{};
  if (!folder || ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return failure(*relative, errno, "cannot be looked at");
  return kind_of(status.st_mode);
}

// The folder of that path, made with those above it where it is missing.
Result<Descriptor> Folder::make_folders(std::string const& path) const {
  std::string at;
  Descriptor folder = resolve("", O_PATH | O_DIRECTORY, false);
  if (!folder) return failure(path, errno, "cannot be opened");
  for (std::string const& part : parts_of(path)) {
    at += at.empty() ? part : "/" + part;
    Descriptor next = resolve(at, O_PATH | O_DIRECTORY, false);
    if (!next && errno == ENOENT) {
      if (::mkdirat(folder.get(), part.c_str(), 0777) != 0 && errno != EEXIST)
        return failure(at, errno, "cannot be made");
      next = resolve(at, O_PATH | O_DIRECTORY, false);
    }
    if (!next) return failure(at, errno, "cannot be opened");
    folder = std::move(next);
  }
  return folder;
}

Result<bool> Folder::write(std::string_view path, std::string_view content) const {
  Result<std::string> const relative = below(path);
  if (!relative) return relative.error();
  if (relative->empty() || path.ends_with('/'))
    return Error{ErrorKind::kInput, fmt::format("{} names a folder, not a file", shown(path)), {}};
  auto const [above, name] = split_last(*relative);
  Result<Descriptor> const folder = make_folders(above);
  if (!folder) return folder.error();

  struct stat old{};
  bool const fresh = ::fstatat(folder->get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0;
  if (fresh && errno != ENOENT) return failure(*relative, errno, "cannot be looked at");
  if (!fresh && !S_ISREG(old.st_mode)) {
    return Error{ErrorKind::kInput,
                 fmt::format("{} is {}, not a file, and is not written to{}", shown(*relative), noun(old.st_mode),
                             S_ISLNK(old.st_mode) ? "; name the file that it leads to" : ""),
                 {}};
  }
  if (!fresh && ::faccessat(folder->get(), name.c_str(), W_OK, AT_EACCESS) != 0)
    return failure(*relative, errno, "cannot be written");

  // A name of its own for each attempt; one that is taken is passed over.
  std::string temporary;
  Descriptor file;
  for (unsigned i = 0; i < 1'000 && !file; ++i) {
    temporary = fmt::format(".backedge-{}-{:x}-{}", ::getpid(), reinterpret_cast<std::uintptr_t>(&file), i);
    file = Descriptor(::openat(folder->get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               fresh ? 0666 : 0600));
    if (!file && errno != EEXIST) break;
  }
  if (!file) return failure(*relative, errno, "cannot be written");
  bool const done = write_all(file.get(), content) && (fresh || ::fchmod(file.get(), old.st_mode & 07777) == 0) &&
                    ::renameat(folder->get(), temporary.c_str(), folder->get(), name.c_str()) == 0;
  if (!done) {
    int const error = errno;
    ::unlinkat(folder->get(), temporary.c_str(), 0);
    return failure(*relative, error, "cannot be written");
  }
  return fresh;
}

}  // namespace backedge::tools
