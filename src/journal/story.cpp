// The fold; see story.h.

#include "journal/story.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"

namespace backedge::journal {
namespace {

namespace json = boost::json;

std::string string_of(json::object const& o, std::string_view key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string();
}

std::int64_t number_of(json::object const& o, std::string_view key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_int64() ? v->get_int64() : 0;
}

bool truth_of(json::object const& o, std::string_view key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_bool() && v->get_bool();
}

template <class Id>
Id id_of(json::object const& o, std::string_view key) {
  std::int64_t const n = number_of(o, key);
  return Id{n > 0 && n <= UINT32_MAX ? static_cast<std::uint32_t>(n) : 0};
}

class Teller {
 public:
  Story tell(std::span<talk::Event const> events) {
    for (talk::Event const& e : events) {
      ++story_.events;
      if (story_.events == 1) story_.first = e.at;
      story_.last = e.at;
      Result<json::value> const body = parse_json(e.body);
      if (body && body->is_object()) take(e, body->get_object());
    }
    return std::move(story_);
  }

 private:
  void take(talk::Event const& e, json::object const& o) {
    using Take = void (Teller::*)(talk::Event const&, json::object const&);
    struct Row {
      std::string_view type;
      Take take;
    };
    constexpr Row kRows[] = {
        {"run.open", &Teller::run_open},
        {"user.message", &Teller::user_message},
        {"turn.propose", &Teller::turn_propose},
        {"model.reply", &Teller::model_reply},
        {"model.error", &Teller::model_error},
        {"turn.end", &Teller::turn_end},
        {"round.propose", &Teller::round},
        {"verdict", &Teller::verdict},
        {"approval", &Teller::approval},
        {"call.start", &Teller::call_start},
        {"call.end", &Teller::call_end},
        {"frame.open", &Teller::frame_open},
        {"frame.close", &Teller::frame_close},
        {"run.close", &Teller::run_close},
        {"route", &Teller::route},
        {"stage", &Teller::stage},
        {"rollback", &Teller::rollback},
    };
    for (Row const& row : kRows) {
      if (row.type == e.type) return (this->*row.take)(e, o);
    }
  }

  StoryFrame& frame(talk::Event const& e) {
    auto const [at, fresh] = story_.frames.try_emplace(e.frame);
    if (fresh) {
      at->second.id = e.frame;
      at->second.opened = e.at;
      if (story_.frames.size() == 1) at->second.agent = story_.agent;
    }
    return at->second;
  }

  StoryText text_of(talk::Event const& e, json::object const& o, std::string_view key) {
    StoryText out{string_of(o, key), {}};
    for (RawText const& raw : e.raws) {
      if (raw.sha256 == out.sha256) out.text = raw.text;
    }
    return out;
  }

  static StoryVerdict verdict_of(json::object const& o) {
    return {string_of(o, "verdict"), string_of(o, "code"),    id_of<CallId>(o, "earlier").value,
            number_of(o, "count"),   number_of(o, "limit"),   number_of(o, "period"),
            string_of(o, "scope"),   truth_of(o, "observed"), truth_of(o, "closing"),
            string_of(o, "text"),    string_of(o, "set_by")};
  }

  StoryCall* call(json::object const& o) {
    auto const found = story_.calls.find(id_of<CallId>(o, "call"));
    return found == story_.calls.end() ? nullptr : &found->second;
  }

  StoryTurn* turn(json::object const& o) {
    auto const found = story_.turns.find(id_of<TurnId>(o, "turn"));
    return found == story_.turns.end() ? nullptr : &found->second;
  }

  void run_open(talk::Event const& e, json::object const& o) {
    story_.policy = text_of(e, o, "policy");
    story_.session = string_of(o, "session");
    story_.number = number_of(o, "number");
    story_.agent = string_of(o, "agent");
    story_.model = string_of(o, "model");
    story_.mode = string_of(o, "mode");
    story_.kernel = string_of(o, "kernel");
    if (o.contains("tools_offered")) story_.tools_offered = std::max<std::int64_t>(-1, number_of(o, "tools_offered"));
    if (o.contains("tools_bytes")) story_.tools_bytes = std::max<std::int64_t>(-1, number_of(o, "tools_bytes"));
  }

  void user_message(talk::Event const& e, json::object const& o) {
    if (string_of(o, "author") != "automatic") story_.messages.push_back(text_of(e, o, "text"));
  }

  void turn_propose(talk::Event const& e, json::object const& o) {
    TurnId const id = id_of<TurnId>(o, "turn");
    if (!id.valid()) return;
    StoryTurn& turn = story_.turns[id];
    turn.id = id;
    turn.frame = e.frame;
    turn.verdict = verdict_of(o);
    turn.priced = truth_of(o, "priced");
    turn.begun = e.at;
    turn.moves = std::exchange(moves_, {});
    frame(e).turns.push_back(id);
  }

  void model_reply(talk::Event const&, json::object const& o) {
    if (StoryTurn* t = turn(o)) t->stop_reason = string_of(o, "stop_reason");
  }

  void model_error(talk::Event const&, json::object const& o) {
    if (StoryTurn* t = turn(o)) t->stop_reason = string_of(o, "kind");
  }

  void turn_end(talk::Event const& e, json::object const& o) {
    StoryTurn* t = turn(o);
    if (t == nullptr) return;
    t->ended = e.at;
    t->cost_nano_usd = number_of(o, "cost_nano_usd");
    json::value const* usage = o.if_contains("usage");
    if (usage != nullptr && usage->is_object()) {
      json::object const& tokens = usage->get_object();
      t->input_tokens = number_of(tokens, "input");
      t->output_tokens = number_of(tokens, "output");
      t->cache_read_tokens = number_of(tokens, "cache_read");
      t->cache_write_tokens = number_of(tokens, "cache_write");
      t->reasoning_tokens = number_of(tokens, "reasoning");
      t->counted = t->input_tokens + t->output_tokens > 0;
    }
    t->text = text_of(e, o, "text");
    StoryVerdict verdict = verdict_of(o);
    verdict.text.clear();  // here `text` names what the model said
    if (!verdict.code.empty()) t->verdict = verdict;
  }

  void round(talk::Event const& e, json::object const& o) {
    json::value const* calls = o.if_contains("calls");
    if (calls == nullptr || !calls->is_array()) return;
    StoryFrame& in = frame(e);
    for (json::value const& v : calls->get_array()) {
      if (!v.is_object()) continue;
      CallId const id = id_of<CallId>(v.get_object(), "call");
      if (!id.valid() || story_.calls.contains(id)) continue;
      StoryCall& c = story_.calls[id];
      c.id = id;
      c.frame = e.frame;
      c.tool = string_of(v.get_object(), "tool");
      c.arguments = text_of(e, v.get_object(), "arguments");
      c.proposed = e.at;
      in.calls.push_back(id);
      if (in.turns.empty()) continue;
      c.turn = in.turns.back();
      story_.turns[c.turn].calls.push_back(id);
    }
  }

  void verdict(talk::Event const&, json::object const& o) {
    StoryCall* c = call(o);
    if (c == nullptr) return;
    StoryVerdict v = verdict_of(o);
    if (!c->verdict.word.empty()) {
      c->released = v.word;
      return;
    }
    ++story_.verdicts[v.word];
    if (!v.code.empty()) ++story_.codes[v.code];
    c->verdict = std::move(v);
  }

  void approval(talk::Event const&, json::object const& o) {
    if (StoryCall* c = call(o)) c->approval = string_of(o, "answer");
  }

  void call_start(talk::Event const& e, json::object const& o) {
    StoryCall* c = call(o);
    if (c == nullptr) return;
    ++c->attempts;
    c->started = e.at;
    c->ended.reset();
  }

  void call_end(talk::Event const& e, json::object const& o) {
    StoryCall* c = call(o);
    if (c == nullptr) return;
    c->ended = e.at;
    c->status = string_of(o, "status");
    c->result_bytes = number_of(o, "bytes");
    c->result = text_of(e, o, "result");
  }

  void frame_open(talk::Event const& e, json::object const& o) {
    StoryFrame& f = frame(e);
    f.agent = string_of(o, "agent");
    f.by = id_of<CallId>(o, "by_call");
    if (o.contains("max_turns")) f.max_turns = number_of(o, "max_turns");
    auto const by = story_.calls.find(f.by);
    if (by != story_.calls.end()) by->second.opened.push_back(e.frame);
  }

  void frame_close(talk::Event const& e, json::object const&) { frame(e).closed = e.at; }

  void route(talk::Event const& e, json::object const& o) {
    StoryRoute one{e.frame,
                   id_of<CallId>(o, "call"),
                   string_of(o, "rule"),
                   string_of(o, "do"),
                   string_of(o, "stage"),
                   number_of(o, "size"),
                   string_of(o, "text"),
                   truth_of(o, "observed")};
    if (StoryCall* c = call(o)) c->routes.push_back(one);
    story_.routes.push_back(std::move(one));
  }

  // What comes before a turn is told with the turn to come.
  void stage(talk::Event const&, json::object const& o) {
    moves_.push_back({string_of(o, "from"), string_of(o, "to"), string_of(o, "why")});
  }

  void rollback(talk::Event const&, json::object const& o) {
    moves_.push_back({string_of(o, "stage"), string_of(o, "stage"), "rollback"});
  }

  void run_close(talk::Event const& e, json::object const& o) {
    story_.closed = true;
    story_.status = string_of(o, "status");
    story_.code = string_of(o, "code");
    story_.reason = string_of(o, "reason");
    if (o.contains("answer")) story_.answer = text_of(e, o, "answer");
  }

  Story story_;
  std::vector<StoryMove> moves_;
};

}  // namespace

FrameId Story::root() const {
  for (auto const& [id, frame] : frames) {
    if (!frame.by.valid()) return id;
  }
  return {};
}

std::vector<CallId> Story::open_calls() const {
  std::vector<CallId> out;
  for (auto const& [id, call] : calls) {
    if (call.open()) out.push_back(id);
  }
  return out;
}

std::string Story::left() const {
  if (closed) return {};
  std::vector<std::string> names;
  for (CallId const id : open_calls()) {
    // Of nested calls the innermost says it all.
    StoryCall const& c = calls.at(id);
    bool const outer = std::any_of(c.opened.begin(), c.opened.end(), [&](FrameId f) {
      auto const& inner = frames.at(f).calls;
      return std::any_of(inner.begin(), inner.end(), [&](CallId i) { return calls.at(i).open(); });
    });
    if (!outer) names.push_back(fmt::format("call {} ({})", id.value, c.tool));
  }
  if (!names.empty()) return fmt::format("left in {}, which had started and not ended", fmt::join(names, ", "));
  for (auto const& [id, turn] : turns | std::views::reverse) {
    if (!turn.ended && turn.verdict.word != "stop")
      return fmt::format("left while the model was asked for turn {}", id.value);
  }
  if (!calls.empty())
    return fmt::format("left after call {} ({})", calls.rbegin()->first.value, calls.rbegin()->second.tool);
  return "left before anything was called";
}

std::vector<std::string> Story::path(FrameId frame) const {
  std::vector<std::string> out;
  // No path is longer than there are frames; a file that says otherwise ends here.
  for (std::size_t steps = 0; steps <= frames.size(); ++steps) {
    auto const at = frames.find(frame);
    if (at == frames.end()) break;
    StoryFrame const& f = at->second;
    auto const by = calls.find(f.by);
    std::string const tool = by == calls.end() ? std::string() : by->second.tool;
    std::string const name = f.agent.empty() ? (tool.empty() ? "main" : tool) : f.agent;
    out.push_back(name);
    if (!tool.empty() && tool != name) out.push_back(tool);
    if (by == calls.end()) break;
    frame = by->second.frame;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Story tell(std::span<talk::Event const> events) { return Teller().tell(events); }

}  // namespace backedge::journal
