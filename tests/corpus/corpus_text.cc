#include "tests/corpus/corpus_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>

namespace laurel::corpus {
namespace {

constexpr std::size_t kMostColumns = 110;
constexpr std::size_t kLongRun = 32;
constexpr std::size_t kSmall = 40;  // columns; aggregates up to this size share a line with others
constexpr std::string_view kPlainPunctuation = "_.,:;-+*@#$%&/()[]{}<>=!?~^|'`";

bool IsPlain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kPlainPunctuation.find(c) != std::string_view::npos;
}

std::string Escaped(char c) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') return {'\\', c};
  if (c == '\r') return "\\r";
  if (c == '\n') return "\\n";
  if (byte >= 0x20 && byte != 0x7f) return {c};  // UTF-8 stays readable
  return {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of(text[at], at), text.size());
    if (end - at >= kLongRun && IsPlain(text[at])) {
      quoted += "\\(" + std::to_string(end - at) + text[at] + ")";
      at = end;
    } else {
      quoted += Escaped(text[at++]);
    }
  }
  return quoted + '"';
}

[[noreturn]] void Refuse(std::string_view line) {
  throw std::runtime_error("a broken word in: " + std::string(line));
}

// Reads the escape at *at, after its backslash, and moves *at past it.
std::string Unescape(std::string_view line, std::size_t* at) {
  if (*at >= line.size()) Refuse(line);
  const char kind = line[(*at)++];
  if (kind == 'r') return "\r";
  if (kind == 'n') return "\n";
  if (kind == '"' || kind == '\\') return {kind};
  const char* end = line.data() + line.size();
  if (kind == 'x') {
    std::uint8_t byte = 0;
    const char* begin = line.data() + *at;
    if (end - begin < 2 || std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) {
      Refuse(line);
    }
    *at += 2;
    return {static_cast<char>(byte)};
  }
  std::size_t count = 0;
  const auto [digits_end, error] = std::from_chars(line.data() + *at, end, count);
  if (kind != '(' || error != std::errc() || end - digits_end < 2 || digits_end[1] != ')') {
    Refuse(line);
  }
  *at = static_cast<std::size_t>(digits_end - line.data()) + 2;
  return std::string(count, *digits_end);
}

// A reply as a tree of texts.
struct Node {
  std::string open;  // "[", "{", …; empty for a scalar
  std::string text;  // of a scalar, or the closing bracket
  std::vector<Node> parts;

  [[nodiscard]] std::string OneLine() const {
    if (open.empty()) return text;
    std::string line = open;
    for (const Node& part : parts) line += (&part == parts.data() ? "" : " ") + part.OneLine();
    return line + text;
  }
};

class ReplyReader {
 public:
  ReplyReader(std::string_view bytes, const ReplyStyle& style) : rest_(bytes), style_(style) {}

  // None if the bytes are not a reply, or not in canonical form.
  std::optional<Node> Read(bool nested) {
    const std::size_t end = rest_.find("\r\n");
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const char type = rest_[0];
    const std::string line(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 2);
    if (line == "-1" && (type == '$' || type == '*'))
      return Node{"", std::string(1, type) + line, {}};
    switch (type) {
      case '$':
      case '=':
        return ReadBytes(type, line);
      case '*':
      case '%':
      case '~':
      case '>':
        return ReadParts(type, line);
      case '-':
      case '+':
        return Node{"", type + (nested ? Quoted(line) : line), {}};
      case ':':
      case ',':
      case '#':
      case '(':
        return Node{"", type + (style_.values ? line : "?"), {}};
      case '_':
        if (!line.empty()) return std::nullopt;
        return Node{"", "_", {}};
      default:
        return std::nullopt;
    }
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  static std::optional<std::size_t> CountOf(const std::string& line) {
    std::size_t count = 0;
    const char* end = line.data() + line.size();
    if (std::from_chars(line.data(), end, count).ptr != end) return std::nullopt;
    if (std::to_string(count) != line) return std::nullopt;
    return count;
  }

  std::optional<Node> ReadBytes(char type, const std::string& line) {
    const std::optional<std::size_t> size = CountOf(line);
    if (!size || rest_.size() < *size + 2 || rest_.substr(*size, 2) != "\r\n") return std::nullopt;
    const std::string bytes(rest_.substr(0, *size));
    rest_.remove_prefix(*size + 2);
    const std::string shown = Quoted(style_.values ? style_.bulk(bytes) : "?");
    return Node{"", type == '$' ? shown : "=" + shown, {}};
  }

  std::optional<Node> ReadParts(char type, const std::string& line) {
    const std::optional<std::size_t> count = CountOf(line);
    if (!count) return std::nullopt;
    Node node;
    node.open = type == '*' ? "[" : type == '%' ? "{" : std::string(1, type) + "[";
    node.text = type == '%' ? "}" : "]";
    for (std::size_t left = type == '%' ? *count * 2 : *count; left > 0; --left) {
      std::optional<Node> part = Read(true);
      if (!part) return std::nullopt;
      const bool is_memory = !node.parts.empty() && node.parts.back().text == "\"bytes\"";
      if (is_memory && part->text.starts_with(':')) part->text = ":?";
      node.parts.push_back(std::move(*part));
    }
    return node;
  }

  std::string_view rest_;
  const ReplyStyle& style_;
};

bool IsSmall(const Node& node) {
  if (node.open.empty()) return true;
  const bool flat = std::all_of(node.parts.begin(), node.parts.end(),
                                [](const Node& part) { return part.open.empty(); });
  return flat && node.OneLine().size() <= kSmall;
}

// Small elements of an aggregate share lines; others get lines of their own.
void AddLines(const Node& node, const std::string& indent, std::vector<std::string>* lines) {
  const std::string whole = node.OneLine();
  if (node.open.empty() || indent.size() + whole.size() <= kMostColumns) {
    lines->push_back(indent + whole);
    return;
  }
  lines->push_back(indent + node.open);
  bool joins = false;  // the last line may take another element
  for (const Node& part : node.parts) {
    const std::string text = part.OneLine();
    if (joins && IsSmall(part) && lines->back().size() + text.size() < kMostColumns) {
      lines->back() += " " + text;
      continue;
    }
    AddLines(part, indent + "  ", lines);
    joins = IsSmall(part);
  }
  lines->push_back(indent + node.text);
}

}  // namespace

Words ParseWords(std::string_view line) {
  Words words;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ') {
      ++at;
    } else if (line[at] != '"') {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      words.emplace_back(line.substr(at, end - at));
      at = end;
    } else {
      std::string& word = words.emplace_back();
      for (++at; at < line.size() && line[at] != '"';) {
        const char c = line[at++];
        c == '\\' ? word += Unescape(line, &at) : word += c;
      }
      if (at++ >= line.size()) Refuse(line);
    }
  }
  return words;
}

std::string WordsText(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    bool plain = !word.empty() && word.size() < 2 * kLongRun;
    for (const char c : word) plain = plain && IsPlain(c);
    if (!text.empty()) text += ' ';
    // A line that begins with '#' or '@' is not a request.
    if (text.empty() && (word.starts_with('#') || word.starts_with('@'))) plain = false;
    text += plain ? word : Quoted(word);
  }
  return text;
}

std::vector<std::string> ReplyLines(std::string_view bytes, const ReplyStyle& style) {
  ReplyReader reader(bytes, style);
  const std::optional<Node> node = reader.Read(false);
  if (!node || !reader.at_end()) return {"raw " + Quoted(bytes)};
  std::vector<std::string> lines;
  AddLines(*node, "", &lines);
  return lines;
}

}  // namespace laurel::corpus
