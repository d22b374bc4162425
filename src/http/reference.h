// Generates the reference of docs/http.md from the table of routes. What stands before it on that
// page is written by hand.
#pragma once

#include <string>
#include <string_view>

namespace laurel::http {

// The first line of the reference: the page is written by hand down to here.
inline constexpr std::string_view kReferenceBegin =
    "<!-- From here on the page is made from the table of routes (src/http/route_table.cc). -->";

// The reference, in Markdown, from kReferenceBegin to the end of the page.
std::string HttpReference();

}  // namespace laurel::http
