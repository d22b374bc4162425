#include "transfer/text/csv_reader.h"

#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/text.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

bool Has(std::string_view text, char c) { return std::memchr(text.data(), c, text.size()); }

// Parses a flag as databases write it; none for other texts.
std::optional<bool> ParseFlag(std::string_view text) {
  for (const std::string_view word : {"1", "true", "t", "yes"}) {
    if (base::IsWord(text, word)) return true;
  }
  for (const std::string_view word : {"", "0", "false", "f", "no"}) {
    if (base::IsWord(text, word)) return false;
  }
  return std::nullopt;
}

// Returns a word with the top bit set in each byte of `bytes` that equals `wanted`. Exact. memchr
// would need a call for each of the short cells of a row.
std::uint64_t EqualBytes(std::uint64_t bytes, char wanted) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kLow = 0x7f * kOnes;
  const std::uint64_t different = bytes ^ kOnes * static_cast<unsigned char>(wanted);
  return ~(((different & kLow) + kLow) | different | kLow);
}

std::string_view WithoutReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Appends the text of a quoted field, in which each "" stands for one ".
void AppendWithoutDoubledQuotes(std::string_view field, std::string* text) {
  for (std::size_t quote = field.find('"'); quote != std::string_view::npos;
       quote = field.find('"')) {
    text->append(field.substr(0, quote + 1));
    field.remove_prefix(quote + 2);
  }
  text->append(field);
}

// Whether a field of TSV is NULL: the word NULL in mysql, or \N in COPY.
bool IsTsvNull(std::string_view field) { return field == "NULL" || field == "\\N"; }

// Appends the contents of a field of TSV. False if the field has an unknown escape.
bool AppendTsvText(std::string_view field, std::string* text) {
  constexpr std::string_view kLetters = "tnrbfv0\\";
  constexpr std::string_view kBytes("\t\n\r\b\f\v\0\\", kLetters.size());
  while (true) {
    const std::size_t backslash = field.find('\\');
    text->append(field.substr(0, backslash));
    if (backslash == std::string_view::npos) return true;
    field.remove_prefix(backslash + 1);
    const std::size_t letter = field.empty() ? std::string_view::npos : kLetters.find(field[0]);
    if (letter == std::string_view::npos) return false;
    text->push_back(kBytes[letter]);
    field.remove_prefix(1);
  }
}

}  // namespace

Result<char> ParseDelimiter(std::string_view text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && std::string_view("\"\r\n\0", 4).find(text[0]) == std::string_view::npos) {
    return text[0];
  }
  return Error{ErrorCode::kErr,
               "a delimiter is one character or the word tab, got " + base::Quote(text)};
}

Result<std::unique_ptr<CsvReader>> CsvReader::Open(std::unique_ptr<ByteReader> source,
                                                   const Spec& spec, RowFileOptions options,
                                                   Rejects* rejects) {
  std::unique_ptr<CsvReader> reader(
      new CsvReader(std::move(source), spec, std::move(options), rejects));
  if (!reader->options_.has_header) return reader;
  if (Status read = reader->ReadHeader(); !read.ok()) return read.error();
  return reader;
}

CsvReader::CsvReader(std::unique_ptr<ByteReader> source, const Spec& spec, RowFileOptions options,
                     Rejects* rejects)
    : RowFile(std::move(source), std::move(options), rejects),
      spec_(spec),
      scanner_(options_.delimiter) {}

Status CsvReader::ReadHeader() {
  const Result<bool> found = ReadRow();
  if (!found.ok()) return found.error();
  if (!*found) return Failed("there is no header");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < cells_.size() && !problem_; ++i) {
    Value name;
    if (ValueOf(i, kMember, &name)) names.emplace_back(name.text);
  }
  if (problem_) return Failed("the header is malformed: " + problem_->message);
  const std::vector<std::string_view> views(names.begin(), names.end());
  return TakePlan(PlanByHeader(spec_, options_.columns, views));
}

Status CsvReader::TakePlan(const Result<ColumnPlan>& plan) {
  if (!plan.ok()) return Failed(plan.error().message + DelimiterHint());
  plan_ = *plan;
  return Ok{};
}

// Suggests another delimiter for a first row that has only one column.
std::string CsvReader::DelimiterHint() const {
  if (cells_.size() != 1) return "";
  const char own = options_.tsv ? '\t' : options_.delimiter;
  for (const char c : {',', ';', '\t', '|'}) {
    if (c == own || !Has(text_, c)) continue;
    const std::string hint = options_.tsv ? "; try --csv" : "; try";
    if (options_.tsv && c == ',') return hint;
    return hint + " --delimiter " + (c == '\t' ? "tab" : "'" + std::string(1, c) + "'");
  }
  return "";
}

Result<bool> CsvReader::Next(Row* row) {
  for (;;) {
    const Result<bool> found = ReadRow();
    if (!found.ok() || !*found) return found;
    if (!problem_ && !plan_) {
      const Status planned = TakePlan(PlanByPosition(spec_, options_.columns, cells_.size()));
      if (!planned.ok()) return planned.error();
    }
    if (!problem_ && MakeRow(row)) return true;
    std::string reason = problem_->ToString();
    if (lines_.line() > first_line_) {
      reason +=
          " (lines " + std::to_string(first_line_) + " to " + std::to_string(lines_.line()) + ")";
    }
    const Status added = rejects_->Add({first_line_, reason, text_});
    if (!added.ok()) return added.error();
  }
}

// Rows --------------------------------------------------------------------------------------------

bool CsvReader::IsSkipped(std::string_view line) const {
  const std::string_view text = WithoutReturn(line);
  return text.empty() || (options_.tsv && text == "\\.");
}

Result<bool> CsvReader::ReadRow() {
  LinePiece piece;
  do {
    const Result<bool> found = NextPiece(&piece);
    if (!found.ok() || !*found) return found;
    if (lines_.line() == 1) tsv_cuts_return_ = piece.ends_line && piece.text.ends_with('\r');
  } while (piece.ends_line && IsSkipped(piece.text));
  first_line_ = lines_.line();
  problem_.reset();
  if (options_.tsv) return ReadTsvRow(piece);
  if (!piece.ends_line || (lines_.MayHold(SpecialByte::kQuote) && Has(piece.text, '"'))) {
    return ReadQuotedRow(piece);
  }
  text_ = WithoutReturn(piece.text);
  if (lines_.MayHold(SpecialByte::kNul) && Has(text_, '\0')) {
    Refuse(ErrorCode::kErr, "the row has a NUL byte");
  } else if (lines_.MayHold(SpecialByte::kCarriageReturn) && Has(text_, '\r')) {
    Refuse(ErrorCode::kErr, "a carriage return stands inside a field without quotes");
  } else {
    Split(text_, options_.delimiter);
  }
  return true;
}

Result<bool> CsvReader::ReadTsvRow(LinePiece piece) {
  if (!piece.ends_line) return RefuseLong("the row", piece.text, piece);
  text_ = tsv_cuts_return_ ? WithoutReturn(piece.text) : piece.text;
  if (lines_.MayHold(SpecialByte::kNul) && Has(text_, '\0')) {
    Refuse(ErrorCode::kErr, "the row has a NUL byte");
  } else {
    Split(text_, '\t');
  }
  return true;
}

// Reads a row that contains quotes, or one that is too long, which may contain quotes further on.
Result<bool> CsvReader::ReadQuotedRow(LinePiece piece) {
  scanner_.Begin();
  scanner_.Scan(piece, 0);
  text_ = WithoutReturn(piece.text);
  std::uint64_t bytes = piece.text.size();  // bytes of the row so far
  bool closed = true;
  const auto continues = [&] { return !piece.ends_line || scanner_.in_quotes(); };
  if (continues()) copied_ = piece.text;
  while (continues()) {
    if (piece.ends_line && ++bytes <= kMaxRowBytes) copied_ += '\n';
    const Result<bool> found = NextPiece(&piece);
    if (!found.ok()) return found;
    closed = *found;
    text_ = WithoutReturn(copied_);
    if (!closed) break;
    scanner_.Scan(piece, bytes);
    bytes += piece.text.size();
    if (bytes <= kMaxRowBytes) copied_ += piece.text;
    text_ = WithoutReturn(copied_);
  }
  TakeQuotedCells(bytes > kMaxRowBytes, closed);
  if (closed || bytes <= kMaxRowBytes) return true;
  return Failed("the quote that is opened on line " + std::to_string(first_line_) +
                " is not closed");
}

void CsvReader::TakeQuotedCells(bool too_long, bool closed) {
  cells_.clear();
  if (too_long) {
    RefuseLength("the row");
  } else if (!closed) {
    Refuse(ErrorCode::kErr, "a quote is not closed");
  } else if (!scanner_.problem().empty()) {
    Refuse(ErrorCode::kErr, std::string(scanner_.problem()));
  } else {
    for (const CsvField& field : scanner_.fields()) {
      cells_.push_back({text_.substr(field.begin, field.size), field.has_doubled_quotes});
    }
  }
}

void CsvReader::Split(std::string_view text, char delimiter) {
  cells_.clear();
  std::size_t begin = 0;
  const auto end_cell = [&](std::size_t at) {
    cells_.push_back({text.substr(begin, at - begin), false});
    begin = at + 1;
  };
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t found = EqualBytes(base::Load<std::uint64_t>(text.data() + at), delimiter);
    for (; found != 0; found &= found - 1) {
      end_cell(at + static_cast<std::size_t>(std::countr_zero(found)) / 8);
    }
  }
  for (; at < text.size(); ++at) {
    if (text[at] == delimiter) end_cell(at);
  }
  end_cell(text.size());
  if (cells_.size() > kMaxColumns) Refuse(ErrorCode::kErr, "the row has too many columns");
}

// Cells -------------------------------------------------------------------------------------------

inline bool CsvReader::ValueOf(std::size_t column, Slot slot, Value* value) {
  const Cell& cell = cells_[column];
  *value = {cell.text, false};
  if (!options_.tsv && !cell.has_doubled_quotes) return true;
  return Decode(cell, slot, value);
}

bool CsvReader::Decode(const Cell& cell, Slot slot, Value* value) {
  if (options_.tsv && IsTsvNull(cell.text)) {
    *value = {{}, true};
    return true;
  }
  if (options_.tsv && !(lines_.MayHold(SpecialByte::kBackslash) && Has(cell.text, '\\'))) {
    return true;
  }
  std::string& text = slots_[slot];
  text.clear();
  if (!options_.tsv) {
    AppendWithoutDoubledQuotes(cell.text, &text);
  } else if (!AppendTsvText(cell.text, &text)) {
    return Refuse(ErrorCode::kErr, "a backslash begins no escape of mysql or COPY");
  }
  value->text = text;
  return true;
}

bool CsvReader::MakeRow(Row* row) {
  if (cells_.size() != plan_->columns) {
    return Refuse(ErrorCode::kErr, "the row has " + std::to_string(cells_.size()) +
                                       " columns, the " +
                                       (options_.has_header ? "header" : "first row") + " " +
                                       std::to_string(plan_->columns));
  }
  row->line = first_line_;
  return TakeMemberCell(row) && TakeMarks(row) && TakeScore(row) && TakeTimeCell(row) &&
         TakeMeta(row);
}

// Takes the bytes of a member or meta, from a column with text or one with base64.
bool CsvReader::TakeBytes(std::size_t plain, std::size_t base64, Slot slot, std::string_view what,
                          Value* value) {
  *value = {{}, true};
  if (plain != ColumnPlan::kNone && !ValueOf(plain, slot, value)) return false;
  if (base64 == ColumnPlan::kNone) return true;
  Value encoded;
  if (!ValueOf(base64, slot == kMember ? kMemberBase64 : kMetaBase64, &encoded)) return false;
  if (encoded.text.empty()) {
    value->is_null = value->is_null && encoded.is_null;
    return true;
  }
  if (!value->text.empty()) {
    return Refuse(ErrorCode::kErr, std::string(what) + " stands in two columns");
  }
  std::string& bytes = slots_[slot];
  if (!TakeBase64(what, encoded.text, &bytes)) return false;
  *value = {bytes, false};
  return true;
}

bool CsvReader::TakeMemberCell(Row* row) {
  Value stored;
  if (!TakeBytes(plan_->member, plan_->member_base64, kMember, "the member", &stored)) return false;
  if (stored.is_null) return Refuse(ErrorCode::kErr, "the member is NULL");
  // In most tables an empty text can mean a missing one, but not in those of laurel export.
  if (stored.text.empty() && plan_->member_base64 == ColumnPlan::kNone) {
    return Refuse(ErrorCode::kErr, "the member is empty");
  }
  return TakeMember(stored.text, row);
}

bool CsvReader::TakeScore(Row* row) {
  const std::size_t fields = spec_.fields.size();
  std::size_t absent = 0;
  for (std::size_t i = 0; i < fields; ++i) {
    Value value;
    if (!ValueOf(plan_->fields[i], static_cast<Slot>(kField + i), &value)) return false;
    if (value.text.empty()) ++absent;
    values_[i] = value.text;
    if (!CheckBytes("the score", value.text, kMaxNumberBytes)) return false;
  }
  if (absent == 0) {
    row->values = std::span(values_).first(fields);
    return true;
  }
  if (absent == fields && row->hidden) {
    row->values = {};
    return true;
  }
  return Refuse(ErrorCode::kBadScore, "the score is empty or NULL");
}

bool CsvReader::TakeTimeCell(Row* row) {
  row->at.reset();
  if (plan_->at == ColumnPlan::kNone) return true;
  Value value;
  if (!ValueOf(plan_->at, kAt, &value)) return false;
  return value.text.empty() || TakeTime(value.text, row);
}

bool CsvReader::TakeMeta(Row* row) {
  Value value;
  if (!TakeBytes(plan_->meta, plan_->meta_base64, kMeta, "the meta", &value)) return false;
  row->meta = value.text;
  return CheckBytes("the meta", row->meta, kMaxMetaBytes);
}

bool CsvReader::TakeMarks(Row* row) {
  row->hidden = false;
  row->instance = {};
  Value value;
  if (plan_->hidden != ColumnPlan::kNone) {
    if (!ValueOf(plan_->hidden, kHidden, &value)) return false;
    const std::optional<bool> hidden = ParseFlag(value.text);
    if (!hidden) {
      return Refuse(ErrorCode::kErr, "hidden is true or false, got " + base::Quote(value.text));
    }
    row->hidden = *hidden;
  }
  if (plan_->instance == ColumnPlan::kNone) return true;
  if (!ValueOf(plan_->instance, kInstance, &value)) return false;
  row->instance = value.text;
  return CheckBytes("the instance", row->instance, kMaxInstanceBytes);
}

}  // namespace laurel::transfer
