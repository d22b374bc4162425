#include "tests/storage/call_gate.h"

#include "storage/format.h"

namespace laurel::testing {

void CallGate::Guard(SimulatedFolder* folder) {
  folder->before_call = [this](const Call& call) { Pass(call); };
}

void CallGate::AwaitWaiting() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_ > 0; });
}

void CallGate::Set(bool open) {
  const std::lock_guard lock(mutex_);
  open_ = open;
  changed_.notify_all();
}

void CallGate::Pass(const Call& call) {
  if (!selects_(call)) return;
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return open_; });
  --waiting_;
}

bool IsSync(const Call& call) { return call.kind == CallKind::kSync; }

bool BeginsSnapshot(const Call& call) {
  return call.kind == CallKind::kRemove && call.name == storage::kUnfinishedSnapshot;
}

}  // namespace laurel::testing
