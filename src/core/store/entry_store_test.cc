#include "core/store/entry_store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;
constexpr unsigned kPacked = 16;  // most entries of the packed form; six return to it

Shape SmallShape() {
  Shape shape;
  shape.packed_entries = kPacked;
  shape.leaf_entries = 4;
  shape.inner_children = 4;
  shape.segment_buckets = 9;
  return shape;
}

class EntryStoreTest : public testing::Test {
 protected:
  static std::string Name(std::uint64_t i) {
    return (i % 2 == 0 ? "" : "user:") + std::to_string(i);
  }
  [[nodiscard]] Words WordsOf(std::int64_t score, Stamp stamp) const {
    return layout_.Encode({score}, stamp);
  }
  void Insert(std::string_view member, std::int64_t score, Stamp stamp,
              std::string_view meta = "") {
    store_.Insert(MemberKey(member), WordsOf(score, stamp), meta);
  }
  void Erase(std::string_view member) {
    store_.Erase(store_.Find(MemberKey(member)), MemberKey(member));
  }
  [[nodiscard]] bool IsPacked() const { return store_.LeafFill() == 0; }

  // The answers of all reads of the store, as text.
  [[nodiscard]] std::string Answers() const {
    std::string answers;
    store_.ForRange(0, store_.size(), false, [&](const EntryView& view) {
      const Location location = store_.Find(MemberKey(view.member));
      const std::uint64_t index = store_.IndexOf(location);
      const Probe probe{view.words, Probe::Among::kBeforeAll};
      answers += std::string(view.member) + " " + std::to_string(layout_.ScoreOf(view.words)[0]) +
                 " " + std::to_string(layout_.StampOf(view.words)) + " " + std::string(view.meta) +
                 " index " + std::to_string(index) + " before " +
                 std::to_string(store_.CountBefore(probe)) + " distinct " +
                 std::to_string(store_.DistinctScores(index + 1)) + "\n";
      EXPECT_EQ(store_.At(index), location);
      EXPECT_TRUE(layout_.SameScore(store_.WordsAt(location), view.words));
      EXPECT_EQ(store_.MetaAt(location), view.meta);
      return true;
    });
    std::string backward;
    store_.ForRange(store_.size() - 1, store_.size(), true, [&](const EntryView& view) {
      backward.insert(0, std::string(view.member) + ",");
      return true;
    });
    return answers + backward;
  }

  base::CountingMemory memory_{base::SystemMemory()};
  Environment environment_{&memory_, kSeed, SmallShape()};
  KeyLayout layout_{Spec()};
  EntryStore store_{&layout_, &environment_};
};

TEST_F(EntryStoreTest, TheEnvironmentKnowsTheNumberOfAllEntries) {
  const Totals& totals = environment_.totals();
  base::Random random(3);
  std::optional<EntryStore> other(std::in_place, &layout_, &environment_);
  for (int step = 0; step < 3'000; ++step) {
    EntryStore& store = random.OneIn(3) ? *other : store_;
    const std::string name = Name(static_cast<unsigned>(random.Below(100)));
    const MemberKey member(name);
    const Location found = store.Find(member);
    const std::int64_t score = static_cast<std::int64_t>(random.Below(20));
    if (random.OneIn(300)) {
      store.Clear();
    } else if (random.OneIn(50) && store.size() > 0) {
      const std::uint64_t first = random.Below(store.size());
      store.EraseRange(first, 1 + random.Below(store.size() - first));
    } else if (found == kNowhere) {
      store.Insert(member, WordsOf(score, step), "");
    } else if (random.OneIn(2)) {
      store.Update(found, member, WordsOf(score, step), "meta");
    } else {
      store.Erase(found, member);
    }
    ASSERT_EQ(totals.entries, store_.size() + other->size()) << "step " << step;
  }
  store_.Clear();
  store_.TakeFrom(&*other);
  EXPECT_EQ(totals.entries, store_.size());
  other.reset();
  EXPECT_EQ(totals.entries, store_.size());
}

// Loads entries of which some come twice, of every size around the change of the form.
TEST_F(EntryStoreTest, TheEnvironmentKnowsTheNumberOfLoadedEntries) {
  for (unsigned count = 0; count < 3 * kPacked; ++count) {
    for (const bool finish : {false, true}) {
      EntryStore store(&layout_, &environment_);
      EntryStore::Loader loader(&store);
      for (unsigned i = 0; i < count; ++i) {
        ASSERT_TRUE(loader.Add(MemberKey(Name(i - i % 3)), WordsOf(i, i), ""));
      }
      if (finish) loader.Finish();
      EXPECT_EQ(environment_.totals().entries, store.size()) << count;
    }
    EXPECT_EQ(environment_.totals().entries, 0U) << count;
  }
}

TEST_F(EntryStoreTest, OneEntryTooManyLeavesThePackedForm) {
  for (unsigned i = 0; i < kPacked; ++i) Insert(Name(i), i % 5, i, i % 3 == 0 ? "meta" : "");
  EXPECT_TRUE(IsPacked());
  Insert("last", -1, 99);
  EXPECT_FALSE(IsPacked());
  EXPECT_EQ(store_.size(), kPacked + 1);
  EXPECT_EQ(store_.Validate(), "");
}

TEST_F(EntryStoreTest, HasRoomForManyWritesWhoseBytesFit) {
  for (unsigned i = 0; i <= kPacked; ++i) Insert(Name(i), i, i);
  ASSERT_FALSE(IsPacked());
  EXPECT_TRUE(store_.HasRoom());
  EXPECT_TRUE(store_.HasRoom(1, kMaxMemberBytes + kMaxMetaBytes));
  EXPECT_TRUE(store_.HasRoom(100'000, 100'000 * (kMaxMemberBytes + kMaxMetaBytes)));
  EXPECT_TRUE(store_.HasRoom(1'000'000, 20'000'000));
  EXPECT_FALSE(store_.HasRoom(1'000'000, std::size_t{16} << 30)) << "a board has 16 GiB";
  EXPECT_FALSE(store_.HasRoom(1'000'000'000, 1'000'000'000));
}

TEST_F(EntryStoreTest, BothFormsGiveTheSameAnswers) {
  for (unsigned i = 0; i < kPacked; ++i) Insert(Name(i), i % 5, i, i % 3 == 0 ? "meta" : "");
  ASSERT_TRUE(IsPacked());
  const std::string packed = Answers();
  Insert("one more", 3, 50);
  Erase("one more");
  ASSERT_FALSE(IsPacked());
  EXPECT_EQ(Answers(), packed);
}

TEST_F(EntryStoreTest, ReturnsToThePackedFormWithTheSameAnswers) {
  for (unsigned i = 0; i < 100; ++i) Insert(Name(i), i % 5, i, i % 3 == 0 ? "meta" : "");
  for (unsigned i = 0; i < 94; ++i) {
    ASSERT_FALSE(IsPacked()) << 100 - i << " entries";
    Erase(Name(i));
  }
  ASSERT_TRUE(IsPacked());
  const std::string packed = Answers();
  EXPECT_EQ(store_.Validate(), "");
  for (unsigned i = 0; i < kPacked; ++i) Insert("x" + std::to_string(i), 1, i);
  for (unsigned i = 0; i < kPacked - 1; ++i) Erase("x" + std::to_string(i));
  ASSERT_FALSE(IsPacked());
  Erase("x" + std::to_string(kPacked - 1));
  EXPECT_EQ(Answers(), packed);
}

TEST_F(EntryStoreTest, FewEntriesWithManyBytesLeaveThePackedForm) {
  Insert("a", 1, 1, std::string(3000, 'm'));
  EXPECT_TRUE(IsPacked());
  Insert("b", 2, 2, std::string(3000, 'm'));
  EXPECT_FALSE(IsPacked());
  EXPECT_EQ(store_.MetaAt(store_.Find(MemberKey("a"))), std::string(3000, 'm'));
  Insert("c", 3, 3);
  Erase("a");
  EXPECT_FALSE(IsPacked()) << "half of what it holds at most: no change of form at every write";
  Erase("b");
  EXPECT_TRUE(IsPacked());
  EXPECT_EQ(store_.Validate(), "");
}

TEST_F(EntryStoreTest, AnUpdateWithLongMetaLeavesThePackedForm) {
  for (unsigned i = 0; i < 5; ++i) Insert(Name(i), i, i, std::string(500, 'm'));
  const std::string long_meta(4096, 'x');
  store_.Update(store_.Find(MemberKey(Name(2))), MemberKey(Name(2)), WordsOf(9, 9), long_meta);
  EXPECT_FALSE(IsPacked());
  EXPECT_EQ(store_.MetaAt(store_.At(0)), long_meta);
  EXPECT_EQ(store_.size(), 5U);
  EXPECT_EQ(store_.Validate(), "");
}

TEST_F(EntryStoreTest, ErasingOneByOneAndClearingFreeTheMemory) {
  for (const bool one_by_one : {true, false}) {
    for (unsigned i = 0; i < 5'000; ++i) Insert(Name(i), i, i, i % 10 == 0 ? "meta" : "");
    EXPECT_GT(memory_.bytes_in_use(), 200'000U);
    EXPECT_GT(store_.MemoryUsage(), memory_.bytes_in_use() * 9 / 10);
    EXPECT_LT(store_.MemoryUsage(), memory_.bytes_in_use() * 11 / 10);
    for (unsigned i = 0; one_by_one && i < 5'000; ++i) Erase(Name(i));
    if (!one_by_one) store_.Clear();
    EXPECT_FALSE(environment_.Reclaim(SIZE_MAX));
    EXPECT_EQ(store_.size(), 0U);
    EXPECT_EQ(store_.MemoryUsage(), 0U);
    EXPECT_LT(memory_.bytes_in_use(), 256U);
  }
}

TEST_F(EntryStoreTest, GenerationChangesWhenLocationsBecomeInvalid) {
  for (unsigned i = 0; i < 3; ++i) Insert(Name(i), i, i);
  std::uint64_t generation = store_.generation();
  const auto changed = [&] { return std::exchange(generation, store_.generation()) != generation; };
  Insert("p", 9, 9);
  EXPECT_TRUE(changed()) << "packed entries shift";
  for (unsigned i = 3; i < 40; ++i) Insert(Name(i), i, i);
  EXPECT_TRUE(changed()) << "the form has changed";
  const Location kept = store_.Find(MemberKey("p"));
  Insert("q", 8, 8);
  store_.Update(kept, MemberKey("p"), WordsOf(1, 99), "");
  EXPECT_FALSE(changed()) << "records stay where they are";
  EXPECT_EQ(store_.Find(MemberKey("p")), kept);
  store_.Update(kept, MemberKey("p"), WordsOf(1, 99), "meta");
  EXPECT_TRUE(changed()) << "a record that gets meta moves";
  Erase("q");
  EXPECT_TRUE(changed());
}

TEST_F(EntryStoreTest, EveryEntryIsFoundAfterALoadInOrderInEitherForm) {
  for (const unsigned count : {0U, 1U, kPacked, kPacked + 1, 500U}) {
    Environment environment(&memory_, kSeed, SmallShape());
    EntryStore loaded(&layout_, &environment);
    EntryStore::Loader loader(&loaded);
    for (unsigned i = 0; i < count; ++i) {
      ASSERT_TRUE(loader.Add(MemberKey(Name(i)), WordsOf(-std::int64_t{i}, i), "m"));
    }
    loader.Finish();
    EXPECT_EQ(loaded.size(), count);
    EXPECT_EQ(loaded.Validate(), "");
    for (unsigned i = 0; i < count; ++i) {
      EXPECT_EQ(loaded.IndexOf(loaded.Find(MemberKey(Name(i)))), i);
    }
  }
}

TEST_F(EntryStoreTest, AScanReturnsEachEntryOnceAcrossChangesOfForm) {
  for (unsigned i = 0; i < 100; ++i) Insert(Name(i), i, i);
  std::map<std::string, int> visits;
  std::uint64_t cursor = 0;
  unsigned steps = 0;
  do {
    cursor =
        store_.Scan(cursor, [&](const EntryView& view) { ++visits[std::string(view.member)]; });
    if (++steps != 3) continue;
    for (unsigned i = 0; i < 94; ++i) Erase(Name(i));
    EXPECT_TRUE(IsPacked()) << "the rest of the scan runs over the other form";
  } while (cursor != 0);
  EXPECT_GE(steps, 3U);
  for (unsigned i = 94; i < 100; ++i) EXPECT_EQ(visits[Name(i)], 1) << Name(i);
  for (const auto& [member, count] : visits) EXPECT_LE(count, 1) << member;
}

TEST_F(EntryStoreTest, ClearLeavesManyEntriesToReclaimPageByPage) {
  for (unsigned i = 0; i < 30'000; ++i) Insert(Name(i), i, i);
  std::size_t before = memory_.bytes_in_use();
  store_.Clear();
  EXPECT_EQ(store_.size(), 0U);
  EXPECT_EQ(memory_.bytes_in_use(), before) << "nothing is freed yet";
  int slices = 0;
  while (environment_.Reclaim(1)) {
    ++slices;
    EXPECT_LE(before - std::min(before, memory_.bytes_in_use()), kPageBytes + kExtentBytes);
    before = memory_.bytes_in_use();
  }
  EXPECT_GT(slices, 10);
  EXPECT_LT(memory_.bytes_in_use(), 1024U);
}

// Ranges ------------------------------------------------------------------------------------------

TEST_F(EntryStoreTest, DeadCellsAreNeitherFoundNorScannedNorWalkedBeforeTheyAreSwept) {
  for (unsigned i = 0; i < 1'000; ++i) Insert(Name(i), i, i);  // descending: Name(999) is first
  store_.EraseRange(100, 600);
  ASSERT_EQ(store_.Validate(), "");
  ASSERT_EQ(store_.size(), 400U);
  EXPECT_EQ(store_.Find(MemberKey(Name(500))), kNowhere);
  EXPECT_NE(store_.Find(MemberKey(Name(950))), kNowhere);
  const std::string dead = Name(500);
  const std::string live = Name(950);
  const std::array<MemberKey, 2> both = {MemberKey(dead), MemberKey(live)};
  std::array<Location, 2> found{};
  store_.FindMany(both, found.data());
  EXPECT_EQ(found[0], kNowhere);
  EXPECT_EQ(found[1], store_.Find(both[1]));
  std::set<std::string> scanned;
  std::uint64_t cursor = 0;
  do {
    cursor = store_.Scan(cursor, [&](const EntryView& view) { scanned.emplace(view.member); });
  } while (cursor != 0);
  EXPECT_EQ(scanned.size(), 400U);
  std::set<std::string> walked;
  EntryStore::WalkCursor walk;
  while (store_.Walk(&walk, 50, [&](const EntryView& view) { walked.emplace(view.member); }) ==
         EntryStore::WalkState::kMore) {
  }
  EXPECT_EQ(walked, scanned);
}

TEST_F(EntryStoreTest, AMemberCanBeInsertedAgainBeforeItsDeadCellIsSwept) {
  for (unsigned i = 0; i < 1'000; ++i) Insert(Name(i), i, i);
  store_.EraseRange(0, 900);    // all but the last hundred
  Insert(Name(999), 5, 1);      // other words
  Insert(Name(998), 998, 998);  // the same words again
  ASSERT_EQ(store_.Validate(), "");
  EXPECT_EQ(store_.size(), 102U);
  EXPECT_EQ(layout_.ScoreOf(store_.WordsAt(store_.Find(MemberKey(Name(999)))))[0], 5);
  EXPECT_EQ(store_.IndexOf(store_.Find(MemberKey(Name(998)))), 0U);
  while (environment_.Reclaim(10)) ASSERT_EQ(store_.Validate(), "");
  EXPECT_EQ(layout_.ScoreOf(store_.WordsAt(store_.Find(MemberKey(Name(999)))))[0], 5);
  EXPECT_EQ(store_.size(), 102U);
}

TEST_F(EntryStoreTest, WritesSweepDeadCellsWithoutReclaim) {
  for (unsigned i = 0; i < 2'000; ++i) Insert(Name(i), i, i);
  store_.EraseRange(0, 1'000);
  const std::size_t before = memory_.bytes_in_use();
  for (unsigned i = 0; i < 300; ++i) {
    const std::string name = Name(i);
    const MemberKey member(name);
    store_.Update(store_.Find(member), member, WordsOf(i + 1, i), "");
  }
  EXPECT_LT(memory_.bytes_in_use(), before);
  EXPECT_FALSE(environment_.Reclaim(1)) << "nothing is left to free";
  EXPECT_EQ(store_.Validate(), "");
}

TEST_F(EntryStoreTest, EraseRangeLeavesTheSameEntriesAsErasingOneByOne) {
  base::Random random(5);
  Environment plain_environment(&memory_, kSeed, SmallShape());
  EntryStore plain(&layout_, &plain_environment);
  unsigned next = 0;
  for (int round = 0; round < 300; ++round) {
    for (std::uint64_t i = random.Below(60); i > 0; --i) {
      // Members are inserted again, some of them while they have dead cells.
      const std::string name = Name(random.OneIn(3) ? next++ : random.Below(next + 1));
      const MemberKey member(name);
      const Words words = WordsOf(static_cast<std::int64_t>(random.Below(40)), round);
      for (EntryStore* store : {&store_, &plain}) {
        const Location found = store->Find(member);
        if (found == kNowhere) {
          store->Insert(member, words, "");
        } else {
          store->Update(found, member, words, "");
        }
      }
    }
    const std::uint64_t size = store_.size();
    const std::uint64_t first = random.Below(size + 1);
    const std::uint64_t count =
        random.OneIn(10) ? size - first : random.Below(size - first + 1) / 2;
    store_.EraseRange(first, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      EntryView view;
      plain.Read(plain.At(first), &view);
      const std::string name(view.member);
      plain.Erase(plain.At(first), MemberKey(name));
    }
    if (random.OneIn(3)) environment_.Reclaim(random.Below(30));
    ASSERT_EQ(store_.Validate(), "") << round;
    ASSERT_EQ(store_.size(), plain.size());
    std::vector<std::string> left;
    plain.ForRange(0, plain.size(), false, [&](const EntryView& view) {
      left.emplace_back(view.member);
      return true;
    });
    std::size_t at = 0;
    store_.ForRange(0, store_.size(), false, [&](const EntryView& view) {
      EXPECT_EQ(view.member, left[at]);
      EXPECT_EQ(store_.IndexOf(store_.Find(MemberKey(view.member))), at);
      return ++at < left.size();
    });
  }
}

// Routes found ahead ------------------------------------------------------------------------------

TEST_F(EntryStoreTest, WritesWithRoutesFoundAheadGiveTheSameResult) {
  Environment plain_environment(&memory_, kSeed, SmallShape());
  EntryStore plain(&layout_, &plain_environment);
  base::Random random(1);
  Stamp stamp = 0;
  for (int batch = 0; batch < 200; ++batch) {
    std::array<EntryStore::WriteHint, EntryStore::kBatch> hint;
    std::vector<std::string> members;
    std::set<std::string> chosen;
    while (members.size() < hint.size()) {
      const std::string member = Name(random.Below(300));
      if (chosen.insert(member).second) members.push_back(member);
    }
    std::vector<Words> words;
    for (std::size_t i = 0; i < members.size(); ++i) {
      words.push_back(WordsOf(static_cast<std::int64_t>(random.Below(50)), ++stamp));
      hint[i].location = store_.Find(MemberKey(members[i]));
      if (hint[i].location != kNowhere) {
        const Words now = store_.WordsAt(hint[i].location);
        hint[i].from.probe = {now, Probe::Among::kAtMember, members[i]};
      }
      hint[i].to.probe = {words[i], Probe::Among::kAtMember, members[i]};
    }
    store_.FindRoutes(hint);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const MemberKey key(members[i]);
      for (EntryStore* store : {&store_, &plain}) {
        const EntryStore::WriteHint* route = store == &store_ ? &hint[i] : nullptr;
        const Location location = store->Find(key);
        if (location == kNowhere) {
          store->Insert(key, words[i], "", route);
        } else {
          store->Update(location, key, words[i], "", route);
        }
      }
    }
    ASSERT_EQ(store_.Validate(), "");
    ASSERT_EQ(store_.size(), plain.size());
    for (std::uint64_t i = 0; i < plain.size(); ++i) {
      EntryView expected;
      EntryView found;
      plain.Read(plain.At(i), &expected);
      store_.Read(store_.At(i), &found);
      ASSERT_EQ(found.member, expected.member);
    }
    while (store_.size() > 200) {
      EntryView view;
      store_.Read(store_.At(random.Below(store_.size())), &view);
      const std::string member(view.member);
      Erase(member);
      plain.Erase(plain.Find(MemberKey(member)), MemberKey(member));
    }
  }
}

// After a route was found, the store may return to the packed form and then build another tree. The
// memory resource never reuses memory, so the new tree's nodes are not at the old addresses.
TEST_F(EntryStoreTest, ARouteThroughAReplacedTreeIsNotUsed) {
  std::pmr::monotonic_buffer_resource never_reused;
  Shape shape;
  shape.packed_entries = kPacked;
  Environment environment(&never_reused, kSeed, shape);
  EntryStore store(&layout_, &environment);
  const auto insert = [&](const std::string& member, const EntryStore::WriteHint* hint) {
    store.Insert(MemberKey(member), WordsOf(1, 7), "", hint);
  };
  for (unsigned i = 0; i <= kPacked; ++i) insert(Name(i), nullptr);
  EntryStore::WriteHint hint;
  hint.to.probe = {WordsOf(1, 7), Probe::Among::kAtMember, "late"};
  store.FindRoutes({&hint, 1});
  for (unsigned i = 0; i <= kPacked; ++i) {
    store.Erase(store.Find(MemberKey(Name(i))), MemberKey(Name(i)));
  }
  ASSERT_EQ(store.LeafFill(), 0) << "packed";
  for (unsigned i = 0; i <= kPacked; ++i) insert(Name(i), nullptr);
  insert("late", &hint);
  ASSERT_EQ(store.Validate(), "");
  EXPECT_EQ(store.IndexOf(store.Find(MemberKey("late"))), 9U) << "behind the numbers";
}

}  // namespace
}  // namespace laurel::core
