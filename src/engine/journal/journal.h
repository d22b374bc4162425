// The effects of the commands under way, as they go to the log.
//
// Everything that changes a board or a template is noted here in the same hold of the lock; when
// the hold ends all of it becomes one batch of the log. An EXEC is never in two.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/effects.h"
#include "engine/journal/log_effects.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"

namespace laurel::engine {

// In the list of a batch's boards: every board.
inline constexpr std::uint64_t kEveryBoard = 0;

class Journal {
 public:
  Journal() : writer_(&bytes_) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Until then nothing is noted: there is no log, or it is still being read.
  void Enable() { enabled_ = true; }

  // Where the board's own effects go; null if nothing is noted. DiscardIfEmpty afterwards: a batch
  // that only names a board is none.
  [[nodiscard]] leaderboard::EffectWriter* On(std::uint64_t board);
  void DiscardIfEmpty();
  // Effects on the entries of a sorted set.
  void Entries(std::uint64_t board, const core::EffectBatch& effects, unsigned words);

  void Create(std::uint64_t board, std::string_view name, const Spec& spec);
  void Drop(std::uint64_t board, std::string_view name, const Spec& spec, bool expired);
  void DropBelow(std::uint64_t id);
  void Rename(std::uint64_t board, std::string_view name, std::string_view from, const Spec& spec);
  void Expiry(std::uint64_t board, std::int64_t at_ms);
  void Template(std::string_view pattern, const Spec& spec);
  void NoTemplate(std::string_view pattern);

  // The boards that the batch so far is about, some perhaps more than once.
  [[nodiscard]] std::span<const std::uint64_t> boards() const { return boards_; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  // The batch so far, with the place of the stamp clock; Reset afterwards.
  [[nodiscard]] std::string_view Finish(Stamp last_stamp);
  void Reset();

 private:
  // True if something is to be noted: on this board, where one is given.
  bool Begin();
  bool Begin(std::uint64_t board);
  void Selected(std::uint64_t board);

  // Of the last On: what there was before it, and how much it has written by itself.
  struct Opening {
    std::size_t bytes = 0;
    std::size_t boards = 0;
    std::uint64_t selected = 0;
    std::size_t own_end = 0;
  };

  bool enabled_ = false;
  Opening opening_;
  std::string bytes_;
  LogWriter writer_;
  std::uint64_t selected_ = 0;
  std::vector<std::uint64_t> boards_;
};

}  // namespace laurel::engine
