#include "base/seal.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace backedge {
namespace {

std::string from_hex(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

// RFC 4648, section 10, in the alphabet of section 5.
TEST(Base64Url, HasTheRfcsVectors) {
  std::vector<std::pair<std::string, std::string>> const vectors{
      {"", ""},           {"f", "Zg"},          {"fo", "Zm8"},          {"foo", "Zm9v"},
      {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}, {"\xfb\xff", "-_8"}};
  for (auto const& [bytes, text] : vectors) {
    EXPECT_EQ(base64url(bytes), text);
    EXPECT_EQ(*from_base64url(text), bytes);
  }
}

TEST(Base64Url, EveryTextHasOneSpelling) {
  for (std::string const text : {"Zg==", "Zh", "Zm9", "A", "Zm9v\n", "Zm+v", "Zm/v", " Zg"}) {
    EXPECT_EQ(from_base64url(text).error().kind, ErrorKind::kInput) << text;
  }
}

// RFC 4231, test cases 1, 2 and 6.
TEST(Seal, MacsAreTheRfcsVectors) {
  struct Vector {
    std::string key, payload, mac;
  };
  std::vector<Vector> const vectors{
      {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"}};
  for (Vector const& v : vectors) {
    EXPECT_EQ(seal(v.payload, v.key), base64url(v.payload) + "." + base64url(from_hex(v.mac)));
  }
}

TEST(Seal, OpensWhatItSealed) {
  std::string const binary("\0\xff{\"a\":1}\n", 10);
  EXPECT_EQ(*open_seal(seal(binary, "key"), "key"), binary);
  EXPECT_EQ(*open_seal(seal("", ""), ""), "");
}

TEST(Seal, AnyChangeIsNoticed) {
  std::string const token = seal(R"({"run":7})", "key");
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    Result<std::string> const opened = open_seal(changed, "key");
    ASSERT_FALSE(opened.ok()) << i;
    EXPECT_EQ(opened.error().kind, ErrorKind::kSignature);
  }
  EXPECT_FALSE(open_seal(token, "other key").ok());
  EXPECT_FALSE(open_seal(token + ".", "key").ok());
  EXPECT_FALSE(open_seal(token.substr(0, token.size() - 1), "key").ok());
  EXPECT_FALSE(open_seal(token.substr(0, token.find('.')), "key").ok());
  EXPECT_FALSE(open_seal("", "key").ok());
  EXPECT_FALSE(open_seal(".", "key").ok());
}

}  // namespace
}  // namespace backedge
