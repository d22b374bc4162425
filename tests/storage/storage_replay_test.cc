// Runs the bodies of the storage fuzzers without a fuzzer, on the kept corpus and on random inputs.
//
// LAUREL_TEST_OPS    a thousandth of it is the number of random inputs (default 200,000)
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

constexpr std::uint64_t kOperationsPerInput = 1000;

TEST(StorageReplay, EveryLogOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/log", RunLog), "");
}

TEST(StorageReplay, EverySnapshotOfTheCorpusPassesTheChecks) {
  EXPECT_EQ(ReplayCorpus(LAUREL_CORPUS "/snapshot", RunSnapshot), "");
}

// One of a few boards, instances and members, for the next effect.
struct Subject {
  base::Random* random;
  std::uint64_t id = 1 + random->Below(4);
  std::uint32_t number = static_cast<std::uint32_t>(1 + random->Below(4));
  std::string member = "m" + std::to_string(random->Below(12));
  unsigned words = 1 + static_cast<unsigned>(random->Below(2));
  Spec spec = random->OneIn(2) ? Spec() : Spec::SortedSet();
  core::Words score = {random->Below(9), random->Next()};

  std::string AnyName(char first) const { return first + std::to_string(random->Below(4)); }
};

// AppendEffect for effects on boards and their names.
void AppendBoardEffect(std::uint64_t kind, const Subject& subject, engine::LogWriter* log) {
  base::Random* random = subject.random;
  Spec with_periods;
  with_periods.periods = {Period::kDay};
  switch (kind) {
    case 2:
      return log->Select(subject.id);
    case 3:
      return random->OneIn(4) ? log->DropBelow(subject.id)
                              : log->Drop(subject.id, "b1", subject.spec, false);
    case 4:
      return log->Name(subject.AnyName('b'), "b1", subject.spec);
    case 12:
      return log->Create(subject.id, subject.AnyName('p'), with_periods);
    default:
      return log->Create(subject.id, subject.AnyName('b'), subject.spec);
  }
}

// AppendEffect for effects on entries.
void AppendEntry(std::uint64_t kind, const Subject& subject, leaderboard::EffectWriter* writer) {
  using Kind = core::Effect::Kind;
  base::Random* random = subject.random;
  core::Effect effect;
  effect.member = subject.member;
  effect.words = subject.score;
  core::KeyRange range;
  std::string last_member;
  switch (kind) {
    case 5:
      effect.kind = Kind::kHide;
      break;
    case 6:
      effect.kind = Kind::kShow;
      break;
    case 7:
      effect.kind = Kind::kDelete;
      break;
    case 8:
      effect.kind = Kind::kClear;
      break;
    case 16:
      range.first = {random->Below(9)};
      range.first_member = subject.member;
      range.last = {random->Below(9)};
      last_member = "m" + std::to_string(random->Below(12));
      range.last_member = last_member;
      range.count = 3;
      effect.kind = Kind::kDeleteRange;
      effect.range = &range;
      effect.evicted = random->OneIn(2);
      break;
    default:
      break;  // a put
  }
  writer->Entry(effect, subject.words);
}

// Appends an effect on one of a few boards and members. It seldom fits the effects before it.
void AppendEffect(base::Random* random, std::string* to) {
  engine::LogWriter log(to);
  leaderboard::EffectWriter& writer = log.effects();
  Subject subject{random};
  const Instance day{Period::kDay, 86'400'000'000, 2 * 86'400'000'000, "1970-01-02"};
  const std::uint64_t kind = random->Below(22);
  switch (kind) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 12:
      return AppendBoardEffect(kind, subject, &log);
    case 8:
      return random->OneIn(4) ? AppendEntry(kind, subject, &writer) : log.Expiry(5);
    case 9:
      subject.spec.policy = Policy::kBest;
      subject.spec.cap = random->Below(9);
      return writer.Alter(subject.spec);
    case 10:
      return writer.Remember({random->Below(9), 5, random->Next(), "id", "outcome"});
    case 11:
      return random->OneIn(2) ? writer.ForgetBefore(random->Below(9)) : writer.Written(7);
    case 13:
      return writer.CreateInstance(subject.number, day);
    case 14:
      return random->OneIn(2) ? writer.Select({subject.number, Period::kDay, 1})
                              : writer.DropInstance(subject.number);
    case 15:
      return random->OneIn(2) ? writer.Turned(9) : writer.Close({"note", 3, 2, {}});
    case 17:
      return random->OneIn(2) ? writer.Mark(subject.member) : writer.Unmark(subject.member);
    default:
      return AppendEntry(kind, subject, &writer);
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
  const std::uint64_t operations = TestOperations();
  for (std::uint64_t i = operations / kOperationsPerInput; i > 0; --i) {
    ASSERT_EQ(RunLog(RandomInput(&random, false)), "") << i << " to go";
    ASSERT_EQ(RunSnapshot(RandomInput(&random, true)), "") << i << " to go";
  }
}

}  // namespace
}  // namespace laurel::fuzz
