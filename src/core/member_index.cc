#include "core/member_index.h"

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

MemberIndex::MemberIndex(const RecordStore* records, Slab<64>* nodes, PagePool* pool,
                         unsigned max_buckets)
    : records_(records), nodes_(nodes), max_buckets_(max_buckets), directory_(pool->memory()) {
  directory_.push_back(NewSegment(1, 0));
  segments_at_depth_[0] = 1;
}

unsigned MemberIndex::Matches(const Bucket& bucket, std::uint8_t tag) {
#ifdef __SSE2__
  // The four bytes behind the tags are compared along and masked out.
  const __m128i tags = _mm_load_si128(reinterpret_cast<const __m128i*>(&bucket));
  const __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8(static_cast<char>(tag)));
  return static_cast<unsigned>(_mm_movemask_epi8(equal)) & ((1u << kSlots) - 1);
#else
  unsigned matches = 0;
  for (unsigned i = 0; i < kSlots; ++i) matches |= unsigned{bucket.tags[i] == tag} << i;
  return matches;
#endif
}

Handle MemberIndex::Find(const MemberKey& member, std::uint64_t hash) const {
  const Segment& segment = directory_[DirectorySlot(hash)];
  const Bucket* buckets = BucketsOf(segment);
  const std::uint8_t tag = TagOf(hash);
  const unsigned home = HomeOf(segment, hash);
  unsigned at = home;
  do {
    const Bucket& bucket = buckets[at];
    for (unsigned matches = Matches(bucket, tag); matches != 0; matches &= matches - 1) {
      const Handle handle = bucket.handles[std::countr_zero(matches)];
      if (records_->HasMember(handle, member)) return handle;
    }
    if (bucket.overflow == 0) break;
    at = at + 1 == segment.buckets ? 0 : at + 1;
  } while (at != home);
  return kNoHandle;
}

void MemberIndex::Insert(Handle handle, std::uint64_t hash) {
  while (true) {
    const std::size_t slot = DirectorySlot(hash);
    const Segment& segment = directory_[slot];
    if (BucketsOf(segment)->segment_count < Capacity(segment.buckets)) {
      Put(segment, handle, hash);
      ++size_;
      return;
    }
    MakeRoom(slot);
  }
}

void MemberIndex::Put(const Segment& segment, Handle handle, std::uint64_t hash) {
  Bucket* buckets = BucketsOf(segment);
  unsigned at = HomeOf(segment, hash);
  unsigned free_slots = Matches(buckets[at], 0);
  while (free_slots == 0) {
    LAUREL_ASSERT(buckets[at].overflow < UINT8_MAX);
    ++buckets[at].overflow;
    at = at + 1 == segment.buckets ? 0 : at + 1;
    free_slots = Matches(buckets[at], 0);
  }
  const int slot = std::countr_zero(free_slots);
  buckets[at].tags[slot] = TagOf(hash);
  buckets[at].handles[slot] = handle;
  ++buckets[0].segment_count;
}

MemberIndex::Place MemberIndex::Locate(const Segment& segment, Handle handle,
                                       std::uint64_t hash) const {
  Bucket* buckets = BucketsOf(segment);
  unsigned at = HomeOf(segment, hash);
  for (unsigned passed = 0; passed < segment.buckets; ++passed) {
    Bucket& bucket = buckets[at];
    for (unsigned matches = Matches(bucket, TagOf(hash)); matches != 0; matches &= matches - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(matches));
      if (bucket.handles[slot] == handle) return {&bucket, slot, passed};
    }
    at = at + 1 == segment.buckets ? 0 : at + 1;
  }
  LAUREL_ASSERT(false);
  return {};
}

void MemberIndex::Erase(Handle handle, std::uint64_t hash) {
  const std::size_t slot = DirectorySlot(hash);
  const Segment segment = directory_[slot];
  const Place place = Locate(segment, handle, hash);
  place.bucket->tags[place.slot] = 0;
  Bucket* buckets = BucketsOf(segment);
  unsigned at = HomeOf(segment, hash);
  for (unsigned i = 0; i < place.passed; ++i) {
    --buckets[at].overflow;
    at = at + 1 == segment.buckets ? 0 : at + 1;
  }
  --size_;
  if (--buckets[0].segment_count < segment.buckets * kSlots / 2 && segment.buckets > 1) {
    Shrink(slot);
  }
}

void MemberIndex::Replace(Handle from, Handle to, std::uint64_t hash) {
  const Place place = Locate(directory_[DirectorySlot(hash)], from, hash);
  place.bucket->handles[place.slot] = to;
}

void MemberIndex::Prefetch(std::uint64_t hash) const {
  const Segment& segment = directory_[DirectorySlot(hash)];
  __builtin_prefetch(BucketsOf(segment) + HomeOf(segment, hash));
}

Handle MemberIndex::Guess(std::uint64_t hash) const {
  const Segment& segment = directory_[DirectorySlot(hash)];
  const Bucket& bucket = BucketsOf(segment)[HomeOf(segment, hash)];
  const unsigned matches = Matches(bucket, TagOf(hash));
  return matches == 0 ? kNoHandle : bucket.handles[std::countr_zero(matches)];
}

MemberIndex::Segment MemberIndex::NewSegment(unsigned buckets, unsigned depth) {
  const Handle node = nodes_->Allocate(buckets * sizeof(Bucket));
  LAUREL_ASSERT(node != kNoHandle);
  std::memset(nodes_->At(node), 0, buckets * sizeof(Bucket));
  return {node, static_cast<std::uint8_t>(buckets), static_cast<std::uint8_t>(depth)};
}

void MemberIndex::MakeRoom(std::size_t slot) {
  const unsigned buckets = directory_[slot].buckets;
  if (buckets < max_buckets_) {
    Resize(slot, std::min(max_buckets_, buckets + std::max(1u, buckets / 8)));
  } else {
    Split(slot);
  }
}

void MemberIndex::Collect(const Segment& segment,
                          std::vector<std::pair<Handle, std::uint64_t>>* entries) const {
  const Bucket* buckets = BucketsOf(segment);
  for (unsigned at = 0; at < segment.buckets; ++at) {
    for (unsigned i = 0; i < kSlots; ++i) {
      if (buckets[at].tags[i] == 0) continue;
      records_->Prefetch(buckets[at].handles[i]);
      entries->emplace_back(buckets[at].handles[i], 0);
    }
  }
  for (auto& [handle, hash] : *entries) hash = records_->HashOf(handle);
}

void MemberIndex::Resize(std::size_t slot, unsigned buckets) {
  const Segment old = directory_[slot];
  std::vector<std::pair<Handle, std::uint64_t>> entries;
  entries.reserve(BucketsOf(old)->segment_count);
  Collect(old, &entries);
  const Segment fresh = NewSegment(buckets, old.depth);
  for (const auto& [handle, hash] : entries) Put(fresh, handle, hash);
  Publish(slot, fresh);
  nodes_->Free(old.node);
}

void MemberIndex::Split(std::size_t slot) {
  const Segment old = directory_[slot];
  if (old.depth == depth_) {
    LAUREL_ASSERT(depth_ < 32);
    std::pmr::vector<Segment> doubled(directory_.get_allocator());
    doubled.reserve(directory_.size() * 2);
    for (const Segment& segment : directory_) doubled.insert(doubled.end(), 2, segment);
    directory_.swap(doubled);
    ++depth_;
    slot *= 2;
  }
  std::vector<std::pair<Handle, std::uint64_t>> entries;
  entries.reserve(BucketsOf(old)->segment_count);
  Collect(old, &entries);

  const unsigned depth = old.depth + 1u;
  const unsigned right_bit = 64 - depth;
  unsigned in_right = 0;
  for (const auto& [handle, hash] : entries) in_right += (hash >> right_bit) & 1;
  const auto buckets_for = [this](std::size_t count) {
    const auto wanted = static_cast<unsigned>(count * 5 / (kSlots * 4) + 1);  // 80 % full
    return std::min(max_buckets_, wanted);
  };
  const Segment left = NewSegment(buckets_for(entries.size() - in_right), depth);
  const Segment right = NewSegment(buckets_for(in_right), depth);
  for (const auto& [handle, hash] : entries) {
    Put(((hash >> right_bit) & 1) != 0 ? right : left, handle, hash);
  }
  const std::size_t span = std::size_t{1} << (depth_ - depth);
  const std::size_t first = slot & ~(2 * span - 1);
  Publish(first, left);
  Publish(first + span, right);
  nodes_->Free(old.node);
  --segments_at_depth_[old.depth];
  segments_at_depth_[depth] += 2;
}

void MemberIndex::Publish(std::size_t slot, const Segment& segment) {
  const std::size_t span = std::size_t{1} << (depth_ - segment.depth);
  const std::size_t first = slot & ~(span - 1);
  std::fill_n(directory_.begin() + static_cast<std::ptrdiff_t>(first), span, segment);
}

// The segment is less than half full: it merges with the one it once split from if both fit well
// into one, else it gets fewer buckets.
void MemberIndex::Shrink(std::size_t slot) {
  const Segment segment = directory_[slot];
  const unsigned count = BucketsOf(segment)->segment_count;
  if (segment.depth > 0) {
    const std::size_t span = std::size_t{1} << (depth_ - segment.depth);
    const std::size_t buddy_slot = (slot & ~(span - 1)) ^ span;
    const Segment buddy = directory_[buddy_slot];
    const unsigned both = count + BucketsOf(buddy)->segment_count;
    if (buddy.depth == segment.depth && both <= Capacity(max_buckets_) * 2 / 3) {
      std::vector<std::pair<Handle, std::uint64_t>> entries;
      Collect(segment, &entries);
      Collect(buddy, &entries);
      const Segment merged =
          NewSegment(std::min(max_buckets_, both * 5 / (kSlots * 4) + 1), segment.depth - 1u);
      for (const auto& [handle, hash] : entries) Put(merged, handle, hash);
      Publish(slot, merged);
      nodes_->Free(segment.node);
      nodes_->Free(buddy.node);
      segments_at_depth_[segment.depth] -= 2;
      ++segments_at_depth_[segment.depth - 1];
      while (depth_ > 0 && segments_at_depth_[depth_] == 0) {
        for (std::size_t i = 0; i * 2 < directory_.size(); ++i) directory_[i] = directory_[i * 2];
        directory_.resize(directory_.size() / 2);
        directory_.shrink_to_fit();
        --depth_;
      }
      return;
    }
  }
  const unsigned wanted = count * 5 / (kSlots * 4) + 1;
  if (wanted < segment.buckets) Resize(slot, wanted);
}

std::string MemberIndex::Validate() const {
  if (directory_.size() != std::size_t{1} << depth_) return "index: directory size";
  std::size_t total = 0;
  for (std::size_t slot = 0; slot < directory_.size();) {
    const Segment& segment = directory_[slot];
    if (segment.depth > depth_ || segment.buckets == 0) return "index: segment shape";
    const std::size_t span = std::size_t{1} << (depth_ - segment.depth);
    for (std::size_t i = 0; i < span; ++i) {  // invariant 3
      if (directory_[slot + i].node != segment.node) return "index: directory slots disagree";
    }
    const Bucket* buckets = BucketsOf(segment);
    std::vector<unsigned> passed(segment.buckets, 0);
    unsigned count = 0;
    for (unsigned at = 0; at < segment.buckets; ++at) {
      for (unsigned i = 0; i < kSlots; ++i) {
        if (buckets[at].tags[i] == 0) continue;
        ++count;
        const std::uint64_t hash = records_->HashOf(buckets[at].handles[i]);
        if (buckets[at].tags[i] != TagOf(hash)) return "index: wrong tag";
        if ((DirectorySlot(hash) & ~(span - 1)) != slot) return "index: entry in wrong segment";
        for (unsigned b = HomeOf(segment, hash); b != at; b = (b + 1) % segment.buckets) {
          ++passed[b];
        }
      }
    }
    for (unsigned at = 0; at < segment.buckets; ++at) {  // invariant 1
      if (passed[at] != buckets[at].overflow) return "index: wrong overflow count";
    }
    if (count != buckets[0].segment_count) return "index: wrong segment count";
    total += count;
    slot += span;
  }
  if (total != size_) return "index: wrong size";
  return {};
}

}  // namespace laurel::core
