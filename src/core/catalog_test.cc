#include "core/catalog.h"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"

namespace laurel::core {
namespace {

class CatalogIdsTest : public testing::Test {
 protected:
  // "1 a, 2 b": as they stand in the list.
  [[nodiscard]] std::string Boards() const {
    std::string text;
    for (const NamedBoard* board = catalog_.FirstById(); board != nullptr;
         board = Catalog::NextById(board)) {
      if (!text.empty()) text += ", ";
      text += std::to_string(board->id) + " " + std::string(board->name);
    }
    return text;
  }
  static void Put(NamedBoard* board, std::string_view member) {
    Effect put;
    put.member = member;
    put.words = board->board.layout().Encode(Score{5}, 1);
    board->board.Apply(put);
  }

  base::CountingMemory memory_{base::SystemMemory()};
  Catalog catalog_{&memory_, 3};
};

TEST_F(CatalogIdsTest, BoardsStandInOrderOfIdsThroughClearRenameAndDrop) {
  for (const char* name : {"a", "b", "c", "d"}) ASSERT_TRUE(catalog_.Create(name, Spec()).ok());
  EXPECT_EQ(Boards(), "1 a, 2 b, 3 c, 4 d");
  NamedBoard* fresh = catalog_.Clear(catalog_.Find("b"));
  EXPECT_EQ(Boards(), "1 a, 2 b, 3 c, 4 d");
  EXPECT_EQ(catalog_.Find("b"), fresh);
  catalog_.Clear(catalog_.Find("a"));
  catalog_.Clear(catalog_.Find("d"));
  EXPECT_EQ(Boards(), "1 a, 2 b, 3 c, 4 d");
  ASSERT_TRUE(catalog_.Rename("a", "d").ok());
  EXPECT_EQ(Boards(), "1 d, 2 b, 3 c");
  ASSERT_TRUE(catalog_.Create("a", Spec()).ok());
  EXPECT_EQ(Boards(), "1 d, 2 b, 3 c, 5 a");
  for (const char* name : {"d", "c", "b", "a"}) EXPECT_TRUE(catalog_.Drop(name));
  EXPECT_EQ(Boards(), "");
  EXPECT_EQ(catalog_.next_id(), 6U);
}

TEST_F(CatalogIdsTest, TheNextIdIsRaisedAndNeverLowered) {
  EXPECT_EQ(catalog_.next_id(), 1U);
  catalog_.RaiseNextId(10);
  catalog_.RaiseNextId(4);
  EXPECT_EQ(catalog_.next_id(), 10U);
  EXPECT_EQ((*catalog_.Create("a", Spec()))->id, 10U);
}

TEST_F(CatalogIdsTest, RestoredBoardsHaveNamesOnlyInTheEnd) {
  catalog_.BeginRestore();
  NamedBoard* third = catalog_.Restore(30, "a", Spec());
  NamedBoard* first = catalog_.Restore(10, "a", Spec());
  NamedBoard* second = catalog_.Restore(20, "b", Spec::SortedSet());
  EXPECT_EQ(Boards(), "10 a, 20 b, 30 a");
  EXPECT_EQ(catalog_.Find("a"), nullptr);
  EXPECT_EQ(catalog_.size(), 0U);
  EXPECT_EQ(catalog_.FindById(20), second);
  EXPECT_EQ(catalog_.FindById(21), nullptr);
  Catalog::SetRestoredName(first, "b");
  Catalog::SetRestoredName(second, "c");
  ASSERT_TRUE(catalog_.FinishRestore().ok());
  EXPECT_FALSE(catalog_.restoring());
  EXPECT_EQ(catalog_.Find("a"), third);
  EXPECT_EQ(catalog_.Find("b"), first);
  EXPECT_EQ(catalog_.Find("c"), second);
  EXPECT_EQ(catalog_.next_id(), 31U);
}

TEST_F(CatalogIdsTest, TwoRestoredBoardsOfOneNameAreAnErrorThatNamesBoth) {
  catalog_.BeginRestore();
  catalog_.Restore(7, "same", Spec());
  NamedBoard* other = catalog_.Restore(9, "same", Spec());
  const Status status = catalog_.FinishRestore();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("boards 7 and 9"), std::string::npos)
      << status.error().message;
  EXPECT_TRUE(catalog_.restoring());
  EXPECT_EQ(catalog_.Find("same"), nullptr);
  Catalog::SetRestoredName(other, "other");
  EXPECT_TRUE(catalog_.FinishRestore().ok()) << "names can be mended";
  EXPECT_EQ(catalog_.size(), 2U);
}

TEST_F(CatalogIdsTest, ClearedAndDroppedWhileRestoring) {
  catalog_.BeginRestore();
  for (const std::uint64_t id : {1, 2, 3, 4}) {
    NamedBoard* board = catalog_.Restore(id, std::to_string(id), Spec());
    Effect hide;
    hide.kind = Effect::Kind::kHide;
    hide.member = "cheat";
    board->board.Apply(hide);
    Put(board, "cheat");
    Put(board, "ann");
  }
  NamedBoard* cleared = catalog_.FindById(4);
  Catalog::ClearRestored(cleared);
  EXPECT_EQ(cleared->board.entries().size(), 0U);
  EXPECT_TRUE(cleared->board.IsHidden("cheat"));
  EXPECT_EQ(cleared->board.FindHidden("cheat"), nullptr);
  EXPECT_EQ(catalog_.FindById(4), cleared);
  catalog_.DropRestored(catalog_.FindById(2));
  EXPECT_EQ(Boards(), "1 1, 3 3, 4 4");
  catalog_.DropRestoredBelow(4);
  EXPECT_EQ(Boards(), "4 4");
  EXPECT_EQ(catalog_.FindById(1), nullptr);
  ASSERT_TRUE(catalog_.FinishRestore().ok());
  EXPECT_EQ(catalog_.size(), 1U);
}

TEST_F(CatalogIdsTest, AnAbandonedRestoreLeavesNothingAndCanBeginAnew) {
  const std::size_t before = memory_.bytes_in_use();
  catalog_.BeginRestore();
  for (const std::uint64_t id : {1, 2}) {
    NamedBoard* board = catalog_.Restore(id, "same", Spec());
    for (int i = 0; i < 1'000; ++i) Put(board, std::to_string(i));
  }
  EXPECT_FALSE(catalog_.FinishRestore().ok());
  catalog_.AbandonRestore();
  EXPECT_FALSE(catalog_.restoring());
  EXPECT_EQ(Boards(), "");
  EXPECT_LE(memory_.bytes_in_use(), before + 4096) << "the pool keeps a list of extents";
  catalog_.BeginRestore();
  catalog_.Restore(1, "same", Spec());
  ASSERT_TRUE(catalog_.FinishRestore().ok());
  EXPECT_NE(catalog_.Find("same"), nullptr);
}

}  // namespace
}  // namespace laurel::core
