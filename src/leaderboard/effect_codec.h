// The effects of a leaderboard as bytes: one writer and one reader for log, snapshot, replication
// and RDB alike. docs/log-format.md has the layout.
//
// Effects are absolute: each sets one thing whatever it was before, so effects that are applied
// again, from any earlier point on, lead to the same state (core/effects.h has the one exception
// and why it is none). They leave nothing to decide: no cap, no clock, no calendar.
//
// Effects on entries go to the instance that was selected last; a board without periods is its own
// instance 0, which is selected at the beginning. A sorted set uses the same effects on entries.
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

// Numbers from here on are for the effects of a host, between those of a leaderboard.
inline constexpr std::uint8_t kFirstHostEffect = 64;

// Which instance, for readers that know nothing but the bytes.
struct InstanceRef {
  std::uint32_t number = 0;  // 0: the board itself
  Period period = Period::kAll;
  std::int64_t begin_s = 0;  // in seconds; 0 for kAll
};

// The size and the best entries of a closed instance, for readers of the effects.
struct TopEntry {
  std::string_view member;
  core::Words words{};
};
struct Closing {
  std::string_view note;   // the host's, kept with the instance
  std::uint64_t size = 0;  // visible entries
  unsigned words = 0;      // of each entry
  std::vector<TopEntry> top;
};

class EffectWriter {
 public:
  explicit EffectWriter(std::string* to) : to_(to) {}

  // Another leaderboard follows, or a reader may start here: instance 0 is selected.
  void Restart() { selected_ = 0; }

  void Create(const Spec& spec);
  void Alter(const Spec& spec);
  void Mark(std::string_view member);
  void Unmark(std::string_view member);
  void Stamped(Stamp last);  // the highest stamp given so far
  void Written(Stamp at);    // when the last write was accepted
  void Turned(Stamp at);     // the calendar has come to here
  void ClosedThrough(Period period, Stamp end);
  void Remember(const RememberedRequest& request);
  void ForgetBefore(std::uint64_t sequence);

  void CreateInstance(std::uint32_t number, const Instance& span);  // and selects it
  void Select(const InstanceRef& instance);
  void DropInstance(std::uint32_t number);
  void Close(const Closing& closing);  // the selected instance

  // On the entries of the selected instance. `words`: of each entry.
  void Entry(const core::Effect& effect, unsigned words);

  // A spec, for hosts that name one in effects of their own.
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

std::int64_t BeginSeconds(const Instance& span);

// Reads a spec that WriteSpec wrote. The cursor has failed if it is none, or fails CheckSpec.
Spec ReadSpec(base::ByteCursor* cursor);

// Hears of each effect in turn. An error ends the reading.
class EffectReader {
 public:
  virtual ~EffectReader() = default;

  // Reads effects off the front until the end, or until one of the host's. An error says what is
  // wrong with the bytes, which may be anything.
  Status Read(base::ByteCursor* cursor);
  // Passes over them.
  static Status Skip(base::ByteCursor* cursor) { return EffectReader().Read(cursor); }

 protected:
  // What is not overridden is passed over.
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
  // `words`: of the entries in it; 0 if there are none.
  virtual Status OnEntry(const core::Effect& /*effect*/, unsigned /*words*/) { return Ok{}; }

 private:
  Status ReadOne(base::ByteCursor& cursor);
  Status ReadInstance(std::uint8_t op, base::ByteCursor& cursor);
  Status ReadEntry(std::uint8_t op, base::ByteCursor& cursor);
};

}  // namespace laurel::leaderboard
