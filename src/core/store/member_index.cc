#include "core/store/member_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "base/assert.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace laurel::core {

MemberIndex::MemberIndex(const CellStore* cells, Slab<64>* nodes, PagePool* pool,
                         unsigned max_buckets)
    : cells_(cells),
      nodes_(nodes),
      max_buckets_(max_buckets),
      directory_(pool->memory()),
      segments_(pool->memory()),
      free_segments_(pool->memory()) {
  LAUREL_ASSERT(max_buckets > 0 && max_buckets <= kMaxBuckets);
  directory_.push_back(NewSegment(std::min(kChunkBuckets, max_buckets), 0));
  segments_at_depth_[0] = 1;
}

unsigned MemberIndex::Matches(const Bucket& bucket, std::uint8_t tag) {
#ifdef __SSE2__
  // The comparison includes the four bytes after the tags; the mask drops them.
  const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(&bucket));
  const __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(tag)));
  return static_cast<unsigned>(_mm_movemask_epi8(equal)) & ((1u << kSlots) - 1);
#else
  unsigned matches = 0;
  for (unsigned i = 0; i < kSlots; ++i) matches |= unsigned{bucket.tags[i] == tag} << i;
  return matches;
#endif
}

// Look-ups and changes --------------------------------------------------------------------------

template <typename IsIt>
Handle MemberIndex::FindIf(std::uint64_t hash, const IsIt& is_it) const {
  const Segment& segment = SegmentFor(hash);
  const std::uint8_t tag = TagOf(hash);
  const unsigned home = HomeOf(segment, hash);
  unsigned at = home;
  do {
    const Bucket& bucket = BucketAt(segment, at);
    for (unsigned matches = Matches(bucket, tag); matches != 0; matches &= matches - 1) {
      const Handle handle = bucket.handles[std::countr_zero(matches)];
      if (is_it(handle)) return handle;
    }
    if (bucket.overflow == 0) break;
    at = NextBucket(segment, at);
  } while (at != home);
  return kNoHandle;
}

Handle MemberIndex::Find(const MemberKey& member, std::uint64_t hash) const {
  return FindIf(hash, [&](Handle handle) { return cells_->HasMember(handle, member); });
}

Handle MemberIndex::InsertIfAbsent(Handle handle, std::uint64_t hash) {
  const Handle present =
      FindIf(hash, [&](Handle other) { return cells_->SameMember(handle, other); });
  if (present == kNoHandle) Insert(handle, hash);
  return present;
}

void MemberIndex::Prefetch(std::uint64_t hash) const {
  const Segment& segment = SegmentFor(hash);
  __builtin_prefetch(&BucketAt(segment, HomeOf(segment, hash)));
}

Handle MemberIndex::Guess(std::uint64_t hash) const {
  const Segment& segment = SegmentFor(hash);
  const Bucket& bucket = BucketAt(segment, HomeOf(segment, hash));
  const unsigned matches = Matches(bucket, TagOf(hash));
  return matches == 0 ? kNoHandle : bucket.handles[std::countr_zero(matches)];
}

void MemberIndex::Insert(Handle handle, std::uint64_t hash) {
  while (true) {
    const std::size_t slot = DirectorySlot(hash);
    Segment& segment = segments_[directory_[slot]];
    if (segment.count < Capacity(segment.buckets)) {
      Put(&segment, handle, hash);
      ++size_;
      return;
    }
    if (segment.buckets < max_buckets_) {
      const unsigned chunks = std::max(1u, segment.buckets / kChunkBuckets / 6);
      Resize(&segment, std::min(max_buckets_, segment.buckets + chunks * kChunkBuckets));
    } else {
      Split(slot);
    }
  }
}

void MemberIndex::Put(Segment* segment, Handle handle, std::uint64_t hash) {
  unsigned at = HomeOf(*segment, hash);
  unsigned free_slots = Matches(BucketAt(*segment, at), 0);
  while (free_slots == 0) {
    Bucket& full = BucketAt(*segment, at);
    ++full.overflow;
    at = NextBucket(*segment, at);
    free_slots = Matches(BucketAt(*segment, at), 0);
  }
  Bucket& bucket = BucketAt(*segment, at);
  const int slot = std::countr_zero(free_slots);
  bucket.tags[slot] = TagOf(hash);
  bucket.handles[slot] = handle;
  ++segment->count;
}

MemberIndex::FoundSlot MemberIndex::Locate(const Segment& segment, Handle handle,
                                           std::uint64_t hash) const {
  unsigned at = HomeOf(segment, hash);
  for (unsigned passed = 0; passed < segment.buckets; ++passed) {
    Bucket& bucket = BucketAt(segment, at);
    for (unsigned matches = Matches(bucket, TagOf(hash)); matches != 0; matches &= matches - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(matches));
      if (bucket.handles[slot] == handle) return {&bucket, slot, passed};
    }
    if (bucket.overflow == 0) break;
    at = NextBucket(segment, at);
  }
  return {};
}

void MemberIndex::Erase(Handle handle, std::uint64_t hash) {
  const bool was_there = EraseIfPresent(handle, hash);
  LAUREL_ASSERT(was_there);
}

bool MemberIndex::EraseIfPresent(Handle handle, std::uint64_t hash) {
  const std::size_t slot = DirectorySlot(hash);
  Segment& segment = segments_[directory_[slot]];
  const FoundSlot place = Locate(segment, handle, hash);
  if (place.bucket == nullptr) return false;
  place.bucket->tags[place.slot] = 0;
  unsigned at = HomeOf(segment, hash);
  for (unsigned i = 0; i < place.passed; ++i) {
    Bucket& full = BucketAt(segment, at);
    LAUREL_ASSERT(full.overflow > 0);  // invariant 1
    --full.overflow;
    at = NextBucket(segment, at);
  }
  --size_;
  if (--segment.count < segment.buckets * kSlots / 2) Shrink(slot);
  return true;
}

void MemberIndex::Replace(Handle from, Handle to, std::uint64_t hash) {
  const FoundSlot place = Locate(SegmentFor(hash), from, hash);
  LAUREL_ASSERT(place.bucket != nullptr);
  place.bucket->handles[place.slot] = to;
}

// Segments ----------------------------------------------------------------------------------------

unsigned MemberIndex::BucketsFor(std::size_t count) const {
  return std::min(max_buckets_, static_cast<unsigned>(count * 5 / (kSlots * 4) + 1));
}

void MemberIndex::Allocate(Segment* segment, unsigned buckets, unsigned depth) {
  LAUREL_ASSERT(segment->buckets == 0 && buckets > 0 && buckets <= max_buckets_);
  segment->count = 0;
  segment->buckets = static_cast<std::uint8_t>(buckets);
  segment->depth = static_cast<std::uint8_t>(depth);
  for (unsigned i = 0; i * kChunkBuckets < buckets; ++i) {
    segment->chunks[i] = nodes_->Allocate(kChunkBuckets * sizeof(Bucket));
    LAUREL_ASSERT(segment->chunks[i] != kNoHandle);
    std::memset(nodes_->At(segment->chunks[i]), 0, kChunkBuckets * sizeof(Bucket));
  }
}

std::uint32_t MemberIndex::NewSegment(unsigned buckets, unsigned depth) {
  auto id = static_cast<std::uint32_t>(segments_.size());
  if (free_segments_.empty()) {
    segments_.emplace_back();
  } else {
    id = free_segments_.back();
    free_segments_.pop_back();
  }
  Allocate(&segments_[id], buckets, depth);
  return id;
}

void MemberIndex::Reserve(std::size_t count) {
  LAUREL_ASSERT(size_ == 0 && depth_ == 0);
  const std::size_t most = std::max<std::size_t>(1, max_buckets_ * kSlots * 4 / 5);
  while (count >> depth_ > most) ++depth_;
  FreeSegment(directory_[0]);
  segments_at_depth_[0] = 0;
  const std::size_t segments = std::size_t{1} << depth_;
  segments_.reserve(segments);
  directory_.clear();
  directory_.reserve(segments);
  for (std::size_t i = 0; i < segments; ++i) {
    directory_.push_back(NewSegment(BucketsFor(count >> depth_), depth_));
  }
  segments_at_depth_[depth_] = static_cast<std::uint32_t>(segments);
}

void MemberIndex::FreeChunks(Segment* segment) {
  for (unsigned i = 0; i * kChunkBuckets < segment->buckets; ++i) nodes_->Free(segment->chunks[i]);
  *segment = Segment{};
}

void MemberIndex::FreeSegment(std::uint32_t id) {
  FreeChunks(&segments_[id]);
  free_segments_.push_back(id);
}

void MemberIndex::Collect(const Segment& segment, Entries* entries) const {
  const std::size_t before = entries->size();
  for (unsigned at = 0; at < segment.buckets; ++at) {
    const Bucket& bucket = BucketAt(segment, at);
    for (unsigned i = 0; i < kSlots; ++i) {
      if (bucket.tags[i] == 0) continue;
      cells_->Prefetch(bucket.handles[i]);
      entries->emplace_back(bucket.handles[i], 0);
    }
  }
  for (std::size_t i = before; i < entries->size(); ++i) {
    (*entries)[i].second = cells_->HashOf((*entries)[i].first);
  }
}

void MemberIndex::Resize(Segment* segment, unsigned buckets) {
  Entries entries;
  entries.reserve(segment->count);
  Collect(*segment, &entries);
  const unsigned depth = segment->depth;
  FreeChunks(segment);
  Allocate(segment, buckets, depth);
  for (const auto& [handle, hash] : entries) Put(segment, handle, hash);
}

void MemberIndex::Split(std::size_t slot) {
  const std::uint32_t old = directory_[slot];
  if (segments_[old].depth == depth_) {
    LAUREL_ASSERT(depth_ < 32);
    std::pmr::vector<std::uint32_t> doubled(directory_.get_allocator());
    doubled.reserve(directory_.size() * 2);
    for (const std::uint32_t id : directory_) doubled.insert(doubled.end(), 2, id);
    directory_.swap(doubled);
    ++depth_;
    slot *= 2;
  }
  Entries entries;
  entries.reserve(segments_[old].count);
  Collect(segments_[old], &entries);
  const unsigned depth = segments_[old].depth + 1u;
  const auto goes_right = [depth](std::uint64_t hash) { return (hash >> (64 - depth)) & 1; };
  std::size_t in_right = 0;
  for (const auto& [handle, hash] : entries) in_right += goes_right(hash);

  FreeSegment(old);
  const std::uint32_t left = NewSegment(BucketsFor(entries.size() - in_right), depth);
  const std::uint32_t right = NewSegment(BucketsFor(in_right), depth);
  for (const auto& [handle, hash] : entries) {
    Put(&segments_[goes_right(hash) != 0 ? right : left], handle, hash);
  }
  const std::size_t span = std::size_t{1} << (depth_ - depth);
  const std::size_t first = slot & ~(2 * span - 1);
  SetDirectorySlots(first, left);
  SetDirectorySlots(first + span, right);
  LAUREL_ASSERT(segments_at_depth_[depth - 1] > 0);
  --segments_at_depth_[depth - 1];
  segments_at_depth_[depth] += 2;
}

void MemberIndex::SetDirectorySlots(std::size_t slot, std::uint32_t id) {
  LAUREL_ASSERT(segments_[id].depth <= depth_);
  const std::size_t span = std::size_t{1} << (depth_ - segments_[id].depth);
  const std::size_t first = slot & ~(span - 1);
  LAUREL_ASSERT(first + span <= directory_.size());  // invariant 3
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(first), span, id);
}

// Called when a segment is less than half full. Merges it with its buddy, the segment it was split
// from, if both fit well into one segment; otherwise reduces its buckets.
void MemberIndex::Shrink(std::size_t slot) {
  if (MergeWithBuddy(slot)) return;
  Segment& segment = segments_[directory_[slot]];
  const unsigned wanted = BucketsFor(segment.count);
  if (wanted < segment.buckets) Resize(&segment, wanted);
}

bool MemberIndex::MergeWithBuddy(std::size_t slot) {
  const std::uint32_t own = directory_[slot];
  const unsigned depth = segments_[own].depth;
  if (depth == 0) return false;
  const std::size_t span = std::size_t{1} << (depth_ - depth);
  const std::uint32_t buddy = directory_[(slot & ~(span - 1)) ^ span];
  const unsigned both = segments_[own].count + segments_[buddy].count;
  if (segments_[buddy].depth != depth || both > Capacity(max_buckets_) * 2 / 3) return false;
  Entries entries;
  entries.reserve(both);
  Collect(segments_[own], &entries);
  Collect(segments_[buddy], &entries);
  FreeSegment(own);
  FreeSegment(buddy);
  const std::uint32_t merged = NewSegment(BucketsFor(both), depth - 1);
  for (const auto& [handle, hash] : entries) Put(&segments_[merged], handle, hash);
  SetDirectorySlots(slot, merged);
  LAUREL_ASSERT(segments_at_depth_[depth] >= 2);
  segments_at_depth_[depth] -= 2;
  ++segments_at_depth_[depth - 1];
  HalveDirectory();
  return true;
}

void MemberIndex::HalveDirectory() {
  while (depth_ > 0 && segments_at_depth_[depth_] == 0) {
    for (std::size_t i = 0; i * 2 < directory_.size(); ++i) directory_[i] = directory_[i * 2];
    directory_.resize(directory_.size() / 2);
    directory_.shrink_to_fit();
    --depth_;
  }
  LAUREL_ASSERT(directory_.size() == std::size_t{1} << depth_);
}

std::string MemberIndex::Validate() const {
  if (directory_.size() != std::size_t{1} << depth_) return "index: directory size";
  std::size_t total = 0;
  for (std::size_t slot = 0; slot < directory_.size();) {
    if (std::string broken = ValidateSegment(slot); !broken.empty()) return "index: " + broken;
    const Segment& segment = segments_[directory_[slot]];
    total += segment.count;
    slot += std::size_t{1} << (depth_ - segment.depth);
  }
  return total == size_ ? "" : "index: wrong size";
}

std::string MemberIndex::ValidateSegment(std::size_t slot) const {
  const Segment& segment = segments_[directory_[slot]];
  if (segment.depth > depth_ || segment.buckets == 0) return "segment shape";
  const std::size_t span = std::size_t{1} << (depth_ - segment.depth);
  for (std::size_t i = 0; i < span; ++i) {  // invariant 3
    if (directory_[slot + i] != directory_[slot]) return "directory slots disagree";
  }
  std::vector<unsigned> passed(segment.buckets, 0);
  unsigned count = 0;
  for (unsigned at = 0; at < segment.buckets; ++at) {
    const Bucket& bucket = BucketAt(segment, at);
    for (unsigned i = 0; i < kSlots; ++i) {
      if (bucket.tags[i] == 0) continue;
      ++count;
      const std::uint64_t hash = cells_->HashOf(bucket.handles[i]);
      if (bucket.tags[i] != TagOf(hash)) return "wrong tag";
      if ((DirectorySlot(hash) & ~(span - 1)) != slot) return "entry in wrong segment";
      for (unsigned b = HomeOf(segment, hash); b != at; b = NextBucket(segment, b)) ++passed[b];
    }
  }
  for (unsigned at = 0; at < segment.buckets; ++at) {  // invariant 1
    if (passed[at] != BucketAt(segment, at).overflow) return "wrong overflow count";
  }
  return count == segment.count ? "" : "wrong segment count";
}

}  // namespace laurel::core
