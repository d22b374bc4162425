// Effects: what a decided command does to standings.
//
// decide.h computes the effects of a command from the present state; Board::Apply executes them.
// Effects are absolute (the whole entry, never a difference) and leave nothing to decide: no cap,
// no clock, no policy. So replaying a log of effects gives the same state, even on a state that
// already contains some of them: the last effect on a member determines its entry (kPut, kDelete,
// kHide, kShow, kClear). kDeleteRange depends on the entries that it finds, but is safe to replay
// too: an entry that it removes wrongly was put or hidden later, and that effect follows in the
// log. Hidden marks are not part of these effects; see marks.h.
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

// Neighbouring entries, first and last included. Given by keys, not by ranks: on a state that
// already contains some of the effects, the same ranks would mean other entries.
struct KeyRange {
  Words first{};
  std::string_view first_member{};
  Words last{};
  std::string_view last_member{};
  std::uint64_t count = 0;  // entries removed when the effect was decided; for followers
};

struct Effect {
  enum class Kind : std::uint8_t {
    kPut,          // inserts or replaces the member's entry: words and meta
    kDelete,       // removes the member's entry
    kDeleteRange,  // removes the visible entries from one key to another
    kClear,        // removes all entries, hidden ones too
    kHide,         // stores words and meta as the member's hidden entry, removes the visible one
    kShow,         // removes the member's hidden entry; a kPut of the same entry follows
    kAlter,        // replaces the spec; only alterable parts differ
  };

  Kind kind = Kind::kPut;
  std::string_view member{};
  Words words{};
  std::string_view meta{};
  const Spec* spec = nullptr;
  const KeyRange* range = nullptr;  // of a kDeleteRange
  bool stamp_not_from_clock =
      false;             // of a kPut: not a new stamp of the clock, but AT or the old stamp
  bool evicted = false;  // of a kDelete or kDeleteRange: removed by the cap; for followers
  // The location of the member's entry when the effect was decided; saves Apply a look-up. Used for
  // the first effect after deciding only; never logged.
  Location found_at = kNowhere;
};

// The effects of a command, with the bytes they refer to unless the caller owns those.
class EffectBatch {
 public:
  void Clear() {
    effects_.clear();
    if (owns_bytes_) bytes_.release();
    owns_bytes_ = false;
    range_.reset();
  }
  void Add(const Effect& effect) { effects_.push_back(effect); }
  // Copies the bytes; the copy is valid until the batch is cleared.
  std::string_view Own(std::string_view bytes);
  // Copies the range and its members. REQUIRES: the batch has no range yet.
  const KeyRange* Own(const KeyRange& range);

  [[nodiscard]] bool empty() const { return effects_.empty(); }
  [[nodiscard]] auto begin() const { return effects_.begin(); }
  [[nodiscard]] auto end() const { return effects_.end(); }

 private:
  std::vector<Effect> effects_;
  std::pmr::monotonic_buffer_resource bytes_;
  bool owns_bytes_ = false;
  std::unique_ptr<const KeyRange> range_;  // of the kDeleteRange; at most one per batch
};

}  // namespace laurel::core
