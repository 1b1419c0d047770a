#include "cli/policy_files.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <system_error>
#include <utility>

namespace backedge::cli {
namespace {

namespace fs = std::filesystem;

struct Found {
  fs::path path;
  std::string name;
};

bool is_file(fs::path const& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

std::optional<Found> find_user_file(Surroundings const& here) {
  bool const in_home = here.config_home.empty();
  if (in_home && here.home.empty()) return std::nullopt;
  fs::path const below = fs::path("backedge") / kPolicyFileName;
  fs::path const path = (in_home ? here.home / ".config" : here.config_home) / below;
  if (!is_file(path)) return std::nullopt;
  return Found{path, in_home ? (fs::path("~/.config") / below).string() : path.string()};
}

std::optional<Found> find_project_file(Surroundings const& here) {
  fs::path name = kPolicyFileName;
  for (fs::path folder = here.folder;; folder = folder.parent_path()) {
    if (is_file(folder / kPolicyFileName)) return Found{folder / kPolicyFileName, name.string()};
    if (folder == folder.parent_path()) return std::nullopt;
    name = ".." / name;
  }
}

}  // namespace

Result<std::string> read_file(fs::path const& path, std::string const& name) {
  std::error_code error;
  if (!fs::exists(path, error)) return Error{ErrorKind::kNotFound, "no such file", {name}};
  if (fs::is_directory(path, error)) return Error{ErrorKind::kIo, "is a folder, not a file", {name}};
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) {
    return Error{ErrorKind::kIo, "cannot be read: " + std::generic_category().message(errno), {name}};
  }
  return text;
}

Result<std::vector<PolicyText>> read_policy_files(CommonOptions const& options) {
  std::vector<Found> files;
  if (!options.policy_file.empty()) {
    files.push_back({options.here.folder / options.policy_file, options.policy_file});
  } else {
    auto user = find_user_file(options.here);
    auto project = find_project_file(options.here);
    std::error_code ignored;
    bool const same = user && project && fs::equivalent(user->path, project->path, ignored);
    if (user && !same) files.push_back(std::move(*user));
    if (project) files.push_back(std::move(*project));
  }
  std::vector<PolicyText> out;
  for (Found const& file : files) {
    Result<std::string> text = read_file(file.path, file.name);
    if (!text) return text.error();
    out.push_back({file.name, std::move(*text)});
  }
  return out;
}

LayeredPolicy layer(std::vector<PolicyText> const& texts) {
  LayeredPolicy out;
  for (PolicyText const& file : texts) {
    policy::Reading reading = policy::read(file.text, file.name, out.table);
    if (reading.errors.empty()) out.table = std::move(reading.table);
    out.errors.insert(out.errors.end(), reading.errors.begin(), reading.errors.end());
  }
  return out;
}

Result<policy::Table> load_policy(CommonOptions const& options, std::ostream& err) {
  Result<std::vector<PolicyText>> const texts = read_policy_files(options);
  if (!texts) {
    err << "backedge: " << texts.error().text() << '\n';
    return texts.error();
  }
  LayeredPolicy policy = layer(*texts);
  for (Error const& error : policy.errors) err << error.text() << '\n';
  if (!policy.errors.empty()) return policy.errors.front();
  return std::move(policy.table);
}

Result<Policy> public_policy(CommonOptions const& options, std::ostream& err) {
  Result<policy::Table> const checked = load_policy(options, err);
  if (!checked) return checked.error();
  Policy policy = Policy::defaults();
  Result<std::vector<PolicyText>> const texts = read_policy_files(options);
  if (!texts) return texts.error();
  for (PolicyText const& file : *texts) {
    Result<Policy> with = policy.with(file.text, file.name);
    if (!with) {
      err << "backedge: " << with.error().text() << '\n';
      return with.error();
    }
    policy = *std::move(with);
  }
  return policy;
}

}  // namespace backedge::cli
