// BoardSource: the source of an import: sorted sets of Redis (redis_source.h), a file
// (file_source.h), or an archive (archive_source.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "transfer/draft/draft.h"
#include "transfer/report/reporter.h"
#include "transfer/sources/packed_scores.h"
#include "transfer/text/rejects.h"
#include "transfer/text/row.h"

namespace laurel::transfer {

struct SourceBoard {
  std::string name;          // in the source: a key, a board of an archive, the path of a file
  std::string board;         // if the source describes it
  std::optional<Spec> spec;  // if the source has one
  BoardTimes times{};        // if the source describes them
};

// The result of reading a board.
struct SourceDraft {
  std::unique_ptr<Draft> draft;  // not finished
  // Over all rows with their own time, including rejected ones.
  std::optional<Stamp> earliest;
  std::optional<Stamp> latest;
  bool has_times = true;      // false: the source has no times, and the draft has made-up ones
  std::int64_t tick_us = 1;   // resolution of the draft's times
  std::uint64_t inexact = 0;  // rows whose encoding holds more than one value or time
  std::int64_t max_at_error_us = 0;  // largest possible error of the times of inexact rows
  int decimals = 0;  // the most decimals of a value that was rejected for having too many
};

// The parameters of reading a board.
struct ReadContext {
  const Spec* spec = nullptr;         // of the target
  std::optional<std::string> period;  // --period
  Stamp now = 0;
  Rejects* rejects = nullptr;
  Reporter* reporter = nullptr;
  bool checks = true;  // false: values and times are not checked
};

// Used by one thread.
class BoardSource {
 public:
  virtual ~BoardSource() = default;

  // Lists the boards of the source. ERR if there is none.
  virtual Result<std::vector<SourceBoard>> List() = 0;
  // Reads all rows of a board into a new draft. Bad rows go to the rejects.
  virtual Result<SourceDraft> Read(const SourceBoard& board, const ReadContext& context) = 0;

  // Whether a board can be read again, to find changes.
  [[nodiscard]] virtual bool can_repeat() const = 0;
  // The options that are probably wrong if values or times make no sense, such as "--unit of
  // scaled-time".
  [[nodiscard]] virtual std::string suspects() const = 0;
  // The options that are probably wrong if only the values make no sense.
  [[nodiscard]] virtual std::string value_suspects() const { return suspects(); }
};

// Reads all rows of a reader into `read->draft`. Rows that the draft refuses, and rows with a time
// in the future, go to the rejects. `unit` is the unit of the reader's progress. `samples` receive
// the values of the first rows, one for each field; empty: none are taken.
Status FillDraft(RowReader* reader, ProgressUnit unit, const ReadContext& context,
                 SourceDraft* read, std::span<PackedScores> samples = {});

// Checks ------------------------------------------------------------------------------------------
//
// They check the data that an import has read before anything is written. A wrong codec or
// parameter gives times of another century, or the same value for every member.

// Times before 2009 or more than a day ahead of now are more likely wrong than right.
inline constexpr Stamp kEarliestPlausible = 1'230'768'000'000'000;  // 2009-01-01
inline constexpr std::int64_t kPlausibleLeadUs = 86'400'000'000;

// With fewer rows, one value or time for all is plausible.
inline constexpr std::uint64_t kLeastEqualRows = 20;

// ERR if the times are implausible, if all of many values are equal, or if all of many times are
// equal. The message names what is probably wrong, from the source.
Status CheckPlausible(const SourceDraft& read, const Draft::Report& report, Stamp now,
                      const BoardSource& source);

// Returns advice about values that were rejected for their decimals; empty if there are none.
// `has_codecs`: the source accepts --codec.
std::string DecimalsHint(const SourceDraft& read, bool has_codecs);

}  // namespace laurel::transfer
