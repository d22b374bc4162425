// An operation as the words of an LB command: the inverse of the grammar.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/spec.h"
#include "leaderboard/operation.h"

namespace laurel::conformance {

using Words = std::vector<std::string>;

// How an instance is named: "lb@day:-1", or "lb … PERIOD day:-1" where the command takes PERIOD.
enum class InstanceWords { kInTheName, kByPeriod };

// `spec`: the board's present one. None if no LB command asks for this.
std::optional<Words> WordsOf(const leaderboard::Operation& operation, std::string_view board,
                             const Spec& spec, InstanceWords instances);

// LB.CREATE.
Words CreateWords(std::string_view board, const Spec& spec);

}  // namespace laurel::conformance
