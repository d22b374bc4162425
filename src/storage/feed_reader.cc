#include "storage/feed_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.h"
#include "storage/batch_cursor.h"

namespace laurel::storage {
namespace {

constexpr std::size_t kScanPieceBytes = std::size_t{256} << 10;

bool HasSegment(const std::vector<Segment>& segments, std::uint64_t first) {
  return std::any_of(segments.begin(), segments.end(),
                     [&](const Segment& segment) { return segment.first == first; });
}

// A start on a full disk may find no segment and have no room for one.
Error NoSegment() { return {ErrorCode::kErr, "the log has no file yet: the disk is full"}; }

}  // namespace

// A segment with its index, which is complete or being built.
struct FeedReader::OpenSegment {
  FileHeader header;
  std::unique_ptr<base::File> file;
  std::unique_ptr<IndexBuilder> growing;  // either this or `whole` is set
  std::unique_ptr<LogIndex> whole;

  [[nodiscard]] const BlockIndex& index() const {
    LAUREL_ASSERT((growing != nullptr) != (whole != nullptr));
    return whole != nullptr ? static_cast<const BlockIndex&>(*whole) : *growing;
  }
};

FeedReader::FeedReader(base::Folder* folder, const Log* log, Tagger tagger,
                       const FeedOptions& options)
    : folder_(folder), log_(log), tagger_(std::move(tagger)), options_(options) {
  LAUREL_ASSERT(options.cached_indexes > 0 && options.slice_bytes > 0);
}

FeedReader::~FeedReader() = default;

Result<FeedPage> FeedReader::Read(std::span<const std::uint64_t> tags, FeedPosition from,
                                  std::uint64_t durable, const FeedLimits& limits) {
  LAUREL_ASSERT(limits.batches > 0);
  Refresh(durable);
  if (segments_.empty()) return NoSegment();
  Query query;
  query.tags = tags;
  query.limits = limits;
  query.at = from;
  return Run(&query);
}

Result<FeedPosition> FeedReader::Oldest() {
  Refresh(log_->durable());
  if (segments_.empty()) return NoSegment();
  return Before(0);
}

Result<FeedPosition> FeedReader::End(std::uint64_t durable) {
  Refresh(durable);
  if (segments_.empty()) return NoSegment();
  const Result<std::optional<FileHeader>> header = HeaderOf(segments_.size() - 1);
  if (!header.ok()) return header.error();
  // The file is gone already, and with it everything through `durable`.
  if (!*header) return Oldest();
  return Lasting({(*header)->epoch, std::max(durable, segments_.back().first - 1)});
}

// Segments and places --------------------------------------------------------------------------

// The list of segments is newer than `durable`: it covers `durable`, and more segments may have
// begun since.
void FeedReader::Refresh(std::uint64_t durable) {
  segments_ = log_->segments();
  const auto is_gone = [&](std::uint64_t first) { return !HasSegment(segments_, first); };
  std::erase_if(headers_, [&](const auto& entry) { return is_gone(entry.first); });
  std::erase_if(open_, [&](const auto& segment) { return is_gone(segment->header.first); });
  while (segments_.size() > 1 && segments_.back().first > durable + 1) segments_.pop_back();
  durable_ = durable;
  spent_bytes_ = 0;
}

std::size_t FeedReader::IndexOf(std::uint64_t first) const {
  const auto found = std::find_if(segments_.begin(), segments_.end(),
                                  [&](const Segment& segment) { return segment.first == first; });
  LAUREL_ASSERT(found != segments_.end());
  return static_cast<std::size_t>(found - segments_.begin());
}

Result<std::unique_ptr<base::File>> FeedReader::OpenFile(std::uint64_t first) {
  const std::string name = SegmentName(first);
  Result<std::unique_ptr<base::File>> file = folder_->Open(name, base::Folder::Mode::kRead);
  if (file.ok()) return file;
  const Result<std::vector<std::string>> names = folder_->List();
  if (!names.ok() || std::binary_search(names->begin(), names->end(), name)) return file;
  return std::unique_ptr<base::File>();
}

Result<std::optional<FileHeader>> FeedReader::HeaderOf(std::size_t index) {
  LAUREL_ASSERT(index < segments_.size());
  const std::uint64_t first = segments_[index].first;
  const auto known = headers_.find(first);
  if (known != headers_.end()) return std::optional(known->second);
  const Result<std::unique_ptr<base::File>> file = OpenFile(first);
  if (!file.ok()) return file.error();
  if (*file == nullptr) return std::optional<FileHeader>();
  const Result<std::string> head = base::ReadBytes(file->get(), 0, kFileHeaderBytes);
  if (!head.ok()) return head.error();
  Result<FileHeader> header = ParseFileHeader(*head, FileKind::kLog);
  if (header.ok() && header->first != first) {
    header = Error{ErrorCode::kErr, "its header is of another segment"};
  }
  if (!header.ok()) {
    return Error{ErrorCode::kErr,
                 folder_->path(SegmentName(first)) + ": " + header.error().message};
  }
  headers_[first] = *header;
  return std::optional(*header);
}

Result<FeedReader::Start> FeedReader::Locate(FeedPosition* place) {
  constexpr Start kNowhere{false, 0};
  if (*place == FeedPosition{}) {
    const Result<FeedPosition> oldest = Before(0);
    if (!oldest.ok()) return oldest.error();
    *place = *oldest;
  }
  if (place->number > durable_ || segments_[0].first > place->number + 1) return kNowhere;
  const auto behind = std::upper_bound(
      segments_.begin(), segments_.end(), place->number + 1,
      [](std::uint64_t number, const Segment& segment) { return number < segment.first; });
  const auto index = static_cast<std::size_t>(behind - segments_.begin()) - 1;
  const Result<std::optional<FileHeader>> header = HeaderOf(index);
  if (!header.ok()) return header.error();
  if (!*header) return Start{false, index + 1};
  if ((*header)->epoch == place->epoch) return Start{true, index};
  if (index == 0 || segments_[index].first != place->number + 1) return kNowhere;
  // The place is at the last batch of the segment before, or at a lost one after that. Either way
  // there is no batch between the place and this segment.
  const Result<std::optional<FileHeader>> before = HeaderOf(index - 1);
  if (!before.ok()) return before.error();
  if (!*before || (*before)->epoch != place->epoch) return kNowhere;
  place->epoch = (*header)->epoch;
  return Start{true, index};
}

Result<FeedPosition> FeedReader::Before(std::size_t index) {
  for (; index < segments_.size(); ++index) {
    const Result<std::optional<FileHeader>> header = HeaderOf(index);
    if (!header.ok()) return header.error();
    if (*header) return FeedPosition{(*header)->epoch, segments_[index].first - 1};
  }
  return Error{ErrorCode::kErr,
               folder_->path(SegmentName(segments_.back().first)) + ": the file is missing"};
}

// Reading --------------------------------------------------------------------------------------

Result<FeedPage> FeedReader::Run(Query* query) {
  const Result<Start> start = Locate(&query->at);
  if (!start.ok()) return start.error();
  if (!start->is_good) return Gap(start->index, query);
  for (std::size_t index = start->index;; ++index) {
    Result<std::optional<FeedPage>> over = ReadSegment(index, query);
    // Return what was found before the error; the next call meets the error again.
    if (!over.ok() && !query->page.batches.empty()) return Stop(query);
    if (!over.ok()) return over.error();
    if (*over) return std::move(**over);
  }
}

Result<std::optional<FeedPage>> FeedReader::ReadSegment(std::size_t index, Query* query) {
  using Over = Result<std::optional<FeedPage>>;
  const auto over = [](Result<FeedPage> page) -> Over {
    if (!page.ok()) return page.error();
    return std::optional(std::move(*page));
  };
  OpenSegment* segment = nullptr;
  const Result<Readiness> ready = Prepare(index, &segment);
  if (!ready.ok()) return ready.error();
  if (*ready == Readiness::kMissing) return over(Gap(index + 1, query));
  if (*ready == Readiness::kUnfinished) return over(Stop(query));

  const std::uint64_t last = std::min(segment->index().last(), LastOf(index));
  if (query->at.number > last && !IsNewest(index)) return over(Gap(index + 1, query));
  const Result<Passage> passed = ReadBlocks(index, *segment, query);
  if (!passed.ok()) return passed.error();
  if (*passed == Passage::kBroken) Forget(segments_[index].first);
  if (*passed != Passage::kThrough) return over(Stop(query));

  query->at.number = std::max(query->at.number, last);
  if (IsNewest(index)) {
    query->page.at_end = true;
    return over(Stop(query));
  }
  if (last != LastOf(index)) return over(Gap(index + 1, query));
  // From here on the place does not need this segment any more.
  const Result<std::optional<FileHeader>> next = HeaderOf(index + 1);
  if (!next.ok()) return next.error();
  if (!*next) return over(Gap(index + 1, query));
  query->at.epoch = (*next)->epoch;
  const bool full =
      query->page.batches.size() >= query->limits.batches || query->bytes >= query->limits.bytes;
  if (full || spent_bytes_ >= options_.slice_bytes) return over(Stop(query));
  return std::optional<FeedPage>();
}

// An empty newest segment is replaced by the next start, with another epoch. The segment before it
// stays, so its epoch is used.
FeedPosition FeedReader::Lasting(FeedPosition place) {
  if (segments_.size() < 2 || place.number + 1 != segments_.back().first) return place;
  const Result<std::optional<FileHeader>> before = HeaderOf(segments_.size() - 2);
  if (before.ok() && *before) place.epoch = (*before)->epoch;
  return place;
}

FeedPage FeedReader::Stop(Query* query) {
  FeedPage page = std::move(query->page);
  page.next = Lasting(query->at);
  const bool is_empty = page.batches.empty() && !page.at_end;
  page.state = is_empty ? FeedPage::State::kMore : FeedPage::State::kRead;
  return page;
}

// Returns the batches found so far, if there are any; the next call meets the gap again.
Result<FeedPage> FeedReader::Gap(std::size_t behind, Query* query) {
  if (!query->page.batches.empty()) return Stop(query);
  const Result<FeedPosition> restart = Before(behind);
  if (!restart.ok()) return restart.error();
  FeedPage page;
  page.state = FeedPage::State::kGap;
  page.next = *restart;
  return page;
}

std::vector<std::uint32_t> FeedReader::BlocksOf(const BlockIndex& index,
                                                std::span<const std::uint64_t> tags,
                                                std::uint32_t from) {
  std::vector<std::uint32_t> blocks;
  for (const std::uint64_t tag : tags) index.Collect(tag, from, &blocks);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

Result<FeedReader::Passage> FeedReader::ReadBlocks(std::size_t index, const OpenSegment& segment,
                                                   Query* query) {
  const std::vector<BlockIndex::Block>& blocks = segment.index().blocks();
  if (blocks.empty() || query->at.number >= segment.index().last()) return Passage::kThrough;
  const auto behind = std::upper_bound(
      blocks.begin(), blocks.end(), query->at.number + 1,
      [](std::uint64_t number, const BlockIndex::Block& block) { return number < block.first; });
  LAUREL_ASSERT(behind != blocks.begin());  // the place is in this segment
  const auto from = static_cast<std::uint32_t>(behind - blocks.begin() - 1);
  const std::vector<std::uint32_t> wanted = BlocksOf(segment.index(), query->tags, from);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::uint64_t before = std::min(blocks[wanted[i]].first - 1, LastOf(index));
    query->at.number = std::max(query->at.number, before);
    // At least one block is read, so that every call makes progress.
    if (i > 0 && spent_bytes_ >= options_.slice_bytes) return Passage::kStopped;
    Result<Passage> passed = ReadBlock(index, segment, wanted[i], query);
    if (!passed.ok() || *passed != Passage::kThrough) return passed;
  }
  return Passage::kThrough;
}

Result<FeedReader::Passage> FeedReader::ReadBlock(std::size_t index, const OpenSegment& segment,
                                                  std::uint32_t block, Query* query) {
  const std::vector<BlockIndex::Block>& blocks = segment.index().blocks();
  const std::uint64_t begin = blocks[block].offset;
  const std::uint64_t end =
      block + 1 < blocks.size() ? blocks[block + 1].offset : segment.index().end();
  std::uint64_t last = std::min({segment.index().last(), LastOf(index), query->last});
  if (block + 1 < blocks.size()) last = std::min(last, blocks[block + 1].first - 1);
  spent_bytes_ += end - begin;
  BatchCursor cursor(segment.file.get(), segment.header.history, begin, blocks[block].first, end,
                     end - begin);
  BatchView batch;
  while (batch.end < end) {
    const Result<BatchCursor::Found> found = cursor.Next(last, &batch);
    if (!found.ok()) return found.error();
    if (*found == BatchCursor::Found::kEnd) break;
    if (*found == BatchCursor::Found::kBroken) {
      if (!IsNewest(index)) return Passage::kBroken;
      return Error{ErrorCode::kErr, folder_->path(SegmentName(segments_[index].first)) +
                                        " is damaged behind offset " + std::to_string(begin)};
    }
    if (batch.number <= query->at.number) continue;
    if (Concerns(batch.payload, query->tags)) {
      std::vector<FeedBatch>& batches = query->page.batches;
      const bool fits = batches.size() < query->limits.batches &&
                        query->bytes + batch.payload.size() <= query->limits.bytes;
      if (!fits && !batches.empty()) return Passage::kStopped;
      query->bytes += batch.payload.size();
      batches.push_back({segment.header.epoch, batch.number, std::string(batch.payload)});
    }
    query->at.number = batch.number;
  }
  return Passage::kThrough;
}

bool FeedReader::Concerns(std::string_view payload, std::span<const std::uint64_t> tags) {
  tags_.clear();
  tagger_(payload, &tags_);
  return std::any_of(tags_.begin(), tags_.end(), [&](std::uint64_t tag) {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  });
}

// Reading back ---------------------------------------------------------------------------------

// A search back needs no epoch, because it does not outlive a run of the server. It ends at the
// first segment that is missing or damaged, because batches are lost there.
Result<FeedBackPage> FeedReader::ReadBack(std::span<const std::uint64_t> tags,
                                          std::uint64_t through, std::uint64_t durable,
                                          const FeedLimits& limits) {
  LAUREL_ASSERT(limits.batches > 0 && through <= durable);
  Refresh(durable);
  if (segments_.empty()) return NoSegment();
  FeedBackPage page;
  page.next = through;
  while (page.next >= segments_[0].first) {
    const auto behind = std::upper_bound(
        segments_.begin(), segments_.end(), page.next,
        [](std::uint64_t number, const Segment& segment) { return number < segment.first; });
    const auto index = static_cast<std::size_t>(behind - segments_.begin()) - 1;
    const Result<bool> goes_on = ReadSegmentBack(index, tags, limits, &page);
    // Return what was found before the error; the next call meets the error again.
    if (!goes_on.ok() && page.batches.empty()) return goes_on.error();
    if (!goes_on.ok() || !*goes_on) return page;
  }
  page.at_start = true;
  return page;
}

Result<bool> FeedReader::ReadSegmentBack(std::size_t index, std::span<const std::uint64_t> tags,
                                         const FeedLimits& limits, FeedBackPage* page) {
  OpenSegment* segment = nullptr;
  const Result<Readiness> ready = Prepare(index, &segment);
  if (!ready.ok()) return ready.error();
  if (*ready == Readiness::kUnfinished) return false;
  if (*ready == Readiness::kMissing || (!IsNewest(index) && segment->index().last() < page->next)) {
    page->at_start = true;
    return false;
  }
  const std::vector<BlockIndex::Block>& blocks = segment->index().blocks();
  const std::vector<std::uint32_t> wanted = BlocksOf(segment->index(), tags, 0);
  std::size_t bytes = 0;
  for (const FeedBatch& batch : page->batches) bytes += batch.payload.size();
  const auto full = [&] {
    return page->batches.size() >= limits.batches || bytes >= limits.bytes ||
           spent_bytes_ >= options_.slice_bytes;
  };
  bool has_read = false;
  for (auto block = wanted.rbegin(); block != wanted.rend(); ++block) {
    if (blocks[*block].first > page->next) continue;
    // At least one block is read, so that every call makes progress.
    if (has_read && full()) return false;
    Query query;
    query.tags = tags;
    query.limits = {.bytes = SIZE_MAX, .batches = SIZE_MAX};
    query.last = page->next;
    const Result<Passage> passed = ReadBlock(index, *segment, *block, &query);
    if (!passed.ok()) return passed.error();
    if (*passed == Passage::kBroken) {
      Forget(segments_[index].first);
      return false;
    }
    has_read = true;
    bytes += query.bytes;
    page->next = blocks[*block].first - 1;
    std::move(query.page.batches.rbegin(), query.page.batches.rend(),
              std::back_inserter(page->batches));
  }
  page->next = segments_[index].first - 1;
  return !full();
}

// Indexes --------------------------------------------------------------------------------------

// Opens segment `index` and its index, built as far as possible: to the end of a complete segment,
// or through the durable records of the newest.
Result<FeedReader::Readiness> FeedReader::Prepare(std::size_t index, OpenSegment** segment) {
  const auto known = std::find_if(open_.begin(), open_.end(), [&](const auto& one) {
    return one->header.first == segments_[index].first;
  });
  if (known != open_.end()) {
    std::rotate(known, known + 1, open_.end());
    *segment = open_.back().get();
  } else {
    Result<Readiness> opened = OpenIndexed(index, segment);
    if (!opened.ok() || *opened != Readiness::kReady) return opened;
  }
  if ((*segment)->whole != nullptr) return Readiness::kReady;
  return Build(index, *segment);
}

Result<FeedReader::Readiness> FeedReader::OpenIndexed(std::size_t index, OpenSegment** segment) {
  if (OpenSegment* unfinished = Evict(); unfinished != nullptr) {
    const std::uint64_t first = unfinished->header.first;
    // Readers of that segment will get the error.
    if (!Build(IndexOf(first), unfinished).ok()) Close(first);
    return Readiness::kUnfinished;
  }
  const Result<std::optional<FileHeader>> header = HeaderOf(index);
  if (!header.ok()) return header.error();
  Result<std::unique_ptr<base::File>> file = OpenFile(segments_[index].first);
  if (!file.ok()) return file.error();
  if (!*header || *file == nullptr) return Readiness::kMissing;
  auto opened = std::make_unique<OpenSegment>();
  opened->header = **header;
  opened->file = std::move(*file);
  if (!IsNewest(index)) LoadIndex(index, opened.get());
  if (opened->whole == nullptr) {
    opened->growing = std::make_unique<IndexBuilder>(segments_[index].first);
  }
  *segment = open_.emplace_back(std::move(opened)).get();
  return Readiness::kReady;
}

FeedReader::OpenSegment* FeedReader::Evict() {
  const std::uint64_t newest = segments_.back().first;
  const auto is_complete = [&](const auto& one) { return one->header.first < newest; };
  auto count = static_cast<std::size_t>(std::count_if(open_.begin(), open_.end(), is_complete));
  while (count >= options_.cached_indexes) {
    const auto idle = std::find_if(open_.begin(), open_.end(),
                                   [&](const auto& one) { return one->whole != nullptr; });
    // An unfinished index is not discarded: readers of many old segments would undo each other's
    // work forever.
    if (idle == open_.end()) return std::find_if(open_.begin(), open_.end(), is_complete)->get();
    open_.erase(idle);
    --count;
  }
  return nullptr;
}

Result<FeedReader::Readiness> FeedReader::Build(std::size_t index, OpenSegment* segment) {
  LAUREL_ASSERT(segment->growing != nullptr);
  IndexBuilder& growing = *segment->growing;
  const std::uint64_t last = LastOf(index);
  BatchCursor cursor(segment->file.get(), segment->header.history, growing.end(),
                     growing.last() + 1, segments_[index].bytes, kScanPieceBytes);
  BatchView batch;
  for (;;) {
    const Result<BatchCursor::Found> found = cursor.Next(last, &batch);
    if (!found.ok()) return found.error();
    if (*found == BatchCursor::Found::kBatch) {
      tags_.clear();
      tagger_(batch.payload, &tags_);
      growing.Add(batch, tags_);
      spent_bytes_ += batch.end - batch.offset;
      if (spent_bytes_ < options_.slice_bytes || growing.last() >= last) continue;
      return Readiness::kUnfinished;
    }
    if (!IsNewest(index)) {
      Finish(index, segment);
    } else if (*found == BatchCursor::Found::kBroken) {
      return Error{ErrorCode::kErr, folder_->path(SegmentName(segments_[index].first)) +
                                        " is damaged at offset " + std::to_string(growing.end())};
    }
    return Readiness::kReady;
  }
}

void FeedReader::Finish(std::size_t index, OpenSegment* segment) {
  const std::string bytes = segment->growing->Encode(segment->header, options_.scheme);
  segment->whole = LogIndex::Parse(bytes, segment->header, options_.scheme);
  LAUREL_ASSERT(segment->whole != nullptr);
  segment->growing.reset();
  // An index of a segment that ends early is not saved: the segment may be restored from a copy.
  if (segment->whole->last() == LastOf(index)) SaveIndex(segment->header.first, bytes);
}

void FeedReader::LoadIndex(std::size_t index, OpenSegment* segment) {
  Result<std::string> bytes = base::ReadWhole(folder_, IndexName(segments_[index].first));
  if (!bytes.ok()) return;
  spent_bytes_ += bytes->size();
  std::unique_ptr<LogIndex> whole =
      LogIndex::Parse(std::move(*bytes), segment->header, options_.scheme);
  const Result<std::uint64_t> size = segment->file->Size();
  // The segment may have been truncated since the index was saved.
  if (whole == nullptr || whole->last() != LastOf(index) || !size.ok() || *size < whole->end()) {
    return;
  }
  segment->whole = std::move(whole);
}

// Best effort: on a full disk the index is not saved, but stays in memory.
void FeedReader::SaveIndex(std::uint64_t first, std::string_view bytes) {
  (void)folder_->Remove(kUnfinishedIndex).ok();  // left by an interrupted save
  const Result<std::unique_ptr<base::File>> file =
      folder_->Open(kUnfinishedIndex, base::Folder::Mode::kCreate);
  if (!file.ok()) return;
  Status saved = (*file)->WriteAt(0, bytes);
  if (saved.ok()) saved = folder_->Rename(kUnfinishedIndex, IndexName(first));
  if (!saved.ok()) {
    (void)folder_->Remove(kUnfinishedIndex).ok();
  } else if (!HasSegment(log_->segments(), first)) {
    (void)folder_->Remove(IndexName(first)).ok();  // the log dropped the segment meanwhile
  }
}

void FeedReader::Close(std::uint64_t first) {
  std::erase_if(open_, [&](const auto& segment) { return segment->header.first == first; });
}

// Discards an index because it does not match the segment, or because the segment is damaged. The
// rebuilt index shows which.
void FeedReader::Forget(std::uint64_t first) {
  Close(first);
  (void)folder_->Remove(IndexName(first)).ok();
}

}  // namespace laurel::storage
