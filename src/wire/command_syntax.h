// The syntax column of the command table as a tree: COMMAND DOCS tells it to clients, and a test
// holds it against the arity.
//
//   syntax      := item…
//   item        := choice | [ choice… ] | [ choice… … ]      optional; with "…" any number of times
//   choice      := word | word "|" word …                    one of them
//   word        := WORD, said as it is | word, a value in its place
//
// In brackets a WORD before something is the token of what follows: "[LIMIT offset count]". An
// optional repetition of what stands before it, as in "member [member …]", makes that repeatable.
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
  std::string token;  // the word said before it, or the word that it is; or empty
  bool optional = false;
  bool multiple = false;
  std::vector<SyntaxNode> arguments;  // of kOneOf and kBlock

  bool operator==(const SyntaxNode&) const = default;
};

std::string_view TypeName(SyntaxNode::Type type);  // "string", "pure-token": as COMMAND DOCS says

// REQUIRES: the text follows the grammar above.
std::vector<SyntaxNode> ParseSyntax(std::string_view syntax);

// How many arguments the nodes take at least, and whether they may take more.
struct SyntaxCount {
  std::size_t least = 0;
  bool open = false;
};
SyntaxCount CountOf(const std::vector<SyntaxNode>& nodes);

}  // namespace laurel::wire
