// One pass from left to right, again while it finds something; see redact.h.

#include "journal/redact.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "talk/secret_mark.h"

namespace backedge::journal {
namespace {

// Longer names are cut at the front; what counts is how they end.
constexpr std::size_t kLongestName = 64;
// White space that may stand beside ':' and '='.
constexpr std::size_t kMostBlanks = 16;
// What begins like a secret is judged by so much of it, and so much of a web token's header is looked through: without
// an end, a text of nothing but beginnings would cost its square.
constexpr std::size_t kJudged = 256;
constexpr std::size_t kLongestHeader = 512;
// A mark can bring two parts together that are a secret by their name; nothing is known that needs a third pass.
constexpr int kMostPasses = 8;
constexpr std::string_view kMarkHead = talk::kSecretMark;
constexpr std::size_t kMarkSize = kMarkHead.size() + 8 + 1;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_alnum(char c) { return is_digit(c) || is_upper(c) || is_lower(c); }
bool is_word(char c) { return is_alnum(c) || c == '_'; }
bool is_base64url(char c) { return is_word(c) || c == '-'; }
bool is_name(char c) { return is_word(c) || c == '-' || c == '.'; }
bool is_upper_or_digit(char c) { return is_upper(c) || is_digit(c); }
bool is_alnum_or_dash(char c) { return is_alnum(c) || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_token68(char c) { return is_base64url(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

template <class Holds>
std::size_t run_from(std::string_view text, std::size_t at, Holds holds) {
  while (at < text.size() && holds(text[at])) ++at;
  return at;
}

bool has_digit(std::string_view s) { return std::any_of(s.begin(), s.end(), is_digit); }

bool begins_mark(std::string_view text, std::size_t at) {
  if (at + kMarkSize > text.size() || text.compare(at, kMarkHead.size(), kMarkHead) != 0) return false;
  std::size_t const digits = at + kMarkHead.size();
  return text[at + kMarkSize - 1] == ']' && run_from(text.substr(0, digits + 8), digits, [](char c) {
                                              return is_digit(c) || (c >= 'a' && c <= 'f');
                                            }) == digits + 8;
}

/// Bytes [begin, end) of the text; empty: none.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool found() const { return end > begin; }
};

std::size_t slashes_before(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (count < at && text[at - 1 - count] == '\\') ++count;
  return count;
}

// A word begins here: also behind the letter of an escape, as in "\nsk-…" and "\u003csk-…" within JSON.
bool word_begins(std::string_view text, std::size_t at) {
  if (slashes_before(text, at) % 2 == 1) return false;  // it is the letter of an escape itself
  if (at == 0 || !is_word(text[at - 1])) return true;
  if (at >= 2 && text[at - 2] == '\\' && std::string_view("nrtbf").find(text[at - 1]) != std::string_view::npos)
    return true;
  return at >= 6 && text[at - 6] == '\\' && text[at - 5] == 'u';
}

// Within the letter and the digits of an escape nothing begins: what stood there would be no JSON afterwards.
bool in_escape(std::string_view text, std::size_t at) {
  if (slashes_before(text, at) % 2 == 1) return true;
  for (std::size_t back = 1; back <= 4 && back < at; ++back) {
    if (text[at - back] == 'u' && slashes_before(text, at - back) % 2 == 1) return true;
    if (!is_alnum(text[at - back])) break;
  }
  return false;
}

// What a random key of some length has and names, words and hashes in hexadecimal digits have not: small and great
// letters and digits.
bool is_mixed(std::string_view s) {
  return has_digit(s) && std::any_of(s.begin(), s.end(), is_upper) && std::any_of(s.begin(), s.end(), is_lower);
}

// How a token begins; sorted by first letter only for the reader.
struct TokenRule {
  std::string_view prefix;
  bool (*holds)(char);
  std::size_t least;  // characters behind the prefix
  std::size_t most = 0;
};

constexpr TokenRule kTokenRules[] = {
    {"sk_live_", is_alnum, 16},
    {"sk_test_", is_alnum, 16},
    {"rk_live_", is_alnum, 16},
    {"rk_test_", is_alnum, 16},
    {"whsec_", is_alnum, 16},
    {"ghp_", is_alnum, 20},
    {"gho_", is_alnum, 20},
    {"ghu_", is_alnum, 20},
    {"ghs_", is_alnum, 20},
    {"ghr_", is_alnum, 20},
    {"github_pat_", is_word, 20},
    {"glpat-", is_base64url, 16},
    {"AKIA", is_upper_or_digit, 16, 16},
    {"ASIA", is_upper_or_digit, 16, 16},
    {"xoxa-", is_alnum_or_dash, 10},
    {"xoxb-", is_alnum_or_dash, 10},
    {"xoxe-", is_alnum_or_dash, 10},
    {"xoxp-", is_alnum_or_dash, 10},
    {"xoxr-", is_alnum_or_dash, 10},
    {"xoxs-", is_alnum_or_dash, 10},
    {"xapp-", is_alnum_or_dash, 10},
    {"AIza", is_base64url, 35},
    {"ya29.", is_base64url, 20},
    {"hf_", is_alnum, 30},
    {"npm_", is_alnum, 30},
    {"pypi-", is_base64url, 50},
    {"gsk_", is_alnum, 30},
    {"xai-", is_alnum, 30},
    {"pplx-", is_alnum, 30},
};

constexpr std::size_t kShortestToken = 14;

// "sk-" begins honest words, too: a key has a digit and a stretch of twelve letters and digits. Within a word ("task-")
// it must be as long as keys are, and mixed.
Part sk_key(std::string_view text, std::size_t at, bool glued) {
  if (text.compare(at, 3, "sk-") != 0) return {};
  std::string_view const near = text.substr(0, std::min(text.size(), at + 3 + kJudged));
  std::size_t const end = run_from(near, at + 3, is_base64url);
  std::string_view const body = text.substr(at + 3, end - at - 3);
  if (body.size() < 20 || !has_digit(body)) return {};
  if (glued && (body.size() < 40 || !is_mixed(body))) return {};
  std::size_t stretch = 0;
  for (char const c : body) {
    stretch = is_alnum(c) ? stretch + 1 : 0;
    if (stretch == 12) return {at, run_from(text, end, is_base64url)};
  }
  return {};
}

// header.payload.signature, each in base64url; the first two begin as JSON objects do.
Part web_token(std::string_view text, std::size_t at) {
  if (text.compare(at, 3, "eyJ") != 0) return {};
  std::size_t const first = run_from(text.substr(0, std::min(text.size(), at + kLongestHeader)), at, is_base64url);
  if (text.compare(first, 4, ".eyJ") != 0) return {};
  std::size_t const second = run_from(text, first + 1, is_base64url);
  if (second >= text.size() || text[second] != '.') return {at, second};
  return {at, run_from(text, second + 1, is_base64url)};
}

Part bearer(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "bearer";
  if (at + kWord.size() >= text.size()) return {};
  for (std::size_t i = 0; i < kWord.size(); ++i) {
    if (lower(text[at + i]) != kWord[i]) return {};
  }
  std::size_t const begin = run_from(text, at + kWord.size(), is_blank);
  if (begin == at + kWord.size()) return {};
  std::size_t const end = run_from(text, begin, is_token68);
  std::string_view const token = text.substr(begin, end - begin);
  // Shorter ones without a digit are words of a sentence.
  bool const secret = token.size() >= 20 || (token.size() >= 8 && has_digit(token));
  return secret ? Part{begin, end} : Part{};
}

// A token that is glued to the word before it needs more that speaks for it. One of fixed length is then told from the
// middle of a longer stretch of its own characters by what stands around it.
bool holds_when_glued(TokenRule const& rule, std::string_view text, std::size_t at, std::size_t end) {
  std::size_t const begin = at + rule.prefix.size();
  std::string_view const body = text.substr(begin, std::min(end - begin, kJudged));
  if (rule.most != 0) return !rule.holds(text[at - 1]) && has_digit(body);
  return is_mixed(body);
}

// `glued`: in the middle of a word.
Part token(std::string_view text, std::size_t at, bool glued) {
  switch (text[at]) {
    case 's':
      if (Part const key = sk_key(text, at, glued); key.found()) return key;
      break;
    case 'e': return web_token(text, at);
    case 'b':
    case 'B': return glued ? Part{} : bearer(text, at);
    default: break;
  }
  if (text.size() - at < kShortestToken) return {};
  for (TokenRule const& rule : kTokenRules) {
    if (rule.prefix[0] != text[at] || rule.prefix[1] != text[at + 1] ||
        text.compare(at, rule.prefix.size(), rule.prefix) != 0)
      continue;
    std::size_t const begin = at + rule.prefix.size();
    std::size_t const near = std::min(text.size(), begin + kJudged);
    std::size_t const judged = run_from(text.substr(0, near), begin, rule.holds);
    if (judged - begin < rule.least || (rule.most != 0 && judged - begin > rule.most)) continue;
    if (glued && !holds_when_glued(rule, text, at, judged)) continue;
    return {at, run_from(text, judged, rule.holds)};
  }
  return {};
}

// What lies between the lines of a private key. A quote ends it, too: the key was in a string that ends there.
Part private_key(std::string_view text, std::size_t at) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kKey = "PRIVATE KEY";
  if (text.size() - at < kBegin.size() || text[at + 1] != '-' || text.compare(at, kBegin.size(), kBegin) != 0)
    return {};
  std::size_t const label = at + kBegin.size();
  std::size_t const dashes = run_from(text, label, [](char c) { return is_upper_or_digit(c) || c == ' '; });
  std::string_view const name = text.substr(label, dashes - label);
  if (name.find(kKey) == std::string_view::npos || text.compare(dashes, 5, "-----") != 0) return {};
  std::size_t const begin = dashes + 5;
  std::size_t end = begin;
  while (end < text.size() && text[end] != '"' && text.compare(end, 9, "-----END ") != 0) ++end;
  if (end < text.size() && text[end] == '"') {
    while (end > begin && text[end - 1] == '\\') --end;
  }
  return {begin, end};
}

// scheme://user:PASSWORD@host, looked at from the colon of "://".
Part url_password(std::string_view text, std::size_t at) {
  if (text.size() - at < 3 || text[at + 1] != '/' || text[at + 2] != '/') return {};
  std::size_t colon = 0;
  for (std::size_t i = at + 3; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '@') return colon != 0 ? Part{colon + 1, i} : Part{};
    if (c == ':' && colon == 0) colon = i;
    if (begins_mark(text, i)) i += kMarkSize - 1;
    if (c == '/' || c == '"' || c == '\'' || c == '\\' || c == '<' || c == '?' || static_cast<unsigned char>(c) <= ' ')
      return {};
  }
  return {};
}

/// The name that stands before ':' or '='.
struct Name {
  std::string_view text;
  bool quoted = false;
  char quote = 0;
  std::size_t slashes = 0;  // before the quote
  bool apart = false;       // blanks between it and the sign
};

Name name_before(std::string_view text, std::size_t sign) {
  std::size_t end = sign;
  while (end > 0 && sign - end < kMostBlanks && is_blank(text[end - 1])) --end;
  Name out;
  out.apart = end != sign;
  if (end > 0 && (text[end - 1] == '"' || text[end - 1] == '\'')) {
    out.quoted = true;
    out.quote = text[--end];
    while (end > 0 && out.slashes < kMostBlanks && text[end - 1] == '\\') {
      --end;
      ++out.slashes;
    }
  }
  // Every name that counts ends in one of these letters.
  constexpr std::string_view kLast = "detnylsDETNYLS";
  if (end == 0 || kLast.find(text[end - 1]) == std::string_view::npos) return out;
  std::size_t begin = end;
  while (begin > 0 && end - begin < kLongestName && is_name(text[begin - 1])) --begin;
  out.text = text.substr(begin, end - begin);
  return out;
}

enum class NameKind : std::uint8_t { kOther, kSecret, kPassword, kAuthorization };

NameKind kind_of(std::string_view name) {
  constexpr std::size_t kKept = 16;
  std::array<char, kKept> tail{};
  std::size_t size = 0;
  for (std::size_t i = name.size(); i > 0 && size < kKept; --i) {
    if (is_alnum(name[i - 1])) tail[kKept - ++size] = lower(name[i - 1]);
  }
  std::string_view const end(tail.data() + kKept - size, size);
  if (end.ends_with("authorization")) return NameKind::kAuthorization;
  constexpr std::string_view kPasswords[] = {"password", "passwd", "passphrase"};
  for (std::string_view const word : kPasswords) {
    if (end.ends_with(word)) return NameKind::kPassword;
  }
  constexpr std::string_view kEnds[] = {"secret",     "token",      "apikey",        "accesskey",  "secretkey",
                                        "privatekey", "signingkey", "encryptionkey", "credential", "credentials"};
  for (std::string_view const word : kEnds) {
    if (end.ends_with(word)) return NameKind::kSecret;
  }
  // PWD alone is the working directory.
  bool const password = end.ends_with("pwd") && (name == "Pwd" || (end.size() > 3 && !end.ends_with("oldpwd")));
  return password ? NameKind::kPassword : NameKind::kOther;
}

// Whether a quote behind `slashes` backslashes ends a string that was opened `depth` strings deep. Every level doubles
// the backslashes and adds one for the quote; a quote that ends an outer string ends this one, too.
bool closes(std::size_t slashes, std::size_t depth) {
  for (std::size_t i = 0; i < depth; ++i) {
    if (slashes % 2 == 0) return true;
    slashes = (slashes - 1) / 2;
  }
  return slashes % 2 == 0;
}

// The inside of a string in double quotes whose opening one stands at `quote`, behind `opening` backslashes.
Part quoted_value(std::string_view text, std::size_t quote, std::size_t opening) {
  std::size_t depth = 0;
  while ((std::size_t{1} << depth) - 1 < opening) ++depth;
  std::size_t const begin = quote + 1;
  std::size_t slashes = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '"' && closes(slashes, depth)) {
      bool const regular = slashes >= opening && (slashes - opening) % (std::size_t{1} << depth) == 0;
      return {begin, i - (regular ? opening : slashes)};
    }
    slashes = text[i] == '\\' ? slashes + 1 : 0;
  }
  return {begin, text.size()};
}

// The inside of a string in single quotes; a double quote ends it, too: it may end what the whole stands in.
Part single_quoted_value(std::string_view text, std::size_t quote) {
  std::size_t const begin = quote + 1;
  std::size_t const end = run_from(text, begin, [](char c) { return c != '\'' && c != '"'; });
  if (end == text.size() || text[end] == '\'') return {begin, end};
  return {begin, end - std::min(slashes_before(text, end), end - begin)};
}

// Whether a double quote behind `slashes` backslashes opens the value of `name`, not closes the string around it: then
// it stands as deep as the quote of the name; without one, what follows is not what follows a string in JSON.
bool opens_value(std::string_view text, std::size_t quote, std::size_t slashes, Name const& name) {
  bool const regular = slashes == 0 || slashes == 1 || slashes == 3 || slashes == 7;
  if (name.quote == '"') return regular && slashes == name.slashes;
  std::size_t const next = run_from(text, quote + 1, is_blank);
  return regular && next < text.size() && std::string_view(",}]:\r\n").find(text[next]) == std::string_view::npos;
}

bool ends_bare(char c) {
  return static_cast<unsigned char>(c) <= ' ' || std::string_view("\"'`&;,()<>|\\{}").find(c) != std::string_view::npos;
}

bool says_nothing(std::string_view value) {
  std::string low;
  if (value.size() > 9) return false;
  for (char const c : value) low += lower(c);
  return low == "null" || low == "none" || low == "nil" || low == "true" || low == "false" || low == "undefined";
}

bool is_env(std::string_view name) { return std::none_of(name.begin(), name.end(), is_lower); }

// A value without quotes: how much must speak for a secret depends on how it is written.
Part bare_value(std::string_view text, std::size_t begin, char sign, Name const& name, bool apart, bool header) {
  auto const goes_on = [](char c) { return !ends_bare(c); };
  std::size_t const judged = run_from(text.substr(0, std::min(text.size(), begin + kJudged)), begin, goes_on);
  std::string_view const value = text.substr(begin, judged - begin);
  bool const called = judged < text.size() && text[judged] == '(';
  if (value.empty() || says_nothing(value) || value == name.text) return {};
  bool secret = false;
  if (header) {
    secret = value.size() >= 6;
  } else if (sign == ':') {
    secret = value.size() >= 8 && has_digit(value) && !called;
  } else if (apart || name.apart) {
    secret = value.size() >= 16 && has_digit(value) && !called;
  } else {
    secret = is_env(name.text) || (value.size() >= 4 && !called);
  }
  return secret ? Part{begin, run_from(text, judged, goes_on)} : Part{};
}

// Words that stand behind "password:" in source code and say what kind of value it is.
bool is_type(std::string_view word) {
  constexpr std::string_view kTypes[] = {
      "str", "string", "String", "text", "Text", "char", "varchar", "bytes",    "int",   "number", "boolean",  "bool",
      "any", "object", "const",  "std",  "None", "null", "nil",     "Optional", "field", "Field",  "undefined"};
  return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

// "DB_PASSWORD: two words", "password = several words here": what is said without quotes ends with its line, or with
// the string that it stands in. Only of passwords, and of names written like variables of the environment: of others,
// words behind them mostly say something about them. `NAME=a b` is no such thing: a shell takes b for a command. What
// stands there like source code (a type, a call, an operator) is left to bare_value().
Part rest_of_line(std::string_view text, std::size_t begin, std::size_t sign, Name const& name, NameKind kind) {
  bool const apart = begin != sign + 1;
  bool const env = is_env(name.text) && (apart || text[sign] == ':');
  bool const wanted = !name.quoted && (env || (kind == NameKind::kPassword && apart));
  if (!wanted || begins_mark(text, begin)) return {};
  auto const word_goes_on = [](char c) { return is_word(c) || static_cast<unsigned char>(c) >= 0x80; };
  auto const in_word = [](char c) { return !ends_bare(c) || c == '\''; };
  std::size_t const near = std::min(text.size(), begin + kJudged);
  std::string_view const head = text.substr(0, near);
  std::size_t const first = run_from(head, begin, in_word);
  std::size_t const second = run_from(head, first, is_blank);
  std::size_t const end_of_second = run_from(head, second, in_word);
  if (first == begin || second == first || end_of_second == second) return {};
  bool const called = end_of_second < near && text[end_of_second] == '(';
  bool const operates = std::string_view("=<>?:~+[").find(text[begin]) != std::string_view::npos ||
                        (!word_goes_on(text[second]) && second + 1 == end_of_second);
  std::string_view const word = text.substr(begin, run_from(head, begin, word_goes_on) - begin);
  if (called || operates || is_type(word)) return {};
  std::size_t end = begin + 1;
  for (; end < text.size(); ++end) {
    char const c = text[end];
    bool const apostrophe = is_alnum(text[end - 1]) && end + 1 < text.size() && is_alnum(text[end + 1]);
    if (c == '"' || c == '`' || c == '\\' || (c == '\'' && !apostrophe)) break;
    if (static_cast<unsigned char>(c) < ' ' && c != '\t') break;
  }
  if (end <= second) return {};  // the string around it ends with its first word
  while (is_blank(text[end - 1])) --end;
  return {begin, end};
}

Part named_value(std::string_view text, std::size_t sign) {
  Name const name = name_before(text, sign);
  if (name.text.empty()) return {};
  NameKind const kind = kind_of(name.text);
  if (kind == NameKind::kOther) return {};
  std::size_t begin = sign + 1;
  while (begin < text.size() && begin - sign <= kMostBlanks &&
         (is_blank(text[begin]) || (name.quoted && (text[begin] == '\n' || text[begin] == '\r'))))
    ++begin;
  bool const apart = begin != sign + 1;
  std::size_t const quote = run_from(text, begin, [](char c) { return c == '\\'; });
  bool const single = quote == begin && quote < text.size() && text[quote] == '\'';
  bool const doubled = quote < text.size() && text[quote] == '"' && opens_value(text, quote, quote - begin, name);
  bool const quoted = single || doubled;
  Part value{begin, text.size()};
  if (doubled) value = quoted_value(text, quote, quote - begin);
  if (single) value = single_quoted_value(text, quote);
  bool const header = kind == NameKind::kAuthorization;
  if (header) {  // the scheme stays: "Basic", "Bearer"
    std::size_t const scheme = run_from(text, value.begin, is_alnum_or_dash);
    if (scheme < value.end && scheme > value.begin && text[scheme] == ' ') value.begin = scheme + 1;
  }
  if (quoted) return value;
  if (!header) {
    if (Part const line = rest_of_line(text, begin, sign, name, kind); line.found()) return line;
  }
  return bare_value(text, value.begin, text[sign], name, apart, header);
}

/// What may begin at a byte; most bytes are passed over by one look into a table.
enum class Begins : std::uint8_t { kNothing, kToken, kSign, kKey, kMark };

constexpr std::array<Begins, 256> beginnings() {
  std::array<Begins, 256> out{};
  for (TokenRule const& rule : kTokenRules) out[static_cast<unsigned char>(rule.prefix.front())] = Begins::kToken;
  for (char const c : {'s', 'e', 'b', 'B'}) out[static_cast<unsigned char>(c)] = Begins::kToken;
  out[':'] = Begins::kSign;
  out['='] = Begins::kSign;
  out['-'] = Begins::kKey;
  out['['] = Begins::kMark;
  return out;
}
constexpr std::array<Begins, 256> kBeginnings = beginnings();

// Of a first letter: the low five bits of the letters that may come second.
constexpr std::array<std::uint32_t, 256> second_letters() {
  std::array<std::uint32_t, 256> out{};
  auto const allow = [&out](char first, char second) {
    out[static_cast<unsigned char>(first)] |= 1U << (static_cast<unsigned char>(second) & 31U);
  };
  for (TokenRule const& rule : kTokenRules) allow(rule.prefix[0], rule.prefix[1]);
  allow('s', 'k');
  allow('e', 'y');
  allow('b', 'e');
  allow('B', 'e');
  return out;
}
constexpr std::array<std::uint32_t, 256> kSecondLetters = second_letters();

bool may_be_token(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return false;
  std::uint32_t const second = kSecondLetters[static_cast<unsigned char>(text[at])];
  return ((second >> (static_cast<unsigned char>(text[at + 1]) & 31U)) & 1U) != 0;
}

Part secret_at(std::string_view text, std::size_t at, Begins begins) {
  if (begins == Begins::kToken) {
    if (!may_be_token(text, at)) return {};
    bool const glued = !word_begins(text, at);
    return glued && in_escape(text, at) ? Part{} : token(text, at, glued);
  }
  if (begins == Begins::kKey) return private_key(text, at);
  if (text[at] == ':') {
    Part const password = url_password(text, at);
    if (password.found()) return password;
  }
  return named_value(text, at);
}

// Without blanks, line ends and their escapes: a key is the same key in a file and in JSON.
std::string essence(std::string_view secret) {
  std::string out;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    if (secret[i] == '\\') {
      ++i;
    } else if (static_cast<unsigned char>(secret[i]) > ' ') {
      out += secret[i];
    }
  }
  return out;
}

std::optional<std::string> pass(Redactor const& redactor, std::string_view text) {
  std::string out;
  std::size_t copied = 0;
  bool any = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    Begins const begins = kBeginnings[static_cast<unsigned char>(text[i])];
    if (begins == Begins::kNothing) continue;
    if (begins == Begins::kMark) {
      if (begins_mark(text, i)) i += kMarkSize - 1;
      continue;
    }
    Part const part = secret_at(text, i, begins);
    if (!part.found()) continue;
    std::string_view const secret = text.substr(part.begin, part.end - part.begin);
    bool const marked = secret.size() == kMarkSize && begins_mark(secret, 0);
    bool const key = begins == Begins::kKey;
    if (!marked) {
      any = true;
      out += text.substr(copied, part.begin - copied);
      out += key ? redactor.mark(essence(secret)) : redactor.mark(secret);
      copied = part.end;
    }
    i = part.end - 1;
  }
  if (!any) return std::nullopt;
  out += text.substr(copied);
  return out;
}

}  // namespace

std::string Redactor::mark(std::string_view secret) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned int size = 0;
  unsigned char const* const done =
      HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<unsigned char const*>(secret.data()), secret.size(), mac.data(), &size);
  if (done == nullptr) std::abort();
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(kMarkHead);
  for (std::size_t i = 0; i < 4; ++i) {
    out += kDigits[mac[i] >> 4U];
    out += kDigits[mac[i] & 15U];
  }
  return out + "]";
}

std::optional<std::string> Redactor::clean(std::string_view text) const {
  std::optional<std::string> out = pass(*this, text);
  for (int i = 1; out && i < kMostPasses; ++i) {
    std::optional<std::string> again = pass(*this, *out);
    if (!again) break;
    out = std::move(again);
  }
  return out;
}

}  // namespace backedge::journal
