// What the other tests of this folder stand on: the client reads every reply, and servers start,
// stop and leave nothing behind.
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>

#include "server/process.h"
#include "server/resp_client.h"

namespace laurel::black_box {
namespace {

std::string Parsed(std::string_view bytes) {
  std::size_t consumed = 0;
  const std::optional<Value> value = ParseReply(bytes, &consumed);
  if (!value) return "incomplete";
  EXPECT_EQ(consumed, bytes.size());
  EXPECT_EQ(ReplyScanner().Scan(bytes), bytes.size());
  return value->ToString();
}

TEST(RespClient, ReadsEveryTypeOfBothProtocols) {
  EXPECT_EQ(Parsed("+OK\r\n"), "+OK");
  EXPECT_EQ(Parsed("-ERR no\r\n"), "-ERR no");
  EXPECT_EQ(Parsed(":-7\r\n"), "-7");
  EXPECT_EQ(Parsed("$4\r\na\r\nb\r\n"), "\"a\\r\\nb\"");
  EXPECT_EQ(Parsed("$0\r\n\r\n"), "\"\"");
  EXPECT_EQ(Parsed("$-1\r\n"), "nil");
  EXPECT_EQ(Parsed("*-1\r\n"), "nil-array");
  EXPECT_EQ(Parsed("*2\r\n*0\r\n:1\r\n"), "[[], 1]");
  EXPECT_EQ(Parsed("_\r\n"), "nil");
  EXPECT_EQ(Parsed(",1.5\r\n"), ",1.5");
  EXPECT_EQ(Parsed("#t\r\n"), "#t");
  EXPECT_EQ(Parsed("(123\r\n"), "(123");
  EXPECT_EQ(Parsed("!3\r\nERR\r\n"), "!\"ERR\"");
  EXPECT_EQ(Parsed("=6\r\ntxt:ab\r\n"), "=\"txt:ab\"");
  EXPECT_EQ(Parsed("%1\r\n+k\r\n~1\r\n:1\r\n"), "{+k: ~[1]}");
  EXPECT_EQ(Parsed(">1\r\n+x\r\n"), ">[+x]");
  EXPECT_EQ(Parsed("|1\r\n+a\r\n:1\r\n:2\r\n"), "2");
}

TEST(RespClient, AReplyIsWholeOrNotThere) {
  const std::string whole = "*3\r\n$2\r\nab\r\n%1\r\n+k\r\n,1\r\n_\r\n";
  ReplyScanner scanner;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(Parsed(whole.substr(0, length)), "incomplete") << length;
    EXPECT_EQ(scanner.Scan(whole.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(scanner.Scan(whole), whole.size());
  EXPECT_EQ(scanner.Scan(whole + whole), whole.size());
  EXPECT_EQ(Parsed(whole), "[\"ab\", {+k: ,1}, nil]");
  EXPECT_THROW(Parsed("what\r\n"), std::runtime_error);
  EXPECT_THROW(Parsed("$2\r\nabc\r\n"), std::runtime_error);
}

TEST(RespClient, FindsNamesInMapsAndInFlatArrays) {
  for (const std::string bytes :
       {"%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n:2\r\n", "*4\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n:2\r\n"}) {
    std::size_t consumed = 0;
    const std::optional<Value> value = ParseReply(bytes, &consumed);
    ASSERT_TRUE(value && value->Find("b"));
    EXPECT_EQ(value->Find("b")->Integer(), 2);
    EXPECT_EQ(value->Find("c"), nullptr);
  }
}

TEST(RespClient, AReplyThatDoesNotComeThrows) {
  ServerProcess redis = ServerProcess::Redis();
  RespClient client(redis.port(), 50);
  client.SendRaw("*1\r\n$4\r\nPI");
  EXPECT_THROW(client.ReadReply(), std::runtime_error);
  redis.Kill();
  EXPECT_THROW(client.ReadReply(), std::runtime_error);
}

void ExpectStartsServesAndStops(ServerProcess server) {
  RespClient client(server.port());
  EXPECT_EQ(client.Ask({"PING"}), "+PONG");
  client.Send({"ZADD", "k", "1.5", std::string("a\0\r\n", 4)});
  EXPECT_EQ(client.ReadRawReply(), ":1\r\n");
  EXPECT_EQ(client.Ask({"ZRANGE", "k", "0", "-1", "WITHSCORES"}), R"(["a\x00\r\n", "1.5"])");
  EXPECT_GT(server.ResidentBytes(), 1'000'000U);
  const std::filesystem::path directory = server.directory();
  EXPECT_TRUE(server.Running());
  EXPECT_EQ(server.Stop(), 0) << server.Output();
  EXPECT_FALSE(server.Running());
  EXPECT_TRUE(client.ReadEnd());
  EXPECT_THROW(RespClient(server.port()), std::runtime_error);
  { const ServerProcess gone = std::move(server); }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST(ServerProcess, RedisStartsServesAndStops) {
  ExpectStartsServesAndStops(ServerProcess::Redis());
}

TEST(ServerProcess, LaurelStartsServesAndStops) {
  ExpectStartsServesAndStops(ServerProcess::Laurel());
}

TEST(ServerProcess, TheDestructorEndsTheServer) {
  pid_t pid = 0;
  {
    const ServerProcess redis = ServerProcess::Redis();
    pid = redis.pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(ServerProcess, AServerThatDoesNotStartSaysWhy) {
  try {
    ServerProcess::Redis({"--no-such-option", "1"});
    FAIL() << "started";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-option"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace laurel::black_box
