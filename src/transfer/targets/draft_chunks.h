// Writes entries as effects: into a snapshot, as chunks of LB.LOAD for a new board, or as chunks of
// LB.RESTORE for an existing board.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/journal/log_effects.h"
#include "laurel/result.h"
#include "transfer/draft/board_entries.h"
#include "transfer/draft/draft.h"
#include "transfer/targets/board_sink.h"

namespace laurel::transfer {

// Collects effects for a snapshot or a load in blocks of about 256 KiB.
class EffectBlocks {
 public:
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  using Sink = std::function<Status(std::string_view effects)>;

  explicit EffectBlocks(Sink sink) : sink_(std::move(sink)), writer_(&effects_) {}
  EffectBlocks(const EffectBlocks&) = delete;
  EffectBlocks& operator=(const EffectBlocks&) = delete;

  [[nodiscard]] engine::LogWriter& writer() { return writer_; }

  // Whether the caller must call Pass before the next effect.
  [[nodiscard]] bool full() const { return effects_.size() >= kBlockBytes; }
  // Passes the collected effects on. Afterwards no instance is selected.
  Status Pass() {
    if (effects_.empty()) return Ok{};
    Status taken = sink_(effects_);
    effects_.clear();
    writer_.effects().Restart();
    return taken;
  }

 private:
  Sink sink_;
  std::string effects_;
  engine::LogWriter writer_;
};

// Walks a board in blocks of at most 512 KiB, best entries first, without the effect that creates
// it, and passes all but the last on. Request ids and the notes of closes are left out. `progress`
// may be null. Returns the number of entries, hidden ones included.
Result<std::uint64_t> WriteWalk(const leaderboard::Leaderboard& board,
                                const WriteProgress& progress, EffectBlocks* blocks);

// Writes the entries, including hidden ones, for leaderboard::Restore. Each block is
// self-contained. `since`: leaves out entries that this draft has as well; null: writes all.
// `progress` may be null.
Status WriteEntries(const Draft& draft, const Draft* since, const WriteProgress& progress,
                    EffectBlocks* blocks);
// Returns the hidden members, which must be hidden before the entries are written.
std::vector<std::string_view> HiddenMembers(const Draft& draft);
// Whether an entry of the draft has meta.
bool HasMeta(const Draft& draft);
// Whether the draft has an identical entry.
bool Has(const Draft& draft, const BoardEntry& entry);

}  // namespace laurel::transfer
