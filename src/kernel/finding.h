// What a detector says of a call before it is dispatched.
#pragma once

#include <cstdint>

#include "backedge/ids.h"
#include "base/digest.h"
#include "kernel/verdict.h"

namespace backedge::kernel {

struct Finding {
  Code code = Code::kNone;
  bool acts = false;     // else it only warns
  bool joins = false;    // the earlier call is in the same round: this one shares its result and climbs no ladder
  bool refused = false;  // the earlier calls were refused themselves: none of them has an answer
  std::int64_t count = 0;
  std::int64_t limit = 0;
  std::uint16_t period = 0;
  CallId earlier;
  Digest loop;

  explicit operator bool() const { return code != Code::kNone; }
};

}  // namespace backedge::kernel
