#include "http/call.h"

#include <algorithm>

#include "base/base64.h"
#include "base/nearest.h"
#include "base/text.h"
#include "http/route_traits.h"
#include "wire/command_table.h"

namespace laurel::http {
namespace {

constexpr std::string_view kBase64Suffix = "_base64";

std::string List(std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

constexpr unsigned Bit(base::JsonKind kind) { return 1U << static_cast<unsigned>(kind); }

// The JSON values that fit a type: a bit for each kind, and how errors call them.
struct Fitting {
  unsigned kinds;
  std::string_view expected;
};

Fitting FittingOf(Type type) {
  constexpr unsigned kString = Bit(base::JsonKind::kString);
  constexpr unsigned kNumber = Bit(base::JsonKind::kNumber);
  constexpr unsigned kArray = Bit(base::JsonKind::kArray);
  switch (type) {
    case Type::kText:
    case Type::kBytes:
    case Type::kChoice:
    case Type::kDuration:
      return {kString, "a string"};
    case Type::kMember:
      return {kString | kNumber, "a string or an integer"};
    case Type::kInteger:
      return {kNumber, "an integer"};
    case Type::kBoolean:
      return {Bit(base::JsonKind::kBool), "a boolean"};
    case Type::kNumber:
    case Type::kTime:
    case Type::kBound:
      return {kString | kNumber, "a string or a number"};
    case Type::kScore:
      return {kString | kNumber | kArray | Bit(base::JsonKind::kObject),
              "an array, an object, a string or a number"};
    default:
      return {kArray, "an array"};
  }
}

template <typename Texts>
std::size_t BytesOf(const Texts& texts) {
  std::size_t bytes = texts.size() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.capacity();
  return bytes;
}

}  // namespace

bool Refuse(Refusal* refusal, std::string field, std::string_view problem, ErrorCode code) {
  std::string detail = field.empty() ? std::string() : field + " ";
  *refusal = {code, std::move(field), detail.append(problem)};
  return false;
}

bool IsMember(base::JsonValue value) {
  return value.Is(base::JsonKind::kString) ||
         (value.Is(base::JsonKind::kNumber) &&
          value.text().find_first_of(".eE") == std::string_view::npos);
}

// Input -------------------------------------------------------------------------------------------

void Input::Reset(std::span<const Property> properties) {
  properties_ = properties;
  path_.clear();
  given_.clear();
  texts_.clear();
  decoded_.clear();
}

std::string Input::FieldOf(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

const Property* Input::FindProperty(std::string_view name, bool* is_base64) const {
  *is_base64 = false;
  for (const Property& property : properties_) {
    if (property.name == name) return &property;
    *is_base64 = MayBeBase64(property.type) && name.starts_with(property.name) &&
                 name.substr(property.name.size()) == kBase64Suffix;
    if (*is_base64) return &property;
  }
  return nullptr;
}

bool Input::RefuseUnknown(std::string_view name, Refusal* refusal) const {
  std::vector<std::string_view> names;
  for (const Property& property : properties_) names.push_back(property.name);
  const std::string field = FieldOf(name);
  std::string detail = "there is no " + base::Quote(field) + " here";
  if (const auto nearest = base::Nearest(name, names)) {
    detail += "; did you mean '" + std::string(*nearest) + "'?";
  } else if (name == "period") {
    detail += ": a period goes with the board's name, as in arena@day:-1";
  } else if (!names.empty()) {
    detail += ": expected " + List(names);
  }
  *refusal = {ErrorCode::kErr, field, std::move(detail)};
  return false;
}

bool Input::CheckText(const Property& property, std::string_view text, Refusal* refusal) const {
  const auto refuse = [&](const std::string& expected) {
    return Refuse(refusal, FieldOf(property.name), expected + ", got " + base::Quote(text));
  };
  if (property.type == Type::kBoolean) {
    if (text == "1" || text == "0" || text == "true" || text == "false") return true;
    return refuse("must be 1, 0, true or false");
  }
  if (property.type != Type::kChoice) return true;
  const auto& choices = property.choices;
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return true;
  return refuse("must be one of " + List(choices));
}

bool Input::Add(const Property& property, std::string_view text,
                std::optional<base::JsonValue> json, Refusal* refusal) {
  if (property.type == Type::kTexts) texts_.push_back(text);
  if (Find(property.name) != nullptr) {
    if (property.type == Type::kTexts) return true;
    return Refuse(refusal, FieldOf(property.name), "is given twice");
  }
  given_.push_back({&property, text, json});
  return true;
}

bool Input::TakeQuery(const QueryParameters& query, Refusal* refusal) {
  for (const QueryParameter& parameter : query.all()) {
    bool is_base64 = false;
    const Property* property = FindProperty(parameter.key, &is_base64);
    if (property == nullptr || is_base64) return RefuseUnknown(parameter.key, refusal);
    if (!CheckText(*property, parameter.value, refusal)) return false;
    if (!Add(*property, parameter.value, std::nullopt, refusal)) return false;
  }
  return CheckRequired(refusal);
}

bool Input::TakeObject(base::JsonValue object, std::string_view path, Refusal* refusal) {
  path_ = path;
  if (!object.Is(base::JsonKind::kObject)) {
    return Refuse(refusal, path_.empty() ? "body" : path_,
                  "must be an object, got " + std::string(base::JsonKindName(object.kind())));
  }
  for (const base::JsonValue value : object) {
    bool is_base64 = false;
    const Property* property = FindProperty(value.key(), &is_base64);
    if (property == nullptr) return RefuseUnknown(value.key(), refusal);
    if (value.Is(base::JsonKind::kNull) && property->nullable) {
      if (!Add(*property, {}, value, refusal)) return false;
      continue;
    }
    if (!CheckKind(*property, value, is_base64, refusal)) return false;
    std::string_view text;
    if (value.Is(base::JsonKind::kBool)) text = value.boolean() ? "true" : "false";
    if (value.Is(base::JsonKind::kString) || value.Is(base::JsonKind::kNumber)) text = value.text();
    if (is_base64) {
      if (!base::DecodeBase64(text, &decoded_.emplace_back())) {
        return Refuse(refusal, FieldOf(value.key()), "must be base64 with padding");
      }
      text = decoded_.back();
    } else if (!CheckText(*property, text, refusal)) {
      return false;
    }
    if (!Add(*property, text, value, refusal)) return false;
  }
  return CheckRequired(refusal);
}

bool Input::CheckKind(const Property& property, base::JsonValue value, bool is_base64,
                      Refusal* refusal) const {
  const Type type = is_base64 ? Type::kBytes : property.type;
  if (type == Type::kMember && value.Is(base::JsonKind::kNumber) && !IsMember(value)) {
    return Refuse(refusal, FieldOf(value.key()),
                  "must be a string or an integer, got the number " + std::string(value.text()));
  }
  const Fitting fitting = FittingOf(type);
  if ((fitting.kinds & Bit(value.kind())) != 0) return true;
  return Refuse(refusal, FieldOf(value.key()),
                "must be " + std::string(fitting.expected) + ", got " +
                    std::string(base::JsonKindName(value.kind())));
}

bool Input::CheckRequired(Refusal* refusal) const {
  for (const Property& property : properties_) {
    if (property.required && Find(property.name) == nullptr) {
      return Refuse(refusal, FieldOf(property.name), "is missing");
    }
  }
  return true;
}

const Input::Given* Input::Find(std::string_view name) const {
  const auto found = std::find_if(given_.begin(), given_.end(), [name](const Given& given) {
    return given.property->name == name;
  });
  return found == given_.end() ? nullptr : &*found;
}

bool Input::IsNull(std::string_view name) const {
  const Given* given = Find(name);
  return given != nullptr && given->json && given->json->Is(base::JsonKind::kNull);
}

std::optional<std::string_view> Input::Text(std::string_view name) const {
  const Given* given = Find(name);
  if (given == nullptr || IsNull(name)) return std::nullopt;
  return given->text;
}

wire::WordNote Input::NoteOf(std::string_view name, std::size_t word) const {
  const Property& property = *Find(name)->property;
  wire::WordNote note{word, FieldOf(name)};
  if (property.type == Type::kInteger) note.bounds = {property.min, property.max};
  return note;
}

bool Input::ReadInteger(std::string_view name, std::int64_t* value, Refusal* refusal) const {
  const std::optional<std::string_view> text = Text(name);
  if (!text) return true;
  const wire::WordNote note = NoteOf(name, 0);
  const wire::BesideWords beside{.notes = {&note, 1}};
  const Status read = wire::ReadWhole(&beside, 0, *text, name, INT64_MIN, value);
  if (!read.ok()) *refusal = {read.error().code, note.field, read.error().message};
  return read.ok();
}

bool Input::Flag(std::string_view name) const {
  const std::optional<std::string_view> text = Text(name);
  return text && (*text == "1" || *text == "true");
}

std::optional<base::JsonValue> Input::Json(std::string_view name) const {
  const Given* given = Find(name);
  return given == nullptr ? std::nullopt : given->json;
}

bool HasOnly(const Input& input, std::span<const std::string_view> names, std::string_view* other) {
  for (const Input::Given& given : input.given_) {
    *other = given.property->name;
    if (std::find(names.begin(), names.end(), *other) == names.end()) return false;
  }
  return true;
}

std::size_t Input::MemoryUsage() const {
  return given_.capacity() * sizeof(Given) + texts_.capacity() * sizeof(std::string_view) +
         BytesOf(decoded_);
}

// Call --------------------------------------------------------------------------------------------

void Call::Reset(const Route* route) {
  route_ = route;
  words.clear();
  notes.clear();
  scores.clear();
  field_names.clear();
  texts_.clear();
  lists_sorted_sets = false;
  takes_page = false;
  only_template = {};
}

void Call::Begin(wire::CommandId id) {
  command = id;
  const std::string_view name = wire::CommandOf(id).name;
  const std::size_t bar = name.find('|');
  words.push_back(name.substr(0, bar));
  if (bar != std::string_view::npos) words.push_back(name.substr(bar + 1));
}

void Call::PutFrom(const Input& input, std::string_view name, std::string_view otherwise) {
  const std::optional<std::string_view> text = input.Text(name);
  if (text) notes.push_back(input.NoteOf(name, words.size()));
  Put(text.value_or(otherwise));
}

void Call::PutAll(std::span<const Property> properties, const Input& input) {
  for (const Property& property : properties) {
    const std::optional<std::string_view> text = input.Text(property.name);
    if (property.type == Type::kBoolean) {
      if (input.Flag(property.name)) Put(property.word);
      continue;
    }
    if (!text && property.otherwise.empty()) continue;
    if (property.first_is_implied && text == property.choices[0]) continue;
    if (!property.word.empty()) Put(property.word);
    PutFrom(input, property.name, property.otherwise);
  }
}

void Call::PutOwn(std::string text) { words.push_back(texts_.emplace_back(std::move(text))); }

void Call::SetNumber(std::size_t word, std::int64_t number) {
  words[word] = texts_.emplace_back(std::to_string(number));
}

void Call::PutScore(std::span<const std::string_view> values, const std::string& field) {
  Note(field);
  scores.push_back({words.size(), values.size(), 0, false});
  words.insert(words.end(), values.begin(), values.end());
}

bool Call::PutScore(base::JsonValue score, const std::string& field, Refusal* refusal) {
  const auto put = [&](base::JsonValue value, const std::string& where) {
    if (!value.Is(base::JsonKind::kString) && !value.Is(base::JsonKind::kNumber)) {
      return Refuse(
          refusal, where,
          "must be a string or a number, got " + std::string(base::JsonKindName(value.kind())),
          ErrorCode::kBadScore);
    }
    words.push_back(value.text());
    return true;
  };
  Note(field);
  wire::ScoreWords& place = scores.emplace_back();
  place.first = words.size();
  place.names = field_names.size();
  place.is_named = score.Is(base::JsonKind::kObject);
  if (score.Is(base::JsonKind::kString) || score.Is(base::JsonKind::kNumber)) {
    place.count = 1;
    return put(score, field);
  }
  place.count = score.size();
  if (!score.Is(base::JsonKind::kArray) && !place.is_named) return put(score, field);
  std::size_t index = 0;
  for (const base::JsonValue value : score) {
    const std::string where =
        field + "." + (place.is_named ? std::string(value.key()) : std::to_string(index));
    if (place.is_named) field_names.push_back(value.key());
    if (!put(value, where)) return false;
    ++index;
  }
  return true;
}

std::string Call::FieldOf(std::size_t word) const {
  const wire::BesideWords all = beside();
  if (const wire::WordNote* note = all.NoteOf(word)) return note->field;
  // The values of the path follow the name of the command.
  const std::string_view name = wire::CommandOf(command).name;
  const std::size_t begin = name.find('|') == std::string_view::npos ? 1 : 2;
  const std::vector<std::string_view> parameters = PathParameters(*route_);
  if (word < begin || word - begin >= parameters.size()) return {};
  return std::string(parameters[word - begin]);
}

std::size_t Call::MemoryUsage() const {
  std::size_t note_bytes = notes.capacity() * sizeof(wire::WordNote);
  for (const wire::WordNote& note : notes) note_bytes += note.field.capacity();
  return words.capacity() * sizeof(std::string_view) +
         scores.capacity() * sizeof(wire::ScoreWords) +
         field_names.capacity() * sizeof(std::string_view) + note_bytes + BytesOf(texts_);
}

}  // namespace laurel::http
