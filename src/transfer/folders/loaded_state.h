// Loads the boards of a data folder without a server, to inspect, export or extend them.
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
  engine::Digest digest;  // set by LoadState only
  Stamp last_stamp = 0;
};

// Loads the folder without changing it, like a start of the server. With Holes::kSkip,
// inconsistencies caused by lost records are resolved (Restorer::Reconcile).
Result<LoadedState> LoadBoards(base::Folder* folder, const storage::RecoverOptions& options);

// Loads the folder like LoadBoards, then checks every board (CheckInstances) and computes the
// digest, each in O(n).
Result<LoadedState> LoadState(base::Folder* folder, const storage::RecoverOptions& options);

// Finds damage that no single record shows: two instances of a period with the same label, hidden
// entries without a hidden mark, or visible entries with one.
Status CheckInstances(engine::Keyspace* keys);

}  // namespace laurel::transfer
