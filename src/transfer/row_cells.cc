#include "transfer/row_cells.h"

namespace laurel::transfer {

RowCells::~RowCells() {
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const auto [bytes, alignment] = SizeOf(i);
    base::SystemMemory()->deallocate(chunks_[i], bytes, alignment);
  }
}

Handle RowCells::Create(const Cell& cell, const core::Words& words) {
  LAUREL_ASSERT(cell.member.size() <= kMaxMemberBytes && cell.meta.size() <= kMaxMetaBytes);
  LAUREL_ASSERT(cell.sequence < kMaxSequence);
  const std::uint64_t info =
      cell.sequence << kSequenceShift | std::uint64_t{cell.member.size()} << kMemberShift |
      std::uint64_t{cell.meta.size()} << kMetaShift | (cell.hidden ? kHidden : 0);
  const std::size_t units = UnitsOf(info);
  const Handle mask = (Handle{1} << kChunkShift) - 1;
  const std::size_t used = next_ & mask;
  const std::size_t room = chunks_.empty() ? 0 : SizeOf(chunks_.size() - 1).bytes / kUnitBytes;
  // next_ is at the beginning of a chunk that is not there yet if the last one is full.
  if (chunks_.empty() || used == 0 || used + units > room) {
    if (chunks_.size() == kMaxChunks) return kNoCell;
    if (!chunks_.empty()) {
      ends_.push_back(next_);
      next_ = static_cast<Handle>(chunks_.size() << kChunkShift);
    }
    const auto [bytes, alignment] = SizeOf(chunks_.size());
    chunks_.push_back(static_cast<char*>(base::SystemMemory()->allocate(bytes, alignment)));
  }
  const Handle handle = next_;
  next_ += static_cast<Handle>(units);
  char* to = At(handle);
  const auto put = [&to](const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    to += bytes;
  };
  put(&cell.time, sizeof(cell.time));
  put(&info, sizeof(info));
  put(words.data(), WordBytes());
  if (instances_) put(&cell.instance, sizeof(cell.instance));
  put(cell.member.data(), cell.member.size());
  if (MetaTimeBytes(cell.meta.size()) > 0) put(&cell.meta_time, sizeof(cell.meta_time));
  put(cell.meta.data(), cell.meta.size());
  return handle;
}

Cell RowCells::Read(Handle handle) const {
  Cell cell;
  cell.time = TimeOf(handle);
  cell.sequence = SequenceOf(handle);
  cell.hidden = IsHidden(handle);
  cell.instance = InstanceOf(handle);
  cell.member = MemberOf(handle);
  cell.meta = MetaOf(handle);
  if (MetaTimeBytes(cell.meta.size()) > 0) cell.meta_time = MetaTimeOf(handle);
  return cell;
}

}  // namespace laurel::transfer
