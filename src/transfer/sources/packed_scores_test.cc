#include "transfer/sources/packed_scores.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

// The options for scores as the codec writes them: values below `values`, in the last 20 days.
std::string SuggestedFor(std::string_view name, const CodecParameters& parameters,
                         std::int64_t values, int rows) {
  const Codec codec = Codec::Make(name, parameters).value();
  base::Random random(7);
  PackedScores packed(kNow);
  for (int i = 0; i < rows; ++i) {
    const auto value = static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(values)));
    const auto ago = static_cast<Stamp>(random.Below(20 * kDay));
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

TEST(PackedScores, SumsOfFractionsAreFound) {
  const auto sum = [](base::Random* random) {
    const auto writes = static_cast<double>(1 + random->Below(100));
    return static_cast<double>(random->Below(10'000)) + writes * 1e6 / 1.79e12;
  };
  EXPECT_EQ(Suggested(20, sum), "--codec divisor");
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
