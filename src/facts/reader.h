// From raw text to what the kernel decides by: arguments → CallFacts, result → ResultFacts, model text → TextFacts.
//
// One reader serves one run: it owns its buffers, returns references into them that hold until it is asked for the next
// facts of the same kind, allocates nothing once they have grown, and is never shared between threads. The same text
// under the same book always gives the same facts.
//
// Arguments that are empty or blank, or null, are {}. Arguments that are one JSON string holding JSON are parsed once
// more; strings inside arguments never are. On a fault the key is the digest of the trimmed raw text, so that the same
// broken call twice is the same call. Tested in tests/facts/reader_test.cpp and, as a property against RFC 8785, in
// tests/facts/key_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/digest.h"
#include "facts/book.h"
#include "kernel/call_facts.h"

namespace backedge::facts {

/// Deeper arguments are a fault.
inline constexpr std::size_t kMaxArgumentDepth = 128;

class Reader {
 public:
  /// The book must outlive the reader; it may be declared into between two calls.
  explicit Reader(ContractBook const& book);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  /// Facts of a call. `arguments` is the text as the model wrote it; it may be anything. Cost: about 0.3 µs at 200
  /// bytes.
  kernel::CallFacts const& call(std::string_view tool, std::string_view arguments);

  /// Facts of a result under the contract that applied to its call (CallFacts.contract). `text` is uncut. A status of
  /// kOk becomes kEmpty when the text says that there is nothing. `masked` is none for a success.
  kernel::ResultFacts const& result(std::uint32_t contract, kernel::ResultStatus status, std::string_view text);

  /// Facts of one message of the model.
  kernel::TextFacts text(std::string_view model_text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The digest of a JSON text by itself, as it enters a call's key; none when the text has a fault.
Digest digest_arguments(std::string_view arguments);

}  // namespace backedge::facts
