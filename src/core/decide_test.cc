// Deciding changes nothing, and its effects are all that a replay needs.
#include "core/decide.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/commands.h"
#include "core/standings.h"
#include "core/store/environment.h"
#include "tests/support/one_write.h"

namespace laurel::core {
namespace {

constexpr Stamp kNow = 1'700'000'000'000'000;

Shape TinyShape() {
  Shape shape;
  shape.packed_entries = 8;
  shape.leaf_entries = 4;
  shape.inner_children = 4;
  shape.segment_buckets = 2;
  return shape;
}

// The whole state of a board as text: spec, visible entries in order, hidden members.
std::string ContentOf(const Standings& standings, const std::vector<std::string>& members) {
  std::string content = DescribeSpec(standings.spec()) + "\n";
  const auto add = [&](std::string_view member, const Words& words, std::string_view meta) {
    content += std::string(member) + " ";
    for (unsigned i = 0; i < standings.layout().words(); ++i)
      content += std::to_string(words[i]) + " ";
    content += std::string(meta) + "\n";
  };
  standings.entries().ForRange(0, standings.entries().size(), false, [&](const EntryView& view) {
    add(view.member, view.words, view.meta);
    return true;
  });
  for (const std::string& member : members) {
    if (!standings.IsHidden(member)) continue;
    content += "hidden: ";
    if (const Standings::HiddenEntry* entry = standings.FindHidden(member)) {
      add(member, entry->words, entry->meta);
    } else {
      content += member + "\n";
    }
  }
  return content;
}

// An effect as a log holds it: owns its bytes and refers to nothing of the board it was decided on.
struct LoggedEffect {
  explicit LoggedEffect(const Effect& from) : effect(from), member(from.member), meta(from.meta) {
    effect.found_at = kNowhere;
    if (from.spec != nullptr) spec = *from.spec;
  }
  [[nodiscard]] Effect Replayed() const {
    Effect replayed = effect;
    if (effect.spec != nullptr) replayed.spec = &spec;
    replayed.member = member;
    replayed.meta = meta;
    return replayed;
  }

  Effect effect;
  std::string member;
  std::string meta;
  Spec spec;
};

// Random commands on one board.
class Commands {
 public:
  Commands(const Spec& spec, std::uint64_t seed) : spec_(spec), random_(seed) {
    for (int i = 0; i < 60; ++i) {
      members_.push_back((i % 2 == 0 ? "" : "user:") + std::to_string(i));
    }
    members_.push_back(std::string(spec.kind == BoardKind::kSortedSet ? 5'000 : 1'000, 'x'));
  }
  [[nodiscard]] const std::vector<std::string>& members() const { return members_; }

  // Decides one random command. False if it was refused.
  bool Decide(const Standings& standings, EffectBatch* effects) {
    const Moment moment = {kNow + ++ticks_ * 100, kNow + ticks_ * 100};
    const std::uint64_t which = random_.Below(100);
    if (which < 50) return DecideWrite(standings, NextWrite(moment), moment, effects).ok();
    if (which < 70) {
      std::vector<Write> writes;
      for (std::uint64_t i = random_.Below(6); i > 0; --i) writes.push_back(NextWrite(moment));
      return DecideWrites(standings, writes, moment, effects).ok();
    }
    if (which < 75) return DecideSetMeta(standings, Member(), Meta(), effects).ok();
    const std::vector<std::string_view> some = {Member(), Member(), Member()};
    if (which < 82) return DecideRemove(standings, some, effects) <= some.size();
    if (which < 97) {
      const std::uint64_t first = random_.Below(standings.entries().size() + 1);
      return DecideRemoveRange(standings, first, random_.Below(5), effects) <= 5;
    }
    if (random_.OneIn(3)) DecideClear(standings, effects);
    return true;
  }

 private:
  const std::string& Member() { return members_[random_.Below(members_.size())]; }
  std::string_view Meta() {
    meta_ = random_.OneIn(3) ? "" : "meta " + std::to_string(random_.Below(1'000));
    return metas_.emplace_back(meta_);
  }
  Write NextWrite(Moment moment) {
    const bool sorted_set = spec_.kind == BoardKind::kSortedSet;
    Write write;
    write.member = Member();
    for (std::size_t i = 0; i < spec_.fields.size(); ++i) {
      const auto value = static_cast<std::int64_t>(random_.Below(20)) - 5;
      write.score.push_back(sorted_set ? Score::Double(static_cast<double>(value) / 2)[0] : value);
    }
    write.mode = static_cast<WriteMode>(random_.Below(3));
    if (random_.OneIn(5)) write.condition = static_cast<Write::If>(random_.Below(3));
    if (random_.OneIn(5)) write.only = static_cast<Write::Only>(random_.Below(3));
    if (!sorted_set && random_.OneIn(4)) {
      // Sometimes too far ahead of the clock, which is refused.
      write.at = moment.now - 1'000 + static_cast<Stamp>(random_.Below(1'050'000));
    }
    if (!sorted_set && random_.OneIn(3)) write.meta = Meta();
    return write;
  }

  Spec spec_;
  base::Random random_;
  std::vector<std::string> members_;
  std::string meta_;
  std::vector<std::string> metas_ = [] {
    std::vector<std::string> metas;
    metas.reserve(1 << 16);  // no reallocation: writes hold views of the elements
    return metas;
  }();
  Stamp ticks_ = 0;
};

std::vector<Spec> Specs() {
  std::vector<Spec> specs = {Spec(), Spec(), Spec(), Spec(), Spec::SortedSet()};
  specs[1].policy = Policy::kBest;
  specs[1].tie = Tie::kLast;
  specs[1].cap = 12;
  specs[2].fields = {{"points", 0, Direction::kDesc, Operator::kSum},
                     {"deaths", 0, Direction::kAsc, Operator::kSum},
                     {"fastest", 3, Direction::kAsc, Operator::kMin}};
  specs[3].tie = Tie::kMember;
  specs[3].cap = 5;
  return specs;
}

class DecideTest : public testing::Test {
 protected:
  Environment environment_{base::SystemMemory(), 0x9e3779b97f4a7c15, TinyShape()};
};

TEST_F(DecideTest, EffectsAppliedToAFreshBoardGiveTheSameContentAfterEveryCommand) {
  for (const Spec& spec : Specs()) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(DescribeSpec(spec) + ", seed " + std::to_string(seed));
      Standings standings(spec, &environment_);
      Standings replica(spec, &environment_);
      Commands commands(spec, seed);
      std::vector<LoggedEffect> log;
      for (int step = 0; step < 2'000; ++step) {
        EffectBatch effects;
        commands.Decide(standings, &effects);
        std::vector<LoggedEffect> recorded;
        for (const Effect& effect : effects) recorded.emplace_back(effect);
        standings.Apply(effects);
        for (const LoggedEffect& logged : recorded) replica.Apply(logged.Replayed());
        ASSERT_EQ(ContentOf(replica, commands.members()), ContentOf(standings, commands.members()))
            << "step " << step;
        ASSERT_EQ(standings.Validate(), "") << "step " << step;
        log.insert(log.end(), recorded.begin(), recorded.end());
      }
      // The log alone gives the same content, with nodes of another size.
      Environment other(base::SystemMemory(), 99);
      Standings late(spec, &other);
      for (const LoggedEffect& logged : log) late.Apply(logged.Replayed());
      EXPECT_EQ(ContentOf(late, commands.members()), ContentOf(standings, commands.members()));
      EXPECT_EQ(late.Validate(), "");
      EXPECT_GT(log.size(), 500U);
    }
  }
}

TEST_F(DecideTest, DecidingChangesNothingAndRefusalsHaveNoEffects) {
  for (const Spec& spec : Specs()) {
    SCOPED_TRACE(DescribeSpec(spec));
    Standings standings(spec, &environment_);
    Commands commands(spec, 4);
    int refused = 0;
    for (int step = 0; step < 2'000; ++step) {
      const std::string before = ContentOf(standings, commands.members());
      EffectBatch effects;
      const bool ok = commands.Decide(standings, &effects);
      ASSERT_EQ(ContentOf(standings, commands.members()), before) << "step " << step;
      if (!ok) {
        ++refused;
        ASSERT_TRUE(effects.empty()) << "step " << step;
      }
      standings.Apply(effects);
    }
    EXPECT_GT(refused, 10);
  }
}

// Effects are absolute: applying one a second time changes nothing.
TEST_F(DecideTest, ApplyingTheLastEffectAgainChangesNothing) {
  const Spec spec;
  Standings standings(spec, &environment_);
  Commands commands(spec, 5);
  for (int step = 0; step < 1'000; ++step) {
    EffectBatch effects;
    commands.Decide(standings, &effects);
    std::optional<LoggedEffect> last;
    for (const Effect& effect : effects) last.emplace(effect);
    standings.Apply(effects);
    if (!last) continue;
    const std::string once = ContentOf(standings, commands.members());
    standings.Apply(last->Replayed());
    ASSERT_EQ(ContentOf(standings, commands.members()), once) << "step " << step;
  }
}

TEST_F(DecideTest, AWriteThatLeavesTheEntryAsItIsHasNoEffect) {
  Standings standings(Spec(), &environment_);
  const Moment moment{kNow, kNow};
  ASSERT_TRUE(WriteOne(&standings, {.member = "ann", .score = {5}}, moment).ok());
  const std::vector<Write> idle = {
      {.member = "ann", .score = {5}},
      {.member = "ann", .score = {5}, .meta = "ignored"},
      {.member = "ann", .score = {0}, .mode = WriteMode::kIncrement},
      {.member = "ann", .score = {9}, .condition = Write::If::kAbsent},
      {.member = "bob", .score = {9}, .condition = Write::If::kPresent},
      {.member = "ann", .score = {9}, .only = Write::Only::kLess}};
  for (const Write& write : idle) {
    EffectBatch effects;
    ASSERT_TRUE(DecideWrite(standings, write, {kNow + 1, kNow + 1}, &effects).ok());
    EXPECT_TRUE(effects.empty());
  }
}

TEST_F(DecideTest, AnEffectBatchOwnsTheBytesThatItTakesFromTheBoard) {
  Spec spec;
  spec.cap = 1;
  Standings standings(spec, &environment_);
  const Moment moment{kNow, kNow};
  ASSERT_TRUE(WriteOne(&standings, {.member = "evicted", .score = {1}}, moment).ok());
  EffectBatch effects;
  ASSERT_TRUE(
      DecideWrite(standings, {.member = "ann", .score = {2}}, {kNow, kNow + 1}, &effects).ok());
  EffectBatch clear;
  DecideClear(standings, &clear);
  standings.Apply(clear);  // removes the entries that the effects were decided on
  std::vector<std::pair<Effect::Kind, std::string>> found;
  for (const Effect& effect : effects) found.emplace_back(effect.kind, effect.member);
  const std::vector<std::pair<Effect::Kind, std::string>> expected = {
      {Effect::Kind::kPut, "ann"}, {Effect::Kind::kDelete, "evicted"}};
  EXPECT_EQ(found, expected);
}

// A snapshot that is taken while writes continue relies on this: each of its entries may be from a
// different time after the snapshot began, and recovery applies all effects from its beginning
// again.
TEST_F(DecideTest, ReplayFromAnyEarlierEffectGivesTheSameState) {
  for (const Spec& spec : Specs()) {
    for (const std::uint64_t seed : {6, 7}) {
      SCOPED_TRACE(DescribeSpec(spec) + ", seed " + std::to_string(seed));
      Standings standings(spec, &environment_);
      Commands commands(spec, seed);
      base::Random random(seed);
      std::vector<LoggedEffect> log;
      for (int step = 0; step < 600; ++step) {
        EffectBatch effects;
        commands.Decide(standings, &effects);
        for (const Effect& effect : effects) log.emplace_back(effect);
        standings.Apply(effects);
        if (step % 10 != 0) continue;
        const std::string before = ContentOf(standings, commands.members());
        const std::size_t again = random.Below(std::min<std::size_t>(log.size(), 300) + 1);
        for (std::size_t i = log.size() - again; i < log.size(); ++i) {
          standings.Apply(log[i].Replayed());
        }
        ASSERT_EQ(ContentOf(standings, commands.members()), before)
            << "step " << step << ", the last " << again << " effects";
        ASSERT_EQ(standings.Validate(), "");
      }
    }
  }
}

// As above, with random effects on few members, in orders that no command would produce.
TEST_F(DecideTest, RandomEffectsKeepHiddenEntriesApartAndCanBeReplayed) {
  const std::vector<std::string> members = {"ann", "7", "bob"};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Random random(seed);
    Marks marks(base::SystemMemory());
    for (const std::string& member : members) {
      if (random.OneIn(2)) marks.Add(member);
    }
    Standings standings(Spec(), &environment_);
    standings.SetMarks(&marks);
    std::vector<Effect> log;
    for (int step = 0; step < 40; ++step) {
      Effect effect;
      effect.kind = random.OneIn(15)
                        ? Effect::Kind::kClear
                        : static_cast<Effect::Kind>(std::array{0, 0, 1}[random.Below(3)]);
      effect.member = members[random.Below(members.size())];
      effect.words =
          standings.layout().Encode(Score{static_cast<std::int64_t>(random.Below(4))}, step);
      effect.meta = random.OneIn(2) ? "meta" : "";
      standings.Apply(effect);
      log.push_back(effect);
      ASSERT_EQ(standings.Validate(), "");
    }
    const std::string content = ContentOf(standings, members);
    for (std::size_t from = 0; from < log.size(); ++from) {
      for (std::size_t i = from; i < log.size(); ++i) {
        standings.Apply(log[i]);
        ASSERT_EQ(standings.Validate(), "");
      }
      ASSERT_EQ(ContentOf(standings, members), content) << "from " << from;
    }
  }
}

// Rows of one member.
TEST_F(DecideTest, RowsThatFoldGiveTheSameEntryInEveryOrder) {
  const auto entry_of = [&](const Spec& spec, const std::vector<Write>& rows) {
    Standings standings(spec, &environment_);
    for (const Write& row : rows) {
      EXPECT_TRUE(WriteOne(&standings, row, {kNow, kNow}).ok());
    }
    EntryView view;
    standings.entries().Read(standings.entries().At(0), &view);
    std::string text = std::to_string(standings.layout().StampOf(view.words) - kNow);
    for (unsigned i = 0; i < standings.layout().fields(); ++i) {
      text += " " + std::to_string(standings.layout().FieldValue(i, view.words[i]));
    }
    return text + " " + std::string(view.meta);
  };
  const auto folded = [&](const Spec& spec, bool with_meta) {
    std::vector<Write> rows;
    const std::array<std::array<std::int64_t, 2>, 4> values = {{{3, 5}, {7, 1}, {2, 9}, {2, 9}}};
    const std::array<std::string_view, 4> metas = {"a", "b", "c", "d"};
    for (std::size_t i = 0; i < values.size(); ++i) {
      Write row;
      row.member = "ann";
      row.score = spec.fields.size() == 1 ? Score{values[i][0]} : Score{values[i][0], values[i][1]};
      row.mode = WriteMode::kFold;
      row.at = kNow - 4 + static_cast<Stamp>(i);
      if (with_meta) row.meta = metas[i];
      rows.push_back(row);
    }
    const std::string in_time = entry_of(spec, rows);
    std::array<std::size_t, 4> order = {0, 1, 2, 3};
    do {
      std::vector<Write> mixed;
      for (const std::size_t i : order) mixed.push_back(rows[i]);
      EXPECT_EQ(entry_of(spec, mixed), in_time) << DescribeSpec(spec);
    } while (std::next_permutation(order.begin(), order.end()));
    return in_time;
  };
  Spec spec;
  spec.start = kNow + 1'000'000;  // the window does not count
  EXPECT_EQ(folded(spec, true), "-1 2 d");
  spec.policy = Policy::kBest;
  EXPECT_EQ(folded(spec, true), "-3 7 b");
  spec.fields[0].direction = Direction::kAsc;  // of equal ones the earliest
  EXPECT_EQ(folded(spec, true), "-2 2 c");
  spec.policy = Policy::kSum;
  EXPECT_EQ(folded(spec, false), "-1 14 ");
  spec.policy = Policy::kSet;
  spec.fields = {{"most", 0, Direction::kDesc, Operator::kMax},
                 {"last", 0, Direction::kDesc, Operator::kSet}};
  EXPECT_EQ(folded(spec, false), "-1 7 9 ");
}

TEST_F(DecideTest, ShowRestoresTheEntryOnABoardThatNeverHeldItHidden) {
  Standings standings(Spec(), &environment_);
  const std::vector<std::string_view> members = {"ann", "mark only"};
  const Write ann{.member = "ann", .score = {5}, .meta = "de"};
  ASSERT_TRUE(WriteOne(&standings, ann, {kNow, kNow}).ok());
  EffectBatch hide;
  ASSERT_TRUE(DecideHide(standings, members, &hide).ok());
  Marks marks(base::SystemMemory());
  for (const std::string_view member : members) marks.Add(member);
  standings.SetMarks(&marks);
  standings.Apply(hide);
  EffectBatch show;
  ASSERT_EQ(DecideShow(standings, members, &show).value(), 2U);
  standings.SetMarks(nullptr);
  Standings other(Spec(), &environment_);
  standings.Apply(show);
  other.Apply(show);
  const std::vector<std::string> names = {"ann", "mark only"};
  EXPECT_EQ(ContentOf(other, names), ContentOf(standings, names));
  EXPECT_EQ(other.entries().size(), 1U);
}

}  // namespace
}  // namespace laurel::core
