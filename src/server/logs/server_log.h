// The administrative log: starts, stops, refused logins, slow commands. Nothing per request.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::server {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

// Sets the file and the level of the log; an empty `file` is standard error. ERR if the file cannot
// be written. Not thread-safe, unlike Log.
Status OpenLog(const std::string& file, std::string_view level);

// Writes one line. The caller must quote text from clients (base::Quote), which may hold control
// characters.
void Log(LogLevel level, const std::string& message);

// Limits how often an event that clients can cause is logged. Thread-safe.
class LogRate {
 public:
  explicit LogRate(std::int64_t period_us) : period_us_(period_us) {}
  // True if the event may be logged now: none was logged within the period.
  bool Allows();

 private:
  const std::int64_t period_us_;
  std::atomic<std::int64_t> next_us_{0};  // monotonic
};

}  // namespace laurel::server
