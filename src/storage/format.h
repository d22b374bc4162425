// The files of a data folder, byte by byte. docs/log-format.md says the same in words and holds the
// numbered invariants that asserts and comments here refer to.
//
// All numbers are little-endian. A frame is what both kinds of file are made of: a record of the
// log, or a block of a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::storage {

inline constexpr std::uint32_t kFormatVersion = 3;

// File headers -----------------------------------------------------------------------------------

inline constexpr std::size_t kFileHeaderBytes = 64;

enum class FileKind : std::uint8_t { kLog, kSnapshot };

struct FileHeader {
  FileKind kind = FileKind::kLog;
  std::uint64_t history = 0;  // drawn when the folder was made: files of two folders do not mix
  std::uint64_t epoch = 0;    // rises with every start; see NextEpoch
  std::uint64_t first = 0;    // log: the number of its first record; snapshot: S
  std::int64_t created_us = 0;
  std::uint64_t filled = 0;  // log: the file was on disk with so many bytes before its first record
};

std::string EncodeFileHeader(const FileHeader& header);
// An error says what is wrong, without the file's name.
Result<FileHeader> ParseFileHeader(std::string_view bytes, FileKind kind);
// The history that a header claims which need not be whole; 0 if it is cut short.
std::uint64_t ClaimedHistory(std::string_view bytes);
// The version of a file that is of this kind, but of another version than ours.
std::optional<std::uint32_t> OtherVersion(std::string_view bytes, FileKind kind);

// The epoch of a start whose folder has seen `last`: above it, and its low 20 bits are those of
// `random`, so that two folders that go on from the same backup do not give out the same one.
[[nodiscard]] std::uint64_t NextEpoch(std::uint64_t last, std::uint64_t random);

// Frames -----------------------------------------------------------------------------------------

inline constexpr std::size_t kFrameHeaderBytes = 32;
inline constexpr std::size_t kFrameAlignment = 8;
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{1} << 20;

inline constexpr std::uint32_t kContinues = 1;   // the batch or block goes on in the next record
inline constexpr std::uint32_t kFooter = 2;      // the last block of a snapshot
inline constexpr std::uint32_t kSyncMark = 4;    // no record: see Mark
inline constexpr std::uint32_t kEnds = 8;        // a mark: the file ends here on purpose
inline constexpr std::uint32_t kFollowed = 16;   // a mark: and the next segment was on disk
inline constexpr std::uint32_t kContinued = 32;  // the batch began in a record before

struct Frame {
  std::uint64_t number = 0;
  std::uint64_t synced = 0;
  std::uint32_t flags = 0;
  std::string_view payload;

  // With header and padding.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] bool Has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

[[nodiscard]] std::size_t FrameBytes(std::size_t payload_bytes);

// Frames of one kind of file and one folder. Checksums begin with the folder's history, which no
// client knows: bytes that somebody stored cannot pass for a record.
class FrameFormat {
 public:
  FrameFormat(FileKind kind, std::uint64_t history);

  // REQUIRES: at most kMaxPayloadBytes of payload.
  void Append(const Frame& frame, std::string* to) const;
  // The size that the header at the beginning of `bytes` claims, or 0 if there is no header.
  [[nodiscard]] std::size_t ClaimedBytes(std::string_view bytes) const;
  // Where the next frame may begin, from `offset`, a multiple of 8, on; npos: nowhere.
  [[nodiscard]] std::size_t FindStart(std::string_view bytes, std::size_t offset) const;
  // What the header claims, without its payload; nothing is checked but the magic and the length.
  [[nodiscard]] std::optional<Frame> ParseHeader(std::string_view bytes) const;
  // The frame at the beginning of `bytes`; nothing if it is cut off, or its checksum is wrong.
  [[nodiscard]] std::optional<Frame> Parse(std::string_view bytes) const;

 private:
  std::uint32_t magic_;
  std::uint32_t seed_;
};

// A mark is a frame between two batches of the log that is no record and takes no number: it says
// what was on disk when it was made, so that what is missing later is known to be missing. Its
// `number` is that of the last record before it.
struct SyncMark {
  std::uint64_t number = 0;
  std::uint64_t synced = 0;  // as of a record; may be `number`
  std::uint64_t extent = 0;  // the file was on disk with so many bytes; 0: nothing is said
  std::uint32_t flags = kSyncMark;
};

inline constexpr std::size_t kSyncMarkBytes = kFrameHeaderBytes + sizeof(std::uint64_t);

std::string EncodeSyncMark(const FrameFormat& format, const SyncMark& sync_mark);
// REQUIRES: a frame with kMark.
std::uint64_t SyncMarkExtent(const Frame& frame);

// Snapshots --------------------------------------------------------------------------------------

// The payload of the last block.
struct Footer {
  std::uint64_t started_at = 0;  // S: the last record applied when the snapshot began
  std::uint64_t ended_at = 0;    // E: the last record applied when it ended
  std::uint64_t next_board = 0;
  std::int64_t last_stamp = 0;
  std::uint64_t boards = 0;
  std::uint64_t entries = 0;
};

std::string EncodeFooter(const Footer& footer);
std::optional<Footer> ParseFooter(std::string_view payload);

// Names ------------------------------------------------------------------------------------------

inline constexpr std::string_view kUnfinishedSnapshot = "snapshot.tmp";
inline constexpr std::string_view kUnfinishedSegment = "segment.tmp";
inline constexpr std::string_view kUnfinishedIndex = "index.tmp";
inline constexpr std::string_view kReserveName = "reserve";
inline constexpr std::string_view kLockName = "lock";

std::string SegmentName(std::uint64_t first);
std::string SnapshotName(std::uint64_t ended_at);
// The number in the name; nothing if it is another name.
std::optional<std::uint64_t> NumberOfName(FileKind kind, std::string_view name);

// Of the index of a segment (log_index.h), and whose it is.
std::string IndexName(std::uint64_t first);
std::optional<std::uint64_t> NumberOfIndexName(std::string_view name);

}  // namespace laurel::storage
