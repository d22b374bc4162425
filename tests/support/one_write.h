// A write to one board of core, as tests make it.
#pragma once

#include "core/decide.h"
#include "core/standings.h"
#include "laurel/entry.h"
#include "laurel/result.h"

namespace laurel::core {

// Decides the write and applies its effects.
inline Result<Verdict> WriteOne(Standings* standings, const Write& write, Moment moment) {
  EffectBatch effects;
  Result<Verdict> verdict = DecideWrite(*standings, write, moment, &effects);
  if (verdict.ok()) standings->Apply(effects);
  return verdict;
}

}  // namespace laurel::core
