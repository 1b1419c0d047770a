// backedge show: one run as a tree of its frames, turns and calls, as a table of its calls, or as JSON.
//
//   run 1f0c…  session work, run 3  finished
//   task     Fix the build
//   main
//   └─ turn 1  1200 tokens in, 30 out, $0.0012, 2.1 s
//      ├─ 1 read_file {"path":"a.txt"}  ok, 200 bytes, 0.1 s
//      └─ 2 read_file {"path":"a.txt"}  blocked: repeat.exact, see call 1
//
//   answer   The build is green again.
// What a model said beside its calls stands under its turn; with --texts so do arguments and results, all in full.
// Iterative: the stack of a path is as deep as the run was; a frame is drawn once, whatever a file says. Tested in
// tests/cli/journal_commands_test.cpp.

#include <map>
#include <ostream>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "base/plain_numbers.h"
#include "cli/columns.h"
#include "cli/commands.h"
#include "cli/journal_file.h"
#include "cli/price_file.h"
#include "cli/shown_text.h"
#include "embed/message.h"
#include "inspect/cost.h"
#include "inspect/cost_json.h"
#include "journal/call_tree.h"
#include "journal/story.h"

namespace backedge::cli {
namespace {

namespace json = boost::json;
using namespace journal;

constexpr std::size_t kArguments = 80;
// Without --texts: of what a model said in a turn, and of the answer.
constexpr TextLimits kSaid = {.lines = 2, .characters = 200};
constexpr TextLimits kAnswer = {.lines = 20, .characters = 400};

std::string seconds(Micros from, Micros to) {
  return fmt::format("{:.1f} s", static_cast<double>((to - from).count()) / 1e6);
}

std::string shown(StoryText const& text, std::size_t characters) {
  if (text.text) return one_line(*text.text, characters);
  return text.sha256.empty() ? "" : "(text not kept)";
}

std::vector<std::string> lines_of(StoryText const& text, TextLimits limits) {
  if (text.text) return shown_lines(*text.text, limits);
  if (text.sha256.empty()) return {};
  return {"(text not kept)"};
}

std::string_view refusal(std::string const& word) {
  if (word == "block") return "blocked";
  if (word == "deny") return "denied";
  if (word == "reject") return "rejected";
  if (word == "reuse") return "earlier answer given";
  return {};
}

std::string verdict_note(StoryVerdict const& v, Paint const& paint) {
  if (v.code.empty()) return {};
  std::string_view const refused = refusal(v.word);
  std::string text = fmt::format("{}: {}", refused.empty() ? std::string_view(v.word) : refused, v.code);
  if (v.earlier != 0) text += fmt::format(", see call {}", v.earlier);
  if (v.observed) text += ", only reported";
  return "  " + (refused.empty() || v.observed ? paint.yellow(text) : paint.red(text));
}

std::string call_line(StoryCall const& c, bool arguments, Paint const& paint) {
  std::string out = fmt::format("{} {}", c.id.value, paint.bold(c.tool));
  if (arguments) out += " " + shown(c.arguments, kArguments);
  out += verdict_note(c.verdict, paint);
  if (c.ended) {
    std::string text = fmt::format("{}, {} bytes", c.status, c.result_bytes);
    if (c.started) text += ", " + seconds(*c.started, *c.ended);
    bool const good = c.status == "ok" || c.status == "empty";
    out += "  " + (good ? text : paint.yellow(text));
  } else if (c.started) {
    out += "  " + paint.yellow("not ended");
  }
  return out;
}

std::string turn_line(StoryTurn const& t, std::string const& cost, Paint const& paint) {
  std::string out = fmt::format("turn {}", t.id.value);
  std::string text;
  if (t.input_tokens + t.output_tokens > 0) text = fmt::format("{} tokens in, {} out", t.input_tokens, t.output_tokens);
  if (!cost.empty()) text += (text.empty() ? "" : ", ") + cost;
  if (t.ended) text += (text.empty() ? "" : ", ") + seconds(t.begun, *t.ended);
  if (!t.ended && t.verdict.word != "stop") text += (text.empty() ? "" : ", ") + std::string("not ended");
  if (!text.empty()) out += "  " + paint.dim(text);
  if (!t.verdict.code.empty()) out += "  " + paint.yellow(t.verdict.word + ": " + t.verdict.code);
  return out;
}

/// What the run cost, by the ids of the record.
class Costs {
 public:
  Costs(RunInfo const& run, Story const& story, prices::Table const& prices)
      : tree_(journal::call_tree(run, story)),
        all_(inspect::cost_of(tree_, graph::changes_by_name(), prices)),
        prices_(prices.name()) {
    for (graph::Frame const& f : tree_.frames) frames_[f.id] = &f;
    for (graph::Turn const& t : tree_.turns) turns_[t.id] = &t;
    for (graph::Call const& c : tree_.calls) calls_[c.id] = &c;
  }

  inspect::TraceCost const& all() const { return all_; }
  std::string const& prices() const { return prices_; }
  std::vector<std::string> lines() const { return inspect::cost_lines(all_, prices_); }

  /// "$0.0012"; empty for what cost nothing, or nobody knows.
  std::string turn(TurnId id) const {
    auto const found = turns_.find(id.value);
    return found == turns_.end() ? std::string() : text(*found->second->own);
  }
  /// "$0.0012", or "$0.0012, 0.0100 with all below it".
  std::string frame(FrameId id) const {
    auto const found = frames_.find(id.value);
    if (found == frames_.end()) return {};
    graph::Frame const& f = *found->second;
    std::string out = text(*f.own);
    if (*f.own != *f.inclusive)
      out += fmt::format("{}{} with all below it", out.empty() ? "" : ", ", text(*f.inclusive));
    return out;
  }
  std::string call(CallId id) const {
    auto const found = calls_.find(id.value);
    return found == calls_.end() ? std::string() : text(*found->second->inclusive);
  }
  template <class Things>
  static json::object json_of(Things const& things, std::uint32_t id) {
    auto const found = things.find(id);
    json::object out;
    if (found == things.end()) return out;
    out["own"] = inspect::spend_json(*found->second->own);
    if constexpr (requires { found->second->inclusive; })
      out["inclusive"] = inspect::spend_json(*found->second->inclusive);
    return out;
  }
  json::object turn_json(TurnId id) const { return json_of(turns_, id.value); }
  json::object frame_json(FrameId id) const { return json_of(frames_, id.value); }
  json::object call_json(CallId id) const { return json_of(calls_, id.value); }

 private:
  static std::string text(graph::Spend const& spend) {
    return spend.nano_usd <= 0 ? std::string() : inspect::spend_money(spend);
  }

  graph::CallTree tree_;
  inspect::TraceCost all_;
  std::string prices_;
  std::map<std::uint32_t, graph::Frame const*> frames_;
  std::map<std::uint32_t, graph::Turn const*> turns_;
  std::map<std::uint32_t, graph::Call const*> calls_;
};

/// A line of the tree that is still to be drawn.
struct Branch {
  enum class Kind : std::uint8_t { kFrame, kTurn, kCall } kind = Kind::kFrame;
  std::uint32_t id = 0;
  std::string indent;  // of the line itself
  bool last = true;
};

class Tree {
 public:
  /// `texts`: all of them, in full.
  Tree(Story const& story, Costs const& costs, bool texts, Paint const& paint, std::ostream& out)
      : story_(story), costs_(costs), texts_(texts), paint_(paint), out_(out) {}

  void draw() {
    for (auto const& [id, frame] : story_.frames) {
      if (frame.by.valid() && story_.calls.contains(frame.by)) continue;
      drawn_.insert(id);
      out_ << frame_line(frame, "main");
      push_frame(frame, "");
      while (!stack_.empty()) {
        Branch const next = std::move(stack_.back());
        stack_.pop_back();
        line(next);
      }
    }
  }

 private:
  void line(Branch const& b) {
    if (b.kind == Branch::Kind::kTurn) {
      for (StoryMove const& move : story_.turns.at(TurnId{b.id}).moves)
        out_ << b.indent << "├─ " << paint_.bold(words_of(move)) << '\n';
    }
    out_ << b.indent << (b.last ? "└─ " : "├─ ");
    std::string const below = b.indent + (b.last ? "   " : "│  ");
    if (b.kind == Branch::Kind::kFrame) {
      StoryFrame const& frame = story_.frames.at(FrameId{b.id});
      out_ << frame_line(frame, "agent");
      push_frame(frame, below);
    } else if (b.kind == Branch::Kind::kTurn) {
      StoryTurn const& turn = story_.turns.at(TurnId{b.id});
      out_ << turn_line(turn, costs_.turn(turn.id), paint_) << '\n';
      std::vector<Branch> children;
      children.reserve(turn.calls.size());
      for (CallId const id : turn.calls) children.push_back({Branch::Kind::kCall, id.value, below, false});
      bool const answer = story_.answer && story_.answer->sha256 == turn.text.sha256;
      if (!answer) text(below, !children.empty(), "says", turn.text, kSaid);
      push(std::move(children));
    } else {
      StoryCall const& call = story_.calls.at(CallId{b.id});
      out_ << call_line(call, !texts_, paint_) << '\n';
      if (texts_) {
        text(below, !call.opened.empty(), "arguments", call.arguments, {});
        text(below, !call.opened.empty(), "result", call.result, {});
      }
      for (StoryRoute const& route : call.routes) out_ << below << "→ " << one_line(words_of(route), 160) << '\n';
      std::vector<Branch> children;
      for (FrameId const id : call.opened) {
        if (drawn_.insert(id).second) children.push_back({Branch::Kind::kFrame, id.value, below, false});
      }
      push(std::move(children));
    }
  }

  // A text under its branch; `goes_on`: more branches follow below it.
  void text(std::string const& indent, bool goes_on, std::string_view name, StoryText const& of, TextLimits limits) {
    std::string_view const edge = goes_on ? "│ " : "  ";
    std::string head = fmt::format("{:<9} ", name);
    for (std::string const& one : lines_of(of, texts_ ? TextLimits{} : limits)) {
      out_ << indent << edge << paint_.dim(head) << one << '\n';
      head.assign(head.size(), ' ');
    }
  }

  void push_frame(StoryFrame const& frame, std::string const& indent) {
    std::vector<Branch> children;
    for (CallId const id : frame.calls) {
      if (!story_.calls.at(id).turn.valid()) children.push_back({Branch::Kind::kCall, id.value, indent, false});
    }
    for (TurnId const id : frame.turns) children.push_back({Branch::Kind::kTurn, id.value, indent, false});
    push(std::move(children));
  }

  void push(std::vector<Branch> children) {
    if (children.empty()) return;
    children.back().last = true;
    for (Branch& child : children | std::views::reverse) stack_.push_back(std::move(child));
  }

  std::string frame_line(StoryFrame const& frame, std::string_view unnamed) const {
    std::string const cost = costs_.frame(frame.id);
    return paint_.bold(frame.agent.empty() ? std::string(unnamed) : frame.agent) +
           (cost.empty() ? std::string() : "  " + paint_.dim(cost)) + "\n";
  }

  Story const& story_;
  Costs const& costs_;
  bool texts_;
  Paint const& paint_;
  std::ostream& out_;
  std::vector<Branch> stack_;
  std::set<FrameId> drawn_;
};

std::string counts(std::map<std::string, std::int64_t> const& of) {
  std::string out;
  for (auto const& [name, count] : of) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, count);
  return out;
}

void print_head(RunInfo const& run, Story const& story, Costs const& costs, Paint const& paint, std::ostream& out) {
  std::string const status = story.code.empty() ? story.status : story.status + ", " + story.code;
  out << fmt::format("run {}  session {}, run {}  {}\n", run.id, one_line(story.session, 40), story.number,
                     story.status == "finished" ? status : paint.yellow(status));
  auto const line = [&](std::string_view name, std::string const& text) {
    if (!text.empty()) out << fmt::format("{:<8} {}\n", name, text);
  };
  line("task", run.task.empty() ? "" : one_line(run.task, kArguments));
  line("model", one_line(story.model, kArguments));
  line("began", time_text(story.first) + " UTC, " + seconds(story.first, story.last) + " long");
  if (run.closed) {
    std::string const cost = cost_text(run.cost_nano_usd);
    line("used", fmt::format("{}, {}, {} refused, {} tokens{}", many(run.turns, "turn"), many(run.calls, "call"),
                             run.refused, run.tokens, cost.empty() ? "" : ", " + cost));
  }
  bool first = true;
  for (std::string const& text : costs.lines()) {
    if (first) line("cost", text.substr(text.find(' ') + 1));
    if (!first) out << "   " << text << '\n';
    first = false;
  }
  line("verdicts", counts(story.verdicts) + (story.codes.empty() ? "" : " (" + counts(story.codes) + ")"));
  line("reason", one_line(story.reason, 300));
  line("left", story.left());
}

void print_answer(Story const& story, TextLimits limits, std::ostream& out) {
  if (!story.answer) return;
  std::string_view head = "\nanswer   ";
  for (std::string const& one : lines_of(*story.answer, limits)) {
    out << head << one << '\n';
    head = "         ";
  }
}

void print_table(Story const& story, Costs const& costs, std::size_t width, std::ostream& out) {
  Columns const columns({{.title = "call", .width = 5, .right = true, .gap = 0, .keeps = 9},
                         {.title = "turn", .width = 5, .right = true, .keeps = 5},
                         {.title = "depth", .width = 5, .right = true, .keeps = 1},
                         {.title = "tool", .width = 20, .gap = 2, .keeps = 8, .least = 12},
                         {.title = "verdict", .width = 9, .keeps = 7},
                         {.title = "code", .width = 20, .keeps = 4, .least = 14},
                         {.title = "status", .width = 9, .keeps = 6},
                         {.title = "bytes", .width = 8, .right = true, .keeps = 2},
                         {.title = "time", .width = 8, .right = true, .keeps = 3},
                         {.title = "cost", .width = 9, .right = true, .keeps = 2},
                         {.title = "arguments", .width = kArguments, .gap = 2, .keeps = 5, .least = 16}},
                        width);
  Paint const plain(false);
  columns.head(plain, out);
  for (auto const& [id, c] : story.calls) {
    columns.row({{std::to_string(id.value)},
                 {std::to_string(c.turn.value)},
                 {std::to_string(story.path(c.frame).size())},
                 {one_line(c.tool, 20)},
                 {c.verdict.word},
                 {c.verdict.code},
                 {c.open() ? "open" : c.status},
                 {c.ended ? std::to_string(c.result_bytes) : ""},
                 {c.started && c.ended ? seconds(*c.started, *c.ended) : ""},
                 {costs.call(id)},
                 {shown(c.arguments, kArguments)}},
                plain, out);
  }
}

json::value text_json(StoryText const& text) {
  if (text.sha256.empty()) return nullptr;
  json::object out{{"sha256", text.sha256}};
  if (text.text) out["text"] = *text.text;
  return out;
}

json::object verdict_json(StoryVerdict const& v) {
  json::object out{{"verdict", v.word}};
  if (!v.code.empty()) out["code"] = v.code;
  if (v.earlier != 0) out["earlier"] = v.earlier;
  if (v.count != 0) out["count"] = v.count;
  if (v.limit != 0) out["limit"] = v.limit;
  if (!v.set_by.empty()) out["set_by"] = v.set_by;
  if (v.observed) out["observed"] = true;
  return out;
}

json::value time_json(std::optional<Micros> at) { return at ? json::value(at->count()) : json::value(nullptr); }

void print_json(RunInfo const& run, Story const& story, Costs const& costs, std::ostream& out) {
  json::object o{{"run", run.id},
                 {"session", story.session},
                 {"number", story.number},
                 {"status", story.status},
                 {"code", story.code},
                 {"reason", story.reason},
                 {"answer", story.answer ? text_json(*story.answer) : json::value(nullptr)},
                 {"left", story.left()},
                 {"agent", story.agent},
                 {"model", story.model},
                 {"events", story.events},
                 {"opened_us", story.first.count()},
                 {"last_us", story.last.count()}};
  json::array frames, turns, calls;
  for (auto const& [id, f] : story.frames)
    frames.push_back(json::object{{"frame", id.value},
                                  {"by_call", f.by.value},
                                  {"agent", f.agent},
                                  {"opened_us", f.opened.count()},
                                  {"closed_us", time_json(f.closed)},
                                  {"cost", costs.frame_json(id)}});
  for (auto const& [id, t] : story.turns) {
    json::object turn = verdict_json(t.verdict);
    turn["turn"] = id.value;
    turn["frame"] = t.frame.value;
    turn["text"] = text_json(t.text);
    turn["stop_reason"] = t.stop_reason;
    turn["input_tokens"] = t.input_tokens;
    turn["output_tokens"] = t.output_tokens;
    turn["cost_nano_usd"] = t.cost_nano_usd;
    json::array moves;
    for (StoryMove const& m : t.moves) moves.push_back(json::object{{"from", m.from}, {"to", m.to}, {"why", m.why}});
    if (!moves.empty()) turn["stages"] = std::move(moves);
    turn["begun_us"] = t.begun.count();
    turn["ended_us"] = time_json(t.ended);
    turn["cost"] = costs.turn_json(id);
    turns.push_back(std::move(turn));
  }
  for (auto const& [id, c] : story.calls) {
    json::object call = verdict_json(c.verdict);
    call["call"] = id.value;
    call["frame"] = c.frame.value;
    call["turn"] = c.turn.value;
    call["tool"] = c.tool;
    call["arguments"] = text_json(c.arguments);
    call["status"] = c.open() ? "open" : c.status;
    call["bytes"] = c.result_bytes;
    call["result"] = text_json(c.result);
    json::array routes;
    for (StoryRoute const& r : c.routes)
      routes.push_back(json::object{{"rule", r.rule}, {"do", r.what}, {"words", words_of(r)}});
    if (!routes.empty()) call["routes"] = std::move(routes);
    call["proposed_us"] = c.proposed.count();
    call["started_us"] = time_json(c.started);
    call["ended_us"] = time_json(c.ended);
    call["cost"] = costs.call_json(id);
    calls.push_back(std::move(call));
  }
  o["cost"] = inspect::cost_json(costs.all(), costs.prices(), true);
  o["frames"] = std::move(frames);
  o["turns"] = std::move(turns);
  o["calls"] = std::move(calls);
  out << plain_numbers(json::serialize(o)) << '\n';
}

}  // namespace

int run_show(ShowOptions const& options, std::ostream& out, std::ostream& err) {
  Result<Journal> journal = open_journal(options.journal, false, err);
  if (!journal) return complain(err, journal.error());
  Result<RunInfo> const run = journal->find(options.run);
  if (!run) return complain(err, run.error());
  Result<std::vector<talk::Event>> const events = journal->events(run->id);
  if (!events) return complain(err, events.error());
  Story const story = tell(*events);
  Result<prices::Table> const prices = load_prices(options.journal.common, err);
  if (!prices) return complain(err, prices.error());
  Costs const costs(*run, story, *prices);
  if (options.json) {
    print_json(*run, story, costs, out);
    return kOk;
  }
  Paint const paint(options.colour);
  print_head(*run, story, costs, paint, out);
  out << '\n';
  if (options.table) {
    print_table(story, costs, options.width, out);
  } else {
    Tree(story, costs, options.texts, paint, out).draw();
  }
  print_answer(story, options.texts ? TextLimits{} : kAnswer, out);
  return kOk;
}

}  // namespace backedge::cli
