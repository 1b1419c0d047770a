// The walk over a trace's threads, as the replay does it, with an explicit stack; see call_tree.h.

#include "inspect/call_tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "graph/json.h"
#include "inspect/counts.h"

namespace backedge::inspect {
namespace {

using graph::kNone;

constexpr std::size_t kTitleCharacters = 160;
constexpr std::size_t kTitleBytes = 4000;  // that are looked at for it

std::int64_t micros(std::int64_t ms) { return ms == 0 ? -1 : ms * 1000; }

// The words of a message without the tags that a program put around them.
std::string without_tags(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t const end = text.front() == '<' ? text.find_first_of("<>\n", 1) : std::string_view::npos;
    if (end != std::string_view::npos && text[end] == '>') {
      text.remove_prefix(end + 1);
      continue;
    }
    bool const blank = text.front() == ' ' || text.front() == '\n' || text.front() == '\t';
    if (!blank) {
      out += text.front();
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
    text.remove_prefix(1);
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

class Walker {
 public:
  Walker(Trace const& trace, Replay const& replay)
      : trace_(trace),
        estimated_(!has_usage(trace)),
        quarters_(quarter_tokens(trace)),
        children_(trace.calls.size()),
        frame_of_(trace.threads.size(), kNone),
        call_of_(trace.calls.size(), kNone),
        turn_of_(trace.models.size(), kNone) {
    for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
      std::uint32_t const by = trace.threads[i].spawned_by;
      if (by != kNoIndex) children_[by].push_back(i);
    }
    walk();
    take_findings(replay);
    head();
  }

  graph::CallTree take() { return std::move(tree_); }

  /// Of each call of the tree, its index in the trace.
  std::vector<std::uint32_t> calls() const {
    std::vector<std::uint32_t> out(tree_.calls.size(), kNoIndex);
    for (std::uint32_t i = 0; i < call_of_.size(); ++i) {
      if (call_of_[i] != kNone) out[call_of_[i]] = i;
    }
    return out;
  }

 private:
  struct Cursor {
    std::uint32_t thread = 0;
    std::size_t step = 0;
  };

  void walk() {
    for (std::uint32_t i = 0; i < trace_.threads.size(); ++i) {
      if (trace_.threads[i].spawned_by == kNoIndex) walk_from(i);
    }
    // What no walk has reached was started by a call that stands in no thread's steps.
    for (std::uint32_t i = 0; i < trace_.threads.size(); ++i) walk_from(i);
  }

  void walk_from(std::uint32_t root) {
    if (!open(root)) return;
    stack_.push_back({root, 0});
    while (!stack_.empty()) {
      Cursor& cursor = stack_.back();
      std::vector<Step> const& steps = trace_.threads[cursor.thread].steps;
      if (cursor.step == steps.size()) {
        stack_.pop_back();
        continue;
      }
      Step const step = steps[cursor.step++];
      if (step.kind == Step::Kind::kModel) take_model(cursor.thread, step.index);  // the stack may move
    }
  }

  bool open(std::uint32_t thread) {
    Thread const& t = trace_.threads[thread];
    if (frame_of_[thread] != kNone || t.steps.empty()) return false;
    auto const index = static_cast<std::uint32_t>(tree_.frames.size());
    frame_of_[thread] = index;
    graph::Frame frame;
    frame.id = index + 1;
    frame.agent = t.agent.empty() && t.kind == ThreadKind::kSubagent ? t.name : t.agent;
    if (t.kind == ThreadKind::kCompaction) frame.agent = "compaction";
    std::uint32_t const by = t.spawned_by == kNoIndex ? kNone : call_of_[t.spawned_by];
    if (by != kNone) {
      frame.by = by;
      frame.depth = tree_.frames[tree_.calls[by].frame].depth + 1;
      tree_.calls[by].opened.push_back(index);
    }
    tree_.frames.push_back(std::move(frame));
    return true;
  }

  void take_model(std::uint32_t thread, std::uint32_t index) {
    if (turn_of_[index] != kNone) return;
    ModelMessage const& m = trace_.models[index];
    std::uint32_t const frame = frame_of_[thread];
    turn_of_[index] = static_cast<std::uint32_t>(tree_.turns.size());
    graph::Turn turn;
    turn.id = turn_of_[index] + 1;
    turn.frame = frame;
    turn.model = m.model;
    turn.text = m.text;
    turn.copied = m.copied;
    turn.nano_usd = m.cost_nano;
    turn.ended_us = micros(m.at_ms);
    if (trace_.tools_offered >= 0 && trace_.threads[thread].kind == ThreadKind::kMain) {
      turn.tools_offered = trace_.tools_offered;
      turn.tools_bytes = trace_.tools_chars;
    }
    take_tokens(m, quarters_[index], turn);
    graph::Frame& in = tree_.frames[frame];
    if (in.model.empty()) in.model = m.model;
    if (in.opened_us < 0) in.opened_us = turn.ended_us;
    in.closed_us = std::max(in.closed_us, turn.ended_us);
    in.turns.push_back(turn_of_[index]);
    tree_.turns.push_back(std::move(turn));
    for (std::uint32_t const call : m.calls) take_call(call, frame, turn_of_[index], m.at_ms);
    open_children(m);
  }

  // Opened in their order, and walked in it: the stack takes the last one first.
  void open_children(ModelMessage const& m) {
    std::vector<std::uint32_t> opened;
    for (std::uint32_t const call : m.calls) {
      for (std::uint32_t const child : children_[call]) {
        if (open(child)) opened.push_back(child);
      }
    }
    for (std::size_t i = opened.size(); i > 0; --i) stack_.push_back({opened[i - 1], 0});
  }

  void take_tokens(ModelMessage const& m, std::int64_t quarters, graph::Turn& turn) const {
    if (m.usage) {
      turn.basis = graph::Basis::kReported;
      turn.tokens = {m.usage->fresh_input,    m.usage->cache_read, m.usage->cache_write_5m,
                     m.usage->cache_write_1h, m.usage->output,     0};
    } else if (estimated_) {
      turn.basis = graph::Basis::kEstimated;
      turn.tokens.output = (m.chars + m.calls_chars) / 4;
      turn.tokens.fresh_input = std::max<std::int64_t>(0, quarters / 4 - turn.tokens.output);
    }
  }

  void take_call(std::uint32_t index, std::uint32_t frame, std::uint32_t turn, std::int64_t at_ms) {
    if (call_of_[index] != kNone) return;
    Call const& c = trace_.calls[index];
    call_of_[index] = static_cast<std::uint32_t>(tree_.calls.size());
    graph::Call call;
    call.id = call_of_[index] + 1;
    call.name = c.id;
    call.frame = frame;
    call.turn = turn;
    call.tool = c.tool;
    call.arguments = {c.arguments, static_cast<std::int64_t>(c.arguments.size()), true};
    call.result = {c.result, std::max<std::int64_t>(c.result_chars, std::ssize(c.result)), true};
    call.status = !c.has_result ? "unknown" : !c.ok ? "error" : c.result.empty() ? "empty" : "ok";
    call.verdict.word = "run";
    call.verdict.observed = true;
    call.attempts = 1;
    call.proposed_us = micros(at_ms);
    call.started_us = call.proposed_us;
    call.ended_us = c.has_result ? micros(c.result_at_ms) : -1;
    tree_.frames[frame].calls.push_back(call_of_[index]);
    tree_.turns[turn].calls.push_back(call_of_[index]);
    tree_.calls.push_back(std::move(call));
  }

  void take_findings(Replay const& replay) {
    for (Finding const& f : replay.findings) {
      graph::Verdict v;
      v.word = f.word;
      v.code = f.code;
      v.count = f.count;
      v.limit = f.limit;
      v.period = f.period;
      v.text = f.text;
      v.observed = true;
      if (f.earlier != kNoIndex) v.earlier = call_of_[f.earlier];
      if (f.call != kNoIndex && call_of_[f.call] != kNone) {
        tree_.calls[call_of_[f.call]].verdict = std::move(v);
      } else if (f.call == kNoIndex && turn_of_[f.message] != kNone) {
        tree_.turns[turn_of_[f.message]].verdict = std::move(v);
      }
    }
  }

  void head() {
    tree_.run = trace_.session.empty() ? trace_.path : trace_.session;
    tree_.source = format_name(trace_.format);
    for (UserMessage const& user : trace_.users) {
      if (user.author != Author::kPerson) continue;
      std::string const words = without_tags(std::string_view(user.text).substr(0, kTitleBytes));
      tree_.title = cut(words, kTitleCharacters);
      if (!tree_.title.empty()) break;
    }
    if (tree_.title.empty()) tree_.title = trace_.title;
    for (graph::Turn const& t : tree_.turns) {
      if (tree_.model.empty()) tree_.model = t.model;
      if (t.ended_us < 0) continue;
      if (tree_.opened_us < 0 || t.ended_us < tree_.opened_us) tree_.opened_us = t.ended_us;
      tree_.closed_us = std::max(tree_.closed_us, t.ended_us);
    }
    for (auto const& [what, problem] : trace_.problems)
      tree_.notes.push_back(fmt::format("{} ({} {})", what, problem.count, problem.count == 1 ? "time" : "times"));
    if (estimated_ && !tree_.turns.empty())
      tree_.notes.emplace_back("the recording holds no token counts: they are estimated as characters / 4");
  }

  Trace const& trace_;
  bool estimated_;
  std::vector<std::int64_t> quarters_;
  std::vector<std::vector<std::uint32_t>> children_;  // threads by the call that started them
  std::vector<std::uint32_t> frame_of_;               // by thread
  std::vector<std::uint32_t> call_of_;                // by call of the trace
  std::vector<std::uint32_t> turn_of_;                // by model message
  std::vector<Cursor> stack_;
  graph::CallTree tree_;
};

}  // namespace

graph::CallTree call_tree(Trace const& trace, Replay const& replay, journal::Redactor const& redactor) {
  graph::CallTree out = Walker(trace, replay).take();
  graph::clean_texts(out, [&](std::string const& text) { return redactor.clean(text); });
  graph::find_back_edges(out);
  return out;
}

CountingTree counting_tree(Trace const& trace, Replay const& replay) {
  Walker walker(trace, replay);
  CountingTree out;
  out.calls = walker.calls();
  out.tree = walker.take();
  graph::find_back_edges(out.tree);
  return out;
}

}  // namespace backedge::inspect
