// The versions that the server reports.
#pragma once

#include <string_view>

namespace laurel::server {

// The Redis version that Laurel's replies match. Clients use it to decide which commands to send.
inline constexpr std::string_view kRedisVersion = "7.0.15";
extern const std::string_view kLaurelVersion;  // "0.1.0"

}  // namespace laurel::server
