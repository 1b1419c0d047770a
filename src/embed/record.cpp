// Names, frames and calls of a run for people; see record.h.

#include "embed/record.h"

#include <algorithm>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace backedge::embed {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxNames = 65535;

json::object edge(std::string_view kind, std::uint32_t from, std::uint32_t to, std::uint32_t call) {
  return {{"kind", kind}, {"from", from}, {"to", to}, {"call", call}};
}

}  // namespace

void Record::add_call(FrameId frame, std::string_view tool, Digest tool_id, kernel::CallVerdict const& v) {
  auto it = tool_index_.find(tool_id);
  if (it == tool_index_.end() && tools_.size() < kMaxNames) {
    it = tool_index_.emplace(tool_id, static_cast<std::uint16_t>(tools_.size())).first;
    tools_.emplace_back(tool);
  }
  CallNode node;
  node.frame = frame.value;
  node.tool = it == tool_index_.end() ? std::uint16_t{0} : it->second;
  calls_.push_back(node);
  update_call(v);
}

void Record::update_call(kernel::CallVerdict const& v) {
  CallNode& node = calls_[v.call.value - 1];
  node.earlier = v.evidence.earlier.value;
  node.word = static_cast<std::uint8_t>(v.word);
  node.code = static_cast<std::uint8_t>(v.code);
}

std::string_view Record::tool_of(CallId id) const {
  if (!id.valid() || id.value > calls_.size()) return {};
  return tools_[calls_[id.value - 1].tool];
}

std::string Record::call_name(CallId id) const {
  if (!id.valid()) return {};
  if (id.value > calls_.size()) return fmt::format("call {}", id.value);
  return fmt::format("call {} ({})", id.value, tool_of(id));
}

std::vector<std::string> Record::path(FrameId id) const {
  std::vector<std::string> names;
  for (FrameId at = id; has_frame(at); at = frame(at).parent) {
    FrameNode const& f = frame(at);
    std::string const agent = !f.agent.empty() ? f.agent : f.parent.valid() || f.by.valid() ? "" : "main";
    if (!agent.empty()) names.push_back(agent);
    if (!f.tool.empty() && f.tool != agent) names.push_back(f.tool);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

std::string Record::graph_json(std::function<bool(FrameId)> const& open) const {
  json::array frames;
  json::array calls;
  json::array edges;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    FrameNode const& f = frames_[i];
    auto const id = static_cast<std::uint32_t>(i + 1);
    frames.push_back(json::object{{"id", id},
                                  {"parent", f.parent.value},
                                  {"by_call", f.by.value},
                                  {"agent", f.agent},
                                  {"open", open(FrameId{id})}});
    if (f.parent.valid()) edges.push_back(edge("tree", f.parent.value, id, f.by.value));
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    CallNode const& c = calls_[i];
    auto const id = static_cast<std::uint32_t>(i + 1);
    auto const word = static_cast<CallWord>(c.word);
    auto const code = static_cast<kernel::Code>(c.code);
    json::object call{{"id", id}, {"frame", c.frame}, {"tool", tools_[c.tool]}, {"verdict", word_text(word)}};
    if (code != kernel::Code::kNone) call["code"] = kernel::code_text(code);
    if (c.earlier != 0) call["earlier"] = c.earlier;
    if (c.opened != 0) call["opened"] = c.opened;
    calls.push_back(std::move(call));
    if (c.earlier == 0) continue;
    bool const back = code == kernel::Code::kReentryCycle || code == kernel::Code::kReentryDepth ||
                      code == kernel::Code::kReentryGrowing;
    std::uint32_t const to = back ? calls_[c.earlier - 1].opened : calls_[c.earlier - 1].frame;
    edges.push_back(edge(back ? "back" : "repeat", c.frame, to, id));
  }
  return json::serialize(
      json::object{{"frames", std::move(frames)}, {"calls", std::move(calls)}, {"edges", std::move(edges)}});
}

}  // namespace backedge::embed
