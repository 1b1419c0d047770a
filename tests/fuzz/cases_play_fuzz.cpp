// Any bytes as a file of cases: they are refused with a line, or played to an end; nothing else may happen.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cases/play.h"
#include "cases/report.h"
#include "cases/tree.h"

using namespace backedge;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static Policy const policy = Policy::defaults();
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  Result<std::vector<cases::Case>> const all = cases::parse_cases(text, "fuzz.jsonl");
  if (!all) {
    if (all.error().text().find('\n') != std::string::npos) std::abort();  // a complaint is one line
    return 0;
  }
  for (cases::Level const level : {cases::Level::kLoop, cases::Level::kKernel}) {
    Result<std::vector<cases::Played>> const played = cases::play_all(*all, policy, true, level);
    if (!played) continue;
    for (cases::Played const& p : *played) {
      if (cases::decisions_line(p).find('\n') != std::string::npos) std::abort();
      if (!cases::tree_text(p.graph).ok()) std::abort();
    }
  }
  return 0;
}
