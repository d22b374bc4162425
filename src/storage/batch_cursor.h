// Reads the batches of a segment in order, from its file in pieces, and skips the sync marks
// between them. The file may be appended to meanwhile: the cursor evaluates nothing after the last
// record that is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/format.h"

namespace laurel::storage {

// A whole batch. The payload is valid until the next call of the cursor.
struct BatchView {
  std::uint64_t offset = 0;  // where its first record begins
  std::uint64_t end = 0;     // after its last record
  std::uint64_t first = 0;   // number of its first record
  std::uint64_t number = 0;  // of its last record, which is the number of the batch
  std::string_view payload;
};

class BatchCursor {
 public:
  enum class Found : std::uint8_t {
    kBatch,
    kEnd,     // the next batch has a record after `last`
    kBroken,  // a record up to `last` is not whole
  };

  // Begins with record `first`, the first of a batch, at `offset` or after the sync marks there.
  // Reads no byte from `stop` on. `file` must outlive the cursor.
  BatchCursor(base::File* file, std::uint64_t history, std::uint64_t offset, std::uint64_t first,
              std::uint64_t stop, std::size_t piece_bytes);

  // Finds the next batch, if it ends at record `last` or before.
  Result<Found> Next(std::uint64_t last, BatchView* batch);

 private:
  // Returns at least `bytes` bytes from `offset` on, or as many as there are.
  Result<std::string_view> Fetch(std::uint64_t offset, std::size_t bytes);
  // Returns the frame at `offset`, record `number` or a sync mark, or nothing if it is not whole.
  Result<std::optional<Frame>> FrameAt(std::uint64_t offset, std::uint64_t number);

  // For a place *offset without a whole frame: finds record `number` after damaged sync marks,
  // which hold no record (segment_walk.h), and moves *offset there. Returns nothing if there is no
  // such record.
  Result<std::optional<Frame>> RecordAfterSyncMarks(std::uint64_t* offset, std::uint64_t number);

  base::File* file_;
  const FrameFormat format_;
  std::uint64_t offset_;
  std::uint64_t number_;
  const std::uint64_t stop_;
  const std::size_t piece_bytes_;
  std::string buffer_;
  std::uint64_t buffer_at_ = 0;
  std::string joined_;  // the payload of a batch of several records
};

}  // namespace laurel::storage
