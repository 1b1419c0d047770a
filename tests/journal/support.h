// What tests of the journal share: a folder of their own, events by hand, a journal that opened.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "journal/journal.h"
#include "support/temp_folder.h"

namespace backedge::journal {

using support::TempFolder;

inline std::string run_id(char digit) { return std::string(32, digit); }

inline RawText raw(std::string text) { return {sha256_hex(text), text}; }

inline talk::Event event(std::uint64_t seq, std::string type, std::string body, std::vector<RawText> raws = {}) {
  return {seq,
          Micros(1'000'000 + static_cast<std::int64_t>(seq)),
          FrameId{1},
          0,
          std::move(type),
          std::move(body),
          std::move(raws)};
}

/// {"KEY":"SHA-256 of the text"}
inline talk::Event naming(std::uint64_t seq, std::string type, std::string const& key, std::string const& text) {
  return event(seq, std::move(type), "{\"" + key + "\":\"" + sha256_hex(text) + "\"}", {raw(text)});
}

inline Journal opened(std::filesystem::path const& file, Options options = {}) {
  Result<Journal> out = Journal::open(file, options);
  if (!out) ADD_FAILURE() << out.error().text();
  return std::move(*out);
}

inline Result<void> append(Journal& journal, std::string const& run, std::vector<talk::Event> const& events) {
  std::vector<EventView> views;
  for (talk::Event const& e : events) views.push_back(e.view());
  return journal.append(run, views);
}

inline void must_append(Journal& journal, std::string const& run, std::vector<talk::Event> const& events) {
  Result<void> const done = append(journal, run, events);
  ASSERT_TRUE(done.ok()) << done.error().text();
}

template <class T>
std::string error_of(Result<T> const& result) {
  return result.ok() ? "no error" : result.error().text();
}

}  // namespace backedge::journal
