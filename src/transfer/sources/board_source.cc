#include "transfer/sources/board_source.h"

#include <algorithm>

#include "base/count_text.h"
#include "base/time_text.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "laurel/stamp_clock.h"

namespace laurel::transfer {
namespace {

// Returns the row in the source's form or, if the reader does not keep that, its member.
std::string_view TextOf(const RowReader& reader, const Row& row) {
  return reader.text().empty() ? row.member : reader.text();
}

Status AddRow(const Row& row, Stamp now, Draft* draft) {
  // A source that is being written to has rows newer than the start of the reading.
  if (row.at && *row.at - now > kMaxStampLeadMicros) now = std::max(now, SystemNow());
  if (row.at && *row.at - now > kMaxStampLeadMicros) {
    return Error{ErrorCode::kBadTime, "the time, " + base::FormatIsoTime(*row.at) +
                                          ", is ahead of the clock, " + base::FormatIsoTime(now)};
  }
  return draft->Add(row);
}

// Returns the most decimals of any value that has more than its field takes; 0 if there is none.
int ExcessDecimals(const Row& row, const Spec& spec) {
  int most = 0;
  for (std::size_t i = 0; i < std::min(row.values.size(), spec.fields.size()); ++i) {
    int places = spec.fields[i].decimals;
    while (places <= kMaxDecimals && !ParseNumber(row.values[i], places).ok()) ++places;
    if (places > spec.fields[i].decimals && places <= kMaxDecimals) most = std::max(most, places);
  }
  return most;
}

}  // namespace

Status FillDraft(RowReader* reader, ProgressUnit unit, const ReadContext& context,
                 SourceDraft* read, std::span<PackedScores> samples) {
  context.reporter->Begin("reading", unit);
  Row row;
  for (std::uint64_t rows = 1;; ++rows) {
    const Result<bool> more = reader->Next(&row);
    if (!more.ok()) return more.error();
    if (!*more) break;
    if (row.at && read->has_times) {
      read->earliest = std::min(read->earliest.value_or(*row.at), *row.at);
      read->latest = std::max(read->latest.value_or(*row.at), *row.at);
    }
    for (std::size_t i = 0; i < std::min(samples.size(), row.values.size()); ++i) {
      if (samples[i].full()) continue;
      const Result<double> number = ParseDouble(row.values[i]);
      if (number.ok()) samples[i].Add(*number, row.member);
    }
    if (const Status added = AddRow(row, context.now, read->draft.get()); !added.ok()) {
      if (added.error().code == ErrorCode::kBadScore) {
        read->decimals = std::max(read->decimals, ExcessDecimals(row, *context.spec));
      }
      const Status rejected =
          context.rejects->Add({row.line, added.error().ToString(), TextOf(*reader, row)});
      if (!rejected.ok()) return rejected;
    }
    if (rows % kProgressRows == 0) {
      if (const Status runs = context.reporter->CheckStopped(); !runs.ok()) return runs;
      const storage::Progress at = reader->progress();
      context.reporter->Progress(at.done_bytes, at.total_bytes);
    }
  }
  context.reporter->End();
  return Ok{};
}

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
