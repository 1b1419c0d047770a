// One reader and one writer per type of key.
#include "policy/value.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"
#include "policy/quantity.h"

namespace backedge::policy {
namespace {

constexpr std::string_view kPatternMark = "re:";
constexpr std::int64_t kUntold = 1'000'000'000'000;  // an upper end from here on only catches slips, and is not told

Error fault(std::string detail, Place at) { return {ErrorKind::kPolicy, std::move(detail), {"", at.line, at.column}}; }

Error wrong_type(Form const& form, Node const& node) {
  std::string wanted = type_text(form);
  if (form.type != Type::kBool) wanted.insert(0, wanted.front() == 'i' || wanted.front() == 'a' ? "an " : "a ");
  return fault(fmt::format("must be {}, not {}", wanted, kind_text(node.kind)), node.place);
}

/// A number of a form's own unit as a person reads it: 600000000 under kDuration is 10m.
std::string number_text(Form const& form, std::int64_t number) {
  if (number < 0) return std::to_string(number);
  if (form.type == Type::kDuration) return duration_text(number);
  if (form.type == Type::kMoney) return money_text(number);
  return std::to_string(number);
}

Result<Value> in_range(Form const& form, std::int64_t number, Node const& node) {
  bool const off = number == 0 && form.type == Type::kThreshold;
  bool const special = number == -1 && !form.minus_one.empty();
  bool const fits = number >= form.low && number <= form.high;
  if (off || special || fits) return Value(number);
  if (number > form.high) {
    return fault(fmt::format("is {}, must be at most {}", number_text(form, number), number_text(form, form.high)),
                 node.place);
  }
  return fault(fmt::format("is {}, must be {}", number_text(form, number), range_text(form)), node.place);
}

/// -1 is the same in every unit; any other integer is multiplied by what one of it is in the unit of the value.
Result<Value> read_integer(Form const& form, Node const& node, std::int64_t unit) {
  std::int64_t const number = node.integer;
  if (number == -1 && !form.minus_one.empty()) return Value(number);
  if (number < 0) return fault(fmt::format("is {}, must be {}", number, range_text(form)), node.place);
  if (number > form.high / unit) {
    return fault(fmt::format("is {}, must be at most {}", number, number_text(form, form.high)), node.place);
  }
  return in_range(form, number * unit, node);
}

Result<Value> read_count(Form const& form, Node const& node) {
  if (node.kind == NodeKind::kInteger) return in_range(form, node.integer, node);
  if (form.type == Type::kThreshold && node.kind == NodeKind::kBool) {
    if (!node.flag) return Value(std::int64_t{0});
    return fault("must be an integer, or false to switch it off, not true", node.place);
  }
  return wrong_type(form, node);
}

Result<Value> read_duration(Form const& form, Node const& node) {
  if (node.kind == NodeKind::kInteger) return read_integer(form, node, kMicrosPerSecond);
  if (node.kind != NodeKind::kText) return wrong_type(form, node);
  auto const micros = parse_duration(node.text);
  if (micros) return in_range(form, *micros, node);
  return fault(fmt::format("is {}, must be a duration such as \"90s\", \"10m\" or \"1h30m\"", in_quotes(node.text)),
               node.place);
}

Result<Value> read_money(Form const& form, Node const& node) {
  if (node.kind == NodeKind::kInteger) return read_integer(form, node, kNanosPerDollar);
  if (node.kind != NodeKind::kText && node.kind != NodeKind::kDecimal) return wrong_type(form, node);
  auto const nanos = parse_money(node.text);
  if (nanos) return in_range(form, *nanos, node);
  return fault(fmt::format("is {}, must be an amount in US dollars such as 1.50 or \"1.50\"",
                           node.kind == NodeKind::kText ? in_quotes(node.text) : node.text),
               node.place);
}

Result<Value> read_word(Form const& form, Node const& node) {
  if (node.kind != NodeKind::kText) return wrong_type(form, node);
  if (std::find(form.words.begin(), form.words.end(), node.text) != form.words.end()) return Value(node.text);
  std::string detail = fmt::format("is {}, must be one of {}", in_quotes(node.text), fmt::join(form.words, ", "));
  auto const near = nearest(node.text, form.words, 1);
  if (!near.empty()) detail += fmt::format("; did you mean {}?", in_quotes(near.front()));
  return fault(std::move(detail), node.place);
}

Result<Value> read_scalar(Form const& form, Node const& node) {
  switch (node.kind) {
    case NodeKind::kText: return Value(node.text);
    case NodeKind::kInteger: return Value(std::to_string(node.integer));
    case NodeKind::kBool: return Value(std::string(node.flag ? "true" : "false"));
    default: return wrong_type(form, node);
  }
}

std::string regex_fault(std::string_view text) {
  if (text.empty()) return "must not be empty";
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_max_mem(1 << 20);  // a pattern of a policy is a line, not a program
  re2::RE2 const pattern(re2::StringPiece(text.data(), text.size()), options);
  if (pattern.ok()) return {};
  std::string const why = in_quotes(pattern.error());
  return fmt::format("is no regular expression of RE2: {}", why.substr(1, why.size() - 2));
}

/// Why the text between braces is wrong; a conflict key is text with pointers in braces.
std::string resource_fault(std::string_view text) {
  if (text.empty()) return "must not be empty";
  while (true) {
    std::size_t const brace = text.find_first_of("{}");
    if (brace == std::string_view::npos) return {};
    if (text[brace] == '}') return "has a closing brace without an opening one";
    text.remove_prefix(brace + 1);
    std::size_t const end = text.find_first_of("{}");
    if (end == std::string_view::npos || text[end] == '{') return "has a brace that is not closed";
    std::string fault = pointer_fault(text.substr(0, end));
    if (!fault.empty()) return "holds in braces what " + fault;
    text.remove_prefix(end + 1);
  }
}

std::string text_fault(Type type, std::string_view text) {
  switch (type) {
    case Type::kPointer:
    case Type::kPointers: return pointer_fault(text);
    case Type::kPatterns:
      if (text.substr(0, kPatternMark.size()) == kPatternMark) {
        return text.size() > kPatternMark.size() ? std::string() : "is a pattern without text";
      }
      return pointer_fault(text);
    case Type::kResources: return resource_fault(text);
    case Type::kTexts:
    case Type::kGlobs: return text.empty() ? "must not be empty" : std::string();
    case Type::kRegex: return regex_fault(text);
    default: return {};
  }
}

Result<Value> read_text(Form const& form, Node const& node) {
  if (node.kind != NodeKind::kText) return wrong_type(form, node);
  std::string const why = text_fault(form.type, node.text);
  if (!why.empty()) return fault(fmt::format("is {}, which {}", in_quotes(node.text), why), node.place);
  return Value(node.text);
}

Result<Value> read_list(Form const& form, Node const& node) {
  if (form.type == Type::kGlobs && node.kind == NodeKind::kText) {
    std::string const why = text_fault(form.type, node.text);
    if (!why.empty()) return fault(fmt::format("is {}, which {}", in_quotes(node.text), why), node.place);
    return Value(std::vector<std::string>{node.text});
  }
  if (node.kind != NodeKind::kList) return wrong_type(form, node);
  if (node.items.empty() && form.type == Type::kTexts) return fault("must not be an empty list", node.place);
  std::vector<std::string> out;
  for (Node const& item : node.items) {
    if (item.kind != NodeKind::kText) {
      std::string_view const wanted = form.type == Type::kGlobs ? "list of names or globs" : "";
      return fault(fmt::format("must be a {}, but holds {}", wanted.empty() ? type_text(form) : std::string(wanted),
                               kind_text(item.kind)),
                   item.place);
    }
    std::string const why = text_fault(form.type, item.text);
    if (!why.empty()) return fault(fmt::format("holds {}, which {}", in_quotes(item.text), why), item.place);
    out.push_back(item.text);
  }
  return Value(std::move(out));
}

}  // namespace

std::string pointer_fault(std::string_view pointer) {
  constexpr std::string_view kNone = "is not a JSON pointer such as \"/path\"";
  if (pointer.empty() || pointer.front() != '/') return std::string(kNone);
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] != '~') continue;
    bool const escape = i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
    if (!escape) return std::string(kNone) + ": after ~ comes 0 or 1";
  }
  return {};
}

Result<Value> read_value(Form const& form, Node const& node) {
  switch (form.type) {
    case Type::kBool:
      if (node.kind != NodeKind::kBool) return wrong_type(form, node);
      return Value(node.flag);
    case Type::kCount:
    case Type::kThreshold: return read_count(form, node);
    case Type::kDuration: return read_duration(form, node);
    case Type::kMoney: return read_money(form, node);
    case Type::kWord: return read_word(form, node);
    case Type::kScalar: return read_scalar(form, node);
    case Type::kText:
    case Type::kRegex:
    case Type::kPointer: return read_text(form, node);
    case Type::kTexts:
    case Type::kPointers:
    case Type::kPatterns:
    case Type::kGlobs:
    case Type::kResources: return read_list(form, node);
  }
  return wrong_type(form, node);
}

std::string value_text(Form const& form, Value const& value) {
  if (auto const* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (auto const* number = std::get_if<std::int64_t>(&value)) {
    bool const in_quotes = *number >= 0 && (form.type == Type::kDuration || form.type == Type::kMoney);
    return in_quotes ? toml_string(number_text(form, *number)) : number_text(form, *number);
  }
  if (auto const* text = std::get_if<std::string>(&value)) return toml_string(*text);
  std::string out = "[";
  for (auto const& text : std::get<std::vector<std::string>>(value)) {
    if (out.size() > 1) out += ", ";
    out += toml_string(text);
  }
  return out + "]";
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_key(std::string_view name) {
  bool const bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(name) : toml_string(name);
}

std::string type_text(Form const& form) {
  switch (form.type) {
    case Type::kBool: return "true or false";
    case Type::kCount: return "integer";
    case Type::kThreshold: return "integer or false";
    case Type::kDuration: return "duration";
    case Type::kMoney: return "amount";
    case Type::kWord: return "word";
    case Type::kScalar: return "string, integer or boolean";
    case Type::kText: return "string";
    case Type::kTexts: return "list of strings";
    case Type::kPointer: return "JSON pointer";
    case Type::kPointers: return "list of JSON pointers";
    case Type::kPatterns: return "list of JSON pointers and \"re:\" patterns";
    case Type::kResources: return "list of resource names";
    case Type::kGlobs: return "name or glob, or list of them";
    case Type::kRegex: return "regular expression";
  }
  return "value";
}

std::string range_text(Form const& form) {
  if (form.type == Type::kWord) return fmt::format("{}", fmt::join(form.words, ", "));
  if (form.high == 0) return {};
  std::string out = form.high >= kUntold
                        ? fmt::format("{} or more", number_text(form, form.low))
                        : fmt::format("{} to {}", number_text(form, form.low), number_text(form, form.high));
  if (form.type == Type::kThreshold) out += ", or false";
  if (!form.minus_one.empty()) out += fmt::format(", or -1 for {}", form.minus_one);
  return out;
}

}  // namespace backedge::policy
