// The system clock of a server under test. It stands still until the test sets it.
//
// The server runs with a module that is loaded with LD_PRELOAD and reads the time from a file
// (file_clock_module.cc). Only the time of day is replaced: timeouts go on as ever.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/files.h"

namespace laurel::black_box {

class FileClock {
 public:
  // Throws std::runtime_error if the file cannot be made.
  FileClock();
  FileClock(const FileClock&) = delete;
  FileClock& operator=(const FileClock&) = delete;
  ~FileClock();

  // Sets the clock of all servers that run with it, in microseconds since the epoch.
  void Set(std::int64_t now_us) { shown_->store(now_us); }
  // The environment of such a server: "NAME=value".
  [[nodiscard]] std::vector<std::string> Environment() const;

 private:
  using Shown = std::atomic<std::int64_t>;
  static_assert(Shown::is_always_lock_free && sizeof(Shown) == sizeof(std::int64_t));

  TemporaryFolder folder_;
  Shown* shown_ = nullptr;  // the file, mapped
};

}  // namespace laurel::black_box
