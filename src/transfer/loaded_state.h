// Loads the boards of a data folder without a server: to inspect, to export, to add to them.
#pragma once

#include <memory>

#include "base/file.h"
#include "engine/keyspace/digest.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "laurel/stamp.h"
#include "storage/recovery.h"

namespace laurel::transfer {

struct LoadedState {
  std::unique_ptr<engine::Keyspace> keys;
  storage::Recovery recovery;
  engine::Digest digest;  // of LoadState only
  Stamp last_stamp = 0;
};

// Loads the folder without changing it, as a start of the server does. With Holes::kSkip,
// inconsistencies that lost records cause are resolved (Restorer::Reconcile).
Result<LoadedState> LoadBoards(base::Folder* folder, const storage::RecoverOptions& options);

// The same, then checks every board (CheckInstances) and computes the digest. Both take O(n).
Result<LoadedState> LoadState(base::Folder* folder, const storage::RecoverOptions& options);

// Finds damage that no single record shows: two instances of a period with the same label, entries
// that are hidden without a hidden mark or visible with one.
Status CheckInstances(engine::Keyspace* keys);

}  // namespace laurel::transfer
