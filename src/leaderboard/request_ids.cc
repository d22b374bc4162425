#include "leaderboard/request_ids.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "leaderboard/limits.h"

namespace laurel::leaderboard {

static_assert(kMaxRequestIdLength + kMaxOutcomeBytes < UINT32_MAX / 2, "a block has 32 bits");

RequestIds::~RequestIds() {
  *total_ -= size_;
  while (!blocks_.empty()) FreeFirstBlock();
  LAUREL_ASSERT(block_bytes_ == 0);
}

RequestIds::BlockOffset RequestIds::LowerBound(std::uint64_t sequence) const {
  if (size_ == 0 || sequence >= next_sequence_) return {end_block(), 0};
  // Start in the last block that begins at or before `sequence`.
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), sequence,
      [](std::uint64_t wanted, const Block& block) { return wanted < block.first_sequence; });
  const auto ahead = behind == blocks_.begin() ? 0 : behind - blocks_.begin() - 1;
  BlockOffset at =
      ahead == 0 ? begin_ : BlockOffset{first_block_ + static_cast<std::uint64_t>(ahead), 0};
  while (at.block != end_block() && HeaderAt(at).sequence < sequence) at = After(at);
  return at;
}

void RequestIds::Remember(const RememberedRequest& request) {
  if (request.sequence < next_sequence_) return;
  LAUREL_ASSERT(request.sequence <= RememberedRequest::kMaxSequence);
  next_sequence_ = request.sequence + 1;
  Append(request);
  if ((young_.count + 1) * 5 > young_.slots.size() * 4) {
    Grow();
  } else {
    Index(request.sequence, request.id);
  }
}

void RequestIds::Append(const RememberedRequest& request) {
  const std::size_t bytes = RequestBytes(request.id.size(), request.outcome.size());
  if (blocks_.empty() || blocks_.back().size - blocks_.back().used < bytes) {
    AddBlock(bytes, request.sequence);
  }
  Block& block = blocks_.back();
  LAUREL_ASSERT(block.size - block.used >= bytes);
  const BlockOffset place{end_block() - 1, block.used};
  const Header header{request.sequence, request.at, request.identity,
                      static_cast<std::uint32_t>(request.id.size()),
                      static_cast<std::uint32_t>(request.outcome.size())};
  char* to = block.bytes + block.used;
  std::memcpy(to, &header, sizeof(header));
  to = std::copy(request.id.begin(), request.id.end(), to + sizeof(header));
  std::copy(request.outcome.begin(), request.outcome.end(), to);
  block.used += static_cast<std::uint32_t>(bytes);
  if (size_++ == 0) begin_ = place;
  ++*total_;
}

void RequestIds::AddBlock(std::size_t least_bytes, std::uint64_t first_sequence) {
  const std::size_t size =
      std::max(least_bytes, std::clamp(block_bytes_, kLeastBlockBytes, kMostBlockBytes));
  LAUREL_ASSERT(size <= UINT32_MAX);
  char* bytes = static_cast<char*>(memory_->allocate(size, alignof(Header)));
  blocks_.push_back({bytes, static_cast<std::uint32_t>(size), 0, first_sequence});
  block_bytes_ += size;
}

void RequestIds::FreeFirstBlock() {
  const Block& block = blocks_.front();
  LAUREL_ASSERT(block_bytes_ >= block.size);
  block_bytes_ -= block.size;
  memory_->deallocate(block.bytes, block.size, alignof(Header));
  blocks_.pop_front();
  ++first_block_;
}

void RequestIds::ForgetBefore(std::uint64_t sequence) {
  next_sequence_ = std::max(next_sequence_, sequence);
  while (size_ > 0 && HeaderAt(begin_).sequence < sequence) {
    begin_ = After(begin_);
    --size_;
    --*total_;
    while (first_block_ != begin_.block) FreeFirstBlock();
  }
  LAUREL_ASSERT((size_ == 0) == blocks_.empty());
  if (size_ == 0) {
    young_ = Generation(memory_);
    old_ = Generation(memory_);
    young_.first = next_sequence_;
  } else if (HeaderAt(begin_).sequence >= young_.first) {
    RotateGenerations();
  }
}

// The index ---------------------------------------------------------------------------------------

void RequestIds::Prefetch(std::string_view id) const {
  const std::uint64_t hash = hasher_(id);
  for (const Generation* generation : {&young_, &old_}) {
    const std::pmr::vector<Slot>& slots = generation->slots;
    if (!slots.empty()) __builtin_prefetch(&slots[hash & (slots.size() - 1)]);
  }
}

bool RequestIds::Find(std::string_view id, RememberedRequest* request) const {
  if (size_ == 0) return false;
  const std::uint64_t hash = hasher_(id);
  return FindIn(young_, hash, id, request) || FindIn(old_, hash, id, request);
}

bool RequestIds::FindIn(const Generation& generation, std::uint64_t hash, std::string_view id,
                        RememberedRequest* request) const {
  if (generation.slots.empty()) return false;
  const std::size_t mask = generation.slots.size() - 1;
  const std::uint64_t tag = hash >> (64 - kTagBits);
  bool found = false;
  for (std::size_t at = hash & mask; !generation.IsFree(generation.slots[at]);
       at = (at + 1) & mask) {
    const Slot slot = generation.slots[at];
    if ((slot & ((1U << kTagBits) - 1)) != tag) continue;
    const std::uint64_t sequence = slot >> kTagBits;
    if (sequence < HeaderAt(begin_).sequence || (found && sequence < request->sequence)) continue;
    const RememberedRequest candidate = View(LowerBound(sequence));
    if (candidate.id != id) continue;
    *request = candidate;
    found = true;
  }
  return found;
}

void RequestIds::Index(std::uint64_t sequence, std::string_view id) {
  const std::uint64_t hash = hasher_(id);
  const std::size_t mask = young_.slots.size() - 1;
  LAUREL_ASSERT(young_.count < young_.slots.size());  // or the probing would not end
  std::size_t at = hash & mask;
  while (!young_.IsFree(young_.slots[at])) at = (at + 1) & mask;
  young_.slots[at] = sequence << kTagBits | hash >> (64 - kTagBits);
  ++young_.count;
}

void RequestIds::Grow() {
  young_.slots.assign(std::max(kLeastSlots, young_.slots.size() * 2), Slot{0});
  young_.count = 0;
  for (BlockOffset at = LowerBound(young_.first); at.block != end_block(); at = After(at)) {
    const RememberedRequest request = View(at);
    Index(request.sequence, request.id);
  }
}

void RequestIds::RotateGenerations() {
  std::swap(young_, old_);
  young_.first = next_sequence_;
  young_.count = 0;
  // The young generation will hold about as many requests as the old one. Free slots made for far
  // more.
  if (young_.slots.size() > old_.count * 4) young_.slots = std::pmr::vector<Slot>(memory_);
}

}  // namespace laurel::leaderboard
