#include "server/config/toml_text.h"

#include <span>

#include "base/text.h"

namespace laurel::server {

std::string TomlString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\u00" + base::Hex(std::as_bytes(std::span(&c, 1)));
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace laurel::server
