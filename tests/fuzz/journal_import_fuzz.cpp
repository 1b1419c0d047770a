// Any bytes as an export: what comes in goes out again and comes in the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "journal/exchange.h"

namespace {

using namespace backedge;

void require(bool holds) {
  if (!holds) std::abort();
}

/// An empty journal in memory.
journal::Journal fresh() {
  Result<journal::Journal> opened = journal::Journal::open(":memory:");
  require(opened.ok());
  return std::move(*opened);
}

std::string out_of(journal::Journal const& from, std::vector<std::string> const& runs) {
  std::ostringstream out;
  for (std::string const& run : runs) require(journal::export_run(from, run, out).ok());
  return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<char const*>(data), size));
  journal::Journal one = fresh();
  Result<journal::Imported> const imported = journal::import_runs(one, in, "fuzz");
  if (!imported) return 0;
  std::string const text = out_of(one, imported->runs);
  std::istringstream again(text);
  journal::Journal two = fresh();
  Result<journal::Imported> const back = journal::import_runs(two, again, "fuzz");
  require(back.ok());
  require(back->events == imported->events);
  require(out_of(two, back->runs) == text);
  return 0;
}
