#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "engine/disk/restorer.h"
#include "engine/disk/snapshot_walk.h"
#include "engine/journal/journal.h"
#include "engine/keyspace/digest.h"
#include "engine/keyspace/keyspace.h"
#include "leaderboard/no_answer.h"

namespace laurel::engine {
namespace {

class JournalTest : public testing::Test {
 protected:
  JournalTest() { live_.journal().Enable(); }

  void Put(NamedBoard* named, std::string_view member, std::int64_t score,
           std::optional<std::string_view> id = std::nullopt) {
    Put(named, member, Score{score}, id);
  }
  void Put(NamedBoard* named, std::string_view member, const Score& value,
           std::optional<std::string_view> id = std::nullopt) {
    leaderboard::Submit submit;
    submit.mode = WriteMode::kSet;
    submit.member = member;
    submit.values.score = &value;
    submit.id = id;
    leaderboard::NoAnswer answer;
    EXPECT_TRUE(live_.Execute(named, submit, named->name, ++stamp_, &answer));
  }
  // Replays the journal so far as one batch. Returns the digest of the resulting state.
  std::uint64_t Replayed() {
    Keyspace keys(base::SystemMemory(), 2);
    Restorer restorer(&keys);
    restorer.Reset();
    const Status status = restorer.OnBatch(1, live_.journal().Finish(77), false);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    EXPECT_TRUE(restorer.Finish().ok());
    EXPECT_EQ(restorer.last_stamp(), 77);
    return DigestOf(&keys).value;
  }

  Keyspace live_{base::SystemMemory(), 1};
  Stamp stamp_ = 0;
};

TEST_F(JournalTest, IsEmptyUntilSomethingChanges) {
  EXPECT_TRUE(live_.journal().empty());
  ASSERT_TRUE(live_.Declare("a", Spec()).ok());
  EXPECT_FALSE(live_.journal().empty());
  live_.journal().Reset();
  EXPECT_TRUE(live_.journal().empty());
  ASSERT_TRUE(live_.Declare("a", Spec()).ok());  // declared already
  EXPECT_TRUE(live_.journal().empty());
}

TEST_F(JournalTest, AWriteThatChangesNothingIsNotNoted) {
  NamedBoard* a = *live_.Declare("a", Spec());
  Put(a, "m", 1);
  live_.journal().Reset();
  Put(a, "m", 1);
  EXPECT_TRUE(live_.journal().empty());
  EXPECT_TRUE(live_.journal().boards().empty());
}

// If a sequence number were reused, a replay that also reads the log of the first request would
// skip the second one.
TEST_F(JournalTest, ASnapshotKeepsTheNextRequestSequenceNumberEvenIfNoIdIsLeft) {
  NamedBoard* a = *live_.Declare("a", Spec());
  for (const char* id : {"one", "two", "three"}) Put(a, "m", 1, id);
  a->board.ForgetRequests(nullptr);
  std::string snapshot;
  std::vector<std::size_t> ends;
  EXPECT_FALSE(SnapshotWalk(&live_).Next(100, &snapshot, &ends));
  Keyspace keys(base::SystemMemory(), 2);
  Restorer restorer(&keys);
  restorer.Reset();
  ASSERT_TRUE(restorer.OnSnapshot(snapshot).ok());
  ASSERT_TRUE(restorer.OnSnapshotEnd({}).ok());
  ASSERT_TRUE(restorer.Finish().ok());
  EXPECT_EQ(keys.Find("a")->board.requests()->next_sequence(), 4U);
}

TEST_F(JournalTest, NotesNothingBeforeItIsEnabled) {
  Keyspace keys(base::SystemMemory(), 1);
  ASSERT_TRUE(keys.Declare("a", Spec()).ok());
  EXPECT_TRUE(keys.journal().empty());
}

TEST_F(JournalTest, SelectsABoardOnceForConsecutiveEffects) {
  NamedBoard* a = *live_.Declare("a", Spec());
  NamedBoard* b = *live_.Declare("b", Spec());
  Put(a, "m", 1);
  const std::size_t before = live_.journal().size();
  Put(a, "m", 2);
  const std::size_t same = live_.journal().size() - before;
  Put(b, "m", 2);
  const std::size_t other = live_.journal().size() - before - same;
  EXPECT_EQ(other, same + 2);
}

TEST_F(JournalTest, AReplayedBatchGivesTheLiveState) {
  NamedBoard* a = *live_.Declare("a", Spec());
  Put(a, "m", 1);
  Put(a, "n", 2);
  live_.SetExpiry(a, 5000);
  live_.Copy(*a, "copy");
  live_.Rename(a, "b");  // leaves `a` declared
  live_.SetTemplate({"x*", Spec()});
  NamedBoard* set = *live_.Replace("set", Spec::SortedSet());
  Put(set, "m", Score::Double(1.5));
  EXPECT_EQ(Replayed(), DigestOf(&live_).value);
  live_.Delete("b");
  live_.Drop(live_.Find("copy"));
  live_.DeleteTemplate("x*");
  EXPECT_EQ(Replayed(), DigestOf(&live_).value);
  live_.Flush();
  ASSERT_TRUE(live_.Declare("after", Spec()).ok());
  EXPECT_EQ(Replayed(), DigestOf(&live_).value);
}

// Between S and E a batch may drop a board that the snapshot does not have, and then continue with
// the board that it had selected before.
TEST_F(JournalTest, DroppingAnUnknownBoardKeepsTheSelectedBoardSelected) {
  NamedBoard* kept = *live_.Declare("kept", Spec());
  const std::uint64_t id = kept->id;
  const std::uint64_t gone = (*live_.Declare("gone", Spec()))->id;
  live_.journal().Reset();
  Put(kept, "m", 1);
  live_.Rename(kept, "gone");
  const std::string batch(live_.journal().Finish(1));

  Keyspace keys(base::SystemMemory(), 2);
  Restorer restorer(&keys);
  restorer.Reset();
  std::string snapshot;
  LogWriter(&snapshot).Create(id, "kept", Spec());
  ASSERT_TRUE(restorer.OnSnapshot(snapshot).ok());
  ASSERT_TRUE(restorer.OnSnapshotEnd({}).ok());
  ASSERT_EQ(keys.catalog().FindById(gone), nullptr);
  ASSERT_TRUE(restorer.OnBatch(1, batch, true).ok());
  EXPECT_EQ(keys.catalog().FindById(id)->name, "gone");
  ASSERT_TRUE(restorer.Finish().ok());
  EXPECT_EQ(DigestOf(&keys).value, DigestOf(&live_).value);
}

// A walk visits each board once, so it never writes such a snapshot.
TEST_F(JournalTest, ASnapshotThatCreatesABoardTwiceIsRefused) {
  Keyspace keys(base::SystemMemory(), 2);
  Restorer restorer(&keys);
  restorer.Reset();
  std::string snapshot;
  LogWriter writer(&snapshot);
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
