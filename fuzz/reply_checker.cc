#include "fuzz/reply_checker.h"

#include <algorithm>

#include "base/integer.h"
#include "laurel/score.h"

namespace laurel::fuzz {
namespace {

constexpr int kMaxDepth = 16;  // COMMAND DOCS goes deepest
constexpr std::string_view kLineEnd = "\r\n";

class Reader {
 public:
  Reader(std::string_view bytes, wire::Protocol protocol)
      : bytes_(bytes), resp3_(protocol == wire::Protocol::kResp3) {}

  // Reads one value; false after a problem.
  bool Value(int depth, CheckedReply* reply) {
    if (depth > kMaxDepth) return Fail("too deep");
    if (at_ == bytes_.size()) return Fail("it ends too early");
    const char type = bytes_[at_++];
    reply->type = type;
    switch (type) {
      case '+':
      case '-':
        return Text(type);
      case ':': {
        std::int64_t ignored = 0;
        return Number(&ignored);
      }
      case '$':
      case '=':
        return String(type, reply);
      case '*':
        return Aggregate(1, depth, reply);
      default:
        return resp3_ ? Resp3Value(type, depth, reply) : Fail("a type that RESP2 does not have");
    }
  }

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  bool Fail(std::string_view problem) {
    problem_ = std::string(problem) + " at byte " + std::to_string(at_);
    return false;
  }

  bool Line(std::string_view* line) {
    const std::size_t end = bytes_.find_first_of(kLineEnd, at_);
    if (end == std::string_view::npos || bytes_.substr(end, 2) != kLineEnd) {
      return Fail("a line without CR LF");
    }
    *line = bytes_.substr(at_, end - at_);
    at_ = end + 2;
    return true;
  }

  bool Text(char type) {
    std::string_view line;
    if (!Line(&line)) return false;
    if (type == '+') return true;
    const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const auto end = std::find_if_not(line.begin(), line.end(), capital);
    return (end != line.begin() && end != line.end() && *end == ' ') || Fail("an error's code");
  }

  bool Number(std::int64_t* number) {
    std::string_view line;
    if (!Line(&line)) return false;
    return (base::ParseInteger(line, number) && std::to_string(*number) == line) ||
           Fail("not a number");
  }

  bool String(char type, CheckedReply* reply) {
    if (type == '=' && !resp3_) return Fail("a verbatim string in RESP2");
    std::int64_t length = 0;
    if (!Number(&length)) return false;
    if (length == -1 && type == '$' && !resp3_) {
      reply->null = true;
      return true;
    }
    if (length < 0 || static_cast<std::uint64_t>(length) > bytes_.size() - at_) {
      return Fail("a string's length");
    }
    const std::string_view text = bytes_.substr(at_, static_cast<std::size_t>(length));
    if (type == '=' && !text.starts_with("txt:")) return Fail("a verbatim string's format");
    at_ += text.size();
    if (bytes_.substr(at_, 2) != kLineEnd) return Fail("a string's end");
    at_ += 2;
    return true;
  }

  bool Aggregate(std::int64_t values_each, int depth, CheckedReply* reply) {
    std::int64_t count = 0;
    if (!Number(&count)) return false;
    if (count == -1 && reply->type == '*' && !resp3_) {
      reply->null = true;
      return true;
    }
    // The shortest value is three bytes long.
    if (count < 0 || static_cast<std::uint64_t>(count) > (bytes_.size() - at_) / 3) {
      return Fail("an aggregate's size");
    }
    reply->elements = count * values_each;
    for (std::int64_t i = 0; i < reply->elements; ++i) {
      CheckedReply element;
      if (!Value(depth + 1, &element)) return false;
    }
    return true;
  }

  bool Resp3Value(char type, int depth, CheckedReply* reply) {
    std::string_view line;
    switch (type) {
      case '_':
        reply->null = true;
        return Line(&line) && (line.empty() || Fail("a null with text"));
      case '#':
        return Line(&line) && (line == "t" || line == "f" || Fail("not a truth value"));
      case ',':
        return Line(&line) && (ParseDouble(line).ok() || Fail("not a double"));
      case '%':
        return Aggregate(2, depth, reply);
      case '~':
        return Aggregate(1, depth, reply);
      default:
        return Fail("a type that no reply has");
    }
  }

  std::string_view bytes_;
  bool resp3_;
  std::size_t at_ = 0;
  std::string problem_;
};

}  // namespace

CheckedReply CheckReply(std::string_view bytes, wire::Protocol protocol) {
  Reader reader(bytes, protocol);
  CheckedReply reply;
  if (reader.Value(0, &reply)) {
    reply.bytes = reader.at();
  } else {
    reply.problem = reader.problem();
  }
  return reply;
}

}  // namespace laurel::fuzz
