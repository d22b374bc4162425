#include "core/store/cell_store.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

constexpr std::uint64_t kSeed = 0x9e3779b97f4a7c15;

// Members of every kind of cell, at the limits of each kind.
const std::vector<std::string>& MembersOfAllKinds() {
  static const std::vector<std::string> members = {"",
                                                   "ann",
                                                   "007",
                                                   std::string("a\0b", 3),
                                                   "0",
                                                   "-1",
                                                   "2147483647",
                                                   "-2147483648",
                                                   "2147483648",
                                                   "-2147483649",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "9223372036854775808",
                                                   std::string(1024, 'n'),
                                                   std::string(1025, 'f'),
                                                   std::string(512 * 1024, 'g')};
  return members;
}

class CellStoreTest : public testing::Test {
 protected:
  [[nodiscard]] static Words WordsOf(std::uint64_t i) {
    Words words{};
    words[0] = i * 0x9e3779b97f4a7c15;
    words[1] = ~i;
    return words;
  }
  void ExpectCell(Handle handle, std::uint64_t i, std::string_view member,
                  std::string_view meta) const {
    MemberBuffer buffer;
    for (unsigned word = 0; word < layout_.words(); ++word) {
      EXPECT_EQ(cells_.WordsOf(handle)[word], WordsOf(i)[word]);
      EXPECT_EQ(cells_.WordAt(handle, word), WordsOf(i)[word]);
    }
    EXPECT_EQ(cells_.MemberOf(handle, buffer), member);
    EXPECT_TRUE(cells_.HasMember(handle, MemberKey(member)));
    EXPECT_EQ(cells_.HashOf(handle), MemberKey(member).Hash(kSeed));
    EXPECT_EQ(cells_.MetaOf(handle), meta);
  }

  base::CountingMemory memory_{base::SystemMemory()};
  PagePool pool_{&memory_};
  KeyLayout layout_{Spec()};
  CellStore cells_{&layout_, &pool_, kSeed};
};

TEST_F(CellStoreTest, KeepsMembersOfEveryKindWithAndWithoutMeta) {
  for (const std::string& meta : {std::string(), std::string("m"), std::string(4096, 'x')}) {
    std::vector<Handle> handles;
    for (const std::string& member : MembersOfAllKinds()) {
      handles.push_back(cells_.Create(WordsOf(handles.size()), MemberKey(member), meta));
      ASSERT_NE(handles.back(), kNoHandle);
    }
    EXPECT_EQ(cells_.size(), handles.size());
    for (std::size_t i = 0; i < handles.size(); ++i) {
      ExpectCell(handles[i], i, MembersOfAllKinds()[i], meta);
    }
    for (const Handle handle : handles) cells_.Destroy(handle);
    EXPECT_EQ(cells_.size(), 0U);
  }
}

TEST_F(CellStoreTest, DistinguishesMembersOfAllKinds) {
  for (const std::string& member : MembersOfAllKinds()) {
    const Handle handle = cells_.Create(WordsOf(1), MemberKey(member), "");
    for (const std::string& other : MembersOfAllKinds()) {
      EXPECT_EQ(cells_.HasMember(handle, MemberKey(other)), member == other);
    }
    cells_.Destroy(handle);
  }
}

TEST_F(CellStoreTest, SetMetaKeepsWordsAndMember) {
  const std::vector<std::string> metas = {"first", "",  "again", "a longer one than that",
                                          "x",     "x", "",      ""};
  for (const std::string& member : MembersOfAllKinds()) {
    SCOPED_TRACE(member.substr(0, 32));
    Handle handle = cells_.Create(WordsOf(5), MemberKey(member), "");
    const Handle neighbour = cells_.Create(WordsOf(6), MemberKey("neighbour"), "its meta");
    for (const std::string& meta : metas) {
      const bool had_meta = !cells_.MetaOf(handle).empty();
      const Handle after = cells_.SetMeta(handle, meta);
      ASSERT_NE(after, kNoHandle);
      EXPECT_EQ(after == handle, had_meta == !meta.empty()) << "it moves to get or to lose one";
      handle = after;
      ExpectCell(handle, 5, member, meta);
      ExpectCell(neighbour, 6, "neighbour", "its meta");
      EXPECT_EQ(cells_.size(), 2U);
    }
    cells_.Destroy(handle);
    cells_.Destroy(neighbour);
  }
}

TEST_F(CellStoreTest, ReplacedOrRemovedMetaIsFreed) {
  Handle handle = cells_.Create(WordsOf(1), MemberKey("ann"), "");
  for (int i = 0; i < 1'000; ++i) {
    handle = cells_.SetMeta(handle, std::string(1'000, static_cast<char>('a' + i % 26)));
    if (i % 3 == 0) handle = cells_.SetMeta(handle, "");
  }
  EXPECT_LT(memory_.bytes_in_use(), 32'768U) << "room for one, not for a thousand";
}

TEST_F(CellStoreTest, WordsChangeInPlace) {
  const Handle handle = cells_.Create(WordsOf(1), MemberKey("ann"), "meta");
  cells_.SetWords(handle, WordsOf(2));
  ExpectCell(handle, 2, "ann", "meta");
}

TEST_F(CellStoreTest, StoresBlocksOfBytesNearAndFar) {
  std::map<Handle, std::string> blocks;
  for (const std::size_t size : {0, 1, 100, 4096, 4097, 100'000}) {
    const std::string bytes(size, static_cast<char>('a' + blocks.size()));
    blocks.emplace(cells_.NewBytes(bytes), bytes);
  }
  EXPECT_EQ(blocks.size(), 6U);
  EXPECT_EQ(cells_.size(), 0U) << "they are no records";
  for (const auto& [handle, bytes] : blocks) EXPECT_EQ(cells_.BytesAt(handle), bytes);
  for (const auto& [handle, bytes] : blocks) cells_.FreeBytes(handle);
}

TEST_F(CellStoreTest, FarBytesAreCountedAndFreed) {
  const std::size_t before = memory_.bytes_in_use();
  const std::string far(300'000, 'f');
  const Handle cell = cells_.Create(WordsOf(1), MemberKey(far), "");
  const Handle bytes = cells_.NewBytes(far);
  EXPECT_GT(cells_.MemoryUsage(), 600'000U);
  EXPECT_EQ(cells_.MemoryUsage(), memory_.bytes_in_use());
  cells_.Destroy(cell);
  cells_.FreeBytes(bytes);
  EXPECT_EQ(cells_.MemoryUsage(), memory_.bytes_in_use());
  EXPECT_LT(memory_.bytes_in_use(), before + 4096);
}

TEST_F(CellStoreTest, AUserIdTakes20BytesAndAnEighteenByteMember36) {
  constexpr int kCount = 50'000;
  CellStore ids(&layout_, &pool_, kSeed);
  CellStore texts(&layout_, &pool_, kSeed);
  for (int i = 0; i < kCount; ++i) {
    const std::string id = std::to_string(1'000'000'000 + i);
    ASSERT_NE(ids.Create(WordsOf(1), MemberKey(id), ""), kNoHandle);
    ASSERT_NE(texts.Create(WordsOf(1), MemberKey("player-" + id + "x"), ""), kNoHandle);
  }
  EXPECT_GE(ids.MemoryUsage(), 20U * kCount);
  EXPECT_LT(ids.MemoryUsage(), 20U * kCount * 11 / 10);
  EXPECT_GE(texts.MemoryUsage(), 36U * kCount);
  EXPECT_LT(texts.MemoryUsage(), 36U * kCount * 11 / 10);
}

TEST_F(CellStoreTest, FreeSliceFreesFarMembersAndMeta) {
  CellStore cells(&layout_, &pool_, kSeed);
  const std::size_t before = memory_.bytes_in_use();
  for (int i = 0; i < 2'000; ++i) {
    const std::string member = std::string(i % 10 == 0 ? 2000 : 20, 'x') + std::to_string(i);
    ASSERT_NE(cells.Create(WordsOf(1), MemberKey(member), std::string(i % 3 * 50, 'm')), kNoHandle);
  }
  int slices = 0;
  while (cells.FreeOnePage()) ++slices;
  EXPECT_GT(slices, 10);
  EXPECT_LT(memory_.bytes_in_use(), before + 16'384) << "all but the list of pages";
}

TEST_F(CellStoreTest, ADestroyedStoreLeaksNothingOfAnyKind) {
  const std::size_t before = memory_.bytes_in_use();
  {
    CellStore cells(&layout_, &pool_, kSeed);
    for (const std::string& member : MembersOfAllKinds()) {
      ASSERT_NE(cells.Create(WordsOf(1), MemberKey(member), ""), kNoHandle);
      ASSERT_NE(cells.Create(WordsOf(1), MemberKey(member), "meta"), kNoHandle);
      ASSERT_NE(cells.NewBytes(member), kNoHandle);
    }
  }
  EXPECT_EQ(memory_.bytes_in_use(), before);
}

}  // namespace
}  // namespace laurel::core
