// Runs the command fuzzer (fuzz/command_fuzz_body.h) on the stored corpus and on random inputs.
//
// LAUREL_TEST_OPS    approximate number of requests (default 200,000, which is 2,000 inputs)
// LAUREL_TEST_SEED   seed of the run; random if not set; always printed
// LAUREL_TEST_INPUT  seed of one input, as a failure prints it: runs only that input
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"
#include "fuzz/command_fuzz_body.h"
#include "fuzz/reply_checker.h"
#include "tests/support/corpus_replay.h"
#include "tests/support/seed.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kOperationsPerInput = 100;
constexpr std::uint64_t kLeastBytes = 20;
constexpr std::uint64_t kMostBytes = 500;

// The input that is running. An assertion in the engine aborts the process; the signal handler then
// prints this number, so that the run can be replayed.
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

// Bytes below 0x70 select commands that add boards and entries; most inputs have more of them.
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

TEST(CommandReplay, EveryCorpusInputPassesAllChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_COMMAND_CORPUS, RunCommands), "");
}

TEST(CommandReplay, RandomInputsPassAllChecks) {
  std::signal(SIGABRT, ReportInputAndDie);
  std::signal(SIGSEGV, ReportInputAndDie);
  if (const auto seed = NumberFromEnvironment("LAUREL_TEST_INPUT")) {
    running_input = *seed;
    EXPECT_EQ(RunCommands(RandomInput(*seed)), "");
    return;
  }
  const std::uint64_t operations = TestOperations();
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

// The fuzzer finds only what its reply checker detects. tests/support/resp_test.cc tests the types
// of each protocol.
TEST(ReplyChecker, AcceptsOnlyCompleteRepliesOfTheProtocol) {
  constexpr auto k2 = wire::Protocol::kResp2;
  const CheckedReply whole = CheckReply(":12\r\n+more", k2);
  EXPECT_EQ(whole.problem, "");
  EXPECT_EQ(whole.bytes, 5U);
  EXPECT_NE(CheckReply("*2\r\n:1\r\n", k2).problem, "");
  EXPECT_NE(CheckReply(":012\r\n", k2).problem, "");
  EXPECT_NE(CheckReply("_\r\n", k2).problem, "");
  EXPECT_EQ(CheckReply("_\r\n", wire::Protocol::kResp3).problem, "");
}

}  // namespace
}  // namespace laurel::fuzz
