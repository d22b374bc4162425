// Host names and origins, as in the HTTP headers Host and Origin.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laurel::server {

inline constexpr std::string_view kAnyOrigin = "*";

// Returns the name in lower case. None unless it is a host name without a port: labels of 1 to 63
// letters, digits, '-' and '_', joined by '.', at most 253 bytes.
std::optional<std::string> ParseHostName(std::string_view text);

// Returns the origin as a browser writes it: scheme://host or scheme://host:port, in lower case,
// without the scheme's default port. The host is a host name, an IPv4 address, or an IPv6 address
// in brackets. "*" is returned unchanged. None for any other text.
std::optional<std::string> ParseOrigin(std::string_view text);

}  // namespace laurel::server
