// The effects of the embedded engine itself, between those of its boards: names, expiry, templates.
// Together they are what the log and snapshots are made of. docs/log-format.md has the layout.
//
// Boards are known by ids, which are never used twice. Effects of a leaderboard, and effects on the
// entries of a sorted set, go to the board selected last (leaderboard/effect_codec.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_cursor.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/effect_codec.h"

namespace laurel::engine {

// Behind each effect of the engine's own no instance is selected (EffectWriter::Restart).
class LogWriter {
 public:
  explicit LogWriter(std::string* to) : effects_(to) {}

  // The effects of the selected board.
  [[nodiscard]] leaderboard::EffectWriter& effects() { return effects_; }

  void Clock(Stamp last);  // the stamp clock has come to here
  void Select(std::uint64_t id);
  void Create(std::uint64_t id, std::string_view name, const Spec& spec);  // and selects it
  // Name and spec are for readers that started earlier and must describe the dropped board.
  void Drop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired);
  void DropBelow(std::uint64_t id);
  // On the selected board: its name now, and the one before.
  void Name(std::string_view name, std::string_view from, const Spec& spec);
  void Expiry(std::int64_t at_ms);  // 0: never
  void Template(std::string_view pattern, const Spec& spec);
  void NoTemplate(std::string_view pattern);

 private:
  leaderboard::EffectWriter effects_;
};

// Hears of each effect in pipeline, the boards' own ones too. An error ends the reading.
class LogReader : public leaderboard::EffectReader {
 public:
  // Reads all effects in `bytes`, which may be anything. An error says what is wrong with them.
  Status ReadAll(std::string_view bytes);

 protected:
  // What is not overridden is passed over.
  virtual Status OnClock(Stamp /*last*/) { return Ok{}; }
  virtual Status OnSelectBoard(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnCreateBoard(std::uint64_t /*id*/, std::string_view /*name*/,
                               const Spec& /*spec*/) {
    return Ok{};
  }
  virtual Status OnDrop(std::uint64_t /*id*/, std::string_view /*name*/, const Spec& /*spec*/,
                        bool /*expired*/) {
    return Ok{};
  }
  virtual Status OnDropBelow(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnName(std::string_view /*name*/, std::string_view /*from*/,
                        const Spec& /*spec*/) {
    return Ok{};
  }
  virtual Status OnExpiry(std::int64_t /*at_ms*/) { return Ok{}; }
  virtual Status OnTemplate(std::string_view /*pattern*/, const Spec& /*spec*/) { return Ok{}; }
  virtual Status OnNoTemplate(std::string_view /*pattern*/) { return Ok{}; }
  // One of the engine's own effects follows: behind it no instance is selected.
  virtual void OnRestart() {}
  // The effects of the selected board begin at the cursor: reads them, up to the next of the
  // engine's own. By default each is heard of by itself.
  virtual Status OnBoardEffects(base::ByteCursor* cursor) { return EffectReader::Read(cursor); }

 private:
  Status ReadOwn(base::ByteCursor& cursor);
};

}  // namespace laurel::engine
