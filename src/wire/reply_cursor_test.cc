#include "wire/reply_cursor.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "wire/reply.h"

namespace laurel::wire {
namespace {

// Writes one reply of every kind. Returns where each one ends.
std::vector<std::size_t> WriteReplies(Reply reply) {
  std::vector<std::size_t> ends;
  const auto end = [&] { ends.push_back(reply.size()); };
  reply.Ok(), end();
  reply.Error("ERR a text"), end();
  reply.Integer(-12), end();
  reply.Bulk("two\r\nlines"), end();
  reply.Bulk(""), end();
  reply.Double("1.5"), end();
  reply.Bool(true), end();
  reply.Null(), end();
  reply.NullArray(), end();
  reply.Array(0), end();
  reply.Verbatim("text"), end();
  reply.Array(2);
  reply.Array(1);
  reply.Map(2);
  reply.Bulk("a"), reply.Null(), reply.Bulk("b"), reply.Array(1), reply.Integer(1);
  reply.Set(2);
  reply.Bulk("*9\r\n"), reply.Error("ERR inside"), end();
  reply.Simple("last"), end();
  return ends;
}

TEST(ReplyCursor, FindsTheEndOfEveryKindOfReply) {
  for (const Protocol protocol : {Protocol::kResp2, Protocol::kResp3}) {
    std::string replies;
    const std::vector<std::size_t> ends = WriteReplies(Reply(&replies, protocol));
    ReplyCursor cursor(replies);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      ASSERT_FALSE(cursor.done());
      EXPECT_EQ(cursor.Next(), std::string_view(replies).substr(begin, end - begin));
      begin = end;
    }
    EXPECT_TRUE(cursor.done());
  }
}

TEST(ReplyCursor, EntersArrays) {
  ReplyCursor cursor("*2\r\n*1\r\n:1\r\n-ERR x\r\n+after\r\n");
  EXPECT_EQ(cursor.EnterArray(), 2U);
  EXPECT_EQ(cursor.Next(), "*1\r\n:1\r\n");
  EXPECT_EQ(cursor.Next(), "-ERR x\r\n");
  EXPECT_EQ(cursor.Next(), "+after\r\n");
  EXPECT_EQ(ReplyCursor("*-1\r\n").EnterArray(), 0U);
  EXPECT_EQ(ReplyCursor("_\r\n").EnterArray(), 0U);
}

TEST(ReplyCursor, NamesTheCodeOfAnError) {
  EXPECT_TRUE(IsErrorReply("-NOBOARD no board\r\n"));
  EXPECT_FALSE(IsErrorReply("+OK\r\n"));
  EXPECT_EQ(CodeOfError("-NOBOARD no board\r\n"), "NOBOARD");
  EXPECT_EQ(CodeOfError("-ERR\r\n"), "ERR");
}

}  // namespace
}  // namespace laurel::wire
