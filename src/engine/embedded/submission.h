// The writes of one command on one board, all or nothing: on the board itself or, if it has
// periods, on the instance of each that they fall into.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/effects.h"
#include "engine/embedded/context.h"
#include "engine/embedded/keyspace.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::engine {

class Submission {
 public:
  Submission(Context* context, Target* target) : context_(context), target_(target) {}

  // Decides all writes, which have one AT; an error if one of them is refused on one of the boards.
  // Nothing has changed then.
  Status Decide(std::span<const Write> writes);
  // Carries out what was decided. With `ranks` the verdicts get theirs.
  void Apply(bool ranks);

  // One for each board of a write, write after write: the first is the board's own, or the first
  // period's.
  [[nodiscard]] std::span<const Verdict> verdicts() const { return verdicts_; }
  [[nodiscard]] std::span<const Verdict> VerdictsOf(std::size_t write) const {
    const std::size_t boards = target_->boards().size();
    return std::span(verdicts_).subspan(write * boards, boards);
  }

 private:
  Status DecideOn(std::size_t board, Moment moment);
  // Sets a rank of each verdict of the board, as it is now.
  void NoteRanks(std::size_t board, std::optional<std::uint64_t> Verdict::*rank);

  Context* context_;
  Target* target_;
  std::span<const Write> writes_;
  std::array<core::EffectBatch, kPeriods> effects_;  // of each board
  std::vector<Verdict> verdicts_;
};

}  // namespace laurel::engine
