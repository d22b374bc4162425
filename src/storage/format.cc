#include "storage/format.h"

#include <bit>
#include <charconv>
#include <cstdio>
#include <limits>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc32c.h"

namespace laurel::storage {
namespace {

using base::Load;
using base::Store;

// Indexed by FileKind: "LaurelLg", "LaurelSn"; "LRec", "LBlk".
constexpr std::uint64_t kFileMagic[] = {0x674c6c657275614c, 0x6e536c657275614c};
constexpr std::uint32_t kFrameMagic[] = {0x6365524c, 0x6b6c424c};
constexpr std::string_view kPrefix[] = {"log-", "snapshot-"};
constexpr std::string_view kIndexEnding = ".idx";
constexpr std::size_t kDigits = 20;
constexpr unsigned kRandomEpochBits = 20;

// Offsets in a file's header.
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kFileCrcAt = 12;
constexpr std::size_t kHistoryAt = 16;
constexpr std::size_t kEpochAt = 24;
constexpr std::size_t kFirstAt = 32;
constexpr std::size_t kCreatedAt = 40;
constexpr std::size_t kFilledAt = 48;

// Offsets in a frame's header.
constexpr std::size_t kCrcAt = 4;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kFlagsAt = 12;
constexpr std::size_t kNumberAt = 16;
constexpr std::size_t kSyncedAt = 24;

constexpr std::size_t kFooterBytes = 6 * sizeof(std::uint64_t);

static_assert(std::endian::native == std::endian::little,
              "numbers are stored as they lie in memory");
static_assert(std::numeric_limits<std::uint64_t>::digits10 + 1 == kDigits);
static_assert(kFilledAt + sizeof(std::uint64_t) <= kFileHeaderBytes);
static_assert(kSyncedAt + sizeof(std::uint64_t) == kFrameHeaderBytes);
// Invariant 2: the first frame begins after the header, and one after a sync mark after that.
static_assert(kFileHeaderBytes % kFrameAlignment == 0 && kSyncMarkBytes % kFrameAlignment == 0);
static_assert(kFrameHeaderBytes % kFrameAlignment == 0);
static_assert(kMaxPayloadBytes <= UINT32_MAX && kFooterBytes <= kMaxPayloadBytes);
static_assert((kContinues ^ kFooter ^ kSyncMark ^ kEnds ^ kFollowed ^ kContinued) == 63);

std::size_t Index(FileKind kind) { return static_cast<std::size_t>(kind); }

bool IsReadable(std::uint32_t version) {
  return version >= kOldestFormatVersion && version <= kFormatVersion;
}

}  // namespace

std::string EncodeFileHeader(const FileHeader& header) {
  std::string bytes(kFileHeaderBytes, '\0');
  Store(bytes.data(), kFileMagic[Index(header.kind)]);
  Store(&bytes[kVersionAt], kFormatVersion);
  Store(&bytes[kHistoryAt], header.history);
  Store(&bytes[kEpochAt], header.epoch);
  Store(&bytes[kFirstAt], header.first);
  Store(&bytes[kCreatedAt], header.created_us);
  Store(&bytes[kFilledAt], header.filled);
  Store(&bytes[kFileCrcAt], base::Crc32c(std::string_view(bytes).substr(kHistoryAt)));
  return bytes;
}

std::optional<std::uint32_t> OtherVersion(std::string_view bytes, FileKind kind) {
  if (bytes.size() < kFileHeaderBytes) return std::nullopt;
  if (Load<std::uint64_t>(bytes.data()) != kFileMagic[Index(kind)]) return std::nullopt;
  const auto version = Load<std::uint32_t>(&bytes[kVersionAt]);
  if (version == 0 || IsReadable(version)) return std::nullopt;  // 0: a header cut short
  return version;
}

std::uint64_t ClaimedHistory(std::string_view bytes) {
  return bytes.size() < kFileHeaderBytes ? 0 : Load<std::uint64_t>(&bytes[kHistoryAt]);
}

Result<FileHeader> ParseFileHeader(std::string_view bytes, FileKind kind) {
  const auto refuse = [](std::string message) {
    return Error{ErrorCode::kErr, std::move(message)};
  };
  if (bytes.size() < kFileHeaderBytes) return refuse("it is shorter than its header");
  if (Load<std::uint64_t>(bytes.data()) != kFileMagic[Index(kind)]) {
    return refuse("it does not begin as such a file does");
  }
  const auto version = Load<std::uint32_t>(&bytes[kVersionAt]);
  if (!IsReadable(version)) {
    return refuse("it has format version " + std::to_string(version) + ", this program reads " +
                  std::to_string(kOldestFormatVersion) + " to " + std::to_string(kFormatVersion));
  }
  if (Load<std::uint32_t>(&bytes[kFileCrcAt]) !=
      base::Crc32c(bytes.substr(kHistoryAt, kFileHeaderBytes - kHistoryAt))) {
    return refuse("the checksum of its header is wrong");
  }
  FileHeader header;
  header.kind = kind;
  header.history = Load<std::uint64_t>(&bytes[kHistoryAt]);
  header.epoch = Load<std::uint64_t>(&bytes[kEpochAt]);
  header.first = Load<std::uint64_t>(&bytes[kFirstAt]);
  header.created_us = Load<std::int64_t>(&bytes[kCreatedAt]);
  header.filled = Load<std::uint64_t>(&bytes[kFilledAt]);
  return header;
}

std::uint64_t NextEpoch(std::uint64_t last, std::uint64_t random) {
  const std::uint64_t mask = (std::uint64_t{1} << kRandomEpochBits) - 1;
  return ((last >> kRandomEpochBits) + 1) << kRandomEpochBits | (random & mask);
}

std::size_t FrameBytes(std::size_t payload_bytes) {
  return (kFrameHeaderBytes + payload_bytes + kFrameAlignment - 1) / kFrameAlignment *
         kFrameAlignment;
}

std::size_t Frame::bytes() const { return FrameBytes(payload.size()); }

FrameFormat::FrameFormat(FileKind kind, std::uint64_t history)
    : magic_(kFrameMagic[Index(kind)]),
      seed_(base::Crc32c({reinterpret_cast<const char*>(&history), sizeof(history)})) {}

void FrameFormat::Append(const Frame& frame, std::string* to) const {
  LAUREL_ASSERT(frame.payload.size() <= kMaxPayloadBytes);  // invariant 3
  char header[kFrameHeaderBytes];
  Store(header, magic_);
  Store(header + kLengthAt, static_cast<std::uint32_t>(frame.payload.size()));
  Store(header + kFlagsAt, frame.flags);
  Store(header + kNumberAt, frame.number);
  Store(header + kSyncedAt, frame.synced);
  const std::string_view covered(header + kLengthAt, kFrameHeaderBytes - kLengthAt);
  Store(header + kCrcAt, base::Crc32c(frame.payload, base::Crc32c(covered, seed_)));
  to->append(header, kFrameHeaderBytes);
  to->append(frame.payload);
  to->append(frame.bytes() - kFrameHeaderBytes - frame.payload.size(), '\0');
}

std::size_t FrameFormat::ClaimedBytes(std::string_view bytes) const {
  if (bytes.size() < kFrameHeaderBytes) return 0;
  if (Load<std::uint32_t>(bytes.data()) != magic_) return 0;
  const auto length = Load<std::uint32_t>(&bytes[kLengthAt]);
  return length <= kMaxPayloadBytes ? FrameBytes(length) : 0;
}

std::size_t FrameFormat::FindStart(std::string_view bytes, std::size_t offset) const {
  LAUREL_ASSERT(offset % kFrameAlignment == 0);  // invariant 2
  char magic[sizeof(magic_)];
  Store(magic, magic_);
  for (;;) {
    offset = bytes.find({magic, sizeof(magic)}, offset);
    if (offset == std::string_view::npos || offset % kFrameAlignment == 0) return offset;
    ++offset;
  }
}

std::optional<Frame> FrameFormat::ParseHeader(std::string_view bytes) const {
  if (ClaimedBytes(bytes) == 0) return std::nullopt;
  Frame frame;
  frame.flags = Load<std::uint32_t>(&bytes[kFlagsAt]);
  frame.number = Load<std::uint64_t>(&bytes[kNumberAt]);
  frame.synced = Load<std::uint64_t>(&bytes[kSyncedAt]);
  return frame;
}

std::optional<Frame> FrameFormat::Parse(std::string_view bytes) const {
  const std::size_t claimed = ClaimedBytes(bytes);
  if (claimed == 0 || claimed > bytes.size()) return std::nullopt;
  const auto length = Load<std::uint32_t>(&bytes[kLengthAt]);
  const std::string_view covered = bytes.substr(kLengthAt, kFrameHeaderBytes - kLengthAt + length);
  if (base::Crc32c(covered, seed_) != Load<std::uint32_t>(&bytes[kCrcAt])) return std::nullopt;
  std::optional<Frame> frame = ParseHeader(bytes);
  frame->payload = bytes.substr(kFrameHeaderBytes, length);
  return frame;
}

std::string EncodeSyncMark(const FrameFormat& format, const SyncMark& sync_mark) {
  char extent[sizeof(sync_mark.extent)];
  Store(extent, sync_mark.extent);
  std::string bytes;
  format.Append({sync_mark.number, sync_mark.synced, sync_mark.flags, {extent, sizeof(extent)}},
                &bytes);
  LAUREL_ASSERT(bytes.size() == kSyncMarkBytes);
  return bytes;
}

std::uint64_t SyncMarkExtent(const Frame& frame) {
  LAUREL_ASSERT(frame.Has(kSyncMark));
  return frame.payload.size() == sizeof(std::uint64_t) ? Load<std::uint64_t>(frame.payload.data())
                                                       : 0;
}

std::string EncodeFooter(const Footer& footer) {
  std::string bytes(kFooterBytes, '\0');
  const std::uint64_t words[] = {footer.started_at, footer.ended_at,
                                 footer.next_board, static_cast<std::uint64_t>(footer.last_stamp),
                                 footer.boards,     footer.entries};
  static_assert(sizeof(words) == kFooterBytes);
  std::memcpy(bytes.data(), words, sizeof(words));
  return bytes;
}

std::optional<Footer> ParseFooter(std::string_view payload) {
  if (payload.size() != kFooterBytes) return std::nullopt;
  const auto word = [&](std::size_t i) {
    return Load<std::uint64_t>(payload.data() + i * sizeof(std::uint64_t));
  };
  Footer footer;
  footer.started_at = word(0);
  footer.ended_at = word(1);
  footer.next_board = word(2);
  footer.last_stamp = static_cast<std::int64_t>(word(3));
  footer.boards = word(4);
  footer.entries = word(5);
  if (footer.started_at > footer.ended_at) return std::nullopt;
  return footer;
}

namespace {

std::string NameOf(FileKind kind, std::uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(kPrefix[Index(kind)]) + std::string(kDigits - digits.size(), '0') + digits;
}

}  // namespace

std::string SegmentName(std::uint64_t first) { return NameOf(FileKind::kLog, first); }
std::string SnapshotName(std::uint64_t ended_at) { return NameOf(FileKind::kSnapshot, ended_at); }

std::optional<std::uint64_t> NumberOfName(FileKind kind, std::string_view name) {
  const std::string_view prefix = kPrefix[Index(kind)];
  if (!name.starts_with(prefix) || name.size() != prefix.size() + kDigits) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::string IndexName(std::uint64_t first) {
  return SegmentName(first) + std::string(kIndexEnding);
}

std::optional<std::uint64_t> NumberOfIndexName(std::string_view name) {
  if (!name.ends_with(kIndexEnding)) return std::nullopt;
  name.remove_suffix(kIndexEnding.size());
  return NumberOfName(FileKind::kLog, name);
}

}  // namespace laurel::storage
