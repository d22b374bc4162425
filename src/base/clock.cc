#include "base/clock.h"

#include "base/time_text.h"

namespace laurel::base {

static_assert(kMaxClock < kMaxTime);  // every time that a clock shows has a text

Status CheckClock(Stamp now) {
  if (now < 0) return Error{ErrorCode::kErr, "the clock shows a time before 1970: set it first"};
  if (now <= kMaxClock) return Ok{};
  const std::string shown = now <= kMaxTime ? FormatIsoTime(now) : "a year after 9999";
  return Error{ErrorCode::kErr,
               "the clock shows " + shown + ": times after 2262-04-11 are not served"};
}

}  // namespace laurel::base
