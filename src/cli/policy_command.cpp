// backedge policy check, show, reference.
#include <algorithm>
#include <ostream>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/policy_files.h"
#include "policy/reference.h"
#include "policy/table.h"
#include "policy/value.h"

namespace backedge::cli {
namespace {

// Wider values, lists mostly, push only their own comment to the right.
constexpr std::size_t kWidestKey = 40;
constexpr std::size_t kWidestValue = 16;

void show_text(std::vector<policy::ShownSetting> const& settings, std::ostream& out) {
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (auto const& s : settings) {
    if (s.key.size() <= kWidestKey) key_width = std::max(key_width, s.key.size());
    if (s.value.size() <= kWidestValue) value_width = std::max(value_width, s.value.size());
  }
  for (auto const& s : settings) {
    std::string const what = s.note.empty() ? s.unit : s.note;
    out << fmt::format("{:<{}} = {:<{}}  # {}{}{}\n", s.key, key_width, s.value, value_width, what,
                       what.empty() ? "" : ", ", s.source);
  }
}

void show_json(std::vector<policy::ShownSetting> const& settings, std::ostream& out) {
  using policy::toml_string;  // the same as JSON
  out << "{\"settings\": [";
  std::string_view separator = "\n";
  for (auto const& s : settings) {
    out << separator << "  {\"key\": " << toml_string(s.key) << ", \"value\": " << s.json
        << ", \"unit\": " << toml_string(s.unit) << ", \"source\": " << toml_string(s.source)
        << ", \"about\": " << toml_string(s.about) << '}';
    separator = ",\n";
  }
  out << "\n]}\n";
}

Result<std::vector<PolicyText>> texts_to_check(PolicyCheckOptions const& options) {
  CommonOptions common = options.common;
  if (!options.file.empty()) common.policy_file = options.file;
  return read_policy_files(common);
}

}  // namespace

int run_policy_check(PolicyCheckOptions const& options, std::ostream& out, std::ostream& err) {
  auto const texts = texts_to_check(options);
  if (!texts) {
    err << "backedge: " << texts.error().text() << '\n';
    return exit_status(texts.error());
  }
  if (texts->empty()) out << "no policy file here; the defaults hold (backedge init writes one)\n";
  policy::Table table = policy::defaults();
  int status = kOk;
  for (PolicyText const& file : *texts) {
    policy::Reading reading = policy::read(file.text, file.name, table);
    for (Error const& error : reading.errors) err << error.text() << '\n';
    if (!reading.errors.empty()) {
      status = kUsage;
      continue;
    }
    out << fmt::format("{}: ok, {} setting{}\n", file.name, reading.settings, reading.settings == 1 ? "" : "s");
    table = std::move(reading.table);
  }
  return status;
}

int run_policy_show(PolicyShowOptions const& options, std::ostream& out, std::ostream& err) {
  auto const table = load_policy(options.common, err);
  if (!table) return exit_status(table.error());
  auto const settings = policy::show(*table);
  options.json ? show_json(settings, out) : show_text(settings, out);
  return kOk;
}

int run_policy_reference(std::ostream& out) {
  out << policy::reference_markdown();
  return kOk;
}

}  // namespace backedge::cli
