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

  /// A call that touches these resources changed something; without resources: it may have changed anything.
  void note(ResourceList const& touched) {
    work_ = ++total_;
    for (Digest r : touched) {
      if (by_resource_.size() >= kMaxResources && !by_resource_.contains(r)) {
        undeclared_ = total_;
        return;
      }
      by_resource_[r] = total_;
    }
    if (touched.empty()) undeclared_ = total_;
  }
  void note_everything() { note(ResourceList{}); }

  /// Declared time has passed: a reason to look again, but not to poll again.
  void note_elapsed() { undeclared_ = ++total_; }

  std::uint32_t stamp() const { return total_; }

  /// Did anything but the passing of time happen since `stamp`?
  bool work_since(std::uint32_t stamp) const { return work_ > stamp; }

  /// Did anything that matters to a call with these resources change since `stamp`?
  bool since(std::uint32_t stamp, ResourceList const& mine) const {
    if (total_ == stamp) return false;
    if (mine.empty() || undeclared_ > stamp) return true;
    for (Digest r : mine) {
      auto const it = by_resource_.find(r);
      if (it != by_resource_.end() && it->second > stamp) return true;
    }
    return false;
  }

 private:
  std::uint32_t total_ = 0;
  std::uint32_t work_ = 0;        // number of the last change that was not mere time
  std::uint32_t undeclared_ = 0;  // number of the last change that may have touched anything
  std::unordered_map<Digest, std::uint32_t> by_resource_;
};

}  // namespace backedge::kernel
