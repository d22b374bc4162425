#include "server/differential/comparison.h"

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string_view>

namespace laurel::differential {
namespace {

using black_box::ParseReply;
using Why = std::optional<std::string>;

// The servers do not execute a command at the same moment. Times in a stream are far enough apart
// that the tolerance hides no error.
constexpr std::int64_t kToleranceSeconds = 5;

enum class Freedom {
  kNone,
  kScore,          // the reply is a score
  kScores,         // each element is a score
  kPairs,          // each second element is a score
  kPop,            // key, member, score
  kMultiplePop,    // key, pairs
  kSet,            // in any order
  kSeconds,        // a time
  kMilliseconds,   // a time
  kRandomMembers,  // ZRANDMEMBER
  kRandomKey,
};

std::string UpperCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

bool Has(const Arguments& command, std::string_view word) {
  for (const std::string& argument : command) {
    if (UpperCase(argument) == word) return true;
  }
  return false;
}

Freedom FreedomOf(const Arguments& command) {
  static const std::map<std::string, Freedom> table = {
      {"ZADD", Freedom::kScore},
      {"ZINCRBY", Freedom::kScore},
      {"ZSCORE", Freedom::kScore},
      {"ZMSCORE", Freedom::kScores},
      {"ZPOPMIN", Freedom::kPairs},
      {"ZPOPMAX", Freedom::kPairs},
      {"BZPOPMIN", Freedom::kPop},
      {"BZPOPMAX", Freedom::kPop},
      {"ZMPOP", Freedom::kMultiplePop},
      {"BZMPOP", Freedom::kMultiplePop},
      {"KEYS", Freedom::kSet},
      {"TTL", Freedom::kSeconds},
      {"EXPIRETIME", Freedom::kSeconds},
      {"PTTL", Freedom::kMilliseconds},
      {"PEXPIRETIME", Freedom::kMilliseconds},
      {"ZRANDMEMBER", Freedom::kRandomMembers},
      {"RANDOMKEY", Freedom::kRandomKey},
  };
  const auto found = table.find(UpperCase(command[0]));
  if (found != table.end()) return found->second;
  return Has(command, "WITHSCORES") ? Freedom::kPairs : Freedom::kNone;
}

Why Different(const Value& expected, const Value& actual) {
  return "expected " + expected.ToString() + ", got " + actual.ToString();
}

bool IsString(const Value& value) { return value.type == '$' && !value.null; }

using IsScore = std::function<bool(std::size_t index)>;

// Compares two reply trees. RESP3 doubles are compared by value everywhere, strings only where they
// are scores.
bool Same(const Value& expected, const Value& actual, bool is_score,
          const IsScore& element_is_score) {
  if (expected.type != actual.type || expected.null != actual.null) return false;
  if (expected.type == ',' || (is_score && IsString(expected))) {
    return SameNumber(expected.text, actual.text);
  }
  if (expected.text != actual.text || expected.elements.size() != actual.elements.size()) {
    return false;
  }
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    const bool score = element_is_score && element_is_score(i);
    if (!Same(expected.elements[i], actual.elements[i], score, nullptr)) return false;
  }
  return true;
}

bool Same(const Value& expected, const Value& actual) {
  return Same(expected, actual, false, nullptr);
}

bool SameMultiplePop(const Value& expected, const Value& actual) {
  if (expected.elements.size() != 2 || actual.elements.size() != 2 || actual.type != '*') {
    return Same(expected, actual);
  }
  const std::vector<Value>& pairs = expected.elements[1].elements;
  const std::vector<Value>& others = actual.elements[1].elements;
  if (!Same(expected.elements[0], actual.elements[0]) || pairs.size() != others.size())
    return false;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!Same(pairs[i], others[i], false, [](std::size_t index) { return index == 1; })) {
      return false;
    }
  }
  return true;
}

bool SameTime(const Value& expected, const Value& actual, std::int64_t unit) {
  if (expected.type != ':' || actual.type != ':') return Same(expected, actual);
  if (expected.Integer() < 0 || actual.Integer() < 0) return Same(expected, actual);
  return std::llabs(expected.Integer() - actual.Integer()) <= kToleranceSeconds * unit;
}

// Maps member to score, for a reply with scores in either protocol.
std::map<std::string, std::string> Entries(const Value& reply) {
  std::map<std::string, std::string> entries;
  if (!reply.elements.empty() && reply.elements[0].IsAggregate()) {
    for (const Value& pair : reply.elements) {
      if (pair.elements.size() == 2) entries[pair.elements[0].text] = pair.elements[1].text;
    }
    return entries;
  }
  for (std::size_t i = 0; i + 1 < reply.elements.size(); i += 2) {
    entries[reply.elements[i].text] = reply.elements[i + 1].text;
  }
  return entries;
}

// Compares types and sizes, not texts: all that random choices have in common.
bool SameShape(const Value& expected, const Value& actual) {
  if (expected.IsError() || actual.IsError()) return Same(expected, actual);
  if (expected.type != actual.type || expected.null != actual.null ||
      expected.elements.size() != actual.elements.size()) {
    return false;
  }
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    if (!SameShape(expected.elements[i], actual.elements[i])) return false;
  }
  return true;
}

Why NotAmong(const std::string& member, const Value& board) {
  return "expected one of " + board.ToString() + ", got " + black_box::Quoted(member);
}

Why CompareRandomMembers(const Arguments& command, const Value& expected, const Value& actual,
                         const Value& board) {
  if (!SameShape(expected, actual)) return Different(expected, actual);
  if (!board.IsAggregate() || actual.IsError() || actual.IsNull()) return std::nullopt;
  const std::map<std::string, std::string> entries = Entries(board);
  if (!actual.IsAggregate()) {
    return entries.contains(actual.text) ? std::nullopt : NotAmong(actual.text, board);
  }
  const bool with_scores = command.size() == 4;
  const bool flat = with_scores && !actual.elements.empty() && !actual.elements[0].IsAggregate();
  std::set<std::string> seen;
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < actual.elements.size(); i += flat ? 2 : 1, ++chosen) {
    const Value& element = actual.elements[i];
    const Value& member = element.IsAggregate() ? element.elements[0] : element;
    const auto entry = entries.find(member.text);
    if (entry == entries.end()) return NotAmong(member.text, board);
    seen.insert(member.text);
    if (!with_scores) continue;
    const Value& score = flat ? actual.elements[i + 1] : element.elements[1];
    if (!SameNumber(score.text, entry->second)) return Different(board, actual);
  }
  const bool may_repeat = command[2][0] == '-';
  if (!may_repeat && seen.size() != chosen) {
    return "a member was chosen twice: " + actual.ToString();
  }
  return std::nullopt;
}

Why CompareRandomKey(const Value& expected, const Value& actual, const Value& keys) {
  if (!SameShape(expected, actual)) return Different(expected, actual);
  if (!keys.IsAggregate() || actual.IsNull()) return std::nullopt;
  for (const Value& key : keys.elements) {
    if (key.text == actual.text) return std::nullopt;
  }
  return NotAmong(actual.text, keys);
}

// `previous` is the parsed reply to the command before.
Why CompareParsed(const Arguments& command, const Value& expected, const Value& actual,
                  const Value& previous) {
  bool same = false;
  switch (FreedomOf(command)) {
    case Freedom::kNone:
      same = Same(expected, actual);
      break;
    case Freedom::kScore:
      same = Same(expected, actual, true, nullptr);
      break;
    case Freedom::kScores:
      same = Same(expected, actual, false, [](std::size_t) { return true; });
      break;
    case Freedom::kPairs:
      same = Same(expected, actual, false, [](std::size_t index) { return index % 2 == 1; });
      break;
    case Freedom::kPop:
      same = Same(expected, actual, false, [](std::size_t index) { return index == 2; });
      break;
    case Freedom::kMultiplePop:
      same = SameMultiplePop(expected, actual);
      break;
    case Freedom::kSet:
      if (expected.type != actual.type) return Different(expected, actual);
      if (!expected.IsAggregate())
        return Same(expected, actual) ? Why() : Different(expected, actual);
      if (expected.elements.size() != actual.elements.size()) return Different(expected, actual);
      return CompareAsSets(expected.elements, actual.elements, false);
    case Freedom::kSeconds:
      same = SameTime(expected, actual, 1);
      break;
    case Freedom::kMilliseconds:
      same = SameTime(expected, actual, 1000);
      break;
    case Freedom::kRandomMembers:
      return CompareRandomMembers(command, expected, actual, previous);
    case Freedom::kRandomKey:
      return CompareRandomKey(expected, actual, previous);
  }
  return same ? Why() : Different(expected, actual);
}

Value Parsed(const std::string& raw) {
  std::size_t consumed = 0;
  return ParseReply(raw, &consumed).value_or(Value{});
}

}  // namespace

bool SameNumber(const std::string& a, const std::string& b) {
  if (a == b) return true;
  if (a.empty() || b.empty()) return false;
  char* end_a = nullptr;
  char* end_b = nullptr;
  const double number_a = std::strtod(a.c_str(), &end_a);
  const double number_b = std::strtod(b.c_str(), &end_b);
  return *end_a == '\0' && *end_b == '\0' && number_a == number_b;
}

Why CompareAsSets(const std::vector<Value>& expected, const std::vector<Value>& actual,
                  bool pairs) {
  const std::size_t stride = pairs ? 2 : 1;
  const auto collect = [&](const std::vector<Value>& elements) {
    std::map<std::string, std::string> named;
    for (std::size_t i = 0; i + stride <= elements.size(); i += stride) {
      named[elements[i].text] = pairs ? elements[i + 1].text : "";
    }
    return named;
  };
  const auto first = collect(expected);
  const auto second = collect(actual);
  for (const auto& [name, score] : first) {
    const auto found = second.find(name);
    if (found == second.end()) return "missing: " + black_box::Quoted(name);
    if (pairs && !SameNumber(found->second, score)) {
      return black_box::Quoted(name) + " has " + found->second + ", expected " + score;
    }
  }
  for (const auto& [name, score] : second) {
    if (!first.contains(name)) return "not expected: " + black_box::Quoted(name);
  }
  return std::nullopt;
}

Why ReplyComparison::CompareExec(const Value& expected, const Value& actual) const {
  if (expected.type != '*' || actual.type != '*' || expected.null || actual.null ||
      expected.elements.size() != actual.elements.size() ||
      expected.elements.size() != queued_.size()) {
    return Same(expected, actual) ? Why() : Different(expected, actual);
  }
  Value previous;
  for (std::size_t i = 0; i < queued_.size(); ++i) {
    const Value& one = expected.elements[i];
    if (Why why = CompareParsed(queued_[i], one, actual.elements[i], previous)) {
      return "in EXEC, " + black_box::Quoted(queued_[i]) + ": " + *why;
    }
    previous = one;
  }
  return std::nullopt;
}

Why ReplyComparison::Compare(const Arguments& command, const std::string& expected,
                             const std::string& actual) {
  const std::string name = UpperCase(command[0]);
  Why why;
  if (expected != actual) {
    why = name == "EXEC"
              ? CompareExec(Parsed(expected), Parsed(actual))
              : CompareParsed(command, Parsed(expected), Parsed(actual), Parsed(previous_));
  }
  previous_ = expected;
  if (expected == "+QUEUED\r\n") queued_.push_back(command);
  // EXEC ends the transaction even if it is refused for its arguments.
  if (name == "EXEC" || (name == "DISCARD" && command.size() == 1)) queued_.clear();
  return why;
}

}  // namespace laurel::differential
