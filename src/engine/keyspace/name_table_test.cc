#include "engine/keyspace/name_table.h"

#include <map>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::engine {
namespace {

std::string NameOf(std::uint64_t number) { return "board:" + std::to_string(number); }

class NameTableTest : public ::testing::Test {
 protected:
  void Insert(const std::string& name) {
    auto named = std::make_unique<Named>(name, base::SystemMemory());
    table_.Insert(named.get());
    model_.emplace(name, std::move(named));
  }
  // Returns false if there is no such name.
  bool Erase(const std::string& name) {
    const auto found = model_.find(name);
    if (found == model_.end()) return false;
    table_.Erase(found->second.get());
    model_.erase(found);
    return true;
  }

  NameTable table_{base::SystemMemory(), 7};
  std::map<std::string, std::unique_ptr<Named>> model_;
};

TEST_F(NameTableTest, AgreesWithAMapWhileItGrowsAndShrinks) {
  base::Random random(11);
  for (int phase = 0; phase < 4; ++phase) {
    const bool growing = phase % 2 == 0;
    for (int i = 0; i < 6000; ++i) {
      const std::string name = NameOf(random.Below(5000));
      const bool insert = growing ? !random.OneIn(5) : random.OneIn(5);
      const auto found = model_.find(name);
      ASSERT_EQ(table_.Find(name), found == model_.end() ? nullptr : found->second.get());
      if (insert && found == model_.end()) Insert(name);
      if (!insert) Erase(name);
      ASSERT_EQ(table_.size(), model_.size());
    }
    ASSERT_EQ(table_.Validate(), "");
  }
}

TEST_F(NameTableTest, AScanVisitsEveryLastingBoardExactlyOnceWhileOthersChange) {
  for (int i = 0; i < 1000; ++i) Insert(NameOf(i));
  base::Random random(5);
  std::multiset<std::string> met;
  std::uint64_t cursor = 0;
  do {
    cursor = table_.Scan(cursor, 10, [&](const Named& board) { met.emplace(board.name); });
    ASSERT_LT(cursor, std::uint64_t{1} << NameTable::kCursorBits);
    for (int i = 0; i < 50; ++i) {
      const std::string name = "other:" + std::to_string(random.Below(3000));
      if (!Erase(name)) Insert(name);
    }
  } while (cursor != 0);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(met.count(NameOf(i)), 1U) << i;
}

}  // namespace
}  // namespace laurel::engine
