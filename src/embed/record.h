// What a run remembers for people: names of tools and agents, the tree of frames, one small node per call.
//
// Messages, the graph and tokens are made of it; no decision is. 16 bytes a call. Tested in tests/embed/graph_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backedge/ids.h"
#include "base/chunk_list.h"
#include "base/digest.h"
#include "kernel/verdict.h"

namespace backedge::embed {

class Record {
 public:
  struct CallNode {
    std::uint32_t frame = 0;
    std::uint32_t earlier = 0;  // call that the verdict points to
    std::uint32_t opened = 0;   // frame
    std::uint16_t tool = 0;     // index of the name; 0: one name too many
    std::uint8_t word = 0;
    std::uint8_t code = 0;
  };
  struct FrameNode {
    FrameId parent;
    CallId by;
    std::string agent;
    std::string tool;  // that opened it
  };

  /// Frames are added in the order of their ids.
  void add_frame(FrameNode node) { frames_.push_back(std::move(node)); }
  FrameNode const& frame(FrameId id) const { return frames_[id.value - 1]; }
  bool has_frame(FrameId id) const { return id.valid() && id.value <= frames_.size(); }

  /// Calls are added in the order of their ids.
  void add_call(FrameId frame, std::string_view tool, Digest tool_id, kernel::CallVerdict const& verdict);
  void update_call(kernel::CallVerdict const& verdict);
  void opened(CallId call, FrameId frame) { calls_[call.value - 1].opened = frame.value; }

  /// "call 4 (read_file)"; empty for no call.
  std::string call_name(CallId id) const;
  std::string_view tool_of(CallId id) const;
  /// Names from the root to the frame: agents, and the tools that started them where they differ.
  std::vector<std::string> path(FrameId id) const;
  /// Frames and calls with their verdicts, and edges; linear in the calls. `open` tells which frames are at work.
  std::string graph_json(std::function<bool(FrameId)> const& open) const;

 private:
  std::vector<FrameNode> frames_;
  ChunkList<CallNode, 8, 256> calls_;
  std::vector<std::string> tools_{"…"};
  std::unordered_map<Digest, std::uint16_t> tool_index_;
};

}  // namespace backedge::embed
