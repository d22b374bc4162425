#include "cli/terminal_text.h"

#include <algorithm>
#include <array>

namespace laurel::cli {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 0: what stands there is no UTF-8
};

// The code point at the front of `text`. REQUIRES: !text.empty().
CodePoint Decode(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};

  CodePoint point;
  char32_t smallest = 0;
  if ((lead & 0xE0U) == 0xC0) {
    point = {static_cast<char32_t>(lead & 0x1FU), 2};
    smallest = 0x80;
  } else if ((lead & 0xF0U) == 0xE0) {
    point = {static_cast<char32_t>(lead & 0x0FU), 3};
    smallest = 0x800;
  } else if ((lead & 0xF8U) == 0xF0) {
    point = {static_cast<char32_t>(lead & 0x07U), 4};
    smallest = 0x10000;
  }
  if (point.bytes == 0 || point.bytes > text.size()) return {};
  for (std::size_t i = 1; i < point.bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    point.value = (point.value << 6U) | (byte(i) & 0x3FU);
  }
  const bool surrogate = point.value >= 0xD800 && point.value <= 0xDFFF;
  if (point.value < smallest || point.value > 0x10FFFF || surrogate) return {};
  return point;
}

bool IsControl(char32_t value) { return value < 0x20 || (value >= 0x7F && value < 0xA0); }

struct Interval {
  char32_t first;
  char32_t last;
};

constexpr Interval kCombining = {0x0300, 0x036F};
constexpr std::array<Interval, 10> kWide = {{{0x1100, 0x115F},
                                             {0x2E80, 0xA4CF},
                                             {0xAC00, 0xD7A3},
                                             {0xF900, 0xFAFF},
                                             {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},
                                             {0xFFE0, 0xFFE6},
                                             {0x1F300, 0x1F64F},
                                             {0x1F900, 0x1F9FF},
                                             {0x20000, 0x3FFFD}}};

bool Contains(const Interval& interval, char32_t value) {
  return value >= interval.first && value <= interval.last;
}

void AppendEscaped(unsigned char byte, std::string* text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  *text += "\\x";
  *text += kDigits[byte / 16];
  *text += kDigits[byte % 16];
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const CodePoint point = Decode(text);
    const std::size_t bytes = std::max<std::size_t>(point.bytes, 1);
    if (point.bytes == 0 || IsControl(point.value)) {
      for (const char c : text.substr(0, bytes)) {
        AppendEscaped(static_cast<unsigned char>(c), &printable);
      }
    } else {
      printable += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return printable;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  quoted += Printable(text);
  quoted += "'";
  return quoted;
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = Decode(text);
    const bool wide = std::any_of(kWide.begin(), kWide.end(), [&point](const Interval& interval) {
      return Contains(interval, point.value);
    });
    if (!Contains(kCombining, point.value)) width += wide ? 2 : 1;
    text.remove_prefix(std::max<std::size_t>(point.bytes, 1));
  }
  return width;
}

}  // namespace laurel::cli
