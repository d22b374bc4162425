// Reads the log by subject: returns the batches about a board, from a given place on. The cost
// depends on what is returned, not on what was written about other boards.
//
// Nothing is indexed while the log is written. The first reader of a segment builds its index
// (log_index.h), in slices. The index of the newest segment grows with the segment, in memory. The
// index of a complete segment is saved beside it, without a sync: it holds nothing that the segment
// does not, and an index that is damaged, torn or of another segment is rebuilt.
//
// A place means "everything through this batch has been read". It carries the epoch of the segment,
// because a number alone may mean another batch: after a restore, or a repair that took records
// back, numbers are given out again. A place is good if a segment that is kept has its epoch and
// its number, or begins right after it. Any other place is a gap. So a reader that names its place
// gets every batch after it, or learns that it does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/format.h"
#include "storage/log.h"
#include "storage/log_index.h"

namespace laurel::storage {

// Everything through batch `number` has been read. Both 0: nothing has, begin with the oldest.
struct FeedPosition {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  friend bool operator==(const FeedPosition&, const FeedPosition&) = default;
};

struct FeedBatch {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;  // as Log::Append returned it
  std::string payload;
};

struct FeedPage {
  enum class State : std::uint8_t {
    kRead,
    kMore,  // nothing found yet, but the work of one call is done: call again with `next`
    kGap,   // batches after `from` are gone, or never existed; restart at `next`
  };

  State state = State::kRead;
  std::vector<FeedBatch> batches;  // in the order of the log
  FeedPosition next;               // where a later call continues
  bool at_end = false;             // there are no more durable batches
};

// A page of a search from the newest batch back.
struct FeedBackPage {
  std::vector<FeedBatch> batches;  // newest first
  std::uint64_t next = 0;          // a later call continues with the batches through this record
  bool at_start = false;           // the batches before are gone, or there are none
};

struct FeedLimits {
  std::size_t bytes = std::size_t{1} << 20;  // of payload, unless the first batch has more
  std::size_t batches = 1000;                // at least 1
};

struct FeedOptions {
  // Identifies how tags are made from payloads. Indexes saved under another scheme are not used.
  std::uint64_t scheme = 1;
  // About how many bytes one call reads; it never reads part of a batch.
  std::uint64_t slice_bytes = std::uint64_t{4} << 20;
  // Indexes kept in memory in addition to that of the newest segment.
  std::size_t cached_indexes = 4;
};

// Not thread-safe. Meanwhile the log may append, rotate and drop segments.
class FeedReader {
 public:
  // Appends the tags of a batch; duplicates are allowed. Equal payloads must have equal tags.
  using Tagger = std::function<void(std::string_view payload, std::vector<std::uint64_t>* tags)>;

  // `folder` and `log` must outlive the reader.
  FeedReader(base::Folder* folder, const Log* log, Tagger tagger, const FeedOptions& options = {});
  ~FeedReader();
  FeedReader(const FeedReader&) = delete;
  FeedReader& operator=(const FeedReader&) = delete;

  // Returns the batches after `from` and through record `durable` that have any of `tags`.
  // REQUIRES: the log has reported `durable` as durable. An error is a failed read, damage in the
  // newest segment or a damaged segment header. Any other damage is a gap.
  Result<FeedPage> Read(std::span<const std::uint64_t> tags, FeedPosition from,
                        std::uint64_t durable, const FeedLimits& limits = {});

  // Returns the batches through record `through` that have any of `tags`, from the newest back, as
  // far as no batch between is lost. It reads whole blocks of the index, so the last block may hold
  // more batches than `limits` allow. REQUIRES: through <= durable. Otherwise as Read.
  Result<FeedBackPage> ReadBack(std::span<const std::uint64_t> tags, std::uint64_t through,
                                std::uint64_t durable, const FeedLimits& limits = {});

  // Returns the place before the oldest batch that is kept.
  Result<FeedPosition> Oldest();
  // Returns the place after the last batch through `durable`.
  Result<FeedPosition> End(std::uint64_t durable);

 private:
  struct OpenSegment;
  enum class Readiness : std::uint8_t { kReady, kUnfinished, kMissing };
  enum class Passage : std::uint8_t { kThrough, kStopped, kBroken };
  struct Start {
    bool is_good = false;  // the place is good
    // The segment where reading begins. If the place is not good: the segment before which to
    // restart.
    std::size_t index = 0;
  };
  struct Query {
    std::span<const std::uint64_t> tags;
    FeedLimits limits;
    std::uint64_t last = UINT64_MAX;  // batches with a record after this one are left out
    std::size_t bytes = 0;            // of payload, found so far
    FeedPosition at;
    FeedPage page;
  };

  void Refresh(std::uint64_t durable);
  [[nodiscard]] bool IsNewest(std::size_t index) const { return index + 1 == segments_.size(); }
  // The last record that segment `index` may hold.
  [[nodiscard]] std::uint64_t LastOf(std::size_t index) const {
    return IsNewest(index) ? durable_ : segments_[index + 1].first - 1;
  }
  // Returns null if the file is gone.
  Result<std::unique_ptr<base::File>> OpenFile(std::uint64_t first);
  Result<std::optional<FileHeader>> HeaderOf(std::size_t index);
  // Finds the segment where reading begins, and moves the place into it.
  Result<Start> Locate(FeedPosition* place);
  // Returns the place before segment `index`, or before the next one whose file is there.
  Result<FeedPosition> Before(std::size_t index);

  Result<FeedPage> Run(Query* query);
  // Continues in segment `index`. Returns a page if the call is over, nothing if the next segment
  // follows.
  Result<std::optional<FeedPage>> ReadSegment(std::size_t index, Query* query);
  Result<FeedPage> Gap(std::size_t behind, Query* query);
  // Continues a search back in segment `index`. Returns whether the segment before follows.
  Result<bool> ReadSegmentBack(std::size_t index, std::span<const std::uint64_t> tags,
                               const FeedLimits& limits, FeedBackPage* page);
  FeedPage Stop(Query* query);
  // Returns the same place in a form that is good after a restart of the server too.
  FeedPosition Lasting(FeedPosition place);

  Result<Readiness> Prepare(std::size_t index, OpenSegment** segment);
  Result<Readiness> OpenIndexed(std::size_t index, OpenSegment** segment);
  // Makes room for another segment and returns null. If the cached indexes are all unfinished,
  // returns the one to be finished first.
  OpenSegment* Evict();
  Result<Readiness> Build(std::size_t index, OpenSegment* segment);
  void Finish(std::size_t index, OpenSegment* segment);
  void LoadIndex(std::size_t index, OpenSegment* segment);
  void SaveIndex(std::uint64_t first, std::string_view bytes);
  void Close(std::uint64_t first);
  void Forget(std::uint64_t first);

  // The blocks from block `from` on that may hold batches with any of the tags, in order.
  static std::vector<std::uint32_t> BlocksOf(const BlockIndex& index,
                                             std::span<const std::uint64_t> tags,
                                             std::uint32_t from);
  Result<Passage> ReadBlocks(std::size_t index, const OpenSegment& segment, Query* query);
  Result<Passage> ReadBlock(std::size_t index, const OpenSegment& segment, std::uint32_t block,
                            Query* query);
  [[nodiscard]] bool Concerns(std::string_view payload, std::span<const std::uint64_t> tags);
  [[nodiscard]] std::size_t IndexOf(std::uint64_t first) const;

  base::Folder* folder_;
  const Log* log_;
  const Tagger tagger_;
  const FeedOptions options_;

  std::map<std::uint64_t, FileHeader> headers_;     // by first record of the segment
  std::vector<std::unique_ptr<OpenSegment>> open_;  // least recently used first
  std::vector<std::uint64_t> tags_;                 // of one batch

  // State of one call.
  std::vector<Segment> segments_;  // that begin at or before record durable_ + 1
  std::uint64_t durable_ = 0;
  std::uint64_t spent_bytes_ = 0;
};

}  // namespace laurel::storage
