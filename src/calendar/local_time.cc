#include "calendar/local_time.h"

#include <cstdint>
#include <string>

#include <absl/time/civil_time.h>

#include "calendar/zone.h"

namespace laurel::calendar {

Result<LocalTimes> LocalTimes::Of(std::string_view zone) {
  const Result<absl::TimeZone> loaded = LoadZone(zone);
  if (!loaded.ok()) return loaded.error();
  return LocalTimes(*loaded);
}

Result<Stamp> LocalTimes::MomentOf(Stamp shown) const {
  std::int64_t second = shown / 1'000'000;
  std::int64_t micros = shown % 1'000'000;
  if (micros < 0) {
    --second;
    micros += 1'000'000;
  }
  const absl::CivilSecond local = absl::CivilSecond() + second;
  const absl::TimeZone::TimeInfo info = zone_.At(local);
  if (info.kind == absl::TimeZone::TimeInfo::SKIPPED) {
    return Error{ErrorCode::kBadTime, "the clock of " + zone_.name() + " skipped " +
                                          absl::FormatCivilTime(local) +
                                          " when it was set forward"};
  }
  return absl::ToUnixSeconds(info.pre) * 1'000'000 + micros;
}

}  // namespace laurel::calendar
