// Describes the contents of a loaded data folder, for `laurel check` and `laurel restore`.
#pragma once

#include <ostream>
#include <string>

#include "engine/keyspace/keyspace.h"
#include "transfer/folders/loaded_state.h"

namespace laurel::cli {

// Prints a line for each of the first twenty boards by name, and one for all others. A board's line
// includes its instances.
void PrintBoards(engine::Keyspace* keys, std::ostream& out);
// Returns "state at record 5: 2 boards, 7 entries, 1 hidden, digest 0123456789abcdef", with
// instances and requests if there are any.
std::string DescribeState(const transfer::LoadedState& state);

}  // namespace laurel::cli
