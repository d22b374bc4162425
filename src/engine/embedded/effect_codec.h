// Effects as bytes: what the log and snapshots are made of. docs/log-format.md has the layout.
//
// Boards are named by id. Effects on entries go to the board named last, so that a batch on one
// board names it once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "core/effects.h"
#include "core/request_ids.h"
#include "core/score_key.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::engine {

// Which instance, for those who know its board only.
struct InstanceRef {
  std::uint64_t id = 0;
  std::uint64_t of = 0;
  Period period = Period::kAll;
  std::int64_t begin_s = 0;  // in seconds; 0 for kAll
};

[[nodiscard]] InstanceRef RefOf(const core::NamedBoard& instance);
[[nodiscard]] std::int64_t BeginSeconds(const Instance& span);

// What a closed instance leaves to those who follow the log.
struct TopEntry {
  std::string_view member;
  core::Words words{};
};
struct ClosedInstance {
  std::uint64_t epoch = 0;  // the log before this is that epoch's, and ends with the record `after`
  std::uint64_t after = 0;
  std::uint64_t size = 0;  // visible entries
  unsigned words = 0;      // of each entry
  std::vector<TopEntry> top;
};

class EffectWriter {
 public:
  explicit EffectWriter(std::string* to) : to_(to) {}

  // The stamp clock has come to here.
  void Clock(Stamp last);

  // On boards.
  void Select(std::uint64_t id);
  void Create(std::uint64_t id, std::string_view name, const Spec& spec);  // and selects it
  // Who follows the log from before the end of a board knows from its end what it read.
  void Drop(std::uint64_t id, std::string_view name, const Spec& spec);
  // By itself, when its time had come.
  void DropExpired(std::uint64_t id, std::string_view name, const Spec& spec);
  void DropBelow(std::uint64_t id);

  // On instances of boards with periods.
  // And selects it. Its spec is its board's, but for the two that may have been altered.
  void CreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span, Policy policy,
                      std::uint64_t cap);
  void SelectInstance(const InstanceRef& instance);
  void DropInstance(std::uint64_t id);
  void Turned(Stamp at);  // the selected board's calendar has come to here
  // Of the selected board's period all instances that end by then are closed, gone ones too.
  void ClosedThrough(Period period, Stamp end);
  // The selected instance takes no more writes.
  void Closed(const ClosedInstance& closed);

  // On the board that was selected.
  void Name(std::string_view name, std::string_view from, const Spec& spec);
  void Expiry(std::int64_t at_ms);  // 0: never
  void Written(Stamp at);           // when it accepted its last write
  void Clear();
  void Alter(const Spec& spec);
  void Put(std::string_view member, const core::Words& words, unsigned word_count,
           std::string_view meta);
  void Delete(std::string_view member);
  void Evict(std::string_view member);  // deletes as well
  // `words`: of its entry; null if the member has none.
  void Hide(std::string_view member, unsigned word_count, const core::Words* words,
            std::string_view meta);
  void DeleteRange(const core::KeyRange& range, unsigned word_count, bool evicted);
  void Show(std::string_view member);
  void Remember(const core::RememberedRequest& request);
  void ForgetBefore(std::uint64_t sequence);

  // On what new names become.
  void Template(std::string_view pattern, const Spec& spec);
  void NoTemplate(std::string_view pattern);

 private:
  void Op(int op);
  void Number(std::uint64_t value);
  void Bytes(std::string_view bytes);
  void Words(const core::Words& words, unsigned count);
  void WriteSpec(const Spec& spec);

  std::string* to_;
};

// Hears of each effect in turn. An error ends the reading.
class EffectReader {
 public:
  virtual ~EffectReader() = default;

  // Reads all effects in `bytes`, which may be anything. An error says what is wrong with them.
  Status Read(std::string_view bytes);

 protected:
  // What is not overridden is passed over.
  virtual Status OnClock(Stamp /*last*/) { return Ok{}; }
  virtual Status OnSelect(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnCreate(std::uint64_t /*id*/, std::string_view /*name*/, const Spec& /*spec*/) {
    return Ok{};
  }
  virtual Status OnDrop(std::uint64_t /*id*/, std::string_view /*name*/, const Spec& /*spec*/,
                        bool /*expired*/) {
    return Ok{};
  }
  virtual Status OnDropBelow(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnCreateInstance(std::uint64_t /*id*/, std::uint64_t /*of*/,
                                  const Instance& /*span*/, Policy /*policy*/,
                                  std::uint64_t /*cap*/) {
    return Ok{};
  }
  virtual Status OnSelectInstance(const InstanceRef& /*instance*/) { return Ok{}; }
  virtual Status OnDropInstance(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnTurned(Stamp /*at*/) { return Ok{}; }
  virtual Status OnClosedThrough(Period /*period*/, Stamp /*end*/) { return Ok{}; }
  virtual Status OnClosed(const ClosedInstance& /*closed*/) { return Ok{}; }
  virtual Status OnName(std::string_view /*name*/, std::string_view /*from*/,
                        const Spec& /*spec*/) {
    return Ok{};
  }
  virtual Status OnExpiry(std::int64_t /*at_ms*/) { return Ok{}; }
  virtual Status OnWritten(Stamp /*at*/) { return Ok{}; }
  // `words`: how many words the entry or the keys of the effect have; 0 if it has neither.
  virtual Status OnEffect(const core::Effect& /*effect*/, unsigned /*words*/) { return Ok{}; }
  virtual Status OnRemember(const core::RememberedRequest& /*request*/) { return Ok{}; }
  virtual Status OnForgetBefore(std::uint64_t /*sequence*/) { return Ok{}; }
  virtual Status OnTemplate(std::string_view /*pattern*/, const Spec& /*spec*/) { return Ok{}; }
  virtual Status OnNoTemplate(std::string_view /*pattern*/) { return Ok{}; }

 private:
  class Cursor;
  Status ReadOne(Cursor& cursor);
};

}  // namespace laurel::engine
