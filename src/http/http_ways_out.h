// How errors tell a client of HTTP what to do.
#pragma once

#include "wire/ways_out.h"

namespace laurel::http {

extern const wire::WaysOut kWaysOut;

}  // namespace laurel::http
