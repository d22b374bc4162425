// Collects the effects of the commands in one hold of the engine's lock, encoded for the log.
//
// Every change of a board or a template is noted here in the hold that makes it. When the hold
// ends, the effects become one log batch; a long hold makes several. An EXEC is never split over
// two batches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/journal/log_effects.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"

namespace laurel::engine {

// In a list of the boards that a batch changes: all boards.
inline constexpr std::uint64_t kEveryBoard = 0;

class Journal {
 public:
  Journal() : writer_(&bytes_) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Starts noting effects. Before this call the journal notes nothing, because there is no log or
  // it is still being read.
  void Enable() { enabled_ = true; }

  // Selects the board and returns the writer for its effects; null if the journal is not enabled.
  // Call DiscardIfEmpty afterwards: it takes the selection back if no effect was written, so that
  // no batch consists of a selection alone.
  [[nodiscard]] leaderboard::EffectWriter* On(std::uint64_t board);
  void DiscardIfEmpty();
  // As Create and On, for a board that LB.LOAD fills. Followers get nothing of these.
  void Load(std::uint64_t board, std::string_view name, const Spec& spec);
  void LoadChunk(std::uint64_t board, std::string_view effects);
  void Publish(std::uint64_t board, const Spec& spec, std::uint64_t entries);

  void Create(std::uint64_t board, std::string_view name, const Spec& spec);
  void Drop(std::uint64_t board, std::string_view name, const Spec& spec, bool expired);
  void DropBelow(std::uint64_t id);
  void Rename(std::uint64_t board, std::string_view name, std::string_view from, const Spec& spec);
  void Expiry(std::uint64_t board, std::int64_t at_ms);
  void Template(std::string_view pattern, const Spec& spec);
  void NoTemplate(std::string_view pattern);

  // The ids of the boards that the batch so far is about. May contain duplicates, and kEveryBoard.
  [[nodiscard]] std::span<const std::uint64_t> boards() const { return boards_; }
  // Boards that were renamed since the last Reset.
  [[nodiscard]] std::span<const std::uint64_t> renamed() const { return renamed_; }
  // Boards that were published since the last Reset.
  [[nodiscard]] std::span<const std::uint64_t> published() const { return published_; }
  // The lowest and the highest id of the boards that were created since the last Reset. Ids rise,
  // so no older board is between them. None: no board was created.
  struct Created {
    std::uint64_t lowest = 0;
    std::uint64_t highest = 0;
  };
  [[nodiscard]] const std::optional<Created>& created() const { return created_; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  // Writes the position of the stamp clock into the batch and returns the batch. The journal must
  // not be empty. Call Reset afterwards.
  [[nodiscard]] std::string_view Finish(Stamp last_stamp);
  void Reset();

 private:
  // Prepares the batch for an effect, and selects `board` if one is given. Returns false if the
  // journal is not enabled.
  bool Begin();
  bool Begin(std::uint64_t board);
  void Selected(std::uint64_t board);

  // DiscardIfEmpty restores this state, which was there before the last On.
  struct Opening {
    std::size_t bytes = 0;
    std::size_t boards = 0;
    std::uint64_t selected = 0;
    std::size_t own_end = 0;  // size of bytes_ after the selection that On has written
  };

  bool enabled_ = false;
  Opening opening_;
  std::string bytes_;
  LogWriter writer_;
  std::uint64_t selected_ = 0;
  std::vector<std::uint64_t> boards_;
  std::vector<std::uint64_t> renamed_;
  std::vector<std::uint64_t> published_;
  std::optional<Created> created_;
};

}  // namespace laurel::engine
