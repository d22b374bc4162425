// BoardSource: what an import reads: sorted sets of Redis (redis_source.h), a file (file_source.h),
// an archive (archive_source.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "transfer/draft.h"
#include "transfer/packed_scores.h"
#include "transfer/rejects.h"
#include "transfer/reporter.h"
#include "transfer/row.h"
#include "transfer/row_reader.h"

namespace laurel::transfer {

// A board of a source.
struct SourceBoard {
  std::string name;          // in the source: a key, a board of an archive, the path of a file
  std::string board;         // on the target
  std::optional<Spec> spec;  // if the source has one
  BoardTimes times{};        // if the source has them
};

// What is read of it.
struct SourceDraft {
  std::unique_ptr<Draft> draft;  // not finished
  // Of all rows with a time of their own, rejected ones too.
  std::optional<Stamp> earliest;
  std::optional<Stamp> latest;
  bool has_times = true;      // false: the source knows no times, and the draft has made-up ones
  std::int64_t tick_us = 1;   // of the draft
  std::uint64_t inexact = 0;  // rows whose encoding holds more than one value or time
  std::int64_t max_at_error_us = 0;  // how far the times of these may be off
  int decimals = 0;  // the most of a value that was rejected because its field has fewer
};

// What a read needs besides the board.
struct ReadContext {
  const Spec* spec = nullptr;         // of the target
  std::optional<std::string> period;  // --period
  Stamp now = 0;
  Rejects* rejects = nullptr;
  Reporter* reporter = nullptr;
  const std::atomic<bool>* stop = nullptr;  // set to end the reading with an error; may be null
  bool checks = true;                       // false: values and times are taken as they are
};

// Used by one thread.
class BoardSource {
 public:
  virtual ~BoardSource() = default;

  // The boards of the source. ERR if there is none.
  virtual Result<std::vector<SourceBoard>> List() = 0;
  // Reads all rows of a board into a new draft. Bad rows go to the rejects.
  virtual Result<SourceDraft> Read(const SourceBoard& board, const ReadContext& context) = 0;

  // Whether a board can be read again, to see what has changed meanwhile.
  [[nodiscard]] virtual bool can_repeat() const = 0;
  // What a user may have to change if values or times make no sense: "--unit of scaled-time".
  [[nodiscard]] virtual std::string suspects() const = 0;
  // The same if only the values make no sense.
  [[nodiscard]] virtual std::string value_suspects() const { return suspects(); }
};

// Reads all rows of a reader into `read->draft`. Rows that the draft refuses, and rows of the
// future, which no board takes, go to the rejects. `unit` is what the reader's progress counts.
// `samples` takes the values of the first rows whose time the source does not know; it may be null.
Status FillDraft(RowReader* reader, ProgressUnit unit, const ReadContext& context,
                 SourceDraft* read, PackedScores* samples = nullptr);

}  // namespace laurel::transfer
