#include "transfer/sources/packed_scores.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "laurel/codecs.h"

namespace laurel::transfer {
namespace {

constexpr Stamp kSecond = 1'000'000;
constexpr Stamp kNow = 1'794'744'000 * kSecond;  // 2026-11-15
constexpr Stamp kDay = 86'400 * kSecond;

// The options that a sample of `rows` scores suggests; empty if none.
std::string Suggested(int rows, const std::function<double(base::Random*)>& score) {
  base::Random random(7);
  PackedScores packed(kNow);
  for (int i = 0; i < rows; ++i) packed.Add(score(&random), "m" + std::to_string(i));
  const auto found = packed.Find();
  return found ? found->options : "";
}

// The options for scores as the codec writes them: values below `values`, in the last days.
std::string SuggestedFor(std::string_view name, const CodecParameters& parameters,
                         std::int64_t values, int rows, int days = 20) {
  const Codec codec = Codec::Make(name, parameters).value();
  base::Random random(7);
  PackedScores packed(kNow);
  for (int i = 0; i < rows; ++i) {
    const auto value = static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(values)));
    const auto ago = static_cast<Stamp>(random.Below(static_cast<std::uint64_t>(days * kDay)));
    const auto entry = codec.Encode(value, kNow - ago, "m" + std::to_string(i));
    EXPECT_TRUE(entry.ok()) << entry.error().message;
    packed.Add(entry->score, entry->member);
  }
  const auto found = packed.Find();
  return found ? found->options : "";
}

TEST(PackedScores, FewRowsOfEachCodecAreFound) {
  for (const int rows : {3, 10, 1000}) {
    EXPECT_EQ(SuggestedFor("scaled-time", {}, 100'000, rows), "--codec scaled-time");
    CodecParameters in_ms;
    in_ms.digits = 13;
    in_ms.unit = CodecUnit::kMillisecond;
    EXPECT_EQ(SuggestedFor("scaled-time", in_ms, 900, rows),
              "--codec scaled-time --digits 13 --unit ms");
    EXPECT_EQ(SuggestedFor("decimal-time", {}, 100'000, rows), "--codec decimal-time");
    EXPECT_EQ(SuggestedFor("member-time", {}, 1'000'000'000, rows), "--codec member-time");
  }
}

TEST(PackedScores, BitsOfAnEventAreFound) {
  CodecParameters parameters;
  parameters.end = kNow + kDay;
  EXPECT_EQ(SuggestedFor("bit-fields", parameters, 100'000, 20), "--codec bit-fields --end TIME");
  parameters.time_bits = 41;
  EXPECT_EQ(SuggestedFor("bit-fields", parameters, 4000, 20),
            "--codec bit-fields --end TIME --time-bits 41");
}

TEST(PackedScores, BitsOfMonthsAreFound) {
  CodecParameters parameters;
  parameters.end = kNow + kDay;
  for (const int days : {1, 60, 90, 180}) {
    for (const std::int64_t values : {20, 500, 100'000}) {
      EXPECT_EQ(SuggestedFor("bit-fields", parameters, values, 300, days),
                "--codec bit-fields --end TIME")
          << days << " days, values below " << values;
    }
  }
  // All but 4 of the 199 days: 300 rows leave such a gap by chance.
  EXPECT_EQ(SuggestedFor("bit-fields", parameters, 100'000, 300, 195), "");
}

TEST(PackedScores, TimesOfAnyUnitAndEpochAreFound) {
  struct Case {
    int digits;
    CodecUnit unit;
    Stamp epoch;
    std::string options;
  };
  const Stamp year = 1'577'836'800 * kSecond;  // 2020-01-01
  const Stamp launch = kNow - 100 * kDay;
  const std::string any = " --epoch TIME --unit UNIT";
  const std::vector<Case> cases = {
      {10, CodecUnit::kMinute, 0, "--unit m"},
      {9, CodecUnit::kMinute, 0, "--digits 9 --unit m"},
      {10, CodecUnit::kHour, 0, "--unit h"},
      {9, CodecUnit::kHour, 0, "--digits 9 --unit h"},
      {8, CodecUnit::kHour, 0, "--digits 8 --unit h"},
      {10, CodecUnit::kSecond, year, "--digits 10" + any},
      {10, CodecUnit::kSecond, launch, "--digits 10" + any},
      {9, CodecUnit::kSecond, launch, "--digits 9" + any},
      {9, CodecUnit::kMinute, year, "--digits 9" + any},
      {8, CodecUnit::kHour, launch, "--digits 8" + any},
      {13, CodecUnit::kMillisecond, year, "--digits 13" + any},
  };
  for (const Case& one : cases) {
    CodecParameters parameters;
    parameters.digits = one.digits;
    parameters.unit = one.unit;
    parameters.epoch = one.epoch;
    for (const int days : {1, 90}) {
      EXPECT_EQ(SuggestedFor("scaled-time", parameters, 900, 300, days),
                "--codec scaled-time " + one.options)
          << one.options << " from " << one.epoch << ", " << days << " days";
    }
  }
}

TEST(PackedScores, MembersFromAnotherBaseAreFound) {
  for (const int days : {5, 90}) {
    CodecParameters parameters;
    parameters.base = kNow - days * kDay;
    EXPECT_EQ(SuggestedFor("member-time", parameters, 1000, 300, days),
              "--codec member-time --base TIME");
  }
}

TEST(PackedScores, CountdownsInDecimalsAreFound) {
  struct Case {
    int width;
    int days;  // of the event
    CodecUnit unit;
  };
  for (const Case& one : {Case{5, 1, CodecUnit::kSecond}, Case{6, 10, CodecUnit::kSecond},
                          Case{7, 30, CodecUnit::kSecond}, Case{7, 90, CodecUnit::kSecond},
                          Case{9, 10, CodecUnit::kMillisecond}}) {
    CodecParameters parameters;
    parameters.width = one.width;
    parameters.unit = one.unit;
    parameters.end = kNow;
    // On the last day, the fractions of seven decimals are below 0.01.
    for (const int days : {1, one.days}) {
      EXPECT_EQ(SuggestedFor("decimal-countdown", parameters, 1000, 300, days),
                "--codec decimal-countdown --start TIME --end TIME")
          << days << " of " << one.days << " days";
    }
  }
}

TEST(PackedScores, SumsOfFractionsAreFound) {
  const auto sum = [](base::Random* random) {
    const auto writes = static_cast<double>(1 + random->Below(100));
    return static_cast<double>(random->Below(10'000)) + writes * 1e6 / 1.79e12;
  };
  EXPECT_EQ(Suggested(20, sum), "--codec divisor");
  const auto rounded = [&](base::Random* random) { return std::round(sum(random) * 1e9) / 1e9; };
  EXPECT_EQ(Suggested(20, rounded), "--codec divisor");
}

TEST(PackedScores, PlainNumbersOfAnySizeAreNoneOfThem) {
  for (std::uint64_t most = 10; most < std::uint64_t{1} << 53; most *= 7) {
    for (const int rows : {1, 2, 3, 10, 1000}) {
      EXPECT_EQ(
          Suggested(rows, [&](base::Random* r) { return static_cast<double>(r->Below(most)); }), "")
          << rows << " below " << most;
    }
  }
}

TEST(PackedScores, OneHugeScoreAmongSmallOnesIsNone) {
  for (const double huge : {2e10, 1e12, 1e13, 9e15}) {
    int rows = 0;
    EXPECT_EQ(Suggested(1000,
                        [&](base::Random* r) {
                          return ++rows == 500 ? huge : static_cast<double>(r->Below(1'000'000));
                        }),
              "")
        << huge;
  }
}

TEST(PackedScores, PlainFractionsAndTimesAreNoneOfThem) {
  EXPECT_EQ(
      Suggested(100, [](base::Random* r) { return static_cast<double>(r->Below(99'999)) / 1e7; }),
      "");
  for (const double unit : {0.5, 0.01, 0.001}) {
    EXPECT_EQ(
        Suggested(100, [&](base::Random* r) { return static_cast<double>(r->Below(9999)) * unit; }),
        "");
  }
  EXPECT_EQ(Suggested(10, [](base::Random*) { return 12.85; }), "");
  // Seconds, milliseconds and microseconds of each of some hundred days.
  for (int day = 0; day < 400; ++day) {
    for (const double unit : {1.0, 1e3, 1e6}) {
      const double begin = (1'600'000'000.0 + 86'400.0 * day) * unit;
      const auto time = [&](base::Random* r) {
        return begin + static_cast<double>(r->Below(static_cast<std::uint64_t>(3600 * unit)));
      };
      EXPECT_EQ(Suggested(10, time), "") << day << " " << unit;
    }
  }
}

TEST(PackedScores, PlainNumbersOfSomeShapeAreNoneOfThem) {
  // Returns a number below the given one.
  const auto below = [](base::Random* random, double most) {
    return static_cast<double>(random->Below(static_cast<std::uint64_t>(most)));
  };
  const double micros = static_cast<double>(kNow);
  const std::vector<std::pair<std::string, std::function<double(base::Random*)>>> shapes = {
      {"microseconds of 60 days", [&](auto* r) { return micros - below(r, 60.0 * kDay); }},
      {"microseconds of daily sessions",
       [&](auto* r) { return micros - below(r, 10) * kDay - below(r, 600.0 * kSecond); }},
      {"ids of 19 digits", [&](auto* r) { return 1.2e18 + below(r, 1e16); }},
      {"53 bits", [&](auto* r) { return below(r, 9e15); }},
      {"gibibytes", [&](auto* r) { return (1 + below(r, 500)) * 1024 * 1024 * 1024; }},
      {"ten thousand millions", [&](auto* r) { return below(r, 9000) * 1e10; }},
      {"level and experience", [&](auto* r) { return below(r, 100) * 1e10 + below(r, 1e6); }},
      {"groups below and above 0",
       [&](auto* r) { return (below(r, 2) * 2 - 1) * 5e12 + below(r, 1e9); }},
      {"20261115123456",
       [&](auto* r) { return 2.0260101e13 + below(r, 12) * 1e8 + below(r, 1e6); }},
      {"money", [&](auto* r) { return below(r, 1e7) / 100; }},
      {"laps in milliseconds", [&](auto* r) { return 61 + below(r, 30'000) / 1000; }},
      {"laps in microseconds", [&](auto* r) { return std::round(6e7 + below(r, 3e7)) / 1e6; }},
      {"laps of one second", [&](auto* r) { return std::round(6.12e7 + below(r, 6e5)) / 1e6; }},
      {"exchange rates", [&](auto* r) { return std::round(108'000 + below(r, 5000)) / 1e5; }},
      {"frames", [&](auto* r) { return std::round(below(r, 9000) / 60 * 1e6) / 1e6; }},
      {"averages",
       [&](auto* r) { return std::round(below(r, 3000) / (1 + below(r, 50)) * 1e6) / 1e6; }},
      {"sums of 0.1",
       [&](auto* r) {
         double sum = 0;
         for (double tenths = below(r, 300); tenths > 0; --tenths) sum += 0.1;
         return sum;
       }},
  };
  for (const auto& [name, score] : shapes) {
    for (const int rows : {10, 300, 1000}) EXPECT_EQ(Suggested(rows, score), "") << name;
  }
}

TEST(PackedScores, FewSetsOfLargeGroupsLookPacked) {
  int packed = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    base::Random random(seed);
    const std::uint64_t groups = 2 + random.Below(10);
    std::vector<double> begins;
    for (std::uint64_t i = 0; i < groups; ++i) {
      begins.push_back(static_cast<double>(random.Below(std::uint64_t{1} << 50)));
    }
    PackedScores sample(kNow);
    for (int i = 0; i < 300; ++i) {
      sample.Add(begins[random.Below(groups)] + static_cast<double>(random.Below(1'000'000'000)),
                 "m");
    }
    packed += sample.Find().has_value();
  }
  EXPECT_LE(packed, 5);
}

TEST(PackedScores, FewRandomLargeSetsLookPacked) {
  int packed = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    base::Random random(seed);
    PackedScores sample(kNow);
    for (int i = 0; i < 3; ++i) {
      sample.Add(static_cast<double>(random.Below(std::uint64_t{1} << 50)), "m");
    }
    packed += sample.Find().has_value();
  }
  EXPECT_LE(packed, 20);
}

}  // namespace
}  // namespace laurel::transfer
