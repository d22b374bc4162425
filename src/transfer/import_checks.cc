#include "transfer/import_checks.h"

#include "base/count_text.h"
#include "base/time_text.h"

namespace laurel::transfer {

Status CheckPlausible(const SourceTable& read, const RowTable::Report& report, Stamp now,
                      const std::string& suspects) {
  const auto refuse = [&](const std::string& what) {
    return Error{ErrorCode::kErr, what + ": probably " + suspects + " is wrong; nothing was " +
                                      "written; --force imports it all the same"};
  };
  const std::string rows = base::Counted(report.rows, "row", "rows");
  if (read.earliest && *read.earliest < kEarliestPlausible) {
    return refuse("the times begin at " + base::FormatIsoTime(*read.earliest) + ", before 2009");
  }
  if (read.latest && *read.latest > now + kPlausibleLeadUs) {
    return refuse("the times reach to " + base::FormatIsoTime(*read.latest) +
                  ", more than a day ahead of now");
  }
  if (report.all_values_equal) return refuse("all of " + rows + " have the same value");
  if (report.all_times_equal && read.has_times) {
    const std::uint64_t timed = report.rows - report.without_time;
    return refuse("all of " + base::Counted(timed, "row", "rows") + " have the same time, " +
                  base::FormatIsoTime(*read.earliest));
  }
  return Ok{};
}

}  // namespace laurel::transfer
