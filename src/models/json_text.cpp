// Cutting well-formed JSON text into its parts; see json_text.h.

#include "models/json_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"

namespace backedge::models {
namespace {

namespace json = boost::json;

constexpr std::string_view kSpace = " \t\r\n";

std::string_view trim(std::string_view s) {
  std::size_t const first = s.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return s.substr(first, s.find_last_not_of(kSpace) - first + 1);
}

// Behind the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// Behind the value that begins at `at`.
std::size_t behind_value(std::string_view text, std::size_t at) {
  if (text[at] == '"') return behind_string(text, at);
  if (text[at] != '{' && text[at] != '[') return std::min(text.find_first_of(",]} \t\r\n", at), text.size());
  std::size_t depth = 0;
  do {
    char const c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  } while (depth > 0);
  return at;
}

// Calls `take` with the bytes of each element, or of each member's value, of a container; it says whether to go on.
template <class Take>
void each_value(std::string_view text, Take take) {
  bool const named = text.front() == '{';
  std::size_t at = text.find_first_not_of(kSpace, 1);
  while (text[at] != ']' && text[at] != '}') {
    if (named) at = text.find_first_not_of(kSpace, text.find(':', behind_string(text, at)) + 1);
    std::size_t const end = behind_value(text, at);
    if (!take(text.substr(at, end - at))) return;
    at = text.find_first_not_of(kSpace, end);
    if (text[at] == ',') at = text.find_first_not_of(kSpace, at + 1);
  }
}

// How many lines of `whole` end before `part`, which lies in it.
int lines_before(std::string_view whole, std::string_view part) {
  auto const at = static_cast<std::size_t>(part.data() - whole.data());
  return static_cast<int>(std::ranges::count(whole.substr(0, at), '\n'));
}

}  // namespace

std::vector<JsonPart> JsonPart::elements() const {
  std::vector<JsonPart> out;
  json::array const* const array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) return out;
  out.reserve(array->size());
  JsonPart last{nullptr, text.substr(0, 0), line};
  each_value(text, [&](std::string_view part) {
    // Lines are counted on from the element before.
    auto const begin = static_cast<std::size_t>(last.text.data() - text.data());
    last = {&(*array)[out.size()], part, last.line + lines_before(text.substr(begin), part)};
    out.push_back(last);
    return true;
  });
  return out;
}

JsonPart JsonPart::member(std::string_view name) const {
  json::object const* const o = object();
  json::object::const_iterator const found = o == nullptr ? json::object::const_iterator() : o->find(name);
  if (o == nullptr || found == o->end()) return {};
  auto left = found - o->begin();
  JsonPart out;
  each_value(text, [&](std::string_view part) {
    if (left-- > 0) return true;
    out = {&found->value(), part, line + lines_before(text, part)};
    return false;
  });
  return out;
}

Result<void> JsonDocument::add(std::string_view text, int line, std::string const& file) {
  Result<json::value> value = parse_json(text, file);
  if (!value) {
    Error error = value.error();
    if (error.where.line > 0) error.where.line += line - 1;
    return error;
  }
  values_.push_back(std::make_unique<json::value>(std::move(*value)));
  std::string_view const inside = trim(text);
  roots_.push_back({values_.back().get(), inside, line + lines_before(text, inside)});
  return {};
}

Result<JsonDocument> JsonDocument::read(std::string text, std::string const& file) {
  JsonDocument out;
  out.text_ = std::make_unique<std::string>(std::move(text));
  std::string_view const all = *out.text_;
  std::size_t const first = std::min(all.find_first_not_of(kSpace), all.size());
  std::string_view const first_line = all.substr(first, std::min(all.find('\n', first), all.size()) - first);
  bool const cut_short = first_line.starts_with('{') && !parse_json(first_line).ok();
  bool const closed = trim(first_line).ends_with('}');
  if (first_line.starts_with('[') || (cut_short && (!closed || parse_json(all).ok()))) {
    if (Result<void> added = out.add(all, 1, file); !added) return added.error();
    return out;
  }
  out.by_lines_ = true;
  int number = 0;
  for (std::string_view rest = all; !rest.empty();) {
    std::string_view const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    if (trim(line).empty()) continue;
    if (Result<void> added = out.add(line, number, file); !added) return added.error();
  }
  return out;
}

Result<std::string> read_file(std::string const& path, std::size_t limit) {
  std::error_code ec;
  std::filesystem::file_status const status = std::filesystem::status(path, ec);
  if (!std::filesystem::exists(status))
    return Error{ErrorKind::kNotFound, "there is no such file; name one that exists", {path}};
  if (std::filesystem::is_directory(status)) return Error{ErrorKind::kIo, "this is a folder; name a file", {path}};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorKind::kIo, fmt::format("cannot be opened: {}", std::strerror(errno)), {path}};
  std::string out;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || in.gcount() > 0) {
    out.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (out.size() > limit)
      return Error{ErrorKind::kInput, fmt::format("is longer than {} bytes; cut it down", limit), {path}};
  }
  if (in.bad()) return Error{ErrorKind::kIo, "cannot be read to its end", {path}};
  return out;
}

}  // namespace backedge::models
