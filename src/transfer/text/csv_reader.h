// CsvReader: reads the rows of a CSV or TSV table.
//
// CSV follows RFC 4180: a field may be quoted, a quote inside of it is doubled, and it may contain
// delimiters and line ends. Lines end in "\n" or "\r\n". A byte order mark and empty lines are
// skipped. A row is rejected, and reading continues at the next row, if it has
//
//   - a NUL byte; a quote or a lone carriage return in an unquoted field; text after a closing
//     quote; a quote that is not closed
//   - another number of columns than the header or the first row
//   - more than kMaxRowBytes, or a field above its limit
//   - an empty member, unless the table has a column member_base64
//   - a malformed time, base64, member or hidden mark. Numbers are checked later, by the board's
//     spec
//
// A quote that is not closed swallows the rows after it. If it swallows more than a row may have,
// the import ends with an error instead of one reject for all of them.
//
// TSV is the format of `mysql --batch` and PostgreSQL's COPY. Tabs and line ends inside of a field
// are escaped:
//
//   \t \n \r \b \f \v \\   a control character or the backslash
//   \0                     mysql's NUL, whatever follows: COPY … TO writes no octal digits
//
// A row with any other escape is rejected. A NULL time, meta, instance or hidden mark is absent; a
// NULL member or score is rejected. The first line determines the line end. COPY's end mark, a line
// with only "\.", is skipped.
//
// An empty time, meta or hidden mark is absent too. A hidden row with empty scores is only a mark.
//
// A row is a view of the reader's buffer where possible, without an allocation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/limits.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "transfer/text/csv_scanner.h"
#include "transfer/text/row_file.h"

namespace laurel::transfer {

// Parses --delimiter: one byte, or the word "tab". ERR for any other text, and for a quote, a line
// end or NUL.
Result<char> ParseDelimiter(std::string_view text);

class CsvReader final : public RowFile {
 public:
  // Reads the header if there is one. `rejects` must outlive the reader. ERR if the columns cannot
  // be found (columns.h), or if the table is empty although it should have a header.
  static Result<std::unique_ptr<CsvReader>> Open(std::unique_ptr<ByteReader> source,
                                                 const Spec& spec, RowFileOptions options,
                                                 Rejects* rejects);

  Result<bool> Next(Row* row) override;

 private:
  // A field of the current row.
  struct Cell {
    std::string_view text;
    bool has_doubled_quotes = false;
  };
  struct Value {
    std::string_view text;
    bool is_null = false;
  };
  // Names the buffer of a cell whose text is not a view of the row.
  enum Slot : std::uint8_t {
    kMember,
    kMemberBase64,
    kAt,
    kMeta,
    kMetaBase64,
    kHidden,
    kInstance,
    kField,  // the first field; others follow
    kSlots = kField + kMaxFields,
  };

  CsvReader(std::unique_ptr<ByteReader> source, const Spec& spec, RowFileOptions options,
            Rejects* rejects);

  Status ReadHeader();
  Status TakePlan(const Result<ColumnPlan>& plan);
  [[nodiscard]] std::string DelimiterHint() const;

  // Read the next row into cells_, or note why it is malformed. False at the end.
  Result<bool> ReadRow();
  Result<bool> ReadTsvRow(LinePiece piece);
  Result<bool> ReadQuotedRow(LinePiece piece);
  void TakeQuotedCells(bool too_long, bool closed);
  bool IsSkipped(std::string_view line) const;
  void Split(std::string_view text, char delimiter);

  // Make a row of cells_. False, with the problem noted, if that fails.
  bool MakeRow(Row* row);
  bool TakeMemberCell(Row* row);
  bool TakeScore(Row* row);
  bool TakeTimeCell(Row* row);
  bool TakeMeta(Row* row);
  bool TakeMarks(Row* row);
  bool TakeBytes(std::size_t plain, std::size_t base64, Slot slot, std::string_view what,
                 Value* value);
  bool ValueOf(std::size_t column, Slot slot, Value* value);
  bool Decode(const Cell& cell, Slot slot, Value* value);

  Spec spec_;
  CsvScanner scanner_;
  std::optional<ColumnPlan> plan_;
  bool tsv_cuts_return_ = false;  // the lines of a TSV table end in "\r\n"

  // The current row.
  std::uint64_t first_line_ = 0;
  std::vector<Cell> cells_;
  std::array<std::string, kSlots> slots_;
};

}  // namespace laurel::transfer
