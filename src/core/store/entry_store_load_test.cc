// Compares bulk load in any order with entries put one by one.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/store/entry_store.h"

namespace laurel::core {
namespace {

Shape SmallShape() {
  Shape shape;
  shape.packed_entries = 16;
  shape.leaf_entries = 4;
  shape.inner_children = 4;
  shape.segment_buckets = 3;
  return shape;
}

struct Item {
  std::string member;
  Words words;
  std::string meta;
};

std::string ContentOf(const EntryStore& store, const KeyLayout& layout) {
  std::string content;
  store.ForRange(0, store.size(), false, [&](const EntryView& view) {
    content += std::string(view.member) + " ";
    for (unsigned i = 0; i < layout.words(); ++i) content += std::to_string(view.words[i]) + " ";
    content += std::string(view.meta) + "\n";
    return true;
  });
  return content;
}

class LoaderTest : public testing::Test {
 protected:
  static Spec ThreeFields() {
    Spec spec;
    spec.fields = {{"a"}, {"b"}, {"c"}};
    return spec;
  }

  void Load(const KeyLayout& layout, const std::vector<Item>& items) {
    EntryStore loaded(&layout, &environment_);
    EntryStore::Loader loader(&loaded);
    for (const Item& item : items) {
      ASSERT_TRUE(loader.Add(MemberKey(item.member), item.words, item.meta));
    }
    loader.Finish();
    EntryStore single(&layout, &environment_);
    for (const Item& item : items) {
      const MemberKey member(item.member);
      const Location found = single.Find(member);
      if (found == kNowhere) {
        single.Insert(member, item.words, item.meta);
      } else {
        single.Update(found, member, item.words, item.meta);
      }
    }
    ASSERT_EQ(loaded.Validate(), "");
    ASSERT_EQ(ContentOf(loaded, layout), ContentOf(single, layout));
    packed_ = loaded.LeafFill() == 0;
    // The loaded store accepts further writes.
    loaded.Insert(MemberKey("one more"), layout.Encode(ScoreOf(layout, 3), 1), "");
    ASSERT_EQ(loaded.Validate(), "");
  }

  static Score ScoreOf(const KeyLayout& layout, std::int64_t value) {
    if (layout.is_double()) return Score::Double(static_cast<double>(value));
    Score score;
    for (unsigned i = 0; i < layout.fields(); ++i)
      score.push_back(i + 1 < layout.fields() ? 1 : value);
    return score;
  }
  Item RandomItem(const KeyLayout& layout, std::uint64_t members, std::uint64_t scores) {
    const std::uint64_t i = random_.Below(members);
    Item item;
    item.member = (i % 2 == 0 ? "" : "a long common beginning ") + std::to_string(i);
    item.words = layout.Encode(ScoreOf(layout, static_cast<std::int64_t>(random_.Below(scores))),
                               static_cast<Stamp>(random_.Below(50)));
    if (!layout.is_double() && random_.OneIn(4)) item.meta = "meta " + std::to_string(i);
    return item;
  }

  base::Random random_{1};
  Environment environment_{base::SystemMemory(), 0x9e3779b97f4a7c15, SmallShape()};
  bool packed_ = false;
};

// As updates one by one do, in both forms, and where the new stamps need the larger one.
TEST_F(LoaderTest, RestampingAllEntriesIsWhatUpdatesOfEachGive) {
  base::Random random(7);
  const KeyLayout layout{Spec()};
  for (const std::size_t count : {1, 3, 15, 16, 17, 100, 2000}) {
    for (const bool far : {false, true}) {
      SCOPED_TRACE(std::to_string(count) + (far ? " far" : " near"));
      EntryStore restamped(&layout, &environment_);
      EntryStore updated(&layout, &environment_);
      const std::string meta(count < 17 ? 230 : 3, 'm');
      for (std::size_t i = 0; i < count; ++i) {
        const std::string member = "m" + std::to_string(i);
        const Words words = layout.Encode({static_cast<std::int64_t>(random.Below(5))}, 1000);
        for (EntryStore* store : {&restamped, &updated}) {
          store->Insert(MemberKey(member), words, meta);
        }
      }
      std::vector<std::pair<Words, std::string>> entries;
      for (std::size_t i = 0; i < count; ++i) {
        const std::string member = "m" + std::to_string(i);
        const Location found = updated.Find(MemberKey(member));
        const auto span = far ? std::uint64_t{1} << 60 : std::uint64_t{50};
        const auto stamp = static_cast<Stamp>(random.Below(span));
        const Words words = layout.Encode(layout.ScoreOf(updated.WordsAt(found)), stamp);
        updated.Update(found, MemberKey(member), words, meta);
        entries.emplace_back(words, member);
      }
      std::sort(entries.begin(), entries.end());
      std::vector<EntryStore::Restamped> order;
      for (const auto& [words, member] : entries) {
        order.push_back({layout.StampOf(words), restamped.Find(MemberKey(member))});
      }
      restamped.Restamp(order);
      ASSERT_EQ(restamped.Validate(), "");
      ASSERT_EQ(ContentOf(restamped, layout), ContentOf(updated, layout));
      for (const auto& [words, member] : entries) {
        const Words found = restamped.WordsAt(restamped.Find(MemberKey(member)));
        ASSERT_EQ(layout.StampOf(found), layout.StampOf(words));
      }
    }
  }
}

TEST_F(LoaderTest, AnyOrderWithRepeatedMembersGivesTheSameAsOneByOne) {
  Spec by_member;
  by_member.tie = Tie::kMember;
  for (const Spec& spec : {Spec(), by_member, Spec::SortedSet(), ThreeFields()}) {
    const KeyLayout layout(spec);
    for (const std::uint64_t most : {1, 5, 16, 17, 40, 600}) {
      for (int round = 0; round < 15; ++round) {
        SCOPED_TRACE(DescribeSpec(spec) + ", " + std::to_string(most) + " entries, round " +
                     std::to_string(round));
        std::vector<Item> items;
        const std::uint64_t members = 1 + random_.Below(2 * most);
        for (std::uint64_t i = 0; i < most; ++i) {
          items.push_back(RandomItem(layout, members, 1 + random_.Below(30)));
        }
        Load(layout, items);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(LoaderTest, NearlySortedEntriesAreSorted) {
  const KeyLayout layout{Spec()};
  for (int odd = 0; odd < 100; ++odd) {
    SCOPED_TRACE(odd);
    std::vector<Item> items;
    for (int i = 0; i < 100; ++i) {
      items.push_back({std::to_string(1'000 + i), layout.Encode(Score{-i / 3}, 1), ""});
    }
    std::swap(items[static_cast<std::size_t>(odd)], items[random_.Below(100)]);
    Load(layout, items);
    if (HasFatalFailure()) return;
  }
}

TEST_F(LoaderTest, RepeatedMembersThatFitThePackedFormArePacked) {
  const KeyLayout layout{Spec()};
  std::vector<Item> items;
  for (int i = 0; i < 500; ++i) {
    items.push_back({std::to_string(i % 16), layout.Encode(Score{i % 7}, i), ""});
  }
  Load(layout, items);
  EXPECT_TRUE(packed_);
  // Too large for the packed form at first; small after the last entry of each member.
  items.clear();
  for (int i = 0; i < 40; ++i) {
    items.push_back(
        {std::to_string(i % 4), layout.Encode(Score{i}, i), i < 36 ? std::string(3'000, 'm') : ""});
  }
  Load(layout, items);
  EXPECT_TRUE(packed_);
  items.push_back({"large", layout.Encode(Score{1}, 1), std::string(4'000, 'm')});
  Load(layout, items);
  EXPECT_FALSE(packed_);
}

TEST_F(LoaderTest, ClearInsteadOfFinishLeavesAnEmptyStore) {
  const KeyLayout layout{Spec()};
  EntryStore store(&layout, &environment_);
  EntryStore::Loader loader(&store);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(loader.Add(MemberKey(std::to_string(i)), layout.Encode(Score{1}, i), "meta"));
  }
  store.Clear();
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.Validate(), "");
}

}  // namespace
}  // namespace laurel::core
