// RowCells: the cells of a RowTable, in chunks of 2 MiB. The first one is smaller, for the many
// small boards of one import. row_table.h has the drawing.
//
// A cell is written once and never moved. What can change in place does: time, info and words. An
// entry that gets other meta gets another cell, and its old one is dead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/memory.h"
#include "core/store/score_key.h"
#include "laurel/limits.h"
#include "laurel/stamp.h"

namespace laurel::transfer {

// The place of a cell in units of 8 bytes: 32 GiB of cells.
using Handle = std::uint32_t;
inline constexpr Handle kNoCell = 0;

// The time of a row without one: later than every other.
inline constexpr Stamp kUntimed = INT64_MAX;

// What a cell holds.
struct Cell {
  Stamp time = 0;
  std::uint64_t sequence = 0;  // of the row that the entry comes from
  bool hidden = false;
  std::uint16_t instance = 0;
  std::string_view member;
  std::string_view meta;
  Stamp meta_time = 0;  // of the row that the meta comes from; kept only if asked for
};

class RowCells {
 public:
  // `words`: fields of the board. `instances`: whether cells have an instance. `meta_times`:
  // whether the time of the meta is kept.
  RowCells(unsigned words, bool instances, bool meta_times)
      : words_(words), instances_(instances), meta_times_(meta_times) {}
  ~RowCells();
  RowCells(const RowCells&) = delete;
  RowCells& operator=(const RowCells&) = delete;

  // Stores a cell. Returns kNoCell if there is no room left. REQUIRES: the lengths of member and
  // meta are within their limits; cell.sequence < kMaxSequence.
  [[nodiscard]] Handle Create(const Cell& cell, const core::Words& words);
  // Marks a cell as dead: ForEach leaves it out.
  void Kill(Handle handle) { SetInfo(handle, InfoOf(handle) | kDead); }

  void Prefetch(Handle handle) const { __builtin_prefetch(At(handle)); }
  [[nodiscard]] Stamp TimeOf(Handle handle) const { return Load<Stamp>(At(handle)); }
  void SetTime(Handle handle, Stamp time) { std::memcpy(At(handle), &time, sizeof(time)); }
  [[nodiscard]] std::uint64_t SequenceOf(Handle handle) const {
    return InfoOf(handle) >> kSequenceShift;
  }
  void SetSequence(Handle handle, std::uint64_t sequence) {
    const std::uint64_t rest = InfoOf(handle) & ((std::uint64_t{1} << kSequenceShift) - 1);
    SetInfo(handle, sequence << kSequenceShift | rest);
  }
  [[nodiscard]] bool IsHidden(Handle handle) const { return (InfoOf(handle) & kHidden) != 0; }
  void Hide(Handle handle) { SetInfo(handle, InfoOf(handle) | kHidden); }
  [[nodiscard]] std::uint64_t WordOf(Handle handle, unsigned i) const {
    return Load<std::uint64_t>(At(handle) + kHeadBytes + i * sizeof(std::uint64_t));
  }
  [[nodiscard]] core::Words WordsOf(Handle handle) const {
    core::Words words{};
    std::memcpy(words.data(), At(handle) + kHeadBytes, words_ * sizeof(std::uint64_t));
    return words;
  }
  void SetWords(Handle handle, const core::Words& words) {
    std::memcpy(At(handle) + kHeadBytes, words.data(), words_ * sizeof(std::uint64_t));
  }
  // Whether two cells have the same words, that is, the same score.
  [[nodiscard]] bool SameWords(Handle a, Handle b) const {
    return std::memcmp(At(a) + kHeadBytes, At(b) + kHeadBytes, words_ * sizeof(std::uint64_t)) == 0;
  }
  [[nodiscard]] std::uint16_t InstanceOf(Handle handle) const {
    return instances_ ? Load<std::uint16_t>(At(handle) + kHeadBytes + WordBytes()) : 0;
  }
  [[nodiscard]] std::string_view MemberOf(Handle handle) const {
    return {At(handle) + MemberOffset(), MemberBytes(InfoOf(handle))};
  }
  [[nodiscard]] std::string_view MetaOf(Handle handle) const {
    const std::uint64_t info = InfoOf(handle);
    const char* end = At(handle) + MemberOffset() + MemberBytes(info);
    return {end + MetaTimeBytes(MetaBytes(info)), MetaBytes(info)};
  }
  // REQUIRES: meta times are kept, and the cell has meta.
  [[nodiscard]] Stamp MetaTimeOf(Handle handle) const {
    return Load<Stamp>(At(handle) + MemberOffset() + MemberBytes(InfoOf(handle)));
  }
  [[nodiscard]] Cell Read(Handle handle) const;

  // Calls visit(handle) for every cell that is not dead, in the order in which they were created.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    Handle at = kFirst;
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
      const bool is_last = chunk + 1 == chunks_.size();
      const Handle end = is_last ? next_ : ends_[chunk];
      while (at < end) {
        const std::uint64_t info = InfoOf(at);
        if ((info & kDead) == 0) visit(at);
        at += static_cast<Handle>(UnitsOf(info));
      }
      at = static_cast<Handle>((chunk + 1) << kChunkShift);
    }
  }

  [[nodiscard]] std::size_t MemoryUsage() const {
    return chunks_.empty() ? 0
                           : kFirstChunkBytes + (chunks_.size() - 1) * kChunkBytes +
                                 ends_.capacity() * sizeof(Handle);
  }

  // info: sequence 36 bits, length of the member 11, of the meta 13, hidden, dead.
  static constexpr std::uint64_t kMaxSequence = std::uint64_t{1} << 36;

 private:
  static constexpr std::uint64_t kDead = 1;
  static constexpr std::uint64_t kHidden = 2;
  static constexpr unsigned kMetaShift = 4;
  static constexpr unsigned kMetaBits = 13;
  static constexpr unsigned kMemberShift = kMetaShift + kMetaBits;
  static constexpr unsigned kMemberBits = 11;
  static constexpr unsigned kSequenceShift = kMemberShift + kMemberBits;
  static_assert(kSequenceShift + 36 == 64);
  static_assert(kMaxMemberBytes < std::size_t{1} << kMemberBits);
  static_assert(kMaxMetaBytes < std::size_t{1} << kMetaBits);

  static constexpr std::size_t kUnitBytes = 8;
  static constexpr std::size_t kChunkBytes = base::kHugePageBytes;
  static constexpr std::size_t kFirstChunkBytes = std::size_t{64} << 10;
  static constexpr unsigned kChunkShift = 18;  // units of a chunk, as a power of two
  static_assert(kChunkBytes / kUnitBytes == std::size_t{1} << kChunkShift);
  // One less than handles could reach: the end of the last chunk is a handle, too.
  static constexpr std::size_t kMaxChunks = (std::size_t{1} << (32 - kChunkShift)) - 1;
  static constexpr std::size_t kHeadBytes = 2 * sizeof(std::uint64_t);
  static constexpr Handle kFirst = 1;  // 0 is kNoCell
  static_assert(kHeadBytes + (kMaxFields + 1) * 8 + 2 + kMaxMemberBytes + kMaxMetaBytes <
                kFirstChunkBytes - kUnitBytes);

  struct ChunkSize {
    std::size_t bytes;
    std::size_t alignment;
  };
  static ChunkSize SizeOf(std::size_t chunk) {
    if (chunk == 0) return {kFirstChunkBytes, kUnitBytes};
    return {kChunkBytes, base::kHugePageBytes};
  }
  template <typename T>
  static T Load(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof(value));
    return value;
  }
  static std::size_t MemberBytes(std::uint64_t info) {
    return info >> kMemberShift & ((std::uint64_t{1} << kMemberBits) - 1);
  }
  static std::size_t MetaBytes(std::uint64_t info) {
    return info >> kMetaShift & ((std::uint64_t{1} << kMetaBits) - 1);
  }
  [[nodiscard]] std::size_t WordBytes() const { return words_ * sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t MemberOffset() const {
    return kHeadBytes + WordBytes() + (instances_ ? sizeof(std::uint16_t) : 0);
  }
  [[nodiscard]] std::size_t MetaTimeBytes(std::size_t meta) const {
    return meta_times_ && meta > 0 ? sizeof(Stamp) : 0;
  }
  [[nodiscard]] std::size_t UnitsOf(std::uint64_t info) const {
    const std::size_t meta = MetaBytes(info);
    const std::size_t bytes = MemberOffset() + MemberBytes(info) + MetaTimeBytes(meta) + meta;
    return (bytes + kUnitBytes - 1) / kUnitBytes;
  }
  [[nodiscard]] char* At(Handle handle) const {
    return chunks_[handle >> kChunkShift] +
           (handle & ((Handle{1} << kChunkShift) - 1)) * kUnitBytes;
  }
  [[nodiscard]] std::uint64_t InfoOf(Handle handle) const {
    return Load<std::uint64_t>(At(handle) + sizeof(Stamp));
  }
  void SetInfo(Handle handle, std::uint64_t info) {
    std::memcpy(At(handle) + sizeof(Stamp), &info, sizeof(info));
  }

  const unsigned words_;
  const bool instances_;
  const bool meta_times_;
  std::vector<char*> chunks_;
  std::vector<Handle> ends_;  // of all chunks but the last
  Handle next_ = kFirst;
};

}  // namespace laurel::transfer
