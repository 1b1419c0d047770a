// What a contract means to the kernel: the resolved fields that decide, without pointers and without JSON.
//
// `facts` resolves the declared layers (include/backedge/contract.h) into these terms for each call; the kernel reads
// nothing else of a contract.
#pragma once

#include <cstdint>

#include "backedge/contract.h"
#include "backedge/ids.h"

namespace backedge::kernel {

enum class Idempotent : std::uint8_t { kUnknown, kYes, kNo };

struct Terms {
  Effect effect = Effect::kUnknown;
  Reentry reentry = Reentry::kForbid;
  Idempotent idempotent = Idempotent::kUnknown;
  bool reentry_declared = false;    // by policy, code or MCP: then it also governs calls that have a target
  bool max_depth_declared = false;  // likewise; `allow` is capped only then
  bool decreases = false;           // what is re-entered must become smaller
  bool returns_direct = false;
  std::uint16_t max_depth = 5;
  Micros min_interval{0};

  friend bool operator==(Terms const&, Terms const&) = default;
};

}  // namespace backedge::kernel
