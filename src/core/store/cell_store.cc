#include "core/store/cell_store.h"

#include <cstring>

#include "base/assert.h"
#include "laurel/limits.h"

namespace laurel::core {
namespace {

using base::Load;
using base::Store;

constexpr std::size_t kMetaHandleBytes = sizeof(Handle);
constexpr std::size_t kFarSize = sizeof(char*) + sizeof(std::uint32_t);

char* FarPointer(const char* at) { return Load<char*>(at); }
std::uint32_t FarLength(const char* at) { return Load<std::uint32_t>(at + sizeof(char*)); }

}  // namespace

static_assert(kMaxMetaBytes + 2 <= Slab<4>::kMaxBlockBytes);

CellStore::CellStore(const KeyLayout* layout, PagePool* pool, std::uint64_t hash_seed)
    : layout_(layout),
      words_(layout->words()),
      memory_(pool->memory()),
      hash_seed_(hash_seed),
      slab_(pool) {}

CellStore::~CellStore() {
  while (FreeOnePage()) {
  }
  LAUREL_ASSERT(far_bytes_ == 0);
}

CellStore::Kind CellStore::KindFor(const MemberKey& member) {
  if (member.is_integer()) {
    return member.integer() == static_cast<std::int32_t>(member.integer()) ? kInt4 : kInt8;
  }
  return member.text().size() <= kMaxNearText ? kText : kFar;
}

std::size_t CellStore::MemberBytes(Kind kind, std::size_t text_bytes) const {
  switch (kind) {
    case kInt4:
      return 4;
    case kInt8:
      return 8;
    case kFar:
      return kFarSize;
    default:
      return sizeof(std::uint16_t) + text_bytes;
  }
}

std::size_t CellStore::HeadBytes(std::uint8_t kind) const {
  return layout_->words() * sizeof(std::uint64_t) +
         ((kind & kMetaFlag) != 0 ? kMetaHandleBytes : 0);
}

const char* CellStore::MemberAt(Handle handle) const {
  return slab_.At(handle) + HeadBytes(slab_.KindOf(handle));
}

Handle CellStore::Create(const Words& words, const MemberKey& member, std::string_view meta) {
  Handle meta_block = kNoHandle;
  if (!meta.empty()) {
    meta_block = NewBytes(meta);
    if (meta_block == kNoHandle) return kNoHandle;
  }
  const Kind kind = KindFor(member);
  const auto full_kind = static_cast<std::uint8_t>(kind | (meta.empty() ? 0 : kMetaFlag));
  const std::size_t head = HeadBytes(full_kind);
  const Handle handle = slab_.Allocate(head + MemberBytes(kind, member.text().size()), full_kind);
  if (handle == kNoHandle) {
    if (meta_block != kNoHandle) FreeBytes(meta_block);
    return kNoHandle;
  }
  SetWords(handle, words);
  char* at = slab_.At(handle) + head;
  if (meta_block != kNoHandle) Store(at - kMetaHandleBytes, meta_block);
  switch (kind) {
    case kInt4:
      Store(at, static_cast<std::int32_t>(member.integer()));
      break;
    case kInt8:
      Store(at, member.integer());
      break;
    case kFar:
      StoreFar(at, member.text());
      break;
    default:
      Store(at, static_cast<std::uint16_t>(member.text().size()));
      std::memcpy(at + sizeof(std::uint16_t), member.text().data(), member.text().size());
  }
  ++cells_;
  return handle;
}

void CellStore::Destroy(Handle handle) {
  LAUREL_ASSERT(cells_ > 0 && slab_.KindOf(handle) < kBytes);
  if (const Handle meta = MetaHandle(handle); meta != kNoHandle) FreeBytes(meta);
  if ((slab_.KindOf(handle) & ~kMetaFlag) == kFar) FreeFar(MemberAt(handle));
  slab_.Free(handle);
  --cells_;
}

void CellStore::StoreFar(char* at, std::string_view text) {
  LAUREL_ASSERT(text.size() <= UINT32_MAX);
  auto* copy = static_cast<char*>(memory_->allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  Store(at, copy);
  Store(at + sizeof(char*), static_cast<std::uint32_t>(text.size()));
  far_bytes_ += text.size();
}

void CellStore::FreeFar(const char* at) {
  LAUREL_ASSERT(FarLength(at) <= far_bytes_);
  memory_->deallocate(FarPointer(at), FarLength(at), 1);
  far_bytes_ -= FarLength(at);
}

std::string_view CellStore::MemberOf(Handle handle, MemberBuffer& buffer) const {
  const char* at = MemberAt(handle);
  switch (slab_.KindOf(handle) & ~kMetaFlag) {
    case kInt4:
      return IntegerText(Load<std::int32_t>(at), buffer);
    case kInt8:
      return IntegerText(Load<std::int64_t>(at), buffer);
    case kFar:
      return {FarPointer(at), FarLength(at)};
    default:
      return {at + sizeof(std::uint16_t), Load<std::uint16_t>(at)};
  }
}

bool CellStore::HasMember(Handle handle, const MemberKey& member) const {
  const char* at = MemberAt(handle);
  switch (slab_.KindOf(handle) & ~kMetaFlag) {
    case kInt4:
      return member.is_integer() && Load<std::int32_t>(at) == member.integer();
    case kInt8:
      return member.is_integer() && Load<std::int64_t>(at) == member.integer();
    case kFar:
      return std::string_view(FarPointer(at), FarLength(at)) == member.text();
    default:
      return !member.is_integer() &&
             std::string_view(at + sizeof(std::uint16_t), Load<std::uint16_t>(at)) == member.text();
  }
}

bool CellStore::SameMember(Handle a, Handle b) const {
  // One member has one kind, so cells of different kinds have different members.
  const int kind = slab_.KindOf(a) & ~kMetaFlag;
  if (kind != (slab_.KindOf(b) & ~kMetaFlag)) return false;
  MemberBuffer unused;
  switch (kind) {
    case kInt4:
      return Load<std::int32_t>(MemberAt(a)) == Load<std::int32_t>(MemberAt(b));
    case kInt8:
      return Load<std::int64_t>(MemberAt(a)) == Load<std::int64_t>(MemberAt(b));
    default:
      return MemberOf(a, unused) == MemberOf(b, unused);
  }
}

std::uint64_t CellStore::HashOf(Handle handle) const {
  const char* at = MemberAt(handle);
  switch (slab_.KindOf(handle) & ~kMetaFlag) {
    case kInt4:
      return HashMemberInteger(Load<std::int32_t>(at), hash_seed_);
    case kInt8:
      return HashMemberInteger(Load<std::int64_t>(at), hash_seed_);
    default: {
      MemberBuffer unused;
      return HashMemberText(MemberOf(handle, unused), hash_seed_);
    }
  }
}

Handle CellStore::MetaHandle(Handle handle) const {
  if ((slab_.KindOf(handle) & kMetaFlag) == 0) return kNoHandle;
  return Load<Handle>(MemberAt(handle) - kMetaHandleBytes);
}

Handle CellStore::NewBytes(std::string_view bytes) {
  const bool far = bytes.size() > kMaxNearBytes;
  const Handle handle = slab_.Allocate(far ? kFarSize : sizeof(std::uint16_t) + bytes.size(),
                                       far ? kFarBytes : kBytes);
  if (handle == kNoHandle) return kNoHandle;
  char* at = slab_.At(handle);
  if (far) {
    StoreFar(at, bytes);
  } else {
    Store(at, static_cast<std::uint16_t>(bytes.size()));
    std::memcpy(at + sizeof(std::uint16_t), bytes.data(), bytes.size());
  }
  return handle;
}

std::string_view CellStore::BytesAt(Handle handle) const {
  const char* at = slab_.At(handle);
  if (slab_.KindOf(handle) == kFarBytes) return {FarPointer(at), FarLength(at)};
  return {at + sizeof(std::uint16_t), Load<std::uint16_t>(at)};
}

void CellStore::FreeBytes(Handle handle) {
  LAUREL_ASSERT(slab_.KindOf(handle) >= kBytes);  // it is no cell
  if (slab_.KindOf(handle) == kFarBytes) FreeFar(slab_.At(handle));
  slab_.Free(handle);
}

std::string_view CellStore::MetaOf(Handle handle) const {
  const Handle meta = MetaHandle(handle);
  return meta == kNoHandle ? std::string_view() : BytesAt(meta);
}

// Moves the cell to a slot with the meta handle `meta`, or without one if `meta` is kNoHandle.
Handle CellStore::Relocate(Handle handle, Handle meta) {
  const std::uint8_t old_kind = slab_.KindOf(handle);
  const auto kind = static_cast<Kind>(old_kind & ~kMetaFlag);
  const auto new_kind = static_cast<std::uint8_t>(kind | (meta != kNoHandle ? kMetaFlag : 0));
  LAUREL_ASSERT(new_kind != old_kind);  // only a cell that gets or loses meta moves
  MemberBuffer unused;
  const std::size_t text_bytes = kind == kText ? MemberOf(handle, unused).size() : 0;
  const std::size_t member_bytes = MemberBytes(kind, text_bytes);
  const Handle moved = slab_.Allocate(HeadBytes(new_kind) + member_bytes, new_kind);
  if (moved == kNoHandle) return kNoHandle;
  std::memcpy(slab_.At(moved), slab_.At(handle), layout_->words() * sizeof(std::uint64_t));
  std::memcpy(slab_.At(moved) + HeadBytes(new_kind), MemberAt(handle), member_bytes);
  if (meta != kNoHandle) Store(slab_.At(moved) + HeadBytes(0), meta);
  slab_.Free(handle);
  return moved;
}

Handle CellStore::SetMeta(Handle handle, std::string_view meta) {
  const Handle old_meta = MetaHandle(handle);
  if (old_meta == kNoHandle ? meta.empty() : BytesAt(old_meta) == meta) return handle;
  Handle new_meta = kNoHandle;
  if (!meta.empty()) {
    new_meta = NewBytes(meta);
    if (new_meta == kNoHandle) return kNoHandle;
  }
  Handle moved = handle;
  if (old_meta != kNoHandle && new_meta != kNoHandle) {
    Store(slab_.At(handle) + HeadBytes(0), new_meta);
  } else {
    moved = Relocate(handle, new_meta);
    if (moved == kNoHandle) {
      if (new_meta != kNoHandle) FreeBytes(new_meta);
      return kNoHandle;
    }
  }
  if (old_meta != kNoHandle) FreeBytes(old_meta);
  return moved;
}

bool CellStore::FreeOnePage() {
  return slab_.FreeOnePage([this](Handle handle) {
    const std::uint8_t kind = slab_.KindOf(handle);
    if (kind == kFarBytes) FreeFar(slab_.At(handle));
    if ((kind & ~kMetaFlag) == kFar) FreeFar(MemberAt(handle));
  });
}

}  // namespace laurel::core
