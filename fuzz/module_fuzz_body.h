// Feeds bytes to what the module reads from RDB files, RESTORE, LB.APPLY and LB.LOAD. Shared by the
// libFuzzer target and the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::fuzz {

// Reads the input as one value. The first byte chooses what reads it; the rest are chunks, each
// with its length in two bytes before it.
//
//   0  RDB and LB.APPLY: the chunks up to an empty one are a saved board; each chunk behind it is
//      the effects of one command, which the board applies. If the saved board is accepted,
//      - every read of it is answered
//      - a twin accepts or refuses the same effects, and is equal afterwards
//      - a write to it gives effects that make the twin equal
//      - at any time it keeps every invariant, and is equal after it was saved and loaded
//   1  LB.APPLY: the first chunk selects a board of ModulePayloadSamples; the others are effects,
//      as above
//   2  LB.LOAD: the first chunk selects the spec of a board; the others are chunks that fill it. A
//      refused chunk changes nothing or ends the load, and a replica takes those that are taken
//
// Returns "" if these promises were kept, else the first broken one.
std::string RunModulePayload(std::span<const std::uint8_t> bytes);

// An input in which the sample board `spec` applies effects, one string a command.
std::string ModuleEffectsInput(std::size_t spec, const std::vector<std::string>& effects);
// An input in which a board is loaded whose saved state is these effects.
std::string ModuleSavedInput(std::string_view spec_line, std::string_view effects);

// Inputs of real boards, for the corpus and for random changes.
std::vector<std::string> ModulePayloadSamples();

}  // namespace laurel::fuzz
