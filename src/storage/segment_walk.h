// Walks through the records of a segment in memory, in order. Evaluates the sync marks between
// them, and can continue after damaged frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "storage/format.h"

namespace laurel::storage {

class SegmentWalk {
 public:
  struct FoundRecord {
    std::size_t offset = 0;
    std::uint64_t number = 0;
  };

  // `bytes` is the whole file and must outlive the walk.
  SegmentWalk(const FileHeader& header, std::string_view bytes);

  // Returns record next() if it stands at offset() and is whole. Also finds it after a damaged sync
  // mark, which holds no record.
  std::optional<Frame> Next();
  // Where the next frame would begin, and the number of the record expected there.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::uint64_t next() const { return next_; }

  // Finds the first whole record at or after offset() with a number from next() on.
  [[nodiscard]] std::optional<FoundRecord> FindRecordAfter() const;
  // Continues at `place`. REQUIRES: `place` comes from FindRecordAfter.
  void ContinueAt(const FoundRecord& place);

  // The header and the frames passed so far tell what was on disk.
  [[nodiscard]] std::uint64_t synced() const { return synced_; }  // the last record
  [[nodiscard]] std::uint64_t extent() const { return extent_; }  // bytes of the file
  // ended: the last frame passed was a sync mark with kEnds. followed: the last sync mark with
  // kEnds had kFollowed too.
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool followed() const { return followed_; }
  // Returns the highest `synced` of the whole frames at or after offset(), or 0 if there are none.
  [[nodiscard]] std::uint64_t HighestSyncedAfter() const;
  // Whether the file is shorter than it once was on disk and does not end with a final sync mark.
  [[nodiscard]] bool IsCutShort() const { return !ended_ && extent_ > bytes_.size(); }
  // Returns the offset after the last byte that is not zero, at least offset().
  [[nodiscard]] std::size_t Content() const;

 private:
  // Returns the whole frame at `offset` if it can stand there: a record from next() on, or a sync
  // mark from number next() - 1 on.
  [[nodiscard]] std::optional<Frame> FrameAt(std::size_t offset) const;

  const FrameFormat format_;
  const std::string_view bytes_;
  std::size_t offset_ = kFileHeaderBytes;
  std::uint64_t next_;
  std::uint64_t synced_ = 0;
  std::uint64_t extent_;
  bool ended_ = false;
  bool followed_ = false;
};

}  // namespace laurel::storage
