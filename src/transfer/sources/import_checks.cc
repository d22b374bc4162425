#include "transfer/sources/import_checks.h"

#include "base/count_text.h"
#include "base/time_text.h"

namespace laurel::transfer {

Status CheckPlausible(const SourceDraft& read, const Draft::Report& report, Stamp now,
                      const BoardSource& source) {
  const auto suspect = [&](const std::string& what, const std::string& suspects) {
    return Error{ErrorCode::kErr, what + ": probably " + suspects + " is wrong; nothing was " +
                                      "written; --force imports it all the same"};
  };
  const auto refuse = [&](const std::string& what) { return suspect(what, source.suspects()); };
  const std::string rows = base::Counted(report.rows, "row", "rows");
  if (read.earliest && *read.earliest < kEarliestPlausible) {
    return refuse("the times begin at " + base::FormatIsoTime(*read.earliest) + ", before 2009");
  }
  if (read.latest && *read.latest > now + kPlausibleLeadUs) {
    return refuse("the times reach to " + base::FormatIsoTime(*read.latest) +
                  ", more than a day ahead of now");
  }
  if (report.all_values_equal && report.rows >= kLeastEqualRows) {
    return suspect("all of " + rows + " have the same value", source.value_suspects());
  }
  const std::uint64_t timed = report.rows - report.without_time;
  if (report.all_times_equal && read.has_times && timed >= kLeastEqualRows) {
    return refuse("all of " + base::Counted(timed, "row", "rows") + " have the same time, " +
                  base::FormatIsoTime(*read.earliest));
  }
  return Ok{};
}

std::string DecimalsHint(const SourceDraft& read, bool has_codecs) {
  if (read.decimals == 0) return "";
  const std::string places = std::to_string(read.decimals);
  std::string hint = "values have up to " + places +
                     (read.decimals == 1 ? " decimal" : " decimals") + ": a field decimal" +
                     places + " takes them, as in --spec 'FIELDS 1 score:decimal" + places + "'";
  if (has_codecs) {
    hint +=
        "; if they are a time, --codec decimal-time, or decimal-countdown with --start and --end";
  }
  return hint;
}

}  // namespace laurel::transfer
