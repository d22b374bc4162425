// How a line of the demo is read: words, counts, and what `create` takes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "laurel/laurel.h"

namespace laurel::cli {

// The words of a line, which they point into. Blanks part them; "double quotes" hold a word with
// blanks together. ERR for a quote that is not closed, or not at the edge of a word.
Result<std::vector<std::string_view>> SplitWords(std::string_view line);

// A whole number from 0 up. ERR otherwise.
Result<std::uint64_t> ParseCount(std::string_view text);

// [FIELDS n name[:type[:direction[:operator]]]×n] [POLICY set|best|sum] [TIE first|last|member]
// [CAP n], in any order, keywords in any case. ERR for anything else; what the library thinks of
// the spec as a whole is for Boards::Create to say.
Result<Spec> ParseCreateOptions(std::span<const std::string_view> words);

}  // namespace laurel::cli
