// Replays a redis-cli session from an article: a leaderboard of four users. On a sorted set every
// reply is literally the same; on a leaderboard user2, which reached 95 first, ranks ahead of
// user3.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/process.h"
#include "server/resp_client.h"

namespace laurel::black_box {
namespace {

struct Line {
  Arguments command;
  std::string reply;  // as Value::ToString shows it
};

using Transcript = std::vector<Line>;

// The four ZADDs.
Transcript FourScores() {
  return {
      {{"zadd", "lb", "89", "user1"}, "1"},
      {{"zadd", "lb", "95", "user2"}, "1"},
      {{"zadd", "lb", "95", "user3"}, "1"},
      {{"zadd", "lb", "90", "user4"}, "1"},
  };
}

// The commands after the ZADDs, until the board is deleted. `first` and `second` are the two users
// with 95, in the order in which they rank.
Transcript ReadsAndUpdates(const std::string& first, const std::string& second) {
  const std::string a = "\"" + first + "\", \"95\"";
  const std::string b = "\"" + second + "\", \"95\"";
  return {
      {{"zscore", "lb", "user2"}, "\"95\""},
      {{"zrevrange", "lb", "0", "-1", "withscores"},
       "[" + a + ", " + b + R"(, "user4", "90", "user1", "89"])"},
      {{"zrevrange", "lb", "0", "2", "withscores"}, "[" + a + ", " + b + R"(, "user4", "90"])"},
      {{"zrevrank", "lb", first}, "0"},
      {{"zrevrank", "lb", second}, "1"},
      {{"zrevrank", "lb", "user1"}, "3"},
      {{"zincrby", "lb", "6", "user4"}, "\"96\""},
      {{"zrevrange", "lb", "0", "-1", "withscores"},
       R"(["user4", "96", )" + a + ", " + b + R"(, "user1", "89"])"},
      {{"zrem", "lb", "user4"}, "1"},
      {{"zrevrange", "lb", "0", "-1", "withscores"}, "[" + a + ", " + b + R"(, "user1", "89"])"},
  };
}

Transcript Deletion() {
  return {
      {{"del", "lb"}, "1"},
      {{"get", "lb"}, "nil"},
  };
}

void Replay(RespClient* client, const Transcript& transcript) {
  for (const Line& line : transcript) {
    EXPECT_EQ(client->Ask(line.command), line.reply) << Quoted(line.command);
  }
}

void ReplayWhole(RespClient* client, const std::string& first, const std::string& second) {
  Replay(client, FourScores());
  Replay(client, ReadsAndUpdates(first, second));
  Replay(client, Deletion());
}

// A renamed board keeps its entries and their order, and the old name stays declared as a
// leaderboard.
void ReplayAroundRename(RespClient* client) {
  Replay(client, FourScores());
  EXPECT_EQ(client->Ask({"rename", "lb", "old"}), "+OK");
  EXPECT_EQ(client->Ask({"exists", "lb"}), "0");
  const std::string order = R"(["user2", "95", "user3", "95", "user4", "90", "user1", "89"])";
  EXPECT_EQ(client->Ask({"zrevrange", "old", "0", "-1", "withscores"}), order);
  ReplayWhole(client, "user2", "user3");
  EXPECT_EQ(client->Ask({"zrevrange", "old", "0", "-1", "withscores"}), order);
  // The renamed board is a leaderboard too: a new entry ranks after the entries with an equal
  // score.
  EXPECT_EQ(client->Ask({"zadd", "old", "95", "aaa"}), "1");
  EXPECT_EQ(client->Ask({"zrevrank", "old", "aaa"}), "2");
}

TEST(Transcript, ReplaysLiterallyOnASortedSet) {
  const ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  ReplayWhole(&client, "user3", "user2");
  ReplayWhole(&client, "user3", "user2");
}

TEST(Transcript, ReplaysLiterallyOnRedis) {
  const ServerProcess server = ServerProcess::Redis();
  RespClient client(server.port());
  ReplayWhole(&client, "user3", "user2");
}

TEST(Transcript, User2RanksAheadOnALeaderboard) {
  const ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  EXPECT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  ReplayWhole(&client, "user2", "user3");
}

TEST(Transcript, User2RanksAheadOnALeaderboardAfterDel) {
  const ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  EXPECT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  for (int day = 0; day < 3; ++day) ReplayWhole(&client, "user2", "user3");
}

TEST(Transcript, User2RanksAheadOnALeaderboardAfterRename) {
  const ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  EXPECT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  ReplayAroundRename(&client);
}

TEST(Transcript, ATemplateReplacesLbCreate) {
  const ServerProcess server = ServerProcess::Laurel({"--template", "lb*"});
  RespClient client(server.port());
  for (int day = 0; day < 3; ++day) ReplayWhole(&client, "user2", "user3");
}

TEST(Transcript, ATemplateReplacesLbCreateAfterRename) {
  const ServerProcess server = ServerProcess::Laurel({"--template", "lb*"});
  RespClient client(server.port());
  ReplayAroundRename(&client);
}

TEST(Transcript, ATemplateLeavesOtherNamesAlone) {
  const ServerProcess server = ServerProcess::Laurel({"--template", "other*"});
  RespClient client(server.port());
  ReplayWhole(&client, "user3", "user2");
}

}  // namespace
}  // namespace laurel::black_box
