// Holds back chosen calls of a simulated folder.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>

#include "tests/storage/simulated_files.h"

namespace laurel::testing {

// While the gate is closed, the calls that it selects wait before they do anything. It is open at
// first. Thread-safe.
class CallGate {
 public:
  using Selects = std::function<bool(const Call&)>;

  explicit CallGate(Selects selects) : selects_(std::move(selects)) {}
  CallGate(const CallGate&) = delete;
  CallGate& operator=(const CallGate&) = delete;

  // Installs the gate as the folder's hook before_call. The gate must outlive the calls of the
  // folder, and be open when an engine on the folder closes, which waits for its calls.
  void Guard(SimulatedFolder* folder);

  void Close() { Set(false); }
  // Lets the waiting calls go on, too.
  void Open() { Set(true); }
  // Returns once a call waits. REQUIRES: closed.
  void AwaitWaiting();

 private:
  void Set(bool open);
  void Pass(const Call& call);

  const Selects selects_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = true;
  std::size_t waiting_ = 0;
};

// Selects the syncs of files.
bool IsSync(const Call& call);
// Selects the first call of every snapshot: it removes the file of an unfinished one.
bool BeginsSnapshot(const Call& call);

}  // namespace laurel::testing
