// The records of a segment whose bytes are in memory, in order. Takes in what the marks between
// them say, and can go on behind what is not whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "storage/format.h"

namespace laurel::storage {

class SegmentWalk {
 public:
  struct Place {
    std::size_t offset = 0;
    std::uint64_t number = 0;
  };

  // `bytes` is the whole file and outlives the walk.
  SegmentWalk(const FileHeader& header, std::string_view bytes);

  // The record next(), if it stands at offset() and is whole. A mark that is not whole loses
  // nothing: the record behind it is found all the same.
  std::optional<Frame> Next();
  // Where the next frame would begin, and the record that is expected there.
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::uint64_t next() const { return next_; }

  // The first whole record behind offset() with a number from next() on.
  [[nodiscard]] std::optional<Place> FindBehind() const;
  // REQUIRES: from FindBehind.
  void GoOnAt(const Place& place);

  // What was on disk, as far as the header and the frames that were passed say.
  [[nodiscard]] std::uint64_t synced() const { return synced_; }  // records
  [[nodiscard]] std::uint64_t extent() const { return extent_; }  // bytes of the file
  // The last frame was a mark with kEnds; the last mark with kEnds had kFollowed too.
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] bool followed() const { return followed_; }
  // The highest record that a whole frame behind offset() says was on disk; 0: none says so.
  [[nodiscard]] std::uint64_t SyncedBehind() const;
  // Whether the file is shorter than it once was on disk, without a last mark at its end.
  [[nodiscard]] bool IsCutShort() const { return !ended_ && extent_ > bytes_.size(); }
  // Behind the last byte that is not zero.
  [[nodiscard]] std::size_t Content() const;

 private:
  // A whole frame at `offset` that can stand there: a record from next() on, or a mark behind one.
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
