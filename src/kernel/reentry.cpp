// Re-entry; see reentry.h.

#include "kernel/reentry.h"

#include <algorithm>

namespace backedge::kernel {
namespace {

constexpr std::size_t kMinTaskWords = 3;
constexpr std::uint32_t kPassesAllowed = 1;  // handing a task on once may be a choice, twice is a bounce

// Jaccard similarity of sorted sets, as a comparison with 4/5 in whole numbers.
bool mostly_equal(WordSet const& a, WordSet const& b) {
  if (a.size() < kMinTaskWords || b.size() < kMinTaskWords) return false;
  std::size_t both = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      ++both, ++i, ++j;
    } else if (a[i] < b[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return both * 5 >= (a.size() + b.size() - both) * 4;
}

// What stands on the path under one name: how often, and the nearest activation.
struct Standing {
  std::int64_t activations = 0;
  Frame const* nearest = nullptr;        // the frame that the nearest activation opened
  Frame const* same_identity = nullptr;  // the nearest with the call's identity
};

template <class Matches>
Standing standing(Frames const& frames, Frame const& frame, CallFacts const& call, Matches matches) {
  Standing out;
  for (Frame const* f = &frame; f != nullptr; f = frames.find(f->parent)) {
    if (!matches(*f)) continue;
    ++out.activations;
    if (out.nearest == nullptr) out.nearest = f;
    bool const same = f->opener.call.valid() && f->opener.identity == call.identity;
    if (out.same_identity == nullptr && same) out.same_identity = f;
  }
  return out;
}

ReentryFinding found(Code code, Frame const& at, std::int64_t count, std::int64_t limit) {
  ReentryFinding out{.code = code};
  out.evidence.earlier = at.opener.call;
  out.evidence.frame = at.id;
  out.evidence.count = count;
  out.evidence.limit = limit;
  return out;
}

// Evidence: count is the measure of the call, limit what it had to stay below; -1 where there is none.
ReentryFinding growing(CallFacts const& call, Standing const& s) {
  std::int64_t const above = s.nearest->opener.measure;
  if (call.measure != kNoMeasure && call.measure < above) return {};
  return found(Code::kReentryGrowing, *s.nearest, call.measure, above);
}

ReentryFinding by_contract(Reentry reentry, CallFacts const& call, Standing const& s) {
  if (s.activations == 0) return {};
  Terms const& terms = call.terms;
  if (reentry == Reentry::kForbid) return found(Code::kReentryCycle, *s.nearest, s.activations + 1, 1);
  if (reentry == Reentry::kDistinct && s.same_identity != nullptr) {
    return found(Code::kReentryCycle, *s.same_identity, s.activations + 1, 1);
  }
  // The root of a run was opened by no call: it has nothing to be smaller than.
  if (terms.decreases && s.nearest->opener.call.valid()) {
    if (ReentryFinding const bigger = growing(call, s)) return bigger;
  }
  bool const capped = reentry != Reentry::kAllow || terms.max_depth_declared;
  if (capped && s.activations >= terms.max_depth) {
    return found(Code::kReentryDepth, *s.nearest, s.activations + 1, terms.max_depth);
  }
  return {};
}

// Frames whose agent is `agent`, the root and ancestors in other processes included.
ReentryFinding agent_reentry(Frames const& frames, Frame const& frame, CallFacts const& call, Digest agent) {
  if (!frames.agent_on_stack(agent)) return {};
  Standing const s = standing(frames, frame, call, [&](Frame const& f) { return f.agent == agent; });
  if (s.activations == 0) return {};
  if (call.terms.reentry_declared) return by_contract(call.terms.reentry, call, s);
  bool const itself = frame.agent == agent;
  if (!itself) return found(Code::kReentryCycle, *s.nearest, s.activations + 1, 1);
  return by_contract(Reentry::kDistinct, call, s);
}

// A tool that opens agents although nobody declared it is treated as what it opens: an agent that calls itself about
// something else is let through up to the cap, and so is a dispatcher, whose agents have names of their own; a return
// to a function above through another one is not.
Reentry undeclared_opener(Frame const& frame, CallFacts const& call, Standing const& s) {
  if (call.terms.reentry_declared || call.terms.reentry != Reentry::kForbid || s.nearest == nullptr)
    return call.terms.reentry;
  bool const calls_itself = frame.opener.call.valid() && frame.opener.tool_id == call.tool_id;
  bool const dispatches = !s.nearest->agent.none() && s.nearest->agent != call.tool_id;
  return calls_itself || dispatches ? Reentry::kDistinct : Reentry::kForbid;
}

ReentryFinding tool_reentry(Frames const& frames, Frame const& frame, CallFacts const& call) {
  if (!frames.tool_on_stack(call.tool_id)) return {};
  Standing const s = standing(
      frames, frame, call, [&](Frame const& f) { return f.opener.call.valid() && f.opener.tool_id == call.tool_id; });
  return by_contract(undeclared_opener(frame, call, s), call, s);
}

ReentryFinding active_write(Frames const& frames, Frame const& frame, CallFacts const& call) {
  if (!frame.write_above || call.resources.empty() || call.terms.effect != Effect::kRead) return {};
  for (Frame const* f = &frame; f != nullptr; f = frames.find(f->parent)) {
    if (f->opener.writes && overlap(f->opener.resources, call.resources))
      return found(Code::kReentryConflict, *f, 0, 0);
  }
  return {};
}

}  // namespace

Frame& Frames::add() {
  frames_.push_back(std::make_unique<Frame>());
  frames_.back()->id = FrameId{static_cast<std::uint32_t>(frames_.size())};
  return *frames_.back();
}

void Frames::on_stack(Frame const& frame) {
  if (frame.opener.call.valid()) ++tools_[frame.opener.tool_id];
  if (!frame.agent.none()) ++agents_[frame.agent];
}

void Frames::close(FrameId id) {
  auto const drop = [](std::unordered_map<Digest, std::uint32_t>& names, Digest name) {
    auto const it = names.find(name);
    if (it != names.end() && --it->second == 0) names.erase(it);
  };
  Frame const& frame = *frames_[id.value - 1];
  if (frame.opener.call.valid()) drop(tools_, frame.opener.tool_id);
  if (!frame.agent.none()) drop(agents_, frame.agent);
  frames_[id.value - 1].reset();
}

bool Frames::on_path(FrameId above, Frame const& below) const {
  for (Frame const* f = &below; f != nullptr; f = find(f->parent)) {
    if (f->id == above) return true;
  }
  return false;
}

Digest target_agent(Frames const& frames, Frame const& frame, CallFacts const& call) {
  if (!call.target.none()) return call.target;
  if (!frames.tool_on_stack(call.tool_id)) return {};
  // The tool has opened an agent on this path, and one of its arguments was that agent's name: it names the agent here,
  // too.
  for (Frame const* f = &frame; f != nullptr; f = frames.find(f->parent)) {
    if (f->opener.tool_id != call.tool_id || f->opener.agent_argument.none()) continue;
    for (NamedText const& text : call.names) {
      if (text.name == f->opener.agent_argument) return text.value;
    }
  }
  return {};
}

bool hands_on(Frame const& frame, CallFacts const& call) {
  if (!frame.opener.call.valid() || frame.work > 0 || call.terms.effect != Effect::kDelegate) return false;
  bool const other_thing = call.identity_declared && !call.identity_is_text && frame.opener.identity_declared &&
                           call.identity != frame.opener.identity;
  return !other_thing && mostly_equal(frame.opener.words, call.words);
}

ReentryFinding check_reentry(Frames const& frames, Frame const& frame, CallFacts const& call) {
  if (ReentryFinding const read_in_write = active_write(frames, frame, call)) return read_in_write;
  Digest const agent = target_agent(frames, frame, call);
  ReentryFinding const back =
      agent.none() ? tool_reentry(frames, frame, call) : agent_reentry(frames, frame, call, agent);
  if (back) return back;
  if (frame.passes + 1 > kPassesAllowed && hands_on(frame, call)) {
    Standing const s = standing(frames, frame, call, [&](Frame const& f) {
      return agent.none() ? f.opener.call.valid() && f.opener.tool_id == call.tool_id : f.agent == agent;
    });
    if (s.activations > 0) return found(Code::kPassthrough, frame, frame.passes + 1, kPassesAllowed + 1);
  }
  return {};
}

}  // namespace backedge::kernel
