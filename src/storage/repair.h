// Makes a damaged data folder loadable again. Whole records and snapshots are not lost. The state
// that was read goes into a new snapshot if the remaining log does not lead to it any more. Damaged
// files are moved into a folder inside the data folder.
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
  std::uint64_t record = 0;      // the repaired state is the one at this record
  bool writes_snapshot = false;  // of that state, with S = E = record
  struct SetAside {
    std::string file;
    std::string reason;
    bool is_copied = false;  // copied, not moved: it stays, or the new snapshot replaces it
  };
  std::vector<SetAside> aside;
  // A segment that gets a final sync mark: it is cut short, or says that a segment follows that is
  // lost. Empty: none.
  std::string ended;

  [[nodiscard]] bool empty() const { return !writes_snapshot && aside.empty() && ended.empty(); }
};

// Plans how to make the folder load as the state that was read from it. Empty: it already does.
// `recovery` is the result of Recover with Holes::kSkip or kStopBefore.
RepairPlan PlanRepair(const Inspection& inspection, const Recovery& recovery);

// Carries out the plan. `aside` is the name of a new folder inside `folder`, for the files that are
// set aside. `write` writes the state into a snapshot and finishes it. If Repair is interrupted,
// the folder can be repaired again: the snapshot is written first, and holds everything.
Status Repair(base::Folder* folder, const Recovery& recovery, const RepairPlan& plan,
              const std::string& aside, const std::function<Status(SnapshotWriter*)>& write);

}  // namespace laurel::storage
