// From the story to the call tree; see call_tree.h.

#include "journal/call_tree.h"

#include <algorithm>
#include <array>
#include <map>

#include "policy/table.h"

namespace backedge::journal {
namespace {

using graph::kNone;
using graph::kUnpriced;

struct MeterName {
  kernel::Meter meter;
  std::string_view name;
};
constexpr std::array<MeterName, kernel::kMeters> kMeterNames = {{{kernel::Meter::kTurns, "turns"},
                                                                 {kernel::Meter::kCalls, "calls"},
                                                                 {kernel::Meter::kDepth, "depth"},
                                                                 {kernel::Meter::kDescendants, "descendants"},
                                                                 {kernel::Meter::kTokens, "tokens"},
                                                                 {kernel::Meter::kCost, "cost"},
                                                                 {kernel::Meter::kTime, "time"}}};

graph::Text text_of(StoryText const& text, std::int64_t bytes) {
  graph::Text out;
  out.kept = text.text.has_value() || text.sha256.empty();
  out.text = text.text.value_or("");
  out.bytes = std::max(bytes, static_cast<std::int64_t>(out.text.size()));
  return out;
}

std::int64_t micros(std::optional<Micros> at) { return at ? at->count() : -1; }

class Builder {
 public:
  Builder(RunInfo const& run, Story const& story) : run_(run), story_(story) {}

  graph::CallTree build() {
    head();
    number();
    for (auto const& [id, frame] : story_.frames) add(frame);
    for (auto const& [id, turn] : story_.turns) add(turn);
    for (auto const& [id, call] : story_.calls) add(call);
    finish_frames();
    budgets();
    graph::find_back_edges(tree_);
    return std::move(tree_);
  }

 private:
  template <class Id>
  static std::uint32_t index_of(std::map<Id, std::uint32_t> const& map, Id id) {
    auto const at = map.find(id);
    return at == map.end() ? kNone : at->second;
  }

  void head() {
    tree_.run = run_.id;
    tree_.title = run_.task;
    if (tree_.title.empty() && !story_.messages.empty()) tree_.title = story_.messages.front().text.value_or("");
    tree_.source = "journal";
    tree_.status = story_.status;
    tree_.code = story_.code;
    tree_.reason = story_.closed ? story_.reason : story_.left();
    if (story_.answer) tree_.answer = story_.answer->text.value_or("");
    tree_.model = story_.model;
    tree_.opened_us = story_.first.count();
    tree_.closed_us = story_.closed ? story_.last.count() : -1;
  }

  // Ids are given in the order in which things happen, so this order is that of a call tree.
  void number() {
    for (auto const& [id, frame] : story_.frames) frames_.emplace(id, static_cast<std::uint32_t>(frames_.size()));
    for (auto const& [id, turn] : story_.turns) {
      if (frames_.contains(turn.frame)) turns_.emplace(id, static_cast<std::uint32_t>(turns_.size()));
    }
    for (auto const& [id, call] : story_.calls) {
      if (frames_.contains(call.frame)) calls_.emplace(id, static_cast<std::uint32_t>(calls_.size()));
    }
  }

  graph::Verdict verdict_of(StoryVerdict const& v) const {
    graph::Verdict out;
    out.word = v.word;
    out.code = v.code;
    out.count = v.count;
    out.limit = v.limit;
    out.period = v.period;
    out.scope = v.scope;
    out.text = v.text;
    out.observed = v.observed;
    out.closing = v.closing;
    if (v.earlier != 0) out.earlier = index_of(calls_, CallId{v.earlier});
    return out;
  }

  void add(StoryFrame const& f) {
    graph::Frame out;
    out.id = f.id.value;
    out.agent = f.agent;
    out.status = f.closed ? "closed" : "open";
    out.opened_us = f.opened.count();
    out.closed_us = micros(f.closed);
    auto const by = story_.calls.find(f.by);
    // A file that says that a frame was opened from within itself, or below it, is not followed.
    if (by != story_.calls.end() && by->second.frame < f.id && calls_.contains(f.by)) {
      out.by = calls_.at(f.by);
      out.depth = tree_.frames[frames_.at(by->second.frame)].depth + 1;
    } else if (story_.closed) {
      out.status = story_.status;
    }
    tree_.frames.push_back(std::move(out));
  }

  void add(StoryTurn const& t) {
    std::uint32_t const frame = index_of(frames_, t.frame);
    if (frame == kNone) return;
    graph::Turn out;
    out.id = t.id.value;
    out.frame = frame;
    out.model = story_.model;
    out.stop_reason = t.stop_reason;
    out.verdict = verdict_of(t.verdict);
    out.tokens.cache_read = t.cache_read_tokens;
    out.tokens.cache_write_5m = t.cache_write_tokens;
    out.tokens.fresh_input = std::max<std::int64_t>(0, t.input_tokens - t.cache_read_tokens - t.cache_write_tokens);
    out.tokens.output = t.output_tokens;
    out.tokens.reasoning = t.reasoning_tokens;
    out.basis = t.counted ? graph::Basis::kReported : graph::Basis::kUnknown;
    out.nano_usd = t.ended && (t.priced || t.cost_nano_usd > 0) ? t.cost_nano_usd : kUnpriced;
    out.tools_offered = story_.tools_offered;
    out.tools_bytes = story_.tools_bytes;
    out.begun_us = t.begun.count();
    out.ended_us = micros(t.ended);
    out.text = t.text.text.value_or("");
    graph::Frame& in = tree_.frames[frame];
    if (in.model.empty()) in.model = out.model;
    in.turns.push_back(static_cast<std::uint32_t>(tree_.turns.size()));
    tree_.turns.push_back(std::move(out));
  }

  void add(StoryCall const& c) {
    std::uint32_t const frame = index_of(frames_, c.frame);
    if (frame == kNone) return;
    auto const index = static_cast<std::uint32_t>(tree_.calls.size());
    graph::Call out;
    out.id = c.id.value;
    out.frame = frame;
    out.turn = index_of(turns_, c.turn);
    if (out.turn != kNone && tree_.turns[out.turn].frame != frame) out.turn = kNone;
    out.tool = c.tool;
    out.arguments = text_of(c.arguments, 0);
    out.result = text_of(c.result, c.result_bytes);
    out.status = c.open() ? "open" : c.status;
    out.verdict = verdict_of(c.verdict);
    out.later = c.released;
    out.approval = c.approval;
    out.attempts = c.attempts;
    out.proposed_us = c.proposed.count();
    out.started_us = micros(c.started);
    out.ended_us = micros(c.ended);
    tree_.frames[frame].calls.push_back(index);
    if (out.turn != kNone) tree_.turns[out.turn].calls.push_back(index);
    tree_.calls.push_back(std::move(out));
  }

  void finish_frames() {
    for (std::uint32_t i = 0; i < tree_.frames.size(); ++i) {
      std::uint32_t const by = tree_.frames[i].by;
      if (by != kNone) tree_.calls[by].opened.push_back(i);
    }
    // Children come after their parents, so backwards a frame is whole before it counts in the one above.
    below_.assign(tree_.frames.size(), 0);
    for (std::size_t i = tree_.frames.size(); i > 0; --i) {
      std::uint32_t const by = tree_.frames[i - 1].by;
      if (by != kNone) below_[tree_.calls[by].frame] += below_[i - 1] + 1;
    }
  }

  /// What one frame used of a meter: its own turns, calls, tokens and money; agents and time with all below it.
  std::int64_t spent_in(std::uint32_t index, kernel::Meter meter) const {
    graph::Frame const& frame = tree_.frames[index];
    std::int64_t sum = 0;
    switch (meter) {
      case kernel::Meter::kTurns: return std::ssize(frame.turns);
      case kernel::Meter::kCalls:
        return std::count_if(frame.calls.begin(), frame.calls.end(),
                             [&](std::uint32_t c) { return tree_.calls[c].started_us >= 0; });
      case kernel::Meter::kDepth: return frame.depth;
      case kernel::Meter::kDescendants: return below_[index];
      case kernel::Meter::kTokens:
        for (std::uint32_t const t : frame.turns) sum += tree_.turns[t].tokens.total();
        return sum;
      case kernel::Meter::kCost:
        for (std::uint32_t const t : frame.turns) sum += std::max<std::int64_t>(0, tree_.turns[t].nano_usd);
        return sum;
      case kernel::Meter::kTime:
        return std::max<std::int64_t>(0,
                                      (frame.closed_us >= 0 ? frame.closed_us : story_.last.count()) - frame.opened_us);
    }
    return -1;
  }

  // Of two limits of turns, that of the policy and the one that the agent was told, the smaller one holds.
  void frame_budgets(kernel::Limits const* limits) {
    for (std::uint32_t i = 0; i < tree_.frames.size(); ++i) {
      graph::Frame& frame = tree_.frames[i];
      std::optional<std::int64_t> const told = story_.frames.at(FrameId{frame.id}).max_turns;
      for (MeterName const& m : kMeterNames) {
        std::int64_t limit = limits == nullptr ? -1 : limits->at(kernel::Scope::kFrame, m.meter).value;
        bool const by_word = m.meter == kernel::Meter::kTurns && told && (limit < 0 || *told <= limit);
        if (by_word) limit = *told;
        if (limit < 0) continue;
        frame.budgets.push_back({std::string(m.name), "frame", limit, spent_in(i, m.meter), by_word ? "" : "policy"});
      }
    }
  }

  std::int64_t spent(kernel::Meter meter) const {
    std::int64_t sum = 0;
    switch (meter) {
      case kernel::Meter::kTurns: return static_cast<std::int64_t>(tree_.turns.size());
      case kernel::Meter::kCalls:
        return std::count_if(tree_.calls.begin(), tree_.calls.end(), [](auto const& c) { return c.started_us >= 0; });
      case kernel::Meter::kDepth:
        for (graph::Frame const& f : tree_.frames) sum = std::max<std::int64_t>(sum, f.depth);
        return sum;
      case kernel::Meter::kDescendants: return std::max<std::int64_t>(0, std::ssize(tree_.frames) - 1);
      case kernel::Meter::kTokens:
        for (graph::Turn const& t : tree_.turns) sum += t.tokens.total();
        return sum;
      case kernel::Meter::kCost:
        for (graph::Turn const& t : tree_.turns) sum += std::max<std::int64_t>(0, t.nano_usd);
        return sum;
      case kernel::Meter::kTime: return (story_.last - story_.first).count();
    }
    return -1;
  }

  // What was used of the run is known; of the session only what the policy allows.
  void budgets() {
    Result<policy::Table> const table = policy::parse(story_.policy.text.value_or(""), "policy");
    frame_budgets(table ? &table->settings.limits : nullptr);
    if (!table) return;
    kernel::Limits const& limits = table->settings.limits;
    kernel::Limits const usual;
    for (MeterName const& m : kMeterNames) {
      std::int64_t const limit = limits.at(kernel::Scope::kRun, m.meter).value;
      bool const usual_one = limit == usual.at(kernel::Scope::kRun, m.meter).value;
      tree_.budgets.push_back({std::string(m.name), "run", limit, spent(m.meter), usual_one ? "default" : "policy"});
      std::int64_t const session = limits.at(kernel::Scope::kSession, m.meter).value;
      if (session >= 0) tree_.budgets.push_back({std::string(m.name), "session", session, -1, "policy"});
    }
  }

  RunInfo const& run_;
  Story const& story_;
  std::map<FrameId, std::uint32_t> frames_;
  std::map<TurnId, std::uint32_t> turns_;
  std::map<CallId, std::uint32_t> calls_;
  std::vector<std::int64_t> below_;  // by frame: the frames below it
  graph::CallTree tree_;
};

}  // namespace

graph::CallTree call_tree(RunInfo const& run, Story const& story) { return Builder(run, story).build(); }

}  // namespace backedge::journal
