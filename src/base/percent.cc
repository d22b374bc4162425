#include "base/percent.h"

#include "base/text.h"

namespace laurel::base {

void AppendPercentEncoded(std::string_view bytes, std::string* text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const char letter = LowerLetter(c);
    const bool plain = (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      text->push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text->push_back('%');
    text->push_back(kHex[byte >> 4]);
    text->push_back(kHex[byte & 15]);
  }
}

}  // namespace laurel::base
