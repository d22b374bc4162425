// Base64 with the standard alphabet and padding (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace laurel::base {

// Appends the text of `bytes`: four characters for every three bytes, the last ones padded.
void AppendBase64(std::string_view bytes, std::string* text);

// Appends the bytes of `text`. Accepts only what AppendBase64 writes: no blanks, no missing
// padding, no bits beyond the last byte. Otherwise returns false and leaves *bytes unchanged.
bool DecodeBase64(std::string_view text, std::string* bytes);

}  // namespace laurel::base
