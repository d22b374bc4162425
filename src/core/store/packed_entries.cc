#include "core/store/packed_entries.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/bytes.h"

namespace laurel::core {
namespace {

using base::GetVarint;
using base::Load;
using base::PutVarint;
using base::Store;
using base::UnZigZag;
using base::ZigZag;

enum Head : std::uint8_t { kInteger = 1, kMeta = 2, kRawDouble = 4 };

constexpr std::size_t kGrain = 16;  // the block size is a multiple of this
static_assert(PackedEntries::kMaxBytes + kGrain <= UINT16_MAX, "sizes have 16 bits");
// Head, eight fields and a stamp at their longest, and two lengths.
constexpr std::size_t kMaxOverhead = 1 + (kMaxWords + 2) * base::kMaxVarintBytes;

constexpr double kWholeDoubles = 9007199254740992.0;  // 2^53

bool IsWhole(double value) {
  return std::abs(value) <= kWholeDoubles && value == std::trunc(value);
}

char* PutText(char* to, std::string_view text) {
  to = PutVarint(to, text.size());
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

const char* GetText(const char* at, std::string_view* text) {
  std::uint64_t size = 0;
  at = GetVarint(at, &size);
  *text = {at, size};
  return at + size;
}

}  // namespace

char* PackedEntries::Encode(char* to, const Words& words, const MemberKey& member,
                            std::string_view meta, std::uint64_t base_stamp) const {
  char* head = to++;
  std::uint8_t flags = 0;
  if (layout_->is_double()) {
    const double value = DoubleOf(words[0]);
    if (IsWhole(value)) {
      to = PutVarint(to, ZigZag(static_cast<std::int64_t>(value)));
    } else {
      flags |= kRawDouble;
      Store(to, words[0]);
      to += sizeof(words[0]);
    }
  } else {
    for (unsigned i = 0; i < layout_->fields(); ++i) {
      to = PutVarint(to, ZigZag(static_cast<std::int64_t>(words[i] - kSignBit)));
    }
  }
  if (layout_->stamped()) {
    to = PutVarint(to, ZigZag(static_cast<std::int64_t>(words[layout_->fields()] - base_stamp)));
  }
  if (member.is_integer()) {
    flags |= kInteger;
    to = PutVarint(to, ZigZag(member.integer()));
  } else {
    to = PutText(to, member.text());
  }
  if (!meta.empty()) {
    flags |= kMeta;
    to = PutText(to, meta);
  }
  *head = static_cast<char>(flags);
  return to;
}

const char* PackedEntries::Read(const char* at, EntryView* view) const {
  const auto flags = static_cast<std::uint8_t>(*at++);
  std::uint64_t number = 0;
  if (!layout_->is_double()) {
    for (unsigned i = 0; i < layout_->fields(); ++i) {
      at = GetVarint(at, &number);
      view->words[i] = static_cast<std::uint64_t>(UnZigZag(number)) + kSignBit;
    }
  } else if ((flags & kRawDouble) != 0) {
    view->words[0] = Load<std::uint64_t>(at);
    at += sizeof(std::uint64_t);
  } else {
    at = GetVarint(at, &number);
    view->words[0] = OrderedDouble(static_cast<double>(UnZigZag(number)));
  }
  if (layout_->stamped()) {
    at = GetVarint(at, &number);
    view->words[layout_->fields()] =
        Load<std::uint64_t>(block_) + static_cast<std::uint64_t>(UnZigZag(number));
  }
  if ((flags & kInteger) != 0) {
    at = GetVarint(at, &number);
    view->member = IntegerText(UnZigZag(number), view->buffer);
  } else {
    at = GetText(at, &view->member);
  }
  view->meta = {};
  if ((flags & kMeta) != 0) at = GetText(at, &view->meta);
  return at;
}

const char* PackedEntries::At(unsigned place) const {
  EntryView view;
  const char* at = begin();
  for (unsigned i = 0; i < place; ++i) at = Read(at, &view);
  return at;
}

void PackedEntries::Resize(std::size_t capacity) {
  capacity = (capacity + kGrain - 1) / kGrain * kGrain;
  if (capacity == capacity_) return;
  char* fresh = static_cast<char*>(memory_->allocate(capacity, alignof(std::uint64_t)));
  if (block_ != nullptr) {
    std::memcpy(fresh, block_, bytes_);
    memory_->deallocate(block_, capacity_, alignof(std::uint64_t));
  }
  block_ = fresh;
  capacity_ = static_cast<std::uint16_t>(capacity);
}

bool PackedEntries::Insert(unsigned place, const Words& words, const MemberKey& member,
                           std::string_view meta) {
  LAUREL_ASSERT(place <= count_);
  if (member.text().size() + meta.size() > kMaxBytes) return false;
  char encoded[kMaxBytes + kMaxOverhead];
  std::uint64_t base_stamp = layout_->stamped() ? words[layout_->fields()] : 0;
  if (block_ != nullptr && layout_->stamped()) base_stamp = Load<std::uint64_t>(block_);
  const auto size =
      static_cast<std::size_t>(Encode(encoded, words, member, meta, base_stamp) - encoded);
  LAUREL_ASSERT(size <= sizeof(encoded));
  const std::size_t header = layout_->stamped() ? sizeof(std::uint64_t) : 0;
  const std::size_t old_bytes = block_ == nullptr ? header : bytes_;
  if (old_bytes + size > kMaxBytes) return false;

  const std::size_t offset =
      block_ == nullptr ? header : static_cast<std::size_t>(At(place) - block_);
  LAUREL_ASSERT(offset <= old_bytes);
  if (old_bytes + size > capacity_) Resize(old_bytes + size);
  if (old_bytes == header && header > 0) Store(block_, base_stamp);
  std::memmove(block_ + offset + size, block_ + offset, old_bytes - offset);
  std::memcpy(block_ + offset, encoded, size);
  bytes_ = static_cast<std::uint16_t>(old_bytes + size);
  ++count_;
  return true;
}

void PackedEntries::Erase(unsigned place) {
  LAUREL_ASSERT(place < count_);
  if (count_ == 1) {
    Clear();
    return;
  }
  EntryView view;
  const char* from = At(place);
  const char* behind = Read(from, &view);
  const auto offset = static_cast<std::size_t>(from - block_);
  const auto size = static_cast<std::size_t>(behind - from);
  LAUREL_ASSERT(offset + size <= bytes_);
  std::memmove(block_ + offset, behind, bytes_ - offset - size);
  bytes_ = static_cast<std::uint16_t>(bytes_ - size);
  --count_;
  if (bytes_ + 4 * kGrain < capacity_) Resize(bytes_);
}

void PackedEntries::Clear() {
  if (block_ != nullptr) memory_->deallocate(block_, capacity_, alignof(std::uint64_t));
  block_ = nullptr;
  bytes_ = capacity_ = count_ = 0;
}

void PackedEntries::Swap(PackedEntries& other) {
  LAUREL_ASSERT(layout_ == other.layout_ && memory_ == other.memory_);
  std::swap(block_, other.block_);
  std::swap(bytes_, other.bytes_);
  std::swap(capacity_, other.capacity_);
  std::swap(count_, other.count_);
}

}  // namespace laurel::core
