// Which specs the embedded engine supports.
#pragma once

#include "calendar/zone_calendar.h"
#include "laurel/result.h"
#include "wire/spec_arguments.h"

namespace laurel::engine {

// Returns ERR if the IANA database does not have the spec's time zone, or if FEED is greater than
// 0, which only the module supports. Called after parsing by everything that declares a spec:
// LB.CREATE, LB.ALTER and templates.
inline Status CheckSupported(const wire::SpecArguments& wanted) {
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
