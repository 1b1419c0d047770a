// Secrets leave a text, everything else stays.
#include "journal/redact.h"

#include <chrono>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/processor_time.h"

namespace backedge::journal {
namespace {

Redactor const kRedactor("a key of this test");

std::string clean(std::string_view text) { return kRedactor.clean(text).value_or(std::string(text)); }

// The text with every mark written as <>.
std::string shape(std::string_view text) {
  std::string out = clean(text);
  for (std::size_t at = out.find("[secret:"); at != std::string::npos; at = out.find("[secret:", at))
    out.replace(at, 17, "<>");
  return out;
}

std::string many_letters() { return "abcdefghijabcdefghijabcdefghijabcdefghij"; }

TEST(Redact, TakesOutTokensByTheirPrefix) {
  std::string const many = "0123456789abcdefghijABCDEFGHIJklmnopqrst";
  for (std::string const& token : std::vector<std::string>{
           "sk-" + many, "sk-proj-" + many, "sk-ant-api03-" + many + "-" + many, "sk_live_" + many, "ghp_" + many,
           "gho_" + many, "github_pat_" + many, "glpat-" + many, "AKIAIOSFODNN7EXAMPLE", "xoxb-123456789012-abcDEF",
           "AIza" + many, "hf_" + many, "npm_" + many, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_DEF-123"}) {
    EXPECT_EQ(shape(token), "<>") << token;
    EXPECT_EQ(shape("see " + token + ", then"), "see <>, then") << token;
    EXPECT_EQ(shape("{\"a\":\"\\n" + token + "\"}"), "{\"a\":\"\\n<>\"}") << token;
    EXPECT_EQ(shape("<\\u003c" + token + ">"), "<\\u003c<>>") << token;
    EXPECT_EQ(clean("see " + token), "see " + kRedactor.mark(token));
  }
}

TEST(Redact, TakesOutTokensThatAreGluedToAWord) {
  std::string const many = "0123456789abcdefghijABCDEFGHIJklmnopqrst";
  for (std::string const& token : std::vector<std::string>{
           "sk-" + many, "sk-proj-" + many, "sk_live_" + many, "ghp_" + many, "github_pat_" + many, "glpat-" + many,
           "AKIA0123456789ABCDEF", "ASIA0123456789ABCDEF", "xoxb-123456789012-abcDEF", "AIza" + many, "hf_" + many,
           "npm_" + many, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_DEF-123"}) {
    for (std::string const before : {"x", "key", "_", "token_", "foo2bar"}) {
      EXPECT_EQ(shape(before + token), before + "<>") << token;
      EXPECT_EQ(shape("{\"a\":\"" + before + token + "\"}"), "{\"a\":\"" + before + "<>\"}") << token;
    }
  }
  EXPECT_EQ(shape("AKIA0123456789ABCDEFfoo"), "<>foo");
  EXPECT_EQ(shape("AKIA0123456789ABCDEF_x"), "<>_x");
  EXPECT_EQ(shape("xAKIA0123456789ABCDEFx"), "x<>x");
}

TEST(Redact, LeavesNamesAndHashesWithABeginningInThemAlone) {
  std::string const hex = "d41d8cd98f00b204e9800998ecf8427ed41d8cd98f00b204e9800998ecf8427e";
  for (std::string const& text : std::vector<std::string>{
           "task-V1StGXR8Z5jdHi6BmyT8", "task-" + hex, "disk-" + hex, "shf_" + hex, "xnpm_" + hex, "weighp_" + hex,
           "lengthghp_of_the_array_in_elements_2", "pnpm_config_registry_url_of_the_company", "maxhf_" + many_letters(),
           "getASIAPACIFICREGIONNAMES", "0AKIA0123456789ABCDEF", "ZAKIA0123456789ABCDEF", "AKIA0123456789ABCDEF0",
           "xAKIA0123456789ABCDEF0", "MAKIAIOSFODNN7EXAMPLE2", hex, "forbearer 0123456789abcdef", "keyJar.keyJoin"}) {
    EXPECT_EQ(clean(text), text);
  }
}

TEST(Redact, LeavesWhatOnlyLooksLikeATokenAlone) {
  for (std::string const text :
       {"disk-usage-report-of-the-month-2023", "sk-learn-and-other-libraries", "task-0123456789abcdefghij", "AKIA",
        "ghp_", "xoxb-", "bearer of bad news", "the bearer token is missing", "eyJ is how it begins",
        "MAKIAIOSFODNN7EXAMPLE2", "AKIAIOSFODNN7EXAMPLEX",
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"}) {
    EXPECT_EQ(clean(text), text);
  }
}

TEST(Redact, TakesOutWhatFollowsAScheme) {
  EXPECT_EQ(shape("Authorization: Bearer abc123def456"), "Authorization: Bearer <>");
  EXPECT_EQ(shape("authorization: Basic dXNlcjpwYXNz"), "authorization: Basic <>");
  EXPECT_EQ(shape(R"({"Authorization": "Bearer x"})"), R"({"Authorization": "Bearer <>"})");
  EXPECT_EQ(shape("curl -H 'Authorization: token abcdefgh' x"), "curl -H 'Authorization: token <>' x");
  EXPECT_EQ(shape("use bearer 0123456789abcdef."), "use bearer <>");
}

TEST(Redact, TakesOutPrivateKeys) {
  std::string const key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc+/=\nDEF\n-----END RSA PRIVATE KEY-----";
  EXPECT_EQ(shape("x " + key + " y"), "x -----BEGIN RSA PRIVATE KEY-----<>-----END RSA PRIVATE KEY----- y");
  std::string const in_json =
      "{\"key\":\"-----BEGIN RSA PRIVATE KEY-----\\nMIIabc+/=\\nDEF\\n-----END RSA PRIVATE KEY-----\"}";
  EXPECT_EQ(clean(in_json), "{\"key\":\"" + clean(key) + "\"}") << "the same key has the same mark";
  EXPECT_EQ(shape("{\"a\":\"-----BEGIN PRIVATE KEY-----\\nMII\\n\",\"b\":1}"),
            "{\"a\":\"-----BEGIN PRIVATE KEY-----<>\",\"b\":1}");
  EXPECT_EQ(shape("-----BEGIN PRIVATE KEY-----\nMII"), "-----BEGIN PRIVATE KEY-----<>");
}

TEST(Redact, TakesOutMembersOfJsonByTheirName) {
  EXPECT_EQ(shape(R"({"password":"x","n":1})"), R"({"password":"<>","n":1})");
  EXPECT_EQ(shape(R"({"api_key" : "a\"b\\", "b":"c"})"), R"({"api_key" : "<>", "b":"c"})");
  EXPECT_EQ(shape(R"({"clientSecret":"x","x-api-key":"y","db_pwd":"z","token":"t"})"),
            R"({"clientSecret":"<>","x-api-key":"<>","db_pwd":"<>","token":"<>"})");
  EXPECT_EQ(shape(R"({"a":"{\"password\":\"x\\\\\",\"b\":1}"})"), R"({"a":"{\"password\":\"<>\",\"b\":1}"})");
  EXPECT_EQ(shape(R"({"a":"{\"password\":\"x\\\"y\",\"b\":1}"})"), R"({"a":"{\"password\":\"<>\",\"b\":1}"})");
  EXPECT_EQ(shape(R"({"a":"\"password\": \"cut"})"), R"({"a":"\"password\": \"<>"})");
  for (std::string const text :
       {R"({"max_tokens":5,"tokens":"a","token_count":"7"})", R"({"password":""})", R"({"password":null,"secret":5})",
        R"({"pwd":"/home/x"})", R"({"secret":{"a":"b"}})", R"({"passwords_changed":"yes"})"}) {
    EXPECT_EQ(clean(text), text);
  }
}

TEST(Redact, WhatWasJsonIsJsonAfterwards) {
  std::string const key = "0123456789abcdefghijABCDEF";
  for (std::string const& text : std::vector<std::string>{
           R"({"a":"{\"token\":\\"})", R"({"a":"enter password: ","b":"c"})", R"({"a":"password:","b":"c"})",
           R"({"a":"password='abc","b":"it's"})", R"({"a":"\rk_live_)" + key + R"("})",
           R"({"a":"\npm_)" + key + key + R"("})", R"({"a":"password: \"x\" y"})",
           R"({"a":"\u000eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"})", R"({"a":"x\u00AAIza)" + key + key + R"("})",
           R"({"a":"-----BEGIN PRIVATE KEY-----\\","b":1})", R"(["token=\\","x"])"}) {
    ASSERT_TRUE(parse_json(text).ok()) << text;
    EXPECT_TRUE(parse_json(clean(text)).ok()) << text << " becomes " << clean(text);
  }
}

TEST(Redact, TakesOutAssignments) {
  EXPECT_EQ(shape("export OPENAI_API_KEY=abc\nA=b"), "export OPENAI_API_KEY=<>\nA=b");
  EXPECT_EQ(shape("DB_PASSWORD='a b' x"), "DB_PASSWORD='<>' x");
  EXPECT_EQ(shape("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), "aws_secret_access_key = <>");
  EXPECT_EQ(shape("https://x.org/?token=abcd&page=2"), "https://x.org/?token=<>&page=2");
  EXPECT_EQ(shape("Server=a;Pwd=hunter2;"), "Server=a;Pwd=<>;");
  EXPECT_EQ(shape("password: hunter2222"), "password: <>");
  EXPECT_EQ(shape("postgres://ann:p4ss@db/x"), "postgres://ann:<>@db/x");
  for (std::string const text :
       {"PWD=/home/x", "OLDPWD=/tmp", "f(token=token)", "password = read_password()", "token: str", "password=None",
        "the secret: be kind", "https://x.org:8080/a@b", "tokens=5"}) {
    EXPECT_EQ(clean(text), text);
  }
}

TEST(Redact, APasswordOfSeveralWordsWithoutQuotesIsTakenOutToTheEndOfItsLine) {
  EXPECT_EQ(shape("DB_PASSWORD: two words\nUSER: ann"), "DB_PASSWORD: <>\nUSER: ann");
  EXPECT_EQ(shape("DB_PASSWORD:two words"), "DB_PASSWORD:<>");
  EXPECT_EQ(shape("password = several words here  \r\nuser = ann"), "password = <>  \r\nuser = ann");
  EXPECT_EQ(shape("  passphrase: correct horse battery staple"), "  passphrase: <>");
  EXPECT_EQ(shape("db_pwd: it's my, oh, dog's (old) name & 7"), "db_pwd: <>");
  EXPECT_EQ(shape("password: geheimes Wörtchen hier"), "password: <>");
  EXPECT_EQ(shape("password: hunter2222 and then some"), "password: <>");
  EXPECT_EQ(shape("API_TOKEN: my own one"), "API_TOKEN: <>");
  EXPECT_EQ(shape(R"({"a":"log in\nDB_PASSWORD: two words\nthen go","b":"c d"})"),
            R"({"a":"log in\nDB_PASSWORD: <>\nthen go","b":"c d"})");
  EXPECT_EQ(shape(R"({"a":"password = two words","b":"c d"})"), R"({"a":"password = <>","b":"c d"})");
  EXPECT_EQ(shape("run 'login password: two words' now"), "run 'login password: <>' now");
  EXPECT_EQ(clean("password: two words"), "password: " + kRedactor.mark("two words"));
  // A sentence about a password loses the rest of its line, and nothing else.
  EXPECT_EQ(shape("Then the password: is optional\nThe user is not"), "Then the password: <>\nThe user is not");
}

TEST(Redact, WhatStandsBehindAPasswordInSourceCodeStays) {
  for (std::string const text : {"def f(password: str, user: str):",
                                 "password: string | undefined",
                                 "let password: String = read()",
                                 "password: Optional[str] = None",
                                 "const password = await prompt()",
                                 "password = getpass.getpass(x)",
                                 "password = input (x)",
                                 "if password == other and more",
                                 "WHERE password = :pw AND name = :n",
                                 "WHERE password = ? AND name = ?",
                                 "password => value here",
                                 "password = a + b",
                                 "password = x || y",
                                 "the token: is missing here",
                                 "secret: be kind to all",
                                 "password reset: go there",
                                 "Enter the password:\nthen go on",
                                 "password: ",
                                 "password:\n  two words",
                                 "echo 'password: x' y z",
                                 "login({ password: pw, user: u })"}) {
    EXPECT_EQ(clean(text), text);
  }
}

TEST(Redact, EqualSecretsBecomeEqualMarksUnderOneKeyOnly) {
  std::string const mark = kRedactor.mark("hunter2");
  EXPECT_EQ(mark.size(), 17U);
  EXPECT_EQ(clean(R"({"password":"hunter2"})"), R"({"password":")" + mark + R"("})");
  EXPECT_EQ(clean("PASSWORD=hunter2"), "PASSWORD=" + mark);
  EXPECT_NE(kRedactor.mark("hunter3"), mark);
  EXPECT_NE(Redactor("another key").mark("hunter2"), mark);
}

TEST(Redact, AMarkIsNeverMarkedAgain) {
  for (std::string const text :
       {R"({"password":"x"})", "TOKEN=abc", "Authorization: Bearer abc123def456", "token: get-AKIAIOSFODNNQEXAMPLE",
        "-----BEGIN PRIVATE KEY-----\nMII", "postgres://ann:p4ss@db/x", "X_TOKEN=get[AKIAIOSFODNN7EXAMPLE]",
        "password: two words", "DB_PASSWORD: a b c", "password: hunter2222 and more",
        "password: my AKIAIOSFODNN7EXAMPLE key", "A_SECRET: x password: a b"}) {
    std::string const once = clean(text);
    EXPECT_NE(once, text);
    EXPECT_EQ(kRedactor.clean(once), std::nullopt) << once;
  }
}

TEST(Redact, OfAnyTextAboutPasswordsWhatWasJsonIsJsonAndNothingIsMarkedTwice) {
  char const* const parts[] = {"password",
                               "DB_PASSWORD",
                               ": ",
                               ":",
                               " = ",
                               "=",
                               "two words",
                               "it's",
                               "x",
                               "hunter2222",
                               "\n",
                               "'",
                               "`",
                               " ",
                               "(",
                               ")",
                               ",",
                               "[secret:0123abcd]",
                               "API_TOKEN",
                               "\"",
                               "\\",
                               "{",
                               "AKIAIOSFODNN7EXAMPLE",
                               "passphrase",
                               ";",
                               "\t",
                               "str"};
  std::mt19937 random(7);  // the same texts each time
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (int n = 0; n < 12; ++n) text += parts[random() % std::size(parts)];
    std::string const once = clean(text);
    ASSERT_EQ(kRedactor.clean(once), std::nullopt) << text << "\nbecomes " << once;
    std::string const in_json = boost::json::serialize(boost::json::value{{"a", text}, {"b", "c"}});
    ASSERT_TRUE(parse_json(clean(in_json)).ok()) << in_json << "\nbecomes " << clean(in_json);
  }
}

// Beginnings without an end are what a careless scanner looks at over and over.
TEST(Redact, TakesTimeLinearInTheText) {
  for (std::string const unit :
       {"sk-",        "eyJ-",   "token:",   "token=",        "\"password\":\"", "-----BEGIN PRIVATE KEY-----",
        "bearer ",    "://a:",  "\\",       "password:\\\\", "xoxb-",           "'",
        "[secret:",   "AIza-",  "secret= ", "AIza",          "xAIza",           "xeyJ",
        "xsk-",       "xghp_a", "\\u00ey",  "eyJ.eyJ",       "password: a b ",  "password: a (",
        "PASSWORD:a "}) {
    auto const micros = [&](std::size_t size) {
      std::string text;
      while (text.size() < size) text += unit;
      auto best = std::chrono::nanoseconds::max();
      for (int i = 0; i < 3; ++i) {
        std::chrono::nanoseconds const start = testing::processor_time();
        static_cast<void>(kRedactor.clean(text));
        best = std::min(best, testing::processor_time() - start);
      }
      return std::chrono::duration<double, std::micro>(best).count();
    };
    // 16 times the text: a square would take 256 times as long.
    EXPECT_LT(micros(1U << 20), 100 * (micros(1U << 16) + 50)) << unit;
  }
}

}  // namespace
}  // namespace backedge::journal
