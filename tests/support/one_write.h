// A write to one board of core, as tests make it.
#pragma once

#include "core/board.h"
#include "core/decide.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// Decides the write and applies its effects.
inline Result<Verdict> WriteOne(Board* board, const Write& write, Moment moment) {
  EffectBatch effects;
  Result<Verdict> verdict = DecideWrite(*board, write, moment, &effects);
  if (verdict.ok()) board->Apply(effects);
  return verdict;
}

}  // namespace laurel::core
