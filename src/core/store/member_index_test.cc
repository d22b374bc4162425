#include "core/store/member_index.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;

// The parameter is the most buckets of a segment. Tiny segments split often.
class MemberIndexTest : public testing::TestWithParam<unsigned> {
 protected:
  // Half of the members are numbers.
  static std::string Name(int i) { return (i % 2 == 0 ? "" : "user:") + std::to_string(i); }
  static std::uint64_t HashOf(const std::string& member) { return MemberKey(member).Hash(kSeed); }

  void Insert(const std::string& member) {
    const Handle handle = cells_.Create(Words{}, MemberKey(member), "");
    index_.Insert(handle, HashOf(member));
    handles_.emplace(member, handle);
  }
  void Erase(const std::string& member) {
    const auto found = handles_.find(member);
    index_.Erase(found->second, HashOf(member));
    cells_.Destroy(found->second);
    handles_.erase(found);
  }
  [[nodiscard]] Handle Find(const std::string& member) const {
    return index_.Find(MemberKey(member), HashOf(member));
  }
  [[nodiscard]] std::string MemberOf(Handle handle) const {
    MemberBuffer buffer;
    return std::string(cells_.MemberOf(handle, buffer));
  }

  base::CountingMemory memory_{base::SystemMemory()};
  PagePool pool_{&memory_};
  KeyLayout layout_{Spec()};
  CellStore cells_{&layout_, &pool_, kSeed};
  Slab<64> nodes_{&pool_};
  MemberIndex index_{&cells_, &nodes_, &pool_, GetParam()};
  std::map<std::string, Handle> handles_;
};

INSTANTIATE_TEST_SUITE_P(SegmentBuckets, MemberIndexTest,
                         testing::Values(2, 9, MemberIndex::kMaxBuckets));

TEST_P(MemberIndexTest, FindsNothingWhileEmpty) {
  EXPECT_EQ(Find("ann"), kNoHandle);
  EXPECT_EQ(Find(""), kNoHandle);
  EXPECT_EQ(index_.Guess(HashOf("ann")), kNoHandle);
  EXPECT_EQ(index_.Validate(), "");
}

TEST_P(MemberIndexTest, FindsPresentMembersAndNoErasedOrUnknownOnes) {
  constexpr int kCount = 50'000;
  for (int i = 0; i < kCount; ++i) {
    Insert(Name(i));
    if (i % 5'000 == 0) {
      ASSERT_EQ(index_.Validate(), "") << i;
    }
  }
  EXPECT_EQ(index_.size(), static_cast<std::size_t>(kCount));
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(Find(Name(i)), handles_.at(Name(i)));
  for (int i = kCount; i < 2 * kCount; ++i) ASSERT_EQ(Find(Name(i)), kNoHandle);
  for (int i = 0; i < kCount; ++i) {
    if (i % 3 != 0) Erase(Name(i));
    if (i % 5'000 == 0) {
      ASSERT_EQ(index_.Validate(), "") << i;
    }
  }
  EXPECT_EQ(index_.size(), handles_.size());
  for (int i = 0; i < kCount; ++i) {
    ASSERT_EQ(Find(Name(i)), i % 3 == 0 ? handles_.at(Name(i)) : kNoHandle);
  }
  ASSERT_EQ(index_.Validate(), "");
}

TEST_P(MemberIndexTest, InvariantsHoldAtEveryStepOfGrowingAndShrinking) {
  base::Random random(GetParam());
  for (int step = 0; step < 3'000; ++step) {
    const std::string member = Name(static_cast<int>(random.Below(1'000)));
    const bool growing = step % 1'000 < 600;
    if (handles_.contains(member)) {
      if (!growing || random.OneIn(4)) Erase(member);
    } else if (growing || random.OneIn(4)) {
      Insert(member);
    }
    ASSERT_EQ(index_.Validate(), "") << "step " << step;
    ASSERT_EQ(index_.size(), handles_.size());
    ASSERT_EQ(Find(member), handles_.contains(member) ? handles_.at(member) : kNoHandle);
  }
}

TEST_P(MemberIndexTest, ReplaceGivesAMovedCellItsNewHandle) {
  for (int i = 0; i < 2'000; ++i) Insert(Name(i));
  for (int i = 0; i < 2'000; i += 7) {
    Handle& handle = handles_.at(Name(i));
    const Handle moved = cells_.SetMeta(handle, "meta");
    ASSERT_NE(moved, handle);
    index_.Replace(handle, moved, HashOf(Name(i)));
    handle = moved;
  }
  ASSERT_EQ(index_.Validate(), "");
  for (const auto& [member, handle] : handles_) EXPECT_EQ(Find(member), handle);
}

TEST_P(MemberIndexTest, GuessIsNearlyAlwaysRight) {
  for (int i = 0; i < 10'000; ++i) Insert(Name(i));
  int right = 0;
  for (const auto& [member, handle] : handles_) {
    right += index_.Guess(HashOf(member)) == handle ? 1 : 0;
  }
  EXPECT_GT(right, 8'500);
}

TEST_P(MemberIndexTest, ScanVisitsEachEntryOnceDespiteChangesBetweenSteps) {
  constexpr int kStaying = 5'000;
  for (int i = 0; i < kStaying; ++i) Insert(Name(i));
  base::Random random(1);
  std::map<std::string, int> visits;
  std::uint64_t cursor = 0;
  int steps = 0;
  do {
    const std::uint64_t from = cursor;
    std::vector<std::uint64_t> hashes;
    cursor = index_.Scan(from, [&](Handle handle, std::uint64_t hash) {
      ++visits[MemberOf(handle)];
      hashes.push_back(hash);
    });
    for (const std::uint64_t hash : hashes) {
      ASSERT_GE(hash, from);
      ASSERT_TRUE(cursor == 0 || hash < cursor);
    }
    ASSERT_TRUE(cursor == 0 || cursor > from) << "the scan goes on, or it never ends";
    // Other entries are inserted during the first half of the scan, which splits segments, and
    // erased during the second half.
    for (int i = 0; i < 100; ++i) {
      const std::string other = Name(kStaying + static_cast<int>(random.Below(20'000)));
      const bool first_half = (cursor >> 63) == 0;
      if (handles_.contains(other)) {
        if (!first_half) Erase(other);
      } else if (first_half) {
        Insert(other);
      }
    }
    ++steps;
  } while (cursor != 0);
  EXPECT_GT(steps, 100);
  for (int i = 0; i < kStaying; ++i) {
    const auto visited = visits.find(Name(i));
    ASSERT_TRUE(visited != visits.end()) << Name(i) << " was missed";
  }
  for (const auto& [member, count] : visits) ASSERT_EQ(count, 1) << member;
  ASSERT_EQ(index_.Validate(), "");
}

// Members come in this order when a client copies what a scan gives it.
TEST_P(MemberIndexTest, MembersMayComeInTheOrderOfTheirHashes) {
  std::map<std::uint64_t, std::string> by_hash;
  for (int i = 0; i < 20'000; ++i) by_hash.emplace(HashOf(Name(i)), Name(i));
  int count = 0;
  for (const auto& [hash, member] : by_hash) {
    Insert(member);
    if (++count % 500 == 0) {
      ASSERT_EQ(index_.Validate(), "") << count;
    }
  }
  for (const auto& [member, handle] : handles_) ASSERT_EQ(Find(member), handle);
  for (const auto& [hash, member] : by_hash) {
    Erase(member);
    if (++count % 500 == 0) {
      ASSERT_EQ(index_.Validate(), "") << count;
    }
  }
}

TEST_P(MemberIndexTest, AnEmptiedIndexShrinksToOneSegment) {
  for (int i = 0; i < 50'000; ++i) Insert(Name(i));
  EXPECT_GT(nodes_.blocks(), 100U);
  while (!handles_.empty()) Erase(handles_.begin()->first);
  EXPECT_EQ(index_.size(), 0U);
  EXPECT_EQ(index_.Validate(), "");
  EXPECT_EQ(nodes_.blocks(), 1U) << "a chunk of eight buckets";
  int steps = 0;
  std::uint64_t cursor = 0;
  do {
    cursor = index_.Scan(cursor, [](Handle, std::uint64_t) {});
    ++steps;
  } while (cursor != 0);
  EXPECT_LE(steps, 8);
  Insert("again");
  EXPECT_EQ(Find("again"), handles_.at("again"));
}

class FullSegmentsTest : public MemberIndexTest {};

INSTANTIATE_TEST_SUITE_P(SegmentBuckets, FullSegmentsTest,
                         testing::Values(MemberIndex::kMaxBuckets));

TEST_P(FullSegmentsTest, TakeSixToEightBytesAnEntry) {
  constexpr std::size_t kCount = 50'000;
  for (int i = 0; i < static_cast<int>(kCount); ++i) Insert(Name(i));
  const std::size_t bytes = nodes_.MemoryUsage() + index_.MemoryUsage();
  EXPECT_GT(bytes, 6 * kCount * 9 / 10);
  EXPECT_LT(bytes, 8 * kCount);
}

TEST_P(MemberIndexTest, AReservedIndexHoldsTheReservedCountAndMore) {
  index_.Reserve(2'000);
  EXPECT_EQ(index_.Validate(), "");
  const std::size_t reserved = nodes_.MemoryUsage();
  for (int i = 0; i < 2'000; ++i) Insert(Name(i));
  EXPECT_EQ(index_.Validate(), "");
  EXPECT_LT(nodes_.MemoryUsage(), reserved * 3 / 2) << "a few segments split";
  for (int i = 2'000; i < 6'000; ++i) Insert(Name(i));
  EXPECT_EQ(index_.Validate(), "");
  for (const auto& [member, handle] : handles_) ASSERT_EQ(Find(member), handle);
  while (!handles_.empty()) Erase(std::string(handles_.begin()->first));
  EXPECT_EQ(index_.Validate(), "");
}

TEST_P(MemberIndexTest, InsertIfAbsentReturnsTheCellOfTheSameMember) {
  const std::vector<std::string> members = {"7", "-7", "9000000000", "ann",
                                            std::string(2'000, 'f')};
  for (const std::string& member : members) Insert(member);
  for (const std::string& member : members) {
    const Handle again = cells_.Create(Words{1}, MemberKey(member), "meta");
    EXPECT_EQ(index_.InsertIfAbsent(again, HashOf(member)), handles_[member]);
  }
  const Handle other = cells_.Create(Words{}, MemberKey("bob"), "");
  EXPECT_EQ(index_.InsertIfAbsent(other, HashOf("bob")), kNoHandle);
  EXPECT_EQ(Find("bob"), other);
  EXPECT_EQ(index_.size(), members.size() + 1);
}

}  // namespace
}  // namespace laurel::core
