// Making a damaged data folder loadable again, at the cost of what cannot be read: from its files a
// state at some record number, the highest there is. Nothing is deleted: what is set aside goes
// into a folder beside the files, and so does a copy of a damaged segment before it is cut.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/inspection.h"

namespace laurel::storage {

struct RepairPlan {
  std::uint64_t record = 0;        // the state that will be there
  std::string snapshot;            // that it is loaded from; empty: the log alone
  std::uint64_t lost_through = 0;  // records after `record` up to this one are lost; 0: none
  struct Cut {
    std::string file;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;    // behind it, up to the last that is not zero
    bool acknowledged = false;  // some of it was on disk once: it is kept aside
  };
  std::optional<Cut> cut;
  struct SetAside {
    std::string file;
    std::string reason;
  };
  std::vector<SetAside> aside;

  [[nodiscard]] bool empty() const { return !cut && aside.empty(); }
};

// What turned out not to be usable although its checksums are right.
struct RepairLimits {
  std::uint64_t last = UINT64_MAX;             // no record after this one
  std::vector<std::string> refused_snapshots;  // none of these
};

// The plan that keeps most. An error says why there is none: no snapshot and log that go together,
// or a file that a newer program wrote. An empty plan: there is nothing to repair.
Result<RepairPlan> PlanRepair(base::Folder* folder, const Inspection& inspection,
                              const RepairLimits& limits);

// The folder as it will be, to be read only: a plan is tried before anything is changed.
std::unique_ptr<base::Folder> AfterRepair(base::Folder* folder, const RepairPlan& plan);

// Carries it out. `aside` is a folder inside `folder`, new, for what is set aside. When it is
// interrupted, the same plan can be made and carried out again.
Status Repair(base::Folder* folder, const RepairPlan& plan, const std::string& aside);

}  // namespace laurel::storage
