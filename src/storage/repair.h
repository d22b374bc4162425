// Making a damaged data folder loadable again. Nothing that is whole is lost: what was read goes
// into a new snapshot where the log alone does not lead to it any more, and files that are damaged
// are moved into a folder beside the others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/inspection.h"
#include "storage/recovery.h"
#include "storage/snapshot.h"

namespace laurel::storage {

struct RepairPlan {
  std::uint64_t record = 0;      // the state that will be there
  bool writes_snapshot = false;  // of that state, with S = E = record
  struct SetAside {
    std::string file;
    std::string reason;
    bool is_copied = false;  // the file stays, or the new snapshot takes its name
  };
  std::vector<SetAside> aside;
  std::string ended;  // a segment that says or shows that more followed: gets a last mark

  [[nodiscard]] bool empty() const { return !writes_snapshot && aside.empty() && ended.empty(); }
};

// How the folder becomes one that loads as what was read of it. Empty: it is so already.
// `recovery`: what Recover has found; with holes passed over, or stopped before them.
RepairPlan PlanRepair(const Inspection& inspection, const Recovery& recovery);

// Carries it out. `aside` is a folder inside `folder`, new, for what is set aside; `write` writes
// the state into a snapshot and finishes it. When it is interrupted, what is left can be repaired
// again: the snapshot comes first, and holds everything.
Status Repair(base::Folder* folder, const Recovery& recovery, const RepairPlan& plan,
              const std::string& aside, const std::function<Status(SnapshotWriter*)>& write);

}  // namespace laurel::storage
