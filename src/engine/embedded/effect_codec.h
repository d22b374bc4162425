// Effects as bytes: what the log and snapshots are made of. docs/log-format.md has the layout.
//
// Boards are named by id. Effects on entries go to the board named last, so that a batch on one
// board names it once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/effects.h"
#include "core/request_ids.h"
#include "core/score_key.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::engine {

class EffectWriter {
 public:
  explicit EffectWriter(std::string* to) : to_(to) {}

  // The stamp clock has come to here.
  void Clock(Stamp last);

  // On boards.
  void Select(std::uint64_t id);
  void Create(std::uint64_t id, std::string_view name, const Spec& spec);  // and selects it
  void Drop(std::uint64_t id);
  void DropBelow(std::uint64_t id);

  // On the board that was selected.
  void Name(std::string_view name);
  void Expiry(std::int64_t at_ms);  // 0: never
  void Written(Stamp at);           // when it accepted its last write
  void Clear();
  void Alter(const Spec& spec);
  void Put(std::string_view member, const core::Words& words, unsigned word_count,
           std::string_view meta);
  void Delete(std::string_view member);
  void Hide(std::string_view member);
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
  virtual Status OnDrop(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnDropBelow(std::uint64_t /*id*/) { return Ok{}; }
  virtual Status OnName(std::string_view /*name*/) { return Ok{}; }
  virtual Status OnExpiry(std::int64_t /*at_ms*/) { return Ok{}; }
  virtual Status OnWritten(Stamp /*at*/) { return Ok{}; }
  // kPut, kDelete, kClear, kHide, kShow, kAlter. `words`: how many of a kPut's words there are.
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
