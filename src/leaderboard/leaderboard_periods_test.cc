// Periods: how often a leaderboard asks its calendar.
#include <memory>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/utc_calendar.h"

namespace laurel::leaderboard {
namespace {

constexpr Stamp kHour = Stamp{3600} * 1'000'000;
constexpr Stamp kNow = Stamp{1'800'000'000} * 1'000'000;

class CountingCalendar final : public Calendar {
 public:
  [[nodiscard]] Instance At(Period period, Stamp moment) const override {
    ++calls;
    return calendar_.At(period, moment);
  }
  [[nodiscard]] std::optional<Instance> Before(const Instance& instance,
                                               std::uint64_t count) const override {
    ++calls;
    return calendar_.Before(instance, count);
  }
  [[nodiscard]] Result<Instance> Find(Period period, std::string_view label) const override {
    ++calls;
    return calendar_.Find(period, label);
  }

  mutable int calls = 0;

 private:
  UtcCalendar calendar_{0};
};

TEST(LeaderboardPeriods, AnOldInstanceTakesFewCallsOfTheCalendar) {
  Spec spec;
  spec.periods = {Period::kHour, Period::kDay, Period::kWeek, Period::kMonth};
  spec.keep = kMaxKeptInstances;
  core::Environment environment(base::SystemMemory(), 1);
  const auto calendar = std::make_shared<const CountingCalendar>();
  const Leaderboard board(spec, &environment, calendar);
  for (const Period period : spec.periods) {
    InstanceSelector selector;
    selector.period = period;
    selector.which = InstanceSelector::Which::kBefore;
    selector.back = period == Period::kMonth ? 5000 : kMaxKeptInstances;
    const Instance present = calendar->At(period, kNow);
    const std::optional<Instance> expected = calendar->Before(present, selector.back);
    calendar->calls = 0;
    const auto view = board.ViewOf(selector, kNow);
    ASSERT_TRUE(view) << PeriodName(period);
    EXPECT_EQ(view->span, expected);
    EXPECT_LE(calendar->calls, 5) << PeriodName(period);
    if (period == Period::kMonth) continue;
    ++selector.back;
    EXPECT_FALSE(board.ViewOf(selector, kNow)) << PeriodName(period);
  }
}

// While GRACE lasts, KEEP counts from the instance before the present one.
TEST(LeaderboardPeriods, GraceKeepsOneMore) {
  Spec spec;
  spec.periods = {Period::kHour};
  spec.keep = 2;
  spec.grace_us = kHour / 2;
  core::Environment environment(base::SystemMemory(), 1);
  const Leaderboard board(spec, &environment, std::make_shared<const UtcCalendar>(0));
  const Stamp begin = UtcCalendar(0).At(Period::kHour, kNow).begin;
  InstanceSelector selector;
  selector.period = Period::kHour;
  selector.which = InstanceSelector::Which::kBefore;
  for (std::uint64_t back = 1; back <= 4; ++back) {
    selector.back = back;
    EXPECT_EQ(board.ViewOf(selector, begin + kHour / 4).has_value(), back <= 3) << back;
    EXPECT_EQ(board.ViewOf(selector, begin + 3 * kHour / 4).has_value(), back <= 2) << back;
  }
}

}  // namespace
}  // namespace laurel::leaderboard
