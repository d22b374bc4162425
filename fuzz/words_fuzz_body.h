// Turns bytes into words and a spec, to test the grammar of the LB commands alone. Shared by the
// libFuzzer target and the replay test.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "wire/command_id.h"

namespace laurel::fuzz {

// How many requests of each command were accepted.
using AcceptedWords = std::array<std::uint64_t, wire::kCommandIds>;

// Returns "" if the grammar kept its promises, else the first broken one:
//
// - it parses any words, for any board, without a crash
// - an accepted operation refers only to the words of its request, not to memory that may be freed
// - an error is one line
// - the same words give the same answer again, whatever was parsed in between
std::string RunWords(std::span<const std::uint8_t> bytes, AcceptedWords* accepted);

}  // namespace laurel::fuzz
