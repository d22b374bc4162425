// CsvReader: the rows of a CSV or TSV table.
//
// CSV is RFC 4180: fields may stand in quotes, a quote inside of them is doubled, and they may hold
// delimiters and line ends. Lines end in "\n" or "\r\n". A byte order mark is skipped, and so are
// empty lines. These rows are rejected, and reading goes on at the next row:
//
//   - a NUL byte; a quote or a lone carriage return in a field without quotes; text behind a
//   closing
//     quote; a quote that is not closed
//   - another number of columns than the header or the first row has
//   - more than kMaxRowBytes, or a field above its limit
//   - an empty member, unless the table has a column member_base64
//   - a time, base64, member or hidden mark that is malformed. Numbers are left to the board's spec
//
// A quote that is not closed swallows the rows behind it. If it swallowed more than a row may have,
// the import ends with an error rather than with one reject for all of them.
//
// TSV is what `mysql --batch` and PostgreSQL's COPY write (tsv_text.h): no quotes, escapes instead.
// A NULL time, meta, instance or hidden mark is absent; a NULL member or score is rejected. Lines
// end as the first one does. COPY's end mark, a line with "\." alone, is skipped.
//
// An empty time, meta or hidden mark is absent too. A hidden row with empty scores is a mark alone.
//
// A row is a view of the reader's buffer wherever it can be, and takes no allocation.
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
#include "storage/recovery.h"
#include "transfer/byte_reader.h"
#include "transfer/columns.h"
#include "transfer/csv_scanner.h"
#include "transfer/line_reader.h"
#include "transfer/member_text.h"
#include "transfer/rejects.h"
#include "transfer/row.h"
#include "transfer/row_reader.h"
#include "transfer/time_parser.h"

namespace laurel::transfer {

struct CsvOptions {
  bool tsv = false;
  char delimiter = ',';  // of CSV; TSV has tabs
  bool has_header = true;
  std::vector<ColumnChoice> columns;
  MemberEncoding member = MemberEncoding::kRaw;
  TimeParser times;
};

// Parses --delimiter: one byte, or the word "tab". ERR for anything else, and for a quote, a line
// end and NUL.
Result<char> ParseDelimiter(std::string_view text);

class CsvReader final : public RowReader {
 public:
  // Reads the header if there is one. `rejects` must outlive the reader. ERR if the columns cannot
  // be found (columns.h), or the table should have a header and is empty.
  static Result<std::unique_ptr<CsvReader>> Open(std::unique_ptr<ByteReader> source,
                                                 const Spec& spec, CsvOptions options,
                                                 Rejects* rejects);

  Result<bool> Next(Row* row) override;
  [[nodiscard]] storage::Progress progress() const override { return lines_.progress(); }
  [[nodiscard]] std::string_view text() const override { return text_; }

 private:
  // A field of the present row.
  struct Cell {
    std::string_view text;
    bool has_doubled_quotes = false;
  };
  struct Value {
    std::string_view text;
    bool is_null = false;
  };
  // Where the text of a cell is stored if it is no view of the row.
  enum Slot : std::uint8_t {
    kMember,
    kMemberBase64,
    kAt,
    kMeta,
    kMetaBase64,
    kHidden,
    kInstance,
    kField,  // of the first field
    kSlots = kField + kMaxFields,
  };

  CsvReader(std::unique_ptr<ByteReader> source, const Spec& spec, CsvOptions options,
            Rejects* rejects);

  Status ReadHeader();
  Status PlanColumns();
  [[nodiscard]] std::string DelimiterHint() const;
  Status AddReject();
  [[nodiscard]] Error Failed(std::string message) const;

  // These read the next row into cells_, or note why it is malformed. False at the end.
  Result<bool> ReadRow();
  Result<bool> ReadTsvRow(LinePiece piece);
  Result<bool> ReadQuotedRow(LinePiece piece);
  void TakeQuotedCells(bool too_long, bool closed);
  Result<bool> NextPiece(LinePiece* piece);
  bool IsSkipped(std::string_view line) const;
  void Split(std::string_view text, char delimiter);

  // These make a row of cells_. False, with the problem noted, if they cannot.
  bool MakeRow(Row* row);
  bool TakeMember(Row* row);
  bool TakeScore(Row* row);
  bool TakeTime(Row* row);
  bool TakeMeta(Row* row);
  bool TakeMarks(Row* row);
  bool TakeBytes(std::size_t plain, std::size_t base64, Slot slot, std::string_view what,
                 Value* value);
  bool ValueOf(std::size_t column, Slot slot, Value* value);
  bool Decode(const Cell& cell, Slot slot, Value* value);
  bool Refuse(ErrorCode code, std::string message);
  bool CheckBytes(std::string_view what, std::string_view text, std::size_t most);
  bool RefuseSize(std::string_view what, std::string_view text, std::size_t most);

  Spec spec_;
  CsvOptions options_;
  Rejects* rejects_;
  LineReader lines_;
  CsvScanner scanner_;
  MemberText member_text_;
  std::optional<ColumnPlan> plan_;
  bool is_first_piece_ = true;
  bool tsv_cuts_return_ = false;  // the lines of a TSV table end in "\r\n"

  // The present row.
  std::uint64_t first_line_ = 0;
  std::string_view text_;
  std::string copied_;  // a row of several lines
  std::vector<Cell> cells_;
  std::optional<Error> problem_;
  std::array<std::string_view, kMaxFields> values_;
  std::array<std::string, kSlots> slots_;
};

}  // namespace laurel::transfer
