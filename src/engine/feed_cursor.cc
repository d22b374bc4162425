#include "engine/feed_cursor.h"

#include <charconv>

#include "wire/option_errors.h"

namespace laurel::engine {

std::string FormatCursor(const FeedCursor& cursor) {
  std::string text;
  for (const std::uint64_t part : {cursor.epoch, cursor.number, cursor.skipped, cursor.board}) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof(digits), part, 16).ptr;
    if (!text.empty()) text += '-';
    text.append(digits, end);
  }
  return text;
}

Result<FeedCursor> ParseCursor(std::string_view text) {
  FeedCursor cursor;
  const char* at = text.data();
  const char* end = text.data() + text.size();
  for (std::uint64_t* part : {&cursor.epoch, &cursor.number, &cursor.skipped, &cursor.board}) {
    if (part != &cursor.epoch && (at == end || *at++ != '-')) at = nullptr;
    const auto read = at == nullptr ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                    : std::from_chars(at, end, *part, 16);
    at = read.ec == std::errc() ? read.ptr : nullptr;
    if (at == nullptr) break;
  }
  if (at == end && !text.empty()) return cursor;
  return wire::NoCursor(text);
}

}  // namespace laurel::engine
