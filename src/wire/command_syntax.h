// The syntax column of the command table as a tree. COMMAND DOCS shows it to clients, and a test
// compares it with the arity.
//
//   syntax      := item…
//   item        := choice | [ item… ] | [ item… "…" ]        optional; with "…" any number of times
//   choice      := word | word "|" word …                    one of these literal words
//   word        := WORD, a literal | word, a placeholder for a value
//
// In brackets a WORD before other items is their token: "[LIMIT offset count]". An optional
// repetition of the preceding items, as in "member [member …]", makes them repeatable.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::wire {

struct SyntaxNode {
  enum class Type { kValue, kKey, kInteger, kPattern, kPureToken, kOneOf, kBlock };

  std::string name;
  Type type = Type::kValue;
  std::string token;  // the literal before it, or its own literal; may be empty
  bool optional = false;
  bool multiple = false;
  std::vector<SyntaxNode> arguments;  // of kOneOf and kBlock

  bool operator==(const SyntaxNode&) const = default;
};

std::string_view TypeName(SyntaxNode::Type type);  // "string", "pure-token": as COMMAND DOCS says

// Parses the text. REQUIRES: it follows the grammar above.
std::vector<SyntaxNode> ParseSyntax(std::string_view syntax);

// Returns the words in capitals, which are the options of a command, in the order of its syntax.
std::vector<std::string> OptionWords(std::string_view syntax);

// The minimum number of arguments of the nodes, and whether there may be more.
struct SyntaxCount {
  std::size_t least = 0;
  bool open = false;
};
SyntaxCount CountOf(const std::vector<SyntaxNode>& nodes);

}  // namespace laurel::wire
