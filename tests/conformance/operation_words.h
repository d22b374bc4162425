// Writes an operation as the words of an LB command: the inverse of the command parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/spec.h"
#include "leaderboard/operation.h"

namespace laurel::conformance {

using Words = std::vector<std::string>;

// How to name an instance: "lb@day:-1", or "lb … PERIOD day:-1" if the command takes PERIOD.
enum class InstanceWords { kInTheName, kByPeriod };

// `spec`: the board's current spec. None if no LB command expresses the operation.
std::optional<Words> WordsOf(const leaderboard::Operation& operation, std::string_view board,
                             const Spec& spec, InstanceWords instances);

// The words of LB.CREATE.
Words CreateWords(std::string_view board, const Spec& spec);

}  // namespace laurel::conformance
