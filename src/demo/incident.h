// The incidents of the demonstration, the last one healthy: what was reported, where, and what of the folder demo/
// plays it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace backedge::demo {

enum class Setting : std::uint8_t {
  kDocuments,  // a folder of documents, with the built-in tools, commands included
  kShop,       // a database of orders and shipments
  kRecorded,   // a recorded conversation: its model and its tools say again what they said
};

struct Incident {
  int number = 0;
  std::string_view folder;  // of demo/
  std::string_view title;
  std::string_view reported;  // where the like was reported, or where the recording is from
  std::string_view guard;     // what the guarded run has that the other has not, in words
  Setting setting = Setting::kDocuments;
  std::string_view task;  // of a scripted incident
  bool healthy = false;   // nothing is wrong with it: nothing may be held up
};

std::span<Incident const> incidents();

}  // namespace backedge::demo
