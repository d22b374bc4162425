// The fuzzer's conversations without a fuzzer: over the kept corpus, and over random inputs.
//
// LAUREL_TEST_OPS    how many requests, about (default 2,000,000, which is 20,000 inputs)
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
// LAUREL_TEST_INPUT  the seed of one input, as a failure prints it: runs that one alone
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"
#include "fuzz/command_fuzz_body.h"
#include "fuzz/reply_checker.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kDefaultOperations = 2'000'000;
constexpr std::uint64_t kOperationsPerInput = 100;
constexpr std::uint64_t kLeastBytes = 20;
constexpr std::uint64_t kMostBytes = 500;

std::optional<std::uint64_t> NumberFromEnvironment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

// An assertion inside the engine ends the process: then this is all that says how to replay.
volatile std::uint64_t running_input = 0;

extern "C" void ReportInputAndDie(int signal_number) {
  char text[96];
  const int length = std::snprintf(text, sizeof text, "\nDied in LAUREL_TEST_INPUT=%llu\n",
                                   static_cast<unsigned long long>(running_input));
  const ssize_t written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
  static_cast<void>(written);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

// Bytes below 0x70 ask for commands that build boards up, so two inputs of three have more of them.
std::vector<std::uint8_t> RandomInput(std::uint64_t seed) {
  base::Random random(seed);
  const std::uint64_t bounds[] = {256, 0x70, 0x20};
  std::vector<std::uint8_t> bytes(kLeastBytes + random.Below(kMostBytes - kLeastBytes));
  const std::uint64_t mixture = 1 + random.Below(3);
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(random.Below(bounds[random.Below(mixture)]));
  }
  return bytes;
}

TEST(CommandReplay, EveryKeptInputKeepsThePromises) {
  std::size_t inputs = 0;
  for (const auto& file : std::filesystem::directory_iterator(LAUREL_COMMAND_CORPUS)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_EQ(RunCommands(bytes), "") << file.path();
    ++inputs;
  }
  EXPECT_GT(inputs, 0U) << LAUREL_COMMAND_CORPUS;
}

TEST(CommandReplay, RandomInputsKeepThePromises) {
  std::signal(SIGABRT, ReportInputAndDie);
  std::signal(SIGSEGV, ReportInputAndDie);
  if (const auto seed = NumberFromEnvironment("LAUREL_TEST_INPUT")) {
    running_input = *seed;
    EXPECT_EQ(RunCommands(RandomInput(*seed)), "");
    return;
  }
  const std::uint64_t operations =
      NumberFromEnvironment("LAUREL_TEST_OPS").value_or(kDefaultOperations);
  const std::uint64_t inputs = operations / kOperationsPerInput + 1;
  const std::uint64_t seed =
      NumberFromEnvironment("LAUREL_TEST_SEED").value_or(base::SystemEntropy());
  std::printf("LAUREL_TEST_SEED=%llu LAUREL_TEST_OPS=%llu\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(operations));
  std::fflush(stdout);
  base::Random seeds(seed);
  for (std::uint64_t i = 0; i < inputs; ++i) {
    running_input = seeds.Next();
    const std::string failure = RunCommands(RandomInput(running_input));
    ASSERT_EQ(failure, "") << "replay: LAUREL_TEST_INPUT=" << running_input;
  }
}

struct Sample {
  const char* bytes;
  wire::Protocol protocol;
  bool accepted;
};

// The fuzzer sees no more than its checker does.
TEST(ReplyChecker, TakesWhatTheProtocolHasAndNothingElse) {
  constexpr auto k2 = wire::Protocol::kResp2;
  constexpr auto k3 = wire::Protocol::kResp3;
  const Sample samples[] = {
      {"+OK\r\n", k2, true},
      {"+OK\n", k2, false},
      {"-ERR no\r\n", k2, true},
      {"-no\r\n", k2, false},
      {"-ERR a\rb\r\n", k2, false},
      {":12\r\n", k2, true},
      {":012\r\n", k2, false},
      {"$2\r\nab\r\n", k2, true},
      {"$2\r\nabc\r\n", k2, false},
      {"$-1\r\n", k2, true},
      {"$-1\r\n", k3, false},
      {"*-1\r\n", k2, true},
      {"*-1\r\n", k3, false},
      {"_\r\n", k3, true},
      {"_\r\n", k2, false},
      {"*2\r\n:1\r\n:2\r\n", k2, true},
      {"*2\r\n:1\r\n", k2, false},
      {"%1\r\n+a\r\n,1.5\r\n", k3, true},
      {"%1\r\n+a\r\n", k3, false},
      {"%0\r\n", k2, false},
      {",inf\r\n", k3, true},
      {",x\r\n", k3, false},
      {"#t\r\n", k3, true},
      {"#x\r\n", k3, false},
      {"=7\r\ntxt:abc\r\n", k3, true},
      {"=7\r\ntxt:abc\r\n", k2, false},
      {"~1\r\n#f\r\n", k3, true},
  };
  for (const Sample& sample : samples) {
    EXPECT_EQ(CheckReply(sample.bytes, sample.protocol).bytes > 0, sample.accepted)
        << sample.bytes << " in RESP" << static_cast<int>(sample.protocol);
  }
}

}  // namespace
}  // namespace laurel::fuzz
