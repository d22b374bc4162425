#include "http/status.h"

#include <initializer_list>
#include <set>

#include <gtest/gtest.h>

namespace laurel::http {
namespace {

TEST(Statuses, EachCodeHasTheStatusOfTheContract) {
  using Code = ErrorCode;
  const auto expect = [](int status, std::initializer_list<Code> codes) {
    for (const Code code : codes) EXPECT_EQ(StatusOf(code), status) << ErrorName(code);
  };
  expect(400, {Code::kErr, Code::kNoSpace});
  expect(401, {Code::kNoAuth});
  expect(403, {Code::kNoPerm});
  expect(404, {Code::kNoBoard, Code::kNoMember});
  expect(409, {Code::kClosed, Code::kExists, Code::kWrongType});
  expect(413, {Code::kLimit});
  expect(422, {Code::kBadScore, Code::kBadTime, Code::kOverflow, Code::kReused});
  expect(503, {Code::kMisconf, Code::kLoading, Code::kUnknown});
  expect(507, {Code::kOom});
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
