// Runs random operations on the library and on the naive model, and compares every reply.
//
// LAUREL_TEST_OPS      number of operations (default 200,000)
// LAUREL_TEST_SEED     seed of the run; random if not set; always printed
// LAUREL_TEST_EPISODE  seed of one episode, as a failure prints it: runs only that episode
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"
#include "model/episode.h"
#include "model/operations.h"
#include "tests/support/seed.h"

namespace laurel::model {
namespace {

// A run with fewer operations is too short to reach every kind of operation.
constexpr std::uint64_t kEnoughForEveryOperation = 500'000;

// Seed of the episode that is running. An assertion in the library aborts the process; the signal
// handler then prints this seed, so that the episode can be replayed.
volatile std::uint64_t running_episode_seed = 0;

extern "C" void ReportEpisodeAndDie(int signal_number) {
  char text[96];
  const int length = std::snprintf(text, sizeof text, "\nDied in LAUREL_TEST_EPISODE=%llu\n",
                                   static_cast<unsigned long long>(running_episode_seed));
  const ssize_t written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
  static_cast<void>(written);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

class RandomModelTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const int signal_number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) {
      std::signal(signal_number, ReportEpisodeAndDie);
    }
  }
  void TearDown() override {
    for (const int signal_number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) {
      std::signal(signal_number, SIG_DFL);
    }
  }

  // Runs one episode. Returns false, and fails the test, if library and model differed.
  bool RunEpisode(std::uint64_t episode_seed, const std::string& run) {
    running_episode_seed = episode_seed;
    Episode episode(EpisodePlan::FromSeed(episode_seed));
    episode.Run();
    operations_ += episode.operations();
    for (std::size_t i = 0; i < kOperationCount; ++i) counts_[i] += episode.counts()[i];
    if (episode.failure().empty()) return true;
    ADD_FAILURE() << run << " " << episode.failure()
                  << "\n  replay: LAUREL_TEST_EPISODE=" << episode_seed;
    return false;
  }

  std::uint64_t operations_ = 0;
  OperationCounts counts_{};
};

TEST_F(RandomModelTest, EveryReplyEqualsTheModelsForAnySpecAndNodeSize) {
  if (const auto episode_seed = NumberFromEnvironment("LAUREL_TEST_EPISODE")) {
    RunEpisode(*episode_seed, "one episode");
    return;
  }
  const std::uint64_t wanted = TestOperations();
  const std::uint64_t seed =
      NumberFromEnvironment("LAUREL_TEST_SEED").value_or(base::SystemEntropy());
  const std::string run = "LAUREL_TEST_SEED=" + std::to_string(seed);
  std::printf("%s LAUREL_TEST_OPS=%llu\n", run.c_str(), static_cast<unsigned long long>(wanted));
  std::fflush(stdout);

  base::Random seeds(seed);
  while (operations_ < wanted) {
    if (!RunEpisode(seeds.Next(), run)) return;
  }
  if (operations_ < kEnoughForEveryOperation) return;
  for (const OperationInfo& info : kOperations) {
    const std::uint64_t count = counts_[static_cast<std::size_t>(info.operation)];
    EXPECT_GE(count, operations_ / 20'000) << info.name << " was hardly tested; " << run;
  }
}

}  // namespace
}  // namespace laurel::model
