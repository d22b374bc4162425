// Error texts of options, counts and cursors, which all LB commands share. Each names the wrong
// word and, if possible, the right words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "laurel/result.h"
#include "wire/command_table.h"

namespace laurel::wire {

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
// "n must be a whole number, got 'ten'", or "n is out of range, got '9…9'" for too many digits.
Error NotAnInteger(std::string_view what, std::string_view text);
// "n must be at least 1, got '0'".
Error BelowLeast(std::string_view what, std::int64_t least, std::string_view text);

// "limit must be an integer from 0 to 1000, got 'ten'".
Error NotBetween(std::string_view what, std::int64_t least, std::int64_t most,
                 std::string_view text);

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

}  // namespace laurel::wire
