// Cells: the entries of a board that has outgrown the packed form.
//
//   words × 8 bytes | meta handle, 4, only with meta | member
//
//   member   text      length, 2 | bytes
//            number    4 or 8 bytes
//            far       pointer, 8 | length, 4       text beyond kMaxNearText, kept elsewhere
//
// Which of these a cell is stands in its slab page, not in the cell: an 18-byte member with one
// field and a stamp takes 16 + 2 + 18 = 36 bytes, a user id below 2^31 takes 20. Cells are
// aligned to 4 bytes. A cell's slot changes only when it gets or loses meta.
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

  // kNoHandle if 2^32 units are used up; nothing has changed then.
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

  // The text of the member: a view of the cell or, for a number, of `buffer`.
  [[nodiscard]] std::string_view MemberOf(Handle handle, MemberBuffer& buffer) const;
  [[nodiscard]] bool HasMember(Handle handle, const MemberKey& member) const;
  [[nodiscard]] std::uint64_t HashOf(Handle handle) const;
  [[nodiscard]] std::uint64_t hash_seed() const { return hash_seed_; }

  [[nodiscard]] std::string_view MetaOf(Handle handle) const;
  // Replaces the meta, empty removes it. The cell may move: returns its handle, old or new, or
  // kNoHandle if there is no room, and then nothing has changed.
  [[nodiscard]] Handle SetMeta(Handle handle, std::string_view meta);

  // Whether both cells have the same member.
  [[nodiscard]] bool SameMember(Handle a, Handle b) const;

  using Cursor = Slab<4>::Cursor;
  // Calls visit(handle) for the cells from the cursor on: see Slab::Walk. Cells that are
  // neither destroyed nor moved (SetMeta) meanwhile are met once.
  template <typename Visit>
  bool Walk(Cursor* cursor, std::size_t limit, const Visit& visit) const {
    return slab_.Walk(
        cursor, limit, [](std::uint8_t kind) { return kind < kBytes; }, visit);
  }

  // Blocks of plain bytes beside the cells: meta, separator tails. kNoHandle if there is no room.
  [[nodiscard]] Handle NewBytes(std::string_view bytes);
  [[nodiscard]] std::string_view BytesAt(Handle handle) const;
  void FreeBytes(Handle handle);

  // The first bytes of the cell, which may lie across two cache lines.
  void Prefetch(Handle handle) const {
    const char* at = slab_.At(handle);
    __builtin_prefetch(at);
    __builtin_prefetch(at + 31);
  }

  [[nodiscard]] std::size_t size() const { return cells_; }
  [[nodiscard]] std::size_t PagesLeft() const { return slab_.PagesLeft(); }
  // Pages that blocks of any sizes take at the most, `bytes` in total.
  [[nodiscard]] static std::size_t PagesFor(std::size_t bytes) {
    return kBlockSizes * Slab<4>::kSmallPages + bytes / Slab<4>::kFullPageBytes;
  }
  [[nodiscard]] std::size_t MemoryUsage() const { return slab_.MemoryUsage() + far_bytes_; }

  // Frees about a page of cells, whatever refers to them: see Slab::FreeOnePage.
  bool FreeSlice();

 private:
  enum Kind : std::uint8_t {
    kText,
    kInt4,
    kInt8,
    kFar,
    kMetaFlag = 4,  // beside one of the above
    kBytes = 8,     // length, 2 | bytes
    kFarBytes,      // as kFar
  };
  static constexpr std::size_t kMaxNearText = 1024;
  static constexpr std::size_t kMaxNearBytes = kMaxMetaBytes;
  // Of cells with a text, with and without meta, of the other kinds of cells, and of bytes.
  static constexpr std::size_t kBlockSizes =
      2 * (kMaxNearText / 4 + 2) + 6 + (kMaxNearBytes / 4 + 2) + 1;

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
