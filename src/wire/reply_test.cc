#include "wire/reply.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::wire {
namespace {

using namespace std::string_view_literals;

using Write = std::function<void(Reply*)>;

std::string Written(Protocol protocol, const Write& write) {
  std::string out = "before ";
  Reply reply(&out, protocol);
  write(&reply);
  EXPECT_EQ(reply.size(), out.size());
  EXPECT_TRUE(out.starts_with("before ")) << "a reply is appended";
  return out.substr(7);
}

void ExpectBoth(const Write& write, std::string_view resp2, std::string_view resp3) {
  EXPECT_EQ(Written(Protocol::kResp2, write), resp2);
  EXPECT_EQ(Written(Protocol::kResp3, write), resp3);
}

void ExpectSame(const Write& write, std::string_view bytes) { ExpectBoth(write, bytes, bytes); }

TEST(Reply, LinesAreTheSameInBothProtocols) {
  ExpectSame([](Reply* reply) { reply->Ok(); }, "+OK\r\n");
  ExpectSame([](Reply* reply) { reply->Simple("PONG"); }, "+PONG\r\n");
  ExpectSame([](Reply* reply) { reply->Simple(""); }, "+\r\n");
  ExpectSame([](Reply* reply) { reply->Error("ERR no"); }, "-ERR no\r\n");
  ExpectSame([](Reply* reply) { reply->Raw(":1\r\n"); }, ":1\r\n");
}

TEST(Reply, ErrorReplacesLineBreaksByBlanks) {
  ExpectSame([](Reply* reply) { reply->Error("ERR 'a\r\n+OK\r\n' \n\r"); },
             "-ERR 'a  +OK  '   \r\n");
  ExpectSame([](Reply* reply) { reply->Error("ERR \0\xff"sv); }, "-ERR \0\xff\r\n"sv);
}

TEST(Reply, AnErrorHasACodeAndAMessage) {
  ExpectSame(
      [](Reply* reply) {
        reply->Error({ErrorCode::kNoBoard, "no board 'x\n'"});
      },
      "-NOBOARD no board 'x '\r\n");
  std::string out = "-ERR of another\r\n";
  Reply reply(&out, Protocol::kResp2);
  EXPECT_EQ(reply.error_code(), "");
  reply.Error({ErrorCode::kLimit, "too much"});
  EXPECT_EQ(reply.error_code(), "LIMIT");
  reply.Cut(reply.size() - std::string_view("-LIMIT too much\r\n").size());
  EXPECT_EQ(reply.error_code(), "");
  reply.Error("EXECABORT Transaction discarded");
  EXPECT_EQ(reply.error_code(), "EXECABORT");
}

TEST(Reply, TheOutcomeIsTheCodeOfTheError) {
  std::string out;
  std::string outcome = "not executed";
  Reply reply(&out, Protocol::kResp2, nullptr, &outcome);
  EXPECT_EQ(outcome, "");
  reply.Error({ErrorCode::kLimit, "too much"});
  EXPECT_EQ(outcome, "LIMIT");
  reply.Cut(0);
  EXPECT_EQ(outcome, "");
  reply.Integer(1);
  reply.Error("ERR the second element");
  EXPECT_EQ(outcome, "");
}

TEST(Reply, AnErrorAmongElementsIsNoError) {
  std::string out;
  Reply reply(&out, Protocol::kResp2);
  reply.Array(1);
  reply.Error({ErrorCode::kErr, "x"});
  EXPECT_EQ(reply.error_code(), "");
}

TEST(Reply, ErrorDoesNotChangeEarlierReplies) {
  std::string out = "$2\r\n\r\n\r\n";
  Reply(&out, Protocol::kResp2).Error("ERR a\nb");
  EXPECT_EQ(out, "$2\r\n\r\n\r\n-ERR a b\r\n");
}

TEST(Reply, IntegersOfTheFullRange) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  ExpectSame([](Reply* reply) { reply->Integer(0); }, ":0\r\n");
  ExpectSame([](Reply* reply) { reply->Integer(-1); }, ":-1\r\n");
  ExpectSame([](Reply* reply) { reply->Integer(kMost); }, ":9223372036854775807\r\n");
  ExpectSame([](Reply* reply) { reply->Integer(kLeast); }, ":-9223372036854775808\r\n");
}

TEST(Reply, BulkStringsCarryAnyBytes) {
  ExpectSame([](Reply* reply) { reply->Bulk(""); }, "$0\r\n\r\n");
  ExpectSame([](Reply* reply) { reply->Bulk("a\r\nb\0c"sv); }, "$6\r\na\r\nb\0c\r\n"sv);
}

TEST(Reply, BulkStringsOfAnySize) {
  std::string bytes;
  for (std::size_t size = 0; size <= 1100; ++size) {
    const std::string expected = "$" + std::to_string(size) + "\r\n" + bytes + "\r\n";
    ASSERT_EQ(Written(Protocol::kResp2, [&bytes](Reply* reply) { reply->Bulk(bytes); }), expected);
    bytes += static_cast<char>('a' + size % 26);
  }
}

TEST(Reply, ADoubleIsAStringInResp2) {
  ExpectBoth([](Reply* reply) { reply->Double("1.5"); }, "$3\r\n1.5\r\n", ",1.5\r\n");
  ExpectBoth([](Reply* reply) { reply->Double("inf"); }, "$3\r\ninf\r\n", ",inf\r\n");
  ExpectBoth([](Reply* reply) { reply->Double("9223372036854775807"); },
             "$19\r\n9223372036854775807\r\n", ",9223372036854775807\r\n");
}

TEST(Reply, ABoolIsAnIntegerInResp2) {
  ExpectBoth([](Reply* reply) { reply->Bool(true); }, ":1\r\n", "#t\r\n");
  ExpectBoth([](Reply* reply) { reply->Bool(false); }, ":0\r\n", "#f\r\n");
}

TEST(Reply, NullHasTwoFormsInResp2) {
  ExpectBoth([](Reply* reply) { reply->Null(); }, "$-1\r\n", "_\r\n");
  ExpectBoth([](Reply* reply) { reply->NullArray(); }, "*-1\r\n", "_\r\n");
}

TEST(Reply, AggregatesAreArraysInResp2) {
  ExpectSame([](Reply* reply) { reply->Array(0); }, "*0\r\n");
  ExpectSame([](Reply* reply) { reply->Array(1234567); }, "*1234567\r\n");
  ExpectBoth([](Reply* reply) { reply->Map(3); }, "*6\r\n", "%3\r\n");
  ExpectBoth([](Reply* reply) { reply->Set(3); }, "*3\r\n", "~3\r\n");
}

TEST(Reply, VerbatimIsABulkStringInResp2) {
  ExpectBoth([](Reply* reply) { reply->Verbatim("a\r\nb"); }, "$4\r\na\r\nb\r\n",
             "=8\r\ntxt:a\r\nb\r\n");
  ExpectBoth([](Reply* reply) { reply->Verbatim(""); }, "$0\r\n\r\n", "=4\r\ntxt:\r\n");
}

}  // namespace
}  // namespace laurel::wire
