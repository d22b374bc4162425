#include "base/time_text.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

void ExpectTime(std::string_view text, Stamp expected) {
  const Result<Stamp> time = ParseTime(text);
  ASSERT_TRUE(time.ok()) << text << ": " << time.error().ToString();
  EXPECT_EQ(*time, expected) << text;
}

void ExpectBadTime(std::string_view text, std::string_view why) {
  const Result<Stamp> time = ParseTime(text);
  ASSERT_FALSE(time.ok()) << text << " gave " << *time;
  EXPECT_EQ(time.error().code, ErrorCode::kBadTime) << text;
  EXPECT_NE(time.error().message.find(why), std::string::npos) << time.error().message;
}

TEST(ParseTime, ReadsUnixSecondsWithUpToSixDecimals) {
  ExpectTime("0", 0);
  ExpectTime("1762500000", 1'762'500'000 * kSecond);
  ExpectTime("0001", kSecond);
  ExpectTime("1762500000.5", 1'762'500'000 * kSecond + 500'000);
  ExpectTime("1762500000.000001", 1'762'500'000 * kSecond + 1);
  ExpectTime("0.123456", 123'456);
}

TEST(ParseTime, ReadsDigitsWithAUnit) {
  ExpectTime("1762500000123ms", 1'762'500'000'123'000);
  ExpectTime("1762500000123456us", 1'762'500'000'123'456);
  ExpectTime("0us", 0);
}

TEST(ParseTime, RefusesABareNumberAboveTenToTheEleventhAsAmbiguous) {
  ExpectTime("100000000000", 100'000'000'000 * kSecond);
  ExpectTime("100000000000.000000", 100'000'000'000 * kSecond);
  ExpectBadTime("100000000000.000001", "ambiguous");
  ExpectBadTime("100000000001", "ambiguous");
  ExpectBadTime("1762500000123", "add ms or us");
  ExpectBadTime("99999999999999999999999999", "ambiguous");
}

TEST(ParseTime, ReadsIsoTimesWithAZone) {
  ExpectTime("1970-01-01T00:00:00Z", 0);
  const Stamp stamp = 1'794'747'600 * kSecond;  // 2026-11-15T13:00:00Z
  ExpectTime("2026-11-15T13:00:00Z", stamp);
  ExpectTime("2026-11-15T13:00Z", stamp);
  ExpectTime("2026-11-15T13:00:00.123456Z", stamp + 123'456);
  ExpectTime("2026-11-15T13:00:00.1Z", stamp + 100'000);
  ExpectTime("2026-11-15T21:00:00+08:00", stamp);
  ExpectTime("2026-11-15T21:00:00.000001+0800", stamp + 1);
  ExpectTime("2026-11-15T21:00+08", stamp);
  ExpectTime("2026-11-15T07:30:00-05:30", stamp);
  ExpectTime("2026-11-16T00:00:00+11:00", stamp);
  ExpectTime("2024-02-29T00:00:00Z", 1'709'164'800 * kSecond);
  ExpectTime("9999-12-31T23:59:59.999999Z", kMaxTime);
}

TEST(ParseTime, RefusesAnIsoTimeWithoutAZone) {
  ExpectBadTime("2026-11-15T13:00:00", "has no zone");
  ExpectBadTime("2026-11-15T13:00", "has no zone");
}

TEST(ParseTime, RefusesInvalidTimes) {
  for (const std::string_view text : {"",
                                      "-",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.",
                                      ".5",
                                      "1.1234567",
                                      "1e9",
                                      "0x10",
                                      "inf",
                                      "now",
                                      "ms",
                                      "us",
                                      "1.5ms",
                                      "-1ms",
                                      "1 ms",
                                      "1s",
                                      "1h",
                                      "2026-11-15",
                                      "2026-11-15T",
                                      "2026-11-15T13Z",
                                      "2026-11-15 13:00:00Z",
                                      "2026-11-15T13:00:00z",
                                      "2026-11-15t13:00:00Z",
                                      "2026-1-15T13:00:00Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-00-01T00:00:00Z",
                                      "2026-11-31T00:00:00Z",
                                      "2026-02-29T00:00:00Z",
                                      "2026-11-15T24:00:00Z",
                                      "2026-11-15T13:60:00Z",
                                      "2026-11-15T13:00:60Z",
                                      "2026-11-15T13:00:00.Z",
                                      "2026-11-15T13:00:00.1234567Z",
                                      "2026-11-15T13:00:00ZZ",
                                      "2026-11-15T13:00:00+",
                                      "2026-11-15T13:00:00+8",
                                      "2026-11-15T13:00:00+24:00",
                                      "2026-11-15T13:00:00+08:60",
                                      "2026-11-15T13:00:00+08:",
                                      "2026-11-15T13:00:00+08:0",
                                      "2026-11-15T13:00:00+080000",
                                      "2026-11-15T13:00:00 Z",
                                      "T"}) {
    ExpectBadTime(text, "is no time");
  }
}

TEST(ParseTime, RefusesTimesOutsideTheYears1970To9999) {
  ExpectTime("253402300799999999us", kMaxTime);
  ExpectBadTime("253402300800000000us", "1970 to 9999");
  ExpectTime("253402300799999ms", kMaxTime - 999);
  ExpectBadTime("253402300800000ms", "1970 to 9999");
  ExpectBadTime("99999999999999999999999us", "1970 to 9999");
  ExpectBadTime("1969-12-31T23:59:59Z", "1970 to 9999");
  ExpectBadTime("1970-01-01T00:00:00+00:01", "1970 to 9999");
  ExpectBadTime("9999-12-31T23:59:59-00:01", "1970 to 9999");
}

TEST(ParseTime, ErrorsAreOneLine) { ExpectBadTime("1\r\n2", "'1\\x0d\\x0a2' is no time"); }

TEST(FormatIsoTime, PrintsUtcWithSixDecimals) {
  EXPECT_EQ(FormatIsoTime(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatIsoTime(1'794'747'600 * kSecond + 6), "2026-11-15T13:00:00.000006Z");
  EXPECT_EQ(FormatIsoTime(kMaxTime), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatIsoTime(-1), "1969-12-31T23:59:59.999999Z");
}

TEST(FormatIsoTime, IsParsedBackToTheSameTime) {
  for (Stamp stamp = 0; stamp < kMaxTime; stamp += 1'234'567'890'123'457) {
    ExpectTime(FormatIsoTime(stamp), stamp);
  }
}

void ExpectDuration(std::string_view text, std::int64_t expected) {
  const Result<std::int64_t> duration = ParseDuration(text);
  ASSERT_TRUE(duration.ok()) << text << ": " << duration.error().ToString();
  EXPECT_EQ(*duration, expected) << text;
}

void ExpectBadDuration(std::string_view text, std::string_view why) {
  const Result<std::int64_t> duration = ParseDuration(text);
  ASSERT_FALSE(duration.ok()) << text << " gave " << *duration;
  EXPECT_EQ(duration.error().code, ErrorCode::kErr) << text;
  EXPECT_NE(duration.error().message.find(why), std::string::npos) << duration.error().message;
}

TEST(ParseDuration, ReadsDigitsAndAUnit) {
  ExpectDuration("90s", 90 * kSecond);
  ExpectDuration("15m", 15 * 60 * kSecond);
  ExpectDuration("12h", 12 * 3600 * kSecond);
  ExpectDuration("30d", 30 * 86'400 * kSecond);
  ExpectDuration("500ms", 500'000);
  ExpectDuration("7us", 7);
  ExpectDuration("0", 0);
  ExpectDuration("0d", 0);
  ExpectDuration("007s", 7 * kSecond);
}

TEST(ParseDuration, RefusesInvalidDurations) {
  for (const std::string_view text : {"", "1", "90", "s", "-1s", "+1s", "1.5s", " 1s", "1s ", "1 s",
                                      "1S", "1w", "1y", "1ss", "1h30m", "00", "\n"}) {
    ExpectBadDuration(text, "is no duration");
  }
}

TEST(ParseDuration, RefusesMoreThanAMillionDays) {
  ExpectDuration("1000000d", kMaxDurationMicros);
  ExpectDuration("86400000000000000us", kMaxDurationMicros);
  ExpectBadDuration("1000001d", "longer than a million days");
  ExpectBadDuration("86400000000000001us", "longer than a million days");
  ExpectBadDuration("99999999999999999999999d", "longer than a million days");
}

TEST(FormatDuration, UsesTheLargestExactUnitAndIsParsedBack) {
  for (const std::string_view text : {"0s", "7us", "500ms", "90s", "15m", "12h", "30d", "61m"}) {
    const Result<std::int64_t> duration = ParseDuration(text);
    ASSERT_TRUE(duration.ok());
    EXPECT_EQ(FormatDuration(*duration), text);
  }
  EXPECT_EQ(FormatDuration(60 * kSecond), "1m");
}

}  // namespace
}  // namespace laurel::base
