// Glob patterns as Redis reads them: KEYS, SCAN MATCH, boards of a token, templates.
//
//   *       any number of bytes, also none
//   ?       one byte
//   [ab]    one of the listed bytes; [a-z] a range, [^ab] any byte not listed
//   \x      the byte x itself, in a class too
//
// Odd patterns match as in Redis 7: a class that is not closed runs to the end of the pattern, a
// backslash at the end of the pattern is a backslash, the ends of a range may be given in either
// order (bytes compare as signed chars), and only "" and "*" match the empty text. Matching is
// case-sensitive.
//
// Every element but '*' matches exactly one byte, so a pattern is a sequence of parts of fixed
// length with stars between them. The part before the first star must match the start of the text,
// the part after the last star its end. Each part in between is searched once, from where the part
// before it ended: its first match is as good as any later one. The search keeps one bit per
// element of the part (Shift-And): a byte of the text costs at most kMaxGlobBytes / 64 = 16 word
// operations, whatever the pattern. Rejected: restarting the part at each byte, which takes
// pattern × text steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::base {

inline constexpr std::size_t kMaxGlobBytes = 1024;

// A pattern prepared for matching many texts. Allocates masks (2 KiB for each 64 elements) only if
// the pattern has elements between two stars.
class Glob {
 public:
  // REQUIRES: pattern.size() <= kMaxGlobBytes.
  explicit Glob(std::string_view pattern);

  // Whether all of `text` matches the pattern.
  [[nodiscard]] bool Matches(std::string_view text) const;
  // How many elements stand between the first and the last star. They are what a match searches
  // for: up to 64 of them cost one step for each byte of the text.
  [[nodiscard]] std::size_t searched_elements() const {
    return parts_.empty() ? 0 : parts_.back().last + 1;
  }
  // How long a match with the text takes at most, in steps of about a microsecond.
  [[nodiscard]] std::size_t StepsFor(std::string_view text) const {
    return text.size() * (1 + searched_elements() / 64) / 2048;
  }

 private:
  // The elements between two stars: bits [first, last] of the masks.
  struct Part {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  void AddPart(std::string_view elements);
  // Finds the first match of the part; returns where it ends, npos if there is none.
  [[nodiscard]] std::size_t FindEnd(const Part& part, std::string_view text) const;

  std::string pattern_;
  bool has_star_ = false;
  std::size_t head_ = 0;  // bytes of the pattern before the first star
  std::size_t head_elements_ = 0;
  std::size_t tail_ = 0;  // offset in the pattern of the part after the last star
  std::size_t tail_elements_ = 0;
  std::size_t elements_ = 0;  // of the whole pattern: the minimum length of a text
  std::vector<Part> parts_;
  std::size_t mask_words_ = 0;
  std::vector<std::uint64_t> masks_;  // for each byte value the elements that match it
};

// Matches a single text. REQUIRES: pattern.size() <= kMaxGlobBytes.
bool GlobMatch(std::string_view pattern, std::string_view text);

// True only if `wide` matches every text that `narrow` matches ("rank:*" and "rank:2026-??"). May
// return false for patterns with classes although it holds.
bool GlobCovers(std::string_view wide, std::string_view narrow);

}  // namespace laurel::base
