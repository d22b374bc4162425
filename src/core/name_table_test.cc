#include "core/name_table.h"

#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/catalog.h"

namespace laurel::core {
namespace {

std::string NameOf(std::uint64_t number) { return "board:" + std::to_string(number); }

TEST(NameTableTest, AgreesWithAMapThroughGrowthAndDecline) {
  Environment environment(base::SystemMemory(), 7);
  NameTable table(base::SystemMemory(), 7);
  std::map<std::string, std::unique_ptr<NamedBoard>> model;
  base::Random random(11);
  for (int phase = 0; phase < 4; ++phase) {
    const bool growing = phase % 2 == 0;
    for (int i = 0; i < 6000; ++i) {
      const std::string name = NameOf(random.Below(5000));
      const bool insert = growing ? !random.OneIn(5) : random.OneIn(5);
      const auto found = model.find(name);
      ASSERT_EQ(table.Find(name), found == model.end() ? nullptr : found->second.get());
      if (insert && found == model.end()) {
        auto board = std::make_unique<NamedBoard>(name, i, Spec::SortedSet(), &environment);
        table.Insert(board.get());
        model.emplace(name, std::move(board));
      } else if (!insert && found != model.end()) {
        table.Erase(found->second.get());
        model.erase(found);
      }
      ASSERT_EQ(table.size(), model.size());
    }
    ASSERT_EQ(table.Validate(), "");
  }
}

TEST(NameTableTest, AScanMeetsWhatStaysExactlyOnceWhileOthersComeAndGo) {
  Catalog catalog(base::SystemMemory(), 3);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(catalog.Create(NameOf(i), Spec::SortedSet()).ok());
  }
  base::Random random(5);
  std::multiset<std::string> met;
  std::uint64_t cursor = 0;
  do {
    cursor = catalog.Scan(cursor, 10, [&](const NamedBoard& board) { met.emplace(board.name); });
    ASSERT_LT(cursor, std::uint64_t{1} << NameTable::kCursorBits);
    for (int i = 0; i < 50; ++i) {
      const std::string name = "other:" + std::to_string(random.Below(3000));
      if (catalog.Drop(name)) continue;
      ASSERT_TRUE(catalog.Create(name, Spec::SortedSet()).ok());
    }
  } while (cursor != 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(met.count(NameOf(i)), 1U) << i;
}

TEST(CatalogTest, ClearKeepsNameIdSpecAndMarks) {
  Catalog catalog(base::SystemMemory(), 3);
  NamedBoard* board = *catalog.Create("lb", Spec());
  Effect hide;
  hide.kind = Effect::Kind::kHide;
  hide.member = "cheat";
  board->board.Apply(hide);
  for (const char* member : {"ann", "cheat"}) {
    Effect put;
    put.member = member;
    put.words = board->board.layout().Encode(Score{5}, 1);
    board->board.Apply(put);
  }
  const std::uint64_t id = board->id;
  board = catalog.Clear(board);
  EXPECT_EQ(catalog.Find("lb"), board);
  EXPECT_EQ(board->id, id);
  EXPECT_EQ(board->board.entries().size(), 0U);
  EXPECT_EQ(board->board.spec(), Spec());
  EXPECT_TRUE(board->board.IsHidden("cheat"));
  EXPECT_EQ(board->board.FindHidden("cheat"), nullptr);
}

TEST(CatalogTest, OnlySortedSetsMayHaveAnEmptyName) {
  Catalog catalog(base::SystemMemory(), 3);
  EXPECT_TRUE(catalog.Create("", Spec::SortedSet()).ok());
  EXPECT_FALSE(catalog.Create("", Spec()).ok());
}

}  // namespace
}  // namespace laurel::core
