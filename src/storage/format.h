// The byte formats of the files in a data folder. docs/log-format.md describes them in prose and
// lists the numbered invariants that asserts and comments cite.
//
// All numbers are little-endian. A segment of the log and a snapshot both consist of a header and
// frames. A frame is a record or a sync mark of the log, or a block of a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::storage {

inline constexpr std::uint32_t kFormatVersion = 4;
inline constexpr std::uint32_t kOldestFormatVersion = 3;  // that is still read

// File headers -----------------------------------------------------------------------------------

inline constexpr std::size_t kFileHeaderBytes = 64;

enum class FileKind : std::uint8_t { kLog, kSnapshot };

struct FileHeader {
  FileKind kind = FileKind::kLog;
  std::uint64_t history = 0;  // random, drawn when the folder is made; the same in all its files
  std::uint64_t epoch = 0;    // rises with every start; see NextEpoch
  std::uint64_t first = 0;    // log: the number of its first record; snapshot: S
  std::int64_t created_us = 0;
  std::uint64_t filled = 0;  // log: size of the file on disk before its first record was written
};

std::string EncodeFileHeader(const FileHeader& header);
// An error says what is wrong, without the name of the file.
Result<FileHeader> ParseFileHeader(std::string_view bytes, FileKind kind);
// Returns the history field of a header that may be damaged, or 0 if `bytes` is shorter than a
// header.
std::uint64_t ClaimedHistory(std::string_view bytes);
// Returns the format version if `bytes` is a header of this kind with a version that we do not
// read.
std::optional<std::uint32_t> OtherVersion(std::string_view bytes, FileKind kind);

// Returns the epoch of a start in a folder whose highest epoch so far is `last`. It is greater than
// `last`. Its low 20 bits are those of `random`, so that two folders that continue from the same
// backup do not use the same epoch.
[[nodiscard]] std::uint64_t NextEpoch(std::uint64_t last, std::uint64_t random);

// Frames -----------------------------------------------------------------------------------------

inline constexpr std::size_t kFrameHeaderBytes = 32;
inline constexpr std::size_t kFrameAlignment = 8;
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{1} << 20;

inline constexpr std::uint32_t kContinues = 1;   // the batch or block continues in the next frame
inline constexpr std::uint32_t kFooter = 2;      // the last block of a snapshot
inline constexpr std::uint32_t kSyncMark = 4;    // a sync mark, not a record: see SyncMark
inline constexpr std::uint32_t kEnds = 8;        // of a sync mark: the file ends here on purpose
inline constexpr std::uint32_t kFollowed = 16;   // of a sync mark: and the next segment was on disk
inline constexpr std::uint32_t kContinued = 32;  // the batch began in an earlier record

struct Frame {
  std::uint64_t number = 0;
  std::uint64_t synced = 0;
  std::uint32_t flags = 0;
  std::string_view payload;

  // The size of the frame, header and padding included.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] bool Has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

[[nodiscard]] std::size_t FrameBytes(std::size_t payload_bytes);

// Encodes and parses the frames of one kind of file in one folder. Checksums begin with the
// folder's history, which no client knows, so bytes that a client stores cannot pass for a frame.
class FrameFormat {
 public:
  FrameFormat(FileKind kind, std::uint64_t history);

  // Appends the encoded frame to `to`. REQUIRES: at most kMaxPayloadBytes of payload.
  void Append(const Frame& frame, std::string* to) const;
  // Returns the size of the frame that the header at the beginning of `bytes` claims, or 0 if there
  // is no header.
  [[nodiscard]] std::size_t ClaimedBytes(std::string_view bytes) const;
  // Returns the first place from `offset` on, a multiple of 8, where the magic of a frame stands,
  // or npos. REQUIRES: `offset` is a multiple of 8.
  [[nodiscard]] std::size_t FindStart(std::string_view bytes, std::size_t offset) const;
  // Returns the fields of the header, without the payload. Checks only the magic and the length.
  [[nodiscard]] std::optional<Frame> ParseHeader(std::string_view bytes) const;
  // Parses the frame at the beginning of `bytes`. Returns nothing if it is cut off or its checksum
  // is wrong.
  [[nodiscard]] std::optional<Frame> Parse(std::string_view bytes) const;

 private:
  std::uint32_t magic_;
  std::uint32_t seed_;
};

// A sync mark is a frame between two batches of the log. It is not a record and takes no number. It
// says how much of the file was on disk when it was written, so that a later start notices if that
// part is missing. Its `number` is that of the last record before it.
struct SyncMark {
  std::uint64_t number = 0;
  std::uint64_t synced = 0;  // as in a record; may be `number`
  std::uint64_t extent = 0;  // bytes of the file that were on disk, zeros included; 0: not stated
  std::uint32_t flags = kSyncMark;
};

inline constexpr std::size_t kSyncMarkBytes = kFrameHeaderBytes + sizeof(std::uint64_t);

std::string EncodeSyncMark(const FrameFormat& format, const SyncMark& sync_mark);
// Returns the extent of an encoded sync mark. REQUIRES: `frame` has kSyncMark.
std::uint64_t SyncMarkExtent(const Frame& frame);

// Snapshots --------------------------------------------------------------------------------------

// The payload of the last block of a snapshot.
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
// Returns the number in the name, or nothing if it is not the name of such a file.
std::optional<std::uint64_t> NumberOfName(FileKind kind, std::string_view name);

// The name of the index (log_index.h) of the segment that begins with record `first`, and back.
std::string IndexName(std::uint64_t first);
std::optional<std::uint64_t> NumberOfIndexName(std::string_view name);

}  // namespace laurel::storage
