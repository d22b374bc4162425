// The requests that a board remembers, so that a retry changes nothing and is told what the first
// one was told.
//
// They stand in the order in which they were carried out, each with a sequence number that is never
// given again; the oldest are forgotten first. What is decided (which to forget, and when) is the
// caller's: remembering and forgetting are effects like others, absolute and safe to repeat.
//
// They lie one behind the other in blocks, and the index holds places in them: remembering touches
// one slot at random and memory that was just written, forgetting another and memory in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "core/member.h"
#include "laurel/stamp.h"

namespace laurel::core {

struct RememberedRequest {
  std::uint64_t sequence = 0;
  Stamp at = 0;                 // when it was carried out
  std::uint64_t arguments = 0;  // a hash of what it asked for
  std::string_view id;
  std::string_view outcome;  // what it was told, in the caller's form
};

class RequestIds {
 public:
  // Ids come from clients: the hash is seeded. `memory` outlives them.
  RequestIds(MemberHash hasher, std::pmr::memory_resource* memory)
      : hasher_(hasher), memory_(memory), blocks_(memory), slots_(memory) {}
  ~RequestIds();
  RequestIds(const RequestIds&) = delete;
  RequestIds& operator=(const RequestIds&) = delete;

  // The request of that id, valid until the next change.
  [[nodiscard]] bool Find(std::string_view id, RememberedRequest* request) const;

  [[nodiscard]] std::uint64_t next_sequence() const { return next_sequence_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // What they take, index included.
  [[nodiscard]] std::size_t bytes() const { return block_bytes_ + slots_.size() * sizeof(Slot); }
  // The oldest one. REQUIRES: not empty.
  [[nodiscard]] RememberedRequest Oldest() const { return View(begin_); }

  // Does nothing if the sequence number has been given already.
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
    std::uint32_t block;
    std::uint32_t offset;
    bool operator==(const Place&) const = default;
  };
  struct Slot {
    std::uint32_t hash;
    Place place;
  };
  static constexpr std::uint32_t kNoBlock = UINT32_MAX;
  // The first block is small, and each as large as all before it up to a bound.
  static constexpr std::size_t kLeastBlockBytes = 256;
  static constexpr std::size_t kMostBlockBytes = std::size_t{16} << 10;

  [[nodiscard]] static std::size_t RecordBytes(std::size_t id_bytes, std::size_t outcome_bytes) {
    return (sizeof(Header) + id_bytes + outcome_bytes + 7) / 8 * 8;
  }
  [[nodiscard]] const Block& BlockAt(std::uint32_t number) const {
    return blocks_[number - first_block_];
  }
  [[nodiscard]] std::uint32_t end_block() const {
    return first_block_ + static_cast<std::uint32_t>(blocks_.size());
  }
  [[nodiscard]] RememberedRequest View(Place place) const;
  // The place of the next record; in end_block() behind the last.
  [[nodiscard]] Place After(Place place) const;
  [[nodiscard]] Place LowerBound(std::uint64_t sequence) const;
  Place Append(const RememberedRequest& request);
  void AddBlock(std::size_t least_bytes, std::uint64_t first_sequence);
  void FreeFirstBlock();

  [[nodiscard]] std::uint32_t HashOf(std::string_view id) const {
    return static_cast<std::uint32_t>(hasher_(id) >> 32);
  }
  void Grow();
  void Index(Slot slot, std::string_view id);
  void Unindex(Place place, std::string_view id);

  MemberHash hasher_;
  std::pmr::memory_resource* memory_;
  std::pmr::deque<Block> blocks_;
  std::uint32_t first_block_ = 0;
  Place begin_{0, 0};  // the oldest record
  std::size_t size_ = 0;
  std::size_t block_bytes_ = 0;
  std::uint64_t next_sequence_ = 1;
  // By hash, with linear probing, at most three quarters full. What is taken out leaves no trace.
  std::pmr::vector<Slot> slots_;
};

}  // namespace laurel::core
