// backedge tools: the contract of every known tool, field by field, with who declared it.
//
// Fields go by the names they have in the policy file, so that a line can be copied there. Without names on the command
// line, fields that nobody declared are left out of the text; they hold everywhere and are shown for any one tool. A
// name that no contract was declared for may be a tool of a host all the same: what holds for it is printed, but the
// complaint and the status say that it is not known, so that a misspelt name is not taken for a declared one.
#include <algorithm>
#include <charconv>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/policy_files.h"
#include "facts/book.h"
#include "facts/builtin.h"
#include "policy/quantity.h"
#include "policy/table.h"
#include "policy/value.h"

namespace backedge::cli {
namespace {

constexpr std::string_view kNotDeclared = "default";

struct Row {
  std::string key;
  std::string value;
  std::string source;
};

struct Tool {
  std::string name;
  bool known = false;
  std::vector<Row> rows;
};

/// The name that a field of the book has in the policy file.
std::string_view policy_key(std::string_view field) {
  if (field == "volatile_args") return "volatile.args";
  if (field == "volatile_result") return "volatile.result";
  if (field == "timeout_ms") return "timeout";
  if (field == "min_interval_ms") return "min_interval";
  return field;
}

/// Milliseconds as a duration; other values as they are.
std::string policy_value(std::string_view field, std::string const& value) {
  if (field.size() < 3 || field.substr(field.size() - 3) != "_ms") return value;
  std::int64_t millis = 0;
  auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), millis);
  bool const whole = error == std::errc{} && end == value.data() + value.size() && millis >= 0;
  return whole ? policy::duration_text(millis * 1'000) : value;
}

/// "backedge.toml:12" for what the policy file says, the layer's own name for the rest.
std::string source_of(policy::Table const& table, std::string const& tool, std::string_view key,
                      std::string const& layer) {
  if (layer != facts::layer_name(facts::Layer::kPolicy)) return layer;
  std::string const path = fmt::format("tool.{}.{}", policy::toml_key(tool), key.substr(0, key.find('[')));
  for (std::string_view const part : {"", ".start", ".length", ".end"}) {
    std::string_view const source = table.source_of(path + std::string(part));
    if (source != policy::kDefaultSource) return std::string(source);
  }
  return layer;
}

Tool explain(policy::Table const& table, facts::ContractBook const& book, std::string const& name) {
  Tool out{name, book.knows(name), {}};
  for (facts::FieldSource const& field : book.explain(name)) {
    std::size_t const dot = field.field.find("].");  // "when[0].timeout_ms"
    std::size_t const last = dot == std::string::npos ? 0 : dot + 2;
    std::string_view const plain = std::string_view(field.field).substr(last);
    std::string key = field.field.substr(0, last) + std::string(policy_key(plain));
    std::string source = source_of(table, name, key, field.source);
    out.rows.push_back({std::move(key), policy_value(plain, field.value), std::move(source)});
  }
  return out;
}

std::vector<std::string> names(ToolsOptions const& options, facts::ContractBook const& book) {
  if (!options.tools.empty()) return options.tools;
  std::set<std::string> all;
  for (auto const& row : facts::builtin_contracts()) all.insert(row.tool);
  for (auto const& name : book.declared()) all.insert(name);
  return {all.begin(), all.end()};
}

void show_text(std::vector<Tool> const& tools, bool with_defaults, std::ostream& out) {
  constexpr std::size_t kWidest = 48;  // a longer value pushes only its own source to the right
  auto shown = [&](Row const& row) { return with_defaults || row.source != kNotDeclared; };
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (Tool const& tool : tools) {
    for (Row const& row : tool.rows) {
      if (!shown(row)) continue;
      key_width = std::max(key_width, row.key.size());
      if (row.value.size() <= kWidest) value_width = std::max(value_width, row.value.size());
    }
  }
  for (Tool const& tool : tools) {
    out << tool.name << (tool.known ? "\n" : "  (not known: the defaults hold)\n");
    for (Row const& row : tool.rows) {
      if (shown(row))
        out << fmt::format("  {:<{}}  {:<{}}  {}\n", row.key, key_width, row.value, value_width, row.source);
    }
  }
}

void show_json(std::vector<Tool> const& tools, std::ostream& out) {
  using policy::toml_string;  // the same as JSON
  out << "{\"tools\": [";
  std::string_view separator = "\n";
  for (Tool const& tool : tools) {
    out << separator << "  {\"tool\": " << toml_string(tool.name) << ", \"known\": " << (tool.known ? "true" : "false")
        << ", \"fields\": [";
    std::string_view comma = "\n";
    for (Row const& row : tool.rows) {
      out << comma << "    {\"key\": " << toml_string(row.key) << ", \"value\": " << toml_string(row.value)
          << ", \"source\": " << toml_string(row.source) << '}';
      comma = ",\n";
    }
    out << "]}";
    separator = ",\n";
  }
  out << "\n]}\n";
}

/// One line each; the exit status.
int complain_of_unknown(std::vector<Tool> const& tools, std::vector<std::string> const& declared, std::ostream& err) {
  int status = kOk;
  std::vector<std::string_view> const all(declared.begin(), declared.end());
  for (Tool const& tool : tools) {
    if (tool.known) continue;
    status = kUsage;
    std::vector<std::string_view> const near = nearest(tool.name, all, 1);
    err << fmt::format("backedge: no contract is declared for {}; {}\n", in_quotes(tool.name),
                       near.empty() ? std::string("[tool.NAME] in backedge.toml declares one")
                                    : fmt::format("did you mean {}?", near.front()));
  }
  return status;
}

}  // namespace

int run_tools(ToolsOptions const& options, std::ostream& out, std::ostream& err) {
  auto const table = load_policy(options.common, err);
  if (!table) return exit_status(table.error());
  facts::ContractBook book;
  if (auto const declared = policy::declare_into(*table, book); !declared) {
    err << "backedge: " << declared.error().text() << '\n';
    return exit_status(declared.error());
  }
  std::vector<Tool> tools;
  for (std::string const& name : names(options, book)) tools.push_back(explain(*table, book, name));
  options.json ? show_json(tools, out) : show_text(tools, !options.tools.empty(), out);
  return complain_of_unknown(tools, names({}, book), err);
}

}  // namespace backedge::cli
