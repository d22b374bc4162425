// LB.CHANGES of a server process: clients block, disconnect and are unblocked, and blocked clients
// do not delay its shutdown.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/durable_server.h"
#include "server/process.h"
#include "server/resp_client.h"

namespace laurel::black_box {
namespace {

constexpr int kPatience = 24'000;  // times 5 ms

bool BlockedBecomes(RespClient* client, std::size_t count) {
  const std::string wanted = "blocked_clients:" + std::to_string(count) + "\r\n";
  for (int i = 0; i < kPatience; ++i) {
    if (client->Command({"INFO", "clients"}).text.find(wanted) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

class FeedServer : public ::testing::Test {
 protected:
  FeedServer() { server_.Start(); }

  std::vector<RespClient> Waiting(std::size_t count) {
    std::vector<RespClient> clients;
    for (std::size_t i = 0; i < count; ++i) {
      clients.push_back(server_.Connect());
      clients.back().Send({"LB.CHANGES", "lb", "$", "BLOCK", "0"});
    }
    return clients;
  }

  DurableServer server_;
};

TEST_F(FeedServer, DisconnectedClientsAreNoLongerBlocked) {
  RespClient admin = server_.Connect();
  ASSERT_EQ(admin.Ask({"LB.CREATE", "lb"}), "+OK");
  std::vector<RespClient> clients = Waiting(40);
  ASSERT_TRUE(BlockedBecomes(&admin, 40));
  clients.erase(clients.begin(), clients.begin() + 25);
  ASSERT_TRUE(BlockedBecomes(&admin, 15));
  admin.Ask({"ZADD", "lb", "5", "a"});
  for (RespClient& client : clients) {
    const Value reply = client.ReadReply();
    EXPECT_EQ(reply.Find("events")->elements.size(), 1U) << reply.ToString();
  }
  EXPECT_TRUE(BlockedBecomes(&admin, 0));
}

TEST_F(FeedServer, TimeoutAndUnblockEndAWaitAndRepliesKeepTheirOrder) {
  RespClient admin = server_.Connect();
  ASSERT_EQ(admin.Ask({"LB.CREATE", "lb"}), "+OK");
  RespClient client = server_.Connect();
  const Value timed_out = client.Command({"LB.CHANGES", "lb", "$", "BLOCK", "20"});
  EXPECT_TRUE(timed_out.Find("events")->elements.empty()) << timed_out.ToString();
  const std::string next = timed_out.Find("next")->text;
  const std::string id = client.Command({"CLIENT", "ID"}).text;
  for (const std::string how : {"TIMEOUT", "ERROR"}) {
    client.Send({"LB.CHANGES", "lb", next, "BLOCK", "0"});
    client.Send({"PING"});
    ASSERT_TRUE(BlockedBecomes(&admin, 1));
    EXPECT_EQ(admin.Ask({"CLIENT", "UNBLOCK", id, how}), "1");
    const Value reply = client.ReadReply();
    EXPECT_EQ(reply.IsError(), how == "ERROR") << reply.ToString();
    EXPECT_EQ(client.ReadReply().ToString(), "+PONG");
  }
  EXPECT_EQ(admin.Ask({"CLIENT", "UNBLOCK", id}), "0");
  // Replies keep their order after a write that waits for the disk.
  client.Send({"ZADD", "lb", "1", "a"});
  client.Send({"LB.CHANGES", "lb", next});
  client.Send({"ZADD", "lb", "2", "a"});
  client.Send({"LB.CHANGES", "lb", next, "BLOCK", "0"});
  EXPECT_EQ(client.ReadReply().ToString(), "1");
  EXPECT_LE(client.ReadReply().Find("events")->elements.size(), 2U);
  EXPECT_EQ(client.ReadReply().ToString(), "0");
  EXPECT_GE(client.ReadReply().Find("events")->elements.size(), 1U);
}

// Followers that catch up while others write, with a wait that is often over before their turn has
// come. They miss and repeat no event.
TEST_F(FeedServer, FollowersWhoseWaitEndsGoOnWhereTheyWere) {
  constexpr int kFollowers = 30;
  constexpr int kEvents = 500;
  RespClient admin = server_.Connect();
  ASSERT_EQ(admin.Ask({"LB.CREATE", "lb"}), "+OK");
  std::thread writer([this] {
    RespClient client = server_.Connect();
    for (int i = 1; i <= kEvents; ++i) client.Ask({"LB.SUBMIT", "lb", "m", std::to_string(i)});
  });
  std::vector<std::thread> followers;
  for (int k = 0; k < kFollowers; ++k) {
    followers.emplace_back([this] {
      RespClient client = server_.Connect();
      std::string cursor = "0";
      int seen = 0;
      while (seen < kEvents) {
        const Value page = client.Command({"LB.CHANGES", "lb", cursor, "BLOCK", "20"});
        ASSERT_FALSE(page.IsError()) << page.ToString();
        ASSERT_EQ(page.Find("gap"), nullptr) << page.ToString();
        for (const Value& event : page.Find("events")->elements) {
          if (event.Find("cause")->text != "put") continue;
          ASSERT_EQ(event.Find("score")->elements[0].text, std::to_string(++seen));
        }
        cursor = page.Find("next")->text;
      }
    });
  }
  for (std::thread& follower : followers) follower.join();
  writer.join();
}

TEST_F(FeedServer, ChangesAreRefusedInATransaction) {
  RespClient client = server_.Connect();
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  ASSERT_EQ(client.Ask({"MULTI"}), "+OK");
  EXPECT_TRUE(client.Command({"LB.CHANGES", "lb", "0"}).IsError());
  EXPECT_TRUE(client.Command({"EXEC"}).IsError());
}

TEST_F(FeedServer, ShutdownDoesNotWaitForBlockedClients) {
  RespClient admin = server_.Connect();
  ASSERT_EQ(admin.Ask({"LB.CREATE", "lb"}), "+OK");
  const std::vector<RespClient> clients = Waiting(30);
  ASSERT_TRUE(BlockedBecomes(&admin, 30));
  admin.Send({"SHUTDOWN"});
  EXPECT_EQ(server_.AwaitEnd(), 0);
}

TEST_F(FeedServer, SigtermDoesNotWaitForBlockedClients) {
  RespClient admin = server_.Connect();
  ASSERT_EQ(admin.Ask({"LB.CREATE", "lb"}), "+OK");
  const std::vector<RespClient> clients = Waiting(30);
  ASSERT_TRUE(BlockedBecomes(&admin, 30));
  EXPECT_EQ(server_.Stop(), 0);
}

TEST_F(FeedServer, CursorIsValidAfterKillAndRestart) {
  std::string next;
  {
    RespClient client = server_.Connect();
    ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
    next = client.Command({"LB.CHANGES", "lb", "$"}).Find("next")->text;
    ASSERT_EQ(client.Ask({"ZADD", "lb", "5", "a"}), "1");
  }
  server_.Kill();
  server_.Start();
  RespClient client = server_.Connect();
  const Value page = client.Command({"LB.CHANGES", "lb", next});
  ASSERT_EQ(page.Find("events")->elements.size(), 1U) << page.ToString();
  EXPECT_EQ(page.Find("events")->elements[0].Find("member")->text, "a");
  EXPECT_EQ(page.Find("gap"), nullptr);
}

}  // namespace
}  // namespace laurel::black_box
