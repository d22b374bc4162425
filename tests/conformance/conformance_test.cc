// Every host follows the same rules of leaderboards.
//
// LAUREL_TEST_SEED          seed of the run; random if not set; always printed
// LAUREL_TEST_EPISODE       seed of one episode: runs only that episode
// LAUREL_TEST_OPS           100 × the number of random operations per host, 500 × to 4000 × on
//                           hosts that are processes (default 2,000,000)
// LAUREL_WRITE_SCENARIOS    not empty: writes the model's answers into the scenarios, for review
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/conformance/episode.h"
#include "tests/conformance/host.h"
#include "tests/conformance/scenario.h"
#include "tests/support/seed.h"

namespace laurel::conformance {
namespace {

constexpr int kOperationsOfAnEpisode = 150;

std::vector<std::string> ScenarioFiles() {
  std::vector<std::string> paths;
  for (const auto& file : std::filesystem::directory_iterator(LAUREL_SCENARIOS)) {
    paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

class OnHost : public ::testing::TestWithParam<NamedHost> {};

TEST_P(OnHost, EveryScenarioGetsTheExpectedAnswers) {
  int answers = 0;
  for (const std::string& path : ScenarioFiles()) {
    for (const Scenario& scenario : ReadScenarios(path)) {
      const std::unique_ptr<Host> host = GetParam().make(1);
      const std::vector<std::string> known = host->KnownDifferences();
      if (std::find(known.begin(), known.end(), scenario.title) != known.end()) continue;
      for (const std::string& difference : Play(scenario, host.get())) {
        ADD_FAILURE() << path << ", " << scenario.title << ", " << difference;
      }
      EXPECT_EQ(host->Check(), "") << path << ", " << scenario.title;
      answers += static_cast<int>(std::count_if(scenario.lines.begin(), scenario.lines.end(),
                                                [](const auto& l) { return !l.expected.empty(); }));
    }
  }
  EXPECT_GE(answers, 150);
}

TEST_P(OnHost, RandomOperationsGetTheAnswersOfTheModel) {
  const auto run = [&](std::uint64_t seed) {
    const std::unique_ptr<Host> host = GetParam().make(seed);
    const std::string difference = Episode(host.get(), seed).Run(kOperationsOfAnEpisode);
    EXPECT_EQ(difference, "") << "LAUREL_TEST_EPISODE=" << seed;
    return difference.empty();
  };
  if (const auto one = NumberFromEnvironment("LAUREL_TEST_EPISODE")) {
    run(*one);
    return;
  }
  base::Random seeds(TestSeed());
  const std::uint64_t operations = TestOperations() / GetParam().share;
  for (std::uint64_t done = 0; done < operations; done += kOperationsOfAnEpisode) {
    if (!run(seeds.Next())) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, OnHost, ::testing::ValuesIn(Hosts()),
                         [](const auto& host) { return std::string(host.param.name); });

TEST(Scenarios, AnswersOfTheModelAreWrittenOnRequest) {
  if (!NumberFromEnvironment("LAUREL_WRITE_SCENARIOS")) GTEST_SKIP() << "not asked to";
  for (const std::string& path : ScenarioFiles()) {
    const std::string written = WithAnswersOfTheModel(path);
    std::ofstream(path) << written;
  }
}

}  // namespace
}  // namespace laurel::conformance
