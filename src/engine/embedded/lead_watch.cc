#include "engine/embedded/lead_watch.h"

#include "base/time_text.h"

namespace laurel::engine {

std::optional<LeadWatch::Line> LeadWatch::Check(std::int64_t lead_us, std::int64_t monotonic_us) {
  if (leads_ && lead_us <= kOverMicros) {
    leads_ = false;
    return Line{false, "the system clock has caught up with the stamps"};
  }
  if (lead_us <= kMuchMicros) return std::nullopt;
  if (leads_ && monotonic_us - warned_us_ < kRepeatMicros) return std::nullopt;
  leads_ = true;
  warned_us_ = monotonic_us;
  constexpr std::int64_t kSecond = 1'000'000;
  return Line{true, "stamps lead the system clock by " +
                        base::FormatDuration(lead_us / kSecond * kSecond) +
                        ": the clock was ahead before and was set back; new entries are stamped in "
                        "the future until it has caught up"};
}

}  // namespace laurel::engine
