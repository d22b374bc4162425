// Encodes and decodes the effects of the embedded engine itself: names, expiry, templates. In the
// log and in snapshots they stand between the effects of the boards. docs/log-format.md has the
// layout.
//
// Boards are identified by ids, which are never reused. Effects of a leaderboard, and effects on
// the entries of a sorted set (leaderboard/effect_codec.h), apply to the board selected last.
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

// After each of these effects no instance is selected (EffectWriter::Restart).
class LogWriter {
 public:
  explicit LogWriter(std::string* to) : effects_(to) {}

  // The writer for effects of the selected board.
  [[nodiscard]] leaderboard::EffectWriter& effects() { return effects_; }

  void Clock(Stamp last);  // the last stamp given
  void Select(std::uint64_t id);
  void Create(std::uint64_t id, std::string_view name, const Spec& spec);  // also selects the board
  // Name and spec are for readers that started earlier and must describe the dropped board.
  void Drop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired);
  void DropBelow(std::uint64_t id);  // drops every board with a smaller id
  // The selected board has the name `name` now; before, it had the name `from`.
  void Name(std::string_view name, std::string_view from, const Spec& spec);
  // A board that LB.LOAD fills: no client can name it until Publish. Load also selects it;
  // SelectLoad selects it later, for the next chunk.
  void Load(std::uint64_t id, std::string_view name, const Spec& spec);
  void SelectLoad(std::uint64_t id);
  // The loaded board gets its name. Also selects it. `entries`: how many were loaded.
  void Publish(std::uint64_t id, const Spec& spec, std::uint64_t entries);
  void Expiry(std::int64_t at_ms);  // 0: never
  void Template(std::string_view pattern, const Spec& spec);
  void NoTemplate(std::string_view pattern);

 private:
  void WriteNumber(std::uint8_t op, std::uint64_t number);
  void WriteNamed(std::uint8_t op, std::uint64_t id, std::string_view name, const Spec& spec);

  leaderboard::EffectWriter effects_;
};

// Calls one virtual function per effect, in order, including the effects of boards. An error that a
// function returns ends the reading.
class LogReader : public leaderboard::EffectReader {
 public:
  // Reads all effects in `bytes`, which may be malformed. Returns an error that says what is wrong
  // with them, or the error of a callback.
  Status ReadAll(std::string_view bytes);

 protected:
  // Effects whose function is not overridden are ignored.
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
  virtual Status OnLoad(std::uint64_t /*id*/, std::string_view /*name*/, const Spec& /*spec*/) {
    return Ok{};
  }
  virtual Status OnSelectLoad(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnPublish(std::uint64_t /*id*/, const Spec& /*spec*/, std::uint64_t /*entries*/) {
    return Ok{};
  }
  virtual Status OnExpiry(std::int64_t /*at_ms*/) { return Ok{}; }
  virtual Status OnTemplate(std::string_view /*pattern*/, const Spec& /*spec*/) { return Ok{}; }
  virtual Status OnNoTemplate(std::string_view /*pattern*/) { return Ok{}; }
  // Called before each effect of the engine: after it no instance is selected.
  virtual void OnRestart() {}
  // Reads the effects of the selected board from the cursor, up to the next effect of the engine.
  // The default calls the functions of EffectReader for each effect.
  virtual Status OnBoardEffects(base::ByteCursor* cursor) { return EffectReader::Read(cursor); }

 private:
  Status ReadOwn(base::ByteCursor& cursor);
};

}  // namespace laurel::engine
