// The instances of a finished RowTable, one run of neighbouring entries each.
#pragma once

#include <cstddef>
#include <vector>

#include "laurel/period.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "transfer/row_table.h"

namespace laurel::transfer {

struct TableRun {
  std::size_t begin = 0;
  std::size_t end = 0;
  const Instance* span = nullptr;  // null: the board has no periods
};

// A table without entries has no runs.
std::vector<TableRun> RunsOf(const RowTable& table);

// Whether the instance takes no more submits at `now`.
bool IsOver(const Instance& span, const Spec& spec, Stamp now);

}  // namespace laurel::transfer
