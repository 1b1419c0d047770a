// Reading and applying rules about names; see match.h.
#include "prices/match.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.h"

namespace backedge::prices {
namespace {

/// Small enough that a table of thousands of patterns stays small, large enough for each of the known ones.
constexpr std::int64_t kPatternMemory = 1 << 18;

Result<std::shared_ptr<re2::RE2 const>> compile(std::string_view pattern) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kPatternMemory);
  auto out = std::make_shared<re2::RE2 const>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!out->ok())
    return Error{ErrorKind::kInput, fmt::format("the pattern {} is none: {}", in_quotes(pattern), out->error()), {}};
  return std::shared_ptr<re2::RE2 const>(std::move(out));
}

/// The place behind the bracket that closes the one at `open`; npos when none does.
std::size_t behind_bracket(std::string_view pattern, std::size_t open) {
  int depth = 0;
  bool in_class = false;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    char const c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (in_class) {
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

bool found(re2::RE2 const& pattern, std::string_view name) {
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), pattern);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

NameRule NameRule::equals(std::string_view name) {
  NameRule out;
  out.text_ = lower_case(name);
  return out;
}

Result<NameRule> NameRule::read_pattern(std::string_view pattern) {
  constexpr std::string_view kNot = "^(?!";
  NameRule out;
  out.kind_ = Kind::kRegex;
  std::string wanted(pattern);
  if (pattern.starts_with(kNot)) {
    std::size_t const end = behind_bracket(pattern, 1);
    if (end == std::string_view::npos)
      return Error{ErrorKind::kInput, fmt::format("the pattern {} lacks a bracket", in_quotes(pattern)), {}};
    auto excluded = compile(fmt::format("^(?:{})", pattern.substr(kNot.size(), end - 1 - kNot.size())));
    if (!excluded) return excluded.error();
    out.excluded_ = *std::move(excluded);
    wanted = fmt::format("^{}", pattern.substr(end));
  }
  auto compiled = compile(wanted);
  if (!compiled) return compiled.error();
  out.pattern_ = *std::move(compiled);
  return out;
}

// No deeper than kMaxRuleDepth.
Result<NameRule> NameRule::read(boost::json::value const& rule, int depth) {  // NOLINT(misc-no-recursion)
  if (depth > kMaxRuleDepth)
    return Error{ErrorKind::kInput, fmt::format("rules about names nest at most {} deep", kMaxRuleDepth), {}};
  boost::json::object const* const object = rule.if_object();
  if (object == nullptr || object->size() != 1)
    return Error{
        ErrorKind::kInput, "a rule about names is an object with one member, such as {\"equals\": \"gpt-4o\"}", {}};
  std::string_view const word(object->begin()->key().data(), object->begin()->key().size());
  boost::json::value const& value = object->begin()->value();
  NameRule out;
  if (word == "and" || word == "or") {
    if (!value.is_array() || value.get_array().empty())
      return Error{ErrorKind::kInput, fmt::format("\"{}\" holds a list of rules, not an empty one", word), {}};
    out.kind_ = word == "and" ? Kind::kAnd : Kind::kOr;
    for (boost::json::value const& part : value.get_array()) {
      Result<NameRule> read_part = read(part, depth + 1);
      if (!read_part) return read_part;
      out.parts_.push_back(*std::move(read_part));
    }
    return out;
  }
  if (!value.is_string()) return Error{ErrorKind::kInput, fmt::format("\"{}\" holds a text", word), {}};
  std::string_view const text(value.get_string().data(), value.get_string().size());
  if (word == "regex") return read_pattern(text);
  if (word == "equals") {
    out.kind_ = Kind::kEquals;
  } else if (word == "starts_with") {
    out.kind_ = Kind::kStartsWith;
  } else if (word == "ends_with") {
    out.kind_ = Kind::kEndsWith;
  } else if (word == "contains") {
    out.kind_ = Kind::kContains;
  } else {
    return Error{ErrorKind::kInput,
                 fmt::format("no rule about names is called {}; known are equals, starts_with, ends_with, contains, "
                             "regex, and, or",
                             in_quotes(word)),
                 {}};
  }
  out.text_ = lower_case(text);
  return out;
}

// As deep as what read() took.
bool NameRule::matches(std::string_view name) const {  // NOLINT(misc-no-recursion)
  switch (kind_) {
    case Kind::kEquals: return name == text_;
    case Kind::kStartsWith: return name.starts_with(text_);
    case Kind::kEndsWith: return name.ends_with(text_);
    case Kind::kContains: return name.find(text_) != std::string_view::npos;
    case Kind::kRegex: return found(*pattern_, name) && (excluded_ == nullptr || !found(*excluded_, name));
    case Kind::kAnd:
      for (NameRule const& part : parts_) {
        if (!part.matches(name)) return false;
      }
      return true;
    case Kind::kOr:
      for (NameRule const& part : parts_) {
        if (part.matches(name)) return true;
      }
      return false;
  }
  return false;
}

}  // namespace backedge::prices
