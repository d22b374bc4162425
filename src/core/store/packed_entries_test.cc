#include "core/store/packed_entries.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

struct Row {
  Score score;
  Stamp stamp = 0;
  std::string member;
  std::string meta;

  bool operator==(const Row&) const = default;
};

class PackedEntriesTest : public testing::Test {
 protected:
  static bool Insert(PackedEntries* packed, const KeyLayout& layout, unsigned place,
                     const Row& row) {
    return packed->Insert(place, layout.Encode(row.score, row.stamp), MemberKey(row.member),
                          row.meta);
  }
  static std::vector<Row> RowsOf(const PackedEntries& packed, const KeyLayout& layout) {
    std::vector<Row> rows;
    EntryView view;
    for (const char* at = packed.begin(); at != packed.end();) {
      EXPECT_EQ(at, packed.At(static_cast<unsigned>(rows.size())));
      at = packed.Read(at, &view);
      rows.push_back({layout.ScoreOf(view.words), layout.StampOf(view.words),
                      std::string(view.member), std::string(view.meta)});
    }
    EXPECT_EQ(rows.size(), packed.size());
    return rows;
  }
  // Writes the rows and reads them back.
  void ExpectRoundTrip(const Spec& spec, const std::vector<Row>& rows) {
    const KeyLayout layout(spec);
    PackedEntries packed(&layout, &memory_);
    for (const Row& row : rows) ASSERT_TRUE(Insert(&packed, layout, packed.size(), row));
    EXPECT_EQ(RowsOf(packed, layout), rows);
  }

  base::CountingMemory memory_{base::SystemMemory()};
};

TEST_F(PackedEntriesTest, AnEmptyBlockTakesNoMemory) {
  const KeyLayout layout{Spec()};
  const PackedEntries packed(&layout, &memory_);
  EXPECT_EQ(packed.size(), 0U);
  EXPECT_EQ(packed.begin(), packed.end());
  EXPECT_EQ(memory_.bytes_in_use(), 0U);
}

TEST_F(PackedEntriesTest, ScoresStampsAndMembersOfEverySizeReadBackExactly) {
  constexpr Stamp kNow = 1'700'000'000'000'000;
  std::vector<Row> rows;
  for (const std::int64_t value : {INT64_MIN, INT64_MIN + 1, std::int64_t{-64}, std::int64_t{0},
                                   std::int64_t{63}, INT64_MAX - 1, INT64_MAX}) {
    for (const Stamp stamp : {kNow, kNow + 1, Stamp{0}, INT64_MIN, INT64_MAX}) {
      rows.push_back({{value, -(value / 2)}, stamp, std::to_string(rows.size()), ""});
    }
  }
  for (const Direction direction : {Direction::kDesc, Direction::kAsc}) {
    for (const Tie tie : {Tie::kFirst, Tie::kLast, Tie::kMember}) {
      Spec spec;
      spec.fields.push_back(Field{"second", 2, direction, Operator::kSet});
      spec.fields[0].direction = direction;
      spec.tie = tie;
      ExpectRoundTrip(spec, rows);
    }
  }
}

TEST_F(PackedEntriesTest, NumbersAndTextsThatLookLikeThemReadBackAsTheSameBytes) {
  std::vector<Row> rows;
  for (const std::string& member :
       {std::string(), std::string("0"), std::string("-0"), std::string("007"), std::string("-1"),
        std::string("9223372036854775807"), std::string("-9223372036854775808"),
        std::string("9223372036854775808"), std::string("a\0b", 3), std::string(1024, 'x')}) {
    rows.push_back({{1}, 5, member, ""});
    rows.push_back({{1}, 5, member, "meta of " + member.substr(0, 100)});
  }
  ExpectRoundTrip(Spec(), rows);
}

TEST_F(PackedEntriesTest, DoublesReadBackBitForBit) {
  using Limits = std::numeric_limits<double>;
  std::vector<Row> rows;
  for (const double value :
       {0.0, 1.0, -1.0, 0.1, -2.5, 9007199254740991.0, 9007199254740992.0, 9007199254740994.0,
        -9007199254740992.0, -9007199254740994.0, 1e300, Limits::denorm_min(),
        -Limits::denorm_min(), Limits::max(), Limits::infinity(), -Limits::infinity()}) {
    rows.push_back({Score::Double(value), 0, "m" + std::to_string(rows.size()), ""});
  }
  ExpectRoundTrip(Spec::SortedSet(), rows);
}

TEST_F(PackedEntriesTest, InsertsAndErasesAtAnyPlaceKeepTheOtherEntries) {
  const KeyLayout layout{Spec()};
  PackedEntries packed(&layout, &memory_);
  std::vector<Row> rows;
  base::Random random(1);
  for (int step = 0; step < 3'000; ++step) {
    if (rows.empty() || (rows.size() < 64 && random.Below(10) < 6)) {
      const auto place = static_cast<unsigned>(random.Below(rows.size() + 1));
      const Row row = {{static_cast<std::int64_t>(random.Next() >> random.Below(64))},
                       static_cast<Stamp>(random.Below(1'000'000)),
                       (random.OneIn(2) ? "" : "user:") + std::to_string(step),
                       std::string(random.OneIn(4) ? random.Below(30) : 0, 'm')};
      ASSERT_TRUE(Insert(&packed, layout, place, row));
      rows.insert(rows.begin() + place, row);
    } else {
      const auto place = static_cast<unsigned>(random.Below(rows.size()));
      packed.Erase(place);
      rows.erase(rows.begin() + place);
    }
    ASSERT_EQ(RowsOf(packed, layout), rows);
    ASSERT_EQ(packed.MemoryUsage(), memory_.bytes_in_use());
  }
}

// The stamp of the first entry inserted is the base of all others, and that entry may be erased
// first.
TEST_F(PackedEntriesTest, StampsSurviveErasingTheEntryThatSetTheBaseStamp) {
  const KeyLayout layout{Spec()};
  PackedEntries packed(&layout, &memory_);
  const Row second = {{2}, 1'700'000'000'000'007, "b", ""};
  ASSERT_TRUE(Insert(&packed, layout, 0, {{1}, 1'700'000'000'000'000, "a", ""}));
  ASSERT_TRUE(Insert(&packed, layout, 1, second));
  packed.Erase(0);
  EXPECT_EQ(RowsOf(packed, layout), std::vector<Row>{second});
}

TEST_F(PackedEntriesTest, AnEntryThatDoesNotFitIsRefusedAndChangesNothing) {
  const KeyLayout layout{Spec()};
  PackedEntries packed(&layout, &memory_);
  std::vector<Row> rows;
  Row row = {{1}, 5, "m00", std::string(200, 'x')};
  while (Insert(&packed, layout, packed.size(), row)) {
    rows.push_back(row);
    row.member = "m" + std::to_string(10 + rows.size());
  }
  EXPECT_GT(rows.size(), PackedEntries::kMaxBytes / 230);
  EXPECT_LE(packed.MemoryUsage(), PackedEntries::kMaxBytes);
  EXPECT_EQ(RowsOf(packed, layout), rows);
  EXPECT_FALSE(Insert(&packed, layout, 0, {{1}, 5, std::string(4097, 'y'), ""}));
  EXPECT_FALSE(Insert(&packed, layout, 0, {{1}, 5, "z", std::string(4096, 'y')}));
  EXPECT_EQ(RowsOf(packed, layout), rows);
}

TEST_F(PackedEntriesTest, AUserIdAScoreAndAStampTakeLessThanFifteenBytes) {
  const KeyLayout layout{Spec()};
  PackedEntries packed(&layout, &memory_);
  for (unsigned i = 0; i < 64; ++i) {
    const Row row = {{1000 + i},
                     1'700'000'000'000'000 + i * 20'000'000'000,  // over two weeks
                     std::to_string(1'000'000 + i),
                     ""};
    ASSERT_TRUE(Insert(&packed, layout, i, row));
  }
  EXPECT_LT(memory_.bytes_in_use(), 64U * 15);
}

TEST_F(PackedEntriesTest, ErasingFreesMemoryGradually) {
  const KeyLayout layout{Spec()};
  PackedEntries packed(&layout, &memory_);
  for (unsigned i = 0; i < 64; ++i) {
    ASSERT_TRUE(Insert(&packed, layout, i, {{1}, 5, "member-" + std::to_string(i), ""}));
  }
  const std::size_t full = memory_.bytes_in_use();
  for (unsigned i = 0; i < 48; ++i) packed.Erase(0);
  EXPECT_LT(memory_.bytes_in_use(), full / 2);
  while (packed.size() > 0) packed.Erase(packed.size() - 1);
  EXPECT_EQ(memory_.bytes_in_use(), 0U);
}

TEST_F(PackedEntriesTest, SwapExchangesContents) {
  const KeyLayout layout{Spec()};
  PackedEntries one(&layout, &memory_);
  PackedEntries other(&layout, &memory_);
  const Row row = {{1}, 5, "a", "meta"};
  ASSERT_TRUE(Insert(&one, layout, 0, row));
  one.Swap(other);
  EXPECT_EQ(one.size(), 0U);
  EXPECT_EQ(RowsOf(other, layout), std::vector<Row>{row});
}

}  // namespace
}  // namespace laurel::core
