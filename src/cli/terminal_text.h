// Text of strangers on a terminal: safe to print, and of a known width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace laurel::cli {

// `text` with control characters and bytes that are no UTF-8 as \xNN: it cannot move the cursor or
// break a line.
std::string Printable(std::string_view text);

// The same in single quotes.
std::string Quoted(std::string_view text);

// How many columns printable `text` takes: two for each East Asian wide character, none for a
// combining mark, one for anything else. Near enough for tables of names.
std::size_t DisplayWidth(std::string_view text);

}  // namespace laurel::cli
