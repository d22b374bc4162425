// Stamps for people.
#pragma once

#include <string>

#include "laurel/score.h"

namespace laurel::cli {

// ISO 8601 in UTC with six decimals: "2026-11-15T13:04:05.000006Z".
std::string FormatIsoTime(Stamp stamp);

}  // namespace laurel::cli
