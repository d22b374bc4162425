// The requests that a board remembers, so that a retry changes nothing and is told what the first
// one was told.
//
// They stand in the order in which they were carried out, each with a sequence number that is never
// given again; the oldest are forgotten first. What is decided (which to forget, and when) is the
// caller's: remembering and forgetting are effects like others, absolute and safe to repeat.
//
// They lie one behind the other in blocks. An index finds them by their ids, and is never told that
// one was forgotten: it comes in two generations, of which the older goes as a whole once all in it
// are forgotten. So remembering touches one place in memory at random, looking for an id two at the
// same time, and forgetting none.
//
// A request takes 32 bytes, its id and outcome (up to a multiple of 8), and 10 to 40 in the index.
// One thread at a time.
//
// Invariants:
//   1. Sequence numbers rise from record to record; all are below next_sequence_.
//   2. The requests of young_.first and later are in young_, and none of them is forgotten; those
//      before it that are not forgotten are in old_.
//   3. `first` of a generation changes only when all its slots become free, so that no chain of
//      slots is cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "core/store/member.h"
#include "laurel/stamp.h"

namespace laurel::leaderboard {

struct RememberedRequest {
  // A million a second come to it in four years.
  static constexpr std::uint64_t kMaxSequence = std::uint64_t{1} << 47;

  std::uint64_t sequence = 0;
  Stamp at = 0;                 // when it was carried out
  std::uint64_t arguments = 0;  // a hash of what it asked for
  std::string_view id;
  std::string_view outcome;  // what it was told, in the caller's form
};

class RequestIds {
 public:
  // Ids come from clients: the hash is seeded. `memory` outlives them.
  RequestIds(core::MemberHash hasher, std::pmr::memory_resource* memory)
      : hasher_(hasher), memory_(memory), blocks_(memory), young_(memory), old_(memory) {}
  ~RequestIds();
  RequestIds(const RequestIds&) = delete;
  RequestIds& operator=(const RequestIds&) = delete;

  // The request of that id, valid until the next change.
  [[nodiscard]] bool Find(std::string_view id, RememberedRequest* request) const;

  // Has the memory on its way that Find will look at.
  void Prefetch(std::string_view id) const;

  [[nodiscard]] std::uint64_t next_sequence() const { return next_sequence_; }
  // No sequence number is left.
  [[nodiscard]] bool IsSpent() const { return next_sequence_ > RememberedRequest::kMaxSequence; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // What they take, index included.
  [[nodiscard]] std::size_t bytes() const {
    return block_bytes_ + (young_.slots.size() + old_.slots.size()) * sizeof(Slot);
  }
  // The oldest one. REQUIRES: not empty.
  [[nodiscard]] RememberedRequest Oldest() const { return View(begin_); }

  // Does nothing if the sequence number has been given already. An id that is there already means
  // this request from now on.
  void Remember(const RememberedRequest& request);
  // Forgets all whose sequence number is below.
  void ForgetBefore(std::uint64_t sequence);

  // Calls visit(request) for up to `count` requests from `sequence` on; returns the sequence to go
  // on with.
  template <typename Visit>
  std::uint64_t ForSome(std::uint64_t sequence, std::size_t count, const Visit& visit) const {
    Place at = LowerBound(sequence);
    for (; at.block != end_block() && count > 0; at = After(at), --count) {
      const RememberedRequest request = View(at);
      visit(request);
      sequence = request.sequence + 1;
    }
    return at.block == end_block() ? next_sequence_ : sequence;
  }

 private:
  // Records one after the other: a header, the id, the outcome, up to a multiple of 8.
  struct Block {
    char* bytes;
    std::uint32_t size;
    std::uint32_t used;
    std::uint64_t first_sequence;
  };
  struct Header {
    std::uint64_t sequence;
    Stamp at;
    std::uint64_t arguments;
    std::uint32_t id_bytes;
    std::uint32_t outcome_bytes;
  };
  // Blocks are numbered from the first there ever was.
  struct Place {
    std::uint64_t block;
    std::uint32_t offset;
  };
  // A request's sequence number and, in the lowest bits, some of its id's hash. The hash as a whole
  // says where to look first: probing is linear.
  using Slot = std::uint64_t;
  static constexpr unsigned kTagBits = 16;
  static_assert(RememberedRequest::kMaxSequence >> (64 - kTagBits) == 0);
  static constexpr std::size_t kLeastSlots = 16;
  // Slots of requests before `first` are free. Nobody clears them: what was in the slots when they
  // were last in use is older than that, and what was in none is 0.
  struct Generation {
    explicit Generation(std::pmr::memory_resource* memory) : slots(memory) {}
    [[nodiscard]] bool IsFree(Slot slot) const { return slot >> kTagBits < first; }

    std::pmr::vector<Slot> slots;  // a power of two of them, at most four fifths in use; or none
    std::uint64_t first = 1;
    std::size_t count = 0;
  };
  // The first block is small, and each as large as all before it up to a bound.
  static constexpr std::size_t kLeastBlockBytes = 256;
  static constexpr std::size_t kMostBlockBytes = std::size_t{4} << 10;

  [[nodiscard]] static std::size_t RecordBytes(std::size_t id_bytes, std::size_t outcome_bytes) {
    return (sizeof(Header) + id_bytes + outcome_bytes + 7) / 8 * 8;
  }
  [[nodiscard]] const Block& BlockAt(std::uint64_t number) const {
    return blocks_[number - first_block_];
  }
  [[nodiscard]] std::uint64_t end_block() const { return first_block_ + blocks_.size(); }
  [[nodiscard]] Header HeaderAt(Place place) const {
    return base::Load<Header>(BlockAt(place.block).bytes + place.offset);
  }
  [[nodiscard]] RememberedRequest View(Place place) const {
    const Header header = HeaderAt(place);
    const char* bytes = BlockAt(place.block).bytes + place.offset + sizeof(header);
    return {header.sequence,
            header.at,
            header.arguments,
            {bytes, header.id_bytes},
            {bytes + header.id_bytes, header.outcome_bytes}};
  }
  // The place of the next record; in end_block() behind the last.
  [[nodiscard]] Place After(Place place) const {
    const Header header = HeaderAt(place);
    const std::size_t next = place.offset + RecordBytes(header.id_bytes, header.outcome_bytes);
    if (next < BlockAt(place.block).used) return {place.block, static_cast<std::uint32_t>(next)};
    return {place.block + 1, 0};
  }
  [[nodiscard]] Place LowerBound(std::uint64_t sequence) const;
  void Append(const RememberedRequest& request);
  void AddBlock(std::size_t least_bytes, std::uint64_t first_sequence);
  void FreeFirstBlock();

  [[nodiscard]] bool FindIn(const Generation& generation, std::uint64_t hash, std::string_view id,
                            RememberedRequest* request) const;
  void Index(std::uint64_t sequence, std::string_view id);
  void Grow();
  // Every request of the old generation is forgotten: the young one takes its place.
  void Turn();

  core::MemberHash hasher_;
  std::pmr::memory_resource* memory_;
  std::pmr::deque<Block> blocks_;
  std::uint64_t first_block_ = 0;
  Place begin_{0, 0};  // the oldest record
  std::size_t size_ = 0;
  std::size_t block_bytes_ = 0;
  std::uint64_t next_sequence_ = 1;
  Generation young_;  // where requests are added
  Generation old_;    // the requests before those
};

}  // namespace laurel::leaderboard
