// The DOT form; see dot.h.

#include "graph/dot.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace backedge::graph {
namespace {

constexpr std::size_t kLabelCharacters = 40;
constexpr double kWidestLine = 4.0;  // points, of an edge that stands for everything

// A label's text within the quotes of DOT: what base's in_quotes() gives. DOT reads \" and \\ as in_quotes() writes
// them; any other backslash is to be seen as one.
std::string label(std::string_view text) {
  std::string const line = in_quotes(text, kLabelCharacters);
  std::string out;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    bool const escape = line[i] == '\\';
    if (escape && line[i + 1] != '"' && line[i + 1] != '\\') out += '\\';
    out += line[i];
    if (escape && i + 2 < line.size()) out += line[++i];
  }
  return out;
}

std::string tokens_text(std::int64_t tokens) {
  if (tokens >= 10'000'000) return fmt::format("{}M", (tokens + 500'000) / 1'000'000);
  if (tokens >= 999'500) return fmt::format("{:.1f}M", static_cast<double>(tokens) / 1e6);
  if (tokens >= 10'000) return fmt::format("{}k", (tokens + 500) / 1000);
  if (tokens >= 1000) return fmt::format("{:.1f}k", static_cast<double>(tokens) / 1e3);
  return std::to_string(tokens);
}

std::string node_line(Graph const& graph, std::size_t i) {
  Node const& n = graph.nodes[i];
  bool const agent = n.kind == NodeKind::kAgent;
  std::string under = n.count == 1 ? "" : fmt::format("×{}", n.count);
  auto const more = [&](std::string const& text) {
    if (!text.empty()) under += (under.empty() ? "" : " · ") + text;
  };
  if (n.refused > 0) more(fmt::format("{} refused", n.refused));
  if (n.errors > 0) more(fmt::format("{} failed", n.errors));
  more(spend_text(agent ? n.inclusive : n.own));
  std::string name = label(n.label);
  if (!n.by.empty()) name += "  (" + label(n.by) + ")";
  return fmt::format("  n{} [label=\"{}{}\"{}];\n", i, name, under.empty() ? "" : "\\n" + under,
                     agent ? ", fillcolor=\"#28323f\", fontcolor=\"#ffffff\", color=\"#28323f\"" : "");
}

// As in the page: red for what was refused or would have been, amber for a note, grey where no rule spoke.
char const* colour_of(Force force) {
  switch (force) {
    case Force::kRefused:
    case Force::kObserved: return "#d11a3f";
    case Force::kWarned: return "#b26a00";
    case Force::kSeen: break;
  }
  return "#5a6470";
}

std::string edge_line(Edge const& e, std::int64_t most) {
  double const share = most > 0 ? static_cast<double>(e.count) / static_cast<double>(most) : 0;
  double const width = 1 + share * (kWidestLine - 1);
  if (e.kind == EdgeKind::kTree || e.kind == EdgeKind::kNext) {
    bool const next = e.kind == EdgeKind::kNext;
    return fmt::format("  n{} -> n{} [penwidth={:.1f}{}{}];\n", e.from, e.to, next ? 1.0 : width,
                       e.count > 1 ? fmt::format(", label=\"{}\"", e.count) : "",
                       next ? ", style=dashed, constraint=false" : "");
  }
  std::string text;
  for (auto const& [reason, count] : e.reasons)
    text += fmt::format("{}{} ×{}", text.empty() ? "" : "\\n", label(reason), count);
  std::string const price = spend_text(e.spend);
  if (!price.empty()) text += "\\n" + price;
  char const* const colour = colour_of(e.force);
  return fmt::format(
      "  n{} -> n{} [color=\"{}\", fontcolor=\"{}\", penwidth={:.1f}, constraint=false, label=\"{}\"];\n", e.from, e.to,
      colour, colour, std::max(1.5, width), text);
}

}  // namespace

std::string spend_text(Spend const& spend) {
  std::string out;
  if (spend.tokens > 0) out = fmt::format("{}{} tokens", spend.estimated ? "~" : "", tokens_text(spend.tokens));
  if (spend.nano_usd > 0)
    out += fmt::format("{}${:.4f}", out.empty() ? "" : " · ", static_cast<double>(spend.nano_usd) / 1e9);
  return out;
}

std::string to_dot(CallTree const& tree, Graph const& graph) {
  std::string title = label(tree.title.empty() ? tree.run : tree.title);
  if (!tree.status.empty()) title += fmt::format("\\n{}{}", tree.status, tree.code.empty() ? "" : ", " + tree.code);
  std::string out = fmt::format(
      "digraph backedge {{\n"
      "  graph [rankdir=LR, label=\"{}\", labelloc=t, fontname=\"Helvetica\", fontsize=13, nodesep=0.25, "
      "ranksep=0.7];\n"
      "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f4f6f8\", color=\"#b8c0ca\", fontname=\"Helvetica\", "
      "fontsize=11, margin=\"0.14,0.08\"];\n"
      "  edge [color=\"#8a94a1\", fontcolor=\"#5a6470\", fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n",
      title);
  std::int64_t most = 0;
  for (Edge const& e : graph.edges) most = std::max(most, e.count);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) out += node_line(graph, i);
  for (Edge const& e : graph.edges) out += edge_line(e, most);
  return out + "}\n";
}

}  // namespace backedge::graph
