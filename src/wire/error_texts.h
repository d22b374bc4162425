// Error texts that many commands share, and how errors tell a client what to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "wire/command_answer.h"
#include "wire/command_table.h"

namespace laurel::wire {

// Those of Redis, word for word.
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

// Of options, counts and cursors, for all LB commands. Each names the wrong word and, if possible,
// the right words.

// Returns the options as text: "KIND, PERIOD, WITHMETA".
std::string OptionsOf(const CommandInfo& command);
// "unknown option 'TIES'; did you mean TIE?" or, if no option of the command is close, all options:
// "unknown option 'FOO': expected KIND, PERIOD, WITHMETA". For some words of Redis the error says
// what leaderboards offer instead.
Error UnknownOption(const CommandInfo& command, std::string_view word);
// "option 'KIND' is given twice".
Error RepeatedOption(std::string_view option);
// "KIND needs a value".
Error MissingValue(std::string_view option);
// Whether a list that begins with this word lacks its count.
bool LacksCount(std::string_view first);
// "say how many follow: PERIODS 2 day all". `count`: the number of items in the words; 0 if they
// are not a whole number of items. Only the first few words are shown.
Error MissingCount(std::span<const std::string_view> before, std::size_t count,
                   std::span<const std::string_view> words);
// "LB.TOP takes how many: LB.RANGE lb 1 10 lists ranks 1 to 10", for LB.TOP with two numbers.
Error TopWithTwoNumbers(std::string_view board, std::int64_t first, std::int64_t last);
// "zunion would touch 8 entries, more than max-work (5) leaves: ask for less at a time".
Error TooMuchWork(std::string_view request, std::uint64_t entries, std::uint64_t most);
// "'x' is no cursor: expected 0, $, -n, or the value of next in a reply".
Error NoCursor(std::string_view text);
// Like NoCursor, for LB.LIST, whose cursors are those of SCAN.
Error NoListCursor(std::string_view text);

// How errors tell a client what to do. Each protocol has a table of its own, because LB.CREATE does
// not help a client of another protocol; the answer to a request has that of its protocol.
struct WaysOut {
  // The requests that create the board of this name, and that turn a sorted set into a leaderboard.
  std::string (*create)(std::string_view board);
  std::string (*adopt)(std::string_view board);
  std::string_view remove_set;  // how to remove a sorted set
  std::string_view request;     // what errors call a request; empty: by its command's name
};

extern const WaysOut kRespWaysOut;

// Returns the table of a request's answer, or that of RESP if it has none.
inline const WaysOut& WaysOutOf(const Answer* answer) {
  return answer != nullptr ? answer->ways_out() : kRespWaysOut;
}

// Returns how to create a board of this name, or of the name before '@': "LB.CREATE or a template
// makes one".
std::string WayToCreate(const WaysOut& ways, std::string_view board);
// Returns how to turn the sorted set of this name into a leaderboard.
std::string WayToAdopt(const WaysOut& ways, std::string_view board);
// Returns the name of a request, such as "lb.pop".
std::string RequestName(const WaysOut& ways, const CommandInfo& command);

}  // namespace laurel::wire
