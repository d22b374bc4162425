// JsonlReader: reads the rows of a file with one JSON object per line.
//
//   {"member":"ann","score":["100","3"],"reached":"2026-11-15T13:00:00.000000Z","meta":"x"}
//
//   member    a string or a number; "member_base64" for bytes that are not UTF-8
//   score     one value, an array of values, or an object by field name; each value is a number or
//             a string, whose text is taken exactly
//   reached   or "at": when the score was reached, a string or a number as TimeParser takes it
//   meta      a string; an object or array is taken as its JSON text; "meta_base64" for bytes
//   hidden    true or false. A hidden row without a score is a mark on a member without an entry
//   instance  "day:2026-11-15", on a board with periods
//
// A null is absent. --columns may assign other keys to these roles, and keys to single fields; keys
// without a role are then ignored. Otherwise they are refused, as in HTTP, except "rank".
//
// The first line may describe the board instead, as an export begins:
//
//   {"board":"lb","spec":"FIELDS 1 score:int:desc POLICY best TIE first"}
//
// A malformed line, or one longer than kMaxRowBytes, is rejected, and reading continues at the next
// line. Empty lines and a byte order mark are skipped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "laurel/limits.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "transfer/text/row_file.h"

namespace laurel::transfer {

// The description of a board in the first line of a file.
struct BoardLine {
  std::string board;
  Spec spec;
  BoardTimes times;
};

class JsonlReader final : public RowFile {
 public:
  // Reads the first line if it describes a board. `rejects` must outlive the reader. ERR if the
  // description is malformed, or if the file is one JSON array.
  static Result<std::unique_ptr<JsonlReader>> Open(std::unique_ptr<ByteReader> source,
                                                   RowFileOptions options, Rejects* rejects);

  // The description of the board, if the file begins with one.
  [[nodiscard]] const std::optional<BoardLine>& board() const { return board_; }
  // Sets the spec whose fields the rows have. The default is that of board(), or one field `score`.
  // ERR if --columns has a role that this spec does not have. REQUIRES: no row was read yet.
  Status SetSpec(const Spec& spec);

  Result<bool> Next(Row* row) override;

 private:
  enum class Role : std::uint8_t {
    kMember,
    kMemberBase64,
    kScore,
    kAt,
    kMeta,
    kMetaBase64,
    kHidden,
    kInstance,
    kIgnored,
    kField,  // the field Key::field
  };
  struct Key {
    std::string name;
    Role role = Role::kIgnored;
    std::size_t field = 0;
  };

  using RowFile::RowFile;

  static std::vector<Key> DefaultKeys();
  Status ChooseKey(const ColumnChoice& choice);
  [[nodiscard]] const Key* FindKey(std::string_view name) const;

  Status Begin();
  Status TakeBoard();
  // Reads the next line that is not empty into text_. False at the end.
  Result<bool> ReadLine();

  // Make a row of the line. False, with the problem noted, if that fails.
  bool MakeRow(Row* row);
  bool TakeValue(const Key& key, base::JsonValue value, Row* row);
  bool TakeScore(base::JsonValue score);
  bool TakeField(std::size_t field, base::JsonValue value);
  bool TakeTimeValue(base::JsonValue value, Row* row);
  bool TakeMeta(base::JsonValue value, Row* row);
  bool TakeBase64Value(const Key& key, base::JsonValue value, std::string* bytes);
  bool FinishMember(Row* row);
  bool FinishScore(Row* row);
  bool CheckOnce(bool given, std::string_view what);
  bool CheckKind(const Key& key, base::JsonValue value, base::JsonKind kind);

  std::optional<BoardLine> board_;
  std::optional<Spec> spec_;
  std::vector<Key> keys_;

  bool has_pending_line_ = false;  // text_ is a line that Next has not used yet

  // The current row.
  base::JsonDocument document_;
  bool is_other_board_ = false;  // a later line describes a board
  std::optional<std::string_view> member_;
  bool has_meta_ = false;
  std::array<std::optional<std::string_view>, kMaxFields> given_;
  std::string member_bytes_;  // decoded base64
  std::string meta_bytes_;
};

}  // namespace laurel::transfer
