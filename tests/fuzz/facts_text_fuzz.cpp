// Any bytes into what reads text without understanding it: shell conditions, results, model texts, sealed tokens.
//
// Must hold: nothing crashes; a mask never gets longer; a sample is sorted and no larger than its count; a tail fits
// its text; what opens as base64url is spelled the same again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/seal.h"
#include "base/text.h"
#include "facts/resource_path.h"
#include "facts/result_text.h"
#include "facts/shell_text.h"
#include "facts/text_tail.h"

namespace {

using namespace backedge;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_shell(std::string_view text) {
  facts::ShellRules const rules({{{"ls"}, {}}, {{"git", "log"}, {"--output*"}}, {{"find"}, {"-*"}}});
  facts::ShellText shell;
  bool const understood = shell.cut(text);
  bool const holds = shell.consists_of(rules);
  require(understood || !holds);
  // Whatever holds begins with a listed command, or with the one that may stand in front.
  std::size_t const start = std::min(text.find_first_not_of(" \t\r\n'\"\\"), text.size());
  std::string_view const first = text.substr(start, 1);
  require(!holds || first == "l" || first == "g" || first == "f" || first == "c");
  require(!holds ||
          text.substr(0, text.find_last_not_of(" \t\r\n") + 1).substr(start).find('\n') == std::string_view::npos);
}

void check_result(std::string_view text) {
  static_cast<void>(facts::says_nothing(text));
  std::string masked;
  facts::mask(text, masked);
  require(masked.size() <= std::min<std::size_t>(text.size(), 2000));
  facts::Shingler shingler;
  FixedList<std::uint32_t, facts::Shingler::kSample> sample;
  std::uint32_t const count = shingler.run(text, sample);
  require(sample.size() == std::min<std::size_t>(count, facts::Shingler::kSample));
  require(std::is_sorted(sample.begin(), sample.end()));
}

void check_text(std::string_view text) {
  std::string folded;
  kernel::TextFacts const facts = facts::text_facts(text, folded);
  require(facts.tail_period <= 16);
  require(facts.tail_period * facts.tail_repeats <= std::max<int>(facts.tokens, 400));
  require((facts.tail_repeats == 0) == (facts.tail_period == 0));
  require(facts.message.none() == (facts.tokens == 0));
  std::string const line = in_quotes(text, 50);
  require(std::none_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
}

void check_base64(std::string_view text) {
  Result<std::string> const bytes = from_base64url(text);
  require(!bytes.ok() || base64url(*bytes) == text);
  require(*from_base64url(base64url(text)) == text);
  require(!open_seal(text, "key").ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  check_shell(text);
  check_result(text);
  check_text(text);
  check_base64(text);
  std::string path;
  facts::append_path(path, text);
  std::string again;
  facts::append_path(again, path);
  require(path == again);
  return 0;
}
