// backedge policy check, show, reference.
#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/policy_files.h"
#include "facts/builtin.h"
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

/// Where a file names a tool, as "[tool.NAME]" or in [limits.per_tool]: the tool and the first place.
std::map<std::string, std::string> tools_named(policy::Table const& table) {
  std::map<std::string, std::string> out;
  for (auto const& [name, contract] : table.tools) {
    std::string const prefix = fmt::format("tool.{}.", policy::toml_key(name));
    auto const at = table.sources.lower_bound(prefix);
    if (at != table.sources.end() && at->first.starts_with(prefix)) out.try_emplace(name, at->second);
  }
  constexpr std::string_view kLimits = "limits.per_tool.";
  for (auto at = table.sources.lower_bound(kLimits); at != table.sources.end() && at->first.starts_with(kLimits); ++at)
    out.try_emplace(at->first.substr(kLimits.size()), at->second);
  return out;
}

/// A name that nobody knows may be that of an MCP server's tool, so it is not wrong; one that is nearly a known name is
/// likely misspelt.
void warn_of_misspelt_tools(policy::Table const& table, std::ostream& err) {
  std::set<std::string, std::less<>> known;
  for (facts::BuiltinContract const& row : facts::builtin_contracts()) known.insert(row.tool);
  for (auto const& [name, agent] : table.agents) known.insert(name);
  std::vector<std::string_view> const all(known.begin(), known.end());
  for (auto const& [name, place] : tools_named(table)) {
    if (known.contains(name)) continue;
    std::vector<std::string_view> const near = nearest(name, all, 1);
    if (near.empty()) continue;
    err << fmt::format(
        "{}: warning: no tool is known by the name {}; did you mean {}? If it is a tool of your own, all is well\n",
        place, in_quotes(name), near.front());
  }
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
  warn_of_misspelt_tools(table, err);
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
