#include "transfer/sources/board_source.h"

#include <string>

#include <gtest/gtest.h>

#include "transfer/sources/file_source.h"

namespace laurel::transfer {
namespace {

constexpr Stamp kNow = 1'794'744'000'000'000;

// The error about rows of a file; empty if they are plausible.
std::string Refusal(std::uint64_t rows, bool equal_values, bool equal_times) {
  SourceDraft read;
  read.earliest = read.latest = kNow;
  Draft::Report report;
  report.rows = rows;
  report.all_values_equal = equal_values;
  report.all_times_equal = equal_times;
  Rejects rejects;
  const FileSource source({}, &rejects);
  const Status checked = CheckPlausible(read, report, kNow, source);
  return checked.ok() ? "" : checked.error().message;
}

TEST(ImportChecks, EqualValuesAreRefusedFromTwentyRowsOn) {
  EXPECT_EQ(Refusal(19, true, false), "");
  EXPECT_EQ(Refusal(20, true, false),
            "all of 20 rows have the same value: probably --columns is wrong; nothing was written; "
            "--force imports it all the same");
  EXPECT_EQ(Refusal(20, false, false), "");
}

TEST(ImportChecks, EqualTimesAreRefusedFromTwentyRowsOn) {
  EXPECT_EQ(Refusal(19, false, true), "");
  EXPECT_TRUE(Refusal(20, false, true).find("probably --columns, --at-unit or --tz is wrong") !=
              std::string::npos);
}

TEST(ImportChecks, ValuesWithDecimalsAskForAFieldThatTakesThem) {
  SourceDraft read;
  EXPECT_EQ(DecimalsHint(read, true), "");
  read.decimals = 2;
  const std::string hint =
      "values have up to 2 decimals: a field decimal2 takes them, as in --spec 'FIELDS 1 "
      "score:decimal2'";
  EXPECT_EQ(DecimalsHint(read, false), hint);
  EXPECT_EQ(DecimalsHint(read, true),
            hint +
                "; if they are a time, --codec decimal-time, or decimal-countdown with --start "
                "and --end");
}

}  // namespace
}  // namespace laurel::transfer
