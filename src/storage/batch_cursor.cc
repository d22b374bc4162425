#include "storage/batch_cursor.h"

#include <algorithm>

namespace laurel::storage {
namespace {

// At most: one that a quiet log wrote, and one with the write that follows.
constexpr std::size_t kConsecutiveSyncMarks = 2;

}  // namespace

BatchCursor::BatchCursor(base::File* file, std::uint64_t history, std::uint64_t offset,
                         std::uint64_t first, std::uint64_t stop, std::size_t piece_bytes)
    : file_(file),
      format_(FileKind::kLog, history),
      offset_(offset),
      number_(first),
      stop_(stop),
      piece_bytes_(piece_bytes) {}

Result<BatchCursor::Found> BatchCursor::Next(std::uint64_t last, BatchView* batch) {
  std::uint64_t offset = offset_;
  std::uint64_t number = number_;
  joined_.clear();
  for (;;) {
    if (number > last) return Found::kEnd;
    Result<std::optional<Frame>> read = FrameAt(offset, number);
    if (read.ok() && !*read && number == number_) {
      read = RecordAfterSyncMarks(&offset, number);
      offset_ = offset;
    }
    if (!read.ok()) return read.error();
    if (!*read) return Found::kBroken;
    const Frame& frame = **read;
    if (frame.Has(kSyncMark)) {
      if (number != number_) return Found::kBroken;  // a sync mark inside a batch
      offset_ = offset += frame.bytes();
      continue;
    }
    const bool continues = frame.Has(kContinues);
    const bool is_one_record = number == number_ && !continues;
    if (!is_one_record) joined_.append(frame.payload);
    offset += frame.bytes();
    ++number;
    if (continues) continue;
    *batch = {offset_, offset, number_, frame.number,
              is_one_record ? frame.payload : std::string_view(joined_)};
    offset_ = offset;
    number_ = number;
    return Found::kBatch;
  }
}

Result<std::optional<Frame>> BatchCursor::FrameAt(std::uint64_t offset, std::uint64_t number) {
  Result<std::string_view> bytes = Fetch(offset, kFrameHeaderBytes);
  if (!bytes.ok()) return bytes.error();
  const std::size_t claimed = format_.ClaimedBytes(*bytes);
  if (claimed > bytes->size()) {
    bytes = Fetch(offset, claimed);
    if (!bytes.ok()) return bytes.error();
  }
  std::optional<Frame> frame = format_.Parse(*bytes);
  if (frame && !frame->Has(kSyncMark) && frame->number != number) frame.reset();
  return frame;
}

Result<std::optional<Frame>> BatchCursor::RecordAfterSyncMarks(std::uint64_t* offset,
                                                               std::uint64_t number) {
  for (std::size_t sync_marks = 1; sync_marks <= kConsecutiveSyncMarks; ++sync_marks) {
    const std::uint64_t behind = *offset + sync_marks * kSyncMarkBytes;
    Result<std::optional<Frame>> read = FrameAt(behind, number);
    if (read.ok() && (!*read || (*read)->Has(kSyncMark))) continue;
    if (read.ok()) *offset = behind;
    return read;
  }
  return std::optional<Frame>();
}

Result<std::string_view> BatchCursor::Fetch(std::uint64_t offset, std::size_t bytes) {
  const std::uint64_t buffered = buffer_at_ + buffer_.size();
  const bool have = offset >= buffer_at_ && offset + bytes <= buffered;
  if (!have) {
    const std::uint64_t room = stop_ - std::min(stop_, offset);
    buffer_.resize(std::min<std::uint64_t>(room, std::max(bytes, piece_bytes_)));
    buffer_at_ = offset;
    const Result<std::size_t> read = file_->ReadAt(offset, buffer_.data(), buffer_.size());
    if (!read.ok()) return read.error();
    buffer_.resize(*read);
  }
  return std::string_view(buffer_).substr(offset - buffer_at_);
}

}  // namespace laurel::storage
