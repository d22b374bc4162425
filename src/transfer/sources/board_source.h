// BoardSource: the source of an import: sorted sets of Redis (redis_source.h), a file
// (file_source.h), or an archive (archive_source.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

}  // namespace laurel::transfer
