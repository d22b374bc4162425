#include "laurel/result.h"

#include <string>

#include <gtest/gtest.h>

namespace laurel {
namespace {

TEST(ErrorCodeTest, EveryCodeHasItsName) {
  std::string names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kUnknown); ++code) {
    names += std::string(ErrorName(static_cast<ErrorCode>(code))) + " ";
  }
  EXPECT_EQ(names,
            "ERR NOBOARD NOMEMBER EXISTS WRONGTYPE BADSCORE BADTIME OVERFLOW LIMIT CLOSED REUSED "
            "LOADING NOAUTH NOPERM OOM MISCONF MISCONF UNKNOWN ");
}

TEST(ErrorCodeTest, ErrorTextBeginsWithTheCode) {
  EXPECT_EQ((Error{ErrorCode::kUnknown, "the disk failed"}.ToString()), "UNKNOWN the disk failed");
}

}  // namespace
}  // namespace laurel
