#include "transfer/table_runs.h"

namespace laurel::transfer {

std::vector<TableRun> RunsOf(const RowTable& table) {
  if (table.size() == 0) return {};
  if (table.spec().periods.empty()) return {{0, table.size(), nullptr}};
  std::vector<TableRun> runs;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Instance* span = table[i].span;
    if (runs.empty() || runs.back().span != span) runs.push_back({i, i, span});
    runs.back().end = i + 1;
  }
  return runs;
}

bool IsOver(const Instance& span, const Spec& spec, Stamp now) {
  Stamp over = 0;
  return !__builtin_add_overflow(span.end, spec.grace_us, &over) && over <= now;
}

}  // namespace laurel::transfer
