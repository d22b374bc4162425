// Loads the boards of a data folder to inspect them, for `laurel check` and `laurel restore`.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "base/file.h"
#include "engine/keyspace/digest.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "storage/recovery.h"

namespace laurel::cli {

struct LoadedState {
  std::unique_ptr<engine::Keyspace> keys;
  storage::Recovery recovery;
  engine::Digest digest;
  Stamp last_stamp = 0;
};

// Loads the folder without changing it. With Holes::kSkip, inconsistencies that lost records
// cause are resolved (Restorer::Reconcile).
Result<LoadedState> LoadState(base::Folder* folder, const storage::RecoverOptions& options);

// Finds damage that no single record shows: two instances of a period with the same label, entries
// that are hidden without a hidden mark or visible with one. LoadState calls it.
Status CheckInstances(engine::Keyspace* keys);

// Prints a line for each of the first twenty boards by name, and one for all others. Instances are
// part of their board's line.
void PrintBoards(engine::Keyspace* keys, std::ostream& out);
// Returns "state at record 5: 2 boards, 7 entries, 1 hidden, digest 0123456789abcdef", with
// instances and requests where there are any.
std::string DescribeState(const LoadedState& state);

// Formats 1234567 as "1,234,567".
std::string Grouped(std::uint64_t number);
// Formats a count with its noun: "5 entries", "1 entry".
std::string Counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace laurel::cli
