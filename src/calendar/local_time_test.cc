#include "calendar/local_time.h"

#include <string>

#include <gtest/gtest.h>

#include "base/time_text.h"

namespace laurel::calendar {
namespace {

// The moment at which the zone's clock showed the time, as text; the error if there is none.
std::string Moment(std::string_view zone, const std::string& shown) {
  const Result<Stamp> moment =
      LocalTimes::Of(zone).value().MomentOf(base::ParseTime(shown + "Z").value());
  return moment.ok() ? base::FormatIsoTime(*moment) : moment.error().ToString();
}

TEST(LocalTimes, ALocalTimeIsTheMomentInItsZone) {
  const std::string shown = "2026-11-15T13:04:05.000006";
  EXPECT_EQ(Moment("UTC", shown), "2026-11-15T13:04:05.000006Z");
  EXPECT_EQ(Moment("Asia/Shanghai", shown), "2026-11-15T05:04:05.000006Z");
  EXPECT_EQ(Moment("America/New_York", shown), "2026-11-15T18:04:05.000006Z");
}

TEST(LocalTimes, ATimeThatTheClockShowedTwiceIsTheFirst) {
  // Europe/Berlin was set back from 03:00 to 02:00, UTC+2 to UTC+1.
  EXPECT_EQ(Moment("Europe/Berlin", "2026-10-25T02:30:00.25"), "2026-10-25T00:30:00.250000Z");
  EXPECT_EQ(Moment("Europe/Berlin", "2026-10-25T02:59:59.999999"), "2026-10-25T00:59:59.999999Z");
  EXPECT_EQ(Moment("Europe/Berlin", "2026-10-25T03:00:00"), "2026-10-25T02:00:00.000000Z");
}

TEST(LocalTimes, ATimeThatTheClockSkippedIsRefused) {
  EXPECT_EQ(Moment("Europe/Berlin", "2026-03-29T01:59:59.999999"), "2026-03-29T00:59:59.999999Z");
  EXPECT_EQ(Moment("Europe/Berlin", "2026-03-29T02:30:00"),
            "BADTIME the clock of Europe/Berlin skipped 2026-03-29T02:30:00 when it was set "
            "forward");
  EXPECT_EQ(Moment("Europe/Berlin", "2026-03-29T03:00:00"), "2026-03-29T01:00:00.000000Z");
}

TEST(LocalTimes, TimesBefore1970KeepTheirFraction) {
  EXPECT_EQ(LocalTimes::Of("Asia/Shanghai").value().MomentOf(1).value(),
            -8 * 3600 * Stamp{1'000'000} + 1);
  EXPECT_EQ(LocalTimes::Of("UTC").value().MomentOf(-1).value(), -1);
}

TEST(LocalTimes, AnUnknownZoneIsRefused) {
  EXPECT_FALSE(LocalTimes::Of("Europe/Atlantis").ok());
  EXPECT_FALSE(LocalTimes::Of("").ok());
  EXPECT_FALSE(LocalTimes::Of("../../etc/passwd").ok());
}

}  // namespace
}  // namespace laurel::calendar
