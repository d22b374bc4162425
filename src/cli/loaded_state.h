// The boards of a data folder, loaded to be looked at: what `laurel check` and `laurel restore`
// show.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

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

// Changes nothing in the folder. Where holes are not refused, what the records in them left undone
// is settled (Restorer::Reconcile).
Result<LoadedState> LoadState(base::Folder* folder, const storage::RecoverOptions& options);

// What each record may be right about and all of them together wrong: instances of a period that
// have one label, entries that are hidden without a mark or visible with one. LoadState refuses it.
Status CheckInstances(engine::Keyspace* keys);

// A line for each board, the first twenty by name, and one for all the others. Instances are told
// with their boards.
void PrintBoards(engine::Keyspace* keys, std::ostream& out);
// "state at record 5: 2 boards, 7 entries, 1 hidden, digest 0123456789abcdef", with instances and
// requests where there are any.
std::string DescribeState(const LoadedState& state);

// 1234567 as "1,234,567".
std::string Grouped(std::uint64_t number);
// "5 entries", "1 entry": the noun with an s unless there is one.
std::string Counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace laurel::cli
