// Parts of event bodies that the kernel's events and the agent's have in common (docs/events.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "backedge/event.h"
#include "backedge/run.h"
#include "base/sha256.h"

namespace backedge::embed {

/// Puts the text beside the event and its name into the body.
inline void refer(boost::json::object& body, std::string_view key, std::string_view text, std::vector<RawText>& raws) {
  raws.push_back({sha256_hex(text), std::string(text)});
  body[key] = raws.back().sha256;
}

inline boost::json::object usage_json(Usage const& u) {
  return {{"input", u.input_tokens},
          {"output", u.output_tokens},
          {"cache_read", u.cache_read_tokens},
          {"cache_write", u.cache_write_tokens},
          {"reasoning", u.reasoning_tokens}};
}

}  // namespace backedge::embed
