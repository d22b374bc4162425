#include "storage/segment_walk.h"

#include <algorithm>

#include "base/assert.h"

namespace laurel::storage {

SegmentWalk::SegmentWalk(const FileHeader& header, std::string_view bytes)
    : format_(FileKind::kLog, header.history),
      bytes_(bytes),
      next_(header.first),
      extent_(header.filled) {}

std::optional<Frame> SegmentWalk::FrameAt(std::size_t offset) const {
  if (offset > bytes_.size()) return std::nullopt;
  const std::string_view rest = bytes_.substr(offset);
  const std::optional<Frame> claimed = format_.ParseHeader(rest);
  // Implausible headers are rejected first: it would cost too much to compute a checksum at every
  // place that looks like a frame.
  const std::uint64_t highest = next_ + bytes_.size() / kFrameHeaderBytes;
  if (!claimed || claimed->number > highest) return std::nullopt;
  const std::uint64_t lowest = claimed->Has(kSyncMark) ? next_ - 1 : next_;
  if (claimed->number < lowest || claimed->synced > claimed->number) return std::nullopt;
  return format_.Parse(rest);
}

std::optional<Frame> SegmentWalk::Next() {
  for (;;) {
    const std::optional<Frame> frame = FrameAt(offset_);
    if (!frame) {
      const std::optional<FoundRecord> behind = FindRecordAfter();
      if (!behind || behind->number != next_) return std::nullopt;
      offset_ = behind->offset;
      continue;
    }
    const bool is_sync_mark = frame->Has(kSyncMark);
    if (frame->number != (is_sync_mark ? next_ - 1 : next_)) return std::nullopt;
    synced_ = std::max(synced_, frame->synced);
    ended_ = is_sync_mark && frame->Has(kEnds);
    if (ended_) followed_ = frame->Has(kFollowed);
    offset_ += frame->bytes();
    if (is_sync_mark) {
      extent_ = std::max(extent_, SyncMarkExtent(*frame));
      continue;
    }
    ++next_;
    return frame;
  }
}

std::optional<SegmentWalk::FoundRecord> SegmentWalk::FindRecordAfter() const {
  for (std::size_t at = format_.FindStart(bytes_, offset_); at != std::string_view::npos;
       at = format_.FindStart(bytes_, at + kFrameAlignment)) {
    const std::optional<Frame> frame = FrameAt(at);
    if (frame && !frame->Has(kSyncMark)) return FoundRecord{at, frame->number};
  }
  return std::nullopt;
}

void SegmentWalk::ContinueAt(const FoundRecord& place) {
  LAUREL_ASSERT(place.offset >= offset_ && place.offset % kFrameAlignment == 0);
  LAUREL_ASSERT(place.number >= next_);
  offset_ = place.offset;
  next_ = place.number;
}

std::uint64_t SegmentWalk::HighestSyncedAfter() const {
  std::uint64_t synced = 0;
  for (std::size_t at = format_.FindStart(bytes_, offset_); at != std::string_view::npos;
       at = format_.FindStart(bytes_, at + kFrameAlignment)) {
    const std::optional<Frame> frame = FrameAt(at);
    if (frame) synced = std::max(synced, frame->synced);
  }
  return synced;
}

std::size_t SegmentWalk::Content() const {
  std::size_t content = bytes_.size();
  while (content > offset_ && bytes_[content - 1] == '\0') --content;
  return content;
}

}  // namespace laurel::storage
