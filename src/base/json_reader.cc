#include "base/json_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "base/utf8.h"

namespace laurel::base {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// Up to this many keys, comparing all pairs is faster than sorting.
constexpr std::uint32_t kFewKeys = 12;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The characters at which a string's plain contents end.
constexpr std::array<bool, 256> kEndsPlainText = [] {
  std::array<bool, 256> ends{};
  for (std::size_t c = 0; c < 0x20; ++c) ends[c] = true;
  ends['"'] = ends['\\'] = true;
  return ends;
}();

// The character that a one-letter escape stands for.
std::optional<char> ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string_view JsonKindName(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "a boolean";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      break;
  }
  return "an object";
}

std::string_view JsonValue::json() const {
  LAUREL_ASSERT(Is(JsonKind::kArray) || Is(JsonKind::kObject));
  return node_->text;
}

std::string_view JsonValue::text() const {
  LAUREL_ASSERT(Is(JsonKind::kString) || Is(JsonKind::kNumber));
  return node_->text;
}

bool JsonValue::boolean() const {
  LAUREL_ASSERT(Is(JsonKind::kBool));
  return node_->size != 0;
}

std::size_t JsonValue::size() const {
  LAUREL_ASSERT(Is(JsonKind::kArray) || Is(JsonKind::kObject));
  return node_->size;
}

// Recursive descent; the depth is bounded by kMaxJsonDepth. Functions return false after an error.
class JsonDocument::Parser {
 public:
  Parser(std::string_view text, JsonDocument* document)
      : text_(text),
        nodes_(document->nodes_),
        unescaped_(document->unescaped_),
        keys_(document->keys_) {}

  bool Run() {
    nodes_.clear();
    unescaped_.clear();
    if (text_.starts_with(kByteOrderMark)) return Fail(0, "a byte order mark");
    const std::size_t valid = base::Utf8PrefixBytes(text_);
    if (valid < text_.size()) return Fail(valid, "not UTF-8");
    SkipBlanks();
    if (!Value({}, at_)) return false;
    SkipBlanks();
    return at_ == text_.size() || Fail(at_, "more after the value");
  }

  [[nodiscard]] Error TakeError() { return Error{ErrorCode::kErr, std::move(error_)}; }

 private:
  bool Fail(std::size_t offset, std::string_view problem) {
    error_ = "invalid JSON at byte " + std::to_string(offset) + ": ";
    error_ += problem;
    return false;
  }

  // At a character that is not what the grammar needs, or at the end of the text.
  bool Unexpected(std::string_view expected) {
    std::string problem = at_ == text_.size() ? "the text ends, expected " : "expected ";
    return Fail(at_, problem.append(expected));
  }

  [[nodiscard]] bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool Skip(char c) {
    if (!At(c)) return false;
    ++at_;
    return true;
  }

  void SkipBlanks() {
    while (At(' ') || At('\n') || At('\r') || At('\t')) ++at_;
  }

  // Appends the node of the value at at_ and those inside it.
  bool Value(std::string_view key, std::size_t offset) {
    if (nodes_.size() == kMaxJsonValues) {
      return Fail(at_, "more than " + std::to_string(kMaxJsonValues) + " values");
    }
    JsonNode& node = nodes_.emplace_back();
    node.key = key;
    node.offset = offset;
    node.nodes = 1;
    if (at_ == text_.size()) return Unexpected("a value");
    switch (text_[at_]) {
      case '"':
        node.kind = JsonKind::kString;
        return String(&node.text);
      case '{':
        return Container(JsonKind::kObject, '}');
      case '[':
        return Container(JsonKind::kArray, ']');
      case 't':
        node.size = 1;
        return Word("true", JsonKind::kBool);
      case 'f':
        return Word("false", JsonKind::kBool);
      case 'n':
        return Word("null", JsonKind::kNull);
      default:
        node.kind = JsonKind::kNumber;
        return Number(&node.text);
    }
  }

  bool Word(std::string_view word, JsonKind kind) {
    if (!text_.substr(at_).starts_with(word)) return Unexpected("a value");
    at_ += word.size();
    nodes_.back().kind = kind;
    return true;
  }

  bool Digits() {
    if (at_ == text_.size() || !IsDigit(text_[at_])) return Unexpected("a digit");
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return true;
  }

  bool Number(std::string_view* number) {
    const std::size_t begin = at_;
    if (!At('-') && !IsDigit(text_[at_])) return Unexpected("a value");
    Skip('-');
    if (Skip('0')) {
      if (at_ < text_.size() && IsDigit(text_[at_])) return Fail(at_, "a digit after a leading 0");
    } else if (!Digits()) {
      return false;
    }
    if (Skip('.') && !Digits()) return false;
    if (Skip('e') || Skip('E')) {
      if (!Skip('+')) Skip('-');
      if (!Digits()) return false;
    }
    *number = text_.substr(begin, at_ - begin);
    if (number->size() <= kMaxJsonNumberBytes) return true;
    return Fail(begin,
                "a number of more than " + std::to_string(kMaxJsonNumberBytes) + " characters");
  }

  // Parses the string at at_, which is a quote.
  bool String(std::string_view* string) {
    const std::size_t begin = ++at_;
    SkipPlainText();
    if (At('"')) {
      *string = text_.substr(begin, at_++ - begin);
      return true;
    }
    // Unescaped text is never longer than the escaped one, so this buffer never moves.
    unescaped_.reserve(text_.size());
    const std::size_t first = unescaped_.size();
    for (std::size_t plain = begin;; plain = at_, SkipPlainText()) {
      unescaped_.append(text_, plain, at_ - plain);
      if (Skip('"')) break;
      if (at_ == text_.size()) return Unexpected("the end of a string");
      if (!At('\\')) return Fail(at_, "a control character in a string");
      if (!Escape()) return false;
    }
    *string = std::string_view(unescaped_).substr(first);
    return true;
  }

  void SkipPlainText() {
    while (at_ < text_.size() && !kEndsPlainText[static_cast<unsigned char>(text_[at_])]) ++at_;
  }

  // Appends the character of the escape at at_, which is a backslash.
  bool Escape() {
    const std::size_t begin = at_++;
    if (at_ == text_.size()) return Unexpected("an escape");
    if (!Skip('u')) {
      const std::optional<char> character = ShortEscape(text_[at_]);
      if (!character) return Fail(begin, "an unknown escape");
      unescaped_.push_back(*character);
      ++at_;
      return true;
    }
    std::uint32_t code = 0;
    if (!FourDigits(&code)) return false;
    if (code >= 0xdc00 && code <= 0xdfff) return Fail(begin, "half of a surrogate pair");
    if (code >= 0xd800 && code <= 0xdbff) {
      std::uint32_t low = 0;
      if (!Skip('\\') || !Skip('u')) return Fail(begin, "half of a surrogate pair");
      if (!FourDigits(&low)) return false;
      if (low < 0xdc00 || low > 0xdfff) return Fail(begin, "half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    base::AppendUtf8(code, &unescaped_);
    return true;
  }

  bool FourDigits(std::uint32_t* code) {
    for (int i = 0; i < 4; ++i, ++at_) {
      const int digit = at_ < text_.size() ? base::HexValue(text_[at_]) : -1;
      if (digit < 0) return Unexpected("four hexadecimal digits");
      *code = *code << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  // Parses the array or object at at_, whose node is the last one.
  bool Container(JsonKind kind, char closing) {
    if (depth_ == kMaxJsonDepth) {
      return Fail(at_, "more than " + std::to_string(kMaxJsonDepth) + " levels");
    }
    ++depth_;
    const std::size_t begin = at_++;
    const std::size_t index = nodes_.size() - 1;
    std::uint32_t size = 0;
    SkipBlanks();
    if (!Skip(closing)) {
      for (;;) {
        if (!(kind == JsonKind::kObject ? Member() : Value({}, at_))) return false;
        ++size;
        SkipBlanks();
        if (Skip(closing)) break;
        if (!Skip(',')) return Unexpected(closing == ']' ? "',' or ']'" : "',' or '}'");
        SkipBlanks();
      }
    }
    --depth_;
    JsonNode& node = nodes_[index];
    node.kind = kind;
    node.text = text_.substr(begin, at_ - begin);
    node.size = size;
    node.nodes = static_cast<std::uint32_t>(nodes_.size() - index);
    return kind == JsonKind::kArray || CheckKeys(node);
  }

  bool Member() {
    const std::size_t offset = at_;
    std::string_view key;
    if (!At('"')) return Unexpected("a key in quotes");
    if (!String(&key)) return false;
    SkipBlanks();
    if (!Skip(':')) return Unexpected("':'");
    SkipBlanks();
    return Value(key, offset);
  }

  // Refuses an object that has a key twice.
  bool CheckKeys(const JsonNode& object) {
    const auto first = static_cast<std::uint32_t>(&object - nodes_.data()) + 1;
    const std::uint32_t end = first + object.nodes - 1;
    if (object.size > kFewKeys) return CheckManyKeys(first, end);
    for (std::uint32_t i = first; i < end; i += nodes_[i].nodes) {
      for (std::uint32_t before = first; before < i; before += nodes_[before].nodes) {
        if (nodes_[before].key == nodes_[i].key) return FailAtSecond(nodes_[i]);
      }
    }
    return true;
  }

  // Sorts the keys. A hash table would need a seed against keys that are chosen to collide.
  bool CheckManyKeys(std::uint32_t first, std::uint32_t end) {
    keys_.clear();
    for (std::uint32_t i = first; i < end; i += nodes_[i].nodes) keys_.push_back(i);
    std::sort(keys_.begin(), keys_.end(), [this](std::uint32_t a, std::uint32_t b) {
      const int order = nodes_[a].key.compare(nodes_[b].key);
      return order != 0 ? order < 0 : a < b;
    });
    const auto found = std::adjacent_find(
        keys_.begin(), keys_.end(),
        [this](std::uint32_t a, std::uint32_t b) { return nodes_[a].key == nodes_[b].key; });
    return found == keys_.end() || FailAtSecond(nodes_[*(found + 1)]);
  }

  bool FailAtSecond(const JsonNode& member) {
    return Fail(member.offset, "the key " + base::Quote(member.key) + " for the second time");
  }

  const std::string_view text_;
  std::vector<JsonNode>& nodes_;
  std::string& unescaped_;
  std::vector<std::uint32_t>& keys_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::string error_;
};

Status JsonDocument::Parse(std::string_view text) {
  Parser parser(text, this);
  if (parser.Run()) return Ok{};
  nodes_.clear();
  return parser.TakeError();
}

JsonValue JsonDocument::root() const {
  LAUREL_ASSERT(!nodes_.empty());
  return JsonValue(nodes_.data());
}

std::size_t JsonDocument::MemoryUsage() const {
  return nodes_.capacity() * sizeof(JsonNode) + unescaped_.capacity() +
         keys_.capacity() * sizeof(std::uint32_t);
}

void JsonDocument::ReleaseMemory() {
  // Assignments would keep the memory.
  static_cast<void>(std::exchange(nodes_, {}));
  static_cast<void>(std::exchange(unescaped_, {}));
  static_cast<void>(std::exchange(keys_, {}));
}

}  // namespace laurel::base
