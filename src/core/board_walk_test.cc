// A walk and the effects since it began, put together, against the live boards.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
#include "core/board_walk.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/decide.h"

namespace laurel::core {
namespace {

Shape TinyShape() {
  Shape shape;
  shape.packed_entries = 8;
  shape.leaf_entries = 4;
  shape.inner_children = 4;
  shape.segment_buckets = 2;
  shape.listed_removals = 3;
  return shape;
}

// An entry, or the mark of a hidden member, as text.
std::string Describe(std::string_view member, const Words& words, unsigned count,
                     std::string_view meta) {
  std::string text(member);
  for (unsigned i = 0; i < count; ++i) text += " " + std::to_string(words[i]);
  return text + " [" + std::to_string(meta.size()) + " " + std::string(meta.substr(0, 20)) + "]\n";
}

std::string ContentOf(const Catalog& catalog) {
  std::string text;
  for (const NamedBoard* named = catalog.FirstById(); named != nullptr;
       named = Catalog::NextById(named)) {
    const Board& board = named->board;
    EXPECT_EQ(board.Validate(), "");
    const unsigned words = board.layout().words();
    text += "#" + std::to_string(named->id) + " " + std::string(named->name) + " " +
            DescribeSpec(board.spec()) + "\n";
    board.entries().ForRange(0, board.entries().size(), false, [&](const EntryView& view) {
      text += Describe(view.member, view.words, words, view.meta);
      return true;
    });
    board.ForEachHidden([&](std::string_view member, const Board::HiddenEntry* entry) {
      text += entry == nullptr ? "hidden " + std::string(member) + "\n"
                               : "hidden " + Describe(member, entry->words, words, entry->meta);
    });
  }
  return text;
}

// Something a log would hold: an effect on a board, or what happens to boards.
struct Logged {
  enum class Kind : std::uint8_t { kEffect, kCreate, kRename, kDrop, kClear };
  Kind kind;
  std::uint64_t id;
  std::string name{};  // kEffect: the member
  Spec spec{};
  Effect effect{};
  std::string meta{};
  KeyRange range{};
  std::array<std::string, 2> range_members{};
};

// Random commands on a few boards, logged as effects.
class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 60; ++i) {
      members_.push_back((i % 2 == 0 ? "" : std::string(1 + i % 5 * 7, 'u')) + std::to_string(i));
    }
    members_.emplace_back(1'500, 'f');  // kept away from its record
  }

  [[nodiscard]] Catalog& catalog() { return catalog_; }
  [[nodiscard]] base::Random& random() { return random_; }
  std::vector<Logged> log;

  void Step() {
    if (random_.OneIn(3)) catalog_.Reclaim(random_.Below(20));
    const std::string name = "board" + std::to_string(random_.Below(5));
    NamedBoard* named = catalog_.Find(name);
    if (named == nullptr) return Create(name);
    const std::uint64_t which = random_.Below(100);
    if (which < 1) {
      log.push_back({.kind = Logged::Kind::kDrop, .id = named->id});
      catalog_.Drop(name);
    } else if (which < 2) {
      Rename(named, "board" + std::to_string(random_.Below(5)));
    } else if (which < 4) {
      log.push_back({.kind = Logged::Kind::kClear, .id = named->id});
      catalog_.Clear(named);
    } else if (which < 7) {
      // Into the packed form and out of it, to other places than before.
      Execute(named, [&](EffectBatch* effects) {
        DecideRemoveRange(named->board, random_.Below(4), UINT64_MAX, effects);
      });
      Execute(named, [&](EffectBatch* effects) { DecideMany(named->board, 30, effects); });
    } else {
      Execute(named, [&](EffectBatch* effects) { Decide(named->board, which, effects); });
    }
  }

 private:
  void Create(const std::string& name) {
    Spec spec;
    if (random_.OneIn(3)) spec = Spec::SortedSet();
    if (random_.OneIn(3)) spec.tie = spec.kind == BoardKind::kSortedSet ? spec.tie : Tie::kMember;
    const NamedBoard* named = *catalog_.Create(name, spec);
    log.push_back({.kind = Logged::Kind::kCreate, .id = named->id, .name = name, .spec = spec});
  }

  void Rename(NamedBoard* named, const std::string& to) {
    const std::string from(named->name);
    if (from == to) return;
    if (const NamedBoard* replaced = catalog_.Find(to)) {
      log.push_back({.kind = Logged::Kind::kDrop, .id = replaced->id});
    }
    log.push_back({.kind = Logged::Kind::kRename, .id = named->id, .name = to});
    ASSERT_TRUE(catalog_.Rename(from, to).ok());
  }

  template <typename Deciding>
  void Execute(NamedBoard* named, const Deciding& decide) {
    EffectBatch effects;
    decide(&effects);
    for (const Effect& effect : effects) Log(named->id, effect);
    named->board.Apply(effects);
  }

  void Decide(const Board& board, std::uint64_t which, EffectBatch* effects) {
    const std::vector<std::string_view> some = {Member(board), Member(board), Member(board)};
    if (which < 8) {
      DecideClear(board, effects);
    } else if (which < 11) {
      DecideRemoveRange(board, 0, 5 + random_.Below(35), effects);
    } else if (which < 20) {
      DecideRemove(board, some, effects);
    } else if (which < 32) {
      (void)DecideHide(board, some, effects);
    } else if (which < 44) {
      (void)DecideShow(board, some, effects);
    } else if (which < 46) {
      Spec changed = board.spec();
      changed.cap = random_.OneIn(2) ? 0 : 10 + random_.Below(20);
      (void)DecideAlter(board, changed, effects);
    } else if (which < 55) {
      (void)DecideSetMeta(board, Member(board), Meta(), effects);
    } else {
      DecideMany(board, which < 92 ? 1 : random_.Below(30), effects);
    }
  }

  void DecideMany(const Board& board, std::uint64_t count, EffectBatch* effects) {
    std::vector<Write> writes;
    for (; count > 0; --count) {
      Write write{.member = Member(board), .score = {static_cast<std::int64_t>(random_.Below(20))}};
      if (board.layout().is_double()) write.score = Score::Double(write.score[0] / 2.0);
      if (!board.layout().is_double() && random_.OneIn(3)) write.meta = Meta();
      writes.push_back(write);
    }
    stamp_ += 100;
    ASSERT_TRUE(DecideWrites(board, writes, {stamp_, stamp_}, effects).ok());
  }

  // The last one is too long for a leaderboard.
  std::string_view Member(const Board& board) {
    return members_[random_.Below(members_.size() - (board.layout().is_double() ? 0 : 1))];
  }
  std::string_view Meta() {
    static const std::string long_meta(2'500, 'm');  // two of them are too much for a packed board
    static const std::vector<std::string> metas = {"", "de", "a longer one", long_meta};
    return metas[random_.OneIn(8) ? 3 : random_.Below(3)];
  }

  void Log(std::uint64_t id, const Effect& effect) {
    log.push_back({.kind = Logged::Kind::kEffect,
                   .id = id,
                   .name = std::string(effect.member),
                   .spec = effect.spec != nullptr ? *effect.spec : Spec(),
                   .effect = effect,
                   .meta = std::string(effect.meta)});
    if (effect.range == nullptr) return;
    log.back().range = *effect.range;
    log.back().range_members[0] = effect.range->first_member;
    log.back().range_members[1] = effect.range->last_member;
  }

  base::Random random_;
  std::vector<std::string> members_;
  Stamp stamp_ = 1'700'000'000'000'000;
  Catalog catalog_{base::SystemMemory(), 7, TinyShape()};
};

// Restores what is visited into another catalog. A board that is begun again is either begun again
// there too, or what comes is added to what has come: both must do.
class Restorer : public BoardWalk::Visitor {
 public:
  Restorer(Catalog* catalog, bool anew) : catalog_(catalog), anew_(anew) {
    catalog->BeginRestore();
  }

  void OnBoard(const NamedBoard& board) override {
    EXPECT_GE(board.id, id_) << "in order of ids";
    NamedBoard* present = board.id == id_ ? board_ : nullptr;
    if (present == nullptr || anew_) {
      if (present == nullptr) {
        FinishBoard();
      } else {
        loader_.reset();
        hidden_.clear();
        catalog_->DropRestored(present);
      }
      board_ = catalog_->Restore(board.id, board.name, board.board.spec());
      loader_.emplace(board_->board.Load());
    }
    begun_again += present != nullptr ? 1 : 0;
    id_ = board.id;
  }
  void OnEntry(const EntryView& view) override {
    ASSERT_TRUE(loader_->Add(MemberKey(view.member), view.words, view.meta));
  }
  void OnRequest(const RememberedRequest& /*request*/) override {}
  void OnHidden(std::string_view member, const Board::HiddenEntry* entry) override {
    hidden_.emplace_back(member, std::nullopt);
    if (entry != nullptr) hidden_.back().second.emplace(entry->words, std::string(entry->meta));
  }

  void FinishBoard() {
    if (!loader_) return;
    loader_->Finish();
    loader_.reset();
    for (const auto& [member, entry] : hidden_) {
      Effect effect;
      effect.kind = Effect::Kind::kHide;
      effect.member = member;
      effect.has_entry = entry.has_value();
      if (entry) {
        effect.words = entry->first;
        effect.meta = entry->second;
      }
      board_->board.Apply(effect);
    }
    hidden_.clear();
  }

  void Replay(const Logged& logged) {
    NamedBoard* board = catalog_->FindById(logged.id);
    if (logged.kind == Logged::Kind::kCreate) {
      ASSERT_EQ(board, nullptr) << "created after the walk began";
      catalog_->Restore(logged.id, logged.name, logged.spec);
      return;
    }
    if (board == nullptr) return;  // dropped before the walk came to it
    Effect effect = logged.effect;
    switch (logged.kind) {
      case Logged::Kind::kRename:
        return Catalog::SetRestoredName(board, logged.name);
      case Logged::Kind::kDrop:
        return catalog_->DropRestored(board);
      case Logged::Kind::kClear:
        return Catalog::ClearRestored(board);
      default: {
        if (effect.spec != nullptr) effect.spec = &logged.spec;
        KeyRange range = logged.range;
        range.first_member = logged.range_members[0];
        range.last_member = logged.range_members[1];
        if (effect.range != nullptr) effect.range = &range;
        effect.member = logged.name;
        effect.meta = logged.meta;
        effect.found_at = kNowhere;
        board->board.Apply(effect);
      }
    }
  }

  int begun_again = 0;

 private:
  Catalog* catalog_;
  bool anew_;
  std::uint64_t id_ = 0;
  NamedBoard* board_ = nullptr;
  std::optional<EntryStore::Loader> loader_;
  std::vector<std::pair<std::string, std::optional<std::pair<Words, std::string>>>> hidden_;
};

TEST(BoardWalkTest, WhatIsVisitedAndTheEffectsSinceAreTheLiveState) {
  const char* given = std::getenv("LAUREL_TEST_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : base::SystemEntropy();
  std::cout << "LAUREL_TEST_SEED=" << seed << "\n";
  World world(seed);
  base::Random& random = world.random();
  for (int i = 0; i < 200; ++i) world.Step();
  int begun_again = 0;
  for (int round = 0; round < 5'000; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    for (std::uint64_t i = random.Below(20); i > 0; --i) world.Step();
    world.log.clear();
    Catalog restored(base::SystemMemory(), 99, TinyShape());
    Restorer restorer(&restored, round % 2 == 0);
    {
      BoardWalk walk(&world.catalog());
      const std::uint64_t steps = random.Below(8);
      while (walk.Next(1 + random.Below(20), &restorer)) {
        for (std::uint64_t i = 0; i < steps; ++i) world.Step();
      }
    }
    restorer.FinishBoard();
    for (const Logged& logged : world.log) restorer.Replay(logged);
    const Status finished = restored.FinishRestore();
    ASSERT_TRUE(finished.ok()) << finished.error().message;
    ASSERT_EQ(ContentOf(restored), ContentOf(world.catalog()));
    begun_again += restorer.begun_again;
  }
  EXPECT_GT(begun_again, 300);
}

// Counts what is visited.
class Counter : public BoardWalk::Visitor {
 public:
  void OnBoard(const NamedBoard& board) override { boards.push_back(board.id); }
  void OnEntry(const EntryView& view) override { ++entries[std::string(view.member)]; }
  void OnRequest(const RememberedRequest& /*request*/) override {}
  void OnHidden(std::string_view member, const Board::HiddenEntry* /*entry*/) override {
    hidden.emplace_back(member);
  }

  std::vector<std::uint64_t> boards;
  std::map<std::string, int> entries;
  std::vector<std::string> hidden;
};

class BoardWalkSlicesTest : public testing::Test {
 protected:
  void Put(NamedBoard* board, std::string_view member, Effect::Kind kind = Effect::Kind::kPut) {
    Effect effect;
    effect.kind = kind;
    effect.member = member;
    effect.words = board->board.layout().Encode(Score{1}, ++stamp_);
    board->board.Apply(effect);
  }
  NamedBoard* Create(const std::string& name, int entries) {
    NamedBoard* board = *catalog_.Create(name, Spec());
    for (int i = 0; i < entries; ++i) Put(board, name + std::to_string(i));
    return board;
  }

  Catalog catalog_{base::SystemMemory(), 7};
  Stamp stamp_ = 0;
  Counter counter_;
};

TEST_F(BoardWalkSlicesTest, VisitEveryEntryOnceInSlicesOfAboutTheBudget) {
  Create("a", 10'000);
  Create("b", 3);
  NamedBoard* hiding = Create("c", 0);
  for (int i = 0; i < 1'000; ++i) Put(hiding, std::to_string(i), Effect::Kind::kHide);
  BoardWalk walk(&catalog_);
  std::uint64_t before = 0;
  int slices = 1;
  while (walk.Next(100, &counter_)) {
    EXPECT_LE(walk.entries_visited() - before, 100U);
    before = walk.entries_visited();
    ++slices;
  }
  EXPECT_GE(slices, 110);
  EXPECT_LE(slices, 125);
  EXPECT_EQ(counter_.boards, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(counter_.entries.size(), 10'003U);
  for (const auto& [member, count] : counter_.entries) EXPECT_EQ(count, 1) << member;
  EXPECT_EQ(counter_.hidden.size(), 1'000U);
  EXPECT_EQ(std::set<std::string>(counter_.hidden.begin(), counter_.hidden.end()).size(), 1'000U);
  EXPECT_EQ(walk.boards_visited(), 3U);
  EXPECT_EQ(walk.entries_visited(), 11'003U);
  EXPECT_EQ(walk.EstimateEntries(), 11'003U);
}

TEST_F(BoardWalkSlicesTest, EstimateTheRestByWhatWasSeen) {
  for (int i = 0; i < 50; ++i) Create("b" + std::to_string(i) + ":", 20);
  BoardWalk walk(&catalog_);
  EXPECT_EQ(walk.EstimateEntries(), 1'000U);
  while (walk.Next(30, &counter_)) EXPECT_EQ(walk.EstimateEntries(), 1'000U);
  EXPECT_EQ(walk.EstimateEntries(), 1'000U);
}

TEST_F(BoardWalkSlicesTest, LeaveOutBoardsThatAreDroppedOrCreatedMeanwhile) {
  for (const char* name : {"a", "b", "c", "d"}) Create(name, 200);
  BoardWalk walk(&catalog_);
  ASSERT_TRUE(walk.Next(50, &counter_));
  catalog_.Drop("a");  // the one that is walked
  catalog_.Drop("c");  // one to come
  Create("late", 10);
  ASSERT_TRUE(catalog_.Rename("d", "renamed").ok());
  while (walk.Next(50, &counter_)) {
  }
  EXPECT_EQ(counter_.boards, (std::vector<std::uint64_t>{1, 2, 4}));
  EXPECT_EQ(counter_.entries.count("late0"), 0U);
  EXPECT_EQ(walk.boards_visited(), 2U);
}

TEST_F(BoardWalkSlicesTest, BeginABoardAgainThatIsClearedOrChangesItsForm) {
  NamedBoard* board = Create("a", 200);
  Put(board, "cheat", Effect::Kind::kHide);
  BoardWalk walk(&catalog_);
  ASSERT_TRUE(walk.Next(50, &counter_));
  board = catalog_.Clear(board);
  for (int i = 0; i < 100; ++i) Put(board, "new" + std::to_string(i));
  ASSERT_TRUE(walk.Next(50, &counter_));
  for (int i = 0; i < 95; ++i) Put(board, "new" + std::to_string(i), Effect::Kind::kDelete);
  EXPECT_FALSE(walk.Next(50, &counter_));
  EXPECT_EQ(counter_.boards, (std::vector<std::uint64_t>{1, 1, 1}));
  for (int i = 95; i < 100; ++i) EXPECT_GE(counter_.entries["new" + std::to_string(i)], 1);
  EXPECT_EQ(counter_.hidden, std::vector<std::string>{"cheat"});
}

TEST_F(BoardWalkSlicesTest, EndAtOnceWithoutBoards) {
  BoardWalk walk(&catalog_);
  Create("late", 1);
  EXPECT_FALSE(walk.Next(1, &counter_));
  EXPECT_TRUE(counter_.boards.empty());
}

}  // namespace
}  // namespace laurel::core
