// Error texts of options and counts, shared by all LB commands: each names the word that is wrong.
#pragma once

#include <cstdint>
#include <string_view>

#include "laurel/result.h"

namespace laurel::wire {

// "unknown option 'x'"; for GT and LT it says where they belong.
Error UnknownOption(std::string_view word);
// "option 'KIND' is given twice".
Error RepeatedOption(std::string_view option);
// "KIND needs a value".
Error MissingValue(std::string_view option);
// "n must be a whole number, got 'ten'", or "n is out of range, got '9…9'" for too many digits.
Error NotAnInteger(std::string_view what, std::string_view text);
// "n must be at least 1, got '0'".
Error BelowLeast(std::string_view what, std::int64_t least, std::string_view text);

}  // namespace laurel::wire
