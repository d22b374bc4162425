#include "storage/snapshot.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "laurel/stamp_clock.h"

namespace laurel::storage {
namespace {

// The file is synced after this many bytes, so that one large sync does not delay the log.
constexpr std::uint64_t kSyncStep = std::uint64_t{8} << 20;

}  // namespace

Status SnapshotEncoder::Begin() {
  LAUREL_ASSERT(blocks_ == 0);
  FileHeader header;
  header.kind = FileKind::kSnapshot;
  header.history = history_;
  header.epoch = epoch_;
  header.first = started_at_;
  header.created_us = SystemNow();
  return sink_(EncodeFileHeader(header));
}

Status SnapshotEncoder::Write(std::string_view payload, std::uint32_t flags) {
  Frame frame;
  frame.number = ++blocks_;
  frame.synced = started_at_;
  frame.flags = flags;
  frame.payload = payload;
  buffer_.clear();
  format_.Append(frame, &buffer_);
  return sink_(buffer_);
}

Status SnapshotEncoder::Add(std::string_view effects) {
  for (; effects.size() > kMaxPayloadBytes; effects.remove_prefix(kMaxPayloadBytes)) {
    const Status written = Write(effects.substr(0, kMaxPayloadBytes), kContinues);
    if (!written.ok()) return written;
  }
  return Write(effects, 0);
}

Status SnapshotEncoder::Finish(const Footer& footer) {
  LAUREL_ASSERT(footer.started_at == started_at_ && footer.ended_at >= started_at_);
  return Write(EncodeFooter(footer), kFooter);
}

Result<std::unique_ptr<SnapshotWriter>> SnapshotWriter::Begin(base::Folder* folder,
                                                              std::uint64_t history,
                                                              std::uint64_t epoch,
                                                              std::uint64_t started_at) {
  (void)folder->Remove(kUnfinishedSnapshot).ok();
  Result<std::unique_ptr<base::File>> file =
      folder->Open(kUnfinishedSnapshot, base::Folder::Mode::kCreate);
  if (!file.ok()) return file.error();
  std::unique_ptr<SnapshotWriter> writer(
      new SnapshotWriter(folder, std::move(*file), history, epoch, started_at));
  if (const Status begun = writer->encoder_.Begin(); !begun.ok()) return begun.error();
  return writer;
}

Status SnapshotWriter::Write(std::string_view bytes) {
  const Status written = file_->WriteAt(end_, bytes);
  if (!written.ok()) return written;
  end_ += bytes.size();
  unsynced_ += bytes.size();
  if (unsynced_ < kSyncStep) return Ok{};
  unsynced_ = 0;
  return file_->Sync();
}

Status SnapshotWriter::Finish(const Footer& footer) {
  LAUREL_ASSERT(!finished_);
  footer_ = footer;
  if (Status written = encoder_.Finish(footer); !written.ok()) return written;
  Status synced = file_->Sync();
  finished_ = synced.ok();
  return synced;
}

Status SnapshotWriter::Publish() {
  LAUREL_ASSERT(finished_);  // invariant 7
  const Status renamed = folder_->Rename(kUnfinishedSnapshot, SnapshotName(footer_.ended_at));
  return renamed.ok() ? folder_->Sync() : renamed;
}

// Reading --------------------------------------------------------------------------------------

namespace {

// A buffer of a file that moves forward.
class Window {
 public:
  explicit Window(base::File* file) : file_(file) {}

  // Returns at least `bytes` bytes from `offset` on, fewer at the end of the file. REQUIRES:
  // offsets do not decrease.
  Result<std::string_view> At(std::uint64_t offset, std::size_t bytes) {
    LAUREL_ASSERT(offset >= begin_);
    const std::size_t skipped = offset - begin_;
    if (bytes_.size() >= skipped + bytes) return std::string_view(bytes_).substr(skipped);
    bytes_.erase(0, skipped);
    begin_ = offset;
    const std::size_t held = bytes_.size();
    const Result<std::uint64_t> size = file_->Size();
    if (!size.ok()) return size.error();
    const std::uint64_t there = *size - std::min<std::uint64_t>(*size, begin_);
    const std::size_t wanted =
        std::max(held, std::min<std::size_t>(std::max(bytes, kReadBytes), there));
    bytes_.resize(wanted);
    const Result<std::size_t> read =
        file_->ReadAt(begin_ + held, bytes_.data() + held, wanted - held);
    bytes_.resize(held + (read.ok() ? *read : 0));
    if (!read.ok()) return read.error();
    return std::string_view(bytes_);
  }

 private:
  static constexpr std::size_t kReadBytes = std::size_t{4} << 20;

  base::File* file_;
  std::uint64_t begin_ = 0;
  std::string bytes_;
};

}  // namespace

Result<SnapshotContents> ReadSnapshot(
    base::Folder* folder, const std::string& name,
    const std::function<Status(std::string_view effects, std::uint64_t offset)>& on_block) {
  const auto damage = [&](std::uint64_t offset, const std::string& what) {
    return Error{ErrorCode::kErr, folder->path(name) + " is damaged at offset " +
                                      std::to_string(offset) + ": " + what};
  };
  const Result<std::unique_ptr<base::File>> file = folder->Open(name, base::Folder::Mode::kRead);
  if (!file.ok()) return file.error();
  Window window(file->get());
  const Result<std::string_view> head = window.At(0, kFileHeaderBytes);
  if (!head.ok()) return head.error();
  const Result<FileHeader> header = ParseFileHeader(*head, FileKind::kSnapshot);
  if (!header.ok()) return damage(0, header.error().message);
  SnapshotContents contents;
  contents.header = *header;
  const FrameFormat format(FileKind::kSnapshot, header->history);
  std::uint64_t offset = kFileHeaderBytes;
  std::string begun;  // payloads so far of a block of several frames
  for (std::uint64_t number = 1;; ++number) {
    Result<std::string_view> bytes = window.At(offset, kFrameHeaderBytes);
    if (!bytes.ok()) return bytes.error();
    if (bytes->empty()) return damage(offset, "it ends without its footer");
    const std::size_t claimed = format.ClaimedBytes(*bytes);
    if (claimed == 0) return damage(offset, "no block begins here");
    bytes = window.At(offset, claimed);
    if (!bytes.ok()) return bytes.error();
    const std::optional<Frame> frame = format.Parse(*bytes);
    if (!frame) return damage(offset, "the block's checksum is wrong");
    if (frame->number != number) return damage(offset, "a block is missing");
    const std::uint64_t begin = offset;
    offset += frame->bytes();
    if ((frame->flags & kFooter) == 0) {
      const bool goes_on = (frame->flags & kContinues) != 0;
      if (goes_on || !begun.empty()) begun += frame->payload;
      if (goes_on) continue;
      const Status taken = on_block(begun.empty() ? frame->payload : begun, begin);
      if (!taken.ok()) return damage(begin, taken.error().message);
      begun.clear();
      continue;
    }
    if (!begun.empty()) return damage(begin, "a block does not end");
    const std::optional<Footer> footer = ParseFooter(frame->payload);
    if (!footer || footer->started_at != header->first ||
        NumberOfName(FileKind::kSnapshot, name).value_or(footer->ended_at) != footer->ended_at) {
      return damage(begin, "its footer does not agree with its header and name");
    }
    bytes = window.At(offset, 1);
    if (!bytes.ok()) return bytes.error();
    if (!bytes->empty()) return damage(offset, "it goes on behind its footer");
    contents.footer = *footer;
    contents.bytes = offset;
    return contents;
  }
}

}  // namespace laurel::storage
