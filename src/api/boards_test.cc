#include "laurel/boards.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "laurel/laurel.h"

namespace laurel {
namespace {

constexpr Stamp kNow = 1'700'000'000'000'000;
using Names = std::vector<std::string>;

void Fill(Board board, int entries) {
  for (int i = 0; i < entries; ++i) {
    const std::string member = "member:" + std::to_string(i);
    ASSERT_TRUE(board.Submit(member, {i}, {kNow + i, kNow + i}).ok());
  }
}

TEST(Boards, CreateReturnsTheBoardForAnEqualSpecAndExistsForAnother) {
  Boards boards;
  Board board = boards.Create("run").value();
  Fill(board, 3);
  EXPECT_EQ(boards.Create("run", Spec()).value().size(), 3U);
  Spec other;
  other.policy = Policy::kBest;
  const Result<Board> refused = boards.Create("run", other);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_NE(refused.error().message.find("POLICY set"), std::string::npos)
      << "it says what is there";
  EXPECT_EQ(board.spec(), Spec());
  EXPECT_EQ(boards.size(), 1U);
}

TEST(Boards, CreateComparesWithTheAlteredSpec) {
  Boards boards;
  Board board = boards.Create("run").value();
  Spec capped;
  capped.cap = 10;
  ASSERT_TRUE(board.Alter(capped, kNow).ok());
  EXPECT_EQ(boards.Create("run", Spec()).error().code, ErrorCode::kExists);
  EXPECT_TRUE(boards.Create("run", capped).ok());
}

TEST(Boards, NameMayHoldAnyBytesButIsNotEmpty) {
  Boards boards;
  EXPECT_EQ(boards.Create("").error().code, ErrorCode::kErr);
  const std::string odd("a\0\n\xff", 4);
  EXPECT_TRUE(boards.Create(odd).ok());
  EXPECT_TRUE(boards.Find(odd).has_value());
  EXPECT_FALSE(boards.Find("a").has_value());
}

TEST(Boards, BadSpecCreatesNoBoard) {
  Boards boards;
  Spec spec;
  spec.fields.clear();
  EXPECT_EQ(boards.Create("run", spec).error().code, ErrorCode::kErr);
  spec = Spec::SortedSet();
  spec.cap = 1;
  EXPECT_EQ(boards.Create("run", spec).error().code, ErrorCode::kErr);
  EXPECT_EQ(boards.size(), 0U);
}

TEST(Boards, ListReturnsPagesOfNamesInByteOrder) {
  Boards boards;
  Names expected;
  for (int i = 0; i < 25; ++i) {
    expected.push_back("b" + std::to_string(i));
    ASSERT_TRUE(boards.Create(expected.back()).ok());
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(boards.List(), expected);
  Names paged;
  for (std::string after;;) {
    const Names page = boards.List(after, 10);
    EXPECT_LE(page.size(), 10U);
    if (page.empty()) break;
    paged.insert(paged.end(), page.begin(), page.end());
    after = page.back();
  }
  EXPECT_EQ(paged, expected);
  EXPECT_EQ(boards.List("b2", 1), Names{"b20"}) << "after is exclusive";
  EXPECT_EQ(boards.List("b2!", 1), Names{"b20"}) << "and need not exist";
  EXPECT_EQ(boards.List("b9", 10), Names{});
  EXPECT_EQ(boards.List("", 0), Names{});
}

TEST(Boards, RenameKeepsTheContentsAndDropsTheBoardAtTheNewName) {
  Boards boards;
  Spec spec;
  spec.policy = Policy::kBest;
  Board run = boards.Create("run", spec).value();
  Fill(run, 5);
  ASSERT_TRUE(run.SetMeta("member:4", "meta", kNow).value());
  const std::string_view hidden = "member:3";
  ASSERT_EQ(run.Hide({&hidden, 1}).value(), 1U);
  const std::vector<Entry> entries = run.Top(9);
  Fill(boards.Create("old").value(), 20'000);

  ASSERT_TRUE(boards.Rename("run", "old").ok());
  EXPECT_EQ(boards.List(), Names{"old"});
  const Board moved = boards.Find("old").value();
  EXPECT_EQ(moved.spec(), spec);
  EXPECT_EQ(moved.Top(9), entries);
  EXPECT_EQ(moved.Get("member:3").value().rank, std::nullopt) << "hidden there too";
  EXPECT_EQ(run.size(), 4U) << "what referred to it still does";
  EXPECT_EQ(moved.Describe(kNow).hidden, 1U);
  EXPECT_EQ(moved.name(), "old");
}

TEST(Boards, RefusedRenameChangesNothing) {
  Boards boards;
  Fill(boards.Create("run").value(), 3);
  EXPECT_EQ(boards.Rename("nowhere", "run").error().code, ErrorCode::kNoBoard);
  EXPECT_EQ(boards.Rename("run", "").error().code, ErrorCode::kErr);
  EXPECT_TRUE(boards.Rename("run", "run").ok());
  EXPECT_EQ(boards.Find("run").value().size(), 3U);
  EXPECT_EQ(boards.size(), 1U);
}

TEST(Boards, DescribeCountsVisibleAndHiddenSeparately) {
  Boards boards;
  Board board = boards.Create("run").value();
  Fill(board, 5);
  const std::vector<std::string_view> hidden = {"member:1", "not there yet"};
  ASSERT_EQ(board.Hide(hidden).value(), 2U);
  const BoardInfo info = board.Describe(kNow);
  EXPECT_EQ(info.name, "run");
  EXPECT_EQ(info.spec, Spec());
  EXPECT_EQ(info.size, 4U);
  EXPECT_EQ(info.hidden, 2U);
  EXPECT_EQ(info.bytes, board.MemoryUsage());
}

TEST(Boards, DropFreesTheNameAtOnce) {
  Boards boards;
  Fill(boards.Create("run").value(), 20'000);
  EXPECT_TRUE(boards.Drop("run"));
  EXPECT_FALSE(boards.Drop("run"));
  EXPECT_FALSE(boards.Find("run").has_value());
  Spec other;
  other.tie = Tie::kLast;
  EXPECT_EQ(boards.Create("run", other).value().size(), 0U);
}

// Memory ------------------------------------------------------------------------------------------

TEST(BoardsMemory, ReclaimFreesADroppedBoardInSlices) {
  base::CountingMemory memory(base::SystemMemory());
  Boards boards(&memory);
  Board kept = boards.Create("kept").value();
  Fill(kept, 10);
  const std::size_t before = memory.bytes_in_use();
  Fill(boards.Create("huge").value(), 200'000);
  const std::size_t full = memory.bytes_in_use();
  ASSERT_TRUE(boards.Drop("huge"));
  EXPECT_GT(memory.bytes_in_use(), full - 4096) << "dropping frees next to nothing yet";
  int calls = 1;
  std::size_t last = full;
  while (boards.Reclaim(1'000)) {
    ++calls;
    const std::size_t now = memory.bytes_in_use();
    // One call may free a page, and the extent of 2 MiB once its last page is free.
    EXPECT_LE(last - std::min(last, now), (std::size_t{2} << 20) + (64U << 10));
    last = now;
  }
  EXPECT_GT(calls, 100);
  EXPECT_LT(memory.bytes_in_use(), before + 4096);
  EXPECT_FALSE(boards.Reclaim(1'000));
  EXPECT_EQ(kept.size(), 10U);
  EXPECT_EQ(kept.Validate(), "");
}

TEST(BoardsMemory, LargerSlicesNeedFewerCalls) {
  const auto calls_for = [](std::size_t entries) {
    Boards boards;
    Fill(boards.Create("a").value(), 50'000);
    Fill(boards.Create("b").value(), 50'000);
    boards.Drop("a");
    boards.Drop("b");
    int calls = 1;
    while (boards.Reclaim(entries)) ++calls;
    return calls;
  };
  EXPECT_GT(calls_for(1'000), calls_for(20'000) * 10);
  EXPECT_EQ(calls_for(10'000'000), 1);
}

TEST(BoardsMemory, DestructorFreesDroppedBoardsThatWereNotReclaimed) {
  base::CountingMemory memory(base::SystemMemory());
  {
    Boards boards(&memory);
    Fill(boards.Create("a").value(), 50'000);
    Fill(boards.Create("b").value(), 50'000);
    Board board = boards.Create("c").value();
    Fill(board, 100);
    const std::string_view hidden = "member:3";
    ASSERT_EQ(board.Hide({&hidden, 1}).value(), 1U);
    boards.Drop("a");
    boards.Drop("b");
    boards.Reclaim(10'000);
    Boards moved = std::move(boards);
    EXPECT_EQ(moved.size(), 1U);
    EXPECT_GT(memory.bytes_in_use(), 1'000'000U);
  }
  EXPECT_EQ(memory.bytes_in_use(), 0U);
}

TEST(BoardsMemory, MemoryUsageIsWithinATenthOfTheAllocatedBytes) {
  base::CountingMemory memory(base::SystemMemory());
  Boards boards(&memory);
  Board board = boards.Create("run").value();
  Fill(board, 100'000);
  const auto taken = static_cast<double>(memory.bytes_in_use());
  EXPECT_GT(static_cast<double>(boards.MemoryUsage()), taken * 0.9);
  EXPECT_LT(static_cast<double>(boards.MemoryUsage()), taken * 1.1);
  EXPECT_GT(static_cast<double>(board.MemoryUsage()), taken * 0.9);
  boards.Drop("run");
  EXPECT_GT(static_cast<double>(boards.MemoryUsage()), taken * 0.9) << "until it is reclaimed";
  while (boards.Reclaim(100'000)) {
  }
  EXPECT_LT(boards.MemoryUsage(), 4096U) << "more than an empty page of names";
}

TEST(BoardsMemory, MemoryUsageOfManySmallBoardsIsWithinATenthToo) {
  base::CountingMemory memory(base::SystemMemory());
  Boards boards(&memory);
  for (int i = 0; i < 2'000; ++i) {
    Fill(boards.Create("project:rank:" + std::to_string(i)).value(), i % 100);
  }
  const auto taken = static_cast<double>(memory.bytes_in_use());
  EXPECT_GT(static_cast<double>(boards.MemoryUsage()), taken * 0.9);
  EXPECT_LT(static_cast<double>(boards.MemoryUsage()), taken * 1.1);
}

}  // namespace
}  // namespace laurel
