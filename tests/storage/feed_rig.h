// A log on a simulated disk, batches with tags in it, and what a scan of all of them says.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "storage/feed_reader.h"
#include "storage/log.h"
#include "tests/storage/simulated_files.h"

namespace laurel::testing {

using Tags = std::vector<std::uint64_t>;

// A payload that begins with its tags.
std::string TaggedPayload(const Tags& tags, std::size_t filler_bytes, std::uint64_t salt);
void ReadTags(std::string_view payload, Tags* tags);

class FeedRig : private storage::Log::Listener {
 public:
  struct Batch {
    storage::FeedPlace place;
    Tags tags;
    std::string payload;
  };

  // What was read until the end or a gap, page by page.
  struct Reading {
    std::vector<storage::FeedBatch> batches;
    storage::FeedPlace next;
    bool gap = false;
    std::string error;
    std::uint64_t pages = 0;
  };

  explicit FeedRig(std::uint64_t segment_bytes);
  ~FeedRig() override;

  std::uint64_t Append(const Tags& tags, std::size_t filler_bytes);
  // Everything is durable, and a segment that is large enough has ended.
  void Sync();
  // Ends the log and begins it again, in a new epoch.
  void Restart();
  // Loses batches that it accepts, and goes on behind them as after a snapshot of everything.
  void FailAndMend(const Tags& lost);
  void DropThrough(std::uint64_t number);
  std::unique_ptr<storage::FeedReader> NewReader(const storage::FeedOptions& options = {});

  // Follows pages from `from` on, through what is durable now.
  Reading ReadAll(storage::FeedReader* reader, const Tags& tags, storage::FeedPlace from,
                  const storage::FeedLimits& limits = {}) const;
  // The same by looking at every batch behind `number`.
  [[nodiscard]] std::vector<const Batch*> Expected(const Tags& tags, std::uint64_t number) const;
  // Fails the test unless `reading` is what is expected, and ends at the end.
  void ExpectAll(const Reading& reading, const Tags& tags, std::uint64_t number) const;

  SimulatedFolder& folder() { return folder_; }
  storage::Log& log() { return *log_; }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  // That were not lost.
  [[nodiscard]] const std::vector<Batch>& batches() const { return batches_; }
  // Bytes asked of files whose name begins with "log-" and does not, or does, end in ".idx".
  [[nodiscard]] std::uint64_t segment_bytes_read() const { return segment_bytes_read_; }
  [[nodiscard]] std::uint64_t index_bytes_read() const { return index_bytes_read_; }

 private:
  void OnDurable(std::uint64_t) override {}
  [[nodiscard]] std::size_t CountWaiting() const override { return 0; }
  void OnBroken(const Error&) override {}
  void Open(std::vector<storage::Segment> segments, std::uint64_t next);

  SimulatedFolder folder_;
  storage::LogOptions options_;
  std::atomic<bool> writes_fail_ = false;
  std::atomic<std::uint64_t> segment_bytes_read_ = 0;
  std::atomic<std::uint64_t> index_bytes_read_ = 0;
  std::uint64_t epoch_ = 0;
  std::uint64_t unsynced_bytes_ = 0;
  std::unique_ptr<storage::Log> log_;
  std::vector<Batch> batches_;
};

}  // namespace laurel::testing
