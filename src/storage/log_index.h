// Where in a segment of the log the batches about a subject are.
//
// Storage knows no boards: whoever reads the log gives each batch a list of 64-bit tags. The index
// is coarse. Batches that begin in the same 16 KiB of the file form a block, and a tag has the list
// of the blocks that hold a batch of its:
//
//   blocks   0: offset 64, record 1     1: offset 16,392, record 210     2: …
//   tag 17   0 1 2 3 5 …                a busy board: a byte per block
//   tag 18   2                          a quiet one: about three bytes in all
//
// Who wants a tag reads its blocks and looks at the tags of each batch in them, so an index that
// says too much costs time, never a wrong answer. One that says too little would: files of it have
// a checksum over everything.
//
// 64 MiB of log are at most 4,096 blocks. While it is built a tag takes about 50 bytes, and 8 more
// for each of its blocks; a whole index is kept as it is in its file.
//
// Rejected: a list of batches per tag, which is as long as the log itself where batches are small;
// and indexing while the log is written, which is paid by those who never read it.
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

// What both forms of an index answer.
class BlockIndex {
 public:
  // Reaches to the next one's offset, or to end().
  struct Block {
    std::uint64_t offset = 0;  // of its first batch
    std::uint64_t first = 0;   // number of that batch's first record
  };

  virtual ~BlockIndex() = default;

  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  // The last record that it covers, and where that ends: before the first if it is empty.
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

// An index that grows.
class IndexBuilder : public BlockIndex {
 public:
  // Of the segment that begins with record `first`.
  explicit IndexBuilder(std::uint64_t first) { last_ = first - 1; }

  // REQUIRES: the batch begins with record last() + 1, at end() or behind the marks there.
  void Add(const BatchView& batch, std::span<const std::uint64_t> tags);
  void Collect(std::uint64_t tag, std::uint32_t from,
               std::vector<std::uint32_t>* blocks) const override;
  // As a file. `segment` is the header of the segment, `scheme` says how tags are made.
  [[nodiscard]] std::string Encode(const FileHeader& segment, std::uint64_t scheme) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Posting {
    std::uint32_t block = 0;
    std::uint32_t before = kNone;  // the tag's posting before this one
  };

  std::vector<Posting> postings_;
  std::unordered_map<std::uint64_t, std::uint32_t> newest_;  // posting by tag
};

// An index that is whole.
class LogIndex : public BlockIndex {
 public:
  // From the bytes of a file; null if they are not the index of this segment and scheme, whole.
  static std::unique_ptr<LogIndex> Parse(std::string bytes, const FileHeader& segment,
                                         std::uint64_t scheme);

  void Collect(std::uint64_t tag, std::uint32_t from,
               std::vector<std::uint32_t>* blocks) const override;

 private:
  // A tag of the file, every so many of them.
  struct Anchor {
    std::uint64_t tag = 0;
    std::size_t lists_at = 0;  // behind the tag's number
  };

  LogIndex() = default;
  bool ReadBlocks(std::uint64_t first, std::string_view* rest);
  bool ReadTags(std::string_view rest);

  std::string bytes_;
  std::vector<Anchor> anchors_;
};

}  // namespace laurel::storage
