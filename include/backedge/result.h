// What a function returns that can fail: a value, or an Error with a kind from a closed set.
//
// Callers switch on the kind and never on the text. The text is one line for a person: lower case, no full stop, with
// what, where, the number, the limit, and what to do. Tested in tests/base/result_test.cpp.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace backedge {

enum class ErrorKind {
  kUsage,      // the caller asked for something that does not exist or does not fit
  kPolicy,     // the policy file is wrong
  kInput,      // a file, a message or an argument from outside is malformed
  kNotFound,   // a named file, run, frame or call does not exist
  kState,      // the call is legal, but not now (a frame that is closed, a call that has ended)
  kIo,         // the operating system refused
  kSignature,  // a token does not verify
  kModel,      // a model's provider refused, or answered what nobody understands
  kContext,    // a conversation is longer than the model's window
  kCancelled,  // stopped from outside
};

/// Where the fault lies: a file with a line (1-based, 0 = unknown) and a column, or a call or frame by name.
struct Where {
  std::string file;
  int line = 0;
  int column = 0;

  friend bool operator==(Where const&, Where const&) = default;
};

struct Error {
  ErrorKind kind = ErrorKind::kUsage;
  std::string detail;
  Where where;

  /// "file:line:column: detail", without the parts that are unknown.
  std::string text() const {
    std::string out;
    if (!where.file.empty()) {
      out = where.file;
      if (where.line > 0) out += ":" + std::to_string(where.line);
      if (where.line > 0 && where.column > 0) out += ":" + std::to_string(where.column);
      out += ": ";
    }
    return out + detail;
  }
  friend bool operator==(Error const&, Error const&) = default;
};

/// A value of T or an Error. Reading the value of a failed result, or the error of a good one, aborts: it is a bug of
/// the caller, not an input.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return const_cast<T&>(std::as_const(*this).value()); }
  T const& value() const& {
    if (!ok()) std::abort();
    return *std::get_if<0>(&state_);
  }
  T&& value() && { return std::move(value()); }
  Error const& error() const {
    if (ok()) std::abort();
    return *std::get_if<1>(&state_);
  }

  T& operator*() & { return value(); }
  T const& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  T const* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  Error const& error() const {
    if (ok()) std::abort();
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<std::monostate, Error> state_;
};

}  // namespace backedge
