// SIGINT and SIGTERM for commands that run long: they end in good order.
#pragma once

#include <atomic>

namespace laurel::cli {

// While an object of this class lives, the signals set its flags instead of ending the process.
// One at a time.
class StopSignals {
 public:
  // kAtOnce: the first signal sets both flags. kAfterWork: the first one sets `finish`, so that the
  // work is brought to its end; the second one `now`. One more signal ends the process.
  enum class First { kAtOnce, kAfterWork };

  explicit StopSignals(First first);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] const std::atomic<bool>& finish() const;
  [[nodiscard]] const std::atomic<bool>& now() const;
};

}  // namespace laurel::cli
