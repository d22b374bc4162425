// Glob patterns as Redis reads them: KEYS, SCAN MATCH, boards of a token, templates.
#pragma once

#include <cstddef>
#include <string_view>

namespace laurel::base {

inline constexpr std::size_t kMaxGlobStars = 1000;

// Whether all of `text` matches the pattern. Both are bytes, case counts.
//
//   *       any bytes, none included
//   ?       one byte
//   [ab]    one byte of those listed; [a-z] a range, [^ab] any byte but those
//   \x      the byte x itself, in a class too
//
// Odd patterns mean what they mean to Redis 7: a class that is not closed runs to the end of the
// pattern, a backslash that ends the pattern is a backslash, the ends of a range may stand in
// either order (bytes compare as signed chars), the empty text is matched by "" and "*" alone, and
// a pattern with over kMaxGlobStars stars (those at its end and side by side not counted) matches
// nothing that reaches the next one.
//
// Takes at most pattern.size() × text.size() steps, whatever the pattern, and no memory.
bool GlobMatch(std::string_view pattern, std::string_view text);

// True only if `wide` matches every text that `narrow` matches ("rank:*" and "rank:2026-??"). Errs
// on the safe side: false for some pairs of classes where it holds.
bool GlobCovers(std::string_view wide, std::string_view narrow);

}  // namespace laurel::base
