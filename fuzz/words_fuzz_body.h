// Bytes become words and a spec: the grammar of the LB commands by itself. Shared by the libFuzzer
// target and the replay test.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "wire/command_id.h"

namespace laurel::fuzz {

// How often the requests for each command were accepted.
using AcceptedWords = std::array<std::uint64_t, wire::kCommandIds>;

// Empty if the grammar kept its promises, else the first one that it broke:
//
// - it takes any words, of any board, without a crash
// - an operation that it accepts refers to the request's words, and to nothing else that may go
// - what it refuses it says in one line
// - the same words give the same answer again, whatever was parsed in between
std::string RunWords(std::span<const std::uint8_t> bytes, AcceptedWords* accepted);

}  // namespace laurel::fuzz
