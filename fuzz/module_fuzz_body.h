// Feeds bytes to what the module reads from RDB files, RESTORE and LB.APPLY. Shared by the
// libFuzzer target and the replay test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace laurel::fuzz {

// Reads the input as one value. The first byte chooses what reads it; the rest are chunks, each
// with its length in two bytes before it.
//
//   0  RDB: the chunks of a saved board. If they are accepted,
//      - the board keeps every invariant, and every read of it is answered
//      - saving and loading it again gives an equal digest
//      - a submit on it gives effects that make a loaded copy equal
//   1  LB.APPLY: each chunk is the effects of one command, applied to a board and to a twin of it.
//      - both accept or refuse them alike, and are equal afterwards
//      - every read of the board is answered
//
// Returns "" if these promises were kept, else the first broken one.
std::string RunModulePayload(std::span<const std::uint8_t> bytes);

// Inputs of real boards, for the corpus and for random changes.
std::vector<std::string> ModulePayloadSamples();

}  // namespace laurel::fuzz
