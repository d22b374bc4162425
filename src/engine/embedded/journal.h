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

#include "core/catalog.h"
#include "core/effects.h"
#include "engine/embedded/effect_codec.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::engine {

class Journal {
 public:
  Journal() : writer_(&bytes_) {}
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Until then nothing is noted: no log, or still reading it.
  void Enable() { enabled_ = true; }

  void Create(const core::NamedBoard& board);
  void Drop(const core::NamedBoard& board, bool expired = false);
  void CreateInstance(const core::NamedBoard& instance);
  void DropInstance(const core::NamedBoard& instance);
  void Turned(const core::NamedBoard& board);
  void Closed(const core::NamedBoard& instance, const ClosedInstance& closed);
  void DropBelow(std::uint64_t id);
  // `from` is the name that the board had.
  void Rename(const core::NamedBoard& board, std::string_view from);
  void Clear(const core::NamedBoard& board);
  void Expiry(const core::NamedBoard& board);
  // It has accepted a write. The stamp clock does not tell when: not every write takes a stamp.
  void Written(const core::NamedBoard& board, Stamp at);
  // How far its period is closed now.
  void ClosedThrough(const core::NamedBoard& board, Period period);
  void Effects(const core::NamedBoard& board, const core::EffectBatch& effects);
  // All entries and hidden marks of a board that was created in this batch.
  void Contents(const core::NamedBoard& board);
  void Remember(const core::NamedBoard& board, const core::RememberedRequest& request);
  void ForgetBefore(const core::NamedBoard& board, std::uint64_t sequence);
  void Template(std::string_view pattern, const Spec& spec);
  void NoTemplate(std::string_view pattern);

  // The boards that the batch so far is about, some perhaps more than once; 0 for all of them.
  [[nodiscard]] std::span<const std::uint64_t> boards() const { return boards_; }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  // The batch so far, with the place of the stamp clock; Clear afterwards.
  [[nodiscard]] std::string_view Finish(Stamp last_stamp);
  void Reset();

 private:
  // True if something is to be noted: on this board, where one is given.
  bool Begin();
  bool Begin(const core::NamedBoard& board);
  void Selected(const core::NamedBoard& board);

  bool enabled_ = false;
  std::string bytes_;
  EffectWriter writer_;
  std::uint64_t selected_ = 0;
  std::vector<std::uint64_t> boards_;
};

// What recreates a board except its entries: what a snapshot begins each board with.
void WriteBoard(const core::NamedBoard& board, EffectWriter* writer);
void WriteHidden(const core::Board& board, std::string_view member,
                 const core::Board::HiddenEntry* entry, EffectWriter* writer);

}  // namespace laurel::engine
