// Clients on several threads use the same boards of a server with several threads. Each client
// counts what it does; at the end the boards must agree with the counts.
//
// LAUREL_TEST_COMMANDS / 13 is the number of steps of each thread. LAUREL_TEST_SEED seeds the
// random steps; how the threads interleave is up to the system.
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/seed.h"

namespace laurel::black_box {
namespace {

constexpr int kPatienceMs = 120'000;
constexpr int kMembers = 20;
constexpr int kMovable = 500;

// A thread takes one step where differential_test sends this number of commands.
constexpr std::uint64_t kCommandsPerStep = 13;

int Steps() { return static_cast<int>(TestCommands() / kCommandsPerStep); }

std::string Member(std::uint64_t number) { return "m" + std::to_string(number); }

// One thread of the test: a client with its own random numbers.
class Actor {
 public:
  Actor(int port, std::uint64_t seed) : port_(port), random_(seed), client_(port, kPatienceMs) {}
  virtual ~Actor() = default;
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  // Called Steps() times.
  virtual void Step() = 0;
  // Called after the last step.
  virtual void Finish() {}

 protected:
  std::uint64_t Draw(std::uint64_t below) { return random_.Below(below); }
  void Reconnect() { client_ = RespClient(port_, kPatienceMs); }
  RespClient& client() { return client_; }
  // Sends a command and returns its reply. Throws on an error reply.
  Value Do(const Arguments& command) {
    Value reply = client_.Command(command);
    if (reply.IsError()) throw std::runtime_error(Quoted(command) + ": " + reply.text);
    return reply;
  }

 private:
  int port_;
  base::Random random_;
  RespClient client_;
};

// Adds to shared members in pipelines, and sometimes reconnects.
class Adder : public Actor {
 public:
  Adder(int port, std::uint64_t seed, std::map<std::string, std::int64_t>* totals)
      : Actor(port, seed), totals_(*totals) {}

  void Step() override {
    const std::uint64_t kind = Draw(10);
    if (kind == 0) return Reconnect();
    if (kind == 1) return Transaction();
    if (kind == 2) return Read();
    const std::uint64_t count = 1 + Draw(20);
    std::string pipeline;
    for (std::uint64_t i = 0; i < count; ++i) pipeline += Addition();
    client().SendRaw(pipeline);
    for (std::uint64_t i = 0; i < count; ++i) Check(client().ReadReply());
  }

 private:
  std::string Addition() {
    const std::string member = Member(Draw(kMembers));
    const auto change = static_cast<std::int64_t>(Draw(2001)) - 1000;
    const bool exact = Draw(2) == 0;
    const std::string board = exact ? "lb:sum" : "z:sum";
    totals_[board + " " + member] += change;
    if (!exact) return Encoded({"ZINCRBY", board, std::to_string(change), member});
    if (Draw(2) == 0) return Encoded({"ZINCRBY", board, std::to_string(change), member});
    return Encoded({"LB.INCR", board, member, std::to_string(change)});
  }
  static void Check(const Value& reply) {
    if (reply.IsError()) throw std::runtime_error(reply.text);
  }
  void Transaction() {
    client().SendRaw(Encoded({"MULTI"}) + Addition() + Addition() + Encoded({"EXEC"}));
    for (int i = 0; i < 3; ++i) Check(client().ReadReply());
    const Value replies = client().ReadReply();
    ASSERT_EQ(replies.elements.size(), 2U);
    for (const Value& reply : replies.elements) Check(reply);
  }
  void Read() {
    Do({"ZREVRANGE", "z:sum", "0", "5", "WITHSCORES"});
    const Value top = Do({"LB.TOP", "lb:sum", "5"});
    ASSERT_LE(top.elements.size(), 5U);
    Do({"ZREVRANK", "lb:sum", Member(Draw(kMembers))});
  }

  std::map<std::string, std::int64_t>& totals_;
};

// Moves the first entry of one board to the other, if no other client has changed the first board
// meanwhile.
class Mover : public Actor {
 public:
  Mover(int port, std::uint64_t seed, std::atomic<int>* moved)
      : Actor(port, seed), moved_(*moved) {}

  void Step() override {
    const bool rightwards = Draw(2) == 0;
    const std::string from = rightwards ? "left" : "right";
    const std::string to = rightwards ? "right" : "left";
    Do({"WATCH", from});
    const Value first = Do({"ZRANGE", from, "0", "0", "WITHSCORES"});
    if (first.elements.empty()) {
      Do({"UNWATCH"});
      return;
    }
    const std::string member = first.elements[0].text;
    const std::string score = first.elements[1].text;
    client().SendRaw(Encoded({"MULTI"}) + Encoded({"ZPOPMIN", from}) +
                     Encoded({"ZADD", to, score, member}) + Encoded({"ZCARD", "left"}) +
                     Encoded({"ZCARD", "right"}) + Encoded({"EXEC"}));
    for (int i = 0; i < 5; ++i) ASSERT_FALSE(client().ReadReply().IsError());
    const Value done = client().ReadReply();
    if (done.IsNull()) return;
    ASSERT_EQ(done.elements.size(), 4U);
    EXPECT_EQ(done.elements[0].ToString(), first.ToString()) << "the watch was not broken";
    EXPECT_EQ(done.elements[1].ToString(), "1");
    EXPECT_EQ(done.elements[2].Integer() + done.elements[3].Integer(), kMovable);
    ++moved_;
  }

 private:
  std::atomic<int>& moved_;
};

// Queues of unique items: each item that is pushed must be popped exactly once.
struct Queues {
  std::atomic<int> pushed{0};
  std::atomic<int> producing{0};
  std::mutex mutex;
  std::multiset<std::string> popped;  // guarded by mutex
};

class Producer : public Actor {
 public:
  Producer(int port, std::uint64_t seed, Queues* queues) : Actor(port, seed), queues_(*queues) {
    ++queues_.producing;
  }
  void Step() override {
    Arguments add = {"ZADD", "q:" + std::to_string(Draw(3))};
    const std::uint64_t count = 1 + Draw(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      add.push_back(std::to_string(Draw(100)));
      add.push_back("item:" + std::to_string(queues_.pushed++));
    }
    EXPECT_EQ(Do(add).ToString(), std::to_string(count));
  }
  void Finish() override { --queues_.producing; }

 private:
  Queues& queues_;
};

class Consumer : public Actor {
 public:
  Consumer(int port, std::uint64_t seed, Queues* queues) : Actor(port, seed), queues_(*queues) {}
  void Step() override {
    if (queues_.producing > 0) Pop();
  }
  void Finish() override {
    while (queues_.producing > 0 || Do({"EXISTS", "q:0", "q:1", "q:2"}).Integer() > 0) Pop();
  }

 private:
  void Pop() {
    switch (Draw(3)) {
      case 0:
        return Take(Do({"BZPOPMIN", "q:0", "q:1", "q:2", "0.02"}), false);
      case 1:
        return Take(Do({"BZPOPMAX", "q:2", "q:2", "q:0", "0.02"}), false);
      default:
        return Take(Do({"BZMPOP", "0.02", "3", "q:1", "q:0", "q:2", "MIN", "COUNT", "4"}), true);
    }
  }
  void Take(const Value& reply, bool many) {
    if (reply.IsNull()) return;
    const std::lock_guard lock(queues_.mutex);
    if (!many) {
      ASSERT_EQ(reply.elements.size(), 3U);
      queues_.popped.insert(reply.elements[1].text);
      return;
    }
    ASSERT_EQ(reply.elements.size(), 2U);
    for (const Value& entry : reply.elements[1].elements) {
      queues_.popped.insert(entry.elements[0].text);
    }
  }

  Queues& queues_;
};

// Creates, renames, copies, deletes and expires boards.
class Expirer : public Actor {
 public:
  using Actor::Actor;
  void Step() override {
    const std::string name = "e:" + std::to_string(Draw(50));
    const std::string other = "e:" + std::to_string(Draw(50));
    switch (Draw(7)) {
      case 0:
        client().Command({"RENAME", name, other});  // may answer "no such key"
        return;
      case 1:
        if (name != other) Do({"COPY", name, other, "REPLACE"});
        return;
      case 2:
        Do({"DEL", name});
        return;
      case 3:
        Do({"ZUNIONSTORE", name, "2", name, other});
        Do({"PEXPIRE", name, "5"});
        return;
      case 4:
        client().SendRaw(Encoded({"WATCH", name}) + Encoded({"MULTI"}) + Encoded({"PTTL", name}) +
                         Encoded({"ZCARD", name}) + Encoded({"EXEC"}));
        for (int i = 0; i < 5; ++i) ASSERT_FALSE(client().ReadReply().IsError());
        return;
      default:
        client().SendRaw(Encoded({"ZADD", name, "1", "a", "2", "b"}) +
                         Encoded({"PEXPIRE", name, std::to_string(1 + Draw(20))}));
        ASSERT_FALSE(client().ReadReply().IsError());
        ASSERT_FALSE(client().ReadReply().IsError());
    }
  }
};

// Reads lists, INFO and the slow log, and sometimes runs MONITOR.
class Observer : public Actor {
 public:
  using Actor::Actor;
  void Step() override {
    switch (Draw(10)) {
      case 0:
        return Monitor();
      case 1:
        ASSERT_NE(Do({"CLIENT", "LIST"}).text.find("id="), std::string::npos);
        return;
      case 2:
        Do({"SLOWLOG", "GET", "5"});
        Do({"CONFIG", "SET", "slowlog-log-slower-than", std::to_string(Draw(3) * 100)});
        return;
      case 3:
        Do({"SCAN", "0", "COUNT", "100"});
        Do({"KEYS", "e:*"});
        return;
      case 4:
        Do({"LB.LIST"});
        Do({"LB.DESCRIBE", "lb:sum"});
        return;
      case 5:
        Do({"CLIENT", "SETNAME", "observer-" + std::to_string(Draw(1000))});
        return Reconnect();
      default:
        ASSERT_NE(Do({"INFO"}).text.find("blocked_clients:"), std::string::npos);
        client().Command({"MEMORY", "USAGE", "z:sum"});
        client().Command({"RANDOMKEY"});
    }
  }

 private:
  void Monitor() {
    ASSERT_EQ(Do({"MONITOR"}).ToString(), "+OK");
    for (int i = 0; i < 5 && client().ReplyWithin(20); ++i) {
      ASSERT_EQ(client().ReadReply().type, '+');
    }
    client().Send({"RESET"});
    while (client().ReadReply().ToString() != "+RESET") {
    }
  }
};

// Is killed by Killer at any moment and reconnects. Also disconnects while it is blocked.
class Victim : public Actor {
 public:
  using Actor::Actor;
  void Step() override {
    try {
      Act();
    } catch (const std::runtime_error&) {
      Reconnect();
    }
  }

 private:
  void Act() {
    switch (Draw(5)) {
      case 0:
        client().Send({"BZPOPMIN", "q:nobody", "q:else", "0"});
        if (Draw(2) == 0) {
          client().ReplyWithin(5);
          return Reconnect();
        }
        client().ReadReply();  // until it is killed or unblocked
        return;
      case 1:
        client().Command({"WATCH", "z:sum", "noise", "left"});
        return;
      case 2:
        client().Command({"MULTI"});
        client().Command({"ZADD", "noise", "1", Member(Draw(100))});
        client().Command({"EXEC"});
        return;
      case 3:
        client().SendRaw(Encoded({"ZRANGE", "left", "0", "-1"}) + "*3\r\n$4\r\nZADD\r\n$5");
        return Reconnect();
      default:
        client().Command({"CLIENT", "SETNAME", "victim"});
        client().Command({"ZADD", "noise", std::to_string(Draw(100)), Member(Draw(100))});
    }
  }
};

class Killer : public Actor {
 public:
  Killer(int port, std::uint64_t seed, const std::atomic<int>* victims)
      : Actor(port, seed), victims_(*victims) {}
  void Step() override {
    const std::string list = Do({"CLIENT", "LIST"}).text;
    for (std::size_t at = 0; at < list.size(); at = list.find('\n', at) + 1) {
      const std::string line = list.substr(at, list.find('\n', at) - at);
      const std::string id = line.substr(3, line.find(' ') - 3);
      const bool waits = line.find(" cmd=bzpopmin ") != std::string::npos;
      if (line.find(" name=victim ") != std::string::npos && Draw(2) == 0) {
        Do({"CLIENT", "KILL", "ID", id});
      } else if (waits) {
        // This unblocks consumers too: they see a timeout.
        Do({"CLIENT", "UNBLOCK", id});
      }
    }
  }
  void Finish() override {
    while (victims_ > 0) Step();
  }

 private:
  const std::atomic<int>& victims_;
};

class Crowd {
 public:
  Crowd(int port, std::uint64_t seed) : port_(port), seed_(seed) {}

  // Starts an actor on a thread of its own. `running` counts the actors that have not finished.
  template <typename A, typename... Arguments>
  void Start(std::atomic<int>* running, Arguments... arguments) {
    ++*running;
    actors_.push_back(std::make_unique<A>(port_, seed_++, arguments...));
    threads_.emplace_back([actor = actors_.back().get(), running] {
      try {
        for (int i = 0; i < Steps() && !testing::Test::HasFatalFailure(); ++i) actor->Step();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      try {
        actor->Finish();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
      --*running;
    });
  }
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    actors_.clear();
  }

 private:
  int port_;
  std::uint64_t seed_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::vector<std::thread> threads_;
};

using Totals = std::map<std::string, std::int64_t>;

void CheckTotals(RespClient* client, const std::vector<Totals>& parts) {
  Totals totals;
  for (const Totals& part : parts) {
    for (const auto& [key, change] : part) totals[key] += change;
  }
  EXPECT_FALSE(totals.empty());
  for (const auto& [key, total] : totals) {
    const std::string board = key.substr(0, key.find(' '));
    const std::string member = key.substr(board.size() + 1);
    EXPECT_EQ(client->Ask({"ZSCORE", board, member}), "\"" + std::to_string(total) + "\"") << key;
  }
}

void CheckQueues(RespClient* client, Queues* queues) {
  EXPECT_EQ(queues->popped.size(), static_cast<std::size_t>(queues->pushed));
  for (int i = 0; i < queues->pushed; ++i) {
    EXPECT_EQ(queues->popped.count("item:" + std::to_string(i)), 1U) << i;
  }
  EXPECT_EQ(client->Ask({"EXISTS", "q:0", "q:1", "q:2"}), "0");
}

TEST(Concurrency, BoardsAgreeWithTheCountsOfAllClients) {
  const std::uint64_t seed = TestSeed();
  ServerProcess server = ServerProcess::Laurel({"--threads", "4", "--log-level", "error"});
  RespClient client(server.port(), kPatienceMs);
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb:sum", "POLICY", "sum"}), "+OK");
  FillBoard(&client, "left", kMovable);

  std::vector<Totals> totals(4);
  std::atomic<int> moved{0};
  Queues queues;
  std::atomic<int> victims{0};
  std::atomic<int> others{0};
  Crowd crowd(server.port(), seed);
  for (Totals& part : totals) crowd.Start<Adder>(&others, &part);
  for (int i = 0; i < 3; ++i) crowd.Start<Mover>(&others, &moved);
  for (int i = 0; i < 2; ++i) crowd.Start<Producer>(&others, &queues);
  for (int i = 0; i < 3; ++i) crowd.Start<Consumer>(&others, &queues);
  for (int i = 0; i < 2; ++i) crowd.Start<Expirer>(&others);
  for (int i = 0; i < 2; ++i) crowd.Start<Victim>(&victims);
  crowd.Start<Observer>(&others);
  crowd.Start<Killer>(&others, &victims);
  crowd.Join();

  CheckTotals(&client, totals);
  CheckQueues(&client, &queues);
  EXPECT_GT(moved, 0);
  EXPECT_EQ(
      client.Command({"ZCARD", "left"}).Integer() + client.Command({"ZCARD", "right"}).Integer(),
      kMovable);
  EXPECT_EQ(client.Command({"ZUNION", "2", "left", "right"}).elements.size(),
            static_cast<std::size_t>(kMovable))
      << "every entry is on one of the boards";
  EXPECT_TRUE(Eventually([&] { return InfoField(&client, "connected_clients") == "1"; }));
  EXPECT_EQ(InfoField(&client, "blocked_clients"), "0");
  for (int i = 0; i < 50; ++i) client.Command({"DEL", "e:" + std::to_string(i)});
  EXPECT_EQ(InfoField(&client, "db0").find("expires=0") != std::string::npos, true);
  EXPECT_EQ(client.Command({"KEYS", "*"}).elements.size(),
            static_cast<std::size_t>(client.Command({"DBSIZE"}).Integer()));
  EXPECT_EQ(server.Stop(), 0) << server.Output();
}

}  // namespace
}  // namespace laurel::black_box
