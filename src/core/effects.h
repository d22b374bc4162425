// Effects: what a decided command does to a board.
//
// A command is decided against the present state into effects, and Board::Apply carries them out.
// Effects are absolute (the whole entry, never a difference) and leave nothing to decide: no cap,
// no clock, no policy. So a log of effects, applied again, gives the same state. Even applied to a
// state that has seen some of them already: of the effects that name a member the last one decides
// about its mark (kHide, kShow) and its entry (kPut, kDelete, kHide, kClear). kDeleteRange depends
// on the entries that it finds. It is still safe to apply again: an entry that it should not have
// found was put or hidden later, and that effect follows.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <vector>

#include "core/store/entry_store.h"
#include "core/store/score_key.h"
#include "laurel/spec.h"

namespace laurel::core {

// Entries that stand together, from the first to the last. By keys and not by ranks, which would
// mean other entries in a state that has seen some of the effects already.
struct KeyRange {
  Words first{};
  std::string_view first_member{};
  Words last{};
  std::string_view last_member{};
  std::uint64_t count = 0;  // when it was decided; said to those who follow the log
};

struct Effect {
  enum class Kind : std::uint8_t {
    kPut,          // member has these words and this meta now, present or not before
    kDelete,       // member's entry is gone
    kDeleteRange,  // visible entries from one key to another are gone
    kClear,        // all entries are gone, hidden ones too
    kHide,         // member's entry, with these words and meta, is hidden now
    kShow,         // member's hidden entry is gone; it follows as kPut
    kAlter,        // the spec is this one; it differs in what may be altered
  };

  Kind kind = Kind::kPut;
  std::string_view member{};
  Words words{};
  std::string_view meta{};
  const Spec* spec = nullptr;
  const KeyRange* range = nullptr;  // of a kDeleteRange
  bool stamp_given = false;         // of a kPut: by AT, so the stamp says nothing about the clock
  bool evicted =
      false;  // of a kDelete or kDeleteRange: by the cap; said to those who follow the log
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
    range_.reset();
  }
  void Add(const Effect& effect) { effects_.push_back(effect); }
  // A copy that lives as long as the batch is not cleared.
  std::string_view Own(std::string_view bytes);
  const Spec* Own(const Spec& spec);
  // With its members.
  const KeyRange* Own(const KeyRange& range);

  [[nodiscard]] bool empty() const { return effects_.empty(); }
  [[nodiscard]] auto begin() const { return effects_.begin(); }
  [[nodiscard]] auto end() const { return effects_.end(); }

 private:
  std::vector<Effect> effects_;
  std::pmr::monotonic_buffer_resource bytes_;
  bool owns_bytes_ = false;
  std::unique_ptr<const Spec> spec_;       // of the kAlter: a batch has one at the most
  std::unique_ptr<const KeyRange> range_;  // of the kDeleteRange: likewise
};

}  // namespace laurel::core
