#include "storage/frame_stream.h"

#include <utility>

namespace laurel::storage {

FrameStream::FrameStream(FileKind kind, std::string name, std::uint64_t last, Sink sink)
    : kind_(kind), name_(std::move(name)), last_(last), sink_(std::move(sink)) {}

Error FrameStream::Damage(const std::string& what) const {
  return {ErrorCode::kErr,
          name_ + " is damaged at offset " + std::to_string(offset_) + ": " + what};
}

Status FrameStream::Take(std::string_view bytes) {
  if (done_) return Ok{};
  pending_.append(bytes);
  std::string_view rest = pending_;
  if (!header_) {
    if (rest.size() < kFileHeaderBytes) return Ok{};
    const Result<FileHeader> header = ParseFileHeader(rest, kind_);
    if (!header.ok()) return Damage(header.error().message);
    header_ = *header;
    format_.emplace(kind_, header->history);
    next_ = kind_ == FileKind::kLog ? header->first : 1;
    rest.remove_prefix(kFileHeaderBytes);
    offset_ = kFileHeaderBytes;
  }
  while (!done_ && rest.size() >= kFrameHeaderBytes) {
    const std::size_t claimed = format_->ClaimedBytes(rest);
    if (claimed == 0) return Damage("no frame begins here");
    if (claimed > rest.size()) break;
    const std::optional<Frame> frame = format_->Parse(rest);
    if (!frame) return Damage("the checksum is wrong");
    if (const Status taken = TakeFrame(*frame); !taken.ok()) return taken;
    rest.remove_prefix(claimed);
    offset_ += claimed;
  }
  const std::size_t checked = pending_.size() - rest.size();
  const Status passed = sink_(std::string_view(pending_).substr(0, checked));
  pending_.erase(0, checked);
  return passed;
}

Status FrameStream::TakeFrame(const Frame& frame) {
  if (kind_ == FileKind::kLog && frame.Has(kSyncMark)) {
    if (frame.number + 1 == next_ && !continues_) return Ok{};
    return Damage("a mark is of another place");
  }
  if (frame.number != next_) return Damage("frame " + std::to_string(next_) + " is missing");
  ++next_;
  if (kind_ == FileKind::kLog) {
    continues_ = frame.Has(kContinues);
    done_ = frame.number == last_;
    return Ok{};
  }
  if (!frame.Has(kFooter)) return Ok{};
  const std::optional<Footer> footer = ParseFooter(frame.payload);
  if (!footer || footer->started_at != header_->first) return Damage("its footer is wrong");
  footer_ = *footer;
  done_ = true;
  return Ok{};
}

Status FrameStream::End() {
  if (!header_) return Damage("it ends inside its header");
  if (kind_ == FileKind::kSnapshot && !done_) return Damage("it ends without its footer");
  if (!done_ && !pending_.empty()) return Damage("it ends inside a frame");
  if (continues_) return Damage("it ends inside a batch");
  if (kind_ == FileKind::kSnapshot) return Ok{};
  // The original file is longer. Without a final sync mark the copy would pass for a truncated
  // file.
  return sink_(EncodeSyncMark(*format_, {last_record(), last_record(), 0, kSyncMark | kEnds}));
}

}  // namespace laurel::storage
