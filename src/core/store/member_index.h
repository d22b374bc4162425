// From member to cell.
//
//   directory   one slot per hash prefix ──► segment: 1 to 120 buckets, 8 to a chunk
//   bucket      12 tags, 1 byte each | count of entries that overflowed | 12 handles, 4 bytes each
//
// The top bits of a hash choose the segment, the bits below them the bucket within it (as a
// fraction of the segment's range, so any number of buckets will do), the lowest byte is the tag. A
// bucket is one cache line; a full one overflows into the next. A look-up is one bucket and one
// cell in nearly all cases. A segment that is 90 % full grows by a chunk or two; at its full size
// it splits in two, and only then does the directory matter: nothing ever rehashes more than one
// segment, 1,300 entries. (The directory itself doubles by copying 4 bytes per segment.)
//
// Bytes per entry: 64 / 12 / load; the load stays between 0.75 and 0.90 while a large index grows:
// about 6.4. Chunks are all of one size: a segment that grows leaves no hole that nobody fits into.
//
// Within a segment, home buckets rise with the hash. So the hash itself is a cursor: Scan() visits
// entries by rising hash, and neither growth nor splits make it miss or repeat one.
//
// Invariants:
//  1. An entry stands in its home bucket or, if every bucket from there on was full when it came,
//     in the first that was not; bucket i's overflow counts the entries that passed i.
//  2. A tag of 0 is a free slot.
//  3. Slots [p << (depth - d), (p + 1) << (depth - d)) of the directory hold the same segment of
//     local depth d and prefix p.
//
// Rejected: an open-addressing table that doubles (half empty after each doubling, and one insert
// pays for all); tags and handles in separate arrays (two cache misses a look-up); segments in one
// block each (of twenty sizes, whose slab pages stay half empty as all segments grow in step: 2.5
// bytes per entry).
#pragma once

#include <array>
#include <cstdint>
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

  // `cells` and `nodes` outlive the index. `max_buckets`: of a segment; less for tests.
  MemberIndex(const CellStore* cells, Slab<64>* nodes, PagePool* pool,
              unsigned max_buckets = kMaxBuckets);

  [[nodiscard]] std::size_t size() const { return size_; }

  // kNoHandle if there is none.
  [[nodiscard]] Handle Find(const MemberKey& member, std::uint64_t hash) const;
  // REQUIRES: no entry with that member. `hash` is of the cell's member.
  void Insert(Handle handle, std::uint64_t hash);
  // Inserts it unless there is an entry with that member, which is returned.
  [[nodiscard]] Handle InsertIfAbsent(Handle handle, std::uint64_t hash);
  // Segments for so many entries at once: each step of growing would read all their cells again.
  // REQUIRES: the index is empty and was never written to.
  void Reserve(std::size_t count);
  // REQUIRES: it is there.
  void Erase(Handle handle, std::uint64_t hash);
  // False if it is not there.
  bool EraseIfPresent(Handle handle, std::uint64_t hash);
  // The cell has moved. REQUIRES: `from` is there.
  void Replace(Handle from, Handle to, std::uint64_t hash);

  // Fetches the bucket of a hash ahead of Find.
  void Prefetch(std::uint64_t hash) const;
  // The first handle in the hash's bucket whose tag fits: very likely the one Find will return.
  // For fetching its cell ahead.
  [[nodiscard]] Handle Guess(std::uint64_t hash) const;

  // Calls visit(handle, hash) for all entries whose hash is at or above `from` and in the same home
  // bucket as `from`, and returns the hash to go on with, 0 when there is nothing beyond.
  template <typename Visit>
  std::uint64_t Scan(std::uint64_t from, const Visit& visit) const;

  [[nodiscard]] std::size_t MemoryUsage() const {  // without the segments, which are nodes
    return (directory_.capacity() + free_segments_.capacity()) * sizeof(std::uint32_t) +
           segments_.capacity() * sizeof(Segment);
  }
  // An empty string, or what is broken.
  [[nodiscard]] std::string Validate() const;

 private:
  static constexpr unsigned kSlots = 12;
  static constexpr unsigned kChunkBuckets = 8;

  struct alignas(64) Bucket {
    std::array<std::uint8_t, kSlots> tags;
    std::uint8_t overflow;  // entries that passed this bucket because it was full
    std::uint8_t unused[3];
    std::array<Handle, kSlots> handles;
  };
  static_assert(sizeof(Bucket) == 64);

  struct alignas(64) Segment {
    std::uint16_t count = 0;
    std::uint8_t buckets = 0;  // 0: not in use
    std::uint8_t depth = 0;
    std::array<Handle, kMaxBuckets / kChunkBuckets> chunks{};
  };
  static_assert(sizeof(Segment) == 64, "one cache line");

  using Entries = std::vector<std::pair<Handle, std::uint64_t>>;  // with hashes

  struct Place {
    Bucket* bucket = nullptr;
    unsigned slot = 0;
    unsigned passed = 0;  // buckets between home and here
  };

  static std::uint8_t TagOf(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash);
    return tag == 0 ? 1 : tag;
  }
  // The first handle with the hash's tag, from its home bucket on, that satisfies is_it(handle).
  template <typename IsIt>
  [[nodiscard]] Handle FindIf(std::uint64_t hash, const IsIt& is_it) const;
  // Bit i: slot i has this tag.
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
  // The hash's place within the segment's range, as a 32-bit fraction.
  static std::uint64_t Fraction(const Segment& segment, std::uint64_t hash) {
    return (hash << segment.depth) >> 32;
  }
  static unsigned HomeOf(const Segment& segment, std::uint64_t hash) {
    return static_cast<unsigned>((Fraction(segment, hash) * segment.buckets) >> 32);
  }

  [[nodiscard]] unsigned Capacity(unsigned buckets) const { return buckets * kSlots * 9 / 10; }
  // About 80 % full with so many entries.
  [[nodiscard]] unsigned BucketsFor(std::size_t count) const;
  // Gives the segment so many empty buckets. REQUIRES: it has none.
  void Allocate(Segment* segment, unsigned buckets, unsigned depth);
  std::uint32_t NewSegment(unsigned buckets, unsigned depth);
  void FreeSegment(std::uint32_t id);
  void FreeChunks(Segment* segment);
  void Put(Segment* segment, Handle handle, std::uint64_t hash);
  // Without a bucket if the handle is not there.
  [[nodiscard]] Place Locate(const Segment& segment, Handle handle, std::uint64_t hash) const;
  void Resize(Segment* segment, unsigned buckets);
  void Split(std::size_t slot);
  void Shrink(std::size_t slot);
  bool MergeWithBuddy(std::size_t slot);
  void HalveDirectory();
  // Writes the segment into all directory slots that its prefix covers.
  void Publish(std::size_t slot, std::uint32_t id);
  void Collect(const Segment& segment, Entries* entries) const;
  [[nodiscard]] std::string ValidateSegment(std::size_t slot) const;

  const CellStore* cells_;
  Slab<64>* nodes_;
  unsigned max_buckets_;
  unsigned depth_ = 0;  // of the directory: 2^depth slots
  std::size_t size_ = 0;
  std::pmr::vector<std::uint32_t> directory_;  // places in segments_
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

  // The lowest hash whose home is the next bucket: the least fraction that maps there.
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
