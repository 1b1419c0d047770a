// Lines of a file, by a buffer that moves its unread rest to the front and grows only for a line that does not fit.
//
// Tested in tests/inspect/lines_test.cpp.
#include "inspect/lines.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/stat.h>

namespace backedge::inspect {
namespace {

constexpr std::size_t kFirstChunk = std::size_t{1} << 16;  // most files are told apart, and many end, within it
constexpr std::size_t kChunk = std::size_t{1} << 20;       // every later read; larger ones were not faster
constexpr std::string_view kMark = "\xEF\xBB\xBF";

}  // namespace

Result<LineReader> LineReader::open(std::string const& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    ErrorKind const kind = errno == ENOENT || errno == ENOTDIR ? ErrorKind::kNotFound : ErrorKind::kIo;
    return Error{kind, std::string("cannot read: ") + std::strerror(errno), {path}};
  }
  if (S_ISDIR(info.st_mode)) return Error{ErrorKind::kUsage, "is a folder, not a file", {path}};
  LineReader reader;
  reader.name_ = path;
  reader.file_.reset(std::fopen(path.c_str(), "rb"));
  if (!reader.file_) return Error{ErrorKind::kIo, std::string("cannot read: ") + std::strerror(errno), {path}};
  std::setvbuf(reader.file_.get(), nullptr, _IONBF, 0);
  return reader;
}

LineReader LineReader::over(std::string_view bytes, std::string name) {
  LineReader reader;
  reader.name_ = std::move(name);
  reader.memory_ = bytes;
  return reader;
}

void LineReader::rewind() {
  if (file_) std::clearerr(file_.get());
  begin_ = scanned_ = end_ = taken_ = 0;
  number_ = 0;
  // What cannot be read from its beginning again has no line more.
  at_end_ = broken_ = file_ && std::fseek(file_.get(), 0, SEEK_SET) != 0;
}

bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  std::size_t const chunk = end_ == 0 && number_ == 0 ? kFirstChunk : kChunk;
  if (room_ < end_ + chunk) {
    room_ = std::max(room_ * 2, end_ + chunk);
    auto larger = std::make_unique_for_overwrite<char[]>(room_ + kJsonPadding);
    if (end_ > 0) std::memcpy(larger.get(), buffer_.get(), end_);
    buffer_ = std::move(larger);
  }
  std::size_t got = 0;
  if (file_) {
    got = std::fread(buffer_.get() + end_, 1, chunk, file_.get());
    if (got < chunk && std::ferror(file_.get()) != 0) broken_ = true;
  } else {
    got = std::min(chunk, memory_.size() - taken_);
    std::memcpy(buffer_.get() + end_, memory_.data() + taken_, got);
    taken_ += got;
  }
  end_ += got;
  std::memset(buffer_.get() + end_, ' ', kJsonPadding);
  return got > 0;
}

bool LineReader::next(Line& line) {
  for (;;) {
    char const* const from = buffer_.get() + scanned_;
    auto const* const lf =
        static_cast<char const*>(end_ > scanned_ ? std::memchr(from, '\n', end_ - scanned_) : nullptr);
    if (lf == nullptr) {
      scanned_ = end_;
      if (!at_end_ && fill()) continue;
      at_end_ = true;
      if (begin_ == end_) return false;
    }
    std::size_t const stop = lf != nullptr ? static_cast<std::size_t>(lf - buffer_.get()) : end_;
    std::string_view bytes(buffer_.get() + begin_, stop - begin_);
    begin_ = scanned_ = lf != nullptr ? stop + 1 : stop;
    if (++number_ == 1 && bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
    if (bytes.ends_with('\r')) bytes.remove_suffix(1);
    if (bytes.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    line = {bytes, number_};
    return true;
  }
}

Result<void> LineReader::whole(std::size_t limit, std::string_view& text) {
  rewind();
  while (fill()) {
    if (end_ > limit) {
      return Error{ErrorKind::kInput, "is one JSON text of more than " + std::to_string(limit >> 20) + " MiB", {name_}};
    }
  }
  at_end_ = true;
  begin_ = scanned_ = end_;
  text = {buffer_.get(), end_};
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return {};
}

}  // namespace backedge::inspect
