#include "engine/journal/journal.h"

#include <string>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "engine/disk/restorer.h"
#include "engine/keyspace/digest.h"
#include "engine/keyspace/keyspace.h"

namespace laurel::engine {
namespace {

core::Effect Put(const Key& key, std::string_view member, std::int64_t score) {
  core::Effect effect;
  effect.member = member;
  effect.words = key.board.layout().Encode(Score{score}, 1);
  return effect;
}

class JournalTest : public testing::Test {
 protected:
  JournalTest() { live_.journal().Enable(); }

  void Apply(Key* key, const core::Effect& effect) {
    core::EffectBatch effects;
    effects.Add(effect);
    live_.Apply(key, effects);
  }
  // The state that a batch with everything so far gives.
  std::uint64_t Replayed() {
    Keyspace keys(base::SystemMemory(), 2);
    Restorer restorer(&keys);
    restorer.Reset();
    const Status status = restorer.OnBatch(1, live_.journal().Finish(77), false);
    EXPECT_TRUE(status.ok());
    EXPECT_TRUE(restorer.Finish().ok());
    EXPECT_EQ(restorer.last_stamp(), 77);
    return DigestOf(&keys).value;
  }

  Keyspace live_{base::SystemMemory(), 1};
};

TEST_F(JournalTest, IsEmptyUntilSomethingHappens) {
  EXPECT_TRUE(live_.journal().empty());
  EXPECT_FALSE(live_.Drop("absent"));
  EXPECT_TRUE(live_.journal().empty());
  ASSERT_TRUE(live_.Declare("a", Spec()).ok());
  EXPECT_FALSE(live_.journal().empty());
  live_.journal().Reset();
  EXPECT_TRUE(live_.journal().empty());
  ASSERT_TRUE(live_.Declare("a", Spec()).ok());  // which it is already
  EXPECT_TRUE(live_.journal().empty());
}

// A number that is given again would be passed over where the log of the first one is read too.
TEST_F(JournalTest, ASnapshotHoldsTheNumberOfTheNextRequestEvenIfNoneIsLeft) {
  Key* a = *live_.Declare("a", Spec());
  for (const char* id : {"one", "two", "three"}) live_.Remember(a, id, 7, {});
  const auto next_restored = [&] {
    std::string snapshot;
    EffectWriter writer(&snapshot);
    WriteBoard(*a, &writer);
    Keyspace keys(base::SystemMemory(), 2);
    Restorer restorer(&keys);
    restorer.Reset();
    EXPECT_TRUE(restorer.OnSnapshot(snapshot).ok());
    EXPECT_TRUE(restorer.OnSnapshotEnd({}).ok());
    EXPECT_TRUE(restorer.Finish().ok());
    return keys.Find("a")->Requests().next_sequence();
  };
  const std::uint64_t next = a->requests->next_sequence();
  EXPECT_EQ(next_restored(), a->requests->Oldest().sequence);  // those that are there follow
  a->requests->ForgetBefore(next);
  EXPECT_EQ(next_restored(), next);
}

TEST_F(JournalTest, NotesNothingBeforeItIsEnabled) {
  Keyspace keys(base::SystemMemory(), 1);
  ASSERT_TRUE(keys.Declare("a", Spec()).ok());
  EXPECT_TRUE(keys.journal().empty());
}

TEST_F(JournalTest, NamesABoardOnceForEffectsInARow) {
  Key* a = *live_.Declare("a", Spec());
  Key* b = *live_.Declare("b", Spec());
  Apply(a, Put(*a, "m", 1));
  const std::size_t before = live_.journal().size();
  Apply(a, Put(*a, "m", 2));
  const std::size_t same = live_.journal().size() - before;
  Apply(b, Put(*b, "m", 2));
  const std::size_t other = live_.journal().size() - before - same;
  EXPECT_EQ(other, same + 2);
}

TEST_F(JournalTest, ABatchReplayedIsTheLiveState) {
  Key* a = *live_.Declare("a", Spec());
  Apply(a, Put(*a, "m", 1));
  Apply(a, Put(*a, "n", 2));
  live_.SetExpiry(a, 5000);
  live_.Copy(*a, "copy");
  live_.Rename(a, "b");  // leaves `a` declared
  live_.SetTemplate({"x*", Spec()});
  Key* set = *live_.Replace("set", Spec::SortedSet());
  core::Effect effect = Put(*set, "m", 0);
  effect.words = set->board.layout().Encode(Score::Double(1.5), 0);
  Apply(set, effect);
  EXPECT_EQ(Replayed(), DigestOf(&live_).value);
  live_.Delete("b");
  live_.Drop("copy");
  live_.DeleteTemplate("x*");
  EXPECT_EQ(Replayed(), DigestOf(&live_).value);
  live_.Flush();
  ASSERT_TRUE(live_.Declare("after", Spec()).ok());
  EXPECT_EQ(Replayed(), DigestOf(&live_).value);
}

// Between S and E a batch may drop a board that the snapshot does not have, and go on with the one
// that it had selected before.
TEST_F(JournalTest, AnUnknownBoardThatIsDroppedLeavesTheSelectedOneSelected) {
  Key* kept = *live_.Declare("kept", Spec());
  const std::uint64_t id = kept->id;
  const std::uint64_t gone = (*live_.Declare("gone", Spec()))->id;
  live_.journal().Reset();
  Apply(kept, Put(*kept, "m", 1));
  live_.Rename(kept, "gone");
  const std::string batch(live_.journal().Finish(1));

  Keyspace keys(base::SystemMemory(), 2);
  Restorer restorer(&keys);
  restorer.Reset();
  std::string snapshot;
  EffectWriter(&snapshot).Create(id, "kept", Spec());
  ASSERT_TRUE(restorer.OnSnapshot(snapshot).ok());
  ASSERT_TRUE(restorer.OnSnapshotEnd({}).ok());
  ASSERT_EQ(keys.catalog().FindById(gone), nullptr);
  ASSERT_TRUE(restorer.OnBatch(1, batch, true).ok());
  EXPECT_EQ(keys.catalog().FindById(id)->name, "gone");
  ASSERT_TRUE(restorer.Finish().ok());
  EXPECT_EQ(DigestOf(&keys).value, DigestOf(&live_).value);
}

// Such a snapshot is not written by a walk: boards come in order, one that begins again at once.
TEST_F(JournalTest, ASnapshotThatComesBackToAnEarlierBoardIsRefused) {
  Keyspace keys(base::SystemMemory(), 2);
  Restorer restorer(&keys);
  restorer.Reset();
  std::string snapshot;
  EffectWriter writer(&snapshot);
  writer.Create(1, "a", Spec());
  writer.Create(1, "a", Spec());
  writer.Create(2, "b", Spec::SortedSet());
  EXPECT_TRUE(restorer.OnSnapshot(snapshot).ok());
  snapshot.clear();
  writer.Create(1, "a", Spec());
  EXPECT_FALSE(restorer.OnSnapshot(snapshot).ok());
  keys.catalog().AbandonRestore();
}

}  // namespace
}  // namespace laurel::engine
