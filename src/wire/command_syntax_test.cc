#include "wire/command_syntax.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "wire/command_table.h"

namespace laurel::wire {
namespace {

// Formats nodes in one line, each as "name:type=TOKEN?+(children)": ? is optional, + is multiple.
std::string Show(const std::vector<SyntaxNode>& nodes) {
  std::string text;
  for (const SyntaxNode& node : nodes) {
    if (!text.empty()) text += " ";
    text.append(node.name).append(":").append(TypeName(node.type));
    if (!node.token.empty()) text.append("=").append(node.token);
    if (node.optional) text += "?";
    if (node.multiple) text += "+";
    if (!node.arguments.empty()) text.append("(").append(Show(node.arguments)).append(")");
  }
  return text;
}

std::string Parsed(std::string_view syntax) { return Show(ParseSyntax(syntax)); }

TEST(ParseSyntax, Words) {
  EXPECT_EQ(Parsed(""), "");
  EXPECT_EQ(Parsed("key count member"), "key:key count:integer member:string");
  EXPECT_EQ(Parsed("WORD pattern"), "word:pure-token=WORD pattern:pattern");
}

TEST(ParseSyntax, Choices) {
  EXPECT_EQ(Parsed("MIN|MAX"), "option:oneof(min:pure-token=MIN max:pure-token=MAX)");
  EXPECT_EQ(Parsed("[NX|XX]"), "option:oneof?(nx:pure-token=NX xx:pure-token=XX)");
  EXPECT_EQ(Parsed("[POLICY set|sum]"),
            "policy:oneof=POLICY?(set:pure-token=set sum:pure-token=sum)");
}

TEST(ParseSyntax, Options) {
  EXPECT_EQ(Parsed("[WITHSCORES]"), "withscores:pure-token=WITHSCORES?");
  EXPECT_EQ(Parsed("[COUNT count]"), "count:integer=COUNT?");
  EXPECT_EQ(Parsed("[LIMIT offset count]"), "limit:block=LIMIT?(offset:integer count:integer)");
  EXPECT_EQ(Parsed("[count [WITHSCORES]]"),
            "count-block:block?(count:integer withscores:pure-token=WITHSCORES?)");
}

TEST(ParseSyntax, Repetitions) {
  EXPECT_EQ(Parsed("member [member …]"), "member:string+");
  EXPECT_EQ(Parsed("[argument …]"), "argument:string?+");
  EXPECT_EQ(Parsed("[name [name …]]"), "name:string?+");
  EXPECT_EQ(Parsed("key score member [score member …]"),
            "key:key score-block:block+(score:string member:string)");
  EXPECT_EQ(Parsed("[WEIGHTS weight [weight …]]"), "weight:string=WEIGHTS?+");
  EXPECT_EQ(Parsed("member value [value …] [member value [value …] …]"),
            "member-block:block+(member:string value:string+)");
}

std::string Counted(std::string_view syntax) {
  const SyntaxCount count = CountOf(ParseSyntax(syntax));
  return std::to_string(count.least) + (count.open ? " or more" : "");
}

TEST(CountOf, CountsRequiredArguments) {
  EXPECT_EQ(Counted(""), "0");
  EXPECT_EQ(Counted("key member"), "2");
  EXPECT_EQ(Counted("numkeys key [key …] MIN|MAX"), "3 or more");
  EXPECT_EQ(Counted("key [LIMIT offset count]"), "1 or more");
  EXPECT_EQ(Counted("key score member [score member …]"), "3 or more");
}

TEST(OptionWords, AreTheWordsInCapitals) {
  const auto words = [](std::string_view syntax) {
    std::string text;
    for (const std::string& word : OptionWords(syntax)) text += word + " ";
    return text;
  };
  EXPECT_EQ(words("board n"), "");
  EXPECT_EQ(words("board [NX|XX] [POLICY set|best] [START time|none] [LIMIT offset n] [ADOPT]"),
            "NX XX POLICY START LIMIT ADOPT ");
  EXPECT_EQ(words("board [FIELDS n field [field …]]"), "FIELDS ");
}

TEST(ParseSyntax, FirstKeyOfEveryRowAgreesWithItsKeySpec) {
  for (const CommandInfo& row : CommandTable()) {
    std::size_t index = IsSubcommand(row) ? 2 : 1;
    std::size_t key = 0;
    for (const SyntaxNode& node : ParseSyntax(row.syntax)) {
      if (node.type == SyntaxNode::Type::kKey) {
        key = index;
        break;
      }
      ++index;
    }
    const std::size_t expected = row.keys.first > 0 ? static_cast<std::size_t>(row.keys.first)
                                 : row.keys.numkeys > 0
                                     ? static_cast<std::size_t>(row.keys.numkeys) + 1
                                     : 0;
    EXPECT_EQ(key, expected) << row.name << " " << row.syntax;
  }
}

}  // namespace
}  // namespace laurel::wire
