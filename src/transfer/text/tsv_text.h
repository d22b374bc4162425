// Decodes a field of `mysql --batch` or PostgreSQL's COPY: a backslash begins an escape, and tabs
// and line ends inside of a field are always escaped.
#pragma once

#include <string>
#include <string_view>

namespace laurel::transfer {

// Whether the field is NULL: the word NULL in mysql, or \N in COPY.
inline bool IsTsvNull(std::string_view field) { return field == "NULL" || field == "\\N"; }

// Appends the contents of a field:
//
//   \t \n \r \b \f \v \\   a control character or the backslash
//   \0                     mysql's NUL, whatever follows: COPY … TO writes no octal digits
//
// Returns why the field is malformed, for any other escape; otherwise empty.
std::string_view AppendTsvText(std::string_view field, std::string* text);

}  // namespace laurel::transfer
