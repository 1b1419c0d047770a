// The JSON form; see json.h.

#include "graph/json.h"

#include <string_view>

#include <fmt/format.h>

#include "base/json.h"
#include "graph/cost.h"
#include "graph/shares.h"

namespace backedge::graph {
namespace {

namespace json = boost::json;

bool is_tail(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// Length of the well-formed UTF-8 sequence at the beginning of `text`; 0: there is none. Table 3-7 of the Unicode
// standard: the second byte has a range of its own after E0, ED, F0 and F4.
std::size_t sequence(std::string_view text) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned const lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  unsigned const low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned const high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_tail(text[i])) return 0;
  }
  return length;
}

std::string utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t const length = sequence(text);
    out += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

class Writer {
 public:
  Writer(CallTree const& tree, Graph const& graph, JsonOptions options)
      : tree_(tree), graph_(graph), options_(options), shares_(shares_of(tree)) {}

  std::string write() const {
    json::object out{{"format", "backedge.graph"}, {"v", kJsonVersion}, {"run", run()}};
    out["frames"] = list(tree_.frames.size(), [&](std::size_t i) { return frame(i); });
    out["turns"] = list(tree_.turns.size(), [&](std::size_t i) { return turn(tree_.turns[i]); });
    out["calls"] = list(tree_.calls.size(), [&](std::size_t i) { return call(i); });
    out["back_edges"] = list(tree_.back_edges.size(), [&](std::size_t i) { return back_edge(tree_.back_edges[i]); });
    out["graph"] =
        json::object{{"nodes", list(graph_.nodes.size(), [&](std::size_t i) { return node(graph_.nodes[i]); })},
                     {"edges", list(graph_.edges.size(), [&](std::size_t i) { return edge(graph_.edges[i]); })}};
    return json::serialize(out);
  }

 private:
  template <class Each>
  static json::array list(std::size_t size, Each const& each) {
    json::array out;
    out.reserve(size);
    for (std::size_t i = 0; i < size; ++i) out.push_back(each(i));
    return out;
  }

  static json::array indices(std::vector<std::uint32_t> const& of) { return json::array(of.begin(), of.end()); }

  static void put(json::object& o, std::string_view name, std::string_view text) {
    if (!text.empty()) o[name] = utf8(text);
  }
  static void put(json::object& o, std::string_view name, std::int64_t number, std::int64_t absent) {
    if (number != absent) o[name] = number;
  }
  static void put_index(json::object& o, std::string_view name, std::uint32_t index) {
    if (index != kNone) o[name] = index;
  }

  static json::object tokens(Tokens const& t) {
    json::object out;
    put(out, "fresh_input", t.fresh_input, 0);
    put(out, "cache_read", t.cache_read, 0);
    put(out, "cache_write_5m", t.cache_write_5m, 0);
    put(out, "cache_write_1h", t.cache_write_1h, 0);
    put(out, "output", t.output, 0);
    put(out, "reasoning", t.reasoning, 0);
    return out;
  }

  static json::object spend(Spend const& s) {
    json::object out{{"tokens", s.tokens}};
    put(out, "turns", s.turns, 0);
    put(out, "nano_usd", s.nano_usd, kUnpriced);
    if (s.nano_usd != kUnpriced) put(out, "unpriced", s.unpriced, 0);
    if (s.estimated) out["estimated"] = true;
    return out;
  }

  static json::object verdict(Verdict const& v) {
    json::object out;
    put(out, "word", v.word);
    put(out, "code", v.code);
    put(out, "count", v.count, 0);
    put(out, "limit", v.limit, 0);
    put(out, "period", v.period, 0);
    put(out, "scope", v.scope);
    put(out, "text", v.text);
    put_index(out, "earlier", v.earlier);
    if (v.observed) out["observed"] = true;
    if (v.closing) out["closing"] = true;
    return out;
  }

  static json::array budgets(std::vector<Budget> const& of) {
    return list(of.size(), [&](std::size_t i) {
      json::object out{{"meter", of[i].meter}, {"scope", of[i].scope}};
      put(out, "limit", of[i].limit, -1);
      put(out, "spent", of[i].spent, -1);
      put(out, "source", of[i].source);
      return out;
    });
  }

  // The beginning and the end of a text that is too long, with what is missing between them.
  std::string shortened(std::string_view text) const {
    std::size_t const most = options_.text_bytes;
    if (most == 0 || text.size() <= most) return utf8(text);
    std::size_t head = most - most / 4;
    std::size_t tail = text.size() - most / 4;
    while (head > 0 && is_tail(text[head])) --head;
    while (tail < text.size() && is_tail(text[tail])) ++tail;
    return fmt::format("{}\n… {} bytes are left out here …\n{}", utf8(text.substr(0, head)), tail - head,
                       utf8(text.substr(tail)));
  }

  void put_text(json::object& o, std::string_view name, Text const& text) const {
    if (!text.kept) {
      o[name] = json::object{{"kept", false}, {"bytes", text.bytes}};
      return;
    }
    if (text.text.empty() && text.bytes == 0) return;
    json::object out{{"text", shortened(text.text)}};
    bool const cut = options_.text_bytes > 0 && text.text.size() > options_.text_bytes;
    if (cut || text.bytes > static_cast<std::int64_t>(text.text.size())) out["cut"] = true;
    out["bytes"] = std::max<std::int64_t>(text.bytes, static_cast<std::int64_t>(text.text.size()));
    o[name] = std::move(out);
  }

  json::object run() const {
    json::object out;
    put(out, "id", tree_.run);
    put(out, "title", tree_.title);
    put(out, "source", tree_.source);
    put(out, "status", tree_.status);
    put(out, "code", tree_.code);
    put(out, "reason", tree_.reason);
    if (!tree_.answer.empty()) out["answer"] = shortened(tree_.answer);
    put(out, "model", tree_.model);
    put(out, "opened_us", tree_.opened_us, -1);
    put(out, "closed_us", tree_.closed_us, -1);
    if (!tree_.budgets.empty()) out["budgets"] = budgets(tree_.budgets);
    if (!tree_.notes.empty()) out["notes"] = json::array(tree_.notes.begin(), tree_.notes.end());
    out["totals"] = totals();
    if (!tree_.frames.empty() && tree_.frames.front().own) out["cost"] = cost(cost_of(tree_, changes_by_name()));
    return out;
  }

  static json::object cost(Cost const& c) {
    json::object in_vain;
    for (Vain const why : {Vain::kRepeat, Vain::kCycle, Vain::kRetry, Vain::kReentry}) {
      VainSpend const& of = c.vain[static_cast<std::size_t>(why)];
      if (of.calls > 0) in_vain[vain_text(why)] = json::object{{"calls", of.calls}, {"spend", spend(of.spend)}};
    }
    VainSpend const& all = c.vain[static_cast<std::size_t>(Vain::kNot)];
    json::object out{{"talk", spend(c.talk)},
                     {"agents", list(c.agents.size(), [&](std::size_t i) {
                        AgentSpend const& a = c.agents[i];
                        return json::object{{"name", utf8(a.name)}, {"frames", a.frames}, {"own", spend(a.own)}};
                      })}};
    if (all.calls > 0)
      out["in_circles"] = json::object{{"calls", all.calls}, {"spend", spend(all.spend)}, {"by", in_vain}};
    if (c.drift.requests > 0) {
      json::object& drift = out["drift"].emplace_object();
      drift = {{"requests", c.drift.requests}, {"early", c.drift.early}, {"late", c.drift.late}};
      if (!c.drift.by_tools.empty())
        drift["by_tools"] = list(c.drift.by_tools.size(), [&](std::size_t i) {
          Drift::List const& of = c.drift.by_tools[i];
          json::object one{{"tools", of.tools}, {"requests", of.requests}, {"tokens", of.mean()}};
          put(one, "list_tokens", of.list_tokens(), -1);
          return one;
        });
    }
    return out;
  }

  json::object totals() const {
    Spend all;
    Tokens classes;
    for (std::size_t i = 0; i < tree_.frames.size(); ++i) add(all, shares_.frame_own[i]);
    for (Turn const& t : tree_.turns) {
      if (t.copied) continue;
      classes.fresh_input += t.tokens.fresh_input;
      classes.cache_read += t.tokens.cache_read;
      classes.cache_write_5m += t.tokens.cache_write_5m;
      classes.cache_write_1h += t.tokens.cache_write_1h;
      classes.output += t.tokens.output;
      classes.reasoning += t.tokens.reasoning;
    }
    std::int64_t refused = 0, observed = 0, warned = 0;
    std::int32_t depth = 0;
    for (Call const& c : tree_.calls) {
      if (c.verdict.refused()) ++refused;
      if (c.verdict.refuses() && c.verdict.observed) ++observed;
      if (!c.verdict.refuses() && !c.verdict.code.empty()) ++warned;
    }
    for (Frame const& f : tree_.frames) depth = std::max(depth, f.depth);
    return {{"frames", tree_.frames.size()},
            {"turns", tree_.turns.size()},
            {"calls", tree_.calls.size()},
            {"depth", depth},
            {"refused", refused},
            {"observed", observed},
            {"warned", warned},
            {"tokens", tokens(classes)},
            {"spend", spend(all)}};
  }

  json::object frame(std::size_t i) const {
    Frame const& f = tree_.frames[i];
    json::object out{{"id", f.id}, {"name", utf8(tree_.frame_name(static_cast<std::uint32_t>(i)))}, {"depth", f.depth}};
    put(out, "agent", f.agent);
    put_index(out, "by", f.by);
    put(out, "status", f.status);
    put(out, "model", f.model);
    put(out, "opened_us", f.opened_us, -1);
    put(out, "closed_us", f.closed_us, -1);
    if (!f.budgets.empty()) out["budgets"] = budgets(f.budgets);
    out["turns"] = indices(f.turns);
    out["calls"] = indices(f.calls);
    out["node"] = graph_.node_of_frame[i];
    out["own"] = spend(shares_.frame_own[i]);
    out["inclusive"] = spend(shares_.frame_inclusive[i]);
    return out;
  }

  json::object turn(Turn const& t) const {
    json::object out{{"id", t.id}, {"frame", t.frame}, {"calls", indices(t.calls)}};
    put(out, "model", t.model);
    put(out, "stop_reason", t.stop_reason);
    if (!t.verdict.word.empty()) out["verdict"] = verdict(t.verdict);
    if (t.basis != Basis::kUnknown) {
      out["tokens"] = tokens(t.tokens);
      out["basis"] = basis_text(t.basis);
    }
    put(out, "nano_usd", t.nano_usd, kUnpriced);
    put(out, "tools_offered", t.tools_offered, -1);
    put(out, "tools_bytes", t.tools_bytes, -1);
    put(out, "begun_us", t.begun_us, -1);
    put(out, "ended_us", t.ended_us, -1);
    if (t.copied) out["copied"] = true;
    if (!t.text.empty()) out["text"] = shortened(t.text);
    if (t.own) out["own"] = spend(*t.own);
    return out;
  }

  json::object call(std::size_t i) const {
    Call const& c = tree_.calls[i];
    json::object out{{"id", c.id}, {"tool", utf8(c.tool)}, {"frame", c.frame}};
    put(out, "name", c.name);
    put_index(out, "turn", c.turn);
    put_text(out, "arguments", c.arguments);
    put_text(out, "result", c.result);
    put(out, "status", c.status);
    if (!c.verdict.word.empty()) out["verdict"] = verdict(c.verdict);
    put(out, "later", c.later);
    put(out, "approval", c.approval);
    if (c.attempts > 1) out["attempts"] = c.attempts;
    put(out, "proposed_us", c.proposed_us, -1);
    put(out, "started_us", c.started_us, -1);
    put(out, "ended_us", c.ended_us, -1);
    if (!c.opened.empty()) out["opened"] = indices(c.opened);
    out["node"] = graph_.node_of_call[i];
    out["own"] = spend(shares_.call_own[i]);
    out["inclusive"] = spend(shares_.call_inclusive[i]);
    return out;
  }

  static json::object back_edge(BackEdge const& b) {
    json::object out{{"from", b.from}, {"kind", back_text(b.kind)}, {"force", force_text(b.force)}};
    put_index(out, "to_call", b.to_call);
    put_index(out, "to_frame", b.to_frame);
    put(out, "code", b.code);
    put(out, "count", b.count, 0);
    if (b.spend) out["spend"] = spend(*b.spend);
    return out;
  }

  static json::object node(Node const& n) {
    json::object out{{"kind", n.kind == NodeKind::kAgent ? "agent" : "tool"},
                     {"label", utf8(n.label)},
                     {"depth", n.depth},
                     {"count", n.count},
                     {"own", spend(n.own)},
                     {"inclusive", spend(n.inclusive)},
                     {"calls", indices(n.calls)}};
    put_index(out, "parent", n.parent);
    put(out, "by", n.by);
    put(out, "refused", n.refused, 0);
    put(out, "warned", n.warned, 0);
    put(out, "errors", n.errors, 0);
    if (!n.frames.empty()) out["frames"] = indices(n.frames);
    return out;
  }

  static json::object edge(Edge const& e) {
    json::object out{
        {"kind", edge_text(e.kind)}, {"from", e.from}, {"to", e.to}, {"count", e.count}, {"spend", spend(e.spend)}};
    put(out, "refused", e.refused, 0);
    if (e.kind == EdgeKind::kBack || e.kind == EdgeKind::kSelf) {
      out["force"] = force_text(e.force);
      json::object& reasons = out["reasons"].emplace_object();
      for (auto const& [reason, count] : e.reasons) reasons[reason] = count;
      out["calls"] = indices(e.calls);
    }
    return out;
  }

  CallTree const& tree_;
  Graph const& graph_;
  JsonOptions options_;
  Shares shares_;
};

}  // namespace

std::string to_json(CallTree const& tree, Graph const& graph, JsonOptions options) {
  return Writer(tree, graph, options).write();
}

}  // namespace backedge::graph
