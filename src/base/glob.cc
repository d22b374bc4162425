#include "base/glob.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/assert.h"

namespace laurel::base {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kByteValues = 256;
static_assert(kMaxGlobBytes == 16 * kWordBits, "a byte of the text costs 16 word operations");
static_assert(kByteValues * sizeof(std::uint64_t) == 2048, "2 KiB for each 64 elements");

// The result of matching the first element of a pattern against one byte.
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

// One element of the narrow pattern of GlobCovers.
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
      elements.push_back({Covered::Kind::kAnyByte});  // a class matches some of them
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

// Whether the first element of the wide pattern covers an element of the narrow one.
Element TryCovering(std::string_view pattern, const Covered& element) {
  if (pattern.empty()) return {};
  if (element.kind == Covered::Kind::kByte) return TryElement(pattern, element.byte);
  return {1, element.kind == Covered::Kind::kAnyByte && pattern[0] == '?'};
}

std::string_view WithoutLeadingStars(std::string_view pattern) {
  return pattern.substr(std::min(pattern.find_first_not_of('*'), pattern.size()));
}

// Whether each element matches one byte of the text, in order. REQUIRES: as many elements as bytes.
bool Fits(std::string_view elements, std::string_view text) {
  for (const char c : text) {
    const Element element = TryElement(elements, c);
    if (!element.matches) return false;
    elements.remove_prefix(element.bytes);
  }
  return true;
}

}  // namespace

Glob::Glob(std::string_view pattern) : pattern_(pattern) {
  LAUREL_ASSERT(pattern.size() <= kMaxGlobBytes);
  std::vector<std::string_view> between;  // the parts between two stars
  std::size_t part_begin = 0;
  std::size_t part_elements = 0;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] != '*') {
      at += TryElement(pattern.substr(at), 0).bytes;
      ++part_elements;
      continue;
    }
    if (!has_star_) {
      head_ = at;
      head_elements_ = part_elements;
    } else if (part_elements > 0) {
      between.push_back(pattern.substr(part_begin, at - part_begin));
    }
    elements_ += part_elements;
    has_star_ = true;
    part_begin = ++at;
    part_elements = 0;
  }
  elements_ += part_elements;
  tail_ = part_begin;
  tail_elements_ = part_elements;
  if (between.empty()) return;
  const std::size_t searched = elements_ - head_elements_ - tail_elements_;
  mask_words_ = (searched + kWordBits - 1) / kWordBits;
  masks_.resize(mask_words_ * kByteValues);
  for (const std::string_view part : between) AddPart(part);
}

void Glob::AddPart(std::string_view elements) {
  Part part;
  part.first = parts_.empty() ? 0 : parts_.back().last + 1;
  std::size_t bit = part.first;
  const auto add = [&](std::size_t value) {
    masks_[value * mask_words_ + bit / kWordBits] |= std::uint64_t{1} << bit % kWordBits;
  };
  for (; !elements.empty(); ++bit) {
    const std::size_t bytes = TryElement(elements, 0).bytes;
    if (elements[0] == '?' || elements[0] == '[') {
      for (std::size_t value = 0; value < kByteValues; ++value) {
        if (TryElement(elements, static_cast<char>(value)).matches) add(value);
      }
    } else {
      add(static_cast<unsigned char>(elements[bytes - 1]));  // itself, or after a backslash
    }
    elements.remove_prefix(bytes);
  }
  part.last = bit - 1;
  LAUREL_ASSERT(part.first <= part.last && part.last / kWordBits < mask_words_);
  parts_.push_back(part);
}

std::size_t Glob::FindEnd(const Part& part, std::string_view text) const {
  const std::size_t first_word = part.first / kWordBits;
  const std::size_t words = part.last / kWordBits - first_word + 1;
  const std::uint64_t begin = std::uint64_t{1} << part.first % kWordBits;
  const std::uint64_t end = std::uint64_t{1} << part.last % kWordBits;
  // Bit i: the elements of the part up to i match the bytes that end here. Bits that are shifted
  // into the next part are ignored.
  if (words == 1) {
    std::uint64_t fit = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t byte = static_cast<unsigned char>(text[at]);
      fit = (fit << 1 | begin) & masks_[byte * mask_words_ + first_word];
      if ((fit & end) != 0) return at + 1;
    }
    return std::string_view::npos;
  }
  std::array<std::uint64_t, kMaxGlobBytes / kWordBits> fits{};
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::uint64_t* mask =
        &masks_[static_cast<unsigned char>(text[at]) * mask_words_ + first_word];
    std::uint64_t carry = begin;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t next = fits[i] >> (kWordBits - 1);
      fits[i] = (fits[i] << 1 | carry) & mask[i];
      carry = next;
    }
    if ((fits[words - 1] & end) != 0) return at + 1;
  }
  return std::string_view::npos;
}

bool Glob::Matches(std::string_view text) const {
  if (text.empty()) return pattern_.empty() || pattern_ == "*";
  const std::string_view pattern = pattern_;
  if (!has_star_) return text.size() == elements_ && Fits(pattern, text);
  if (text.size() < elements_) return false;
  if (!Fits(pattern.substr(0, head_), text.substr(0, head_elements_))) return false;
  if (!Fits(pattern.substr(tail_), text.substr(text.size() - tail_elements_))) return false;
  text.remove_suffix(tail_elements_);
  text.remove_prefix(head_elements_);
  for (const Part& part : parts_) {
    const std::size_t end = FindEnd(part, text);
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end);
  }
  return true;
}

bool GlobMatch(std::string_view pattern, std::string_view text) {
  return Glob(pattern).Matches(text);
}

bool GlobCovers(std::string_view wide, std::string_view narrow) {
  if (wide == narrow) return true;
  const std::vector<Covered> elements = ElementsOf(narrow);
  // A glob match with backtracking, on the elements of `narrow` in place of bytes. Only a star
  // covers a star, or several elements.
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
