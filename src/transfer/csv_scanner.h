// CsvScanner: finds the fields of one CSV row (RFC 4180) and where the row ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "transfer/line_reader.h"

namespace laurel::transfer {

// A field, by its place in the text of its row. The quotes around it are left out.
struct CsvField {
  std::size_t begin = 0;
  std::size_t size = 0;
  bool has_doubled_quotes = false;  // each "" in the text stands for one "
};

// Takes a row in pieces, so a row that is too long for memory is scanned to its end too. A row that
// is not well formed has an end nevertheless: a quote opens only at the beginning of a field.
class CsvScanner {
 public:
  explicit CsvScanner(char delimiter) : delimiter_(delimiter) {}

  // Begins a new row.
  void Begin();
  // Scans the next piece of the row, which begins at `offset` of the row's text. The text of a row
  // has its pieces in order, with "\n" after each that ends a line.
  void Scan(const LinePiece& piece, std::size_t offset);

  // Whether the row continues after a piece that ended a line: the line ended inside quotes.
  [[nodiscard]] bool in_quotes() const { return state_ == State::kQuoted; }
  // Why the row is not well formed; empty if it is.
  [[nodiscard]] std::string_view problem() const { return problem_; }
  // The fields, once the row has ended without a problem.
  [[nodiscard]] std::span<const CsvField> fields() const { return fields_; }

 private:
  enum class State : std::uint8_t {
    kFieldStart,
    kPlain,      // in a field without quotes, or behind a problem
    kQuoted,     // between quotes
    kQuoteSeen,  // behind a quote that ends the field, or is the first of two
  };

  // These return the position behind what they scanned.
  std::size_t ScanPlain(const LinePiece& piece, std::size_t from, std::size_t offset);
  std::size_t ScanQuoted(std::string_view text, std::size_t from, std::size_t offset);
  std::size_t ScanAfterQuote(const LinePiece& piece, std::size_t from);
  void EndField(std::size_t end);
  void SetProblem(std::string_view problem) {
    if (problem_.empty()) problem_ = problem;
  }

  char delimiter_;
  State state_ = State::kFieldStart;
  std::size_t begin_ = 0;     // of the present field
  std::size_t quote_at_ = 0;  // where the present field's last quote is
  bool has_doubled_ = false;
  std::string_view problem_;
  std::vector<CsvField> fields_;
};

}  // namespace laurel::transfer
