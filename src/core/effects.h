// Effects: what a decided command does to a board.
//
// A command is decided against the present state into effects, and Board::Apply carries them out.
// Effects are absolute (the whole entry, never a difference) and leave nothing to decide: no cap,
// no clock, no policy. So a log of effects, applied again, gives the same state. Even applied to a
// state that has seen some of them already: marks are set by kHide and kShow alone, entries by
// kPut, kDelete and kClear alone, and of each the last one decides.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "core/entry_store.h"
#include "core/score_key.h"
#include "laurel/spec.h"

namespace laurel::core {

struct Effect {
  enum class Kind : std::uint8_t {
    kPut,     // member has these words and this meta now, present or not before
    kDelete,  // member's entry is gone
    kClear,   // all entries are gone, hidden members' too; marks stay
    kHide,    // member is marked hidden
    kShow,    // member is no longer marked hidden; its entry, if any, follows as kPut
    kAlter,   // the spec is this one; it differs in what may be altered
  };

  Kind kind = Kind::kPut;
  std::string_view member{};
  Words words{};
  std::string_view meta{};
  const Spec* spec = nullptr;
  bool evicted = false;  // of a kDelete: by the cap; said to those who follow the log
  // Where the member's entry was when this was decided: saves Apply a look-up. Only for the first
  // effect applied after deciding; never logged.
  Location found_at = kNowhere;
};

// The effects of a command, and the bytes they refer to where those are not the caller's.
class EffectBatch {
 public:
  void Clear() {
    effects_.clear();
    if (owns_bytes_) bytes_.release();
    owns_bytes_ = false;
    spec_.reset();
  }
  void Add(const Effect& effect) { effects_.push_back(effect); }
  // A copy that lives as long as the batch is not cleared.
  std::string_view Own(std::string_view bytes);
  const Spec* Own(const Spec& spec);

  [[nodiscard]] bool empty() const { return effects_.empty(); }
  [[nodiscard]] auto begin() const { return effects_.begin(); }
  [[nodiscard]] auto end() const { return effects_.end(); }

 private:
  std::vector<Effect> effects_;
  std::pmr::monotonic_buffer_resource bytes_;
  bool owns_bytes_ = false;
  std::unique_ptr<const Spec> spec_;  // of the last kAlter: a batch has one at the most
};

}  // namespace laurel::core
