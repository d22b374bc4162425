// The log by subject: the batches about a board, from a place on, at a cost that is what is
// returned and not what was written about others.
//
// Nothing is indexed while the log is written. Who first reads a segment builds its index
// (log_index.h), in slices; the newest segment's grows with it, in memory. The index of a segment
// that is complete is saved beside it, without a sync: it holds nothing that the segment does not,
// and one that is damaged, torn or of something else is built anew.
//
// A place says "everything through this batch has been seen". It carries the epoch of the segment,
// because a number alone may mean another batch: after a restore, or a repair that took records
// back, numbers are given out again. A place is good if a segment that is kept has its epoch and
// its number, or begins right behind it. Everything else is a gap: somebody who says where he was
// gets all that came after it, or is told that he did not.
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

// Everything through batch `number` has been seen. Both 0: nothing has, begin with the oldest.
struct FeedPlace {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;

  friend bool operator==(const FeedPlace&, const FeedPlace&) = default;
};

struct FeedBatch {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;  // as Log::Append returned it
  std::string payload;
};

struct FeedPage {
  enum class State : std::uint8_t {
    kRead,
    kMore,  // nothing was found yet, and the work of one call is done: call again with `next`
    kGap,   // what follows `from` is not there any more, or never was; `next` is where to restart
  };

  State state = State::kRead;
  std::vector<FeedBatch> batches;  // in the order of the log
  FeedPlace next;                  // what a later call goes on from
  bool at_end = false;             // there is nothing more that is durable
};

struct FeedLimits {
  std::size_t bytes = std::size_t{1} << 20;  // of payload; one batch is returned whatever its size
  std::size_t batches = 1000;                // at least 1
};

struct FeedOptions {
  // How tags are made from payloads. Indexes that were saved under another number are not used.
  std::uint64_t scheme = 1;
  // How much one call reads, about; a batch is never read in part.
  std::uint64_t slice_bytes = std::uint64_t{4} << 20;
  // Indexes kept in memory besides that of the newest segment.
  std::size_t cached_indexes = 4;
};

// Not thread-safe. The log may be written to, rotated and dropped from meanwhile.
class FeedReader {
 public:
  // Appends the tags of a batch; some may be the same. Equal payloads have equal tags.
  using Tagger = std::function<void(std::string_view payload, std::vector<std::uint64_t>* tags)>;

  // `folder` and `log` outlive the reader.
  FeedReader(base::Folder* folder, const Log* log, Tagger tagger, const FeedOptions& options = {});
  ~FeedReader();
  FeedReader(const FeedReader&) = delete;
  FeedReader& operator=(const FeedReader&) = delete;

  // Batches that have any of `tags`, behind `from` and through record `durable`, which the log has
  // called durable. An error is one of reading, or damage in the newest segment; damage in another
  // one is a gap.
  Result<FeedPage> Read(std::span<const std::uint64_t> tags, FeedPlace from, std::uint64_t durable,
                        const FeedLimits& limits = {});

  // The place before the first batch that is kept.
  Result<FeedPlace> Oldest();
  // The place behind the last batch through `durable`.
  Result<FeedPlace> End(std::uint64_t durable);

 private:
  struct OpenSegment;
  enum class Readiness : std::uint8_t { kReady, kUnfinished, kMissing };
  enum class Passage : std::uint8_t { kThrough, kStopped, kBroken };
  struct Start {
    bool is_good = false;   // the place is
    std::size_t index = 0;  // segment; if the place is not good: before which one to restart
  };
  struct Query {
    std::span<const std::uint64_t> tags;
    FeedLimits limits;
    std::size_t bytes = 0;  // found so far
    FeedPlace at;
    FeedPage page;
  };

  void Refresh(std::uint64_t durable);
  [[nodiscard]] bool IsNewest(std::size_t index) const { return index + 1 == segments_.size(); }
  // The last record that segment `index` may hold.
  [[nodiscard]] std::uint64_t LastOf(std::size_t index) const {
    return IsNewest(index) ? durable_ : segments_[index + 1].first - 1;
  }
  // Null if the file is gone.
  Result<std::unique_ptr<base::File>> OpenFile(std::uint64_t first);
  Result<std::optional<FileHeader>> HeaderOf(std::size_t index);
  // The segment where reading begins. Moves the place into it.
  Result<Start> Locate(FeedPlace* place);
  // The place before segment `index`, or before the next one that is there.
  Result<FeedPlace> Before(std::size_t index);

  Result<FeedPage> Run(Query* query);
  // Reads on in segment `index`; a page if the call is over.
  Result<std::optional<FeedPage>> ReadSegment(std::size_t index, Query* query);
  Result<FeedPage> Gap(std::size_t behind, Query* query);
  FeedPage Stop(Query* query);
  // The same place, as a later start of the server finds it too.
  FeedPlace Lasting(FeedPlace place);

  Result<Readiness> Prepare(std::size_t index, OpenSegment** segment);
  Result<Readiness> OpenIndexed(std::size_t index, OpenSegment** segment);
  // Makes room for another segment; otherwise returns one whose index must be finished first.
  OpenSegment* Evict();
  Result<Readiness> Build(std::size_t index, OpenSegment* segment);
  void Finish(std::size_t index, OpenSegment* segment);
  void LoadIndex(std::size_t index, OpenSegment* segment);
  void SaveIndex(std::uint64_t first, std::string_view bytes);
  void Close(std::uint64_t first);
  void Forget(std::uint64_t first);

  Result<Passage> ReadBlocks(std::size_t index, const OpenSegment& segment, Query* query);
  Result<Passage> ReadBlock(std::size_t index, const OpenSegment& segment, std::uint32_t block,
                            Query* query);
  [[nodiscard]] bool Concerns(std::string_view payload, std::span<const std::uint64_t> tags);
  [[nodiscard]] std::size_t IndexOf(std::uint64_t first) const;

  base::Folder* folder_;
  const Log* log_;
  const Tagger tagger_;
  const FeedOptions options_;

  std::map<std::uint64_t, FileHeader> headers_;     // of segments, by first record
  std::vector<std::unique_ptr<OpenSegment>> open_;  // the longest unused first
  std::vector<std::uint64_t> tags_;                 // of one batch

  // Of one call.
  std::vector<Segment> segments_;  // that hold something durable, and the one that will next
  std::uint64_t durable_ = 0;
  std::uint64_t spent_bytes_ = 0;
};

}  // namespace laurel::storage
