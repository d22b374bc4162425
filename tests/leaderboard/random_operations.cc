#include "tests/leaderboard/random_operations.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/effects.h"
#include "core/store/score_key.h"
#include "leaderboard/effect_codec.h"

namespace laurel::leaderboard {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;

std::int64_t NumberBetween(base::Random* random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random->Below(static_cast<std::uint64_t>(high - low + 1)));
}

}  // namespace

Spec RandomSpec(base::Random* random, Stamp now) {
  Spec spec;
  spec.fields.clear();
  const std::uint64_t fields = random->OneIn(2) ? 1 : 1 + random->Below(3);
  const bool operators = random->OneIn(4);
  for (std::uint64_t i = 0; i < fields; ++i) {
    Field& field = spec.fields.emplace_back();
    field.name = "f" + std::to_string(i);
    field.decimals = random->OneIn(3) ? 2 : 0;
    field.direction = random->OneIn(3) ? Direction::kAsc : Direction::kDesc;
    if (operators) field.op = static_cast<Operator>(random->Below(4));
  }
  if (!operators) spec.policy = static_cast<Policy>(random->Below(3));
  spec.tie = static_cast<Tie>(random->Below(3));
  const bool may_cap = !operators && spec.policy != Policy::kSum;
  if (may_cap && random->OneIn(3)) spec.cap = 1 + random->Below(8);
  if (random->OneIn(5)) spec.start = now - NumberBetween(random, 0, 3) * kHour;
  if (random->OneIn(5)) spec.end = now + NumberBetween(random, 1, 30) * kHour;
  const std::int64_t grace_us = random->OneIn(3) ? NumberBetween(random, 1, 120) * 60 * kSecond : 0;
  if (spec.end) spec.grace_us = grace_us;  // GRACE goes with END or PERIODS
  if (random->OneIn(6)) spec.expire_us = NumberBetween(random, 1, 40) * kHour;
  if (random->OneIn(3)) spec.dedup = random->Below(6);
  if (!random->OneIn(2)) return spec;
  spec.grace_us = grace_us;
  std::array<Period, kPeriods> all = {Period::kHour, Period::kDay, Period::kWeek, Period::kMonth,
                                      Period::kAll};
  for (const Period period : all) {
    if (random->OneIn(2)) spec.periods.push_back(period);
  }
  if (spec.periods.empty()) spec.periods.push_back(Period::kHour);
  // Any period may be the first.
  std::rotate(
      spec.periods.begin(),
      spec.periods.begin() + static_cast<std::ptrdiff_t>(random->Below(spec.periods.size())),
      spec.periods.end());
  constexpr const char* kZones[] = {"UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York",
                                    "Pacific/Apia"};
  spec.zone = kZones[random->Below(5)];
  if (random->OneIn(2)) spec.turn_minutes = static_cast<int>(random->Below(1440));
  spec.keep = random->Below(4);
  return spec;
}

std::string_view RandomOperations::Keep(std::string text) {
  return texts_.emplace_back(std::move(text));
}

std::string_view RandomOperations::Member() {
  return Keep("m" + std::to_string(random_.Below(static_cast<std::uint64_t>(members_))));
}

std::span<const std::string_view> RandomOperations::Members(std::size_t most) {
  list_.clear();
  const std::uint64_t count = 1 + random_.Below(most);
  for (std::uint64_t i = 0; i < count; ++i) list_.push_back(Member());
  return list_;
}

Score RandomOperations::AnyScore(const Spec& spec) {
  Score score;
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    std::int64_t value = NumberBetween(&random_, -3, 3);
    if (random_.OneIn(60)) value = random_.OneIn(2) ? INT64_MAX : INT64_MIN;
    score.push_back(value);
  }
  return score;
}

Values RandomOperations::TextsOf(const Spec& spec, const Score& score) {
  words_.clear();
  for (std::string& text : FormatScore(spec, score)) {
    // Another spelling of the same number.
    if (random_.OneIn(4) && text.find('.') == std::string::npos && text.size() < 15) text += ".0";
    words_.push_back(Keep(std::move(text)));
  }
  if (random_.OneIn(100)) words_.push_back("1");
  Values values;
  values.texts = words_;
  return values;
}

std::optional<Stamp> RandomOperations::At(Stamp now) {
  if (!random_.OneIn(4)) return std::nullopt;
  if (random_.OneIn(20)) return now + 2 * kSecond;
  return now - NumberBetween(&random_, 0, random_.OneIn(2) ? 100 : 30 * 3600) * kSecond;
}

std::optional<std::string_view> RandomOperations::Id(const Spec& /*spec*/) {
  if (!random_.OneIn(3)) return std::nullopt;
  return Keep("id" + std::to_string(random_.Below(12)));
}

std::optional<InstanceSelector> RandomOperations::Instance(const Spec& spec, bool required) {
  if (spec.periods.empty() || (!required && random_.OneIn(2))) {
    if (!random_.OneIn(50)) return std::nullopt;
    return ParseSelector("fortnight");
  }
  if (!instances_.empty() && random_.OneIn(4)) {
    return ParseSelector(Keep(instances_[random_.Below(instances_.size())]));
  }
  std::string text(PeriodName(spec.periods[random_.Below(spec.periods.size())]));
  if (random_.OneIn(3)) text += ":-" + std::to_string(1 + random_.Below(3));
  return ParseSelector(Keep(std::move(text)));
}

WriteOperation RandomOperations::DrawSubmit(const Spec& spec, Stamp now) {
  Submit submit;
  submit.mode = random_.OneIn(2) ? WriteMode::kSubmit : static_cast<WriteMode>(random_.Below(3));
  submit.member = Member();
  score_ = AnyScore(spec);
  if (random_.OneIn(2)) {
    submit.values = TextsOf(spec, score_);
  } else {
    submit.values.score = &score_;
  }
  if (random_.OneIn(5)) submit.condition = static_cast<Write::If>(random_.Below(3));
  if (random_.OneIn(8)) submit.only = static_cast<Write::Only>(random_.Below(3));
  submit.at = At(now);
  submit.id = Id(spec);
  if (random_.OneIn(4)) submit.meta = Keep(std::string(random_.Below(4), 'x'));
  submit.ranks = !random_.OneIn(6);
  return submit;
}

WriteOperation RandomOperations::DrawMany(const Spec& spec, Stamp now) {
  SubmitMany many;
  many.at = At(now);
  many.id = Id(spec);
  const std::uint64_t count = 1 + random_.Below(6);
  writes_.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    Write& write = writes_.emplace_back();
    write.member = Member();
    write.score = AnyScore(spec);
    write.at = many.at;
    if (random_.OneIn(5)) write.mode = WriteMode::kSet;
  }
  if (random_.OneIn(2)) {
    many.writes = writes_;
    return many;
  }
  words_.clear();
  for (const Write& write : writes_) {
    words_.push_back(write.member);
    for (std::string& text : FormatScore(spec, write.score))
      words_.push_back(Keep(std::move(text)));
  }
  many.texts = words_;
  return many;
}

WriteOperation RandomOperations::DrawRestore(const Spec& spec, Stamp now) {
  std::string chunk;
  EffectWriter writer(&chunk);
  std::uint64_t parts = spec.periods.empty() ? 1 : 1 + random_.Below(2);
  for (std::uint32_t part = 1; part <= parts; ++part) {
    if (!spec.periods.empty() || random_.OneIn(50)) {
      const std::string name =
          instances_.empty() ? "all" : instances_[random_.Below(instances_.size())];
      const InstanceSelector selector = ParseSelector(name);
      writer.CreateInstance(part, {selector.period, 0, 0, selector.label});
    }
    const core::KeyLayout layout(spec);
    for (std::uint64_t i = 1 + random_.Below(4); i > 0; --i) {
      core::Effect put;
      put.stamp_not_from_clock = true;
      put.member = Member();
      const Stamp at = At(now).value_or(now - 50 * kSecond);
      put.words = layout.Encode(AnyScore(spec), at);
      if (random_.OneIn(3)) put.meta = Keep(std::string(random_.Below(4), 'z'));
      writer.Entry(put, layout.words());
    }
  }
  if (random_.OneIn(30)) chunk.pop_back();
  return Restore{Keep(std::move(chunk)), random_.OneIn(2)};
}

ReadOptions RandomOperations::Options(const Spec& spec) {
  ReadOptions options;
  options.kind = static_cast<RankKind>(random_.Below(3));
  options.with_meta = random_.OneIn(2);
  options.instance = Instance(spec, false);
  return options;
}

Bounds RandomOperations::AnyBounds(const Spec& spec) {
  const auto bound = [&](std::string_view without) -> std::string_view {
    if (random_.OneIn(4)) return without;
    if (random_.OneIn(30)) return "none";
    std::string text = FormatNumber(NumberBetween(&random_, -4, 4), spec.fields[0].decimals);
    if (random_.OneIn(4)) text += text.find('.') == std::string::npos ? ".5" : "5";
    if (random_.OneIn(3)) text.insert(0, "(");
    return Keep(std::move(text));
  };
  const std::string_view min = bound("-inf");
  return {min, bound("+inf")};
}

ReadOperation RandomOperations::DrawRead(const Spec& spec) {
  texts_.clear();
  last_.reset();  // it refers to texts that were cleared
  const ReadOptions options = Options(spec);
  switch (random_.Below(14)) {
    case 0:
      return Get{Member(), options};
    case 1:
      return Top{random_.Below(8), options};
    case 2:
      return Range{NumberBetween(&random_, -6, 6), NumberBetween(&random_, -6, 6), options};
    case 3:
      return Around{Member(), random_.Below(4), options};
    case 4:
      return Among{Members(6), options};
    case 5:
      score_ = AnyScore(spec);
      return RankOf{TextsOf(spec, score_), options};
    case 6:
      return Count{AnyBounds(spec), options};
    case 7: {
      Between between{AnyBounds(spec), 0, UINT64_MAX, options};
      if (random_.OneIn(2)) between.offset = random_.Below(4);
      if (between.offset > 0 || random_.OneIn(2)) between.limit = random_.Below(6);
      return between;
    }
    case 8:
      return Size{options};
    case 9:
      return PercentileOf{Member(), options};
    case 10:
      return Quantile{NumberBetween(&random_, -1, 101) * 1'000'000'000, options};
    case 11:
      return Histogram{random_.Below(5), options};
    case 12:
      return Describe{options.instance};
    default:
      return ListPeriods{};
  }
}

WriteOperation RandomOperations::DrawAlter(const Spec& spec, Stamp now) {
  altered_ = RandomSpec(&random_, now);
  Spec changed = spec;
  if (random_.OneIn(2)) changed.cap = altered_.cap;
  if (random_.OneIn(3)) changed.policy = altered_.policy;
  if (random_.OneIn(3)) changed.start = altered_.start;
  if (random_.OneIn(3)) changed.end = altered_.end;
  if (random_.OneIn(3)) changed.grace_us = altered_.grace_us;
  if (random_.OneIn(3)) changed.expire_us = altered_.expire_us;
  if (random_.OneIn(2)) changed.dedup = altered_.dedup;
  if (random_.OneIn(2) && !spec.periods.empty()) changed.keep = random_.Below(4);
  if (random_.OneIn(20)) changed.tie = altered_.tie;
  altered_ = changed;
  return Alter{&altered_};
}

WriteOperation RandomOperations::Draw(const Spec& spec, Stamp now) {
  // A retry, as by a client that got no reply.
  if (last_ && random_.OneIn(12)) return *last_;
  texts_.clear();
  last_ = DrawNew(spec, now);
  return *last_;
}

WriteOperation RandomOperations::DrawNew(const Spec& spec, Stamp now) {
  switch (random_.Below(24)) {
    case 0:
      return SetMeta{Member(), Keep(std::string(random_.Below(3), 'y')), Instance(spec, false)};
    case 1:
      return Remove{Members(4), Instance(spec, false)};
    case 2:
      return RemoveRange{random_.Below(6), random_.Below(6), Instance(spec, true)};
    case 3:
      return Hide{Members(2)};
    case 4:
    case 5:
      return Show{Members(3)};
    case 6:
      return Pop{random_.Below(4), random_.OneIn(2), random_.OneIn(2), Instance(spec, true)};
    case 7:
      return Trim{random_.Below(20), Instance(spec, true)};
    case 8:
      if (random_.OneIn(3)) return Clear{Instance(spec, false)};
      return DrawSubmit(spec, now);
    case 9:
      return DrawAlter(spec, now);
    case 10:
    case 11:
    case 12:
      return DrawMany(spec, now);
    case 13:
      return DrawRestore(spec, now);
    default:
      return DrawSubmit(spec, now);
  }
}

}  // namespace laurel::leaderboard
