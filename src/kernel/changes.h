// What has changed in a frame, counted: the reason why an equal call may honestly be made again.
//
// A change is a successful call that may have altered something and has not given this answer before, declared elapsed
// time, or an automatic message. Where both sides declare resources, only a change that touches one of them counts.
// Tested in tests/kernel/changes_test.cpp.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "kernel/call_facts.h"

namespace backedge::kernel {

class Changes {
 public:
  static constexpr std::size_t kMaxResources = 4096;  // beyond that a change counts for everything, which is milder

  /// This call changed something: what its contract says it touches, or anything.
  void note(CallFacts const& call) {
    work_ = ++total_;
    bool known = call.resources_declared;
    for (Digest r : call.resources) {
      known = known && (by_resource_.size() < kMaxResources || by_resource_.contains(r));
      if (known) by_resource_[r] = total_;
    }
    if (!known) undeclared_ = total_;
  }
  /// Anything may have changed.
  void note_everything() { work_ = undeclared_ = ++total_; }

  /// Declared time has passed: a reason to look again, but not to poll again.
  void note_elapsed() { elapsed_ = ++total_; }

  std::uint32_t stamp() const { return total_; }

  /// Did anything that matters to this call change since `stamp`?
  bool since(std::uint32_t stamp, CallFacts const& call) const {
    return total_ != stamp && (elapsed_ > stamp || work_since(stamp, call));
  }
  /// The same, but for the passing of time.
  bool work_since(std::uint32_t stamp, CallFacts const& call) const {
    if (work_ <= stamp) return false;
    if (!call.resources_declared || undeclared_ > stamp) return true;
    for (Digest r : call.resources) {
      auto const it = by_resource_.find(r);
      if (it != by_resource_.end() && it->second > stamp) return true;
    }
    return false;
  }

 private:
  std::uint32_t total_ = 0;
  std::uint32_t work_ = 0;        // number of the last change that was not mere time
  std::uint32_t undeclared_ = 0;  // number of the last of these that may have touched anything
  std::uint32_t elapsed_ = 0;     // number of the last that was
  std::unordered_map<Digest, std::uint32_t> by_resource_;
};

}  // namespace backedge::kernel
