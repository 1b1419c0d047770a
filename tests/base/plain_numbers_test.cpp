// Numbers of JSON as plain decimals.
#include "base/plain_numbers.h"

#include <gtest/gtest.h>

namespace backedge {
namespace {

TEST(PlainNumbers, HaveNoExponent) {
  EXPECT_EQ(plain_numbers(R"({"a":0E0,"b":[5E-3,-1.25E1,1e2],"c":7,"d":1.5})"),
            R"({"a":0,"b":[0.005,-12.5,100],"c":7,"d":1.5})");
  EXPECT_EQ(plain_numbers("1.234567891E0"), "1.234567891");
  EXPECT_EQ(plain_numbers("1E-9"), "0.000000001");
}

TEST(PlainNumbers, LeaveTextsAndWhatWouldBeTooLongAlone) {
  for (char const* const text : {R"({"1E5":"a\"1E5","b":"\\"})", "1E300", "1E-300", "\"cut 1E5", "\"\\", "", "true"})
    EXPECT_EQ(plain_numbers(text), text);
}

}  // namespace
}  // namespace backedge
