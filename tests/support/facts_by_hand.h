// Calls and results made by hand, for tests of the kernel that need no text: a tool, what it is asked, what it answers.
//
// Equal names give equal digests, so "read_file" asked for "a" twice is the same call twice.
#pragma once

#include <initializer_list>
#include <string_view>

#include "kernel/call_facts.h"

namespace backedge::support {

/// A digest of a name; its own hash, so that the kernel is tested without the rooms that make digests of text.
constexpr Digest named(std::string_view name) {
  Digest out{0x6e616d65, name.size()};
  for (char const c : name) {
    auto const byte = static_cast<unsigned char>(c);
    out = combine(out, Digest{byte, byte});
  }
  return out;
}

/// A call of `tool` with `arguments`; the identity is the whole of the arguments.
inline kernel::CallFacts call(std::string_view tool, std::string_view arguments = {}, Effect effect = Effect::kRead) {
  kernel::CallFacts out;
  out.tool = tool;
  out.tool_id = named(tool);
  out.identity = named(arguments);
  out.key = combine(out.tool_id, out.identity);
  out.terms.effect = effect;
  return out;
}

inline kernel::CallFacts read(std::string_view tool, std::string_view arguments = {}) {
  return call(tool, arguments, Effect::kRead);
}
inline kernel::CallFacts write(std::string_view tool, std::string_view arguments = {}) {
  return call(tool, arguments, Effect::kWrite);
}
inline kernel::CallFacts poll(std::string_view tool, std::string_view arguments = {}) {
  return call(tool, arguments, Effect::kPoll);
}
inline kernel::CallFacts wait(std::string_view tool, std::string_view arguments = {}) {
  return call(tool, arguments, Effect::kWait);
}
inline kernel::CallFacts unknown(std::string_view tool, std::string_view arguments = {}) {
  return call(tool, arguments, Effect::kUnknown);
}

/// A call that starts `agent`.
inline kernel::CallFacts delegate(std::string_view tool, std::string_view arguments = {}, std::string_view agent = {}) {
  kernel::CallFacts out = call(tool, arguments, Effect::kDelegate);
  out.terms.reentry = Reentry::kDistinct;
  if (!agent.empty()) {
    out.target = named(agent);
    out.target_name = agent;
  }
  return out;
}

/// The call, declared to touch these things.
inline kernel::CallFacts touching(kernel::CallFacts call, std::initializer_list<std::string_view> things) {
  for (std::string_view thing : things) call.resources.push(named(thing));
  call.resources_declared = true;
  return call;
}

/// The call, declared to do harm when it is done twice, or to be the same when it is.
inline kernel::CallFacts idempotent(kernel::CallFacts call, bool yes) {
  call.terms.idempotent = yes ? kernel::Idempotent::kYes : kernel::Idempotent::kNo;
  return call;
}

/// The call, with one argument more: what it is about, and nothing else.
inline kernel::CallFacts about(kernel::CallFacts call, std::string_view identity) {
  call.identity = named(identity);
  call.identity_declared = true;
  call.key = combine(call.key, call.identity);
  return call;
}

/// The call, asking for the lines [begin, end) of the thing it is about.
inline kernel::CallFacts lines(kernel::CallFacts call, std::int64_t begin, std::int64_t end) {
  call.has_range = true;
  call.range = {begin, end};
  call.key = combine(
      call.key, combine(named("lines"), Digest{static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)}));
  return call;
}

inline kernel::CallFacts gated(kernel::CallFacts call, kernel::GateOpinion gate) {
  call.gate = gate;
  return call;
}

/// The call, with a task in so many words.
inline kernel::CallFacts worded(kernel::CallFacts call, std::initializer_list<std::uint32_t> sorted_words) {
  for (std::uint32_t word : sorted_words) call.words.push(word);
  return call;
}

inline kernel::ResultFacts result(kernel::ResultStatus status, std::string_view answer) {
  kernel::ResultFacts out;
  out.status = status;
  out.outcome = combine(Digest{1, static_cast<std::uint64_t>(status)}, named(answer));
  out.masked = out.outcome;
  out.bytes = static_cast<std::int64_t>(answer.size());
  return out;
}

inline kernel::ResultFacts ok(std::string_view answer = "ok") { return result(kernel::ResultStatus::kOk, answer); }
inline kernel::ResultFacts nothing() { return result(kernel::ResultStatus::kEmpty, {}); }
inline kernel::ResultFacts error(std::string_view text = "no") { return result(kernel::ResultStatus::kError, text); }

/// An error that says `text` of the kind `kind`: the text differs, what remains of it when numbers and names are masked
/// not.
inline kernel::ResultFacts error_of(std::string_view kind, std::string_view text) {
  kernel::ResultFacts out = error(text);
  out.masked = named(kind);
  return out;
}

}  // namespace backedge::support
