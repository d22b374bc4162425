// LB.WALK: chunks that make an equal board, whatever the spec and wherever the walk stops, and what
// they promise if the board is written to meanwhile.
#include "leaderboard/walk.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "leaderboard/load.h"
#include "leaderboard/loader.h"
#include "tests/leaderboard/mirror.h"
#include "tests/leaderboard/random_operations.h"
#include "tests/leaderboard/text_answer.h"
#include "tests/support/seed.h"

namespace laurel::leaderboard {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr Stamp kStart = 1'794'800'000 * kSecond;  // a day in November 2026

// A board with its random writes.
struct Played {
  explicit Played(std::uint64_t seed)
      : random(seed),
        mirror("lb", RandomSpec(&random, kStart)),
        operations(&random, random.OneIn(2) ? 8 : 200) {
    mirror.SetTime(kStart);
  }

  void Write() {
    mirror.SetTime(mirror.now() + static_cast<Stamp>(random.Below(3000)) * kSecond);
    if (random.OneIn(8)) {
      mirror.Advance(1 + random.Below(6));
    } else {
      TextAnswer answer;
      mirror.Write(operations.Draw(mirror.board().spec(), mirror.now()), &answer);
    }
  }
  void Write(int times) {
    for (int i = 0; i < times; ++i) Write();
  }
  [[nodiscard]] const Leaderboard& board() const { return mirror.board(); }
  WalkBounds AnyBounds() { return {1 + random.Below(400), 1 + random.Below(20)}; }

  base::Random random;
  Mirror mirror;
  RandomOperations operations;
};

// An empty board in another process, with other hashes.
struct Copy {
  explicit Copy(const Spec& spec) : environment(std::pmr::get_default_resource(), 77) {
    std::shared_ptr<const Calendar> calendar;
    if (!spec.periods.empty()) calendar = *calendars.Of(spec.zone, spec.turn_minutes);
    board = std::make_unique<Leaderboard>(spec, &environment, calendar);
  }

  core::Environment environment;
  calendar::ZoneCalendars calendars;
  std::unique_ptr<Leaderboard> board;
};

// Everything that another host gets of a board.
std::string PortableBytes(const Leaderboard& board) {
  Leaderboard::WalkCursor cursor;
  cursor.order = Leaderboard::WalkCursor::Order::kBest;
  cursor.portable = true;
  std::string bytes;
  EffectWriter writer(&bytes);
  while (board.Walk(&cursor, 1000, &writer)) {
  }
  return bytes;
}

TEST(WalkChunk, ChunksLoadAnEqualBoard) {
  const auto wanted = NumberFromEnvironment("LAUREL_TEST_SEED");
  for (std::uint64_t seed = wanted.value_or(1); seed <= wanted.value_or(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Played source(seed);
    source.Write(1 + static_cast<int>(source.random.Below(200)));
    while (source.mirror.Advance(100).more) {  // drops the instances that KEEP no longer covers
    }
    Copy target(source.board().spec());
    LoadProgress progress;
    std::string cursor(kWalkEnds);
    do {
      const auto chunk = WalkChunk(source.board(), cursor, source.AnyBounds());
      ASSERT_TRUE(chunk.ok()) << chunk.error().message;
      bool ruined = false;
      const auto added = ApplyChunk(progress.next, chunk->effects, INT64_MAX / 2,
                                    target.board.get(), &progress, &ruined);
      ASSERT_TRUE(added.ok()) << added.error().message;
      cursor = chunk->cursor;
    } while (cursor != kWalkEnds);
    EXPECT_EQ(progress.figures.entries, source.board().all_entries());
    EXPECT_EQ(PortableBytes(*target.board), PortableBytes(source.board()));
    ASSERT_EQ(target.board->Validate(), "");
  }
}

// By the number of the instance and the member: words and meta.
using Contents = std::map<std::pair<std::uint32_t, std::string>, std::string>;

Contents ContentsOf(const Leaderboard& board) {
  Contents all;
  const auto add = [&](std::uint32_t number, const core::Standings& part) {
    const auto put = [&](std::string_view member, const core::Words& words, std::string_view meta) {
      std::string& bytes = all[{number, std::string(member)}];
      bytes.assign(reinterpret_cast<const char*>(words.data()),
                   part.layout().words() * sizeof(words[0]));
      bytes += meta;
    };
    const core::EntryStore& entries = part.entries();
    entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
      put(view.member, view.words, view.meta);
      return true;
    });
    part.ForEachHidden([&](std::string_view member, const core::Standings::HiddenEntry& entry) {
      put(member, entry.words, entry.meta);
    });
  };
  add(0, board.standings());
  for (const auto& stored : board.instances()) add(stored->number, stored->standings);
  return all;
}

// Follows a board from the begin of a walk to its end.
class Witness {
 public:
  explicit Witness(const Leaderboard& board) : stayed_(ContentsOf(board)) {
    for (const auto& [key, value] : stayed_) was_hidden_[key.second] = IsHidden(board, key.second);
    Look(board);
  }

  void Look(const Leaderboard& board) {
    const Contents now = ContentsOf(board);
    std::erase_if(stayed_, [&](const auto& entry) {
      const std::string& member = entry.first.second;
      return !now.contains(entry.first) || IsHidden(board, member) != was_hidden_.at(member);
    });
    for (const auto& [key, value] : now) seen_[key].insert(value);
  }
  void Check(const Contents& copy) const {
    for (const auto& [key, value] : stayed_) {
      EXPECT_TRUE(copy.contains(key)) << key.second << " stayed and is missing";
    }
    for (const auto& [key, value] : copy) {
      const auto seen = seen_.find(key);
      ASSERT_NE(seen, seen_.end()) << key.second << " was never there";
      EXPECT_TRUE(seen->second.contains(value)) << key.second << " never had this value";
    }
  }

 private:
  static bool IsHidden(const Leaderboard& board, const std::string& member) {
    return board.marks() != nullptr && board.marks()->Has(member);
  }

  Contents stayed_;  // the entries that were always there, and always hidden or never
  std::map<std::string, bool> was_hidden_;  // at the begin
  std::map<std::pair<std::uint32_t, std::string>, std::set<std::string>> seen_;
};

TEST(WalkChunk, EntryThatStaysIsReadWhateverIsWrittenMeanwhile) {
  const auto wanted = NumberFromEnvironment("LAUREL_TEST_SEED");
  for (std::uint64_t seed = wanted.value_or(1); seed <= wanted.value_or(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Played source(seed);
    source.Write(static_cast<int>(source.random.Below(200)));
    const Spec spec = source.board().spec();
    Copy target(spec);
    Witness witness(source.board());
    Loader loader(target.board.get());
    std::string cursor(kWalkEnds);
    do {
      const auto chunk = WalkChunk(source.board(), cursor, source.AnyBounds());
      ASSERT_TRUE(chunk.ok()) << chunk.error().message;
      base::ByteCursor effects(chunk->effects);
      ASSERT_TRUE(loader.Read(&effects).ok());
      cursor = chunk->cursor;
      for (int i = 0; i < 2 && cursor != kWalkEnds; ++i) {
        source.Write();
        witness.Look(source.board());
      }
    } while (cursor != kWalkEnds);
    loader.Finish();
    target.board->Reconcile();
    witness.Check(ContentsOf(*target.board));
    ASSERT_EQ(target.board->Validate(), "");
  }
}

TEST(WalkChunk, HostileCursorsAreRefusedOrLeadToAChunkOfTheBoard) {
  base::Random random(TestSeed());
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Played source(seed);
    source.Write(100);
    std::vector<std::string> cursors = {std::string(kWalkEnds)};
    for (std::string cursor(kWalkEnds); cursors.size() < 50;) {
      const auto chunk = WalkChunk(source.board(), cursor, {1, 1});
      ASSERT_TRUE(chunk.ok());
      cursor = chunk->cursor;
      if (cursor == kWalkEnds) break;
      cursors.push_back(cursor);
      EXPECT_FALSE(WalkChunk(source.mirror.mirrored(), cursor).ok()) << "it is of other hashes";
    }
    for (int i = 0; i < 500; ++i) {
      std::string text = cursors[random.Below(cursors.size())];
      for (std::uint64_t changes = 1 + random.Below(4); changes > 0; --changes) {
        const std::size_t at = random.Below(text.size() + 1);
        const char c = "0123456789abcdefFg\0"[random.Below(19)];
        if (random.OneIn(4)) {
          text.insert(at, 1, c);
        } else if (at < text.size()) {
          text[at] = c;
        }
      }
      const auto chunk = WalkChunk(source.board(), text);
      LoadFigures figures;
      if (!chunk.ok()) continue;
      EXPECT_TRUE(AddChunk(chunk->effects, INT64_MAX, &figures).ok()) << text;
    }
  }
  Played source(1);
  for (const std::string& text :
       {std::string(), std::string("1"), std::string("-1"), std::string("x"),
        std::string(5000, 'a'), std::string("00000000000")}) {
    EXPECT_FALSE(WalkChunk(source.board(), text).ok()) << text;
  }
}

TEST(WalkChunk, LargeBoardIsReadInBoundedChunksAndEachEntryOnce) {
  core::Environment environment(std::pmr::get_default_resource(), 5);
  Leaderboard board(Spec{}, &environment, nullptr);
  const Score one{1};
  std::vector<std::string> members;
  for (int i = 0; i < 200'000; ++i) members.push_back("m" + std::to_string(i));
  std::vector<Write> writes(members.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    writes[i].mode = WriteMode::kRestore;
    writes[i].member = members[i];
    writes[i].score = one;
    writes[i].at = kStart;
  }
  board.ApplyBatch(writes, {"lb", kStart, kStart}, nullptr, [](std::size_t, const auto&) {});
  std::uint64_t read = 0;
  std::string cursor(kWalkEnds);
  do {
    const auto chunk = WalkChunk(board, cursor);
    ASSERT_TRUE(chunk.ok());
    ASSERT_LE(chunk->effects.size(), kMaxChunkBytes);
    LoadFigures figures;
    ASSERT_TRUE(AddChunk(chunk->effects, INT64_MAX, &figures).ok());
    read += figures.entries;
    cursor = chunk->cursor;
  } while (cursor != kWalkEnds);
  EXPECT_EQ(read, members.size());
}

// Chunks that go back to where they came from have members whose hashes lie close together.
TEST(WalkChunk, CopyInTheSameProcessIsReadInBoundedChunks) {
  core::Environment environment(std::pmr::get_default_resource(), 5);
  Leaderboard board(Spec{}, &environment, nullptr);
  Leaderboard copy(Spec{}, &environment, nullptr);
  const std::string meta(kMaxMetaBytes, 'x');
  for (int i = 0; i < 5'000; ++i) {
    const std::string member = "m" + std::to_string(i);
    const Write write{.member = member, .score = {1}, .meta = meta};
    board.ApplyBatch({&write, 1}, {"lb", kStart, kStart}, nullptr, [](std::size_t, const auto&) {});
  }
  LoadProgress progress;
  std::string cursor(kWalkEnds);
  do {
    const auto chunk = WalkChunk(board, cursor);
    ASSERT_TRUE(chunk.ok());
    bool ruined = false;
    ASSERT_TRUE(ApplyChunk(progress.next, chunk->effects, kStart, &copy, &progress, &ruined).ok());
    cursor = chunk->cursor;
    std::uint64_t read = 0;
    std::string of_copy(kWalkEnds);
    do {
      const auto part = WalkChunk(copy, of_copy);
      ASSERT_TRUE(part.ok());
      LoadFigures figures;
      ASSERT_TRUE(AddChunk(part->effects, INT64_MAX, &figures).ok()) << "at most kMaxChunkBytes";
      read += figures.entries;
      of_copy = part->cursor;
    } while (of_copy != kWalkEnds);
    ASSERT_EQ(read, copy.all_entries());
  } while (cursor != kWalkEnds);
  EXPECT_EQ(copy.all_entries(), 5'000U);
  EXPECT_EQ(copy.Validate(), "");
}

}  // namespace
}  // namespace laurel::leaderboard
