// CsvScanner: finds the fields of one CSV row (RFC 4180) and where the row ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "transfer/text/line_reader.h"

namespace laurel::transfer {

// A field, by its position in the text of its row, without the quotes around it.
struct CsvField {
  std::size_t begin = 0;
  std::size_t size = 0;
  bool has_doubled_quotes = false;  // each "" in the text stands for one "
};

// Takes a row in pieces, so that the end of a row is found even if the row is too long for memory.
// A malformed row has an end too: a quote opens only at the beginning of a field.
class CsvScanner {
 public:
  explicit CsvScanner(char delimiter) : delimiter_(delimiter) {}

  // Begins a new row.
  void Begin();
  // Scans the next piece of the row, which begins at `offset` of the row's text. That text consists
  // of the pieces in order, with "\n" after each piece that ends a line.
  void Scan(const LinePiece& piece, std::size_t offset);

  // Whether the row continues after a piece that ended a line, because the line end is inside
  // quotes.
  [[nodiscard]] bool in_quotes() const { return state_ == State::kQuoted; }
  // The reason why the row is malformed; empty if it is not.
  [[nodiscard]] std::string_view problem() const { return problem_; }
  // The fields, once the row has ended without a problem.
  [[nodiscard]] std::span<const CsvField> fields() const { return fields_; }

 private:
  enum class State : std::uint8_t {
    kFieldStart,
    kPlain,      // in a field without quotes, or after a problem
    kQuoted,     // between quotes
    kQuoteSeen,  // after a quote that ends the field or is the first of two
  };

  // Return the position after the scanned text.
  std::size_t ScanPlain(const LinePiece& piece, std::size_t from, std::size_t offset);
  std::size_t ScanQuoted(std::string_view text, std::size_t from, std::size_t offset);
  std::size_t ScanAfterQuote(const LinePiece& piece, std::size_t from);
  void EndField(std::size_t end);
  void SetProblem(std::string_view problem) {
    if (problem_.empty()) problem_ = problem;
  }

  char delimiter_;
  State state_ = State::kFieldStart;
  std::size_t begin_ = 0;     // begin of the current field
  std::size_t quote_at_ = 0;  // position of the last quote of the current field
  bool has_doubled_ = false;
  std::string_view problem_;
  std::vector<CsvField> fields_;
};

}  // namespace laurel::transfer
