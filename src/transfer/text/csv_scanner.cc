#include "transfer/text/csv_scanner.h"

#include <algorithm>

#include "transfer/text/limits.h"

namespace laurel::transfer {

void CsvScanner::Begin() {
  state_ = State::kFieldStart;
  has_doubled_ = false;
  problem_ = {};
  fields_.clear();
}

void CsvScanner::Scan(const LinePiece& piece, std::size_t offset) {
  const std::string_view text = piece.text;
  if (text.find('\0') != std::string_view::npos) SetProblem("the row has a NUL byte");
  std::size_t at = 0;
  while (at < text.size()) {
    switch (state_) {
      case State::kFieldStart:
        state_ = text[at] == '"' ? State::kQuoted : State::kPlain;
        if (state_ == State::kQuoted) ++at;
        begin_ = offset + at;
        break;
      case State::kPlain:
        at = ScanPlain(piece, at, offset);
        break;
      case State::kQuoted:
        at = ScanQuoted(text, at, offset);
        break;
      case State::kQuoteSeen:
        at = ScanAfterQuote(piece, at);
        break;
    }
  }
  if (!piece.ends_line || state_ == State::kQuoted) return;
  if (state_ == State::kFieldStart) begin_ = offset + at;
  const bool cut_return = state_ == State::kPlain && text.ends_with('\r');
  EndField(state_ == State::kQuoteSeen ? quote_at_ : offset + at - (cut_return ? 1 : 0));
}

std::size_t CsvScanner::ScanPlain(const LinePiece& piece, std::size_t from, std::size_t offset) {
  const std::string_view text = piece.text;
  const std::size_t end = std::min(text.find(delimiter_, from), text.size());
  const std::string_view field = text.substr(from, end - from);
  if (field.find('"') != std::string_view::npos) {
    SetProblem("a quote stands inside a field without quotes");
  }
  const std::size_t carriage_return = field.find('\r');
  const bool ends_line = piece.ends_line && from + carriage_return + 1 == text.size();
  if (carriage_return != std::string_view::npos && !ends_line) {
    SetProblem("a carriage return stands inside a field without quotes");
  }
  if (end == text.size()) return end;
  EndField(offset + end);
  return end + 1;
}

std::size_t CsvScanner::ScanQuoted(std::string_view text, std::size_t from, std::size_t offset) {
  const std::size_t quote = text.find('"', from);
  if (quote == std::string_view::npos) return text.size();
  quote_at_ = offset + quote;
  state_ = State::kQuoteSeen;
  return quote + 1;
}

std::size_t CsvScanner::ScanAfterQuote(const LinePiece& piece, std::size_t from) {
  const std::string_view text = piece.text;
  if (text[from] == '"') {
    has_doubled_ = true;
    state_ = State::kQuoted;
    return from + 1;
  }
  if (text[from] == delimiter_) {
    EndField(quote_at_);
    return from + 1;
  }
  if (text[from] == '\r' && piece.ends_line && from + 1 == text.size()) return from + 1;
  SetProblem("text stands behind a closing quote");
  state_ = State::kPlain;
  return from;
}

void CsvScanner::EndField(std::size_t end) {
  state_ = State::kFieldStart;
  if (fields_.size() == kMaxColumns) SetProblem("the row has too many columns");
  if (problem_.empty()) fields_.push_back({begin_, end - begin_, has_doubled_});
  has_doubled_ = false;
}

}  // namespace laurel::transfer
