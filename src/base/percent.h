// Percent-encoding of bytes in URLs.
#pragma once

#include <string>
#include <string_view>

namespace laurel::base {

// Appends `bytes` for use as one segment or as a key or value of a query: all but letters, digits
// and "-._~" become %XX.
void AppendPercentEncoded(std::string_view bytes, std::string* text);

}  // namespace laurel::base
