#include "transfer/text/jsonl_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "transfer/text/limits.h"
#include "wire/spec_arguments.h"

namespace laurel::transfer {
namespace {

bool IsText(base::JsonValue value) {
  return value.Is(base::JsonKind::kString) || value.Is(base::JsonKind::kNumber);
}

// Whether the line describes a board and not an entry.
bool DescribesBoard(base::JsonValue line) {
  if (!line.Is(base::JsonKind::kObject)) return false;
  bool has_board = false;
  bool has_spec = false;
  for (const base::JsonValue value : line) {
    has_board = has_board || value.key() == "board" || value.key() == "board_base64";
    has_spec = has_spec || value.key() == "spec" || value.key() == "spec_base64";
  }
  return has_board && has_spec;
}

// Returns the member of *times that the key names; null for another key.
Stamp* MomentOf(std::string_view key, BoardTimes* times) {
  if (key == "last_stamp") return &times->last_stamp;
  if (key == "written_at") return &times->written_at;
  return key == "turned_at" ? &times->turned_at : nullptr;
}

std::string_view WithoutBlanks(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

}  // namespace

Result<std::unique_ptr<JsonlReader>> JsonlReader::Open(std::unique_ptr<ByteReader> source,
                                                       RowFileOptions options, Rejects* rejects) {
  std::unique_ptr<JsonlReader> reader(
      new JsonlReader(std::move(source), std::move(options), rejects));
  if (Status begun = reader->Begin(); !begun.ok()) return begun.error();
  return reader;
}

Status JsonlReader::Begin() {
  const Result<bool> found = ReadLine();
  if (!found.ok()) return found.error();
  has_pending_line_ = *found;
  if (*found && !problem_) {
    if (text_.starts_with('[')) {
      return Failed("the file is one JSON array, expected one object on each line");
    }
    if (document_.Parse(text_).ok() && DescribesBoard(document_.root())) {
      if (Status taken = TakeBoard(); !taken.ok()) return taken;
      has_pending_line_ = false;
    }
  }
  return Ok{};
}

Status JsonlReader::TakeBoard() {
  BoardLine line;
  std::string spec;
  for (const base::JsonValue value : document_.root()) {
    if (Stamp* moment = MomentOf(value.key(), &line.times); moment != nullptr) {
      if (!IsText(value)) return Failed("the board's " + base::Quote(value.key()) + " is no time");
      const Result<Stamp> parsed = options_.times.Parse(value.text());
      if (!parsed.ok()) {
        return Failed("the board's " + base::Quote(value.key()) + ": " + parsed.error().message);
      }
      *moment = *parsed;
      continue;
    }
    std::string* to = value.key().starts_with("board") ? &line.board : &spec;
    const bool is_known = value.key() == "board" || value.key() == "spec";
    const bool is_base64 = value.key() == "board_base64" || value.key() == "spec_base64";
    if (!is_known && !is_base64) {
      return Failed("the first line describes a board and has the unknown key " +
                    base::Quote(value.key()));
    }
    if (!value.Is(base::JsonKind::kString)) {
      return Failed("the board's " + base::Quote(value.key()) + " is no string");
    }
    if (is_known) *to = value.text();
    if (is_base64 && !base::DecodeBase64(value.text(), to)) {
      return Failed(std::string(value.key()) + " is no base64 with padding");
    }
  }
  if (spec == DescribeSpec(Spec::SortedSet())) {
    line.spec = Spec::SortedSet();
  } else {
    const Result<wire::SpecArguments> parsed = wire::ParseSpecLine(spec);
    if (!parsed.ok()) return Failed("the board's spec: " + parsed.error().message);
    line.spec = parsed->spec;
  }
  board_ = std::move(line);
  return Ok{};
}

// Keys --------------------------------------------------------------------------------------------

std::vector<JsonlReader::Key> JsonlReader::DefaultKeys() {
  return {{"member", Role::kMember},
          {"score", Role::kScore},
          {"reached", Role::kAt},
          {"at", Role::kAt},
          {"meta", Role::kMeta},
          {"hidden", Role::kHidden},
          {"instance", Role::kInstance},
          {"member_base64", Role::kMemberBase64},
          {"meta_base64", Role::kMetaBase64},
          {"rank", Role::kIgnored}};
}

Status JsonlReader::SetSpec(const Spec& spec) {
  spec_ = spec;
  keys_ = DefaultKeys();
  for (const ColumnChoice& choice : options_.columns) {
    if (Status chosen = ChooseKey(choice); !chosen.ok()) return chosen;
  }
  return Ok{};
}

// Takes one choice of --columns: the role then has the chosen key and no other.
Status JsonlReader::ChooseKey(const ColumnChoice& choice) {
  Key chosen{choice.column, Role::kField, 0};
  const std::vector<Field>& fields = spec_->fields;
  while (chosen.field < fields.size() && fields[chosen.field].name != choice.role) ++chosen.field;
  if (chosen.field == fields.size()) {
    const std::vector<Key> defaults = DefaultKeys();
    const auto known = std::find_if(defaults.begin(), defaults.end(), [&](const Key& key) {
      return key.name == choice.role && key.role != Role::kIgnored;
    });
    if (known == defaults.end()) {
      return Error{ErrorCode::kErr, "--columns: " + base::Quote(choice.role) +
                                        " is no role of a key: expected member, score, the name "
                                        "of a field, at, meta, hidden or instance"};
    }
    chosen.role = known->role;
  }
  // A key for one field replaces the key for all fields.
  const Role replaced = chosen.role == Role::kField ? Role::kScore : chosen.role;
  std::erase_if(keys_,
                [&](const Key& key) { return key.name == chosen.name || key.role == replaced; });
  keys_.push_back(std::move(chosen));
  return Ok{};
}

const JsonlReader::Key* JsonlReader::FindKey(std::string_view name) const {
  for (const Key& key : keys_) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

// Lines -------------------------------------------------------------------------------------------

Result<bool> JsonlReader::Next(Row* row) {
  if (!spec_) {
    if (Status set = SetSpec(board_ ? board_->spec : Spec()); !set.ok()) return set.error();
  }
  for (;;) {
    if (!has_pending_line_) {
      const Result<bool> found = ReadLine();
      if (!found.ok() || !*found) return found;
    }
    has_pending_line_ = false;
    is_other_board_ = false;
    if (!problem_ && MakeRow(row)) return true;
    if (is_other_board_) {
      return Failed("line " + std::to_string(lines_.line()) +
                    " describes another board: import the boards from files of their own");
    }
    if (Status added = rejects_->Add({lines_.line(), problem_->ToString(), text_}); !added.ok()) {
      return added.error();
    }
  }
}

Result<bool> JsonlReader::ReadLine() {
  problem_.reset();
  for (;;) {
    LinePiece piece;
    const Result<bool> found = NextPiece(&piece);
    if (!found.ok() || !*found) return found;
    text_ = WithoutBlanks(piece.text);
    if (!piece.ends_line) return RefuseLong("the line", text_, piece);
    if (!text_.empty()) return true;
  }
}

// Rows --------------------------------------------------------------------------------------------

bool JsonlReader::CheckOnce(bool given, std::string_view what) {
  return !given || Refuse(ErrorCode::kErr, std::string(what) + " is given twice");
}

bool JsonlReader::CheckKind(const Key& key, base::JsonValue value, base::JsonKind kind) {
  return value.Is(kind) ||
         Refuse(ErrorCode::kErr, key.name + " is " + std::string(base::JsonKindName(value.kind())) +
                                     ", expected " + std::string(base::JsonKindName(kind)));
}

bool JsonlReader::MakeRow(Row* row) {
  if (Status parsed = document_.Parse(text_); !parsed.ok()) return Refuse(parsed.error());
  const base::JsonValue root = document_.root();
  if (!root.Is(base::JsonKind::kObject)) {
    return Refuse(ErrorCode::kErr, "the line is " + std::string(base::JsonKindName(root.kind())) +
                                       ", expected an object");
  }
  is_other_board_ = DescribesBoard(root);
  *row = Row();
  row->line = lines_.line();
  member_.reset();
  has_meta_ = false;
  given_.fill(std::nullopt);
  for (const base::JsonValue value : root) {
    if (value.Is(base::JsonKind::kNull)) continue;
    const Key* key = FindKey(value.key());
    if (key != nullptr) {
      if (!TakeValue(*key, value, row)) return false;
    } else if (options_.columns.empty()) {
      return Refuse(ErrorCode::kErr, "unknown key " + base::Quote(value.key()) +
                                         ": give --columns to read other keys");
    }
  }
  return FinishMember(row) && FinishScore(row);
}

bool JsonlReader::TakeValue(const Key& key, base::JsonValue value, Row* row) {
  switch (key.role) {
    case Role::kMember:
      if (!CheckOnce(member_.has_value(), "the member")) return false;
      if (!IsText(value)) return CheckKind(key, value, base::JsonKind::kString);
      member_ = value.text();
      return true;
    case Role::kMemberBase64:
      if (!CheckOnce(member_.has_value(), "the member")) return false;
      if (!TakeBase64Value(key, value, &member_bytes_)) return false;
      member_ = member_bytes_;
      return true;
    case Role::kScore:
      return TakeScore(value);
    case Role::kField:
      return TakeField(key.field, value);
    case Role::kAt:
      return TakeTimeValue(value, row);
    case Role::kMeta:
      return TakeMeta(value, row);
    case Role::kMetaBase64:
      if (!CheckOnce(has_meta_, "the meta")) return false;
      if (!TakeBase64Value(key, value, &meta_bytes_)) return false;
      has_meta_ = true;
      row->meta = meta_bytes_;
      return true;
    case Role::kHidden:
      if (!CheckKind(key, value, base::JsonKind::kBool)) return false;
      row->hidden = value.boolean();
      return true;
    case Role::kInstance:
      if (!CheckKind(key, value, base::JsonKind::kString)) return false;
      row->instance = value.text();
      return true;
    case Role::kIgnored:
      break;
  }
  return true;
}

bool JsonlReader::TakeScore(base::JsonValue score) {
  const std::vector<Field>& fields = spec_->fields;
  if (score.Is(base::JsonKind::kObject)) {
    for (const base::JsonValue value : score) {
      const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& candidate) {
        return candidate.name == value.key();
      });
      if (field == fields.end()) {
        return Refuse(ErrorCode::kErr, "there is no field " + base::Quote(value.key()));
      }
      if (!TakeField(static_cast<std::size_t>(field - fields.begin()), value)) return false;
    }
    return true;
  }
  if (!score.Is(base::JsonKind::kArray)) {
    return fields.size() == 1 ? TakeField(0, score)
                              : Refuse(ErrorCode::kErr, "score has 1 value, expected " +
                                                            std::to_string(fields.size()));
  }
  if (score.size() != fields.size()) {
    return Refuse(ErrorCode::kErr, "score has " + std::to_string(score.size()) +
                                       " values, expected " + std::to_string(fields.size()));
  }
  std::size_t field = 0;
  for (const base::JsonValue value : score) {
    if (!TakeField(field++, value)) return false;
  }
  return true;
}

bool JsonlReader::TakeField(std::size_t field, base::JsonValue value) {
  const std::string& name = spec_->fields[field].name;
  if (!IsText(value)) {
    return Refuse(ErrorCode::kBadScore, "the value of " + base::Quote(name) + " is " +
                                            std::string(base::JsonKindName(value.kind())) +
                                            ", expected a number or a string");
  }
  if (!CheckBytes("the score", value.text(), kMaxNumberBytes)) return false;
  if (!CheckOnce(given_[field].has_value(), name)) return false;
  given_[field] = value.text();
  return true;
}

bool JsonlReader::TakeTimeValue(base::JsonValue value, Row* row) {
  if (!CheckOnce(row->at.has_value(), "the time")) return false;
  if (!IsText(value)) {
    return Refuse(ErrorCode::kBadTime, "the time is " +
                                           std::string(base::JsonKindName(value.kind())) +
                                           ", expected a number or a string");
  }
  return TakeTime(value.text(), row);
}

bool JsonlReader::TakeMeta(base::JsonValue value, Row* row) {
  if (!CheckOnce(has_meta_, "the meta")) return false;
  has_meta_ = true;
  if (value.Is(base::JsonKind::kObject) || value.Is(base::JsonKind::kArray)) {
    row->meta = value.json();
    return true;
  }
  row->meta = IsText(value) ? value.text() : std::string_view();
  return IsText(value) || Refuse(ErrorCode::kErr, "the meta is a boolean, expected a string");
}

bool JsonlReader::TakeBase64Value(const Key& key, base::JsonValue value, std::string* bytes) {
  return CheckKind(key, value, base::JsonKind::kString) &&
         TakeBase64(key.name, value.text(), bytes);
}

bool JsonlReader::FinishMember(Row* row) {
  if (!member_) return Refuse(ErrorCode::kErr, "there is no member");
  return TakeMember(*member_, row) && CheckBytes("the meta", row->meta, kMaxMetaBytes) &&
         CheckBytes("the instance", row->instance, kMaxInstanceBytes);
}

bool JsonlReader::FinishScore(Row* row) {
  const std::size_t fields = spec_->fields.size();
  std::size_t given = 0;
  for (std::size_t i = 0; i < fields; ++i) {
    if (!given_[i]) continue;
    values_[i] = *given_[i];
    ++given;
  }
  if (given == fields) {
    row->values = std::span(values_).first(fields);
    return true;
  }
  if (given == 0 && row->hidden) return true;
  if (given == 0) return Refuse(ErrorCode::kBadScore, "there is no score");
  for (std::size_t i = 0; i < fields; ++i) {
    if (!given_[i]) {
      return Refuse(ErrorCode::kBadScore,
                    "there is no value of " + base::Quote(spec_->fields[i].name));
    }
  }
  return false;
}

}  // namespace laurel::transfer
