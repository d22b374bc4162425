// Malformed requests, requests in pieces, and requests at the limits of size.
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "server/process.h"
#include "server/resp_client.h"
#include "server/robustness_support.h"
#include "tests/support/seed.h"

namespace laurel::black_box {
namespace {

constexpr int kMalformedFrames = 10'000;

const std::vector<Arguments>& ValidRequests() {
  static const std::vector<Arguments> requests = {
      {"PING"},
      {"PING", "hello"},
      {"ECHO", std::string("a\0b\r\n", 5)},
      {"ZADD", "k", "1", "a", "2", "b"},
      {"ZADD", "k", "GT", "CH", "nan", "c"},
      {"ZINCRBY", "k", "1.5", "a"},
      {"ZRANGE", "k", "0", "-1", "WITHSCORES"},
      {"ZRANGEBYSCORE", "k", "(1", "+inf", "LIMIT", "0", "10"},
      {"ZREVRANK", "k", "a"},
      {"ZUNIONSTORE", "d", "2", "k", "k2", "WEIGHTS", "1", "2"},
      {"BZPOPMIN", "empty", "0.01"},
      {"LB.CREATE", "lb", "FIELDS", "2", "a:int", "b:decimal2:asc"},
      {"LB.SUBMIT", "lb", "m", "1", "2.25"},
      {"LB.TOP", "lb", "10"},
      {"DEL", "k"},
      {"HELLO", "3"},
      {"CLIENT", "SETNAME", "x"},
      {"COMMAND", "GETKEYS", "ZADD", "k", "1", "a"},
      {"MULTI"},
      {"EXEC"},
      {"CONFIG", "SET", "save", "x"},
      {"SCAN", "0", "MATCH", "*", "COUNT", "10"},
      {"NOSUCH\r\nCOMMAND", "with\r\nlines"},
  };
  return requests;
}

const std::string& HurtfulNumber(base::Random* random) {
  static const std::vector<std::string> numbers = {
      "-1",
      "-2",
      "0",
      "1",
      "00",
      "01",
      "+1",
      " 1",
      "1 ",
      "",
      "-",
      "1e3",
      "0x10",
      "1048576",
      "1048577",
      "67108865",
      "536870912",
      "1073741824",
      "2147483647",
      "2147483648",
      "4294967296",
      "-2147483649",
      "x",
      std::to_string(std::numeric_limits<long long>::max()),
      "9223372036854775808",
      "-9223372036854775808",
      "99999999999999999999999999"};
  return numbers[random->Below(numbers.size())];
}

std::string RandomBytes(base::Random* random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& c : bytes) c = static_cast<char>(random->Below(256));
  return bytes;
}

std::string Valid(base::Random* random) {
  return Encoded(ValidRequests()[random->Below(ValidRequests().size())]);
}

// Overwrites, inserts, removes and repeats bytes of valid requests.
std::string Mutated(base::Random* random) {
  std::string bytes = Valid(random) + Valid(random);
  for (std::uint64_t i = 0; i <= random->Below(4); ++i) {
    const std::size_t at = random->Below(bytes.size());
    switch (random->Below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random->Below(256));
        break;
      case 1:
        bytes.insert(at, RandomBytes(random, 1 + random->Below(4)));
        break;
      case 2:
        bytes.erase(at, 1 + random->Below(4));
        break;
      default:
        bytes.insert(at, bytes.substr(at, random->Below(20)));
    }
    if (bytes.empty()) bytes = "*";
  }
  return bytes;
}

std::string Replaced(std::string bytes, std::string_view from, std::string_view to,
                     base::Random* random) {
  std::vector<std::size_t> places;
  for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1)) {
    places.push_back(at);
  }
  return bytes.replace(places[random->Below(places.size())], from.size(), to);
}

std::string UnbalancedInline(base::Random* random) {
  static constexpr std::array<std::string_view, 8> kParts = {
      "\"", "'", "\\x", "\\", "ECHO ", "\"a\"b", "'it\\'s' ", "\"\\xff\\n\" "};
  std::string line = "ECHO \"";
  for (std::uint64_t i = 0; i < random->Below(8); ++i) line += kParts[random->Below(kParts.size())];
  return line + "\r\n";
}

std::string MalformedFrame(base::Random* random) {
  switch (random->Below(12)) {
    case 0:
      return "*" + HurtfulNumber(random) + "\r\n" + Valid(random);
    case 1:
      return "*2\r\n$4\r\nECHO\r\n$" + HurtfulNumber(random) + "\r\nhello\r\n";
    case 2: {
      static constexpr std::array<std::string_view, 5> kEnds = {"", "\n", "\r", "\n\r", "\r\r\n"};
      return Replaced(Valid(random), "\r\n", kEnds[random->Below(kEnds.size())], random);
    }
    case 3:
      return RandomBytes(random, 1 + random->Below(600));
    case 4: {
      const std::string bytes = Valid(random);
      return bytes.substr(0, random->Below(bytes.size()));
    }
    case 5: {
      std::string nested;
      for (std::uint64_t i = 0; i <= random->Below(50); ++i) nested += "*2\r\n";
      return nested + "$4\r\nPING\r\n";
    }
    case 6: {
      static constexpr std::array<std::string_view, 4> kStarts = {"", "*", "*1\r\n$", "ECHO "};
      const std::string start(kStarts[random->Below(kStarts.size())]);
      return start + std::string(60'000 + random->Below(12'000), random->OneIn(2) ? '1' : 'x') +
             (random->OneIn(2) ? "\r\n" : "");
    }
    case 7:
      return std::string(1 + random->Below(100), '\0') + (random->OneIn(2) ? "\r\n" : "");
    case 8:
      return UnbalancedInline(random);
    case 9:
      return Replaced(Valid(random), "$", "$" + std::to_string(random->Below(20)), random);
    default:
      return Mutated(random);
  }
}

// Opens a connection, sends one frame and the end of input, and reads to the end of the connection.
void SendFrame(int port, const std::string& frame) {
  RespClient client(port);
  try {
    client.SendRaw(frame);
  } catch (const std::system_error&) {
    // The server may close the connection before it has read everything.
  }
  client.FinishSending();
  std::size_t replies = 0;
  EXPECT_TRUE(DrainToEnd(&client, &replies)) << Quoted(std::string_view(frame).substr(0, 300));
}

TEST(Robustness, MalformedFramesDoNotAffectOtherClients) {
  base::Random random(TestSeed());
  ServerProcess server = ServerProcess::Laurel();
  RespClient other(server.port());
  ASSERT_EQ(other.Ask({"ZADD", "kept", "1", "a"}), "1");
  for (int i = 0; i < 200; ++i) SendFrame(server.port(), MalformedFrame(&random));
  const std::size_t before = server.ResidentBytes();
  for (int i = 0; i < kMalformedFrames && !testing::Test::HasFailure(); ++i) {
    const std::string frame = MalformedFrame(&random);
    ASSERT_NO_THROW(SendFrame(server.port(), frame)) << i << ": " << Quoted(frame.substr(0, 300));
    ASSERT_NO_THROW(other.Command({"PING"})) << i << ": " << Quoted(frame.substr(0, 300)) << "\n"
                                             << server.Output();
  }
  EXPECT_EQ(other.Ask({"ZSCORE", "kept", "a"}), "\"1\"");
  EXPECT_TRUE(Eventually([&] { return InfoField(&other, "connected_clients") == "1"; }));
  if (kMemoryIsMeasured) {
    EXPECT_TRUE(Eventually([&] { return server.ResidentBytes() < before + 32 * kMiB; }))
        << before << " bytes grew to " << server.ResidentBytes();
  }
  EXPECT_EQ(server.Stop(), 0) << server.Output();
}

struct Refusal {
  std::string bytes;
  std::string error;
};

TEST(Robustness, LengthsBeyondTheLimitsAreRefusedWithoutTakingMemory) {
  ServerProcess server = ServerProcess::Laurel();
  const std::vector<Refusal> refusals = {
      {"*2\r\n$4\r\nECHO\r\n$1073741824\r\n", "invalid bulk length"},
      {"*2\r\n$4\r\nECHO\r\n$9223372036854775807\r\n", "invalid bulk length"},
      {"*2\r\n$4\r\nECHO\r\n$-1\r\n", "invalid bulk length"},
      {"*2\r\n$4\r\nECHO\r\n$1048577\r\n", "invalid bulk length"},
      {"*2147483648\r\n", "invalid multibulk length"},
      {"*9223372036854775807\r\n", "invalid multibulk length"},
      {"*1048577\r\n", "invalid multibulk length"},
      {"*1\r\n+PING\r\n", "expected '$', got '+'"},
      {"*1\r\n\r\n", "expected '$', got ' '"},
      {"*" + std::string(65'537, '1'), "too big mbulk count string"},
      {"*1\r\n$" + std::string(65'537, '1'), "too big bulk count string"},
      {std::string(65'537, 'x'), "too big inline request"},
      {"ECHO \"a\r\n", "unbalanced quotes in request"},
  };
  const std::size_t before = server.ResidentBytes();
  for (const Refusal& refusal : refusals) {
    RespClient client(server.port());
    client.SendRaw(refusal.bytes);
    EXPECT_EQ(client.ReadReply().ToString(), "-ERR Protocol error: " + refusal.error)
        << Quoted(refusal.bytes.substr(0, 80));
    EXPECT_TRUE(client.ReadEnd());
  }
  // Headers that are allowed take no memory either before their bytes arrive.
  std::vector<RespClient> clients;
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back(server.port()).SendRaw("*1048576\r\n$1048576\r\n");
  }
  RespClient other(server.port());
  EXPECT_EQ(other.Ask({"PING"}), "+PONG");
  if (kMemoryIsMeasured) {
    EXPECT_LT(server.ResidentBytes(), before + 8 * kMiB);
  }
}

TEST(Robustness, TheLongestMemberIsStoredAndALongerOneIsRefused) {
  ServerProcess server = ServerProcess::Laurel();
  RespClient client(server.port());
  ASSERT_EQ(client.Ask({"LB.CREATE", "lb"}), "+OK");
  for (const auto& [board, most] : {std::pair("z", 524'288), std::pair("lb", 1024)}) {
    const std::string longest(static_cast<std::size_t>(most), 'm');
    EXPECT_EQ(client.Ask({"ZADD", board, "7", longest}), "1");
    EXPECT_EQ(client.Ask({"ZSCORE", board, longest}), "\"7\"");
    const Value range = client.Command({"ZRANGE", board, "0", "-1"});
    ASSERT_EQ(range.elements.size(), 1U);
    EXPECT_TRUE(range.elements[0].text == longest);

    const std::string longer = longest + "m";
    for (const Arguments& write :
         {Arguments{"ZADD", board, "8", "short", "8", longer}, {"ZINCRBY", board, "8", longer}}) {
      const Value refused = client.Command(write);
      EXPECT_TRUE(refused.IsError() && refused.text.starts_with("LIMIT ")) << refused.ToString();
    }
    EXPECT_EQ(client.Ask({"ZCARD", board}), "1");
    EXPECT_EQ(client.Ask({"ZSCORE", board, longer}), "nil");
    EXPECT_EQ(client.Ask({"ZREM", board, longer}), "0");
    EXPECT_EQ(client.Ask({"ZREM", board, longest}), "1");
    EXPECT_EQ(client.Ask({"ZCARD", board}), "0");
  }
}

// Requests of every form, with the same replies each time they are sent.
std::string VariedPipeline() {
  return Encoded({"FLUSHALL"}) + "PING\r\n" + Encoded({"ZADD", "k", "1", "a", "2", "b"}) +
         "zadd k 3 \"c \\x00\\r\\n\" 4 'it\\'s'\n" + "\r\n" + "*0\r\n" + "*-1\r\n" +
         Encoded({"ZRANGE", "k", "0", "-1", "WITHSCORES"}) +
         Encoded({"ECHO", std::string("\r\n$5\0\xff*", 8)}) + Encoded({"ECHO", ""}) + "MULTI\r\n" +
         Encoded({"ZINCRBY", "k", "1", "a"}) + "zcard k\r\n" + Encoded({"EXEC"}) +
         Encoded({"NOSUCH", "a\r\nb"}) + Encoded({"LB.CREATE", "lb"}) +
         Encoded({"LB.TOP", "lb", "3"}) + "HELLO 9\r\n" + Encoded({"BZPOPMIN", "k", "0"}) +
         Encoded({"ZCARD", "k"});
}
constexpr int kVariedReplies = 17;

std::string RepliesTo(RespClient* client) {
  std::string replies;
  for (int i = 0; i < kVariedReplies; ++i) replies += client->ReadRawReply();
  return replies;
}

TEST(Robustness, APipelineCutAtAnyByteGetsTheSameReplies) {
  ServerProcess server = ServerProcess::Laurel({"--threads", "1"});
  RespClient other(server.port());
  const std::string pipeline = VariedPipeline();
  RespClient whole(server.port());
  whole.SendRaw(pipeline);
  const std::string expected = RepliesTo(&whole);
  EXPECT_FALSE(whole.ReplyWithin(50));

  for (std::size_t cut = 1; cut < pipeline.size(); ++cut) {
    RespClient client(server.port());
    client.SendRaw(std::string_view(pipeline).substr(0, cut));
    ASSERT_EQ(other.Ask({"PING"}), "+PONG");  // by now the server has read the first part
    client.SendRaw(std::string_view(pipeline).substr(cut));
    ASSERT_EQ(Quoted(RepliesTo(&client)), Quoted(expected)) << "cut at " << cut;
  }

  RespClient slow(server.port());
  for (const char byte : pipeline) {
    slow.SendRaw(std::string_view(&byte, 1));
    ASSERT_EQ(other.Ask({"PING"}), "+PONG");
  }
  EXPECT_EQ(Quoted(RepliesTo(&slow)), Quoted(expected));
}

}  // namespace
}  // namespace laurel::black_box
