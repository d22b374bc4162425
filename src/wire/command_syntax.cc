#include "wire/command_syntax.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text.h"

namespace laurel::wire {
namespace {

using Type = SyntaxNode::Type;

constexpr std::string_view kEllipsis = "…";

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Type TypeOf(std::string_view word) {
  if (IsOneOf(word, {"key", "newkey", "source", "destination", "board"})) return Type::kKey;
  if (IsOneOf(word, {"pattern"})) return Type::kPattern;
  if (IsOneOf(word, {"numkeys", "count", "offset", "limit", "n", "m", "start", "stop", "first",
                     "last", "buckets", "seconds", "milliseconds", "client-id", "cursor",
                     "numreplicas", "protover", "index", "destination-db"})) {
    return Type::kInteger;
  }
  return Type::kValue;
}

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }

SyntaxNode PureToken(std::string_view word) {
  return {base::Lower(word), Type::kPureToken, std::string(word), false, false, {}};
}

SyntaxNode WordNode(std::string_view word) {
  if (IsCapital(word.front())) return PureToken(word);
  return {std::string(word), TypeOf(word), {}, false, false, {}};
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<SyntaxNode> Whole() {
    std::vector<SyntaxNode> nodes = Sequence();
    LAUREL_ASSERT(text_.empty());
    return nodes;
  }

 private:
  bool Skip(std::string_view prefix) {
    if (!text_.starts_with(prefix)) return false;
    text_.remove_prefix(prefix.size());
    return true;
  }

  // Parses up to the end of the text, or up to the "]" or "…" that ends a group.
  std::vector<SyntaxNode> Sequence() {
    std::vector<SyntaxNode> nodes;
    while (true) {
      while (Skip(" ")) continue;
      if (text_.empty() || text_.starts_with(']') || text_.starts_with(kEllipsis)) return nodes;
      if (Skip("[")) {
        Group(&nodes);
      } else {
        nodes.push_back(Choice());
      }
    }
  }

  std::string_view Word() {
    const std::size_t size = std::min(text_.find_first_of(" []|"), text_.size());
    LAUREL_ASSERT(size > 0);
    const std::string_view word = text_.substr(0, size);
    text_.remove_prefix(size);
    return word;
  }

  SyntaxNode Choice() {
    std::string_view word = Word();
    if (!text_.starts_with('|')) return WordNode(word);
    SyntaxNode choice = {"option", Type::kOneOf, {}, false, false, {PureToken(word)}};
    while (Skip("|")) choice.arguments.push_back(PureToken(Word()));
    return choice;
  }

  // Parses a group after its "[". Appends it to *nodes, or merges it with the last nodes if it is a
  // repetition of them.
  void Group(std::vector<SyntaxNode>* nodes) {
    std::vector<SyntaxNode> inner = Sequence();
    const bool repeats = Skip(kEllipsis);
    LAUREL_ASSERT(Skip("]") && !inner.empty());
    if (repeats && EndsWith(*nodes, inner)) {
      nodes->resize(nodes->size() - inner.size());
      SyntaxNode repeated = Together(std::move(inner));
      repeated.multiple = true;
      nodes->push_back(std::move(repeated));
      return;
    }
    SyntaxNode group = Together(std::move(inner));
    group.optional = true;
    group.multiple = group.multiple || repeats;
    nodes->push_back(std::move(group));
  }

  static bool EndsWith(const std::vector<SyntaxNode>& nodes, const std::vector<SyntaxNode>& tail) {
    return tail.size() <= nodes.size() && std::equal(tail.rbegin(), tail.rend(), nodes.rbegin());
  }

  // Combines a sequence into one node.
  static SyntaxNode Together(std::vector<SyntaxNode> nodes) {
    std::string token;
    if (nodes.size() > 1 && nodes.front().type == Type::kPureToken) {
      token = nodes.front().token;
      nodes.erase(nodes.begin());
    }
    SyntaxNode whole;
    // A single node takes the token only if it has no token of its own and is not optional.
    if (nodes.size() == 1 && (token.empty() || (nodes[0].token.empty() && !nodes[0].optional))) {
      whole = std::move(nodes[0]);
    } else {
      whole.name = nodes.front().name + "-block";
      whole.type = Type::kBlock;
      whole.arguments = std::move(nodes);
    }
    if (!token.empty()) {
      whole.token = token;
      if (whole.type == Type::kOneOf || whole.type == Type::kBlock) whole.name = base::Lower(token);
    }
    return whole;
  }

  std::string_view text_;
};

}  // namespace

std::string_view TypeName(SyntaxNode::Type type) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "string", "key", "integer", "pattern", "pure-token", "oneof", "block"};
  return kNames[static_cast<std::size_t>(type)];
}

std::vector<SyntaxNode> ParseSyntax(std::string_view syntax) { return Parser(syntax).Whole(); }

std::vector<std::string> OptionWords(std::string_view syntax) {
  std::vector<std::string> words;
  const auto collect = [&words](const auto& self, const std::vector<SyntaxNode>& nodes) -> void {
    for (const SyntaxNode& node : nodes) {
      if (!node.token.empty() && IsCapital(node.token.front())) words.push_back(node.token);
      self(self, node.arguments);
    }
  };
  collect(collect, ParseSyntax(syntax));
  return words;
}

SyntaxCount CountOf(const std::vector<SyntaxNode>& nodes) {
  SyntaxCount all;
  for (const SyntaxNode& node : nodes) {
    SyntaxCount count = {.least = 1, .open = false};
    if (node.type == Type::kBlock) count = CountOf(node.arguments);
    if (node.type != Type::kPureToken && !node.token.empty()) ++count.least;
    if (node.optional) {
      all.open = true;
    } else {
      all.least += count.least;
      all.open = all.open || count.open || node.multiple;
    }
  }
  return all;
}

}  // namespace laurel::wire
