#include "server/logs/server_log.h"

#include <exception>
#include <memory>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/clock.h"

namespace laurel::server {
namespace {

std::shared_ptr<spdlog::logger>& Logger() {
  static std::shared_ptr<spdlog::logger> logger =
      std::make_shared<spdlog::logger>("laurel", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  return logger;
}

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

Status OpenLog(const std::string& file, std::string_view level) {
  try {
    if (!file.empty()) {
      Logger() = std::make_shared<spdlog::logger>(
          "laurel", std::make_shared<spdlog::sinks::basic_file_sink_mt>(file));
    }
    Logger()->set_level(spdlog::level::from_str(std::string(level)));
    Logger()->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    Logger()->flush_on(spdlog::level::debug);  // lines are rare and must appear at once
  } catch (const std::exception& error) {
    return Error{ErrorCode::kErr, "cannot log to '" + file + "': " + error.what()};
  }
  return Ok{};
}

bool LogRate::Allows() {
  const std::int64_t now_us = base::MonotonicMicros();
  std::int64_t next_us = next_us_;
  return now_us >= next_us && next_us_.compare_exchange_strong(next_us, now_us + period_us_);
}

void Log(LogLevel level, const std::string& message) { Logger()->log(LevelOf(level), message); }

}  // namespace laurel::server
