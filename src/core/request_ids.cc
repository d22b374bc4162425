#include "core/request_ids.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace laurel::core {

RequestIds::~RequestIds() {
  while (!blocks_.empty()) FreeFirstBlock();
}

RememberedRequest RequestIds::View(Place place) const {
  const char* record = BlockAt(place.block).bytes + place.offset;
  Header header;
  std::memcpy(&header, record, sizeof(header));
  const char* bytes = record + sizeof(header);
  return {header.sequence,
          header.at,
          header.arguments,
          {bytes, header.id_bytes},
          {bytes + header.id_bytes, header.outcome_bytes}};
}

RequestIds::Place RequestIds::After(Place place) const {
  const RememberedRequest request = View(place);
  const std::size_t next = place.offset + RecordBytes(request.id.size(), request.outcome.size());
  if (next < BlockAt(place.block).used) return {place.block, static_cast<std::uint32_t>(next)};
  return {place.block + 1, 0};
}

RequestIds::Place RequestIds::LowerBound(std::uint64_t sequence) const {
  if (size_ == 0 || sequence >= next_sequence_) return {end_block(), 0};
  // The last block that begins at or before it.
  const auto behind = std::upper_bound(
      blocks_.begin(), blocks_.end(), sequence,
      [](std::uint64_t wanted, const Block& block) { return wanted < block.first_sequence; });
  const auto ahead = behind == blocks_.begin() ? 0 : behind - blocks_.begin() - 1;
  Place at = ahead == 0 ? begin_ : Place{first_block_ + static_cast<std::uint32_t>(ahead), 0};
  while (at.block != end_block() && View(at).sequence < sequence) at = After(at);
  return at;
}

bool RequestIds::Find(std::string_view id, RememberedRequest* request) const {
  if (slots_.empty()) return false;
  const std::uint32_t hash = HashOf(id);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].place.block != kNoBlock; at = (at + 1) & mask) {
    if (slots_[at].hash != hash) continue;
    *request = View(slots_[at].place);
    if (request->id == id) return true;
  }
  return false;
}

void RequestIds::Remember(const RememberedRequest& request) {
  if (request.sequence < next_sequence_) return;
  next_sequence_ = request.sequence + 1;
  if ((size_ + 1) * 4 > slots_.size() * 3) Grow();
  const Place place = Append(request);
  Index({HashOf(request.id), place}, request.id);
}

RequestIds::Place RequestIds::Append(const RememberedRequest& request) {
  const std::size_t bytes = RecordBytes(request.id.size(), request.outcome.size());
  if (blocks_.empty() || blocks_.back().size - blocks_.back().used < bytes) {
    AddBlock(bytes, request.sequence);
  }
  Block& block = blocks_.back();
  const Place place{end_block() - 1, block.used};
  const Header header{request.sequence, request.at, request.arguments,
                      static_cast<std::uint32_t>(request.id.size()),
                      static_cast<std::uint32_t>(request.outcome.size())};
  char* to = block.bytes + block.used;
  std::memcpy(to, &header, sizeof(header));
  to = std::copy(request.id.begin(), request.id.end(), to + sizeof(header));
  std::copy(request.outcome.begin(), request.outcome.end(), to);
  block.used += static_cast<std::uint32_t>(bytes);
  if (size_++ == 0) begin_ = place;
  return place;
}

void RequestIds::AddBlock(std::size_t least_bytes, std::uint64_t first_sequence) {
  const std::size_t size =
      std::max(least_bytes, std::clamp(block_bytes_, kLeastBlockBytes, kMostBlockBytes));
  LAUREL_ASSERT(size <= UINT32_MAX && end_block() + 1 != kNoBlock);
  char* bytes = static_cast<char*>(memory_->allocate(size, alignof(Header)));
  blocks_.push_back({bytes, static_cast<std::uint32_t>(size), 0, first_sequence});
  block_bytes_ += size;
}

void RequestIds::FreeFirstBlock() {
  const Block& block = blocks_.front();
  block_bytes_ -= block.size;
  memory_->deallocate(block.bytes, block.size, alignof(Header));
  blocks_.pop_front();
  ++first_block_;
}

void RequestIds::ForgetBefore(std::uint64_t sequence) {
  while (size_ > 0) {
    const RememberedRequest oldest = View(begin_);
    if (oldest.sequence >= sequence) break;
    Unindex(begin_, oldest.id);
    begin_ = After(begin_);
    --size_;
    while (first_block_ != begin_.block) FreeFirstBlock();
  }
  if (size_ == 0) {
    slots_.clear();
    slots_.shrink_to_fit();
  }
  next_sequence_ = std::max(next_sequence_, sequence);
}

// The index ---------------------------------------------------------------------------------------

void RequestIds::Grow() {
  const std::pmr::vector<Slot> before = std::move(slots_);
  slots_.assign(std::max<std::size_t>(16, before.size() * 2), Slot{0, {kNoBlock, 0}});
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : before) {
    if (slot.place.block == kNoBlock) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].place.block != kNoBlock) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

// An id that is there already means the new request from now on.
void RequestIds::Index(Slot slot, std::string_view id) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = slot.hash & mask;
  for (; slots_[at].place.block != kNoBlock; at = (at + 1) & mask) {
    if (slots_[at].hash == slot.hash && View(slots_[at].place).id == id) break;
  }
  slots_[at] = slot;
}

// Does nothing if the id means a later request.
void RequestIds::Unindex(Place place, std::string_view id) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = HashOf(id) & mask;
  while (slots_[hole].place != place) {
    if (slots_[hole].place.block == kNoBlock) return;
    hole = (hole + 1) & mask;
  }
  // What could stand in the hole moves there, so that every one is found from its own place on.
  for (std::size_t at = (hole + 1) & mask; slots_[at].place.block != kNoBlock;
       at = (at + 1) & mask) {
    const std::size_t home = slots_[at].hash & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole].place.block = kNoBlock;
}

}  // namespace laurel::core
