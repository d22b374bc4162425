// Writing TOML values.
#pragma once

#include <string>
#include <string_view>

namespace laurel::server {

// A basic string with its quotes, on one line. REQUIRES: UTF-8.
std::string TomlString(std::string_view text);

}  // namespace laurel::server
