// Sends random streams to Laurel and to redis-server: every reply has to be the same.
//
// LAUREL_TEST_COMMANDS     how many commands (default 20,000), half of them in each protocol
// LAUREL_TEST_SEED         the seed of a run; random if not set, and printed
// LAUREL_TEST_EPISODE      the seed of one stream, as a failure prints it: plays that one alone
// LAUREL_TEST_DIFFERENCES  how many different failures to look for before giving up (default 5)
// LAUREL_TEST_SELF         not empty: redis-server takes Laurel's place, so that a difference is
//                          the test's own fault
#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "server/differential/player.h"
#include "server/differential/random_stream.h"
#include "server/process.h"
#include "tests/support/seed.h"

namespace laurel::differential {
namespace {

using black_box::Quoted;
using black_box::RespClient;
using black_box::ServerProcess;

constexpr std::size_t kCommandsPerEpisode = 1'000;
constexpr std::size_t kShownBytes = 600;
constexpr std::size_t kShownSteps = 20;

// Laurel has one database.
const std::vector<std::string> kRedisOptions = {"--databases", "1"};

bool Self() {
  const char* text = std::getenv("LAUREL_TEST_SELF");
  return text != nullptr && *text != '\0';
}

std::string Shortened(std::string text) {
  if (text.size() <= kShownBytes) return text;
  return text.substr(0, kShownBytes) + "… (" + std::to_string(text.size()) + " bytes)";
}

std::string Shown(const Step& step) {
  std::string text;
  for (std::size_t i = 0; i < step.blocking.size(); ++i) {
    text += "  waiter " + std::to_string(i) + "> " + Shortened(Quoted(step.blocking[i])) + "\n";
  }
  const bool apart = step.kind == Step::Kind::kWaiting;
  for (const Arguments& command : step.commands) {
    text += "  " + (apart ? "pusher" : std::to_string(step.connection)) + "> " +
            Shortened(Quoted(command)) + (step.inline_form ? "   (inline)" : "") + "\n";
  }
  return text;
}

// True if both name the same key. Every command has its keys among its first arguments.
bool Related(const Step& step, const Arguments& command) {
  for (const Arguments& other : step.commands) {
    for (std::size_t i = 1; i < std::min<std::size_t>(other.size(), 5); ++i) {
      for (std::size_t j = 1; j < std::min<std::size_t>(command.size(), 5); ++j) {
        if (other[i] == command[j]) return true;
      }
    }
  }
  return false;
}

// The last steps that may have caused the difference.
std::string History(const Stream& stream, const Difference& difference) {
  std::vector<std::string> shown;
  for (std::size_t i = std::min(difference.step + 1, stream.size()); i-- > 0;) {
    if (shown.size() == kShownSteps) break;
    if (stream.size() <= kShownSteps || Related(stream[i], difference.command)) {
      shown.push_back(Shown(stream[i]));
    }
  }
  std::string text;
  for (auto step = shown.rbegin(); step != shown.rend(); ++step) text += *step;
  return text;
}

struct Episode {
  explicit Episode(std::uint64_t episode_seed, std::size_t commands = kCommandsPerEpisode)
      : seed(episode_seed), manner{episode_seed % 2 == 0 ? 2 : 3, episode_seed} {
    stream = RandomStream(episode_seed).Generate(commands);
  }

  std::uint64_t seed;
  Manner manner;
  Stream stream;
};

std::string Report(Player* player, const Episode& episode, const Difference& difference) {
  const Stream shrunk = player->Shrink(episode.stream, episode.manner, difference);
  const Difference shown = player->Play(shrunk, episode.manner).value_or(difference);
  return "LAUREL_TEST_EPISODE=" + std::to_string(episode.seed) + ", step " +
         std::to_string(difference.step) + ", RESP" + std::to_string(episode.manner.protocol) +
         ", connection " + shown.connection + "\n  command:  " + Shortened(Quoted(shown.command)) +
         "\n  expected: " + Shortened(Quoted(shown.expected)) +
         "\n  got:      " + Shortened(Quoted(shown.actual)) + "\n  " + Shortened(shown.why) +
         "\n  shrunk to " + std::to_string(shrunk.size()) + " steps:\n" + History(shrunk, shown);
}

std::size_t CommandsIn(const Stream& stream) {
  std::size_t count = 0;
  for (const Step& step : stream) count += step.commands.size() + step.blocking.size();
  return count;
}

std::optional<Difference> Played(Player* player, const Episode& episode) {
  try {
    return player->Play(episode.stream, episode.manner);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("LAUREL_TEST_EPISODE=" + std::to_string(episode.seed) + ": " +
                             error.what());
  }
}

TEST(Differential, LaurelRepliesLikeRedis) {
  ServerProcess redis = ServerProcess::Redis(kRedisOptions);
  ServerProcess other = Self() ? ServerProcess::Redis(kRedisOptions) : ServerProcess::Laurel();
  Player player(redis.port(), other.port());

  if (const auto one = NumberFromEnvironment("LAUREL_TEST_EPISODE")) {
    const Episode episode(*one);
    const std::optional<Difference> difference = Played(&player, episode);
    if (difference) FAIL() << Report(&player, episode, *difference);
    return;
  }
  const std::uint64_t seed =
      NumberFromEnvironment("LAUREL_TEST_SEED").value_or(base::SystemEntropy());
  const std::uint64_t commands = TestCommands();
  const std::uint64_t enough = NumberFromEnvironment("LAUREL_TEST_DIFFERENCES").value_or(5);
  std::printf("LAUREL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);

  base::Random random(seed);
  std::map<std::string, int> differences;
  std::uint64_t played = 0;
  for (std::uint64_t i = 0; played < commands && differences.size() < enough; ++i) {
    // Even seeds speak RESP2, odd ones RESP3.
    const Episode episode((random.Next() & ~std::uint64_t{1}) | (i % 2));
    played += CommandsIn(episode.stream);
    const std::optional<Difference> difference = Played(&player, episode);
    if (!difference) continue;
    if (++differences[difference->Signature()] == 1) {
      ADD_FAILURE() << Report(&player, episode, *difference);
    }
    ASSERT_TRUE(other.Running()) << "the server ended\n" << other.Output();
  }
  for (const auto& [signature, count] : differences) {
    std::printf("%6d streams differ: %s\n", count, signature.c_str());
  }
  std::printf("%llu commands compared\n", static_cast<unsigned long long>(played));
}

// The significant digits: without sign, point, exponent and the zeros at both ends.
std::string SignificantDigits(std::string_view text) {
  std::string digits;
  for (const char c : text.substr(0, text.find_first_of("eE"))) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 && (c != '0' || !digits.empty())) {
      digits += c;
    }
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

TEST(Differential, ScoresPrintTheFewestDigitsThatReadBackExactly) {
  ServerProcess server = ServerProcess::Laurel();
  base::Random random(7);
  std::vector<double> scores = {0.1,
                                1.0 / 3,
                                1e21,
                                1e17,
                                123456789012345680.0,
                                5e-324,
                                1e308,
                                1e-7,
                                1e-5,
                                2.5,
                                -0.1,
                                1e20,
                                -1e300,
                                1e22,
                                9.5e-20,
                                0.000123,
                                9007199254740993.0};
  while (scores.size() < 3'000) {
    const double score = std::bit_cast<double>(random.Next());
    if (std::isfinite(score)) scores.push_back(score);
    scores.push_back(static_cast<double>(random.Below(1'000'000)) / 1000);
  }
  for (const int protocol : {2, 3}) {
    RespClient client(server.port());
    if (protocol == 3) client.Command({"HELLO", "3"});
    for (const double score : scores) {
      char text[64];
      const auto end =
          std::to_chars(text, text + sizeof text, score, std::chars_format::scientific).ptr;
      client.Command({"ZADD", "scores", std::string(text, end), "member"});
      const Value reply = client.Command({"ZSCORE", "scores", "member"});
      EXPECT_EQ(reply.type, protocol == 3 ? ',' : '$');
      EXPECT_EQ(std::strtod(reply.text.c_str(), nullptr), score) << reply.text;
      // Whole numbers in the range of int64 may be printed with all digits.
      if (std::trunc(score) == score && std::fabs(score) < 0x1p63) continue;
      EXPECT_EQ(SignificantDigits(reply.text), SignificantDigits({text, end})) << reply.text;
    }
  }
}

TEST(Differential, ADifferenceIsDetectedAndShrunk) {
  ServerProcess one = ServerProcess::Redis(kRedisOptions);
  ServerProcess two = ServerProcess::Redis(kRedisOptions);
  Player player(one.port(), two.port());
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    Episode episode(seed, 200);
    ASSERT_EQ(player.Play(episode.stream, episode.manner), std::nullopt);
    Step sabotage;
    sabotage.kind = Step::Kind::kOneSided;
    sabotage.commands = {{"ZADD", "b", "1", "intruder"}};
    Step look;
    look.kind = Step::Kind::kIteration;
    look.commands = {{"ZSCAN", "b", "0"}};
    episode.stream.push_back(sabotage);
    episode.stream.push_back(look);
    const std::optional<Difference> difference = player.Play(episode.stream, episode.manner);
    ASSERT_TRUE(difference);
    EXPECT_EQ(difference->step, episode.stream.size() - 1);
    EXPECT_NE(difference->why.find("intruder"), std::string::npos) << difference->why;
    EXPECT_EQ(player.Shrink(episode.stream, episode.manner, *difference).size(), 2U);
  }
}

}  // namespace
}  // namespace laurel::differential
