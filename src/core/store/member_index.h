// The index from members to cells: an extendible hash table.
//
//   directory   one slot per hash prefix ──► segment: 1 to 120 buckets, 8 to a chunk
//   bucket      12 tags, 1 byte each | count of entries that overflowed | 12 handles, 4 bytes each
//
// The top bits of a hash select the segment, the bits below them the bucket within it (as a
// fraction of the segment's range, so any number of buckets works), and the lowest byte is the tag.
// A bucket is one cache line; a full bucket overflows into the next. A look-up touches one bucket
// and one cell in nearly all cases. A segment that is 90 % full grows by one or two chunks; at its
// full size it splits in two. Only splits, and merges of small segments, change the directory. So
// no write rehashes more than one segment, 1,300 entries. (The directory itself doubles by copying
// 4 bytes per segment.)
//
// Bytes per entry: 64 / 12 / load; the load stays between 0.75 and 0.90 while a large index grows:
// about 6.4. All chunks have the same size, so the chunks that a segment frees fit any other
// segment.
//
// Within a segment, home buckets rise with the hash. So the hash itself serves as a cursor: Scan()
// visits entries by rising home bucket, and neither growth nor splits make it miss or repeat one.
//
// Invariants:
//  1. An entry is in its home bucket or, if that was full at the insert, in the next bucket that
//     had room; bucket i's overflow counts the entries that passed i.
//  2. A tag of 0 marks a free slot.
//  3. Slots [p << (depth - d), (p + 1) << (depth - d)) of the directory hold the same segment of
//     local depth d and prefix p.
//
// Rejected: an open-addressing table that doubles (half empty after each doubling, and one insert
// pays for all); tags and handles in separate arrays (two cache misses per look-up); one block per
// segment (of twenty sizes, whose slab pages stay half empty because all segments grow in step: 2.5
// bytes per entry).
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/store/cell_store.h"
#include "core/store/member.h"
#include "core/store/slab.h"

namespace laurel::core {

class MemberIndex {
 public:
  static constexpr unsigned kMaxBuckets = 120;

  // `cells` and `nodes` outlive the index. `max_buckets` is the most buckets of a segment; tests
  // use fewer.
  MemberIndex(const CellStore* cells, Slab<64>* nodes, PagePool* pool,
              unsigned max_buckets = kMaxBuckets);

  [[nodiscard]] std::size_t size() const { return size_; }

  // Returns the member's cell, or kNoHandle if the member is absent.
  [[nodiscard]] Handle Find(const MemberKey& member, std::uint64_t hash) const;
  // `hash` is the hash of the cell's member. REQUIRES: the member is absent.
  void Insert(Handle handle, std::uint64_t hash);
  // Inserts the cell and returns kNoHandle, unless its member is present: then returns the cell
  // that is there.
  [[nodiscard]] Handle InsertIfAbsent(Handle handle, std::uint64_t hash);
  // Allocates segments for `count` entries at once. Growing step by step would read the cells of a
  // segment again at each step. REQUIRES: the index is empty and was never written to.
  void Reserve(std::size_t count);
  // REQUIRES: the cell is in the index.
  void Erase(Handle handle, std::uint64_t hash);
  // False if the cell is not in the index.
  bool EraseIfPresent(Handle handle, std::uint64_t hash);
  // Replaces the handle of a cell that moved. REQUIRES: `from` is in the index; both have the same
  // member.
  void Replace(Handle from, Handle to, std::uint64_t hash);

  // Prefetches the home bucket of a hash for Find.
  void Prefetch(std::uint64_t hash) const;
  // The first handle in the hash's home bucket with a matching tag: very likely what Find returns.
  // Used to prefetch its cell.
  [[nodiscard]] Handle Guess(std::uint64_t hash) const;

  // Calls visit(handle, hash) for all entries whose hash is at or above `from` and has the same
  // home bucket as `from`. Returns the hash to continue with; 0 at the end.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t from, const Visit& visit) const;

  [[nodiscard]] std::size_t MemoryUsage() const {  // without the chunks, which belong to `nodes`
    return (directory_.capacity() + free_segments_.capacity()) * sizeof(std::uint32_t) +
           segments_.capacity() * sizeof(Segment);
  }
  // An empty string, or a description of a broken invariant.
  [[nodiscard]] std::string Validate() const;

 private:
  static constexpr unsigned kSlots = 12;
  static constexpr unsigned kChunkBuckets = 8;

  struct alignas(64) Bucket {
    std::array<std::uint8_t, kSlots> tags;
    std::uint16_t overflow;  // entries that passed this bucket because it was full
    std::uint8_t unused[2];
    std::array<Handle, kSlots> handles;
  };
  static_assert(sizeof(Bucket) == 64);
  // All entries of a segment may pass one bucket: when a client inserts members in the order in
  // which a scan gave them, their hashes lie close together, and many of them have the same home.
  static_assert(kMaxBuckets * kSlots <= UINT16_MAX);
  static_assert(kMaxBuckets % kChunkBuckets == 0 && kMaxBuckets <= UINT8_MAX);
  static_assert(kMaxBuckets * kSlots * 9 / 10 <= 1300, "entries that one write may rehash");

  struct alignas(64) Segment {
    std::uint16_t count = 0;
    std::uint8_t buckets = 0;  // 0: not in use
    std::uint8_t depth = 0;
    std::array<Handle, kMaxBuckets / kChunkBuckets> chunks{};
  };
  static_assert(sizeof(Segment) == 64, "one cache line");

  using Entries = std::vector<std::pair<Handle, std::uint64_t>>;  // with hashes

  struct FoundSlot {
    Bucket* bucket = nullptr;
    unsigned slot = 0;
    unsigned passed = 0;  // buckets between home and here
  };

  static std::uint8_t TagOf(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash);
    return tag == 0 ? 1 : tag;
  }
  // The first handle with the hash's tag, from its home bucket on, for which is_it(handle) is true;
  // kNoHandle if there is none.
  template <typename IsIt>
  [[nodiscard]] Handle FindIf(std::uint64_t hash, const IsIt& is_it) const;
  // A mask: bit i is set if slot i has this tag.
  static unsigned Matches(const Bucket& bucket, std::uint8_t tag);

  [[nodiscard]] std::size_t DirectorySlot(std::uint64_t hash) const {
    return depth_ == 0 ? 0 : hash >> (64 - depth_);
  }
  [[nodiscard]] const Segment& SegmentFor(std::uint64_t hash) const {
    return segments_[directory_[DirectorySlot(hash)]];
  }
  [[nodiscard]] Bucket& BucketAt(const Segment& segment, unsigned bucket) const {
    char* chunk = nodes_->At(segment.chunks[bucket / kChunkBuckets]);
    return reinterpret_cast<Bucket*>(chunk)[bucket % kChunkBuckets];
  }
  static unsigned NextBucket(const Segment& segment, unsigned bucket) {
    return bucket + 1 == segment.buckets ? 0 : bucket + 1;
  }
  // The position of the hash within the segment's range, as a 32-bit fraction.
  static std::uint64_t Fraction(const Segment& segment, std::uint64_t hash) {
    return (hash << segment.depth) >> 32;
  }
  static unsigned HomeOf(const Segment& segment, std::uint64_t hash) {
    return static_cast<unsigned>((Fraction(segment, hash) * segment.buckets) >> 32);
  }

  [[nodiscard]] unsigned Capacity(unsigned buckets) const { return buckets * kSlots * 9 / 10; }
  // The number of buckets of which `count` entries fill about 80 %, at most max_buckets_.
  [[nodiscard]] unsigned BucketsFor(std::size_t count) const;
  // Gives the segment `buckets` empty buckets. REQUIRES: it has none.
  void Allocate(Segment* segment, unsigned buckets, unsigned depth);
  std::uint32_t NewSegment(unsigned buckets, unsigned depth);
  void FreeSegment(std::uint32_t id);
  void FreeChunks(Segment* segment);
  void Put(Segment* segment, Handle handle, std::uint64_t hash);
  // The result has a null bucket if the handle is not in the segment.
  [[nodiscard]] FoundSlot Locate(const Segment& segment, Handle handle, std::uint64_t hash) const;
  void Resize(Segment* segment, unsigned buckets);
  void Split(std::size_t slot);
  void Shrink(std::size_t slot);
  bool MergeWithBuddy(std::size_t slot);
  void HalveDirectory();
  // Writes the segment into all directory slots that its prefix covers.
  void SetDirectorySlots(std::size_t slot, std::uint32_t id);
  void Collect(const Segment& segment, Entries* entries) const;
  [[nodiscard]] std::string ValidateSegment(std::size_t slot) const;

  const CellStore* cells_;
  Slab<64>* nodes_;
  unsigned max_buckets_;
  unsigned depth_ = 0;  // of the directory, which has 2^depth slots
  std::size_t size_ = 0;
  std::pmr::vector<std::uint32_t> directory_;  // indexes into segments_
  std::pmr::vector<Segment> segments_;
  std::pmr::vector<std::uint32_t> free_segments_;
  std::array<std::uint32_t, 65> segments_at_depth_{};
};

template <typename Visit>
std::uint64_t MemberIndex::Scan(std::uint64_t from, const Visit& visit) const {
  const Segment& segment = SegmentFor(from);
  const unsigned home = HomeOf(segment, from);
  unsigned at = home;
  do {
    const Bucket& bucket = BucketAt(segment, at);
    for (unsigned i = 0; i < kSlots; ++i) {
      if (bucket.tags[i] == 0) continue;
      const std::uint64_t hash = cells_->HashOf(bucket.handles[i]);
      if (hash >= from && HomeOf(segment, hash) == home) visit(bucket.handles[i], hash);
    }
    if (bucket.overflow == 0) break;
    at = NextBucket(segment, at);
  } while (at != home);

  // Continue at the lowest hash whose home is the next bucket: the least fraction that maps there.
  const std::uint64_t prefix_start =
      segment.depth == 0 ? 0 : (from >> (64 - segment.depth)) << (64 - segment.depth);
  if (home + 1 < segment.buckets) {
    const std::uint64_t fraction =
        ((std::uint64_t{home + 1} << 32) + segment.buckets - 1) / segment.buckets;
    return prefix_start + ((fraction << 32) >> segment.depth);
  }
  return segment.depth == 0 ? 0 : prefix_start + (std::uint64_t{1} << (64 - segment.depth));
}

}  // namespace laurel::core
