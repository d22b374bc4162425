#include "core/store/score_key.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::core {
namespace {

const std::vector<std::int64_t> kRising = {INT64_MIN, INT64_MIN + 1, -1'000'000, -2, -1, 0, 1, 2,
                                           1'000'000, INT64_MAX - 1, INT64_MAX};

Spec SpecOf(std::vector<Direction> directions, Tie tie) {
  Spec spec;
  spec.fields.clear();
  for (const Direction direction : directions) {
    Field field;
    field.name = "f" + std::to_string(spec.fields.size());
    field.direction = direction;
    spec.fields.push_back(field);
  }
  spec.tie = tie;
  return spec;
}

// Whether an entry with words a stands ahead of one with words b by the order words.
bool WriteHint(const KeyLayout& layout, const Words& a, const Words& b) {
  return std::lexicographical_compare(a.begin(), a.begin() + layout.order_words(), b.begin(),
                                      b.begin() + layout.order_words());
}

bool RanksAhead(Direction direction, std::int64_t a, std::int64_t b) {
  return direction == Direction::kDesc ? a > b : a < b;
}

TEST(ScoreKey, FieldWordsSortByDirectionUpToTheExtremes) {
  for (const Direction direction : {Direction::kDesc, Direction::kAsc}) {
    const KeyLayout layout(SpecOf({direction}, Tie::kFirst));
    for (const std::int64_t a : kRising) {
      for (const std::int64_t b : kRising) {
        EXPECT_EQ(layout.FieldWord(0, a) < layout.FieldWord(0, b), RanksAhead(direction, a, b))
            << a << " and " << b;
      }
    }
  }
}

TEST(ScoreKey, AnEarlierFieldDecidesBeforeALaterOneAndBothBeforeTheStamp) {
  for (const Direction first : {Direction::kDesc, Direction::kAsc}) {
    for (const Direction second : {Direction::kDesc, Direction::kAsc}) {
      const KeyLayout layout(SpecOf({first, second}, Tie::kFirst));
      for (const std::int64_t a : kRising) {
        for (const std::int64_t b : kRising) {
          if (a == b) continue;
          // The later words favour b as much as possible.
          const std::int64_t bad = second == Direction::kDesc ? INT64_MIN : INT64_MAX;
          const std::int64_t good = second == Direction::kDesc ? INT64_MAX : INT64_MIN;
          EXPECT_EQ(WriteHint(layout, layout.Encode({a, bad}, 9), layout.Encode({b, good}, 1)),
                    RanksAhead(first, a, b));
          EXPECT_EQ(WriteHint(layout, layout.Encode({7, a}, 9), layout.Encode({7, b}, 1)),
                    RanksAhead(second, a, b));
        }
      }
    }
  }
}

TEST(ScoreKey, TheTieRuleOrdersStampsOfEqualScores) {
  const std::vector<Stamp> stamps = {INT64_MIN, -1, 0, 1, 1'700'000'000'000'000, INT64_MAX};
  for (const Tie tie : {Tie::kFirst, Tie::kLast, Tie::kMember}) {
    const KeyLayout layout(SpecOf({Direction::kDesc}, tie));
    for (const Stamp a : stamps) {
      for (const Stamp b : stamps) {
        const bool expected = tie == Tie::kFirst ? a < b : tie == Tie::kLast ? a > b : false;
        EXPECT_EQ(WriteHint(layout, layout.Encode({5}, a), layout.Encode({5}, b)), expected);
      }
    }
  }
}

TEST(ScoreKey, WordsDecodeToTheExactScoreAndStamp) {
  const std::vector<Direction> eight(kMaxFields, Direction::kDesc);
  for (const Tie tie : {Tie::kFirst, Tie::kLast, Tie::kMember}) {
    Spec spec = SpecOf(eight, tie);
    for (std::size_t i = 0; i < kMaxFields; i += 2) spec.fields[i].direction = Direction::kAsc;
    const KeyLayout layout(spec);
    EXPECT_EQ(layout.fields(), kMaxFields);
    EXPECT_EQ(layout.words(), kMaxWords);
    for (std::size_t shift = 0; shift < kRising.size(); ++shift) {
      Score score;
      for (std::size_t i = 0; i < kMaxFields; ++i) {
        score.push_back(kRising[(i + shift) % kRising.size()]);
      }
      const Stamp stamp = kRising[(shift * 3) % kRising.size()];
      const Words words = layout.Encode(score, stamp);
      EXPECT_EQ(layout.ScoreOf(words), score);
      EXPECT_EQ(layout.StampOf(words), stamp) << "kept even where it takes no part in the order";
    }
  }
}

TEST(ScoreKey, SameAndBetterScoreCompareAllFieldsAndNotTheStamp) {
  const KeyLayout layout(SpecOf({Direction::kDesc, Direction::kAsc}, Tie::kFirst));
  const Words base = layout.Encode({10, 10}, 5);
  EXPECT_TRUE(layout.SameScore(base, layout.Encode({10, 10}, 6)));
  EXPECT_FALSE(layout.SameScore(base, layout.Encode({10, 11}, 5)));
  EXPECT_FALSE(layout.SameScore(base, layout.Encode({11, 10}, 5)));
  EXPECT_TRUE(layout.BetterScore(base, layout.Encode({10, 11}, 1)));
  EXPECT_TRUE(layout.BetterScore(base, layout.Encode({9, 0}, 1)));
  EXPECT_FALSE(layout.BetterScore(base, layout.Encode({10, 10}, 6)));
  EXPECT_FALSE(layout.BetterScore(layout.Encode({10, 10}, 6), base));
}

// Doubles -----------------------------------------------------------------------------------------

using Limits = std::numeric_limits<double>;

const std::vector<double> kRisingDoubles = {-Limits::infinity(),
                                            Limits::lowest(),
                                            -1e300,
                                            -9007199254740993.0,
                                            -1.5,
                                            -1,
                                            -Limits::min(),
                                            -Limits::denorm_min() * 2,
                                            -Limits::denorm_min(),
                                            0,
                                            Limits::denorm_min(),
                                            Limits::denorm_min() * 2,
                                            Limits::min(),
                                            0.1,
                                            1,
                                            1.5,
                                            9007199254740992.0,
                                            1e300,
                                            Limits::max(),
                                            Limits::infinity()};

TEST(ScoreKey, WordsOfDoublesSortAsTheNumbersDo) {
  const KeyLayout layout(Spec::SortedSet());
  for (const double a : kRisingDoubles) {
    for (const double b : kRisingDoubles) {
      EXPECT_EQ(
          WriteHint(layout, layout.Encode(Score::Double(a), 0), layout.Encode(Score::Double(b), 0)),
          a < b)
          << a << " and " << b;
    }
  }
}

TEST(ScoreKey, WordsDecodeToTheSameDoubleBitForBit) {
  const KeyLayout layout(Spec::SortedSet());
  for (const double value : kRisingDoubles) {
    const Words words = layout.Encode(Score::Double(value), 0);
    EXPECT_EQ(layout.ScoreOf(words), Score::Double(value)) << value;
    EXPECT_EQ(DoubleOf(OrderedDouble(value)), value);
  }
}

TEST(ScoreKey, MinusZeroIsZero) {
  EXPECT_EQ(OrderedDouble(-0.0), OrderedDouble(0.0));
  const KeyLayout layout(Spec::SortedSet());
  const Score zero = layout.ScoreOf(layout.Encode(Score::Double(-0.0), 0));
  EXPECT_EQ(zero, Score::Double(0.0)) << "and prints without a sign";
}

TEST(ScoreKey, ASortedSetHasNoStamp) {
  const KeyLayout layout(Spec::SortedSet());
  EXPECT_TRUE(layout.is_double());
  EXPECT_FALSE(layout.stamped());
  EXPECT_EQ(layout.words(), 1U);
  EXPECT_EQ(layout.StampOf(layout.Encode(Score::Double(1), 12345)), 0);
}

}  // namespace
}  // namespace laurel::core
