#include "calendar/local_time.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include <absl/time/civil_time.h>

#include "base/time_text.h"
#include "calendar/zone.h"

namespace laurel::calendar {
namespace {

constexpr std::size_t kSecondBytes = 19;  // of "2026-03-29T02:30:00"
static_assert(kSecondBytes == sizeof("2026-03-29T02:30:00") - 1);
static_assert(kSecondBytes < base::kIsoTimeBytes);

}  // namespace

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
    // absl::FormatCivilTime would bring the streams of the C++ library into the module.
    const std::string text = base::FormatIsoTime(second * 1'000'000).substr(0, kSecondBytes);
    return Error{ErrorCode::kBadTime,
                 "the clock of " + zone_.name() + " skipped " + text + " when it was set forward"};
  }
  return absl::ToUnixSeconds(info.pre) * 1'000'000 + micros;
}

}  // namespace laurel::calendar
