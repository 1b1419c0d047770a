#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/hash.h"
#include "base/text.h"
#include "facts/builtin.h"
#include "facts/compiled.h"

namespace backedge::facts {
namespace {

constexpr std::string_view kPattern = "re:";

Error bad_field(std::string_view tool, std::string_view field, std::string_view why) {
  return Error{ErrorKind::kUsage, fmt::format("contract of {}: {}: {}", in_quotes(tool), field, why), {}};
}

// Compiles one contract after the other into a shared tree; the first error stays and ends everything.
class Compiler {
 public:
  Compiler(std::string_view tool, BuiltinExtras const& extras, KnownRules& known)
      : tool_(tool), extras_(extras), known_(known) {}

  CompiledContract contract(Merged const& merged);
  CompiledCondition condition(Condition const& condition, bool builtin);
  std::optional<Error> const& error() const { return error_; }
  PointerTree take_tree() { return std::move(tree_); }

 private:
  void fail(Field field, std::string_view why) {
    if (!error_) error_ = bad_field(tool_, field_name(field), why);
  }
  Slot pointer(Field field, std::string_view text);
  std::int64_t number(Field field, std::optional<std::int64_t> value, std::int64_t least, std::int64_t most,
                      std::int64_t undeclared);
  void terms(Merged const& merged, CompiledContract& out);
  void range(Merged const& merged, CompiledContract& out);
  void resources(Contract const& c, CompiledContract& out);
  ResourceTemplate resource(std::string_view text);
  void cleaning(Contract const& c, CompiledContract& out);

  std::string_view tool_;
  BuiltinExtras const& extras_;
  KnownRules& known_;
  PointerTree tree_;
  std::optional<Error> error_;
};

Slot Compiler::pointer(Field field, std::string_view text) {
  Result<Slot> const slot = tree_.add(text);
  if (slot) return *slot;
  fail(field, slot.error().detail);
  return kNoSlot;
}

std::int64_t Compiler::number(Field field, std::optional<std::int64_t> value, std::int64_t least, std::int64_t most,
                              std::int64_t undeclared) {
  if (!value) return undeclared;
  if (*value < least || *value > most) fail(field, fmt::format("{} is not in the range {} to {}", *value, least, most));
  return *value;
}

CompiledContract Compiler::contract(Merged const& merged) {
  Contract const& c = merged.contract;
  CompiledContract out;
  out.tool = tool_;
  out.tool_id = digest_name(tool_);
  terms(merged, out);
  for (std::string const& p : c.volatile_args.value_or(std::vector<std::string>{})) {
    Slot const slot = pointer(Field::kVolatileArgs, p);
    if (slot != kNoSlot) out.volatile_slots |= 1ULL << slot;
  }
  for (std::string const& p : c.identity.value_or(std::vector<std::string>{}))
    out.identity.push_back(pointer(Field::kIdentity, p));
  if (c.decreases) out.decreases = pointer(Field::kDecreases, *c.decreases);
  bool const candidates = merged.source(Field::kTarget) == Layer::kBuiltin && !extras_.targets.empty();
  if (candidates) {
    for (std::string const& p : extras_.targets) out.targets.push_back(pointer(Field::kTarget, p));
  } else if (c.target) {
    out.targets.push_back(pointer(Field::kTarget, *c.target));
  }
  range(merged, out);
  resources(c, out);
  cleaning(c, out);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 1000;  // milliseconds become microseconds
  out.timeout_ms = number(Field::kTimeout, c.timeout_ms, 1, kMax, out.timeout_ms);
  out.max_output = number(Field::kMaxOutput, c.max_output, 1, kMax, out.max_output);
  out.terms.min_interval = Micros(number(Field::kMinInterval, c.min_interval_ms, 0, kMax, 0) * 1000);
  return out;
}

void Compiler::terms(Merged const& merged, CompiledContract& out) {
  Contract const& c = merged.contract;
  kernel::Terms& t = out.terms;
  auto const declared = [&](Field field) { return merged.source(field).value_or(Layer::kBuiltin) != Layer::kBuiltin; };
  t.effect = c.effect.value_or(Effect::kUnknown);
  t.reentry = c.reentry.value_or(Reentry::kForbid);
  t.reentry_declared = declared(Field::kReentry);
  t.decreases = c.decreases.has_value();
  if (t.decreases && !t.reentry_declared) {
    t.reentry = Reentry::kBounded;
    t.reentry_declared = true;
  }
  t.max_depth_declared = declared(Field::kMaxDepth);
  t.returns_direct = c.returns_direct.value_or(false);
  t.max_depth = static_cast<std::uint16_t>(
      number(Field::kMaxDepth, c.max_depth, 1, std::numeric_limits<std::uint16_t>::max(), t.max_depth));
  if (c.idempotent) {
    t.idempotent = *c.idempotent ? kernel::Idempotent::kYes : kernel::Idempotent::kNo;
  } else if (t.effect == Effect::kRead) {
    t.idempotent = kernel::Idempotent::kYes;
  }
  out.any_delegate = t.effect == Effect::kDelegate;
}

void Compiler::range(Merged const& merged, CompiledContract& out) {
  if (!merged.contract.range) return;
  RangePointers const& r = *merged.contract.range;
  bool const builtin = merged.source(Field::kRange) == Layer::kBuiltin;
  if (r.start.empty()) return fail(Field::kRange, "start is missing");
  if (!r.length.empty() && !r.end.empty()) return fail(Field::kRange, "has length and end; one of them must go");
  out.has_range = true;
  out.range_only_alone = builtin;
  out.range_end_inclusive = builtin && !r.end.empty();  // as in every tool that is known
  out.range_start = pointer(Field::kRange, r.start);
  if (!r.length.empty()) out.range_length = pointer(Field::kRange, r.length);
  if (!r.end.empty()) out.range_end = pointer(Field::kRange, r.end);
}

void Compiler::resources(Contract const& c, CompiledContract& out) {
  if (!c.conflicts) return;
  for (std::string const& text : *c.conflicts) out.resources.push_back(resource(text));
}

ResourceTemplate Compiler::resource(std::string_view text) {
  ResourceTemplate out;
  out.is_path = text.starts_with("file:");
  if (text.empty()) fail(Field::kConflicts, "an empty key");
  while (!text.empty()) {
    std::size_t const open = std::min(text.find('{'), text.size());
    if (text.substr(0, open).find('}') != std::string_view::npos) fail(Field::kConflicts, "a } without its {");
    if (open > 0) out.parts.push_back({std::string(text.substr(0, open)), kNoSlot});
    if (open == text.size()) break;
    std::size_t const close = text.find('}', open);
    if (close == std::string_view::npos) {
      fail(Field::kConflicts, "a { without its }");
      break;
    }
    out.parts.push_back({"", pointer(Field::kConflicts, text.substr(open + 1, close - open - 1))});
    text.remove_prefix(close + 1);
  }
  return out;
}

void Compiler::cleaning(Contract const& c, CompiledContract& out) {
  if (!c.volatile_result || c.volatile_result->empty()) return;
  auto cleaning = std::make_shared<ResultCleaning>();
  for (std::string const& entry : *c.volatile_result) {
    if (!entry.starts_with(kPattern)) {
      Result<Slot> const slot = cleaning->pointers.add(entry);
      if (!slot) fail(Field::kVolatileResult, slot.error().detail);
      continue;
    }
    RE2::Options options;
    options.set_log_errors(false);
    auto pattern = std::make_shared<RE2 const>(entry.substr(kPattern.size()), options);
    if (!pattern->ok()) fail(Field::kVolatileResult, fmt::format("pattern {}: {}", in_quotes(entry), pattern->error()));
    cleaning->patterns.push_back(std::move(pattern));
  }
  out.cleaning = std::move(cleaning);
}

CompiledCondition Compiler::condition(Condition const& condition, bool builtin) {
  CompiledCondition out;
  out.slot = pointer(Field::kWhen, condition.pointer);
  out.condition = {.pointer = condition.pointer, .equals = condition.equals, .glob = condition.glob, .commands = {}};
  int const set = (condition.equals ? 1 : 0) + (condition.glob ? 1 : 0) + (condition.commands.empty() ? 0 : 1);
  if (set != 1) fail(Field::kWhen, "a condition needs exactly one of equals, glob and commands");
  bool const empty_command =
      std::ranges::any_of(condition.commands, [](std::string const& c) { return split_words(c).empty(); });
  if (empty_command) fail(Field::kWhen, "an empty command");
  if (!condition.commands.empty() && !empty_command) out.commands = known_.rules(condition.commands, builtin);
  return out;
}

}  // namespace

std::shared_ptr<ShellRules const> KnownRules::rules(std::vector<std::string> const& commands, bool builtin) {
  for (Entry const& e : entries_) {
    if (e.builtin == builtin && e.commands == commands) return e.rules;
  }
  std::vector<ShellRule> rules;
  rules.reserve(commands.size());
  for (std::string const& command : commands) {
    rules.push_back({split_words(command), split_words(builtin ? builtin_never(command) : "")});
  }
  entries_.push_back({commands, builtin, std::make_shared<ShellRules const>(std::move(rules))});
  return entries_.back().rules;
}

Result<std::vector<CompiledContract>> compile(std::string_view tool, Merged const& merged, BuiltinExtras const& extras,
                                              KnownRules& known, std::uint32_t first_id) {
  Compiler compiler(tool, extras, known);
  std::vector<CompiledContract> out;
  out.push_back(compiler.contract(merged));
  bool const builtin_when = merged.source(Field::kWhen) == Layer::kBuiltin;
  for (ConditionalContract const& variant : merged.contract.when) {
    out.front().conditions.push_back(compiler.condition(variant.condition, builtin_when));
    out.push_back(compiler.contract(merge_variant(merged, variant.contract)));
  }
  if (compiler.error()) return *compiler.error();
  auto const tree = std::make_shared<PointerTree const>(compiler.take_tree());
  bool const any_delegate = std::ranges::any_of(out, &CompiledContract::any_delegate);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].id = first_id + static_cast<std::uint32_t>(i);
    out[i].pointers = tree;
    out[i].any_delegate = any_delegate;
    if (i > 0) out.front().variants.push_back(out[i].id);
  }
  return out;
}

}  // namespace backedge::facts
