#include "wire/resp_parser.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::wire {
namespace {

using Outcome = RespParser::Outcome;
using Words = std::vector<std::string>;

struct Parsed {
  std::vector<Words> requests;  // empty ones included
  std::string error;
  std::size_t left = 0;  // bytes of an incomplete request

  bool operator==(const Parsed&) const = default;
};

// Passes the bytes to the parser piece by piece: first those before the first cut, and so on.
Parsed ParseInPieces(std::string_view bytes, std::vector<std::size_t> cuts,
                     const RespParser::Limits& limits = {}) {
  cuts.push_back(bytes.size());
  RespParser parser;
  Parsed parsed;
  std::string buffer;  // at a new address each time
  std::size_t arrived = 0;
  for (const std::size_t cut : cuts) {
    buffer = buffer + std::string(bytes.substr(arrived, cut - arrived));
    arrived = cut;
    std::size_t at = 0;
    for (;;) {
      std::vector<std::string_view> arguments = {"kept"};
      std::size_t consumed = 0;
      const Outcome outcome =
          parser.Next(std::string_view(buffer).substr(at), limits, &arguments, &consumed);
      EXPECT_EQ(arguments[0], "kept");
      if (outcome == Outcome::kError) {
        parsed.error = parser.error();
        return parsed;
      }
      if (outcome == Outcome::kIncomplete) {
        EXPECT_EQ(arguments.size(), 1U);
        break;
      }
      parsed.requests.emplace_back(arguments.begin() + 1, arguments.end());
      parser.ReleaseInline();
      at += consumed;
    }
    buffer.erase(0, at);
  }
  parsed.left = buffer.size();
  return parsed;
}

TEST(RespParser, RecognizesLinesOfAnHttpRequest) {
  for (const std::string_view line :
       {"POST / HTTP/1.1", "post", "POST", "PUT /x", "DELETE /v1/boards/x HTTP/1.1", "PATCH x",
        "HEAD /", "OPTIONS *", "TRACE / HTTP/1.0", "CONNECT x:7600 HTTP/1.1", "Host: x",
        "host:", "GET / HTTP/1.1", "get /a?b=c http/1.0", "GET http://localhost:7600/ HTTP/1.1",
        "PRI * HTTP/2.0", "FLUSHALL / HTTP/1.1", " \tPOST /", "POST /'\""}) {
    EXPECT_TRUE(IsHttpLine(line)) << line;
  }
  for (const std::string_view line :
       {"", " ", "GET", "GET key", "GET /", "GET /key", "PING", "POSTS", "ECHO POST", "Host x",
        "ZSCORE key HTTP/1.1", "ZADD /key 1 HTTP/1.1", "ECHO /"}) {
    EXPECT_FALSE(IsHttpLine(line)) << line;
  }
}

TEST(RespParser, RecognizesAnHttpLineThatArrivesInPieces) {
  const std::string_view bytes = "POST / HTTP/1.1\r\nFLUSHALL\r\n";
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    RespParser parser;
    std::vector<std::string_view> arguments;
    std::size_t consumed = 0;
    Outcome outcome = parser.Next(bytes.substr(0, cut), {}, &arguments, &consumed);
    if (outcome == Outcome::kIncomplete) outcome = parser.Next(bytes, {}, &arguments, &consumed);
    EXPECT_EQ(outcome, Outcome::kHttp) << cut;
    EXPECT_TRUE(arguments.empty());
  }
  // As an array it is an ordinary request, for a command that does not exist.
  RespParser parser;
  std::vector<std::string_view> arguments;
  std::size_t consumed = 0;
  EXPECT_EQ(parser.Next("*1\r\n$4\r\nPOST\r\n", {}, &arguments, &consumed), Outcome::kRequest);
}

Parsed Parse(std::string_view bytes, const RespParser::Limits& limits = {}) {
  return ParseInPieces(bytes, {}, limits);
}

TEST(RespParser, ParsesArraysAndInlineCommands) {
  const std::string bytes = "*2\r\n$4\r\nECHO\r\n$3\r\n" + std::string("a\0\n", 3) +
                            "\r\nPING\r\nget  a\t b \n\r\n*0\r\n*-1\r\n*1\r\n$0\r\n\r\n";
  const Parsed parsed = Parse(bytes);
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.left, 0U);
  EXPECT_EQ(parsed.requests,
            (std::vector<Words>{
                {"ECHO", std::string("a\0\n", 3)}, {"PING"}, {"get", "a", "b"}, {}, {}, {}, {""}}));
}

TEST(RespParser, ResultDoesNotDependOnHowBytesAreSplit) {
  const std::string bytes =
      "*3\r\n$4\r\nZADD\r\n$12\r\n123456789012\r\n$1\r\n\r\r\nset \"a\\x41\" "
      "'b\\'c'\r\n*1\r\n$4\r\nPING\r\n"
      "*2\r\n$4\r\nECHO\r\n$10\r\nunfinished";
  const Parsed whole = Parse(bytes);
  EXPECT_EQ(whole.requests.size(), 3U);
  EXPECT_GT(whole.left, 0U);
  std::vector<std::size_t> everywhere;
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    EXPECT_EQ(ParseInPieces(bytes, {first}), whole) << first;
    for (std::size_t second = first; second <= bytes.size(); second += 7) {
      EXPECT_EQ(ParseInPieces(bytes, {first, second}), whole) << first << ", " << second;
    }
    everywhere.push_back(first);
  }
  EXPECT_EQ(ParseInPieces(bytes, everywhere), whole);
}

TEST(RespParser, RefusesWhatRedisRefuses) {
  const std::string big(kMaxInlineBytes + 1, '1');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"*x\r\n", "invalid multibulk length"},
      {"*01\r\n", "invalid multibulk length"},
      {"*1048577\r\n", "invalid multibulk length"},
      {"*9223372036854775808\r\n", "invalid multibulk length"},
      {"*1\r\nPING\r\n", "expected '$', got 'P'"},
      {"*1\r\n$-1\r\n", "invalid bulk length"},
      {"*1\r\n$\r\n", "invalid bulk length"},
      {"*1\r\n$1048577\r\n", "invalid bulk length"},
      {"*1\r\n$1073741824\r\n", "invalid bulk length"},
      {"*" + big, "too big mbulk count string"},
      {"*1\r\n$" + big, "too big bulk count string"},
      {big, "too big inline request"},
      {"echo \"a\n", "unbalanced quotes in request"},
      {"echo 'a'b\n", "unbalanced quotes in request"},
  };
  for (const auto& [bytes, error] : cases) {
    EXPECT_EQ(Parse(bytes).error, error) << bytes.substr(0, 40);
    EXPECT_EQ(ParseInPieces(bytes, {bytes.size() / 2}).error, error) << bytes.substr(0, 40);
  }
  EXPECT_EQ(Parse("*1048576\r\n").error, "");
  EXPECT_EQ(Parse("*1\r\n$1048576\r\n").error, "");
  EXPECT_EQ(Parse(std::string(kMaxInlineBytes, 'x')).error, "");
}

TEST(RespParser, LimitsAreTighterBeforeAuthentication) {
  RespParser::Limits limits;
  limits.authenticated = false;
  EXPECT_EQ(Parse("*10\r\n", limits).error, "");
  EXPECT_EQ(Parse("*11\r\n", limits).error, "unauthenticated multibulk length");
  EXPECT_EQ(Parse("*1\r\n$16384\r\n", limits).error, "");
  EXPECT_EQ(Parse("*1\r\n$16385\r\n", limits).error, "unauthenticated bulk length");
}

TEST(RespParser, RefusesAnIncompleteRequestBeyondTheLimit) {
  RespParser::Limits limits;
  limits.request_bytes = 100;
  const std::string header = "*3\r\n$60\r\n" + std::string(60, 'a') + "\r\n$60\r\n";
  EXPECT_EQ(Parse(header, limits).error, "");
  EXPECT_EQ(Parse(header + std::string(40, 'b'), limits).error, "too big request");
}

Words Split(std::string_view line) {
  Words words = {"old"};
  return SplitLine(line, &words) ? words : Words{"unbalanced"};
}

TEST(SplitLine, FollowsTheQuotingRulesOfRedis) {
  EXPECT_EQ(Split(""), Words{});
  EXPECT_EQ(Split(" \t "), Words{});
  EXPECT_EQ(Split("a  b\tc "), (Words{"a", "b", "c"}));
  EXPECT_EQ(Split(R"("a b" 'c d')"), (Words{"a b", "c d"}));
  EXPECT_EQ(Split(R"("\n\r\t\b\a\\\"" "\x41\x0" "\q")"), (Words{"\n\r\t\b\a\\\"", "Ax0", "q"}));
  EXPECT_EQ(Split(R"('it\'s' '\n')"), (Words{"it's", "\\n"}));
  EXPECT_EQ(Split(R"("" '')"), (Words{"", ""}));
  EXPECT_EQ(Split(R"(a"b" c)"), (Words{"ab", "c"}));
  for (const std::string_view line : {"\"", "'", "\"a", "'a\\'", "\"a\"b", "'a'b", "\"a\\\""}) {
    EXPECT_EQ(Split(line), Words{"unbalanced"}) << line;
  }
}

}  // namespace
}  // namespace laurel::wire
