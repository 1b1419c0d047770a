// One JSON text at a time, read forward: simdjson's on-demand parser behind functions that never fail half-way.
//
// A value may be read once, in document order; a function that meets another type than it wants returns an empty value
// and is no error. A text that is malformed sets error(), which sticks: whoever collects from a document looks at
// error() at the end and throws away what was collected. Strings and raw slices stay valid until the next open(). Of
// two members with the same name both are shown, in order. Numbers keep their digits in raw(). Tested in
// tests/inspect/json_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace backedge::inspect {

using JsonValue = simdjson::ondemand::value;

enum class JsonType : std::uint8_t { kObject, kArray, kString, kNumber, kBool, kNull, kBroken };

class Json {
 public:
  /// Starts on a document; `bytes` is followed by kJsonPadding readable bytes. False, with error(), when it is neither
  /// an object nor an array, or when its outline (quotes, brackets at both ends, UTF-8) is broken.
  bool open(std::string_view bytes);
  /// Once after open().
  JsonValue root() { return root_; }

  bool failed() const { return error_ != simdjson::SUCCESS; }
  /// What is wrong, in words; empty when nothing is.
  std::string error() const;
  /// The fault is one that repaired() (text.h) removes: bytes that are not UTF-8, half of a surrogate pair, bare
  /// control characters.
  bool repairable() const;

  JsonType type(JsonValue& value);
  /// Calls f(name, value) for each member; nothing when it is not an object.
  template <class F>
  void members(JsonValue value, F&& f) {
    simdjson::ondemand::object object;
    if (type(value) != JsonType::kObject || note(value.get_object().get(object))) return;
    for (auto field : object) {
      std::string_view name;
      JsonValue member;
      if (note(field.unescaped_key().get(name)) || note(field.value().get(member))) return;
      f(name, member);
      if (failed()) return;
    }
  }
  /// Calls f(value) for each element; nothing when it is not an array.
  template <class F>
  void elements(JsonValue value, F&& f) {
    simdjson::ondemand::array array;
    if (type(value) != JsonType::kArray || note(value.get_array().get(array))) return;
    for (auto item : array) {
      JsonValue element;
      if (note(std::move(item).get(element))) return;
      f(element);
      if (failed()) return;
    }
  }
  /// A string's content, or an empty view.
  std::string_view text(JsonValue value);
  /// A number, cut towards zero and limited to 64 bits; 0 when it is none.
  std::int64_t integer(JsonValue value);
  /// A number; 0 when it is none.
  double number(JsonValue value);
  /// True for true, and for nothing else.
  bool truth(JsonValue value);
  /// The value's own text, without blanks around it; this is its one reading.
  std::string_view raw(JsonValue value);
  /// Where the value starts in the text.
  static char const* start(JsonValue& value) { return value.raw_json_token().data(); }
  /// The text of an object or array that was just read to its end, from where it started.
  std::string_view since(char const* start);

  /// Passes over the document if nobody has read any of it, a list where objects were expected. Call it before rest().
  void skip_unread();
  /// What follows the document on its line: empty, or another document after a missing line end. Call it after root()
  /// was read to its end.
  std::string_view rest();

  /// Line ends before the place where reading stands now, for documents that span many lines. Cost: what lies between
  /// this call and the last.
  std::int64_t line();

 private:
  bool note(simdjson::error_code code) {
    if (code == simdjson::SUCCESS) return false;
    if (!failed()) error_ = code;
    return true;
  }

  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  JsonValue root_;
  std::string_view bytes_;
  simdjson::error_code error_ = simdjson::SUCCESS;
  char const* counted_to_ = nullptr;
  std::int64_t counted_ = 0;
};

}  // namespace backedge::inspect
