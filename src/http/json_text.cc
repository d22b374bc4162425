#include "http/json_text.h"

#include "base/assert.h"
#include "base/json_reader.h"
#include "wire/json_writer.h"

namespace laurel::http {
namespace {

bool IsAggregate(base::JsonValue value) {
  return value.Is(base::JsonKind::kArray) || value.Is(base::JsonKind::kObject);
}

std::string ScalarText(base::JsonValue value) {
  switch (value.kind()) {
    case base::JsonKind::kNull:
      return "null";
    case base::JsonKind::kBool:
      return value.boolean() ? "true" : "false";
    case base::JsonKind::kString:
      return JsonString(value.text());
    default:
      return std::string(value.text());
  }
}

// The value on one line, with a blank after commas and colons.
std::string OneLine(base::JsonValue value) {
  if (!IsAggregate(value)) return ScalarText(value);
  const bool is_object = value.Is(base::JsonKind::kObject);
  std::string text(1, is_object ? '{' : '[');
  for (const base::JsonValue part : value) {
    if (text.size() > 1) text += ", ";
    if (is_object) text += JsonString(part.key()) + ": ";
    text += OneLine(part);
  }
  return text + (is_object ? '}' : ']');
}

// Appends the value, which begins at `column`. A value that does not fit on the line is continued
// under its first member; objects in arrays are on lines of their own.
void Format(base::JsonValue value, std::size_t column, std::size_t columns, std::string* out) {
  constexpr std::size_t kEnd = 2;  // room for a comma and brackets
  const std::string line = OneLine(value);
  if (!IsAggregate(value) || column + line.size() + kEnd <= columns) {
    *out += line;
    return;
  }
  const bool is_object = value.Is(base::JsonKind::kObject);
  *out += is_object ? '{' : '[';
  const std::size_t indent = column + 1;
  std::size_t at = indent;
  bool is_first = true;
  for (const base::JsonValue part : value) {
    const std::string key = is_object ? JsonString(part.key()) + ": " : "";
    const std::string piece = key + OneLine(part);
    if (!is_first) {
      const bool breaks =
          (!is_object && IsAggregate(part)) || at + 2 + piece.size() + kEnd > columns;
      out->append(breaks ? ",\n" + std::string(indent, ' ') : ", ");
      at = breaks ? indent : at + 2;
    }
    is_first = false;
    const bool fits = at + piece.size() + kEnd <= columns;
    out->append(fits ? piece : key);
    if (!fits) Format(part, at + key.size(), columns, out);
    at = fits ? at + piece.size() : columns;
  }
  *out += is_object ? '}' : ']';
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string quoted;
  wire::AppendJsonString(text, &quoted);
  return quoted;
}

JsonObject& JsonObject::Add(std::string_view key, std::string_view json) {
  if (json.empty()) return *this;
  if (!members_.empty()) members_ += ',';
  members_.append("\"").append(key).append("\":").append(json);
  return *this;
}

JsonObject& JsonObject::AddText(std::string_view key, std::string_view text) {
  return Add(key, JsonString(text));
}

std::string JsonArray(std::span<const std::string> elements) {
  std::string text = "[";
  for (const std::string& element : elements) {
    if (text.size() > 1) text += ',';
    text += element;
  }
  return text + "]";
}

std::string JsonTexts(std::span<const std::string_view> texts) {
  std::string array = "[";
  for (const std::string_view text : texts) {
    if (array.size() > 1) array += ',';
    array += JsonString(text);
  }
  return array + "]";
}

std::string CompactJson(std::string_view json) {
  std::string compact;
  bool in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (in_string && c == '\n') {
      at = json.find_first_not_of(' ', at + 1) - 1;
      compact += ' ';
      continue;
    }
    if (!in_string && (c == ' ' || c == '\n')) continue;
    if (c == '"') in_string = !in_string;
    compact += c;
    if (in_string && c == '\\') compact += json[++at];
  }
  return compact;
}

std::string PrettyJson(std::string_view json, std::size_t columns) {
  base::JsonDocument document;
  const Status parsed = document.Parse(json);
  LAUREL_ASSERT(parsed.ok());
  std::string text;
  Format(document.root(), 0, columns, &text);
  return text;
}

}  // namespace laurel::http
