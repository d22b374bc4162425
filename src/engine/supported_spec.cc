#include "engine/supported_spec.h"

#include "calendar/zone_calendar.h"

namespace laurel::engine {

Status CheckSupported(const wire::SpecArguments& wanted) {
  if (wanted.feed.value_or(0) > 0) {
    return Error{ErrorCode::kErr,
                 "FEED is for boards inside Redis or Valkey: here LB.CHANGES reads the server's "
                 "log, without FEED"};
  }
  if (wanted.spec.periods.empty()) return Ok{};
  const auto calendar = calendar::ZoneCalendar::Of(wanted.spec.zone, wanted.spec.turn_minutes);
  if (!calendar.ok()) return Error{ErrorCode::kErr, "TZ: " + calendar.error().message};
  return Ok{};
}

}  // namespace laurel::engine
