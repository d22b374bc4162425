// Loads the time zones of the IANA database.
#pragma once

#include <string_view>

#include <absl/time/time.h>

#include "laurel/result.h"

namespace laurel::calendar {

// The rules of a zone, from the system's zoneinfo folder (/usr/share/zoneinfo, or $TZDIR). ERR,
// naming the zone, if the database has no such zone or is not installed; UTC works without it.
Result<absl::TimeZone> LoadZone(std::string_view name);

}  // namespace laurel::calendar
