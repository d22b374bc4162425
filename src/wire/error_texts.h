// Error texts that many commands share. Those of Redis are copied word for word.
#pragma once

#include <string_view>

namespace laurel::wire {

inline constexpr std::string_view kSyntaxError = "ERR syntax error";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNotInt32 =
    "ERR value is out of range, value must between -2147483648 and 2147483647";
inline constexpr std::string_view kNotFloat = "ERR value is not a valid float";
inline constexpr std::string_view kNotScoreRange = "ERR min or max is not a float";
inline constexpr std::string_view kNotLexRange = "ERR min or max not valid string range item";
inline constexpr std::string_view kNoSuchKey = "ERR no such key";
inline constexpr std::string_view kNoSuchDatabase = "ERR DB index is out of range";
inline constexpr std::string_view kMustBePositive = "ERR value is out of range, must be positive";
inline constexpr std::string_view kWrongTypeError =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

// The message of a LIMIT. Not in Redis, which accepts patterns of any length. See
// base::kMaxGlobBytes.
inline constexpr std::string_view kPatternTooLong = "a pattern has at most 1024 bytes";

}  // namespace laurel::wire
