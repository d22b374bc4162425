// The index of a segment of the log: where the batches about a subject are.
//
// Storage has no notion of boards: the reader of the log gives each batch a list of 64-bit tags.
// The index is coarse. Batches that begin in the same 16 KiB of the file form a block, and each tag
// has a list of the blocks that hold a batch with this tag:
//
//   blocks   0: offset 64, record 1     1: offset 16,392, record 210     2: …
//   tag 17   0 1 2 3 5 …                a busy board: a byte per block
//   tag 18   2                          a quiet one: about three bytes in all
//
// A reader of a tag reads its blocks and checks the tags of each batch in them. So an index that
// lists too many blocks costs time, but never gives a wrong answer. An index that lists too few
// would, so its file has a checksum over everything.
//
// 64 MiB of log are at most 4,096 blocks. While an index is built, a tag takes about 50 bytes, and
// 8 more for each of its blocks. A complete index is kept in memory as it is in its file.
//
// Rejected: a list of batches per tag, which is as long as the log itself if batches are small; and
// indexing while the log is written, whose cost every server would pay, even if its log is never
// read by subject.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "storage/batch_cursor.h"
#include "storage/format.h"

namespace laurel::storage {

inline constexpr std::uint64_t kIndexBlockBytes = 16 << 10;

// The interface of both forms of an index.
class BlockIndex {
 public:
  // Extends to the offset of the next block, or to end().
  struct Block {
    std::uint64_t offset = 0;  // of its first batch
    std::uint64_t first = 0;   // number of that batch's first record
  };

  virtual ~BlockIndex() = default;

  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  // The last record covered, and the offset after it. If the index is empty: the record before the
  // segment's first, and the end of the file header.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  // Appends the blocks of `tag` from block `from` on, in any order.
  virtual void Collect(std::uint64_t tag, std::uint32_t from,
                       std::vector<std::uint32_t>* blocks) const = 0;

 protected:
  std::vector<Block> blocks_;
  std::uint64_t last_ = 0;
  std::uint64_t end_ = kFileHeaderBytes;
};

// An index that is being built.
class IndexBuilder : public BlockIndex {
 public:
  // For the segment that begins with record `first`.
  explicit IndexBuilder(std::uint64_t first) { last_ = first - 1; }

  // REQUIRES: the batch begins with record last() + 1, at end() or after the sync marks there.
  void Add(const BatchView& batch, std::span<const std::uint64_t> tags);
  void Collect(std::uint64_t tag, std::uint32_t from,
               std::vector<std::uint32_t>* blocks) const override;
  // Returns the contents of the index file. `segment` is the header of the segment, `scheme`
  // identifies how tags are made.
  [[nodiscard]] std::string Encode(const FileHeader& segment, std::uint64_t scheme) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Posting {
    std::uint32_t block = 0;
    std::uint32_t before = kNone;  // the previous posting of the tag
  };

  std::vector<Posting> postings_;
  std::unordered_map<std::uint64_t, std::uint32_t> newest_;  // newest posting by tag
};

// A complete index.
class LogIndex : public BlockIndex {
 public:
  // Parses the contents of an index file. Returns null if they are damaged, or of another segment
  // or scheme.
  static std::unique_ptr<LogIndex> Parse(std::string bytes, const FileHeader& segment,
                                         std::uint64_t scheme);

  void Collect(std::uint64_t tag, std::uint32_t from,
               std::vector<std::uint32_t>* blocks) const override;

 private:
  // One tag in kTagsPerAnchor, as a starting point for searches.
  struct Anchor {
    std::uint64_t tag = 0;
    std::size_t lists_at = 0;  // where the list of the tag begins in bytes_
  };

  LogIndex() = default;
  bool ReadBlocks(std::uint64_t first, std::string_view* rest);
  bool ReadTags(std::string_view rest);

  std::string bytes_;
  std::vector<Anchor> anchors_;
};

}  // namespace laurel::storage
