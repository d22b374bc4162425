#include "transfer/text/time_parser.h"

#include <string>

#include <gtest/gtest.h>

#include "base/time_text.h"
#include "calendar/local_time.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

std::string Parsed(std::string_view text, TimeUnit unit = TimeUnit::kSeconds,
                   std::string_view zone = "") {
  const Result<Stamp> stamp = TimeParser::Of(unit, zone).value().Parse(text);
  return stamp.ok() ? base::FormatIsoTime(*stamp) : stamp.error().ToString();
}

TEST(TimeParser, TakesWhatEveryOtherPartOfLaurelTakes) {
  EXPECT_EQ(Parsed("1762500000.123456"), "2025-11-07T07:20:00.123456Z");
  EXPECT_EQ(Parsed("1762500000123ms"), "2025-11-07T07:20:00.123000Z");
  EXPECT_EQ(Parsed("1762500000123456us"), "2025-11-07T07:20:00.123456Z");
  EXPECT_EQ(Parsed("2026-11-15T13:00:00.5+08:00"), "2026-11-15T05:00:00.500000Z");
  EXPECT_EQ(Parsed("2026-11-15T13:00Z"), "2026-11-15T13:00:00.000000Z");
}

TEST(TimeParser, ABareNumberCountsTheUnit) {
  EXPECT_EQ(Parsed("1762500000123", TimeUnit::kMillis), "2025-11-07T07:20:00.123000Z");
  EXPECT_EQ(Parsed("1762500000123.456", TimeUnit::kMillis), "2025-11-07T07:20:00.123456Z");
  EXPECT_EQ(Parsed("1762500000123456", TimeUnit::kMicros), "2025-11-07T07:20:00.123456Z");
  EXPECT_EQ(Parsed("1762500000.5"), "2025-11-07T07:20:00.500000Z");
  EXPECT_EQ(Parsed("1762500000.500000000"), "2025-11-07T07:20:00.500000Z");
  EXPECT_EQ(Parsed("0"), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(Parsed("1762500000123ms", TimeUnit::kMicros), "2025-11-07T07:20:00.123000Z")
      << "a unit in the text decides";
}

TEST(TimeParser, NumbersThatAreNoTimesAreRefused) {
  EXPECT_EQ(Parsed("100000000000"), "5138-11-16T09:46:40.000000Z");
  EXPECT_EQ(Parsed("100000000000.1"),
            "BADTIME '100000000000.1' is ambiguous: give --at-unit ms or us");
  EXPECT_EQ(Parsed("1762500000123"),
            "BADTIME '1762500000123' is ambiguous: give --at-unit ms or us");
  EXPECT_EQ(Parsed("0.0000001"), "BADTIME '0.0000001' is finer than a microsecond");
  EXPECT_EQ(Parsed("5.1", TimeUnit::kMicros), "BADTIME '5.1' is finer than a microsecond");
  EXPECT_EQ(Parsed("253402300799999999", TimeUnit::kMicros), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(Parsed("253402300800000000", TimeUnit::kMicros),
            "BADTIME '253402300800000000' is out of range");
  EXPECT_EQ(Parsed("253402300799999.9999", TimeUnit::kMillis),
            "BADTIME '253402300799999.9999' is finer than a microsecond");
  EXPECT_EQ(Parsed("99999999999999999999"), "BADTIME '99999999999999999999' is out of range");
  for (const std::string text : {"", ".5", "5.", "1.2.3", "-5", "+5", "1e9", "5 ", "NaN"}) {
    EXPECT_TRUE(Parsed(text).starts_with("BADTIME ")) << text << ": " << Parsed(text);
  }
}

TEST(TimeParser, ABlankMayStandForTheT) {
  EXPECT_EQ(Parsed("2026-11-15 13:00:00.123456+08"), "2026-11-15T05:00:00.123456Z");
  EXPECT_EQ(Parsed("2026-11-15 13:00:00-05:30"), "2026-11-15T18:30:00.000000Z");
  EXPECT_EQ(Parsed("2026-11-15 13:00:00Z"), "2026-11-15T13:00:00.000000Z");
}

TEST(TimeParser, ATimeWithoutZoneIsOfTheGivenZone) {
  const auto berlin = [](std::string_view text) {
    return Parsed(text, TimeUnit::kSeconds, "Europe/Berlin");
  };
  EXPECT_EQ(berlin("2026-11-15 13:00:00"), "2026-11-15T12:00:00.000000Z");
  EXPECT_EQ(berlin("2026-07-15T13:00:00.123456"), "2026-07-15T11:00:00.123456Z");
  EXPECT_EQ(berlin("2026-10-25 02:30:00"), "2026-10-25T00:30:00.000000Z") << "the first of two";
  EXPECT_EQ(berlin("2026-03-29 02:30:00"),
            "BADTIME the clock of Europe/Berlin skipped 2026-03-29T02:30:00 when it was set "
            "forward");
  EXPECT_EQ(berlin("2026-11-15 13:00:00+08"), "2026-11-15T05:00:00.000000Z")
      << "a zone in the text decides";
  EXPECT_EQ(berlin("1970-01-01 00:30:00"), "BADTIME '1970-01-01 00:30:00' is out of range");
  EXPECT_EQ(berlin("2026-02-30 00:00:00"),
            "BADTIME '2026-02-30 00:00:00' is no time from 1970 to 9999: expected one such as "
            "2026-11-15T13:00:00Z");
}

TEST(TimeParser, WithoutAZoneSuchTimesAreRefused) {
  EXPECT_EQ(Parsed("2026-11-15 13:00:00"), "BADTIME '2026-11-15 13:00:00' has no zone: give --tz");
  EXPECT_EQ(Parsed("2026-11-15T13:00:00"), "BADTIME '2026-11-15T13:00:00' has no zone: give --tz");
}

TEST(TimeParser, DatesThatAreNoTimesAreRefused) {
  for (const std::string text :
       {"2026-11-15", "2026-11-15 ", "2026-11-15T", "0000-00-00 00:00:00", "2026-11-15 25:00:00",
        "2026-11-15 13:00:00.1234567", "2026/11/15 13:00:00", "2026-11-15  13:00:00",
        "2026-11-15 13:00:00 UTC", "infinity", "now"}) {
    EXPECT_TRUE(Parsed(text, TimeUnit::kSeconds, "UTC").starts_with("BADTIME "))
        << text << ": " << Parsed(text, TimeUnit::kSeconds, "UTC");
  }
}

TEST(TimeParser, WhatItRemembersDoesNotShow) {
  // Every quarter of an hour of days on which clocks change, in a mixed order.
  for (const std::string zone : {"Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns"}) {
    const calendar::LocalTimes times = calendar::LocalTimes::Of(zone).value();
    for (const std::string date : {"2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25",
                                   "2026-11-01", "2026-03-08", "1970-01-01"}) {
      TimeParser parser = TimeParser::Of(TimeUnit::kSeconds, zone).value();
      for (int i = 0; i < 96 * 4; ++i) {
        const int quarter = i % 2 == 0 ? i / 4 : 95 - i / 4;
        const std::string text =
            date + (i % 3 == 0 ? "T" : " ") + std::string(quarter / 4 < 10 ? "0" : "") +
            std::to_string(quarter / 4) + ":" +
            (quarter % 4 == 0 ? "00" : std::to_string(quarter % 4 * 15)) + ":59.5";
        const Stamp shown = base::ParseTime(date + "T" + text.substr(11) + "Z").value();
        EXPECT_EQ(parser.Parse(text + "Z").value(), shown);
        const Result<Stamp> stamp = parser.Parse(text);
        const Result<Stamp> expected = times.MomentOf(shown);
        const bool in_range = expected.ok() && *expected >= 0;
        ASSERT_EQ(stamp.ok(), in_range) << zone << " " << text;
        if (!in_range) continue;
        EXPECT_EQ(*stamp, *expected) << zone << " " << text;
      }
    }
  }
}

TEST(TimeParser, ALongTextIsRefused) {
  EXPECT_EQ(Parsed("1." + std::string(kMaxTimeBytes - 2, '0')), "1970-01-01T00:00:01.000000Z");
  EXPECT_TRUE(Parsed("1." + std::string(kMaxTimeBytes - 1, '0')).starts_with("BADTIME "));
  EXPECT_TRUE(
      Parsed("2026-11-15 " + std::string(kMaxTimeBytes - 11, '1'), TimeUnit::kSeconds, "UTC")
          .starts_with("BADTIME "));
}

TEST(TimeParser, UnitsAndZonesHaveNames) {
  EXPECT_EQ(ParseTimeUnit("ms").value(), TimeUnit::kMillis);
  EXPECT_EQ(ParseTimeUnit("h").error().message, "'h' is no unit of time: expected s, ms or us");
  EXPECT_FALSE(TimeParser::Of(TimeUnit::kSeconds, "Mars/Olympus").ok());
}

}  // namespace
}  // namespace laurel::transfer
