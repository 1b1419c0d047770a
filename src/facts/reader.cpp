#include "facts/reader.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/hash.h"
#include "facts/decimal.h"
#include "facts/json_digest.h"
#include "facts/resource_path.h"
#include "facts/result_text.h"
#include "facts/shell_text.h"
#include "facts/text_tail.h"
#include "facts/words.h"

namespace backedge::facts {
namespace {

using kernel::ArgumentFault;
using kernel::CallFacts;
using kernel::ResultFacts;
using kernel::ResultStatus;

static_assert(JsonDigester::kMaxDepth == kMaxArgumentDepth);

// What a read without a length shows: the window of the widespread file tools.
constexpr std::int64_t kDefaultWindow = 2000;
constexpr std::int64_t kEndOfFile = std::numeric_limits<std::int64_t>::max() / 2;

// Arbitrary and fixed: they keep identities and outcomes apart from the digests they are made of.
constexpr Digest kIdentityStart{0x428a2f98d728ae22ULL, 0x7137449123ef65cdULL};
constexpr Digest kMissingValue{0xb5c0fbcfec4d3b2fULL, 0xe9b5dba58189dbbcULL};
constexpr JsonItem kAbsent{};
constexpr std::uint64_t kStatusTag = 0x3956c25bf348b538ULL;

std::string_view trim(std::string_view s) {
  auto const space = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  while (!s.empty() && space(s.front())) s.remove_prefix(1);
  while (!s.empty() && space(s.back())) s.remove_suffix(1);
  return s;
}

ArgumentFault argument_fault(JsonFault fault) {
  switch (fault) {
    case JsonFault::kNone:
    case JsonFault::kEmpty: return ArgumentFault::kNone;
    case JsonFault::kNotJson: return ArgumentFault::kNotJson;
    case JsonFault::kDuplicateKey: return ArgumentFault::kDuplicateKey;
    case JsonFault::kNumberRange: return ArgumentFault::kNumberRange;
    case JsonFault::kTooDeep: return ArgumentFault::kTooDeep;
  }
  return ArgumentFault::kNotJson;
}

// Arguments as an object, found through at most one layer of text.
struct ArgumentReader {
  JsonDigester outer;
  std::unique_ptr<JsonDigester> inner;  // made when arguments come as a text for the first time
  JsonDigester* object = &outer;        // where the object was found
  std::string_view text;                // what `object` has read
  ArgumentFault fault = ArgumentFault::kNone;
  std::string fault_text;
  Digest key;  // of the whole arguments; of the raw text when it has a fault

  void run(std::string_view raw, JsonPlan const& plan) {
    raw = trim(raw);
    fault = ArgumentFault::kNone;
    fault_text.clear();
    object = &outer;
    JsonFault found = read(raw, plan);
    if (found == JsonFault::kNone && outer.root().kind == JsonKind::kString) {
      key = outer.root().digest;
      if (inner == nullptr) inner = std::make_unique<JsonDigester>();
      object = inner.get();
      found = read(trim(outer.root().text), plan);
      if (found == JsonFault::kNotJson) return not_object("the arguments are a text that holds no JSON");
    }
    if (found != JsonFault::kNone) {
      fault = argument_fault(found);
      fault_text = object->fault_text();
      key = digest_bytes(raw, DigestTag::kRaw);
      return;
    }
    key = object->root().digest;
    if (object->root().kind != JsonKind::kObject) not_object("the arguments are no JSON object");
  }

 private:
  // Nothing and null are no arguments at all: {}.
  JsonFault read(std::string_view from, JsonPlan const& plan) {
    text = from.empty() ? "{}" : from;
    JsonFault const found = object->run(text, plan);
    if (found != JsonFault::kNone || object->root().kind != JsonKind::kNull) return found;
    text = "{}";
    return object->run(text, plan);
  }

  void not_object(char const* why) {
    fault = ArgumentFault::kNotObject;
    fault_text = why;
  }
};

// A condition's argument as shell text, read at most once for all conditions on it.
class ShellArgument {
 public:
  /// Reads a text, or an array of texts as the words of one command.
  void read(JsonItem const& argument) {
    if (argument.kind == JsonKind::kString) text_.cut(argument.text);
    if (argument.kind != JsonKind::kArray) return;
    if (list_ == nullptr) list_ = std::make_unique<List>();
    list_->read(argument.text);
    text_.cut(list_->words);
  }
  bool consists_of(ShellRules const& rules) const { return text_.consists_of(rules); }

 private:
  // The elements of an array of texts; empty when anything else is among them, or too many.
  struct List {
    static constexpr std::size_t kMost = PointerTree::kMaxSlots - 1;
    PointerTree elements;
    JsonDigester digester;
    std::vector<std::string_view> words;

    List() {
      for (std::size_t i = 0; i <= kMost; ++i) static_cast<void>(elements.add(fmt::format("/{}", i)));
    }

    void read(std::string_view array) {
      words.clear();
      static_cast<void>(digester.run(array, JsonPlan{.pointers = &elements}));
      for (std::uint8_t slot = 0; slot <= kMost && digester.at(slot).kind != JsonKind::kAbsent; ++slot) {
        words.push_back(digester.at(slot).text);
        if (digester.at(slot).kind == JsonKind::kString && slot < kMost) continue;
        words.clear();
        return;
      }
    }
  };

  ShellText text_;
  std::unique_ptr<List> list_;
};

bool holds(CompiledCondition const& c, JsonItem const& argument) {
  bool const scalar =
      argument.kind != JsonKind::kAbsent && argument.kind != JsonKind::kArray && argument.kind != JsonKind::kObject;
  if (c.condition.equals) return scalar && argument.text == *c.condition.equals;
  return scalar && c.condition.glob && glob_matches(*c.condition.glob, argument.text);
}

bool given(JsonItem const& item) { return item.kind != JsonKind::kAbsent && item.kind != JsonKind::kNull; }

std::optional<std::int64_t> integer(JsonItem const& item) {
  bool const may_be = item.kind == JsonKind::kNumber || item.kind == JsonKind::kString;
  return may_be ? integer_value(item.text) : std::nullopt;
}

void read_words(std::span<JsonDigester::Text const> texts, Slot target, std::vector<std::uint32_t>& buffer,
                kernel::WordSet& out) {
  buffer.clear();
  for (JsonDigester::Text const& t : texts) {
    if (t.slot == target && target != kNoSlot) continue;
    WordScanner words(t.text);
    for (std::uint64_t word = 0; words.next(word);) buffer.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  std::ranges::sort(buffer);
  auto const repeats = std::ranges::unique(buffer);
  buffer.erase(repeats.begin(), repeats.end());
  // Of too many the smallest hashes: the same words are kept of two texts that share them.
  for (std::uint32_t const word : buffer) {
    if (!out.push(word)) break;
  }
}

}  // namespace

struct Reader::State {
  explicit State(ContractBook const& b) : book(&b) {}

  ContractBook const* book;
  ArgumentReader arguments;
  JsonDigester result_json;
  ShellArgument shell;
  Shingler shingler;
  CallFacts call;
  ResultFacts result;
  std::string tool;  // of the last call, when the book has no name to point to
  std::string target_name;
  std::string buffer;
  std::string cleaned;
  std::vector<std::uint32_t> words;

  void read_call(std::string_view name, std::string_view text);
  CompiledContract const* choose(CompiledContract const& first);
  void read_identity(CompiledContract const& c);
  void read_range(CompiledContract const& c);
  void read_measure(JsonItem const& item);
  Slot read_target(CompiledContract const& c);
  void read_resources(CompiledContract const& c);
  bool fill(ResourceTemplate const& resource);
  void read_result(CompiledContract const& c, ResultStatus status, std::string_view text);
  Digest outcome(CompiledContract const& c, std::string_view text);

  JsonItem const& at(Slot slot) const { return slot == kNoSlot ? kAbsent : arguments.object->at(slot); }
};

void Reader::State::read_call(std::string_view name, std::string_view text) {
  CompiledContract const& first = book->find(name);
  call.names.clear();
  call.resources.clear();
  call.words.clear();
  call.has_range = false;
  call.range = {};
  call.measure = kernel::kNoMeasure;
  call.target = {};
  call.target_name = {};
  call.identity_declared = false;
  call.identity_is_text = false;
  call.gate = kernel::GateOpinion::kAllow;
  if (first.tool.empty()) {
    tool.assign(name);
    call.tool = tool;
    call.tool_id = digest_name(name);
  } else {
    call.tool = first.tool;
    call.tool_id = first.tool_id;
  }
  PointerTree const* const pointers = first.pointers->empty() ? nullptr : first.pointers.get();
  arguments.run(text, JsonPlan{pointers, first.volatile_slots, first.any_delegate});
  bool const readable = arguments.fault == ArgumentFault::kNone;
  CompiledContract const* const variant = readable && !first.conditions.empty() ? choose(first) : nullptr;
  CompiledContract const& contract = variant != nullptr ? *variant : first;
  Digest whole = arguments.key;
  if (readable && contract.volatile_slots != first.volatile_slots) {
    // Another variant leaves other fields out; this is rare, and the text is known to be good.
    static_cast<void>(
        arguments.object->run(arguments.text, JsonPlan{pointers, contract.volatile_slots, first.any_delegate}));
    whole = arguments.object->root().digest;
  }
  call.key = combine(call.tool_id, whole);
  call.identity = whole;
  call.terms = contract.terms;
  call.contract = contract.id;
  call.fault = arguments.fault;
  call.fault_text = arguments.fault_text;
  if (!readable) return;
  for (kernel::NamedText const& n : arguments.object->names()) call.names.push(n);
  if (!contract.identity.empty()) read_identity(contract);
  if (contract.has_range) read_range(contract);
  if (contract.decreases != kNoSlot) read_measure(at(contract.decreases));
  Slot const target = contract.targets.empty() ? kNoSlot : read_target(contract);
  if (contract.terms.effect == Effect::kDelegate) read_words(arguments.object->strings(), target, words, call.words);
  read_resources(contract);
}

// The contract of the first condition that holds, or null.
CompiledContract const* Reader::State::choose(CompiledContract const& first) {
  Slot in_shell = kNoSlot;  // the argument that `shell` has read
  for (std::size_t i = 0; i < first.conditions.size(); ++i) {
    CompiledCondition const& c = first.conditions[i];
    JsonItem const& argument = at(c.slot);
    bool picked = false;
    if (c.commands == nullptr) {
      picked = holds(c, argument);
    } else if (argument.kind == JsonKind::kString || argument.kind == JsonKind::kArray) {
      if (in_shell != c.slot) shell.read(argument);
      in_shell = c.slot;
      picked = shell.consists_of(*c.commands);
    }
    if (picked) return &book->at(first.variants[i]);
  }
  return nullptr;
}

// When none of the declared arguments is there, nothing says what the call is about: then it is about all of them.
void Reader::State::read_identity(CompiledContract const& c) {
  Digest identity = kIdentityStart;
  bool any = false;
  bool all_text = true;
  for (Slot const slot : c.identity) {
    JsonItem const& item = at(slot);
    any = any || given(item);
    if (given(item)) all_text = all_text && item.kind == JsonKind::kString;
    identity = combine(identity, given(item) ? item.digest : kMissingValue);
  }
  if (!any) return;
  call.identity = identity;
  call.identity_declared = true;
  call.identity_is_text = all_text;
}

// Without any range field it is the whole file. Fields that make no range (a text, a negative number, an end before the
// start) give none: the rule for covered ranges then has nothing to say.
void Reader::State::read_range(CompiledContract const& c) {
  if (c.range_only_alone && arguments.object->unpointed() > 0) return;
  JsonItem const& start = at(c.range_start);
  JsonItem const& length = at(c.range_length);
  JsonItem const& end = at(c.range_end);
  std::int64_t begin = 0;
  if (given(start)) {
    std::optional<std::int64_t> const value = integer(start);
    if (!value || *value < 0 || *value >= kEndOfFile) return;
    begin = *value;
  }
  std::int64_t stop = given(start) ? std::min(begin + kDefaultWindow, kEndOfFile) : kEndOfFile;
  if (given(length)) {
    std::optional<std::int64_t> const value = integer(length);
    if (!value || *value <= 0) return;
    stop = *value > kEndOfFile - begin ? kEndOfFile : begin + *value;
  } else if (given(end)) {
    std::optional<std::int64_t> const value = integer(end);
    if (!value || *value < 0) return;
    stop = std::min(*value, kEndOfFile - 1) + (c.range_end_inclusive ? 1 : 0);
  }
  if (stop <= begin) return;
  call.has_range = true;
  call.range = {begin, stop};
}

// A number, also one in a text; else the length of what is there. Nothing below zero: what shrinks must end.
void Reader::State::read_measure(JsonItem const& item) {
  std::optional<std::int64_t> value = integer(item);
  bool const has_length =
      item.kind == JsonKind::kString || item.kind == JsonKind::kArray || item.kind == JsonKind::kObject;
  if (!value && has_length) value = static_cast<std::int64_t>(item.text.size());
  if (value && *value >= 0) call.measure = *value;
}

Slot Reader::State::read_target(CompiledContract const& c) {
  for (Slot const slot : c.targets) {
    JsonItem const& item = at(slot);
    if (item.kind != JsonKind::kString || item.text.empty()) continue;
    target_name.assign(item.text);
    call.target_name = target_name;
    call.target = item.digest;
    return slot;
  }
  return kNoSlot;
}

void Reader::State::read_resources(CompiledContract const& c) {
  for (ResourceTemplate const& resource : c.resources) {
    if (fill(resource)) call.resources.push(digest_bytes(buffer, DigestTag::kResource));
  }
  call.resources_declared = !call.resources.empty();
  if (call.resources.empty() && c.terms.effect == Effect::kWrite) {
    buffer.assign("tool:");
    buffer += call.tool;
    call.resources.push(digest_bytes(buffer, DigestTag::kResource));
  }
}

// Writes the resource's name into `buffer`; false when an argument it needs is not there.
bool Reader::State::fill(ResourceTemplate const& resource) {
  buffer.clear();
  for (ResourcePart const& part : resource.parts) {
    if (part.slot == kNoSlot) {
      buffer += part.text;
      continue;
    }
    JsonItem const& item = at(part.slot);
    if (!given(item) || item.kind == JsonKind::kArray || item.kind == JsonKind::kObject) return false;
    if (resource.is_path) {
      append_path(buffer, item.text);
    } else {
      buffer += item.text;
    }
  }
  return true;
}

void Reader::State::read_result(CompiledContract const& c, ResultStatus status, std::string_view text) {
  if (status == ResultStatus::kOk && says_nothing(text)) status = ResultStatus::kEmpty;
  Digest const tag{kStatusTag, static_cast<std::uint64_t>(status) + 1};
  result.status = status;
  result.outcome = combine(tag, outcome(c, text));
  result.masked = {};
  if (kernel::failed(status)) {
    mask(text, buffer);
    result.masked = combine(tag, digest_bytes(buffer, DigestTag::kMasked));
  }
  result.shingle_count = shingler.run(text, result.shingles);
  result.bytes = static_cast<std::int64_t>(text.size());
}

Digest Reader::State::outcome(CompiledContract const& c, std::string_view text) {
  if (c.cleaning == nullptr) return digest_bytes(text, DigestTag::kOutcome);
  if (!c.cleaning->patterns.empty()) {
    cleaned.assign(text);
    for (auto const& pattern : c.cleaning->patterns) re2::RE2::GlobalReplace(&cleaned, *pattern, "");
    text = cleaned;
  }
  std::string_view const start = trim(text).substr(0, 1);
  if (!c.cleaning->pointers.empty() && (start == "{" || start == "[")) {
    JsonPlan const plan{&c.cleaning->pointers, ~0ULL, false};
    if (result_json.run(text, plan) == JsonFault::kNone) return result_json.root().digest;
  }
  return digest_bytes(text, DigestTag::kOutcome);
}

Reader::Reader(ContractBook const& book) : state_(std::make_unique<State>(book)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

CallFacts const& Reader::call(std::string_view tool, std::string_view arguments) {
  state_->read_call(tool, arguments);
  return state_->call;
}

ResultFacts const& Reader::result(std::uint32_t contract, ResultStatus status, std::string_view text) {
  state_->read_result(state_->book->at(contract), status, text);
  return state_->result;
}

kernel::TextFacts Reader::text(std::string_view model_text) { return text_facts(model_text, state_->buffer); }

Digest digest_arguments(std::string_view arguments) {
  ArgumentReader reader;
  reader.run(arguments, JsonPlan{});
  return reader.fault == ArgumentFault::kNone ? reader.key : Digest{};
}

}  // namespace backedge::facts
