#include "http/url.h"

#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "http/limits.h"

namespace laurel::http {
namespace {

enum class Plus { kIsPlus, kIsSpace };

// Decodes `text`. *decoded is `text` itself or, if it has escapes, a view of *buffer, which must
// have enough capacity. False if an escape is malformed.
bool Decode(std::string_view text, Plus plus, std::string* buffer, std::string_view* decoded) {
  const bool has_space = plus == Plus::kIsSpace && text.find('+') != std::string_view::npos;
  *decoded = text;
  if (!has_space && text.find('%') == std::string_view::npos) return true;
  const std::size_t begin = buffer->size();
  LAUREL_ASSERT(buffer->capacity() - begin >= text.size());  // earlier views stay valid
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const int high = i + 2 < text.size() ? base::HexValue(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? base::HexValue(text[i + 2]) : -1;
      if (high < 0 || low < 0) return false;
      buffer->push_back(static_cast<char>(high << 4 | low));
      i += 2;
    } else {
      buffer->push_back(text[i] == '+' && plus == Plus::kIsSpace ? ' ' : text[i]);
    }
  }
  *decoded = std::string_view(*buffer).substr(begin);
  return true;
}

Error BadEscape(std::string_view text) {
  return Error{ErrorCode::kErr,
               base::Quote(text) + " has a '%' that two hexadecimal digits do not follow"};
}

// Removes the text up to and including the first `separator`, and returns it without the separator.
std::string_view TakeUntil(char separator, std::string_view* text) {
  const std::string_view taken = text->substr(0, text->find(separator));
  text->remove_prefix(std::min(taken.size() + 1, text->size()));
  return taken;
}

}  // namespace

Status PathSegments::Parse(std::string_view path) {
  segments_.clear();
  decoded_.clear();
  if (!path.starts_with('/')) {
    return Error{ErrorCode::kErr, base::Quote(path) + " is not a path: it does not begin with '/'"};
  }
  if (std::count(path.begin(), path.end(), '/') > static_cast<std::ptrdiff_t>(kMaxPathSegments)) {
    return Error{ErrorCode::kErr,
                 "the path has more than " + std::to_string(kMaxPathSegments) + " segments"};
  }
  decoded_.reserve(path.size());
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string_view raw = path.substr(at + 1, end - at - 1);
    std::string_view segment;
    if (!Decode(raw, Plus::kIsPlus, &decoded_, &segment)) {
      segments_.clear();
      return BadEscape(raw);
    }
    segments_.push_back(segment);
    at = end;
  }
  return Ok{};
}

std::string_view PathSegments::operator[](std::size_t index) const {
  LAUREL_ASSERT(index < segments_.size());
  return segments_[index];
}

Status QueryParameters::Parse(std::string_view query) {
  parameters_.clear();
  decoded_.clear();
  decoded_.reserve(query.size());
  while (!query.empty()) {
    const std::string_view raw = TakeUntil('&', &query);
    if (raw.empty()) continue;
    if (parameters_.size() == kMaxQueryParameters) {
      parameters_.clear();
      return Error{ErrorCode::kErr, "the query has more than " +
                                        std::to_string(kMaxQueryParameters) + " parameters"};
    }
    std::string_view value = raw;
    const std::string_view key = TakeUntil('=', &value);
    QueryParameter& parameter = parameters_.emplace_back();
    if (!Decode(key, Plus::kIsSpace, &decoded_, &parameter.key) ||
        !Decode(value, Plus::kIsSpace, &decoded_, &parameter.value)) {
      parameters_.clear();
      return BadEscape(raw);
    }
  }
  return Ok{};
}

}  // namespace laurel::http
