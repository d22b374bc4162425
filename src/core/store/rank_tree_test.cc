#include "core/store/rank_tree.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"

namespace laurel::core {
namespace {

// A tree and its cells, with the same keys in a sorted vector as the model.
class Tree {
 public:
  struct Key {
    Words words{};
    std::string member;
    Handle cell = kNoHandle;
    bool operator<(const Key& other) const {
      if (words != other.words) return words < other.words;
      return member < other.member;
    }
  };

  explicit Tree(unsigned leaf_entries = 4, unsigned inner_children = 4)
      : tree_(&cells_, &nodes_, 0, leaf_entries, inner_children) {}

  RankTree& operator*() { return tree_; }
  RankTree* operator->() { return &tree_; }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

  static Words WordsOf(std::uint64_t score, std::uint64_t stamp) {
    Words words{};
    words[0] = score;
    words[1] = stamp;
    return words;
  }
  Handle NewCell(const Words& words, std::string_view member) {
    return cells_.Create(words, MemberKey(member), "");
  }
  void Insert(const Words& words, const std::string& member, const RankTree::Route* to = nullptr) {
    const Key key{words, member, NewCell(words, member)};
    tree_.Insert(key.cell, to);
    keys_.insert(std::lower_bound(keys_.begin(), keys_.end(), key), key);
  }
  void Erase(std::size_t index) {
    tree_.Erase(keys_[index].cell);
    cells_.Destroy(keys_[index].cell);
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  // Cuts the range out and checks that the dissolved cuttings hold exactly its cells.
  void Cut(std::size_t first, std::size_t count) {
    RankTree::Cuttings cuttings;
    tree_.Cut(first, count, &cuttings);
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    std::vector<Handle> expected;
    for (auto key = begin; key != end; ++key) {
      ASSERT_FALSE(tree_.Contains(key->cell));
      expected.push_back(key->cell);
    }
    keys_.erase(begin, end);
    while (tree_.Dissolve(&cuttings)) {
    }
    std::sort(expected.begin(), expected.end());
    std::sort(cuttings.cells.begin(), cuttings.cells.end());
    ASSERT_EQ(cuttings.cells, expected);
    for (const Handle cell : expected) cells_.Destroy(cell);
    for (const Key& key : keys_) ASSERT_TRUE(tree_.Contains(key.cell));
  }
  [[nodiscard]] std::size_t node_blocks() const { return nodes_.blocks(); }
  [[nodiscard]] std::size_t cell_blocks() const { return cells_.size(); }
  void Move(std::size_t index, const Words& words, const RankTree::Route* from = nullptr,
            const RankTree::Route* to = nullptr) {
    Key key = keys_[index];
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(index));
    tree_.Move(key.cell, words, from, to);
    key.words = words;
    keys_.insert(std::lower_bound(keys_.begin(), keys_.end(), key), key);
  }
  RankTree::Route RouteTo(const Words& words, std::string_view member) const {
    RankTree::Route route;
    route.probe = {words, Probe::Among::kAtMember, member};
    RankTree::Route* const one = &route;
    tree_.FindRoutes({&one, 1});
    return route;
  }

  // Compares all answers of the tree with the vector.
  void ExpectSame() const {
    ASSERT_EQ(tree_.Validate(), "");
    ASSERT_EQ(tree_.size(), keys_.size());
    std::uint64_t distinct = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      ASSERT_EQ(tree_.Select(i), keys_[i].cell) << "at " << i;
      ASSERT_EQ(tree_.IndexOf(keys_[i].cell), i);
      if (i == 0 || keys_[i].words[0] != keys_[i - 1].words[0]) ++distinct;
      ASSERT_EQ(tree_.DistinctScores(i + 1), distinct);
    }
    ASSERT_EQ(tree_.DistinctScores(0), 0U);
  }

 private:
  PagePool pool_{base::SystemMemory()};
  KeyLayout layout_{Spec()};
  CellStore cells_{&layout_, &pool_, 1};
  Slab<64> nodes_{&pool_};
  RankTree tree_;
  std::vector<Key> keys_;
};

std::string Name(std::uint64_t i) { return "m" + std::to_string(i); }

TEST(RankTree, AnEmptyTreeHasNoEntriesBeforeAnyProbe) {
  Tree tree;
  EXPECT_EQ(tree->size(), 0U);
  EXPECT_EQ(tree->CountBefore({Tree::WordsOf(UINT64_MAX, UINT64_MAX)}), 0U);
  EXPECT_EQ(tree->DistinctScores(0), 0U);
  EXPECT_EQ(tree->Validate(), "");
}

TEST(RankTree, MatchesTheModelAtEveryStepOfRisingFallingAndRandomInput) {
  constexpr std::uint64_t kCount = 150;
  base::Random random(1);
  for (const int input : {0, 1, 2}) {
    SCOPED_TRACE(input);
    Tree tree;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      const std::uint64_t score = input == 0 ? i : input == 1 ? kCount - i : random.Below(60);
      tree.Insert(Tree::WordsOf(score, i), Name(i));
      ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
    }
    while (!tree.keys().empty()) {
      const std::size_t last = tree.keys().size() - 1;
      tree.Erase(input == 0 ? 0 : input == 1 ? last : random.Below(last + 1));
      ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
    }
  }
}

TEST(RankTree, CutRemovesAnyRangeFromTreesOfManySizes) {
  for (const std::uint64_t size : {2, 3, 5, 9, 17, 40, 90}) {
    for (std::uint64_t first = 0; first < size; first += 1 + size / 20) {
      for (std::uint64_t count = 1; count <= size - first; count += 1 + size / 20) {
        if (count == size) continue;
        SCOPED_TRACE(std::to_string(size) + ": " + std::to_string(first) + " + " +
                     std::to_string(count));
        Tree tree;
        for (std::uint64_t i = 0; i < size; ++i) tree.Insert(Tree::WordsOf(i / 3, i), Name(i));
        ASSERT_NO_FATAL_FAILURE(tree.Cut(first, count));
        ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
      }
    }
  }
}

TEST(RankTree, MatchesTheModelThroughCutsAndOtherWrites) {
  base::Random random(11);
  for (const unsigned nodes : {4U, 5U, 8U}) {
    Tree tree(nodes, nodes);
    std::uint64_t inserted = 0;
    for (int round = 0; round < 60; ++round) {
      const std::uint64_t some = random.Below(200);
      for (std::uint64_t i = 0; i < some; ++i, ++inserted) {
        // Equal words too, so that separators have tails, which the cut frees.
        tree.Insert(Tree::WordsOf(random.Below(30), random.Below(3)), Name(inserted));
      }
      for (int i = 0; i < 20 && tree.keys().size() > 1; ++i) {
        tree.Erase(random.Below(tree.keys().size()));
      }
      const std::size_t size = tree.keys().size();
      if (size < 2) continue;
      const std::size_t first = random.Below(size);
      const std::size_t count = 1 + random.Below(size - first);
      if (count == size) continue;
      ASSERT_NO_FATAL_FAILURE(tree.Cut(first, count));
      ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
    }
  }
}

TEST(RankTree, CutWithFullSizedNodesLeavesNoSmallNodesAndLeaksNoBlocks) {
  base::Random random(12);
  Tree tree(RankTree::kLeafEntries, RankTree::kInnerChildren);
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    tree.Insert(Tree::WordsOf(random.Below(5'000), i), Name(i));
  }
  ASSERT_NO_FATAL_FAILURE(tree.Cut(10'000, 15'000));
  ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  ASSERT_NO_FATAL_FAILURE(tree.Cut(0, 7'000));
  ASSERT_NO_FATAL_FAILURE(tree.Cut(50, tree.keys().size() - 50));
  ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  EXPECT_EQ(tree.node_blocks(), 1U) << "one leaf";
  EXPECT_EQ(tree->leaves(), 1U);
  EXPECT_EQ(tree.cell_blocks(), 50U);
}

TEST(RankTree, MembersDecideAmongEqualWords) {
  base::Random random(2);
  Tree tree;
  // Common prefixes of many lengths, so that separators need long tails.
  for (int i = 0; i < 200; ++i) {
    const std::string member = std::string(random.Below(40), 'a') + std::to_string(i);
    tree.Insert(Tree::WordsOf(7, 7), member);
    ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  }
  EXPECT_EQ(tree->DistinctScores(200), 1U);
  while (!tree.keys().empty()) {
    tree.Erase(random.Below(tree.keys().size()));
    ASSERT_EQ(tree->Validate(), "");
  }
}

TEST(RankTree, ExtremeWordsAreOrderedCorrectly) {
  Tree tree;
  int i = 0;
  for (const std::uint64_t score :
       {UINT64_MAX, UINT64_MAX - 1, std::uint64_t{1} << 63, (std::uint64_t{1} << 63) - 1,
        std::uint64_t{1}, std::uint64_t{0}}) {
    for (const std::uint64_t stamp : {UINT64_MAX, std::uint64_t{0}}) {
      for (const char* member : {"", "9", "10", "zz"}) {
        tree.Insert(Tree::WordsOf(score, stamp), member + std::string(i++ % 2, '!'));
        ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
      }
    }
  }
}

TEST(RankTree, CountBeforePlacesAProbeBeforeAmongAndAfterItsEquals) {
  Tree tree;
  for (std::uint64_t i = 0; i < 300; ++i) tree.Insert(Tree::WordsOf(i / 30 * 10, 5), Name(i));
  const auto expected = [&](const Probe& probe) {
    return static_cast<std::uint64_t>(
        std::count_if(tree.keys().begin(), tree.keys().end(), [&](const Tree::Key& key) {
          if (key.words != probe.words) return key.words < probe.words;
          if (probe.among == Probe::Among::kAtMember) return key.member < probe.member;
          return probe.among == Probe::Among::kAfterAll;
        }));
  };
  for (std::uint64_t score = 0; score < 100; score += 5) {
    for (const std::uint64_t stamp : {0, 5, 9}) {
      for (const auto among :
           {Probe::Among::kBeforeAll, Probe::Among::kAtMember, Probe::Among::kAfterAll}) {
        for (const std::string_view member : {"", "m1", "m15", "m150", "m299", "z"}) {
          const Probe probe{Tree::WordsOf(score, stamp), among, member};
          ASSERT_EQ(tree->CountBefore(probe), expected(probe)) << score << " " << member;
        }
      }
    }
  }
}

TEST(RankTree, MovesOverAnyDistanceKeepTheOrder) {
  base::Random random(3);
  Tree tree;
  for (std::uint64_t i = 0; i < 120; ++i) tree.Insert(Tree::WordsOf(random.Below(50), i), Name(i));
  for (std::uint64_t step = 0; step < 1'000; ++step) {
    const std::size_t index = random.Below(tree.keys().size());
    const std::uint64_t old = tree.keys()[index].words[0];
    const std::uint64_t score = random.OneIn(2) ? old + random.Below(2) : random.Below(50);
    tree.Move(index, Tree::WordsOf(score, 1'000 + step));
    ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  }
}

TEST(RankTree, FullSizedNodesHoldTensOfThousandsOfEntries) {
  base::Random random(4);
  Tree tree(RankTree::kLeafEntries, RankTree::kInnerChildren);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    tree.Insert(Tree::WordsOf(random.Below(5'000), i), Name(i));
  }
  ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  std::vector<std::uint64_t> indexes(RankTree::kBatch);
  std::vector<Handle> cells;
  for (unsigned i = 0; i < RankTree::kBatch; ++i) cells.push_back(tree.keys()[i * 600].cell);
  tree->IndexOfMany(cells, indexes.data());
  for (unsigned i = 0; i < RankTree::kBatch; ++i) EXPECT_EQ(indexes[i], i * 600);
  while (tree.keys().size() > 500) tree.Erase(random.Below(tree.keys().size()));
  ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  EXPECT_LT(tree->leaves(), 20U) << "leaves merge as they empty";
}

TEST(RankTree, InputInOrderFillsLeavesCompletely) {
  Tree tree(RankTree::kLeafEntries, RankTree::kInnerChildren);
  for (std::uint64_t i = 0; i < 6'400; ++i) tree.Insert(Tree::WordsOf(i, i), Name(i));
  EXPECT_LE(tree->leaves(), 103U);
}

TEST(RankTree, ForRangeRunsInBothDirectionsAndStopsAtTheEndsOrOnFalse) {
  Tree tree;
  for (std::uint64_t i = 0; i < 50; ++i) tree.Insert(Tree::WordsOf(i, 0), Name(i));
  const auto walk = [&](std::uint64_t first, std::uint64_t count, bool backward, std::size_t most) {
    std::vector<std::uint64_t> indexes;
    tree->ForRange(first, count, backward, [&](Handle cell) {
      indexes.push_back(tree->IndexOf(cell));
      return indexes.size() < most;
    });
    return indexes;
  };
  using Indexes = std::vector<std::uint64_t>;
  EXPECT_EQ(walk(7, 3, false, 99), (Indexes{7, 8, 9}));
  EXPECT_EQ(walk(7, 3, true, 99), (Indexes{7, 6, 5}));
  EXPECT_EQ(walk(48, 9, false, 99), (Indexes{48, 49}));
  EXPECT_EQ(walk(1, 9, true, 99), (Indexes{1, 0}));
  EXPECT_EQ(walk(10, 30, false, 2), (Indexes{10, 11}));
  EXPECT_EQ(walk(10, 0, false, 99), Indexes{});
  EXPECT_EQ(walk(50, 1, false, 99), Indexes{});
}

TEST(RankTree, BuildGivesTheSameTreeAsInsertingOneByOne) {
  for (const unsigned leaf_entries : {4U, 7U, 64U}) {
    for (const std::uint64_t count : {0, 1, 3, 4, 5, 17, 64, 65, 500}) {
      SCOPED_TRACE(count);
      Tree one_by_one(leaf_entries);
      Tree built(leaf_entries);
      std::vector<Handle> cells;
      for (std::uint64_t i = 0; i < count; ++i) {
        const Words words = Tree::WordsOf(i / 5, i / 2);
        const std::string member = Name(100'000 + i);
        one_by_one.Insert(words, member);
        cells.push_back(built.NewCell(words, member));
      }
      built->Build(cells);
      ASSERT_EQ(built->Validate(), "");
      ASSERT_NO_FATAL_FAILURE(one_by_one.ExpectSame());
      ASSERT_EQ(built->size(), count);
      for (std::uint64_t i = 0; i < count; ++i) {
        ASSERT_EQ(built->Select(i), cells[i]);
        ASSERT_EQ(built->IndexOf(cells[i]), i);
        ASSERT_EQ(built->DistinctScores(i), one_by_one->DistinctScores(i));
        const Probe probe{Tree::WordsOf(i / 5, i / 2)};
        ASSERT_EQ(built->CountBefore(probe), one_by_one->CountBefore(probe));
      }
    }
  }
}

TEST(RankTree, ReplaceKeepsThePlaceOfAMovedCell) {
  Tree tree;
  for (std::uint64_t i = 0; i < 60; ++i) tree.Insert(Tree::WordsOf(i / 9, 1), Name(i));
  const Tree::Key& key = tree.keys()[31];
  const Handle twin = tree.NewCell(key.words, key.member);
  tree->Replace(key.cell, twin, {key.words, Probe::Among::kAtMember, key.member});
  EXPECT_EQ(tree->Select(31), twin);
  EXPECT_EQ(tree->IndexOf(twin), 31U);
  EXPECT_EQ(tree->Validate(), "");
}

// Routes ------------------------------------------------------------------------------------------

TEST(RankTreeRoutes, InsertsAlongRoutesMatchTheModel) {
  base::Random random(5);
  Tree tree;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Words words = Tree::WordsOf(random.Below(40), i);
    const RankTree::Route to = tree.RouteTo(words, Name(i));
    tree.Insert(words, Name(i), &to);
    ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  }
}

// A batch finds all its routes first; each write may then split or merge nodes on later routes.
TEST(RankTreeRoutes, RoutesFoundBeforeOtherWritesGiveTheRightResult) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    base::Random random(seed);
    Tree tree;
    std::uint64_t next = 0;
    for (; next < 60; ++next) tree.Insert(Tree::WordsOf(random.Below(20), next), Name(next));
    for (int batch = 0; batch < 30; ++batch) {
      struct Planned {
        std::string member;  // of a present entry if `moves`, else new
        Words words{};
        RankTree::Route from;
        RankTree::Route to;
        bool moves = false;
      };
      std::vector<std::unique_ptr<Planned>> planned;
      for (int i = 0; i < 12; ++i, ++next) {
        auto write = std::make_unique<Planned>();
        write->moves = random.OneIn(2);
        const Tree::Key& key = tree.keys()[random.Below(tree.keys().size())];
        write->member = write->moves ? key.member : Name(next);
        write->words = Tree::WordsOf(random.Below(20), next);
        write->from = tree.RouteTo(key.words, write->member);
        write->to = tree.RouteTo(write->words, write->member);
        planned.push_back(std::move(write));
      }
      for (const auto& write : planned) {
        if (random.OneIn(4)) tree.Erase(random.Below(tree.keys().size()));
        const auto found =
            std::find_if(tree.keys().begin(), tree.keys().end(),
                         [&](const Tree::Key& key) { return key.member == write->member; });
        if (found != tree.keys().end()) {
          const auto index = static_cast<std::size_t>(found - tree.keys().begin());
          tree.Move(index, write->words, &write->from, &write->to);
        } else {
          tree.Insert(write->words, write->member, &write->to);
        }
        ASSERT_NO_FATAL_FAILURE(tree.ExpectSame()) << "seed " << seed;
      }
      while (tree.keys().size() > 60) tree.Erase(random.Below(tree.keys().size()));
    }
  }
}

TEST(RankTreeRoutes, RoutesToAnotherKeyAreNotFollowed) {
  Tree tree;
  for (std::uint64_t i = 0; i < 100; ++i) tree.Insert(Tree::WordsOf(i, 0), Name(i));
  const RankTree::Route elsewhere = tree.RouteTo(Tree::WordsOf(3, 0), "x");
  tree.Insert(Tree::WordsOf(90, 1), "y", &elsewhere);
  ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
  tree.Move(50, Tree::WordsOf(10, 1), &elsewhere, &elsewhere);
  ASSERT_NO_FATAL_FAILURE(tree.ExpectSame());
}

}  // namespace
}  // namespace laurel::core
