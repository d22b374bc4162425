#include "server/http/response.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

std::string Head(const ResponseHead& head) {
  std::string text;
  AppendHead(head, &text);
  return text;
}

bool Has(std::string_view text, std::string_view line) {
  return text.find("\r\n" + std::string(line) + "\r\n") != std::string_view::npos;
}

TEST(ResponseHead, HasStatusDateTypeAndLength) {
  const std::string head = Head({.body_bytes = 12, .request_id = "r1", .version = "v-1"});
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_TRUE(Has(head, "Content-Type: application/json"));
  EXPECT_TRUE(Has(head, "Content-Length: 12"));
  EXPECT_TRUE(Has(head, "X-Request-Id: r1"));
  EXPECT_TRUE(Has(head, "ETag: \"v-1\""));
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
  EXPECT_EQ(head.find("Connection"), std::string::npos);
}

TEST(ResponseHead, OfNotModifiedAndOfAStreamHasNoLength) {
  const std::string unmodified = Head({.status = 304, .content_type = {}, .version = "v"});
  EXPECT_TRUE(unmodified.starts_with("HTTP/1.1 304 Not Modified\r\n"));
  EXPECT_EQ(unmodified.find("Content-"), std::string::npos);
  const std::string stream =
      Head({.content_type = kEventStreamType, .body_bytes = ResponseHead::kStream, .closes = true});
  EXPECT_EQ(stream.find("Content-Length"), std::string::npos);
  EXPECT_TRUE(Has(stream, "Connection: close"));
}

TEST(ResponseHead, OfAnEmptyBodyHasItsLength) {
  EXPECT_TRUE(Has(Head({.body_bytes = 0}), "Content-Length: 0"));
}

TEST(ResponseHead, NamesAllThatTheBodyVariesByInOneLine) {
  EXPECT_EQ(Head({}).find("Vary"), std::string::npos);
  EXPECT_TRUE(Has(Head({.varies_by_origin = true}), "Vary: Origin"));
  EXPECT_TRUE(Has(Head({.varies_by_coding = true}), "Vary: Accept-Encoding"));
  EXPECT_TRUE(Has(Head({.varies_by_origin = true, .varies_by_coding = true}),
                  "Vary: Accept-Encoding, Origin"));
}

TEST(ResponseHead, IsNotCachedUnlessItSaysSo) {
  EXPECT_TRUE(Has(Head({}), "Cache-Control: no-cache"));
  EXPECT_TRUE(Has(Head({.cache_control = "max-age=1"}), "Cache-Control: max-age=1"));
}

TEST(Statuses, OfEveryErrorCode) {
  const std::pair<ErrorCode, int> statuses[] = {
      {ErrorCode::kErr, 400},     {ErrorCode::kNoBoard, 404},   {ErrorCode::kNoMember, 404},
      {ErrorCode::kExists, 409},  {ErrorCode::kWrongType, 409}, {ErrorCode::kBadScore, 422},
      {ErrorCode::kBadTime, 422}, {ErrorCode::kOverflow, 422},  {ErrorCode::kLimit, 413},
      {ErrorCode::kClosed, 409},  {ErrorCode::kReused, 422},    {ErrorCode::kLoading, 503},
      {ErrorCode::kNoAuth, 401},  {ErrorCode::kNoPerm, 403},    {ErrorCode::kOom, 507},
      {ErrorCode::kMisconf, 503}, {ErrorCode::kUnknown, 503}};
  for (const auto& [code, status] : statuses) {
    EXPECT_EQ(StatusOf(code), status) << ErrorName(code);
  }
}

TEST(Problems, HaveCodeDetailFieldAndRequestId) {
  std::string body;
  AppendProblem({.status = 422,
                 .code = "BADSCORE",
                 .detail = "'x' is not a number",
                 .field = "score",
                 .request_id = "r1"},
                &body);
  EXPECT_EQ(body, R"({"title":"Unprocessable Content","status":422,"code":"BADSCORE",)"
                  R"("detail":"'x' is not a number","field":"score","request_id":"r1"})");
}

TEST(Problems, AreJsonWhateverBytesAClientSent) {
  std::string body;
  AppendProblem({.detail = "bad \xff\xfe byte \"\n"}, &body);
  EXPECT_EQ(body, R"({"title":"Bad Request","status":400,"code":"ERR",)"
                  R"("detail":"bad ?? byte \"\n"})");
}

}  // namespace
}  // namespace laurel::server
