// Glob patterns as Redis reads them: KEYS, SCAN MATCH, boards of a token, templates.
//
//   *       any bytes, none included
//   ?       one byte
//   [ab]    one byte of those listed; [a-z] a range, [^ab] any byte but those
//   \x      the byte x itself, in a class too
//
// Odd patterns mean what they mean to Redis 7: a class that is not closed runs to the end of the
// pattern, a backslash that ends the pattern is a backslash, the ends of a range may stand in
// either order (bytes compare as signed chars), and the empty text is matched by "" and "*" alone.
// Bytes are compared as they are: case counts.
//
// Every element but '*' takes exactly one byte, so a pattern is a sequence of parts of fixed length
// with stars between them. The part before the first star stands at the start of the text, the part
// after the last star at its end, and each part in between is looked for once, from where the one
// before it ended: its first fit is as good as any. The search keeps one bit per element of the
// part (Shift-And): a byte of the text costs at most kMaxGlobBytes / 64 = 16 word operations,
// whatever the pattern. Rejected: trying the part anew at each byte, which takes pattern × text
// steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::base {

inline constexpr std::size_t kMaxGlobBytes = 1024;

// A pattern made ready for many texts. Takes memory (2 KiB for each 64 elements) only if there is
// something between two stars.
class Glob {
 public:
  // REQUIRES: pattern.size() <= kMaxGlobBytes.
  explicit Glob(std::string_view pattern);

  // Whether all of `text` matches the pattern.
  [[nodiscard]] bool Matches(std::string_view text) const;

 private:
  // Elements between two stars: bits [first, last] of the masks.
  struct Part {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  void AddPart(std::string_view elements);
  // Finds the first fit of the part; returns where it ends, npos if there is none.
  [[nodiscard]] std::size_t FindEnd(const Part& part, std::string_view text) const;

  std::string pattern_;
  bool has_star_ = false;
  std::size_t head_ = 0;  // bytes of the pattern before the first star
  std::size_t head_elements_ = 0;
  std::size_t tail_ = 0;  // where in the pattern what follows the last star begins
  std::size_t tail_elements_ = 0;
  std::size_t elements_ = 0;  // of the whole pattern: the least bytes that a text must have
  std::vector<Part> parts_;
  std::size_t mask_words_ = 0;
  std::vector<std::uint64_t> masks_;  // for each byte value the elements that it fits
};

// For one text. REQUIRES: pattern.size() <= kMaxGlobBytes.
bool GlobMatch(std::string_view pattern, std::string_view text);

// True only if `wide` matches every text that `narrow` matches ("rank:*" and "rank:2026-??"). Errs
// on the safe side: false for some pairs of classes where it holds.
bool GlobCovers(std::string_view wide, std::string_view narrow);

}  // namespace laurel::base
