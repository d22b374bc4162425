#include "wire/resp_parser.h"

#include <algorithm>
#include <array>

#include "base/integer.h"
#include "base/text.h"

namespace laurel::wire {
namespace {

constexpr std::size_t kKeptPieces = 256;

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

// Removes the first word of the line and returns it; empty if there is none. Ignores quotes.
std::string_view TakeWord(std::string_view* line) {
  while (!line->empty() && IsBlank(line->front())) line->remove_prefix(1);
  const auto* const end = std::find_if(line->begin(), line->end(), IsBlank);
  const std::string_view word = line->substr(0, static_cast<std::size_t>(end - line->begin()));
  line->remove_prefix(word.size());
  return word;
}

char Unescape(char c) {
  constexpr std::string_view kNames = "nrtba";
  constexpr std::string_view kMeant = "\n\r\t\b\a";
  const std::size_t at = kNames.find(c);
  return at == std::string_view::npos ? c : kMeant[at];
}

// Appends a quoted part of a word to *word. *at is the position after the opening quote, and is
// advanced past the closing one. Returns whether the quote is closed and followed by a blank or the
// end of the line.
bool TakeQuoted(std::string_view line, char quote, std::size_t* at, std::string* word) {
  for (std::size_t i = *at; i < line.size(); ++i) {
    if (line[i] == quote) {
      *at = i + 1;
      return *at == line.size() || IsBlank(line[*at]);
    }
    if (line[i] != '\\' || i + 1 >= line.size()) {
      word->push_back(line[i]);
    } else if (quote == '\'') {
      if (line[i + 1] == '\'') ++i;
      word->push_back(line[i]);
    } else if (line[i + 1] == 'x' && i + 3 < line.size() && base::HexValue(line[i + 2]) >= 0 &&
               base::HexValue(line[i + 3]) >= 0) {
      word->push_back(
          static_cast<char>(base::HexValue(line[i + 2]) * 16 + base::HexValue(line[i + 3])));
      i += 3;
    } else {
      word->push_back(Unescape(line[++i]));
    }
  }
  return false;
}

}  // namespace

bool IsHttpLine(std::string_view line) {
  // GET is missing here, because it is also a command.
  constexpr std::array<std::string_view, 9> kFirstWords = {
      "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "HOST:"};
  const std::string_view first = TakeWord(&line);
  if (std::any_of(kFirstWords.begin(), kFirstWords.end(),
                  [&](std::string_view word) { return base::IsWord(first, word); })) {
    return true;
  }
  // A web page may use any other word as the method, even the name of a command.
  const std::string_view target = TakeWord(&line);
  const bool is_target =
      target.starts_with('/') || target == "*" || target.find("://") != std::string_view::npos;
  return is_target && base::IsWord(TakeWord(&line).substr(0, 5), "HTTP/");
}

bool SplitLine(std::string_view line, std::vector<std::string>* words) {
  words->clear();
  for (std::size_t at = 0;;) {
    while (at < line.size() && IsBlank(line[at])) ++at;
    if (at == line.size()) return true;
    std::string word;
    while (at < line.size() && !IsBlank(line[at])) {
      const char c = line[at++];
      if (c == '"' || c == '\'') {
        if (!TakeQuoted(line, c, &at, &word)) return false;
      } else {
        word.push_back(c);
      }
    }
    words->push_back(std::move(word));
  }
}

RespParser::Outcome RespParser::Next(std::string_view input, const Limits& limits,
                                     std::vector<std::string_view>* arguments,
                                     std::size_t* consumed) {
  if (input.empty()) return Outcome::kIncomplete;
  if (input[0] != '*') return Inline(input, arguments, consumed);
  const std::size_t before = arguments->size();
  // Bytes beyond the limit are not parsed, so the outcome does not depend on whether they have
  // arrived yet.
  const Outcome outcome =
      Multibulk(input.substr(0, limits.request_bytes), limits, arguments, consumed);
  if (outcome == Outcome::kIncomplete) {
    for (std::size_t i = before; i < arguments->size(); ++i) {
      const std::string_view argument = (*arguments)[i];
      pieces_.push_back(
          {static_cast<std::size_t>(argument.data() - input.data()), argument.size()});
    }
    arguments->resize(before);
    if (input.size() > limits.request_bytes) return Fail("too big request");
  } else if (outcome == Outcome::kRequest) {
    if (!pieces_.empty()) {
      std::vector<std::string_view> earlier;
      earlier.reserve(pieces_.size());
      for (const Piece& piece : pieces_) {
        earlier.push_back(input.substr(piece.offset, piece.bytes));
      }
      arguments->insert(arguments->begin() + static_cast<std::ptrdiff_t>(before), earlier.begin(),
                        earlier.end());
    }
    StartOver();
  }
  return outcome;
}

RespParser::Outcome RespParser::Multibulk(std::string_view input, const Limits& limits,
                                          std::vector<std::string_view>* arguments,
                                          std::size_t* consumed) {
  if (arguments_left_ < 0) {
    const Outcome outcome = ReadCount(input, limits);
    if (outcome != Outcome::kRequest) return outcome;
  }
  while (arguments_left_ > 0) {
    if (bulk_bytes_ < 0) {
      const Outcome outcome = ReadBulkLength(input, limits);
      if (outcome != Outcome::kRequest) return outcome;
    }
    const auto bytes = static_cast<std::size_t>(bulk_bytes_);
    if (input.size() - position_ < bytes + 2) return Outcome::kIncomplete;
    arguments->push_back(input.substr(position_, bytes));
    position_ += bytes + 2;
    bulk_bytes_ = -1;
    --arguments_left_;
  }
  *consumed = position_;
  return Outcome::kRequest;
}

RespParser::Outcome RespParser::ReadCount(std::string_view input, const Limits& limits) {
  std::int64_t count = 0;
  bool valid = false;
  position_ = 1;
  const Outcome outcome = ReadNumber(input, "too big mbulk count string", &count, &valid);
  if (outcome != Outcome::kRequest) {
    if (outcome == Outcome::kIncomplete) position_ = 0;
    return outcome;
  }
  if (!valid || count > static_cast<std::int64_t>(limits.arguments)) {
    return Fail("invalid multibulk length");
  }
  if (!limits.authenticated && count > static_cast<std::int64_t>(kMaxArgumentsBeforeAuth)) {
    return Fail("unauthenticated multibulk length");
  }
  arguments_left_ = count < 0 ? 0 : count;
  return Outcome::kRequest;
}

RespParser::Outcome RespParser::ReadBulkLength(std::string_view input, const Limits& limits) {
  if (position_ >= input.size()) return Outcome::kIncomplete;
  if (input[position_] != '$') {
    return Fail(std::string("expected '$', got '") + input[position_] + "'");
  }
  const std::size_t start = position_++;
  bool valid = false;
  std::int64_t bytes = 0;
  const Outcome outcome = ReadNumber(input, "too big bulk count string", &bytes, &valid);
  if (outcome != Outcome::kRequest) {
    if (outcome == Outcome::kIncomplete) position_ = start;
    return outcome;
  }
  if (!valid || bytes < 0 || bytes > static_cast<std::int64_t>(limits.bulk_bytes)) {
    return Fail("invalid bulk length");
  }
  if (!limits.authenticated && bytes > static_cast<std::int64_t>(kMaxBulkBytesBeforeAuth)) {
    return Fail("unauthenticated bulk length");
  }
  bulk_bytes_ = bytes;
  return Outcome::kRequest;
}

RespParser::Outcome RespParser::ReadNumber(std::string_view input, const char* what,
                                           std::int64_t* number, bool* valid) {
  // Fast path for up to eight digits: nearly every length has one or two.
  std::size_t end = position_;
  std::int64_t value = 0;
  while (end < input.size() && end - position_ < 8 && input[end] >= '0' && input[end] <= '9') {
    value = value * 10 + (input[end++] - '0');
  }
  const bool plain = end > position_ && end < input.size() && input[end] == '\r' &&
                     (input[position_] != '0' || end == position_ + 1);
  if (!plain) {
    const std::size_t length = input.substr(position_, kMaxInlineBytes + 1).find('\r');
    if (length == std::string_view::npos) {
      return input.size() - position_ > kMaxInlineBytes ? Fail(what) : Outcome::kIncomplete;
    }
    end = position_ + length;
  }
  if (end + 1 >= input.size()) return Outcome::kIncomplete;
  *valid = plain || base::ParseInteger(input.substr(position_, end - position_), number);
  if (plain) *number = value;
  position_ = end + 2;
  return Outcome::kRequest;
}

RespParser::Outcome RespParser::Inline(std::string_view input,
                                       std::vector<std::string_view>* arguments,
                                       std::size_t* consumed) {
  // position_ is the number of bytes that earlier calls have searched for the end of the line.
  const std::size_t end = input.find('\n', position_);
  if (end == std::string_view::npos || end > kMaxInlineBytes) {
    if (input.size() > kMaxInlineBytes) return Fail("too big inline request");
    position_ = input.size();
    return Outcome::kIncomplete;
  }
  std::string_view line = input.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (IsHttpLine(line)) return Outcome::kHttp;
  std::vector<std::string> words;
  if (!SplitLine(line, &words)) return Fail("unbalanced quotes in request");
  for (std::string& word : words) {
    arguments->push_back(inline_arguments_.emplace_back(std::move(word)));
  }
  *consumed = end + 1;
  StartOver();
  return Outcome::kRequest;
}

RespParser::Outcome RespParser::Fail(std::string message) {
  error_ = std::move(message);
  return Outcome::kError;
}

void RespParser::StartOver() {
  position_ = 0;
  arguments_left_ = -1;
  bulk_bytes_ = -1;
  pieces_.clear();
  if (pieces_.capacity() > kKeptPieces)
    pieces_.shrink_to_fit();  // after a request with many pieces
}

}  // namespace laurel::wire
