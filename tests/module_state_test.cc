// A state of a board that can be reached can be saved and loaded again, and is equal then. Each
// test reaches one state that a diverged replica or a crafted payload can be in.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/store/score_key.h"
#include "fuzz/module_fuzz_body.h"
#include "leaderboard/effect_codec.h"
#include "module/host_effects.h"
#include "module/limits.h"
#include "wire/spec_arguments.h"

namespace laurel::fuzz {
namespace {

using leaderboard::EffectWriter;

// The boards of ModulePayloadSamples.
constexpr std::size_t kCapped = 0;  // POLICY best CAP 3
constexpr std::size_t kHours = 1;   // PERIODS 2 hour all KEEP 2
constexpr std::size_t kWide = 3;    // two fields with operators, PERIODS 1 day TZ Asia/Tokyo
constexpr Stamp kNow = 1'800'000'000'000'000;

std::string ProblemOf(const std::string& input) {
  return RunModulePayload({reinterpret_cast<const std::uint8_t*>(input.data()), input.size()});
}

std::string Effects(const std::function<void(EffectWriter&)>& write) {
  std::string effects;
  EffectWriter writer(&effects);
  write(writer);
  return effects;
}

core::Effect Put(std::string_view spec_line, std::string_view member, std::int64_t score,
                 Stamp stamp, bool given = true) {
  core::Effect put;
  put.member = member;
  const core::KeyLayout layout(wire::ParseSpecLine(spec_line)->spec);
  put.words = layout.Encode(Score{score}, stamp);
  put.stamp_not_from_clock = given;
  return put;
}

TEST(ReachableState, MoreEntriesThanTheCap) {
  const std::string spec = "POLICY best CAP 3";
  const std::string effects = Effects([&](EffectWriter& to) {
    for (const std::string_view member : {"x", "y", "z"}) to.Entry(Put(spec, member, 5, kNow), 2);
  });
  EXPECT_EQ(ProblemOf(ModuleEffectsInput(kCapped, {effects})), "");
  EXPECT_EQ(ProblemOf(ModuleSavedInput("CAP 2", effects)), "");
}

TEST(ReachableState, EntriesStampedInTheFarFuture) {
  const std::string spec = "POLICY sum";
  for (const Stamp stamp : {module::kMaxStamp, module::kMaxStamp + 1, Stamp{INT64_MAX}}) {
    for (const bool given : {true, false}) {
      const std::string effects =
          Effects([&](EffectWriter& to) { to.Entry(Put(spec, "ann", 5, stamp, given), 2); });
      EXPECT_EQ(ProblemOf(ModuleSavedInput(spec, effects)), "") << stamp;
      EXPECT_EQ(ProblemOf(ModuleEffectsInput(kCapped, {effects})), "") << stamp;
    }
  }
}

TEST(ReachableState, TimesInTheFarFuture) {
  for (const Stamp at : {module::kMaxStamp, module::kMaxStamp + 1, Stamp{INT64_MAX}}) {
    for (const std::string& effects :
         {Effects([&](EffectWriter& to) { to.Stamped(at); }),
          Effects([&](EffectWriter& to) { to.Written(at); }), Effects([&](EffectWriter& to) {
            to.Remember({100, at, 1, "id", ""});
          })}) {
      EXPECT_EQ(ProblemOf(ModuleEffectsInput(2, {effects})), "") << at;
      EXPECT_EQ(ProblemOf(ModuleSavedInput("EXPIRE 500s", effects)), "") << at;
    }
    const std::string turned = Effects([&](EffectWriter& to) { to.Turned(at); });
    EXPECT_EQ(ProblemOf(ModuleEffectsInput(kHours, {turned})), "") << at;
  }
}

TEST(ReachableState, FeedTermsBeyondTheEndOfTheFeed) {
  const std::string effects = Effects([](EffectWriter& to) {
    module::WriteHistory(3, {{1, 0}, {2, 7}, {3, 9}}, &to);
    module::WriteEvent(Effects([](EffectWriter& event) { event.Mark("ann"); }), &to);
  });
  const std::string term = Effects([](EffectWriter& to) { module::WriteTerm(6, &to); });
  EXPECT_EQ(ProblemOf(ModuleEffectsInput(kCapped, {effects})), "");
  EXPECT_EQ(ProblemOf(ModuleEffectsInput(kCapped, {effects, term, term})), "");
}

TEST(ReachableState, FeedWithoutANumberForAnotherEvent) {
  const std::string mark = Effects([](EffectWriter& to) { to.Mark("ann"); });
  for (const std::uint64_t first : {std::uint64_t{1} << 62, UINT64_MAX / 2, UINT64_MAX}) {
    const std::string effects = Effects([&](EffectWriter& to) {
      module::WriteHistory(first, {{1, 0}, {2, first}}, &to);
    });
    EXPECT_EQ(ProblemOf(ModuleEffectsInput(
                  kCapped, {effects, mark, mark, mark, mark, mark, mark, mark, mark, mark, mark})),
              "")
        << first;
  }
}

// As on a diverged replica, which has entries that its primary does not have.
TEST(ReachableState, MarksWithoutTheirEntries) {
  const std::string mark = Effects([](EffectWriter& to) { to.Mark("cid"); });
  const std::string unmark = Effects([](EffectWriter& to) { to.Unmark("cid"); });
  for (const std::size_t spec : {kCapped, kHours, kWide}) {
    EXPECT_EQ(ProblemOf(ModuleEffectsInput(spec, {mark})), "");
    EXPECT_EQ(ProblemOf(ModuleEffectsInput(spec, {mark, unmark})), "");
  }
}

TEST(ReachableState, EntryHiddenWithoutAMark) {
  core::Effect hide = Put("POLICY best", "cid", 5, kNow);
  hide.kind = core::Effect::Kind::kHide;
  const std::string effects = Effects([&](EffectWriter& to) { to.Entry(hide, 2); });
  EXPECT_EQ(ProblemOf(ModuleEffectsInput(kCapped, {effects})), "");
  EXPECT_EQ(ProblemOf(ModuleSavedInput("POLICY best", effects)), "");
}

TEST(ReachableState, InstancesOfAnotherPeriod) {
  const Instance day{Period::kDay, kNow, kNow + 86'400'000'000, "2027-01-15"};
  EXPECT_EQ(ProblemOf(ModuleEffectsInput(
                kHours, {Effects([&](EffectWriter& to) { to.CreateInstance(50, day); })})),
            "");
  EXPECT_EQ(
      ProblemOf(ModuleEffectsInput(
          kHours, {Effects([&](EffectWriter& to) { to.ClosedThrough(Period::kDay, kNow); })})),
      "");
}

TEST(ReachableState, TwoInstancesOfOneLabel) {
  const Instance all{Period::kAll, INT64_MIN, INT64_MAX, ""};
  const std::string again = Effects([&](EffectWriter& to) { to.CreateInstance(50, all); });
  const std::string mark = Effects([](EffectWriter& to) { to.Mark("ann"); });
  EXPECT_EQ(ProblemOf(ModuleEffectsInput(kHours, {again, mark})), "");
  EXPECT_EQ(ProblemOf(ModuleSavedInput("PERIODS 1 all", Effects([&](EffectWriter& to) {
                                         to.CreateInstance(1, all);
                                         to.CreateInstance(2, all);
                                       }))),
            "");
}

TEST(ReachableState, BoardWithoutANumberForAnotherInstance) {
  const Instance hour{Period::kHour, 0, 3'600'000'000, "1970-01-01T00+0000"};
  EXPECT_EQ(ProblemOf(ModuleSavedInput("PERIODS 1 hour", Effects([&](EffectWriter& to) {
                                         to.CreateInstance(UINT32_MAX - 1, hour);
                                       }))),
            "");
}

TEST(ReachableState, InstanceDroppedWhileItIsLoaded) {
  const std::string spec = "PERIODS 1 all";
  const Instance all{Period::kAll, INT64_MIN, INT64_MAX, ""};
  EXPECT_EQ(ProblemOf(ModuleSavedInput(spec, Effects([&](EffectWriter& to) {
                                         to.CreateInstance(1, all);
                                         for (int i = 0; i < 100; ++i) {
                                           to.Entry(Put(spec, "m" + std::to_string(i), i, kNow), 2);
                                         }
                                         to.DropInstance(1);
                                       }))),
            "");
}

}  // namespace
}  // namespace laurel::fuzz
