// toml++ behind parse_toml(): the guard, parsing, and the copy into our own tree.
#include "policy/toml_document.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "policy/toml_guard.h"

namespace backedge::policy {
namespace {

Place place_of(toml::source_position at) { return {static_cast<int>(at.line), static_cast<int>(at.column)}; }

Error fault(std::string detail, std::string const& file, Place at) {
  return {ErrorKind::kPolicy, std::move(detail), {file, at.line, at.column}};
}

/// The parser's words in one line of ours: "Error while parsing boolean: expected …" is "invalid TOML in a boolean: …".
std::string one_line(std::string_view words) {
  constexpr std::string_view kPrefix = "Error while parsing ";
  std::string out = "invalid TOML";
  if (words.substr(0, kPrefix.size()) == kPrefix) {
    words.remove_prefix(kPrefix.size());
    std::size_t const colon = words.find(": ");
    if (colon != std::string_view::npos) {
      out += fmt::format(" ({})", words.substr(0, colon));
      words.remove_prefix(colon + 2);
    }
  }
  out += ": ";
  for (char const c : words) {
    if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out;
}

/// Cuts the text of a value that stands on one line out of the file; columns count code points.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    while (true) {
      std::size_t const end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
    constexpr std::string_view kMark = "\xef\xbb\xbf";  // a byte order mark has no column
    if (lines_[0].substr(0, kMark.size()) == kMark) lines_[0].remove_prefix(kMark.size());
  }

  std::string_view cut(toml::source_region const& region) const {
    if (region.begin.line != region.end.line || region.begin.line == 0 || region.begin.line > lines_.size()) return {};
    std::string_view const line = lines_[region.begin.line - 1];
    std::size_t const begin = byte_of(line, region.begin.column);
    return line.substr(begin, byte_of(line, region.end.column) - begin);
  }

 private:
  static std::size_t byte_of(std::string_view line, toml::source_index column) {
    std::size_t at = 0;
    for (toml::source_index left = column; left > 1 && at < line.size(); --left) {
      ++at;
      while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) ++at;
    }
    return at;
  }

  std::vector<std::string_view> lines_;
};

NodeKind kind_of(toml::node const& node) {
  switch (node.type()) {
    case toml::node_type::table: return NodeKind::kTable;
    case toml::node_type::array: return NodeKind::kList;
    case toml::node_type::string: return NodeKind::kText;
    case toml::node_type::integer: return NodeKind::kInteger;
    case toml::node_type::floating_point: return NodeKind::kDecimal;
    case toml::node_type::boolean: return NodeKind::kBool;
    default: return NodeKind::kTime;
  }
}

/// Copies a tree level by level; it holds pointers only into lists that have their final size.
class Copier {
 public:
  explicit Copier(std::string_view text) : lines_(text) {}

  Node copy(toml::table const& root) {
    Node out;
    open_.push_back({&root, &out, 0});
    while (!open_.empty() && !too_deep_) {
      Pair const next = open_.back();
      open_.pop_back();
      copy_one(next);
    }
    return out;
  }

  std::optional<Place> too_deep() const { return too_deep_; }

 private:
  struct Pair {
    toml::node const* from;
    Node* to;
    int depth;
  };

  void copy_one(Pair const& pair) {
    toml::node const& from = *pair.from;
    Node& to = *pair.to;
    to.kind = kind_of(from);
    to.place = place_of(from.source().begin);
    if (pair.depth > kMaxDepth) {
      too_deep_ = to.place;
    } else if (auto const* table = from.as_table()) {
      copy_members(*table, to, pair.depth);
    } else if (auto const* array = from.as_array()) {
      to.items.resize(array->size());
      for (std::size_t i = 0; i < array->size(); ++i) open_.push_back({array->get(i), &to.items[i], pair.depth + 1});
    } else if (auto const* text = from.as_string()) {
      to.text = text->get();
    } else if (auto const* integer = from.as_integer()) {
      to.integer = integer->get();
    } else if (auto const* flag = from.as_boolean()) {
      to.flag = flag->get();
    } else if (from.is_floating_point()) {
      to.text = lines_.cut(from.source());
    }
  }

  void copy_members(toml::table const& table, Node& to, int depth) {
    for (auto const& [name, node] : table) {
      to.members.push_back({std::string(name.str()), place_of(name.source().begin), {}});
    }
    std::sort(to.members.begin(), to.members.end(), [](Member const& a, Member const& b) { return a.place < b.place; });
    for (Member& member : to.members) open_.push_back({table.get(member.name), &member.node, depth + 1});
  }

  Lines lines_;
  std::vector<Pair> open_;
  std::optional<Place> too_deep_;
};

}  // namespace

Result<Node> parse_toml(std::string_view toml, std::string const& file) {
  if (auto against = guard_toml(toml, file)) return std::move(*against);
  try {
    toml::table const parsed = toml::parse(toml);
    Copier copier(toml);
    Node root = copier.copy(parsed);
    if (copier.too_deep()) {
      return fault(fmt::format("nested deeper than {} levels", kMaxDepth), file, *copier.too_deep());
    }
    return root;
  } catch (toml::parse_error const& error) {
    return fault(one_line(error.description()), file, place_of(error.source().begin));
  } catch (std::exception const& error) {
    return fault(one_line(error.what()), file, {});
  }
}

std::string_view kind_text(NodeKind kind) {
  switch (kind) {
    case NodeKind::kTable: return "a table";
    case NodeKind::kList: return "a list";
    case NodeKind::kText: return "a string";
    case NodeKind::kInteger: return "an integer";
    case NodeKind::kDecimal: return "a decimal number";
    case NodeKind::kBool: return "true or false";
    case NodeKind::kTime: return "a date or time";
  }
  return "a value";
}

}  // namespace backedge::policy
