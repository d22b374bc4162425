// RowFile: what the readers of CSV, TSV and JSONL files share: lines, the row that is being read,
// and the checks of its parts.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/limits.h"
#include "laurel/result.h"
#include "storage/recovery.h"
#include "transfer/text/byte_reader.h"
#include "transfer/text/columns.h"
#include "transfer/text/line_reader.h"
#include "transfer/text/member_text.h"
#include "transfer/text/rejects.h"
#include "transfer/text/row.h"
#include "transfer/text/time_parser.h"

namespace laurel::transfer {

struct RowFileOptions {
  bool tsv = false;
  char delimiter = ',';    // for CSV; TSV uses tabs
  bool has_header = true;  // for CSV and TSV
  std::vector<ColumnChoice> columns;
  MemberEncoding member = MemberEncoding::kRaw;
  TimeParser times;
};

class RowFile : public RowReader {
 public:
  [[nodiscard]] storage::Progress progress() const final { return lines_.progress(); }
  [[nodiscard]] std::string_view text() const final { return text_; }

 protected:
  // `rejects` must outlive the reader.
  RowFile(std::unique_ptr<ByteReader> source, RowFileOptions options, Rejects* rejects);

  // Reads the next piece of a line, without a byte order mark at the beginning of the file. False
  // at the end.
  Result<bool> NextPiece(LinePiece* piece);
  // Refuses the row, which `what` names, because it begins with a piece that does not end its line.
  // Keeps that piece, cut to `begin`, as text(), and skips the rest of the line.
  Result<bool> RefuseLong(std::string_view what, std::string_view begin, LinePiece piece);
  [[nodiscard]] Error Failed(std::string message) const;

  // The functions below return false, with the problem noted, if the row must be rejected.
  bool Refuse(ErrorCode code, std::string message);
  bool Refuse(const Error& error) { return Refuse(error.code, error.message); }
  bool RefuseLength(std::string_view what);
  bool CheckBytes(std::string_view what, std::string_view text, std::size_t most) {
    return text.size() <= most || RefuseSize(what, text, most);
  }
  bool TakeMember(std::string_view stored, Row* row);
  bool TakeTime(std::string_view time, Row* row);
  bool TakeBase64(std::string_view what, std::string_view encoded, std::string* bytes);

  RowFileOptions options_;
  Rejects* rejects_;
  LineReader lines_;

  // The current row.
  std::string_view text_;
  std::string copied_;  // the text of a row that is not whole in the buffer of the lines
  std::optional<Error> problem_;
  std::array<std::string_view, kMaxFields> values_;

 private:
  bool RefuseSize(std::string_view what, std::string_view text, std::size_t most);

  MemberText member_text_;
};

}  // namespace laurel::transfer
