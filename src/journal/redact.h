// Takes secrets out of a text: each becomes a mark such as [secret:1a2b3c4d], and everything else stays byte for byte.
//
// What counts as a secret:
//   tokens by their prefix, also glued to the word before them, then with more that speaks for a key:
//                             sk-… sk_live_… ghp_… github_pat_… glpat-… AKIA… AIza… xox?-… hf_… npm_… eyJ….eyJ….… (JWT)
//   what follows a scheme    Bearer TOKEN, Authorization: Basic TOKEN
//   private keys             between -----BEGIN … PRIVATE KEY----- and its end
//   values by their name     "password": "…", API_KEY=…, token: …, in JSON, in JSON within JSON, in env files, in URLs
//   passwords of several words without quotes, to the end of their line: DB_PASSWORD: two words, password = a b c
//   passwords in URLs        scheme://user:PASSWORD@host
// The digits are a digest under a key, so that equal secrets have equal marks within one journal and tell nothing
// outside of it. A text that was JSON is JSON afterwards, a mark is never marked again, and the time is linear in the
// text: names are looked for backwards from ':' and '=' over at most kLongestName bytes. It errs towards hiding.
// Example, under some key: {"user":"ann","password":"x\"y"} becomes {"user":"ann","password":"[secret:0f3a5b11]"}.
// Tested in tests/journal/redact_test.cpp and tests/fuzz/journal_redact_fuzz.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace backedge::journal {

class Redactor {
 public:
  /// `key`: random bytes, 32 of them; who does not have them cannot test a guess against a mark.
  explicit Redactor(std::string key) : key_(std::move(key)) {}

  /// The text without its secrets; nothing when it holds none. Linear; no allocation when it holds none.
  std::optional<std::string> clean(std::string_view text) const;

  /// "[secret:xxxxxxxx]" for this secret.
  std::string mark(std::string_view secret) const;

 private:
  std::string key_;
};

}  // namespace backedge::journal
