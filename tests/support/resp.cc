#include "tests/support/resp.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace laurel::resp {
namespace {

constexpr std::size_t kMaxDepth = 16;  // COMMAND DOCS goes deepest
constexpr std::int64_t kMaxLength = std::int64_t{1} << 40;
constexpr std::string_view kLineEnd = "\r\n";

// Parses a number; none unless it is in its shortest form.
std::optional<std::int64_t> IntegerOf(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || std::to_string(number) != text) return std::nullopt;
  return number;
}

// The number after the type byte of a string or an aggregate: -1 or more.
std::optional<std::int64_t> LengthOf(std::string_view line) {
  const std::optional<std::int64_t> length = IntegerOf(line);
  return length && *length >= -1 && *length <= kMaxLength ? length : std::nullopt;
}

bool IsDouble(std::string_view text) {
  if (text == "inf" || text == "-inf" || text == "nan") return true;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsBigNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Whether the line is valid for the simple type.
bool IsTextOf(char type, std::string_view line) {
  switch (type) {
    case ':':
      return IntegerOf(line).has_value();
    case ',':
      return IsDouble(line);
    case '(':
      return IsBigNumber(line);
    case '#':
      return line == "t" || line == "f";
    case '_':
      return line.empty();
    default:
      return true;
  }
}

bool BeginsWithACode(std::string_view error) {
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto end = std::find_if_not(error.begin(), error.end(), capital);
  return end != error.begin() && end != error.end() && *end == ' ';
}

std::string Listed(const std::vector<Value>& elements) {
  std::string text;
  for (const Value& element : elements) {
    if (!text.empty()) text += ", ";
    text += element.ToString();
  }
  return text;
}

std::string Paired(const std::vector<Value>& elements) {
  std::string text;
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    text += (text.empty() ? "" : ", ") + elements[i].ToString() + ": " + elements[i + 1].ToString();
  }
  return text;
}

}  // namespace

std::int64_t Value::Integer() const {
  const std::optional<std::int64_t> number = IntegerOf(text);
  if (type != ':' || !number) throw std::runtime_error("not an integer reply: " + ToString());
  return *number;
}

const Value* Value::Find(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    if (elements[i].text == name) return &elements[i + 1];
  }
  return nullptr;
}

std::string Value::ToString() const {
  if (null) return type == '*' ? "nil-array" : "nil";
  switch (type) {
    case ':':
      return text;
    case '$':
      return Quoted(text);
    case '=':
    case '!':
      return type + Quoted(text);
    case '*':
      return "[" + Listed(elements) + "]";
    case '~':
    case '>':
      return type + ("[" + Listed(elements) + "]");
    case '%':
      return "{" + Paired(elements) + "}";
    default:
      return type + text;
  }
}

std::string Value::Plain() const {
  if (null) return "nil";
  if (IsError()) return "-" + text;
  if (!IsAggregate()) return text;
  std::string all;
  const bool map = type == '%';
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) all += map && i % 2 == 1 ? '=' : ' ';
    all += elements[i].Plain();
  }
  return (map ? "{" : "[") + all + (map ? "}" : "]");
}

std::string Quoted(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\r') {
      text += "\\r";
    } else if (byte < 0x20 || byte > 0x7e) {
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      text += c;
    }
  }
  return text + "\"";
}

std::string Quoted(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    bool plain = !word.empty();
    for (const char c : word) plain = plain && c > ' ' && c <= '~' && c != '"' && c != '\\';
    text += (text.empty() ? "" : " ") + (plain ? word : Quoted(std::string_view(word)));
  }
  return text;
}

Words Split(std::string_view line) {
  std::istringstream stream{std::string(line)};
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string Encoded(const Words& command) {
  std::string bytes = "*" + std::to_string(command.size()) + "\r\n";
  for (const std::string& word : command) {
    bytes += "$" + std::to_string(word.size()) + "\r\n";
    bytes += word;
    bytes += "\r\n";
  }
  return bytes;
}

Parser::State Parser::Parse(std::string_view bytes) {
  while (!whole_) {
    if (const State state = Step(bytes); state != State::kWhole) return state;
  }
  return State::kWhole;
}

bool Parser::ParseOrThrow(std::string_view bytes) {
  const State state = Parse(bytes);
  if (state == State::kMalformed) {
    throw std::runtime_error("no RESP reply: " + problem_ + ": " +
                             Quoted(bytes.substr(position_, 120)));
  }
  return state == State::kWhole;
}

Value Parser::Take() {
  Value value = std::move(whole_).value();
  *this = Parser();
  return value;
}

// Reads one line and, for a string, its bytes. Returns kWhole if all of it was there.
Parser::State Parser::Step(std::string_view bytes) {
  if (position_ == bytes.size()) return State::kIncomplete;
  const std::size_t end = bytes.find_first_of(kLineEnd, position_);
  if (end == std::string_view::npos || bytes.substr(end) == "\r") return State::kIncomplete;
  if (bytes.substr(end, 2) != kLineEnd) return Fail("a line without CR LF");
  Value value;
  value.type = bytes[position_];
  const std::string_view line =
      end == position_ ? "" : bytes.substr(position_ + 1, end - position_ - 1);
  const std::size_t next = end + kLineEnd.size();
  State state = State::kWhole;
  switch (value.type) {
    case '+':
    case '-':
    case ':':
    case ',':
    case '(':
    case '#':
    case '_':
      state = Text(line, std::move(value));
      break;
    case '$':
    case '!':
    case '=':
      return String(bytes, line, next, std::move(value));
    case '*':
    case '~':
    case '>':
    case '%':
    case '|':
      state = Elements(line, std::move(value));
      break;
    default:
      return Fail("no type");
  }
  if (state == State::kWhole) position_ = next;
  return state;
}

Parser::State Parser::Text(std::string_view line, Value value) {
  if (!IsTextOf(value.type, line)) return Fail("not of its type");
  value.null = value.type == '_';
  value.text = line;
  Finish(std::move(value));
  return State::kWhole;
}

Parser::State Parser::String(std::string_view bytes, std::string_view line, std::size_t begin,
                             Value value) {
  const std::optional<std::int64_t> length = LengthOf(line);
  if (!length || (*length < 0 && value.type != '$')) return Fail("a string's length");
  value.null = *length < 0;
  if (!value.null) {
    const auto count = static_cast<std::size_t>(*length);
    if (bytes.size() - begin < count + kLineEnd.size()) return State::kIncomplete;
    value.text = bytes.substr(begin, count);
    begin += count;
    if (bytes.substr(begin, kLineEnd.size()) != kLineEnd) return Fail("a string's end");
    begin += kLineEnd.size();
  }
  position_ = begin;
  Finish(std::move(value));
  return State::kWhole;
}

Parser::State Parser::Elements(std::string_view line, Value value) {
  const std::optional<std::int64_t> count = LengthOf(line);
  if (!count || (*count < 0 && value.type != '*')) return Fail("an aggregate's size");
  const bool attribute = value.type == '|';
  const bool pairs = attribute || value.type == '%';
  value.null = *count < 0;
  if (*count > 0) {
    if (levels_.size() == kMaxDepth) return Fail("too deep");
    const auto left = static_cast<std::uint64_t>(*count) * (pairs ? 2 : 1);
    levels_.push_back({std::move(value), left, attribute});
  } else if (!attribute) {
    Finish(std::move(value));
  }
  return State::kWhole;
}

void Parser::Finish(Value value) {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    level.value.elements.push_back(std::move(value));
    if (--level.left > 0) return;
    value = std::move(level.value);
    const bool attribute = level.attribute;
    levels_.pop_back();
    if (attribute) return;  // the value that it belongs to is still to come
  }
  whole_ = std::move(value);
}

Parser::State Parser::Fail(std::string_view problem) {
  problem_ = std::string(problem) + " at byte " + std::to_string(position_);
  return State::kMalformed;
}

std::optional<Value> ParseReply(std::string_view bytes, std::size_t* consumed) {
  Parser parser;
  if (!parser.ParseOrThrow(bytes)) return std::nullopt;
  *consumed = parser.position();
  return parser.Take();
}

std::vector<Value> ParseReplies(std::string_view bytes) {
  std::vector<Value> replies;
  while (!bytes.empty()) {
    std::size_t consumed = 0;
    std::optional<Value> reply = ParseReply(bytes, &consumed);
    if (!reply) throw std::runtime_error("no whole RESP reply: " + Quoted(bytes.substr(0, 120)));
    replies.push_back(std::move(*reply));
    bytes.remove_prefix(consumed);
  }
  return replies;
}

std::string ProblemOf(const Value& value, int protocol) {
  constexpr std::string_view kResp2Types = "+-:$*";
  constexpr std::string_view kResp3Types = "+-:$*=_#,%~";
  const std::string_view types = protocol == 3 ? kResp3Types : kResp2Types;
  if (types.find(value.type) == std::string_view::npos) {
    return std::string("a type that the protocol does not have: ") + value.type;
  }
  if (protocol == 3 && value.null && value.type != '_') return "a null of RESP2";
  if (value.type == '-' && !BeginsWithACode(value.text)) return "an error without a code";
  if (value.type == ',' && value.text == "nan") return "a double that is no number";
  if (value.type == '=' && !value.text.starts_with("txt:")) return "a verbatim string's format";
  for (const Value& element : value.elements) {
    if (std::string problem = ProblemOf(element, protocol); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace laurel::resp
