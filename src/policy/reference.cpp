// One text of many rows: everything here is layout, what it says comes from the keys.
#include "policy/reference.h"

#include <string_view>

#include <fmt/format.h>

#include "policy/key.h"
#include "policy/value.h"

namespace backedge::policy {
namespace {

constexpr std::size_t kWidth = 100;

/// Adds `text` as comment lines of at most kWidth characters, broken at spaces.
void comment(std::string& out, std::string_view text, std::string_view mark = "# ") {
  while (!text.empty()) {
    std::size_t length = text.size();
    if (length > kWidth - mark.size()) {
      length = text.rfind(' ', kWidth - mark.size());
      if (length == std::string_view::npos) length = text.size();
    }
    out += fmt::format("{}{}\n", mark, text.substr(0, length));
    text.remove_prefix(length);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
}

std::string unit_and_range(Form const& form) {
  std::string out(form.unit);
  std::string const range = range_text(form);
  if (!range.empty()) out += (out.empty() ? "" : ", ") + range;
  return out;
}

/// "what it means (turns, 0 to 100)".
std::string meaning(std::string_view about, Form const& form) {
  std::string const range = unit_and_range(form);
  return range.empty() ? std::string(about) : fmt::format("{} ({})", about, range);
}

std::string default_text(SettingKey const& key) { return value_text(key.form, *key.get(Settings{})); }

constexpr std::string_view kCode = "#     ";  // a line of an example within a comment

template <class Owner>
void example_lines(std::string& out, std::span<Key<Owner> const> keys) {
  for (auto const& key : keys) {
    if (key.form.example.empty()) {
      comment(out, fmt::format("{}: {}", key.name, meaning(key.about, key.form)), "#     # or ");
      continue;
    }
    comment(out, meaning(key.about, key.form), "#     # ");
    out += fmt::format("{}{} = {}\n", kCode, key.name, key.form.example);
  }
}

void template_tools(std::string& out) {
  out += "\n";
  comment(out, tool_about());
  comment(out, "An example with every key; write only those that you know:");
  out += fmt::format("#\n{}[{}.run_tests]\n", kCode, kToolSection);
  example_lines(out, tool_keys());
  out += "#\n";
  comment(out, when_about());
  out += fmt::format("#\n{}[[{}.run_tests.when]]\n", kCode, kToolSection);
  example_lines(out, condition_keys());
  out += fmt::format("{}effect = \"read\"\n", kCode);
}

void example_of_list(std::string& out, TestList const& list) {
  comment(out, std::string(list.about), "#     # ");
  out += fmt::format("{}{} = {}\n", kCode, list.name, list.example);
}

void template_routes(std::string& out) {
  out += "\n";
  comment(out, route_about());
  comment(out, "An example before a call, and one on a result; write only the keys that you need:");
  out += fmt::format("#\n{}[[{}]]\n", kCode, kRouteSection);
  auto const write = [&](RouteKey const& key) {
    if (key.form.example.empty())
      return comment(out, fmt::format("{}: {}", key.name, meaning(key.about, key.form)), "#     # also ");
    comment(out, meaning(key.about, key.form), "#     # ");
    out += fmt::format("{}{} = {}\n", kCode, key.name, key.form.example);
  };
  for (RouteKey const& key : route_keys())
    if (moment_of_key(key.name) == RouteMoment::kAny) write(key);
  for (TestList const& list : route_lists())
    if (moment_of_key(list.name) == RouteMoment::kAny) example_of_list(out, list);
  out +=
      fmt::format("#\n{}[[{}]]\n{}then = \"note\"\n{}hint = \"look elsewhere\"\n", kCode, kRouteSection, kCode, kCode);
  for (RouteKey const& key : route_keys()) {
    if (moment_of_key(key.name) != RouteMoment::kResult) continue;
    bool const of_another = key.name == "size" || key.name == "to_stage" || key.name == "max_turns";
    if (!of_another) {
      write(key);
      continue;
    }
    comment(out, fmt::format("{}: {}", key.name, meaning(key.about, key.form)), "#     # also ");
  }
  for (TestList const& list : route_lists())
    if (moment_of_key(list.name) == RouteMoment::kResult) example_of_list(out, list);
  out += "#\n";
  comment(out, stage_about());
  out += fmt::format("#\n{}[{}.explore]\n", kCode, kStageSection);
  for (StageKey const& key : stage_keys()) {
    if (key.form.example.empty()) {
      comment(out, fmt::format("{}: {}", key.name, meaning(key.about, key.form)), "#     # also ");
      continue;
    }
    comment(out, meaning(key.about, key.form), "#     # ");
    out += fmt::format("{}{} = {}\n", kCode, key.name, key.form.example);
  }
  out += fmt::format("#\n{}[{}.report]\n{}turns = 2\n", kCode, kStageSection, kCode);
}

void template_head(std::string& out) {
  comment(out, "The policy of Backedge for the work in this folder and below.");
  out += "#\n";
  comment(
      out,
      R"(Every setting stands here at its default, commented out by a "#" without a space: take it away and change )"
      R"(the value. Durations are "90s", "10m", "1h30m" or whole seconds; money is 1.50 or "1.50" US dollars.)");
  out += "#\n";
  comment(out,
          "backedge policy check says whether this file is right, backedge policy show prints what holds and why.");
}

constexpr std::string_view kPageHead = R"(# The policy file

`backedge.toml` says how much a run may use, when a repetition is a loop, and what is known of each tool. `backedge init`
writes one in which every setting stands commented out at its default; `backedge policy check` says whether a file is right;
`backedge policy show` prints every setting with its value and where that came from; `backedge tools` prints every contract.

## Where it is found

`--policy FILE` names the one file that counts. Without it two files are read, and the second overrides the first value by
value: `backedge/backedge.toml` in `$XDG_CONFIG_HOME` (or `~/.config`), then the nearest `backedge.toml` from the working
directory upwards.

## How it is read

The file is TOML, and it is read strictly. An unknown section or key, a value of the wrong type or out of range, and values
that contradict each other are errors with file, line and column, and nothing starts with such a policy:

    backedge.toml:2:1: unknown key 'max_turn' in [limits], did you mean 'max_turns'?

| type | is written |
|---|---|
| integer | `50` |
| integer or false | `3`; `false` and `0` switch the rule off |
| duration | `"90s"`, `"10m"`, `"1h30m"`, with the units d, h, m, s, ms; or whole seconds: `90` |
| amount | US dollars: `1.50` or `"1.50"`; kept exactly, in billionths of a dollar, what is finer is rounded up |
| JSON pointer | RFC 6901, from the root of the arguments: `"/path"`, `"/files/0/name"` |
| pattern | `"re:"` and a regular expression in the syntax of RE2 |
| resource name | any text, with pointers in braces: `"file:{/path}"` |
)";

/// A cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

/// The cells "type" and "range" of a row.
std::string type_cells(Form const& form) {
  std::string const unit = form.unit.empty() ? "" : fmt::format(" ({})", form.unit);
  return fmt::format("{}{} | {}", cell(type_text(form)), cell(unit), cell(range_text(form)));
}

void page_section(std::string& out, Section const& section) {
  out += fmt::format("\n## [{}]\n\n{}\n", section.name, section.about);
  if (section.name == kPerToolSection) {
    out += fmt::format(
        "\n| key | type | range | example | meaning |\n|---|---|---|---|---|\n| NAME | {} | `run_tests = {}` | {} |\n",
        type_cells(per_tool_form()), per_tool_form().example, "calls of the tool NAME");
    return;
  }
  out += "\n| key | type | range | default | meaning |\n|---|---|---|---|---|\n";
  for (SettingKey const& key : section.keys) {
    std::string about(key.about);
    if (!key.below.empty()) about += fmt::format("; must be below `{}`", key.below);
    out += fmt::format("| `{}` | {} | `{}` | {} |\n", key.name, type_cells(key.form), default_text(key), cell(about));
  }
}

template <class Owner>
void page_examples(std::string& out, std::span<Key<Owner> const> keys) {
  out += "\n| key | type | range | example | meaning |\n|---|---|---|---|---|\n";
  for (auto const& key : keys) {
    std::string const example = key.form.example.empty() ? "" : fmt::format("`{}`", cell(key.form.example));
    out += fmt::format("| `{}` | {} | {} | {} |\n", key.name, type_cells(key.form), example, cell(key.about));
  }
}

}  // namespace

std::string template_file() {
  std::string out;
  template_head(out);
  for (Section const& section : sections()) {
    out += "\n";
    comment(out, section.about);
    out += fmt::format("[{}]\n", section.name);
    if (section.name == kPerToolSection) out += fmt::format("{}run_tests = {}\n", kCode, per_tool_form().example);
    for (SettingKey const& key : section.keys) {
      out += "\n";
      comment(out, meaning(key.about, key.form));
      out += fmt::format("#{} = {}\n", key.name, default_text(key));
    }
  }
  out += "\n";
  comment(out, agent_about());
  out += fmt::format("#\n{}[{}.reader]\n", kCode, kAgentSection);
  example_lines(out, agent_keys());
  template_tools(out);
  template_routes(out);
  return out;
}

std::string reference_markdown() {
  std::string out(kPageHead);
  for (Section const& section : sections()) page_section(out, section);
  out += fmt::format("\n## [{}.NAME]\n\n{}\n", kAgentSection, agent_about());
  page_examples(out, agent_keys());
  out += fmt::format("\n## [{}.NAME]\n\n{}\n", kToolSection, tool_about());
  page_examples(out, tool_keys());
  out += fmt::format("\n## [[{}.NAME.when]]\n\n{}\n", kToolSection, when_about());
  page_examples(out, condition_keys());
  out += fmt::format("\n## [[{}]]\n\n{}\n", kRouteSection, route_about());
  page_examples(out, route_keys());
  for (TestList const& list : route_lists())
    out += fmt::format("| `{}` | list of tests |  | `{}` | {} |\n", list.name, cell(list.example), cell(list.about));
  out += fmt::format("\n{}\n", test_about());
  page_examples(out, test_keys());
  out += fmt::format("\n## [{}.NAME]\n\n{}\n", kStageSection, stage_about());
  page_examples(out, stage_keys());
  return out;
}

}  // namespace backedge::policy
