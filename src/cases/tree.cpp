// Graph to tree of text; see tree.h. Iterative: the stack of a path is as deep as the run was.

#include "cases/tree.h"

#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/json.h"

namespace backedge::cases {
namespace {

namespace json = boost::json;

struct CallLine {
  std::int64_t id = 0;
  std::int64_t opened = 0;
  std::int64_t earlier = 0;
  std::string tool;
  std::string verdict;
  std::string code;
};

struct Graph {
  std::map<std::int64_t, std::string> agents;  // by frame
  std::map<std::int64_t, std::vector<CallLine>> by_frame;
  std::map<std::int64_t, CallLine> calls;
  std::vector<std::int64_t> roots;
};

std::int64_t number(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_number() ? v->to_number<std::int64_t>() : 0;
}

std::string text(json::object const& o, char const* key) {
  json::value const* v = o.if_contains(key);
  return v != nullptr && v->is_string() ? std::string(v->get_string()) : std::string();
}

Result<Graph> read(std::string_view graph_json) {
  Result<json::value> parsed = parse_json(graph_json, "graph");
  if (!parsed) return parsed.error();
  json::object const* o = parsed->if_object();
  json::value const* frames = o == nullptr ? nullptr : o->if_contains("frames");
  json::value const* calls = o == nullptr ? nullptr : o->if_contains("calls");
  if (frames == nullptr || !frames->is_array() || calls == nullptr || !calls->is_array()) {
    return Error{ErrorKind::kInput, "this is no call graph: it has no frames and calls", {}};
  }
  Graph g;
  for (json::value const& v : frames->get_array()) {
    if (!v.is_object()) continue;
    json::object const& f = v.get_object();
    std::int64_t const id = number(f, "id");
    g.agents[id] = text(f, "agent");
    if (number(f, "parent") == 0) g.roots.push_back(id);
  }
  for (json::value const& v : calls->get_array()) {
    if (!v.is_object()) continue;
    json::object const& c = v.get_object();
    CallLine line{number(c, "id"), number(c, "opened"), number(c, "earlier"),
                  text(c, "tool"), text(c, "verdict"),  text(c, "code")};
    g.by_frame[number(c, "frame")].push_back(line);
    g.calls[line.id] = line;
  }
  return g;
}

std::string name(Graph const& g, CallLine const& c) {
  if (c.opened == 0) return c.tool;
  auto const agent = g.agents.find(c.opened);
  bool const named = agent != g.agents.end() && !agent->second.empty() && agent->second != c.tool;
  return named ? fmt::format("{} > {}", c.tool, agent->second) : c.tool;
}

std::string line_text(Graph const& g, CallLine const& c, std::size_t alike) {
  std::string out = name(g, c);
  if (alike > 1) out += fmt::format("  x{}", alike);
  if (c.code.empty()) return out;
  auto const earlier = g.calls.find(c.earlier);
  bool const back = c.code.starts_with("reentry.") && earlier != g.calls.end();
  if (back) out += fmt::format("  ⟲ back to {} (call {})", name(g, earlier->second), c.earlier);
  std::string const word = c.verdict == "block"   ? "blocked"
                           : c.verdict == "deny"  ? "denied"
                           : c.verdict == "reuse" ? "earlier answer given"
                                                  : c.verdict;
  return out + fmt::format("{} {}, {}", back ? ":" : "  --", word, c.code);
}

struct Open {
  std::int64_t frame = 0;
  std::size_t next = 0;  // index of the next call
  std::string indent;
};

bool alike(CallLine const& a, CallLine const& b) {
  return a.opened == 0 && b.opened == 0 && a.tool == b.tool && a.verdict == b.verdict && a.code == b.code;
}

void draw(Graph const& g, std::int64_t root, std::string& out) {
  std::string const& agent = g.agents.at(root);
  out += (agent.empty() ? "main" : agent) + "\n";
  std::vector<Open> stack{{root, 0, ""}};
  while (!stack.empty()) {
    Open& at = stack.back();
    auto const calls = g.by_frame.find(at.frame);
    if (calls == g.by_frame.end() || at.next == calls->second.size()) {
      stack.pop_back();
      continue;
    }
    CallLine const& c = calls->second[at.next];
    std::size_t n = 1;
    while (at.next + n < calls->second.size() && alike(c, calls->second[at.next + n])) ++n;
    at.next += n;
    bool const last = at.next == calls->second.size();
    out += at.indent + (last ? "└─ " : "├─ ") + line_text(g, c, n) + "\n";
    if (c.opened != 0) {
      std::string const indent = at.indent + (last ? "   " : "│  ");
      stack.push_back({c.opened, 0, indent});
    }
  }
}

}  // namespace

Result<std::string> tree_text(std::string_view graph_json) {
  Result<Graph> g = read(graph_json);
  if (!g) return g.error();
  std::string out;
  for (std::int64_t root : g->roots) draw(*g, root, out);
  return out;
}

}  // namespace backedge::cases
