// The steps of LB.LOAD, for every host.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "laurel/result.h"

namespace laurel::wire {

struct LoadStep {
  enum class Kind : std::uint8_t { kBegin, kChunk, kCommit, kAbort };
  Kind kind = Kind::kBegin;
  std::string_view board;
  std::string_view id;
  std::span<const std::string_view> options{};  // for kBegin: the options of LB.CREATE
  std::uint64_t number = 0;                     // for kChunk
  std::string_view chunk{};                     // for kChunk
  bool replace = false;                         // for kCommit
};

// Parses `arguments`: LB.LOAD board step id …. REQUIRES: there are at least these four.
Result<LoadStep> ParseLoadStep(std::span<const std::string_view> arguments);

}  // namespace laurel::wire
