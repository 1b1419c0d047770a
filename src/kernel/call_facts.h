// What the kernel is told of a call, a result and a model's text: digests and small numbers, made by `facts` from raw
// JSON.
//
// Equality of digests stands for equality of meaning: same key = same call, same identity = about the same thing, same
// outcome = same answer. The kernel never sees the texts themselves, except names that it repeats in messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "backedge/ids.h"
#include "base/digest.h"
#include "base/fixed_list.h"
#include "kernel/terms.h"

namespace backedge::kernel {

/// Why arguments cannot be dispatched. Everything but kNone is rejected before any other rule is asked.
enum class ArgumentFault : std::uint8_t {
  kNone,
  kUnknownTool,   // text: the nearest known names
  kNotJson,       // text: what the parser found, and where
  kNotObject,     // a number, a list, a text that holds no JSON
  kDuplicateKey,  // two members of one name: which one counts would depend on the reader
  kNumberRange,   // a number beyond the range of a double
  kTooDeep,       // nested deeper than kMaxArgumentDepth
  kMissing,       // a required field is not there
  kMistyped,      // a field has the wrong type
};

/// Lines asked for by a paged read: [begin, end).
struct LineRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  friend bool operator==(LineRange const&, LineRange const&) = default;
};

/// A text argument, by the digests of its name and of its value.
struct NamedText {
  Digest name;
  Digest value;
};

/// What the gate (or a rule of the door) says of this call; the kernel puts it in order with its own rules.
enum class GateOpinion : std::uint8_t { kAllow, kAsk, kDeny };

/// What a rule of the host's routing says of this call. kReuse: `route_earlier` names the call whose result stands.
enum class RouteOpinion : std::uint8_t { kAllow, kReject, kForbid, kReuse, kAsk };

using WordSet = FixedList<std::uint32_t, 64>;  // hashes of the distinct lower-cased words, sorted
inline constexpr std::int64_t kNoMeasure = -1;
using ResourceList = FixedList<Digest, 4>;  // what the call's conflict keys name

/// Whether both name a thing.
inline bool overlap(ResourceList const& a, ResourceList const& b) {
  return std::any_of(a.begin(), a.end(), [&](Digest x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

/// Views stay valid until the maker is asked for the next call; the kernel copies what it keeps.
struct CallFacts {
  std::string_view tool;
  Digest tool_id;   // digest of the tool's name
  Digest key;       // (tool, arguments without volatile fields)
  Digest identity;  // what the call is about; undeclared: the whole arguments without volatile fields
  bool identity_declared = false;
  bool identity_is_text = false;      // every declared identity field holds text
  std::int64_t measure = kNoMeasure;  // of the recursion, if the contract names one and the arguments have it
  Terms terms;
  std::uint32_t contract = 0;  // which compiled contract applied; for the maker's own use when the result comes
  Digest target;               // digest of the agent's name, if the contract names one
  std::string_view target_name;
  FixedList<NamedText, 8> names;  // the short top-level text arguments: any of them may name an agent
  bool has_range = false;
  LineRange range;
  ResourceList resources;
  bool resources_declared =
      false;      // by a contract; else they are the tool itself, which tells nothing about what it changes
  WordSet words;  // of all text arguments; only for delegates, else empty
  ArgumentFault fault = ArgumentFault::kNone;
  std::string_view fault_text;
  GateOpinion gate = GateOpinion::kAllow;
  RouteOpinion route = RouteOpinion::kAllow;
  CallId route_earlier;
  bool in_stage = false;  // the stage that the run is in names the tool
};

enum class ResultStatus : std::uint8_t { kOk, kEmpty, kError, kTimeout, kCancelled, kDenied, kUnknown };

/// True for statuses that are not a success.
constexpr bool failed(ResultStatus s) { return s != ResultStatus::kOk && s != ResultStatus::kEmpty; }

struct ResultFacts {
  ResultStatus status = ResultStatus::kOk;
  Digest outcome;  // status and uncut text without volatile fields
  Digest masked;   // status and text with numbers, times, ids and quoted parts masked: the kind of an error
  FixedList<std::uint32_t, 64> shingles;  // sampled hashes of five-word shingles, without repeats
  std::uint32_t shingle_count = 0;        // distinct shingles before sampling
  std::int64_t bytes = 0;
};

/// Of one model message. A tail is a block of `tail_period` tokens that ends the text and stands there `tail_repeats`
/// times.
struct TextFacts {
  Digest message;  // of the text with white space folded; none for an empty text
  std::uint16_t tokens = 0;
  std::uint16_t tail_period = 0;
  std::uint16_t tail_repeats = 0;
};

}  // namespace backedge::kernel
