// Hooks, triggers and processes; see chain.h.

#include "kernel/chain.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

bool on(std::span<Digest const> chain, Digest name) {
  return std::find(chain.begin(), chain.end(), name) != chain.end();
}

EventVerdict verdict(EventWord word, Code code, std::span<Digest const> chain, Digest name) {
  EventVerdict out{.word = word, .code = code};
  out.evidence.count = std::count(chain.begin(), chain.end(), name) + 1;
  out.evidence.limit = 1;
  return out;
}

}  // namespace

EventVerdict check_hook(std::span<Digest const> chain, Digest hook_and_phase) {
  if (!on(chain, hook_and_phase)) return {};
  return verdict(EventWord::kSuppress, Code::kReentrantHook, chain, hook_and_phase);
}

EventVerdict check_trigger(Digest author, Digest self) {
  if (author.none() || author != self) return {};
  return {.word = EventWord::kSuppress, .code = Code::kOwnEvent};
}

EventVerdict check_start(std::span<Digest const> chain, Digest started) {
  if (!on(chain, started)) return {};
  return verdict(EventWord::kRefuse, Code::kChainCycle, chain, started);
}

EventVerdict check_process(std::span<Digest const> chain, Digest program, bool allowed, Attendance attendance) {
  if (allowed || !on(chain, program)) return {};
  EventWord const word = attendance == Attendance::kAttended ? EventWord::kAsk : EventWord::kRefuse;
  return verdict(word, Code::kSelfInvocation, chain, program);
}

}  // namespace backedge::kernel
