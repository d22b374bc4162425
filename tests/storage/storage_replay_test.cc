// Runs the bodies of the storage fuzzers without a fuzzer, on the kept corpus and on random inputs.
//
// LAUREL_TEST_OPS    a thousandth of it is the number of random inputs (default 2,000,000)
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/journal/log_effects.h"
#include "fuzz/storage_fuzz_body.h"
#include "tests/support/corpus_replay.h"
#include "tests/support/seed.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint64_t kDefaultOperations = 2'000'000;
constexpr std::uint64_t kOperationsPerInput = 1000;

TEST(StorageReplay, EveryLogOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/log", RunLog), "");
}

TEST(StorageReplay, EverySnapshotOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/snapshot", RunSnapshot), "");
}

// Appends an effect on one of a few boards and members. It seldom fits the effects before it.
void AppendEffect(base::Random* random, std::string* to) {
  using Kind = core::Effect::Kind;
  engine::LogWriter log(to);
  leaderboard::EffectWriter& writer = log.effects();
  const std::uint64_t id = 1 + random->Below(4);
  const auto number = static_cast<std::uint32_t>(1 + random->Below(4));
  const std::string member = "m" + std::to_string(random->Below(12));
  const unsigned words = 1 + static_cast<unsigned>(random->Below(2));
  Spec spec = random->OneIn(2) ? Spec() : Spec::SortedSet();
  const Instance day{Period::kDay, 86'400'000'000, 2 * 86'400'000'000, "1970-01-02"};
  core::Effect effect;
  effect.member = member;
  effect.words = {random->Below(9), random->Next()};
  switch (random->Below(22)) {
    case 0:
    case 1:
      return log.Create(id, "b" + std::to_string(random->Below(4)), spec);
    case 2:
      return log.Select(id);
    case 3:
      return random->OneIn(4) ? log.DropBelow(id) : log.Drop(id, "b1", spec, false);
    case 4:
      return log.Name("b" + std::to_string(random->Below(4)), "b1", spec);
    case 5:
      effect.kind = Kind::kHide;
      return writer.Entry(effect, words);
    case 6:
      effect.kind = Kind::kShow;
      return writer.Entry(effect, words);
    case 7:
      effect.kind = Kind::kDelete;
      return writer.Entry(effect, words);
    case 8:
      effect.kind = Kind::kClear;
      return random->OneIn(4) ? writer.Entry(effect, words) : log.Expiry(5);
    case 9:
      spec.policy = Policy::kBest;
      spec.cap = random->Below(9);
      return writer.Alter(spec);
    case 10:
      return writer.Remember({random->Below(9), 5, random->Next(), "id", "outcome"});
    case 11:
      return random->OneIn(2) ? writer.ForgetBefore(random->Below(9)) : writer.Written(7);
    case 12:
      spec = Spec();
      spec.periods = {Period::kDay};
      return log.Create(id, "p" + std::to_string(random->Below(4)), spec);
    case 13:
      return writer.CreateInstance(number, day);
    case 14:
      return random->OneIn(2) ? writer.Select({number, Period::kDay, 1})
                              : writer.DropInstance(number);
    case 15:
      return random->OneIn(2) ? writer.Turned(9) : writer.Close({"note", 3, 2, {}});
    case 16: {
      const core::KeyRange range{{random->Below(9)},
                                 member,
                                 {random->Below(9)},
                                 "m" + std::to_string(random->Below(12)),
                                 3};
      effect.kind = Kind::kDeleteRange;
      effect.range = &range;
      effect.evicted = random->OneIn(2);
      return writer.Entry(effect, words);
    }
    case 17:
      return random->OneIn(2) ? writer.Mark(member) : writer.Unmark(member);
    default:
      return writer.Entry(effect, words);
  }
}

// Makes an input as the fuzzer bodies read it: frames of effects.
std::vector<std::uint8_t> RandomInput(base::Random* random, bool snapshot) {
  std::string bytes;
  const auto byte = [&](std::uint64_t value) { bytes.push_back(static_cast<char>(value)); };
  if (snapshot) {
    byte(random->Below(4));
    byte(random->Below(4));
    byte(random->Below(9));
    byte(random->Below(256));
  }
  if (!snapshot) byte(random->Below(3));  // number of segments
  const std::uint64_t frames = 1 + random->Below(12);
  byte(frames - 1);
  for (std::uint64_t i = 0; i < frames; ++i) {
    std::string payload;
    for (std::uint64_t left = random->Below(12); left > 0 && payload.size() < 200; --left) {
      AppendEffect(random, &payload);
    }
    payload.resize(std::min<std::size_t>(payload.size(), 255));
    byte(random->OneIn(12) ? random->Below(256) & ~std::uint64_t{1} : 2);
    byte(payload.size());
    bytes += payload;
  }
  return {bytes.begin(), bytes.end()};
}

TEST(StorageReplay, RandomInputsPassTheChecks) {
  base::Random random(TestSeed());
  const std::uint64_t operations =
      NumberFromEnvironment("LAUREL_TEST_OPS").value_or(kDefaultOperations);
  for (std::uint64_t i = operations / kOperationsPerInput; i > 0; --i) {
    ASSERT_EQ(RunLog(RandomInput(&random, false)), "") << i << " to go";
    ASSERT_EQ(RunSnapshot(RandomInput(&random, true)), "") << i << " to go";
  }
}

}  // namespace
}  // namespace laurel::fuzz
