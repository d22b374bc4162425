// Small boards: entries packed into one block of bytes, best first.
//
//   block   base stamp word, 8 (if stamped) │ entry │ entry │ …
//   entry   head, 1 │ field words │ stamp │ member │ meta
//
//   head     1: the member is a number   2: has meta   4: the double is stored raw
//   field    varint of the distance from the middle of the word's range, zigzag: small scores are
//            short in both directions. A double that is a whole number is stored as a varint of
//            that number, zigzag; any other double as 8 raw bytes.
//   stamp    varint of the distance from the base stamp word, zigzag
//   member   varint of the number, zigzag; or varint length │ bytes
//   meta     varint length │ bytes
//
// An entry takes 14 bytes for a user id of 7 digits, a score of 4 digits and a stamp within the
// month; in the tree it takes 40.
// Every access walks from the front: at most 64 entries in at most 4 KiB.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "core/store/member.h"
#include "core/store/score_key.h"

namespace laurel::core {

// An entry that was read. Its views point into the store and are valid until the store changes.
struct EntryView {
  EntryView() = default;
  EntryView(const EntryView&) = delete;
  EntryView& operator=(const EntryView&) = delete;

  Words words;
  std::string_view member;
  std::string_view meta;
  MemberBuffer buffer;  // the text of a member that is stored as a number
};

class PackedEntries {
 public:
  static constexpr std::size_t kMaxBytes = 4096;

  PackedEntries(const KeyLayout* layout, std::pmr::memory_resource* memory)
      : layout_(layout), memory_(memory) {}
  ~PackedEntries() { Clear(); }
  PackedEntries(const PackedEntries&) = delete;
  PackedEntries& operator=(const PackedEntries&) = delete;

  [[nodiscard]] unsigned size() const { return count_; }

  // Inserts an entry at `place`, 0 to size(). Returns false, and changes nothing, if it does not
  // fit.
  bool Insert(unsigned place, const Words& words, const MemberKey& member, std::string_view meta);
  void Erase(unsigned place);
  void Clear();
  void Swap(PackedEntries& other);

  // To walk: for (const char* at = begin(); at != end(); at = Read(at, &view)) …
  [[nodiscard]] const char* begin() const { return block_ + HeaderBytes(); }
  [[nodiscard]] const char* end() const { return block_ == nullptr ? begin() : block_ + bytes_; }
  const char* Read(const char* at, EntryView* view) const;
  [[nodiscard]] const char* At(unsigned place) const;

  [[nodiscard]] std::size_t MemoryUsage() const { return capacity_; }

 private:
  [[nodiscard]] std::size_t HeaderBytes() const {
    return block_ != nullptr && layout_->stamped() ? sizeof(std::uint64_t) : 0;
  }
  char* Encode(char* to, const Words& words, const MemberKey& member, std::string_view meta,
               std::uint64_t base_stamp) const;
  void Resize(std::size_t capacity);

  const KeyLayout* layout_;
  std::pmr::memory_resource* memory_;
  char* block_ = nullptr;
  std::uint16_t bytes_ = 0;
  std::uint16_t capacity_ = 0;
  std::uint16_t count_ = 0;
};

}  // namespace laurel::core
