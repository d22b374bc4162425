// The administrative log: starts, stops, refused logins, slow commands. Nothing per request.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/result.h"

namespace laurel::server {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

// Where log lines go; an empty file is standard error. ERR if the file cannot be written to. Not
// for several threads; Log is.
Status OpenLog(const std::string& file, std::string_view level);

// One line; control characters of strangers must be quoted by the caller (base::Quote).
void Log(LogLevel level, const std::string& message);

// Bounds how often something that strangers can cause is logged. From any thread.
class LogRate {
 public:
  explicit LogRate(std::int64_t period_us) : period_us_(period_us) {}
  // True if it is to be logged now: nothing was within the period.
  bool Allows();

 private:
  const std::int64_t period_us_;
  std::atomic<std::int64_t> next_us_{0};  // monotonic
};

}  // namespace laurel::server
