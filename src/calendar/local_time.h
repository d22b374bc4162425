// Local times of a zone as moments, for times that are written without a zone.
#pragma once

#include <string_view>

#include <absl/time/time.h>

#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::calendar {

// Cheap to copy. Any number of threads may use one at once.
class LocalTimes {
 public:
  // ERR as for LoadZone.
  static Result<LocalTimes> Of(std::string_view zone);

  // The moment at which the zone's clock showed the date and time that a clock in UTC shows at
  // `shown`. A time that the zone's clock showed twice, when it was set back, is the first of the
  // two. BADTIME for a time that it skipped, when it was set forward.
  // REQUIRES: `shown` lies in the years 1 to 9999.
  [[nodiscard]] Result<Stamp> MomentOf(Stamp shown) const;

 private:
  explicit LocalTimes(absl::TimeZone zone) : zone_(zone) {}

  absl::TimeZone zone_;
};

}  // namespace laurel::calendar
