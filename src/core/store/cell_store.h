// Cells: the entries of a board that has outgrown the packed form.
//
//   words × 8 bytes | meta handle, 4, only with meta | member
//
//   member   text      length, 2 | bytes
//            number    4 or 8 bytes
//            far       pointer, 8 | length, 4       text beyond kMaxNearText, allocated separately
//
// The kind of a cell is stored in its slab page, not in the cell: an 18-byte member with one field
// and a stamp takes 16 + 2 + 18 = 36 bytes, a user id below 2^31 takes 20. Cells are aligned to 4
// bytes. A cell moves to another slot only when it gets or loses meta.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string_view>

#include "base/bytes.h"
#include "core/store/member.h"
#include "core/store/score_key.h"
#include "core/store/slab.h"
#include "laurel/limits.h"

namespace laurel::core {

class CellStore {
 public:
  // `layout` and `pool` outlive the store.
  CellStore(const KeyLayout* layout, PagePool* pool, std::uint64_t hash_seed);
  ~CellStore();

  // Returns kNoHandle, and changes nothing, if all 2^32 units are in use.
  [[nodiscard]] Handle Create(const Words& words, const MemberKey& member, std::string_view meta);
  void Destroy(Handle handle);

  [[nodiscard]] const KeyLayout& layout() const { return *layout_; }
  [[nodiscard]] std::uint64_t WordAt(Handle handle, unsigned index) const {
    return base::Load<std::uint64_t>(slab_.At(handle) + index * sizeof(std::uint64_t));
  }
  [[nodiscard]] Words WordsOf(Handle handle) const {
    Words words;
    const char* at = slab_.At(handle);
    for (unsigned i = 0; i < words_; ++i) words[i] = base::Load<std::uint64_t>(at + i * 8);
    return words;
  }
  void SetWords(Handle handle, const Words& words) {
    char* at = slab_.At(handle);
    for (unsigned i = 0; i < words_; ++i) base::Store(at + i * 8, words[i]);
  }

  // The text of the member: a view into the cell or, for a number, into `buffer`.
  [[nodiscard]] std::string_view MemberOf(Handle handle, MemberBuffer& buffer) const;
  [[nodiscard]] bool HasMember(Handle handle, const MemberKey& member) const;
  [[nodiscard]] std::uint64_t HashOf(Handle handle) const;
  [[nodiscard]] std::uint64_t hash_seed() const { return hash_seed_; }

  [[nodiscard]] std::string_view MetaOf(Handle handle) const;
  // Replaces the meta; empty removes it. Returns the cell's handle, which is a new one if the cell
  // moved. Returns kNoHandle, and changes nothing, if there is no room.
  [[nodiscard]] Handle SetMeta(Handle handle, std::string_view meta);

  // Whether both cells have the same member.
  [[nodiscard]] bool SameMember(Handle a, Handle b) const;

  using Cursor = Slab<4>::Cursor;
  // Calls visit(handle) for the cells from the cursor on: see Slab::Walk. A cell that is neither
  // destroyed nor moved (SetMeta) during the walk is visited once.
  template <typename Visit>
  bool Walk(Cursor* cursor, std::size_t limit, const Visit& visit) const {
    return slab_.Walk(
        cursor, limit, [](std::uint8_t kind) { return kind < kBytes; }, visit);
  }

  // Blocks of plain bytes that are not cells: meta, separator tails. NewBytes returns kNoHandle if
  // there is no room.
  [[nodiscard]] Handle NewBytes(std::string_view bytes);
  [[nodiscard]] std::string_view BytesAt(Handle handle) const;
  void FreeBytes(Handle handle);

  // Prefetches the first bytes of the cell, which may lie across two cache lines.
  void Prefetch(Handle handle) const {
    const char* at = slab_.At(handle);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 31);
  }

  [[nodiscard]] std::size_t size() const { return cells_; }
  [[nodiscard]] std::size_t PagesLeft() const { return slab_.PagesLeft(); }
  // Upper bound on the pages that blocks of any sizes take, `bytes` in total.
  [[nodiscard]] static std::size_t PagesFor(std::size_t bytes) {
    return kBlockSizes * Slab<4>::kSmallPages + bytes / Slab<4>::kFullPageBytes;
  }
  [[nodiscard]] std::size_t MemoryUsage() const { return slab_.MemoryUsage() + far_bytes_; }

  // Frees one page of cells or bytes without regard to references to them: see Slab::FreeOnePage.
  bool FreeOnePage();

 private:
  enum Kind : std::uint8_t {
    kText,
    kInt4,
    kInt8,
    kFar,
    kMetaFlag = 4,  // combined with one of the above
    kBytes = 8,     // length, 2 | bytes
    kFarBytes,      // pointer, 8 | length, 4, as kFar
  };
  static constexpr std::size_t kMaxNearText = 1024;
  static constexpr std::size_t kMaxNearBytes = kMaxMetaBytes;
  // The number of block sizes: cells with text, with and without meta; cells of the other kinds;
  // blocks of bytes.
  static constexpr std::size_t kBlockSizes =
      2 * (kMaxNearText / 4 + 2) + 6 + (kMaxNearBytes / 4 + 2) + 1;
  // The longest cell and the longest block of bytes fit into a slab, and their lengths into 2
  // bytes.
  static_assert(sizeof(Words) + sizeof(Handle) + sizeof(std::uint16_t) + kMaxNearText <=
                Slab<4>::kMaxBlockBytes);
  static_assert(sizeof(std::uint16_t) + kMaxNearBytes <= Slab<4>::kMaxBlockBytes);
  static_assert(kMaxNearText <= UINT16_MAX && kMaxNearBytes <= UINT16_MAX);

  static Kind KindFor(const MemberKey& member);
  [[nodiscard]] std::size_t MemberBytes(Kind kind, std::size_t text_bytes) const;
  [[nodiscard]] std::size_t HeadBytes(std::uint8_t kind) const;
  [[nodiscard]] const char* MemberAt(Handle handle) const;
  [[nodiscard]] Handle MetaHandle(Handle handle) const;
  Handle Relocate(Handle handle, Handle meta);
  void StoreFar(char* at, std::string_view text);
  void FreeFar(const char* at);

  const KeyLayout* layout_;
  unsigned words_;  // per cell
  std::pmr::memory_resource* memory_;
  std::uint64_t hash_seed_;
  Slab<4> slab_;
  std::size_t cells_ = 0;
  std::size_t far_bytes_ = 0;
};

}  // namespace laurel::core
