#include "core/store/cell_sort.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

// Compares SortCells with a plain comparison sort of `count` cells. Their first two words have
// `first_bits` and `second_bits` random bits, and their members share a prefix.
void ExpectSorted(const Spec& spec, unsigned first_bits, unsigned second_bits, std::size_t count,
                  std::uint64_t seed) {
  SCOPED_TRACE(DescribeSpec(spec) + ", bits " + std::to_string(first_bits) + " and " +
               std::to_string(second_bits) + ", seed " + std::to_string(seed));
  PagePool pool(base::SystemMemory());
  const KeyLayout layout(spec);
  CellStore store(&layout, &pool, 1);
  base::Random random(seed);
  const auto draw = [&](unsigned bits) { return bits == 0 ? 5 : random.Next() >> (64 - bits); };
  const std::vector<std::string> beginnings = {"", "user:", std::string("zero\0", 5),
                                               std::string(40, 'x')};
  const std::string& beginning = beginnings[random.Below(beginnings.size())];
  std::vector<Handle> cells;
  std::set<std::string> members;
  while (cells.size() < count) {
    std::string member = beginning + std::to_string(random.Below(count * 4));
    if (random.OneIn(3)) member += std::string(random.Below(3), '\0');
    if (!members.insert(member).second) continue;
    Words words{draw(first_bits), draw(second_bits), draw(2)};
    cells.push_back(store.Create(words, MemberKey(member), random.OneIn(2) ? "meta" : ""));
  }
  const auto key = [&](Handle cell) {
    MemberBuffer buffer;
    Words words = store.WordsOf(cell);
    std::fill(words.begin() + layout.order_words(), words.end(), 0);
    return std::pair(words, std::string(store.MemberOf(cell, buffer)));
  };
  std::vector<Handle> expected = cells;
  std::sort(expected.begin(), expected.end(), [&](Handle a, Handle b) { return key(a) < key(b); });
  SortCells(store, &cells);
  EXPECT_EQ(cells, expected);
}

TEST(CellSort, GivesTheOrderOfWordsAndMembers) {
  Spec two_fields;
  two_fields.fields = {{"a"}, {"b"}};
  Spec by_member;
  by_member.tie = Tie::kMember;
  std::uint64_t seed = 0;
  for (const Spec& spec : {Spec(), two_fields, by_member, Spec::SortedSet()}) {
    for (const unsigned first_bits : {0, 1, 8, 20, 63, 64}) {
      for (const unsigned second_bits : {0, 3, 40, 64}) {
        ExpectSorted(spec, first_bits, second_bits, 300, ++seed);
        ExpectSorted(spec, first_bits, second_bits, 2, ++seed);
      }
    }
  }
}

TEST(CellSort, AcceptsZeroCellsAndOneCell) {
  ExpectSorted(Spec(), 10, 10, 0, 1);
  ExpectSorted(Spec(), 10, 10, 1, 1);
}

}  // namespace
}  // namespace laurel::core
