#include "base/glob.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace laurel::base {
namespace {

// The first element of a pattern, tried on one byte.
struct Element {
  std::size_t bytes = 0;  // its length in the pattern
  bool matches = false;
};

bool InRange(signed char c, signed char a, signed char b) {
  return std::min(a, b) <= c && c <= std::max(a, b);
}

// REQUIRES: pattern starts with '['.
Element TryClass(std::string_view pattern, char c) {
  std::size_t at = 1;
  const bool inverted = at < pattern.size() && pattern[at] == '^';
  if (inverted) ++at;
  bool listed = false;
  while (at < pattern.size() && pattern[at] != ']') {
    const std::size_t left = pattern.size() - at;
    if (pattern[at] == '\\' && left >= 2) {
      listed |= pattern[at + 1] == c;
      at += 2;
    } else if (left >= 3 && pattern[at + 1] == '-') {
      listed |= InRange(static_cast<signed char>(c), static_cast<signed char>(pattern[at]),
                        static_cast<signed char>(pattern[at + 2]));
      at += 3;
    } else {
      listed |= pattern[at] == c;
      ++at;
    }
  }
  return {std::min(at + 1, pattern.size()), listed != inverted};
}

// REQUIRES: pattern is not empty and does not start with '*'.
Element TryElement(std::string_view pattern, char c) {
  switch (pattern[0]) {
    case '?':
      return {1, true};
    case '[':
      return TryClass(pattern, c);
    case '\\':
      if (pattern.size() >= 2) return {2, pattern[1] == c};
      return {1, c == '\\'};
    default:
      return {1, pattern[0] == c};
  }
}

// One element of a pattern that has to be covered.
struct Covered {
  enum class Kind : std::uint8_t { kByte, kAnyByte, kAnyBytes };
  Kind kind = Kind::kByte;
  char byte = 0;
};

std::vector<Covered> ElementsOf(std::string_view pattern) {
  std::vector<Covered> elements;
  while (!pattern.empty()) {
    std::size_t bytes = 1;
    if (pattern[0] == '*') {
      elements.push_back({Covered::Kind::kAnyBytes});
    } else if (pattern[0] == '?' || pattern[0] == '[') {
      elements.push_back({Covered::Kind::kAnyByte});  // a class is some of them
      bytes = TryElement(pattern, 0).bytes;
    } else {
      const bool escaped = pattern[0] == '\\' && pattern.size() >= 2;
      elements.push_back({Covered::Kind::kByte, pattern[escaped ? 1 : 0]});
      bytes = escaped ? 2 : 1;
    }
    pattern.remove_prefix(bytes);
  }
  return elements;
}

// The first element of a pattern, tried on an element that it has to cover.
Element TryCovering(std::string_view pattern, const Covered& element) {
  if (pattern.empty()) return {};
  if (element.kind == Covered::Kind::kByte) return TryElement(pattern, element.byte);
  return {1, element.kind == Covered::Kind::kAnyByte && pattern[0] == '?'};
}

std::string_view WithoutLeadingStars(std::string_view pattern) {
  return pattern.substr(std::min(pattern.find_first_not_of('*'), pattern.size()));
}

}  // namespace

bool GlobMatch(std::string_view pattern, std::string_view text) {
  if (text.empty()) return pattern.empty() || pattern == "*";

  // Every element but '*' takes exactly one byte, so only the last star met needs another try with
  // one more byte: if what stands between two stars fits somewhere, its first fit is as good as
  // any.
  std::size_t stars = 0;
  std::string_view after_star;
  std::string_view star_text;  // where after_star was tried last
  while (!text.empty()) {
    if (pattern.starts_with('*')) {
      pattern = WithoutLeadingStars(pattern);
      if (pattern.empty()) return true;
      if (++stars > kMaxGlobStars) return false;
      after_star = pattern;
      star_text = text;
    }
    const Element element = pattern.empty() ? Element{} : TryElement(pattern, text[0]);
    if (element.matches) {
      pattern.remove_prefix(element.bytes);
      text.remove_prefix(1);
    } else {
      if (stars == 0) return false;
      star_text.remove_prefix(1);
      text = star_text;
      pattern = after_star;
    }
  }
  return WithoutLeadingStars(pattern).empty();
}

bool GlobCovers(std::string_view wide, std::string_view narrow) {
  if (wide == narrow) return true;
  const std::vector<Covered> elements = ElementsOf(narrow);
  // As GlobMatch, with elements in place of bytes: only a star covers several, or another star.
  bool starred = false;
  std::string_view after_star;
  std::size_t star_at = 0;
  for (std::size_t at = 0; at < elements.size();) {
    if (wide.starts_with('*')) {
      wide = WithoutLeadingStars(wide);
      if (wide.empty()) return true;
      starred = true;
      after_star = wide;
      star_at = at;
    }
    const Element element = TryCovering(wide, elements[at]);
    if (element.matches) {
      wide.remove_prefix(element.bytes);
      ++at;
    } else {
      if (!starred) return false;
      at = ++star_at;
      wide = after_star;
    }
  }
  return WithoutLeadingStars(wide).empty();
}

}  // namespace laurel::base
