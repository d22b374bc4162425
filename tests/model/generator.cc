#include "model/generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace laurel::model {
namespace {

constexpr Stamp kMicrosPerMinute = 60'000'000;

const std::array<std::string, 24> kOddMembers = {
    "",
    "7",
    "-3",
    "007",
    "10",
    "9",
    "+5",
    "9223372036854775807",
    "-0",
    "9223372036854775808",
    "0",
    "-9223372036854775808",
    "-1",
    "-9223372036854775809",
    "00",
    "1e3",
    "a",
    std::string(1, '\0'),
    "\xff",
    std::string("a\0b", 3),
    "用户",
    "Größe",
    std::string("\0\0", 2),
    "1.0",
};

}  // namespace

Generator::Generator(std::uint64_t seed, std::size_t members) : random_(seed) {
  ChooseSpec();

  values_ = static_cast<Values>(random_.Below(5));
  domain_ = 1 + random_.Below(spec_.fields.size() > 2 ? 2 : 8);
  one_score_only_ = sorted_set() && random_.Below(3) == 0;
  one_score_ = DoubleValue();

  const auto names = static_cast<Names>(random_.Below(4));
  std::set<std::string> distinct;
  while (distinct.size() < members) distinct.insert(MakeMember(names, distinct.size()));
  const std::size_t most_bytes = sorted_set() ? 5'000 : kMaxMemberBytes;
  if (random_.OneIn(4)) distinct.insert(std::string(most_bytes, 'm'));
  if (random_.OneIn(4)) distinct.insert(std::string(most_bytes - 1, 'm') + "n");
  members_.assign(distinct.begin(), distinct.end());

  metas_ = {"",
            "m",
            "name=ann",
            std::string("\0binary\xff", 8),
            std::string(100, 'x'),
            std::string(kMaxMetaBytes, 'y')};
  overlong_member_.assign((sorted_set() ? kMaxSortedSetMemberBytes : kMaxMemberBytes) + 1, 'o');
  overlong_meta_.assign(kMaxMetaBytes + 1, 'o');
}

void Generator::ChooseSpec() {
  if (random_.Below(5) == 0) {
    spec_ = Spec::SortedSet();
    return;
  }
  const std::size_t fields = random_.OneIn(2) ? 1 : 1 + random_.Below(kMaxFields);
  spec_.fields.clear();
  for (std::size_t i = 0; i < fields; ++i) {
    Field field;
    field.name = std::string(1, static_cast<char>('a' + i));
    field.decimals = random_.OneIn(2) ? 0 : static_cast<int>(random_.Below(kMaxDecimals + 1));
    field.direction = random_.OneIn(2) ? Direction::kDesc : Direction::kAsc;
    spec_.fields.push_back(field);
  }
  spec_.tie = static_cast<Tie>(random_.Below(3));
  ChooseCapOrOperators();
  if (random_.OneIn(5)) ChooseWindow();
}

// Chooses START, END and GRACE within the times of an episode: its clock starts at kBegin and
// advances by some hours.
void Generator::ChooseWindow() {
  const auto minutes = [&](std::uint64_t bound) {
    return kMicrosPerMinute * static_cast<Stamp>(random_.Below(bound));
  };
  if (random_.OneIn(2)) spec_.start = kBegin - kMicrosPerMinute + minutes(60);
  if (random_.OneIn(2)) spec_.end = spec_.start.value_or(kBegin) + 1 + minutes(600);
  if (spec_.end && random_.OneIn(2)) spec_.grace_us = minutes(60);
}

// Operators are valid with policy `set` only, a cap with neither operators nor policy `sum`.
void Generator::ChooseCapOrOperators() {
  spec_.policy = static_cast<Policy>(random_.Below(3));
  bool operators = false;
  if (spec_.policy == Policy::kSet && random_.OneIn(2)) {
    for (Field& field : spec_.fields) {
      field.op = static_cast<Operator>(random_.Below(4));
      operators = operators || field.op != Operator::kSet;
    }
  }
  if (spec_.policy == Policy::kSum || operators || random_.OneIn(2)) return;
  constexpr std::array<std::uint64_t, 8> kCaps = {1, 2, 3, 5, 10, 40, 65, 200};
  spec_.cap = kCaps[random_.Below(kCaps.size())];
}

std::string Generator::MakeMember(Names names, std::size_t number) {
  switch (names) {
    case Names::kNumbers:
      if (random_.OneIn(10)) return std::to_string(static_cast<std::int64_t>(random_.Next()));
      return std::to_string(number);
    case Names::kMixed:
      return MixedMember(number);
    case Names::kPrefixed: {
      const std::size_t prefix_bytes = random_.OneIn(3) ? 40 : 7;
      return std::string(prefix_bytes, 'p') + std::to_string(number);
    }
    case Names::kBinary: {
      std::string bytes;
      const std::size_t length = 1 + random_.Below(12);
      for (std::size_t i = 0; i < length; ++i) {
        bytes += random_.OneIn(3) ? '\0' : static_cast<char>(random_.Below(256));
      }
      return bytes;
    }
  }
  return {};
}

std::string Generator::MixedMember(std::size_t number) {
  switch (random_.Below(6)) {
    case 0:
      return kOddMembers[random_.Below(kOddMembers.size())];
    case 1:
      return std::string("user:").append(std::to_string(number));
    case 2:
      return std::to_string(number);
    case 3:
      return std::string(1, static_cast<char>(random_.Below(256)));
    case 4:
      return std::string(random_.Below(70), 'q') + std::to_string(number);
    default:
      return std::string(random_.OneIn(2) ? "0" : "-").append(std::to_string(number));
  }
}

std::string_view Generator::Member() { return members_[random_.Below(members_.size())]; }

std::vector<std::string_view> Generator::Members(std::size_t most) {
  std::vector<std::string_view> members(random_.Below(most + 1));
  for (std::string_view& member : members) member = Member();
  return members;
}

std::int64_t Generator::Extreme() {
  const auto step = static_cast<std::int64_t>(random_.Below(3));
  switch (random_.Below(4)) {
    case 0:
      return INT64_MIN + step;
    case 1:
      return INT64_MAX - step;
    case 2:
      return step - 1;
    default:
      return (random_.OneIn(2) ? INT64_MIN : INT64_MAX) / 2 + step;
  }
}

std::int64_t Generator::Value() {
  if (random_.OneIn(50)) return Extreme();
  switch (values_) {
    case Values::kFew:
      return static_cast<std::int64_t>(random_.Below(domain_)) - 1;
    case Values::kSome:
      return static_cast<std::int64_t>(random_.Below(100)) - 50;
    case Values::kExtremes:
      return Extreme();
    case Values::kAny:
      return static_cast<std::int64_t>(random_.Next());
    case Values::kRising:
      rising_ += static_cast<std::int64_t>(random_.Below(3));
      return rising_;
  }
  return 0;
}

double Generator::DoubleValue() {
  using Limits = std::numeric_limits<double>;
  constexpr std::array<double, 17> kOdd = {0.0,
                                           -0.0,
                                           Limits::infinity(),
                                           -Limits::infinity(),
                                           Limits::denorm_min(),
                                           -Limits::denorm_min(),
                                           Limits::min(),
                                           Limits::max(),
                                           Limits::lowest(),
                                           0.1,
                                           0.1 + 0.2,
                                           12345678901234567.0,
                                           9007199254740993.0,
                                           1e16,
                                           -1.5,
                                           3.0e-310,
                                           1.7976931348623155e308};
  if (values_ == Values::kExtremes || random_.OneIn(20)) return kOdd[random_.Below(kOdd.size())];
  if (values_ == Values::kAny) {
    const auto value = std::bit_cast<double>(random_.Next());
    return std::isnan(value) ? -0.0 : value;
  }
  if (values_ == Values::kFew) return static_cast<double>(random_.Below(domain_)) - 1;
  return (static_cast<double>(random_.Below(200)) - 100) / 8;
}

Score Generator::RandomScore() {
  if (sorted_set()) return Score::Double(one_score_only_ ? one_score_ : DoubleValue());
  Score score;
  for (std::size_t i = 0; i < spec_.fields.size(); ++i) score.push_back(Value());
  return score;
}

std::string_view Generator::Meta() {
  // Long metas are rare: copying them would dominate the run time.
  const std::size_t choices = random_.OneIn(50) ? metas_.size() : metas_.size() - 2;
  return metas_[random_.Below(choices)];
}

Write Generator::RandomWrite(Stamp now, std::uint64_t cap) {
  Write write;
  write.member = Member();
  write.score = RandomScore();
  write.mode = static_cast<WriteMode>(random_.Below(3));
  if (write.mode == WriteMode::kIncrement) {
    // A capped board refuses increments; on a one-score board they would change the score.
    if (cap > 0 && !random_.OneIn(20)) write.mode = WriteMode::kSubmit;
    if (one_score_only_) write.mode = WriteMode::kSet;
  }
  if (random_.OneIn(5)) write.condition = static_cast<Write::If>(random_.Below(3));
  // The meaning of GT and LT with policy `best` is not specified.
  const bool best = spec_.policy == Policy::kBest && write.mode == WriteMode::kSubmit;
  if (!best && random_.OneIn(5)) write.only = static_cast<Write::Only>(random_.Below(3));
  if (!sorted_set()) {
    if (random_.OneIn(4)) {
      // Few different stamps, so that some are equal; sometimes the latest one allowed.
      const auto back = static_cast<Stamp>(random_.Below(8)) * kMicrosPerMinute;
      write.at = now - now % kMicrosPerMinute - back;
      if (random_.OneIn(8)) write.at = now + kMaxStampLeadMicros;
      if (random_.OneIn(30)) write.at = random_.OneIn(2) ? INT64_MIN : -1;
    }
    if (random_.OneIn(5)) write.meta = Meta();
  }
  if (random_.OneIn(60)) AddFault(&write, now);
  return write;
}

void Generator::AddFault(Write* write, Stamp now) {
  switch (random_.Below(4)) {
    case 0: {
      std::vector<std::int64_t> values(spec_.fields.size() + 1, 1);
      if (values.size() > kMaxFields || random_.OneIn(2)) values.resize(spec_.fields.size() - 1);
      write->score = Score(values);
      break;
    }
    case 1:
      write->member = overlong_member_;
      break;
    case 2:
      write->meta = sorted_set() ? std::string_view("m") : std::string_view(overlong_meta_);
      break;
    default:
      write->at = sorted_set() ? now : now + kMaxStampLeadMicros + 1;
      break;
  }
}

ScoreBound Generator::RandomBound(BoundSide side) {
  ScoreBound bound;
  // kHighest as min and kLowest as max are not used on sorted sets: whether they admit infinite
  // scores is not specified.
  const bool min = side == BoundSide::kMin;
  const bool far_end = !sorted_set() && random_.OneIn(10);
  if (random_.OneIn(8)) {
    bound.reach = min != far_end ? ScoreBound::Reach::kLowest : ScoreBound::Reach::kHighest;
    return bound;
  }
  bound.reach = random_.OneIn(2) ? ScoreBound::Reach::kInclusive : ScoreBound::Reach::kExclusive;
  bound.value = RandomScore()[0];
  return bound;
}

LexBound Generator::RandomLexBound() {
  LexBound bound;
  bound.reach = static_cast<LexBound::Reach>(random_.Below(4));
  bound.member = std::string(Member());
  if (random_.OneIn(3)) bound.member += "0";
  if (random_.OneIn(6) && !bound.member.empty()) bound.member.pop_back();
  return bound;
}

RankKind Generator::Kind() { return static_cast<RankKind>(random_.Below(3)); }

std::uint64_t Generator::Amount(std::uint64_t size) {
  if (random_.OneIn(50)) return UINT64_MAX - random_.Below(2);
  if (random_.OneIn(10)) return random_.Below(size + 3);
  return random_.Below(8);
}

}  // namespace laurel::model
