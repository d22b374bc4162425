// Which versions the server says it is.
#pragma once

#include <string_view>

namespace laurel::server {

// The Redis whose replies ours equal: clients look at it to know what they may send.
inline constexpr std::string_view kRedisVersion = "7.0.15";
extern const std::string_view kLaurelVersion;  // "0.1.0"

}  // namespace laurel::server
