// Tests of the reply parser of the socket tests, EngineRig and the fuzz targets.
#include "tests/support/resp.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace laurel::resp {
namespace {

std::string Parsed(std::string_view bytes) {
  std::size_t consumed = 0;
  const std::optional<Value> value = ParseReply(bytes, &consumed);
  if (!value) return "incomplete";
  EXPECT_EQ(consumed, bytes.size());
  return value->ToString();
}

TEST(Resp, ParsesEveryTypeOfBothProtocols) {
  EXPECT_EQ(Parsed("+OK\r\n"), "+OK");
  EXPECT_EQ(Parsed("-ERR no\r\n"), "-ERR no");
  EXPECT_EQ(Parsed(":-7\r\n"), "-7");
  EXPECT_EQ(Parsed("$4\r\na\r\nb\r\n"), "\"a\\r\\nb\"");
  EXPECT_EQ(Parsed("$0\r\n\r\n"), "\"\"");
  EXPECT_EQ(Parsed("$-1\r\n"), "nil");
  EXPECT_EQ(Parsed("*-1\r\n"), "nil-array");
  EXPECT_EQ(Parsed("*2\r\n*0\r\n:1\r\n"), "[[], 1]");
  EXPECT_EQ(Parsed("_\r\n"), "nil");
  EXPECT_EQ(Parsed(",1.5\r\n"), ",1.5");
  EXPECT_EQ(Parsed("#t\r\n"), "#t");
  EXPECT_EQ(Parsed("(123\r\n"), "(123");
  EXPECT_EQ(Parsed("!3\r\nERR\r\n"), "!\"ERR\"");
  EXPECT_EQ(Parsed("=6\r\ntxt:ab\r\n"), "=\"txt:ab\"");
  EXPECT_EQ(Parsed("%1\r\n+k\r\n~1\r\n:1\r\n"), "{+k: ~[1]}");
  EXPECT_EQ(Parsed(">1\r\n+x\r\n"), ">[+x]");
  EXPECT_EQ(Parsed("|1\r\n+a\r\n:1\r\n:2\r\n"), "2");
}

TEST(Resp, PartialReplyIsIncomplete) {
  const std::string whole = "*3\r\n$2\r\nab\r\n%1\r\n+k\r\n,1\r\n_\r\n";
  Parser growing;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(Parsed(whole.substr(0, length)), "incomplete") << length;
    EXPECT_EQ(growing.Parse(whole.substr(0, length)), Parser::State::kIncomplete) << length;
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(growing.Parse(whole + whole), Parser::State::kWhole);
    EXPECT_EQ(growing.position(), whole.size());
    EXPECT_EQ(growing.Take().ToString(), "[\"ab\", {+k: ,1}, nil]");
  }
  EXPECT_EQ(ParseReplies(whole + whole).size(), 2U);
  EXPECT_THROW(ParseReplies(whole + "*1\r\n"), std::runtime_error);
}

TEST(Resp, MalformedBytesAreReportedWithTheirOffset) {
  for (const std::string_view bytes :
       {"what\r\n", "\r\n", "$2\r\nabc\r\n", "+OK\n", "+a\rb\r\n", ":012\r\n", ":\r\n", "$-2\r\n",
        "$+1\r\na\r\n", "=-1\r\n", "%-1\r\n", "*99999999999999\r\n", ",x\r\n", "#x\r\n", "_x\r\n",
        "(1.5\r\n"}) {
    Parser parser;
    EXPECT_EQ(parser.Parse(bytes), Parser::State::kMalformed) << Quoted(bytes);
    EXPECT_THROW(Parsed(bytes), std::runtime_error) << Quoted(bytes);
  }
  Parser parser;
  EXPECT_EQ(parser.Parse("*2\r\n:1\r\n?\r\n"), Parser::State::kMalformed);
  EXPECT_EQ(parser.problem(), "no type at byte 8");
  std::string deep;
  for (int i = 0; i < 17; ++i) deep += "*1\r\n";
  EXPECT_THROW(Parsed(deep + ":1\r\n"), std::runtime_error);
}

TEST(Resp, FindWorksOnMapsAndFlatArrays) {
  for (const std::string bytes :
       {"%2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n:2\r\n", "*4\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n:2\r\n"}) {
    std::size_t consumed = 0;
    const std::optional<Value> value = ParseReply(bytes, &consumed);
    ASSERT_TRUE(value && value->Find("b"));
    EXPECT_EQ(value->Find("b")->Integer(), 2);
    EXPECT_EQ(value->Find("c"), nullptr);
  }
}

TEST(Resp, PlainOmitsTypesAndQuotes) {
  std::size_t consumed = 0;
  const std::optional<Value> value =
      ParseReply("%2\r\n+name\r\n*3\r\n$1\r\na\r\n:2\r\n_\r\n+error\r\n-ERR no\r\n", &consumed);
  EXPECT_EQ(value->Plain(), "{name=[a 2 nil] error=-ERR no}");
}

struct Sample {
  const char* bytes;
  int protocol;
  bool accepted;
};

// The fuzz targets detect only the problems that ProblemOf detects.
TEST(Resp, ProblemOfAcceptsOnlyValuesOfTheProtocol) {
  const Sample samples[] = {
      {"+OK\r\n", 2, true},
      {"-ERR no\r\n", 2, true},
      {"-no\r\n", 2, false},
      {"-ERR\r\n", 2, false},
      {":12\r\n", 2, true},
      {"$2\r\nab\r\n", 2, true},
      {"$-1\r\n", 2, true},
      {"$-1\r\n", 3, false},
      {"*-1\r\n", 2, true},
      {"*-1\r\n", 3, false},
      {"_\r\n", 3, true},
      {"_\r\n", 2, false},
      {"*2\r\n:1\r\n:2\r\n", 2, true},
      {"*2\r\n:1\r\n#t\r\n", 2, false},
      {"%1\r\n+a\r\n,1.5\r\n", 3, true},
      {"%0\r\n", 2, false},
      {",inf\r\n", 3, true},
      {",nan\r\n", 3, false},
      {"#t\r\n", 3, true},
      {"=7\r\ntxt:abc\r\n", 3, true},
      {"=7\r\ntxt:abc\r\n", 2, false},
      {"=3\r\nabc\r\n", 3, false},
      {"~1\r\n#f\r\n", 3, true},
      {">1\r\n+x\r\n", 3, false},
      {"(1\r\n", 3, false},
      {"!5\r\nERR x\r\n", 3, false},
  };
  for (const Sample& sample : samples) {
    std::size_t consumed = 0;
    const std::optional<Value> value = ParseReply(sample.bytes, &consumed);
    ASSERT_TRUE(value) << sample.bytes;
    EXPECT_EQ(ProblemOf(*value, sample.protocol).empty(), sample.accepted)
        << sample.bytes << " in RESP" << sample.protocol;
  }
}

}  // namespace
}  // namespace laurel::resp
