// What is looked for in runs that went wrong; see candidate.h.
#include "suggest/candidate.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <re2/re2.h>

#include "base/json.h"
#include "base/text.h"

namespace backedge::suggest {
namespace {

namespace json = boost::json;

constexpr std::size_t kFewest = 3;        // calls that make a pattern: two may be chance
constexpr std::size_t kMostFields = 2;    // arguments that vary together; more are another question
constexpr std::size_t kMostPointers = 4;  // parts of a result that vary
constexpr std::size_t kShown = 60;        // characters of a name in a line

/// Words of names, by what a tool of that name likely does. They only say what is tried; replaying decides.
constexpr std::array<std::string_view, 22> kReads{
    "cat",  "check", "count",  "describe", "fetch", "find",  "get",  "glob",   "grep", "info",   "list",
    "load", "look",  "lookup", "ls",       "open",  "query", "read", "search", "show", "status", "view"};
constexpr std::array<std::string_view, 20> kWrites{
    "add",   "book", "buy",  "cancel",  "charge", "create", "delete", "deploy",   "insert", "notify",
    "order", "pay",  "post", "publish", "refund", "send",   "submit", "transfer", "update", "upload"};

template <std::size_t N>
bool has_word(std::string_view tool, std::array<std::string_view, N> const& words) {
  std::string word;
  for (std::size_t i = 0; i <= tool.size(); ++i) {
    char const c = i < tool.size() ? tool[i] : '_';
    bool const upper = c >= 'A' && c <= 'Z';
    bool const letter = (c >= 'a' && c <= 'z') || upper;
    if (upper || !letter) {
      if (std::find(words.begin(), words.end(), word) != words.end()) return true;
      word.clear();
    }
    if (letter) word += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return false;
}

struct Pattern {
  char const* toml;  // as it stands in volatile.result
  char const* regex;
};
/// What texts often carry that means nothing.
constexpr std::array<Pattern, 4> kPatterns{{
    {R"(re:[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?)", R"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?)"},
    {R"(re:[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?)", R"([0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?)"},
    {R"(re:[0-9.]+ ?(ms|s|seconds))", R"([0-9.]+ ?(ms|s|seconds)\b)"},
    {R"(re:[0-9a-f]{8}(-?[0-9a-f]{4,}){1,4})", R"([0-9a-f]{8}(-?[0-9a-f]{4,}){1,4})"},
}};

bool ran(graph::Call const& call) { return !call.status.empty() && !call.verdict.refused(); }
bool failed(graph::Call const& call) { return call.status == "error" || call.status == "timeout"; }

std::string tool_section(std::string_view tool) { return "tool." + toml_key(tool); }

std::string list_of(std::vector<std::string> const& texts) {
  std::string out = "[";
  for (std::string const& text : texts) out += (out.size() > 1 ? ", " : "") + toml_text(text);
  return out + "]";
}

std::string pointer_of(std::string_view field) {
  std::string out = "/";
  for (char const c : field) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

using Calls = std::vector<graph::Call const*>;

/// The calls of one tool in one frame of one given run.
struct Group {
  std::string tool;
  Calls calls;
};

std::vector<Group> groups_of(std::span<Subject const> given) {
  std::vector<Group> out;
  for (Subject const& subject : given) {
    std::map<std::pair<std::uint32_t, std::string>, Calls> by;
    for (graph::Call const& call : subject.tree.calls) {
      if (ran(call)) by[{call.frame, call.tool}].push_back(&call);
    }
    for (auto& [where, calls] : by) out.push_back({where.second, std::move(calls)});
  }
  return out;
}

std::optional<json::object> object_of(std::string_view text) {
  Result<json::value> parsed = parse_json(text);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return std::move(parsed->get_object());
}

/// Collects what is found, each candidate once.
class Miner {
 public:
  Miner(std::span<Subject const> given, std::span<Subject const> others) : given_(given), others_(others) {}

  std::vector<Candidate> run() {
    for (Group const& group : groups_of(given_)) {
      equal_calls(group);
      varying_arguments(group);
      varying_results(group);
      often(group);
    }
    agents();
    limits();
    thresholds();
    return std::move(out_);
  }

 private:
  void put(std::vector<Setting> settings, std::string why, std::string choice = {}) {
    if (seen_.insert(settings).second) out_.push_back({std::move(settings), std::move(why), std::move(choice)});
  }

  void equal_calls(Group const& group) {
    std::map<std::string, std::size_t> same;
    std::size_t most = 0;
    bool worked = false;
    for (graph::Call const* call : group.calls) {
      std::size_t const n = ++same[call->arguments.text];
      if (n < most) continue;
      most = n;
      worked = !failed(*call);
    }
    if (most < 2) return;
    std::string const section = tool_section(group.tool);
    std::string const why = fmt::format("{} was called {} times with equal arguments", cut(group.tool, kShown), most);
    if (has_word(group.tool, kReads) && !has_word(group.tool, kWrites))
      put({{section, "effect", "\"read\""}, {section, "idempotent", "true"}}, why);
    if (has_word(group.tool, kWrites) && worked) put({{section, "idempotent", "false"}}, why);
  }

  // Fields that vary while the answer stays, or that vary while the deed is the same.
  void varying_arguments(Group const& group) {
    std::map<std::string, std::vector<json::object>> by_result;
    std::vector<json::object> all;
    for (graph::Call const* call : group.calls) {
      std::optional<json::object> arguments = object_of(call->arguments.text);
      if (!arguments) continue;
      all.push_back(*arguments);
      by_result[call->result.text].push_back(*std::move(arguments));
    }
    for (auto const& [result, arguments] : by_result) {
      std::vector<std::string> const fields = varying(arguments);
      if (fields.empty()) continue;
      std::vector<std::string> pointers;
      pointers.reserve(fields.size());
      for (std::string const& field : fields) pointers.push_back(pointer_of(field));
      put({{tool_section(group.tool), "volatile.args", list_of(pointers)}},
          fmt::format("{} gave one answer {} times while {} varied", cut(group.tool, kShown), arguments.size(),
                      fmt::join(pointers, " and ")));
    }
    std::vector<std::string> const fields = varying(all);
    if (fields.empty() || !has_word(group.tool, kWrites)) return;
    std::vector<std::string> rest;
    for (json::key_value_pair const& member : all.front()) {
      std::string const field(member.key().data(), member.key().size());
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) rest.push_back(pointer_of(field));
    }
    std::string const section = tool_section(group.tool);
    put({{section, "idempotent", "false"}, {section, "identity", list_of(rest)}},
        fmt::format("{} did the same {} times in other words", cut(group.tool, kShown), all.size()));
  }

  /// The fields in which the objects differ, if all others are equal and there are any; else none.
  static std::vector<std::string> varying(std::vector<json::object> const& objects) {
    if (objects.size() < kFewest) return {};
    json::object const& first = objects.front();
    std::set<std::string> out;
    for (json::object const& one : objects) {
      if (one.size() != first.size()) return {};
      for (json::key_value_pair const& member : first) {
        json::value const* const other = one.if_contains(member.key());
        if (other == nullptr) return {};
        if (*other != member.value()) out.emplace(member.key().data(), member.key().size());
      }
      if (out.size() > kMostFields || out.size() >= first.size()) return {};
    }
    return {out.begin(), out.end()};
  }

  void varying_results(Group const& group) {
    std::map<std::string, Calls> by_arguments;
    for (graph::Call const* call : group.calls) by_arguments[call->arguments.text].push_back(call);
    for (auto const& [arguments, calls] : by_arguments) {
      if (calls.size() < kFewest) continue;
      std::set<std::string> parts;
      bool const objects = differing(calls, parts);
      if (!objects) parts = masking(calls);
      if (parts.empty() || parts.size() > kMostPointers) continue;
      put({{tool_section(group.tool), "volatile.result", list_of({parts.begin(), parts.end()})}},
          fmt::format("{} gave {} answers to equal arguments that differ in nothing but {}", cut(group.tool, kShown),
                      calls.size(), fmt::join(parts, " and ")));
    }
  }

  /// The members of the results that are not equal in all of them; false when they are not all objects of one shape.
  static bool differing(Calls const& calls, std::set<std::string>& out) {
    std::optional<json::object> first;
    for (graph::Call const* call : calls) {
      std::optional<json::object> object = object_of(call->result.text);
      if (!object) return false;
      if (!first) {
        first = std::move(object);
        continue;
      }
      if (object->size() != first->size()) return false;
      for (json::key_value_pair const& member : *first) {
        json::value const* const other = object->if_contains(member.key());
        if (other == nullptr) return false;
        if (*other != member.value()) out.insert(pointer_of({member.key().data(), member.key().size()}));
      }
    }
    if (first && out.size() == first->size()) out.clear();  // nothing would be left to compare
    return first.has_value();
  }

  /// The patterns without which the texts are equal; none when they are not.
  static std::set<std::string> masking(Calls const& calls) {
    std::set<std::string> texts, out;
    for (graph::Call const* call : calls) texts.insert(call->result.text);
    for (Pattern const& pattern : kPatterns) {
      if (texts.size() < 2) break;
      std::set<std::string> masked;
      bool used = false;
      for (std::string text : texts) {
        used = RE2::GlobalReplace(&text, pattern.regex, "") > 0 || used;
        masked.insert(std::move(text));
      }
      if (used && masked.size() < texts.size()) out.insert(pattern.toml);
      texts = std::move(masked);
    }
    return texts.size() == 1 ? out : std::set<std::string>();
  }

  // No finished run needed so many.
  void often(Group const& group) {
    std::int64_t most = 0;
    for (Subject const& other : others_) {
      if (!other.finished) continue;
      most = std::max<std::int64_t>(most, std::count_if(other.tree.calls.begin(), other.tree.calls.end(),
                                                        [&](graph::Call const& c) { return c.tool == group.tool; }));
    }
    if (most == 0) return;
    std::int64_t const with_room = most + (most + 4) / 5;
    if (std::ssize(group.calls) <= with_room) return;
    put({{"limits.per_tool", toml_key(group.tool), std::to_string(with_room)}},
        fmt::format("{} was called {} times; no run that finished needed more than {}", cut(group.tool, kShown),
                    group.calls.size(), most));
  }

  void agents() {
    for (Subject const& subject : given_) {
      graph::CallTree const& tree = subject.tree;
      for (std::uint32_t f = 0; f < tree.frames.size(); ++f) {
        if (tree.frames[f].by == graph::kNone) continue;
        std::vector<std::uint32_t> const path = tree.path(f);
        std::string const name(tree.frame_name(f));
        auto const times =
            std::count_if(path.begin(), path.end(), [&](std::uint32_t on) { return tree.frame_name(on) == name; });
        if (times < 2) continue;
        std::string const why = fmt::format("{} was at work inside itself, {} deep", cut(name, kShown), times);
        for (std::string const& tool : {name, tree.calls[tree.frames[f].by].tool}) {
          std::string const section = tool_section(tool);
          put({{section, "reentry", "\"forbid\""}}, why, section);
          put({{section, "reentry", "\"bounded\""}, {section, "max_depth", "2"}}, why, section);
        }
      }
    }
  }

  static Needs needs_of(Subject const& subject) {
    if (subject.needs) return *subject.needs;
    Needs out{std::ssize(subject.tree.turns), std::ssize(subject.tree.calls), 0, std::ssize(subject.tree.frames) - 1};
    for (graph::Frame const& frame : subject.tree.frames)
      out.depth = std::max<std::int64_t>(out.depth, frame.depth + 1);
    return out;
  }

  // What finished runs needed, and a fifth more.
  void limits() {
    Needs most;
    std::size_t finished = 0;
    for (Subject const& other : others_) {
      if (!other.finished) continue;
      ++finished;
      Needs const needs = needs_of(other);
      most = {std::max(most.turns, needs.turns), std::max(most.calls, needs.calls), std::max(most.depth, needs.depth),
              std::max(most.agents, needs.agents)};
    }
    if (finished < kFewest) return;  // too few to know what is needed
    auto const limit = [&](char const* key, std::int64_t needed, std::int64_t used, char const* what) {
      std::int64_t const with_room = needed + (needed + 4) / 5;
      if (used > with_room)
        put({{"limits", key, std::to_string(with_room)}},
            fmt::format("it took {} {}; no run that finished took more than {}", used, what, needed));
    };
    for (Subject const& subject : given_) {
      if (subject.finished) continue;
      Needs const used = needs_of(subject);
      limit("max_turns", most.turns, used.turns, "turns");
      limit("max_calls", most.calls, used.calls, "calls");
      limit("max_depth", most.depth, used.depth, "levels of calls");
      limit("max_descendants", most.agents, used.agents, "agents");
    }
  }

  void thresholds() {
    struct Row {
      char const* key;
      bool warns;  // a note to the model comes before it, one sooner
      char const* what;
      std::vector<int> values;  // mildest first
    };
    Row const rows[] = {{"exact", false, "the same call with the same answer, over and over", {4, 3, 2}},
                        {"exact_error", false, "the same call failed in the same way, over and over", {5, 4, 3, 2}},
                        {"cycle", false, "the same calls went round in a circle", {3, 2}},
                        {"stagnant", true, "reads with other arguments had one answer", {8, 6, 5, 4, 3}},
                        {"stagnant_empty", false, "reads with other arguments found nothing", {8, 6, 5, 4, 3}},
                        {"error", true, "one and the same error, whatever was tried", {6, 5, 4, 3}},
                        {"range", true, "lines were read again that had been read", {4, 3, 2}},
                        {"poll", true, "what did not change was asked for again and again", {15, 10, 7, 5, 3}}};
    for (Row const& row : rows) {
      for (int const value : row.values) {
        std::string const key = row.key;
        std::vector<Setting> settings{{"repeat", key, std::to_string(value)}};
        if (row.warns) settings.push_back({"repeat", key + "_warn", std::to_string(value - 1)});
        put(std::move(settings), row.what, "repeat." + key);
      }
    }
  }

  std::span<Subject const> given_, others_;
  std::set<std::vector<Setting>> seen_;
  std::vector<Candidate> out_;
};

}  // namespace

std::vector<Candidate> candidates(std::span<Subject const> given, std::span<Subject const> others) {
  return Miner(given, others).run();
}

std::string toml_text(std::string_view text) {
  return json::serialize(json::value(json::string(text.data(), text.size())));
}

std::string toml_key(std::string_view word) {
  bool const bare = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(word) : toml_text(word);
}

std::string toml_of(std::span<Setting const> settings) {
  std::vector<std::string> sections;
  for (Setting const& s : settings) {
    if (std::find(sections.begin(), sections.end(), s.section) == sections.end()) sections.push_back(s.section);
  }
  std::string out;
  for (std::string const& section : sections) {
    out += "[" + section + "]\n";
    for (Setting const& s : settings) {
      if (s.section == section) out += s.key + " = " + s.value + "\n";
    }
  }
  return out;
}

}  // namespace backedge::suggest
