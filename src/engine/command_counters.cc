#include "engine/command_counters.h"

#include <algorithm>
#include <utility>

#include "wire/command_table.h"

namespace laurel::engine {

void CommandFigures::Subtract(const CommandFigures& earlier) {
  ok -= earlier.ok;
  failed -= earlier.failed;
  rejected -= earlier.rejected;
  times.Subtract(earlier.times);
}

void CommandCounters::NoteAnswered(wire::CommandId id, bool ok, std::int64_t micros) {
  Row& row = RowOf(id);
  (ok ? row.ok : row.failed).fetch_add(1, std::memory_order_relaxed);
  row.total_us.fetch_add(static_cast<std::uint64_t>(micros), std::memory_order_relaxed);
  row.times[base::Histogram::BucketOf(micros)].fetch_add(1, std::memory_order_relaxed);
}

void CommandCounters::NoteError(std::string_view line, std::uint64_t count) {
  const auto find = [](std::string_view code) {
    const auto found = std::lower_bound(kCountedErrors.begin(), kCountedErrors.end(), code);
    return found != kCountedErrors.end() && *found == code ? found : kCountedErrors.end();
  };
  auto code = find(line.substr(0, line.find_first_of(" \r\n")));
  if (code == kCountedErrors.end()) code = find("ERR");
  errors_[static_cast<std::size_t>(code - kCountedErrors.begin())].fetch_add(
      count, std::memory_order_relaxed);
}

CommandFigures CommandCounters::Figures(wire::CommandId id) const {
  const Row& row = rows_[static_cast<std::size_t>(id)];
  CommandFigures figures;
  figures.ok = row.ok.load(std::memory_order_relaxed);
  figures.failed = row.failed.load(std::memory_order_relaxed);
  figures.rejected = row.rejected.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < row.times.size(); ++i) {
    figures.times.Add(i, row.times[i].load(std::memory_order_relaxed), 0);
  }
  const auto total_us = static_cast<std::int64_t>(row.total_us.load(std::memory_order_relaxed));
  figures.times.Add(0, 0, total_us);
  return figures;
}

ErrorFigures CommandCounters::Errors() const {
  ErrorFigures figures{};
  for (std::size_t i = 0; i < figures.size(); ++i) {
    figures[i] = errors_[i].load(std::memory_order_relaxed);
  }
  return figures;
}

base::Histogram CommandCounters::EngineTimes() const {
  base::Histogram times;
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    if (!command.IsForEngine() || command.id == wire::CommandId::kExec) continue;
    times.Add(Figures(command.id).times);
  }
  return times;
}

void CommandCounters::Reset() {
  auto now = std::make_unique<Baseline>();
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    now->commands[static_cast<std::size_t>(command.id)] = Figures(command.id);
  }
  now->errors = Errors();
  const base::MutexLock lock(mutex_);
  baseline_ = std::move(now);
}

CommandFigures CommandCounters::FiguresSinceReset(wire::CommandId id) const {
  const base::MutexLock lock(mutex_);
  CommandFigures figures = Figures(id);
  if (baseline_) figures.Subtract(baseline_->commands[static_cast<std::size_t>(id)]);
  return figures;
}

ErrorFigures CommandCounters::ErrorsSinceReset() const {
  const base::MutexLock lock(mutex_);
  ErrorFigures figures = Errors();
  if (!baseline_) return figures;
  for (std::size_t i = 0; i < figures.size(); ++i) figures[i] -= baseline_->errors[i];
  return figures;
}

}  // namespace laurel::engine
