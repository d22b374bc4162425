// The administrative log: starts, stops, refused logins, slow commands. Nothing per request.
#pragma once

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

}  // namespace laurel::server
