// The requests that a board remembers, so that a retry changes nothing and gets the verdicts of the
// first attempt.
//
// Requests are stored in the order of their execution. Each has a sequence number that is never
// reused. The oldest are forgotten first. The caller decides which ones to forget, and when.
// Remembering and forgetting are effects: absolute, and safe to repeat.
//
// The requests lie one after the other in blocks. A hash index finds them by id. Forgetting does
// not update the index. Instead the index has two generations: new requests are added to the young
// one, and the old one is discarded as a whole once all its requests are forgotten. So Remember
// touches one random place in memory, Find two at the same time, and ForgetBefore none.
//
// Memory: a request takes 32 bytes, its id and outcome (up to a multiple of 8), and 10 to 40 bytes
// in the index. Threads: const functions may run concurrently; changes need exclusive access.
//
// Invariants:
//   1. Sequence numbers rise from request to request; all are below next_sequence_.
//   2. The requests from young_.first on are in young_, and none of them is forgotten. Earlier
//      requests that are not forgotten are in old_.
//   3. `first` of a generation changes only when all its slots become free, so that no probe
//      sequence is cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/bytes.h"
#include "core/store/environment.h"
#include "core/store/member.h"
#include "laurel/stamp.h"

namespace laurel::leaderboard {

struct RememberedRequest {
  // Reached after four years at a million requests per second.
  static constexpr std::uint64_t kMaxSequence = std::uint64_t{1} << 47;

  std::uint64_t sequence = 0;
  Stamp at = 0;                // when it was executed
  std::uint64_t identity = 0;  // the hash of the canonical operation (identity.h)
  std::string_view id;
  std::string_view outcome;  // its verdicts, encoded by the caller (outcome.h)
};

class RequestIds {
 public:
  // `hasher` is seeded, because ids come from clients. `memory` and `total` must outlive this
  // object. It keeps its size() added to *total.
  RequestIds(core::MemberHash hasher, std::pmr::memory_resource* memory, core::Total* total)
      : hasher_(hasher),
        memory_(memory),
        total_(total),
        blocks_(memory),
        young_(memory),
        old_(memory) {}
  ~RequestIds();
  RequestIds(const RequestIds&) = delete;
  RequestIds& operator=(const RequestIds&) = delete;

  // Sets *request to the request with that id; false if there is none. Its views are valid until
  // the next change.
  [[nodiscard]] bool Find(std::string_view id, RememberedRequest* request) const;

  // Prefetches the memory that Find(id) will access.
  void Prefetch(std::string_view id) const;

  [[nodiscard]] std::uint64_t next_sequence() const { return next_sequence_; }
  // Whether all sequence numbers are used up.
  [[nodiscard]] bool IsSpent() const { return next_sequence_ > RememberedRequest::kMaxSequence; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Memory in use, index included.
  [[nodiscard]] std::size_t bytes() const {
    return block_bytes_ + (young_.slots.size() + old_.slots.size()) * sizeof(Slot);
  }
  // The oldest request. REQUIRES: size() > 0.
  [[nodiscard]] RememberedRequest Oldest() const {
    LAUREL_ASSERT(size() > 0);
    return View(begin_);
  }

  // Adds a request. Does nothing if its sequence number is below next_sequence(). If the id is
  // present already, Find returns the newer request.
  void Remember(const RememberedRequest& request);
  // Forgets all requests with a lower sequence number. next_sequence() is then at least `sequence`.
  void ForgetBefore(std::uint64_t sequence);

  // Calls visit(request) for up to `count` requests from `sequence` on. Returns the sequence number
  // to continue with; next_sequence() at the end.
  template <typename Visit>
  std::uint64_t ForSome(std::uint64_t sequence, std::size_t count, const Visit& visit) const {
    BlockOffset at = LowerBound(sequence);
    for (; at.block != end_block() && count > 0; at = After(at), --count) {
      const RememberedRequest request = View(at);
      visit(request);
      sequence = request.sequence + 1;
    }
    return at.block == end_block() ? next_sequence_ : sequence;
  }

 private:
  // Holds requests one after the other: a header, the id, the outcome, padded to a multiple of 8.
  struct Block {
    char* bytes;
    std::uint32_t size;
    std::uint32_t used;
    std::uint64_t first_sequence;
  };
  struct Header {
    std::uint64_t sequence;
    Stamp at;
    std::uint64_t identity;
    std::uint32_t id_bytes;
    std::uint32_t outcome_bytes;
  };
  static_assert(sizeof(Header) == 32);
  // `block` counts from the first block ever allocated, freed ones included.
  struct BlockOffset {
    std::uint64_t block;
    std::uint32_t offset;
  };
  // A request's sequence number and, in the lowest kTagBits bits, the top bits of its id's hash.
  // The low bits of the hash give the first slot of the linear probing.
  using Slot = std::uint64_t;
  static constexpr unsigned kTagBits = 16;
  static_assert(RememberedRequest::kMaxSequence >> (64 - kTagBits) == 0);
  static constexpr std::size_t kLeastSlots = 16;
  static_assert((kLeastSlots & (kLeastSlots - 1)) == 0, "hashes are masked");
  // A slot is free if its sequence number is below `first`. Slots need no clearing for reuse:
  // leftovers from the previous use have lower numbers, and a slot that was never used is 0.
  struct Generation {
    explicit Generation(std::pmr::memory_resource* memory) : slots(memory) {}
    [[nodiscard]] bool IsFree(Slot slot) const { return slot >> kTagBits < first; }

    std::pmr::vector<Slot> slots;  // a power of two, at most four fifths used; or none
    std::uint64_t first = 1;
    std::size_t count = 0;
  };
  // The first block is small. Each further one is as large as all present ones together, up to a
  // bound.
  static constexpr std::size_t kLeastBlockBytes = 256;
  static constexpr std::size_t kMostBlockBytes = std::size_t{4} << 10;

  [[nodiscard]] static std::size_t RequestBytes(std::size_t id_bytes, std::size_t outcome_bytes) {
    return (sizeof(Header) + id_bytes + outcome_bytes + 7) / 8 * 8;
  }
  [[nodiscard]] const Block& BlockAt(std::uint64_t number) const {
    return blocks_[number - first_block_];
  }
  [[nodiscard]] std::uint64_t end_block() const { return first_block_ + blocks_.size(); }
  [[nodiscard]] Header HeaderAt(BlockOffset place) const {
    return base::Load<Header>(BlockAt(place.block).bytes + place.offset);
  }
  [[nodiscard]] RememberedRequest View(BlockOffset place) const {
    const Header header = HeaderAt(place);
    const char* bytes = BlockAt(place.block).bytes + place.offset + sizeof(header);
    return {header.sequence,
            header.at,
            header.identity,
            {bytes, header.id_bytes},
            {bytes + header.id_bytes, header.outcome_bytes}};
  }
  // The place of the next request; {end_block(), 0} after the last one.
  [[nodiscard]] BlockOffset After(BlockOffset place) const {
    const Header header = HeaderAt(place);
    const std::size_t next = place.offset + RequestBytes(header.id_bytes, header.outcome_bytes);
    if (next < BlockAt(place.block).used) return {place.block, static_cast<std::uint32_t>(next)};
    return {place.block + 1, 0};
  }
  // The first request with this sequence number or a higher one; {end_block(), 0} if there is none.
  [[nodiscard]] BlockOffset LowerBound(std::uint64_t sequence) const;
  void Append(const RememberedRequest& request);
  void AddBlock(std::size_t least_bytes, std::uint64_t first_sequence);
  void FreeFirstBlock();

  [[nodiscard]] bool FindIn(const Generation& generation, std::uint64_t hash, std::string_view id,
                            RememberedRequest* request) const;
  void Index(std::uint64_t sequence, std::string_view id);
  // Doubles the slots of the young generation and indexes its requests again.
  void Grow();
  // Makes the young generation the old one, and starts a new young one. REQUIRES: all requests of
  // the old generation are forgotten.
  void RotateGenerations();

  core::MemberHash hasher_;
  std::pmr::memory_resource* memory_;
  core::Total* total_;
  std::pmr::deque<Block> blocks_;
  std::uint64_t first_block_ = 0;
  BlockOffset begin_{0, 0};  // the oldest request
  std::size_t size_ = 0;
  std::size_t block_bytes_ = 0;
  std::uint64_t next_sequence_ = 1;
  Generation young_;  // requests are added here
  Generation old_;    // the requests before young_.first
};

}  // namespace laurel::leaderboard
