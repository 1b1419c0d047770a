#include "tools/process_family.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/descriptor.h"

namespace backedge::tools {
namespace {

// More than the kernel's largest stat line and, for an environment, than an honest one.
constexpr std::size_t kStatSize = 1'024;
constexpr std::size_t kEnvironmentSize = 4U << 20U;

std::string read_proc(pid_t pid, char const* file, std::size_t limit) {
  std::string out;
  Descriptor const in(::open(fmt::format("/proc/{}/{}", pid, file).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!in) return out;
  std::size_t size = 0;
  while (size < limit) {
    out.resize(std::min(limit, std::max<std::size_t>(kStatSize, size * 2)));
    ssize_t const n = ::read(in.get(), out.data() + size, out.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
    // A stat line comes whole.
    if (limit == kStatSize) break;
  }
  out.resize(size);
  return out;
}

template <class Number>
Number number_at(std::vector<std::string_view> const& words, std::size_t at) {
  Number out{};
  if (at < words.size()) std::from_chars(words[at].data(), words[at].data() + words[at].size(), out);
  return out;
}

}  // namespace

ProcessFamily::ProcessFamily(pid_t leader, std::string mark) : leader_(leader), mark_(std::move(mark)) {
  if (std::optional<Seen> const seen = read(leader)) start_ = seen->start;
}

// proc(5): "pid (name) state ppid pgrp session …", the start time is field 22. A name may hold brackets and blanks.
std::optional<ProcessFamily::Seen> ProcessFamily::read(pid_t pid) {
  std::string const text = read_proc(pid, "stat", kStatSize);
  std::size_t const close = text.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::vector<std::string_view> words;
  std::string_view rest = std::string_view(text).substr(close + 1);
  while (!rest.empty()) {
    std::size_t const first = rest.find_first_not_of(" \n");
    if (first == std::string_view::npos) break;
    rest.remove_prefix(first);
    std::size_t const size = std::min(rest.find_first_of(" \n"), rest.size());
    words.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  if (words.size() < 20) return std::nullopt;
  return Seen{.pid = pid,
              .parent = number_at<pid_t>(words, 1),
              .group = number_at<pid_t>(words, 2),
              .session = number_at<pid_t>(words, 3),
              .start = number_at<std::uint64_t>(words, 19),
              .state = words[0].front()};
}

bool ProcessFamily::carries_mark(pid_t pid) const {
  std::string const environment = read_proc(pid, "environ", kEnvironmentSize);
  std::size_t const at = environment.find(mark_);
  return at != std::string::npos && (at == 0 || environment[at - 1] == '\0');
}

std::size_t ProcessFamily::look() {
  // Who was found stays found, also when its parent has died since.
  std::vector<Seen> const before = std::exchange(found_, {});
  std::vector<Seen> others;
  DIR* const proc = ::opendir("/proc");
  if (proc == nullptr) return 0;
  while (dirent const* const entry = ::readdir(proc)) {
    std::string_view const name = entry->d_name;
    pid_t pid = 0;
    auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size() || pid == leader_) continue;
    std::optional<Seen> const seen = read(pid);
    // Z and X are dead: only their number is left.
    if (!seen || seen->start < start_ || seen->state == 'Z' || seen->state == 'X') continue;
    bool const known =
        std::ranges::any_of(before, [&](Seen const& one) { return one.pid == pid && one.start == seen->start; });
    bool const ours =
        known || seen->group == leader_ || seen->session == leader_ || seen->parent == leader_ || carries_mark(pid);
    (ours ? found_ : others).push_back(*seen);
  }
  ::closedir(proc);
  // Children of those found, and theirs.
  for (std::size_t i = 0; i < found_.size(); ++i) {
    auto const child = [&](Seen const& other) {
      return other.parent == found_[i].pid || other.session == found_[i].pid || other.group == found_[i].pid;
    };
    for (std::size_t k = 0; k < others.size();) {
      if (!child(others[k])) {
        ++k;
        continue;
      }
      found_.push_back(others[k]);
      others[k] = others.back();
      others.pop_back();
    }
  }
  return found_.size();
}

void ProcessFamily::signal(int number) const {
  if (leader_ <= 1) return;  // kill(-1) would end everything that there is
  ::kill(-leader_, number);
  ::kill(leader_, number);  // it may have joined another group
  for (Seen const& one : found_) {
    if (one.group == leader_) continue;
    Descriptor const handle(static_cast<int>(::syscall(SYS_pidfd_open, one.pid, 0)));
    std::optional<Seen> const now = read(one.pid);
    if (!now || now->start != one.start) continue;
    if (handle) {
      ::syscall(SYS_pidfd_send_signal, handle.get(), number, nullptr, 0);
    } else if (errno == ENOSYS) {
      ::kill(one.pid, number);
    }
  }
}

}  // namespace backedge::tools
