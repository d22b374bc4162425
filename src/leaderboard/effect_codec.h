// The effects of a leaderboard as bytes: one writer and one reader, used by log, snapshot,
// replication and RDB. docs/log-format.md has the layout.
//
// Effects are absolute: each sets one thing, whatever its value before. Effects that are applied
// again, from any earlier point on, therefore lead to the same state (core/effects.h explains why
// this holds for kDeleteRange too). Applying them needs no decision: no cap, no clock, no calendar.
//
// Effects on entries apply to the instance that was selected last. Instance 0 is selected at the
// beginning; it is the board itself, if it has no periods. A sorted set uses the same effects on
// entries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_cursor.h"
#include "core/effects.h"
#include "core/store/score_key.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/request_ids.h"

namespace laurel::leaderboard {

// Effects with this number or a higher one are the host's own. A host may mix them with the effects
// of a leaderboard.
inline constexpr std::uint8_t kFirstHostEffect = 64;

// Names an instance. Period and begin are for readers that have only the bytes, not the
// leaderboard.
struct InstanceRef {
  std::uint32_t number = 0;  // 0: the board itself
  Period period = Period::kAll;
  std::int64_t begin_s = 0;  // in seconds; 0 for kAll
};

// The size and the best entries of a closed instance, for readers that have only the effects.
struct TopEntry {
  std::string_view member;
  core::Words words{};
};
struct Closing {
  std::string_view note;   // the host's; stored with the instance
  std::uint64_t size = 0;  // visible entries
  unsigned words = 0;      // of each entry
  std::vector<TopEntry> top;
};

class EffectWriter {
 public:
  explicit EffectWriter(std::string* to) : to_(to) {}

  // Selects instance 0 without an effect. Call it where the effects of another leaderboard begin,
  // or where a reader may start.
  void Restart() { selected_ = 0; }

  void Create(const Spec& spec);
  void Alter(const Spec& spec);
  void Mark(std::string_view member);
  void Unmark(std::string_view member);
  void Stamped(Stamp last);  // the highest stamp given so far
  void Written(Stamp at);    // when the last write was accepted
  void Turned(Stamp at);     // the calendar has advanced to this time
  // Instances of the period that end at or before `end` are closed.
  void ClosedThrough(Period period, Stamp end);
  void Remember(const RememberedRequest& request);
  void ForgetBefore(std::uint64_t sequence);

  void CreateInstance(std::uint32_t number, const Instance& span);  // and selects it
  void Select(const InstanceRef& instance);  // writes nothing if it is selected already
  void DropInstance(std::uint32_t number);
  void Close(const Closing& closing);  // the selected instance

  // An effect on the entries of the selected instance. `words`: the number of words of an entry.
  void Entry(const core::Effect& effect, unsigned words);

  // Building blocks for the host's own effects.
  void WriteSpec(const Spec& spec);
  void WriteNumber(std::uint64_t value);
  void WriteFixed(std::uint64_t value);  // 8 bytes
  void WriteBytes(std::string_view bytes);
  void WriteOp(int op) { to_->push_back(static_cast<char>(op)); }

 private:
  void WriteWords(const core::Words& words, unsigned count);

  std::string* to_;
  std::uint32_t selected_ = 0;
};

// The begin of an instance as in InstanceRef: in seconds, 0 for kAll.
std::int64_t BeginSeconds(const Instance& span);

// Reads a spec that WriteSpec wrote. Fails the cursor if the bytes are no spec, or if CheckSpec
// refuses it.
Spec ReadSpec(base::ByteCursor* cursor);

// Reads effects and calls a virtual function for each. An error from one of them ends the reading.
class EffectReader {
 public:
  virtual ~EffectReader() = default;

  // Reads effects up to the end of the bytes, or up to the first of the host's own effects. Safe
  // for arbitrary bytes; the error says what is wrong with them.
  Status Read(base::ByteCursor* cursor);
  // Passes the effects without calling anything.
  static Status Skip(base::ByteCursor* cursor) { return EffectReader().Read(cursor); }

 protected:
  // The default implementations ignore the effect.
  virtual Status OnCreate(const Spec& /*spec*/) { return Ok{}; }
  virtual Status OnAlter(const Spec& /*spec*/) { return Ok{}; }
  virtual Status OnMark(std::string_view /*member*/) { return Ok{}; }
  virtual Status OnUnmark(std::string_view /*member*/) { return Ok{}; }
  virtual Status OnStamped(Stamp /*last*/) { return Ok{}; }
  virtual Status OnWritten(Stamp /*at*/) { return Ok{}; }
  virtual Status OnTurned(Stamp /*at*/) { return Ok{}; }
  virtual Status OnClosedThrough(Period /*period*/, Stamp /*end*/) { return Ok{}; }
  virtual Status OnRemember(const RememberedRequest& /*request*/) { return Ok{}; }
  virtual Status OnForgetBefore(std::uint64_t /*sequence*/) { return Ok{}; }
  virtual Status OnCreateInstance(std::uint32_t /*number*/, const Instance& /*span*/) {
    return Ok{};
  }
  virtual Status OnSelect(const InstanceRef& /*instance*/) { return Ok{}; }
  virtual Status OnDropInstance(std::uint32_t /*number*/) { return Ok{}; }
  virtual Status OnClose(const Closing& /*closing*/) { return Ok{}; }
  // `words`: the number of words of an entry; 0 if the effect contains no words.
  virtual Status OnEntry(const core::Effect& /*effect*/, unsigned /*words*/) { return Ok{}; }

 private:
  Status ReadOne(base::ByteCursor& cursor);
  Status ReadInstance(std::uint8_t op, base::ByteCursor& cursor);
  Status ReadEntry(std::uint8_t op, base::ByteCursor& cursor);
};

}  // namespace laurel::leaderboard
