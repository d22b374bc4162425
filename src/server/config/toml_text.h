// Formats TOML values.
#pragma once

#include <string>
#include <string_view>

namespace laurel::server {

// Returns `text` as a basic string on one line, quotes included. REQUIRES: `text` is UTF-8.
std::string TomlString(std::string_view text);

}  // namespace laurel::server
