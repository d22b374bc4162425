// Many clients at once, and clients that are slow to write, slow to read, or do not read at all.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "server/http_client.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"

namespace laurel::black_box {
namespace {

constexpr int kIdle = 5000;
constexpr int kActive = 500;
constexpr int kActiveThreads = 4;
constexpr int kRounds = 4;
constexpr int kAddsPerRound = 10;
constexpr std::size_t kMaxIdleBytes = std::size_t{16} << 10;
constexpr int kPatienceMs = 120'000;

std::string Numbered(const std::string& prefix, int number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%06d", number);
  return prefix + digits;
}

// A client with a small receive buffer, so that the replies it does not read stay in the server.
RespClient SmallReceiver(int port) {
  RespClient client(port, kPatienceMs);
  const int bytes = 16 << 10;
  setsockopt(client.fd(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return client;
}

// The requests of one round. Ranks are known in advance on the client's own board; on the shared
// board only the entries are counted.
std::string Round(int client, int round) {
  std::string bytes;
  for (int i = 0; i < kAddsPerRound; ++i) {
    const int step = round * kAddsPerRound + i;
    const std::string member = Numbered("m", step);
    const std::string own = Numbered("own:", client);
    bytes += Encoded({"ZADD", own, std::to_string(-step), member});
    bytes += Encoded({"ZREVRANK", own, member});
    bytes += Encoded({"ZADD", "shared", std::to_string(step), Numbered("c", client) + member});
  }
  return bytes;
}

void CheckRound(RespClient* client, int number, int round) {
  for (int i = 0; i < kAddsPerRound; ++i) {
    const int step = round * kAddsPerRound + i;
    ASSERT_EQ(client->ReadReply().ToString(), "1") << number << " at " << step;
    ASSERT_EQ(client->ReadReply().ToString(), std::to_string(step)) << number;
    ASSERT_EQ(client->ReadReply().ToString(), "1") << number << " at " << step;
  }
}

// Runs the active clients [first, last). In each round all of them send before any of them reads.
void Pipeline(int port, int first, int last) {
  std::vector<RespClient> clients;
  for (int i = first; i < last; ++i) clients.emplace_back(port, kPatienceMs);
  for (int round = 0; round < kRounds; ++round) {
    for (int i = first; i < last; ++i) {
      clients[static_cast<std::size_t>(i - first)].SendRaw(Round(i, round));
    }
    for (int i = first; i < last; ++i) {
      CheckRound(&clients[static_cast<std::size_t>(i - first)], i, round);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Load, ThousandsOfIdleClientsCostLittleAndHundredsOfActiveOnesAreServed) {
  constexpr std::size_t kFiles = kIdle + kActive + 200;
  if (!AllowOpenFiles(kFiles)) {
    GTEST_SKIP() << "the hard limit of open files is below " << kFiles
                 << " (ulimit -Hn): no room for " << kIdle + kActive << " connections";
  }
  ServerProcess server = ServerProcess::Laurel({"--threads", "2"});
  RespClient admin(server.port(), kPatienceMs);
  ASSERT_EQ(admin.Ask({"PING"}), "+PONG");
  const std::size_t before = server.ResidentBytes();
  std::vector<RespClient> idle;
  idle.reserve(kIdle);
  for (int i = 0; i < kIdle; ++i) {
    idle.emplace_back(server.port(), kPatienceMs);
    ASSERT_EQ(idle.back().Ask({"PING"}), "+PONG") << i;
  }
  ASSERT_EQ(InfoField(&admin, "connected_clients"), std::to_string(kIdle + 1));
  if (kMemoryIsMeasured) {
    const std::size_t grown = server.ResidentBytes() - before;
    EXPECT_LT(grown / kIdle, kMaxIdleBytes) << grown << " bytes in all";
  }

  std::vector<std::thread> threads;
  for (int i = 0; i < kActiveThreads; ++i) {
    threads.emplace_back([&, i] {
      EXPECT_NO_THROW(Pipeline(server.port(), kActive * i / kActiveThreads,
                               kActive * (i + 1) / kActiveThreads));
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(admin.Ask({"ZCARD", "shared"}), std::to_string(kActive * kRounds * kAddsPerRound));
  EXPECT_EQ(admin.Ask({"DBSIZE"}), std::to_string(kActive + 1));
  for (std::size_t i = 0; i < idle.size(); i += 97) EXPECT_EQ(idle[i].Ask({"PING"}), "+PONG") << i;
  idle.clear();
  EXPECT_TRUE(Eventually([&] { return InfoField(&admin, "connected_clients") == "1"; }));
}

TEST(Load, ClientsThatNeverReadAreClosedAndDoNotAffectOthers) {
  constexpr int kReaders = 200;
  constexpr int kRequests = 50;  // of about 2 MB each
  // In addition to the boards: --max-buffers, and the bytes of each connection that are not
  // accounted for.
  constexpr std::size_t kMaxGrownBytes = 320 * kMiB;
  ServerProcess server =
      ServerProcess::Laurel({"--max-buffers", "64mb", "--max-output", "16mb", "--max-reply", "16mb",
                             "--stall-timeout", "1s", "--log-level", "error"});
  RespClient other(server.port(), kPatienceMs);
  FillBoard(&other, "big", 100'000);
  ASSERT_EQ(other.Ask({"ZADD", "small", "1", "a"}), "1");
  const std::size_t before = server.ResidentBytes();
  std::string requests;
  for (int i = 0; i < kRequests; ++i) requests += Encoded({"ZRANGE", "big", "0", "-1"});
  std::vector<RespClient> silent;
  for (int i = 0; i < kReaders; ++i) {
    silent.push_back(SmallReceiver(server.port()));
    send(silent.back().fd(), requests.data(), requests.size(), MSG_NOSIGNAL);
    ASSERT_EQ(other.Ask({"ZSCORE", "small", "a"}), R"("1")") << i;
  }
  int asked = 0;
  EXPECT_TRUE(Eventually([&] {
    ++asked;
    EXPECT_EQ(other.Ask({"ZINCRBY", "counter", "1", "a"}), "\"" + std::to_string(asked) + "\"");
    return InfoField(&other, "connected_clients") == "1";
  }));
  if (kMemoryIsMeasured) {
    EXPECT_LT(PeakResidentBytes(server.pid()), before + kMaxGrownBytes);
    silent.clear();
    EXPECT_TRUE(Eventually([&] { return server.ResidentBytes() < before + 64 * kMiB; }))
        << server.ResidentBytes() << " bytes, " << before << " before";
  }
  EXPECT_LT(std::stoull(InfoField(&other, "buffer_bytes")), kMiB);
  EXPECT_EQ(other.Ask({"ZCARD", "big"}), "100000");
}

TEST(Load, MemoryOfTransactionsThatAreOverComesBack) {
  constexpr int kClients = 60;
  constexpr int kCommands = 5000;  // of a kilobyte each
  ServerProcess server = ServerProcess::Laurel();
  RespClient other(server.port(), kPatienceMs);
  const std::size_t before = server.ResidentBytes();
  std::string requests = Encoded({"MULTI"});
  const std::string member(1000, 'm');
  for (int i = 0; i < kCommands; ++i) requests += Encoded({"ZADD", "z", "1", member});
  {
    std::vector<RespClient> clients;
    std::vector<RespClient> kept;  // small blocks between the large ones
    for (int i = 0; i < kClients; ++i) {
      clients.emplace_back(server.port(), kPatienceMs).SendRaw(requests);
      for (int k = 0; k <= kCommands; ++k) clients.back().ReadReply();
      ASSERT_EQ(kept.emplace_back(server.port(), kPatienceMs).Ask({"PING"}), "+PONG");
    }
    if (kMemoryIsMeasured) {
      ASSERT_GT(server.ResidentBytes(), before + kClients * kCommands * member.size());
    }
    // One half of the clients goes, the other stays without its transaction.
    clients.erase(clients.begin(), clients.begin() + kClients / 2);
    for (RespClient& client : clients) ASSERT_EQ(client.Ask({"DISCARD"}), "+OK");
    ASSERT_TRUE(Eventually([&] {
      return InfoField(&other, "connected_clients") == std::to_string(kClients * 3 / 2 + 1);
    }));
    if (kMemoryIsMeasured) {
      EXPECT_TRUE(Eventually([&] { return server.ResidentBytes() < before + 32 * kMiB; }))
          << server.ResidentBytes() << " bytes, " << before << " before";
    }
  }
}

// 10,000 entries as JSON, the most of one request: about 320 KB. Parsed they take several MB.
HttpRequest LargePost() {
  HttpRequest post = {"POST", "/v1/boards/lb/entries", {{"Content-Type", "application/json"}}};
  post.body = "{\"entries\":[";
  for (int i = 0; i < 10'000; ++i) {
    if (i > 0) post.body += ',';
    post.body += Numbered("{\"member\":\"m", i) + "\",\"score\":1}";
  }
  post.body += "]}";
  return post;
}

TEST(Load, MemoryOfLargeHttpBodiesComesBackWhenTheyAreAnswered) {
  constexpr int kClients = 40;
  const int http_port = FreePort();
  ServerProcess server =
      ServerProcess::Laurel({"--in-memory", "--http-port", std::to_string(http_port)});
  RespClient other(server.port(), kPatienceMs);
  ASSERT_EQ(other.Ask({"LB.CREATE", "lb"}), "+OK");
  const HttpRequest post = LargePost();
  ASSERT_EQ(HttpClient(http_port, kPatienceMs).Send(post).status, 200);
  const std::size_t before = server.ResidentBytes();
  std::vector<HttpClient> clients;
  for (int i = 0; i < kClients; ++i) {
    ASSERT_EQ(clients.emplace_back(http_port, kPatienceMs).Send(post).status, 200) << i;
  }
  // A read of all of it: the memory of large answers comes back too.
  HttpRequest read = {"POST", "/v1/read", post.headers};
  read.body = R"({"reads":[{"read":"entries","board":"lb","limit":1000})";
  for (int i = 1; i < 20; ++i) read.body += R"(,{"read":"entries","board":"lb","limit":1000})";
  read.body += "]}";
  for (HttpClient& client : clients) ASSERT_EQ(client.Send(read).status, 200);
  EXPECT_TRUE(Eventually([&] {
    return std::stoull(InfoField(&other, "buffer_bytes")) < kClients * (std::size_t{64} << 10);
  })) << InfoField(&other, "buffer_bytes");
  if (kMemoryIsMeasured) {
    EXPECT_TRUE(Eventually([&] { return server.ResidentBytes() < before + 64 * kMiB; }))
        << server.ResidentBytes() << " bytes, " << before << " before";
  }
  for (HttpClient& client : clients) {
    EXPECT_EQ(client.Send({.target = "/v1/boards/lb/entries/m000001"}).status, 200);
  }
}

TEST(Load, AChunkedBodyCountsTowardsTheBuffersTwice) {
  constexpr std::size_t kClients = 10;
  constexpr std::size_t kHalf = 400'000;
  const int http_port = FreePort();
  ServerProcess server =
      ServerProcess::Laurel({"--in-memory", "--http-port", std::to_string(http_port)});
  RespClient other(server.port(), kPatienceMs);
  const auto buffers = [&other] { return std::stoull(InfoField(&other, "buffer_bytes")); };
  // The server holds the bytes as they came, and again without the lines between the chunks.
  const std::string half =
      "POST /v1/boards/lb/entries HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nc3500\r\n" +
      std::string(kHalf, ' ');
  {
    std::vector<RespClient> clients;
    for (std::size_t i = 0; i < kClients; ++i) {
      clients.emplace_back(http_port, kPatienceMs).SendRaw(half);
    }
    EXPECT_TRUE(Eventually([&] { return buffers() > 2 * kClients * kHalf; })) << buffers();
  }
  EXPECT_TRUE(Eventually([&] { return buffers() < kMiB; })) << buffers();
}

TEST(Load, AParsedHttpBodyCountsTowardsTheBuffers) {
  const int http_port = FreePort();
  // The body fits, but not with its values and words.
  ServerProcess server = ServerProcess::Laurel(
      {"--in-memory", "--http-port", std::to_string(http_port), "--max-buffers", "3mb",
       "--max-output", "3mb", "--max-reply", "3mb", "--max-request", "3mb"});
  RespClient other(server.port(), kPatienceMs);
  ASSERT_EQ(other.Ask({"LB.CREATE", "lb"}), "+OK");
  EXPECT_THROW(HttpClient(http_port, kPatienceMs).Send(LargePost()), std::runtime_error);
  EXPECT_EQ(other.Ask({"LB.SIZE", "lb"}), "0");
  EXPECT_EQ(HttpClient(http_port, kPatienceMs).Send({.target = "/v1/boards/lb"}).status, 200);
  EXPECT_TRUE(Eventually([&] { return std::stoull(InfoField(&other, "buffer_bytes")) < kMiB; }));
}

TEST(Load, MemoryPurgeGivesFreeMemoryBack) {
  constexpr std::size_t kClients = 800;
  constexpr std::size_t kFiles = kClients + 200;
  if (!AllowOpenFiles(kFiles)) GTEST_SKIP() << "the limit of open files is below " << kFiles;
  ServerProcess server = ServerProcess::Laurel({"--threads", "2"});
  RespClient other(server.port(), kPatienceMs);
  // Buffers that are too small to be mapped, with small blocks of other clients between them.
  const std::string half = Encoded({"ECHO", std::string(100'000, 'x')}).substr(0, 100'000);
  std::vector<RespClient> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.emplace_back(server.port(), kPatienceMs).SendRaw(half);
  }
  ASSERT_TRUE(Eventually(
      [&] { return std::stoull(InfoField(&other, "buffer_bytes")) > kClients * half.size(); }));
  std::vector<RespClient> kept;
  for (std::size_t i = 0; i < kClients; i += 20) kept.push_back(std::move(clients[i]));
  clients.clear();
  ASSERT_TRUE(Eventually(
      [&] { return InfoField(&other, "connected_clients") == std::to_string(kept.size() + 1); }));
  const std::size_t before = server.ResidentBytes();
  EXPECT_EQ(other.Ask({"MEMORY", "PURGE"}), "+OK");
  if (kMemoryIsMeasured) {
    EXPECT_LT(server.ResidentBytes(), before - 16 * kMiB) << before;
  }
  EXPECT_EQ(other.Ask({"MULTI"}), "+OK");
  EXPECT_EQ(other.Ask({"MEMORY", "PURGE"}), "-ERR Command not allowed inside a transaction");
}

TEST(Load, AHundredClientsThatSendByteByByteGetTheirReplies) {
  constexpr int kWriters = 100;
  ServerProcess server = ServerProcess::Laurel({"--threads", "2"});
  RespClient other(server.port(), kPatienceMs);
  std::vector<RespClient> writers;
  std::vector<std::string> requests;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back(server.port(), kPatienceMs);
    requests.push_back(Encoded({"ZADD", "z", Numbered("", i), Numbered("w", i)}) +
                       Encoded({"ZSCORE", "z", Numbered("w", i)}));
  }
  for (std::size_t at = 0; at < requests[0].size(); ++at) {
    for (std::size_t i = 0; i < writers.size(); ++i) writers[i].SendRaw(requests[i].substr(at, 1));
    ASSERT_EQ(other.Ask({"PING"}), "+PONG");
  }
  for (int i = 0; i < kWriters; ++i) {
    RespClient& writer = writers[static_cast<std::size_t>(i)];
    EXPECT_EQ(writer.ReadReply().ToString(), "1") << i;
    EXPECT_EQ(writer.ReadReply().ToString(), "\"" + std::to_string(i) + "\"");
  }
  EXPECT_EQ(other.Ask({"ZCARD", "z"}), std::to_string(kWriters));
}

TEST(Load, AClientThatStallsInsideARequestGetsEarlierRepliesAndIsClosed) {
  ServerProcess server = ServerProcess::Laurel({"--stall-timeout", "1s"});
  RespClient between(server.port(), kPatienceMs);  // idle between requests is no stall
  ASSERT_EQ(between.Ask({"PING"}), "+PONG");
  const std::vector<std::string> halves = {
      "*",
      "*3\r\n",
      "*1\r\n$5\r\nPI",
      "*2\r\n$4\r\nECHO\r\n$100000\r\n" + std::string(70'000, 'x'),
      "PIN",
      "\r\n*2\r\n$5\r\n",
  };
  std::vector<RespClient> clients;
  for (const std::string& half : halves) {
    clients.emplace_back(server.port(), kPatienceMs);
    clients.back().SendRaw(Encoded({"ECHO", "whole"}) + half);
    ASSERT_EQ(clients.back().ReadReply().ToString(), R"("whole")");
  }
  for (std::size_t i = 0; i < halves.size(); ++i) {
    EXPECT_TRUE(clients[i].ReadEnd()) << Quoted(halves[i].substr(0, 40));
  }
  EXPECT_EQ(between.Ask({"PING"}), "+PONG");
}

TEST(Load, ASlowReaderGetsEveryReplyWhole) {
  constexpr int kRequests = 1000;
  constexpr int kEntries = 10'000;
  ServerProcess server = ServerProcess::Laurel({"--stall-timeout", "20s"});
  RespClient other(server.port(), kPatienceMs);
  FillBoard(&other, "b", kEntries);
  other.Send({"ZRANGE", "b", "0", "-1"});
  const std::string whole = other.ReadRawReply();
  const std::size_t before = server.ResidentBytes();
  RespClient slow = SmallReceiver(server.port());
  std::string requests;
  for (int i = 0; i < kRequests; ++i) {
    requests += Encoded({"ZRANGE", "b", "0", "-1"}) + Encoded({"ECHO", std::to_string(i)});
  }
  slow.SendRaw(requests);
  for (int i = 0; i < kRequests; ++i) {
    if (i % 100 == 0) {
      SleepMs(50);
      ASSERT_EQ(other.Ask({"PING"}), "+PONG");
    }
    ASSERT_TRUE(slow.ReadRawReply() == whole) << i;
    ASSERT_EQ(slow.ReadReply().text, std::to_string(i));
  }
  if (kMemoryIsMeasured) {
    EXPECT_LT(PeakResidentBytes(server.pid()), before + 64 * kMiB);
  }
}

}  // namespace
}  // namespace laurel::black_box
