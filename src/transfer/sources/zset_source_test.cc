#include "transfer/sources/zset_source.h"

#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/fake_server.h"

namespace laurel::transfer {
namespace {

using testing::FakeServer;

// The error that ends the scan of a set of two entries whose pages are all `page`.
std::string ScanError(const std::string& page) {
  FakeServer server([&](int request) { return request == 0 ? std::string(":2\r\n") : page; });
  Rejects rejects;
  Result<client::PatientConnection> client = client::PatientConnection::Open(server.Options());
  std::string error;
  {
    ZsetSourceOptions options{
        "lb", Codec::Make("plain", {}).value(), MemberEncoding::kRaw, false, std::nullopt, false};
    const auto reader = ZsetReader::Open(&*client, std::move(options), &rejects);
    Row row;
    for (Result<bool> more = true; more.ok() && *more;) {
      more = (*reader)->Next(&row);
      if (!more.ok()) error = more.error().message;
    }
  }
  client = Error{ErrorCode::kErr, ""};
  return error;
}

TEST(ZsetReader, PageOfOddLengthIsAnError) {
  const std::string error = ScanError("*2\r\n$1\r\n0\r\n*3\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n");
  EXPECT_TRUE(error.ends_with(": ZSCAN answers a member without a score")) << error;
}

TEST(ZsetReader, CursorThatNeverEndsIsAnError) {
  const std::string error = ScanError("*2\r\n$1\r\n7\r\n*2\r\n$1\r\na\r\n$1\r\n1\r\n");
  EXPECT_TRUE(error.ends_with(": the scan does not end: its cursor never becomes 0")) << error;
}

}  // namespace
}  // namespace laurel::transfer
