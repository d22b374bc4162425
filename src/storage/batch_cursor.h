// The batches of a segment, one after the other, read from its file in pieces; the marks between
// them are skipped. The file may be written to meanwhile: nothing behind the last record that is
// asked for is looked at.
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

// A whole batch. The payload is valid until the cursor is asked again.
struct BatchView {
  std::uint64_t offset = 0;  // where its first record begins
  std::uint64_t end = 0;     // behind its last one
  std::uint64_t first = 0;   // number of its first record
  std::uint64_t number = 0;  // of its last, which is the batch's
  std::string_view payload;
};

class BatchCursor {
 public:
  enum class Found : std::uint8_t {
    kBatch,
    kEnd,     // the next batch has a record behind `last`
    kBroken,  // a record through `last` is not whole
  };

  // Begins with record `first`, a batch's first, at `offset` or behind the marks there. No byte
  // from `stop` on is read.
  BatchCursor(base::File* file, std::uint64_t history, std::uint64_t offset, std::uint64_t first,
              std::uint64_t stop, std::size_t piece_bytes);

  // The next batch, of those that end at record `last` or before it.
  Result<Found> Next(std::uint64_t last, BatchView* batch);

 private:
  // Has `bytes` from `offset` on in the buffer, or as many as there are.
  Result<std::string_view> Fetch(std::uint64_t offset, std::size_t bytes);
  // The frame at `offset`, of record `number` or a mark; none if it is not whole.
  Result<std::optional<Frame>> FrameAt(std::uint64_t offset, std::uint64_t number);

  // Where no whole frame is at *offset: record `number` behind marks that are not whole, which lose
  // nothing (segment_walk.h). Moves *offset there; none if there is no such record.
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
