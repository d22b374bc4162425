#include "http/status.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::http {
namespace {

TEST(Statuses, EachCodeHasTheStatusOfTheContract) {
  for (const std::string_view code : {"NOBOARD", "NOMEMBER"})
    EXPECT_EQ(StatusOf(code), 404) << code;
  for (const std::string_view code : {"BADSCORE", "BADTIME", "OVERFLOW", "REUSED"}) {
    EXPECT_EQ(StatusOf(code), 422) << code;
  }
  for (const std::string_view code : {"CLOSED", "EXISTS", "WRONGTYPE"}) {
    EXPECT_EQ(StatusOf(code), 409) << code;
  }
  EXPECT_EQ(StatusOf("LIMIT"), 413);
  EXPECT_EQ(StatusOf("NOAUTH"), 401);
  EXPECT_EQ(StatusOf("NOPERM"), 403);
  EXPECT_EQ(StatusOf("OOM"), 507);
  for (const std::string_view code : {"MISCONF", "LOADING", "UNKNOWN"}) {
    EXPECT_EQ(StatusOf(code), 503) << code;
  }
  EXPECT_EQ(StatusOf("ERR"), 400);
  EXPECT_EQ(StatusOf("EXECABORT"), 400);
}

TEST(Statuses, EveryCodeButNoSpaceIsListedOnceWithAReason) {
  std::set<ErrorCode> listed;
  int last = 0;
  for (const CodeStatus& known : ErrorStatuses()) {
    EXPECT_TRUE(listed.insert(known.code).second) << ErrorName(known.code);
    EXPECT_GE(known.status, last);
    EXPECT_NE(ReasonOf(known.status), "Status") << known.status;
    last = known.status;
  }
  for (int code = 0; code <= static_cast<int>(ErrorCode::kUnknown); ++code) {
    const auto each = static_cast<ErrorCode>(code);
    EXPECT_EQ(listed.contains(each), each != ErrorCode::kNoSpace) << ErrorName(each);
  }
}

}  // namespace
}  // namespace laurel::http
