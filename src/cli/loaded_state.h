// Tells what a loaded data folder holds, for `laurel check` and `laurel restore`.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "engine/keyspace/keyspace.h"
#include "transfer/loaded_state.h"

namespace laurel::cli {

// Prints a line for each of the first twenty boards by name, and one for all others. Instances are
// part of their board's line.
void PrintBoards(engine::Keyspace* keys, std::ostream& out);
// Returns "state at record 5: 2 boards, 7 entries, 1 hidden, digest 0123456789abcdef", with
// instances and requests where there are any.
std::string DescribeState(const transfer::LoadedState& state);

// Formats 1234567 as "1,234,567".
std::string Grouped(std::uint64_t number);
// Formats a count with its noun: "5 entries", "1 entry".
std::string Counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace laurel::cli
