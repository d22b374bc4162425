#include "http/http_parser.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace laurel::http {
namespace {

using std::string_literals::operator""s;
using Limits = HttpParser::Limits;
using Outcome = HttpParser::Outcome;
using Texts = std::vector<std::string>;

// All of a request but its body, on one line.
std::string DescribeHead(const Request& request) {
  std::string text = std::string(request.method) + " " + std::string(request.path) + " ? " +
                     std::string(request.query) + " @ " + std::string(request.host) + " 1." +
                     std::to_string(request.minor_version);
  if (request.keep_alive) text += " keep";
  if (request.expects_continue) text += " expects";
  if (request.chunked) text += " chunked";
  for (const HeaderLine& header : request.headers) {
    text += " | " + std::string(header.name) + "=" + std::string(header.value);
  }
  return text;
}

std::string Describe(const Request& request) {
  return DescribeHead(request) + " : " + std::string(request.body);
}

struct Parsed {
  Texts requests;
  std::vector<std::size_t> consumed;
  int status = 0;
  std::string error;
  std::size_t left = 0;  // bytes of an incomplete request

  bool operator==(const Parsed&) const = default;
};

// Passes the bytes to the parser piece by piece: first those before the first cut, and so on.
// *heads: the heads that were reported before their requests.
Parsed ParseInPieces(std::string_view bytes, std::vector<std::size_t> cuts,
                     const Limits& limits = {}, Texts* heads = nullptr) {
  cuts.push_back(bytes.size());
  HttpParser parser;
  Parsed parsed;
  std::string buffer;  // at a new address each time
  std::string head;    // reported for the present request
  std::size_t arrived = 0;
  Request request;
  for (const std::size_t cut : cuts) {
    buffer = buffer + std::string(bytes.substr(arrived, cut - arrived));
    arrived = cut;
    std::size_t at = 0;
    for (;;) {
      std::size_t consumed = 0;
      const std::string_view input = std::string_view(buffer).substr(at);
      const Outcome outcome = parser.Next(input, limits, &request, &consumed);
      if (outcome == Outcome::kError) {
        parsed.status = parser.status();
        parsed.error = parser.error();
        EXPECT_EQ(parser.Next(input, limits, &request, &consumed), Outcome::kError);
        return parsed;
      }
      if (outcome == Outcome::kIncomplete) {
        EXPECT_LT(input.size(), limits.InputBytes());
        break;
      }
      if (outcome == Outcome::kHead) {
        EXPECT_EQ(head, "") << "a head is reported once";
        EXPECT_EQ(request.body, "");
        EXPECT_EQ(input.find("\r\n\r\n") + 4, consumed);
        head = DescribeHead(request);
        if (heads != nullptr) heads->push_back(head);
        continue;  // the next call finds the body incomplete
      }
      EXPECT_TRUE(head.empty() || head == DescribeHead(request)) << head;
      head.clear();
      if (request.content_length) {
        EXPECT_EQ(request.content_length, request.body.size());
      }
      parsed.requests.push_back(Describe(request));
      parsed.consumed.push_back(consumed);
      at += consumed;
    }
    buffer.erase(0, at);
  }
  parsed.left = buffer.size();
  return parsed;
}

std::vector<std::size_t> CutsEverywhere(std::string_view bytes) {
  std::vector<std::size_t> cuts;
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) cuts.push_back(cut);
  return cuts;
}

// Parses the bytes at once and one by one, with the same outcome.
Parsed Parse(std::string_view bytes, const Limits& limits = {}) {
  const Parsed parsed = ParseInPieces(bytes, {}, limits);
  EXPECT_EQ(ParseInPieces(bytes, CutsEverywhere(bytes), limits), parsed) << bytes.substr(0, 200);
  return parsed;
}

// A GET request with these header lines after Host.
std::string Get(const std::string& headers) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

std::string Post(const std::string& headers, const std::string& body) {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
}

std::string Chunked(const std::string& body) {
  return Post("Transfer-Encoding: chunked\r\n", body);
}

// The status and the error of the bytes; "accepted" if they are one or more requests.
std::string Refusal(std::string_view bytes, const Limits& limits = {}) {
  const Parsed parsed = Parse(bytes, limits);
  if (parsed.status == 0) return parsed.left > 0 ? "incomplete" : "accepted";
  return std::to_string(parsed.status) + " " + parsed.error;
}

// The body of the only request; the refusal if there is none.
std::string BodyOf(const std::string& bytes) {
  Request request;
  HttpParser parser;
  std::size_t consumed = 0;
  const std::string refusal = Refusal(bytes);
  if (refusal != "accepted") return refusal;
  EXPECT_EQ(parser.Next(bytes, {}, &request, &consumed), Outcome::kRequest);
  EXPECT_EQ(consumed, bytes.size());
  return std::string(request.body);
}

// What is accepted ---------------------------------------------------------------------------

TEST(HttpParser, ReadsARequestWithoutABody) {
  const std::string bytes =
      "GET /v1/boards/a%2Fb/entries?limit=10&meta=1 HTTP/1.1\r\n"
      "Host: localhost:7680\r\n"
      "user-agent:curl/7.88.1\r\n"
      "Accept: \t */*, text/html \t\r\n"
      "X-Empty:\r\n"
      "X-Bytes: a:b\tc \xff\r\n"
      "\r\n";
  const Parsed parsed = Parse(bytes);
  EXPECT_EQ(parsed.error, "");
  EXPECT_EQ(parsed.requests,
            Texts{"GET /v1/boards/a%2Fb/entries ? limit=10&meta=1 @ localhost:7680 1.1 keep"
                  " | Host=localhost:7680 | user-agent=curl/7.88.1 | Accept=*/*, text/html"
                  " | X-Empty= | X-Bytes=a:b\tc \xff : "});
  EXPECT_EQ(parsed.consumed, std::vector<std::size_t>{bytes.size()});
}

TEST(HttpParser, ReadsABodyOfKnownLength) {
  EXPECT_EQ(BodyOf(Post("Content-Length: 5\r\n", "a\r\n\0b"s)), "a\r\n\0b"s);
  EXPECT_EQ(BodyOf(Post("content-length:\t005 \r\n", "abcde")), "abcde");
  EXPECT_EQ(BodyOf(Post("Content-Length: 0\r\n", "")), "");
  EXPECT_EQ(BodyOf(Post("", "")), "");
}

TEST(HttpParser, BodyOfKnownLengthIsAViewOfTheInput) {
  const std::string bytes = Post("Content-Length: 3\r\n", "abc");
  HttpParser parser;
  Request request;
  std::size_t consumed = 0;
  ASSERT_EQ(parser.Next(bytes, {}, &request, &consumed), Outcome::kRequest);
  EXPECT_EQ(request.body.data(), bytes.data() + bytes.size() - 3);
}

TEST(HttpParser, ReadsAChunkedBody) {
  EXPECT_EQ(BodyOf(Chunked("0\r\n\r\n")), "");
  EXPECT_EQ(BodyOf(Chunked("3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n")), "abc0123456789");
  EXPECT_EQ(BodyOf(Chunked("2;name=\"a b\";x\r\n\r\n\r\n0;last\r\n\r\n")), "\r\n");
  EXPECT_EQ(BodyOf(Post("transfer-encoding: CHUNKED\r\n", "1\r\na\r\n0\r\n\r\n")), "a");
}

TEST(HttpParser, ChecksTrailersAndIgnoresThem) {
  EXPECT_EQ(BodyOf(Chunked("1\r\na\r\n0\r\nX-Sum: 1\r\nContent-Length: 9\r\nHost: b\r\n\r\n")),
            "a");
  EXPECT_EQ(Refusal(Chunked("0\r\nX-Sum 1\r\n\r\n")), "400 a header has no colon");
  EXPECT_EQ(Refusal(Chunked("0\r\n folded\r\n\r\n")), "400 a header is folded over several lines");
  EXPECT_EQ(Refusal(Chunked("0\r\nX: 1\n\r\n")), "400 a line ends with LF alone");
}

TEST(HttpParser, ReadsPipelinedRequestsOneAfterTheOther) {
  const Texts requests = {Get(""), Post("Content-Length: 3\r\n", "abc"),
                          Chunked("3\r\nabc\r\n0\r\n\r\n"), "\r\n" + Get("Connection: close\r\n"),
                          Chunked("1\r\nx\r\n0\r\n\r\n")};
  std::string bytes;
  std::vector<std::size_t> sizes;
  for (const std::string& request : requests) {
    bytes += request;
    sizes.push_back(request.size());
  }
  const Parsed parsed = Parse(bytes + "GET /unfin");
  EXPECT_EQ(parsed.consumed, sizes);
  EXPECT_EQ(parsed.left, std::string("GET /unfin").size());
  EXPECT_EQ(parsed.requests,
            (Texts{"GET / ?  @ a 1.1 keep | Host=a : ",
                   "POST / ?  @ a 1.1 keep | Host=a | Content-Length=3 : abc",
                   "POST / ?  @ a 1.1 keep chunked | Host=a | Transfer-Encoding=chunked : abc",
                   "GET / ?  @ a 1.1 | Host=a | Connection=close : ",
                   "POST / ?  @ a 1.1 keep chunked | Host=a | Transfer-Encoding=chunked : x"}));
}

TEST(HttpParser, SkipsAtMostOneEmptyLineBeforeARequest) {
  EXPECT_EQ(Refusal("\r\n" + Get("")), "accepted");
  EXPECT_EQ(Refusal("\r\n\r\n" + Get("")), "400 the request line is not METHOD TARGET VERSION");
  EXPECT_EQ(Refusal("\n" + Get("")), "400 a line ends with LF alone");
  EXPECT_EQ(Refusal("\r\r\n" + Get("")), "400 the request line is not METHOD TARGET VERSION");
}

TEST(HttpParser, SplitsTheTargetIntoPathAndQuery) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/", "/ ? "},
      {"/?", "/ ? "},
      {"/a?b?c=/d", "/a ? b?c=/d"},
      {"//a/../%2e", "//a/../%2e ? "},
      {"/\"<>\\^`{|}~", "/\"<>\\^`{|}~ ? "},
  };
  for (const auto& [target, split] : cases) {
    EXPECT_EQ(Parse("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").requests,
              Texts{"GET " + split + " @ a 1.1 keep | Host=a : "});
  }
}

TEST(HttpParser, ReducesAnAbsoluteTargetToItsPathAndTakesItsHost) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"http://b:80/x?y", "/x ? y @ b:80"},
      {"HTTPS://[::1]:7680/", "/ ?  @ [::1]:7680"},
      {"http://b", "/ ?  @ b"},
      {"http://b?y=/z", "/ ? y=/z @ b"},
  };
  for (const auto& [target, split] : cases) {
    EXPECT_EQ(Parse("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n").requests,
              Texts{"GET " + split + " 1.1 keep | Host=a : "});
  }
  EXPECT_EQ(Refusal("GET http://b/ HTTP/1.1\r\n\r\n"), "400 Host is missing");
  EXPECT_EQ(Refusal("GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n"),
            "400 the target has no valid host");
  EXPECT_EQ(Refusal("GET http://user@b/ HTTP/1.1\r\nHost: a\r\n\r\n"),
            "400 the target has no valid host");
}

TEST(HttpParser, StarIsATargetOfOptionsAlone) {
  EXPECT_EQ(Parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").requests,
            Texts{"OPTIONS * ?  @ a 1.1 keep | Host=a : "});
  EXPECT_EQ(Refusal("GET * HTTP/1.1\r\nHost: a\r\n\r\n"), "400 the target does not begin with '/'");
  EXPECT_EQ(Refusal("OPTIONS *a HTTP/1.1\r\nHost: a\r\n\r\n"),
            "400 the target does not begin with '/'");
}

TEST(HttpParser, ConnectionStaysOpenByVersionAndHeader) {
  const auto keeps = [](const std::string& version, const std::string& headers) {
    const std::string bytes = "GET / " + version + "\r\nHost: a\r\n" + headers + "\r\n";
    HttpParser parser;
    Request request;
    std::size_t consumed = 0;
    EXPECT_EQ(parser.Next(bytes, {}, &request, &consumed), Outcome::kRequest) << bytes;
    return request.keep_alive;
  };
  EXPECT_TRUE(keeps("HTTP/1.1", ""));
  EXPECT_TRUE(keeps("HTTP/1.1", "Connection: keep-alive\r\n"));
  EXPECT_TRUE(keeps("HTTP/1.1", "Connection: upgrade, closed\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "connection: TE ,\tClose , x\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.1", "Connection: close\r\nConnection: keep-alive\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0", ""));
  EXPECT_TRUE(keeps("HTTP/1.0", "Connection: Keep-Alive\r\n"));
  EXPECT_FALSE(keeps("HTTP/1.0", "Connection: keep-alive, close\r\n"));
}

TEST(HttpParser, FindsHeadersByNameInAnyCase) {
  const std::string bytes = Get("X-One: 1\r\nAccept: a\r\naccept: b\r\nX-Empty: \r\n");
  HttpParser parser;
  Request request;
  std::size_t consumed = 0;
  ASSERT_EQ(parser.Next(bytes, {}, &request, &consumed), Outcome::kRequest);
  EXPECT_EQ(request.Header("x-ONE"), "1");
  EXPECT_EQ(request.Header("accept"), "a");
  EXPECT_EQ(request.Header("X-Empty"), "");
  EXPECT_EQ(request.Header("X-On"), std::nullopt);
  EXPECT_EQ(request.CountHeaders("ACCEPT"), 2U);
  EXPECT_EQ(request.CountHeaders("X-One"), 1U);
  EXPECT_EQ(request.CountHeaders("X-On"), 0U);
}

TEST(HttpParser, RequestAndParserAreUsedAgainAfterMemoryWasReleased) {
  HttpParser parser;
  Request request;
  std::size_t consumed = 0;
  const std::string chunked = Chunked("3\r\nabc\r\n0\r\n\r\n");
  ASSERT_EQ(parser.Next(chunked, {}, &request, &consumed), Outcome::kRequest);
  EXPECT_EQ(request.body, "abc");
  parser.ReleaseMemory();
  const std::size_t least = parser.MemoryUsage();
  EXPECT_LT(least, 100U);
  const std::string large = Chunked("10000\r\n" + std::string(65'536, 'x') + "\r\n0\r\n\r\n");
  ASSERT_EQ(parser.Next(large, {}, &request, &consumed), Outcome::kRequest);
  EXPECT_GE(parser.MemoryUsage(), 65'536U);
  parser.ReleaseMemory();
  EXPECT_EQ(parser.MemoryUsage(), least);
  ASSERT_EQ(parser.Next(Get(""), {}, &request, &consumed), Outcome::kRequest);
  EXPECT_EQ(request.body, "");
  EXPECT_EQ(request.headers.size(), 1U);
  ASSERT_EQ(parser.Next(chunked, {}, &request, &consumed), Outcome::kRequest);
  EXPECT_EQ(request.body, "abc");
}

// The head before the body ------------------------------------------------------------------

TEST(HttpParser, ReportsTheHeadOnceIfTheBodyIsNotThereYet) {
  for (const std::string& bytes :
       {Post("Expect: 100-continue\r\nContent-Length: 3\r\n", "abc"),
        Post("Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n")}) {
    const std::size_t head = bytes.find("\r\n\r\n") + 4;
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
      Texts heads;
      const Parsed parsed = ParseInPieces(bytes, {cut, bytes.size() - 1}, {}, &heads);
      ASSERT_EQ(parsed.requests.size(), 1U);
      ASSERT_EQ(heads.size(), 1U) << cut << ' ' << head;
      EXPECT_NE(heads[0].find(" expects"), std::string::npos);
    }
    Texts heads;
    ParseInPieces(bytes, {}, {}, &heads);
    EXPECT_TRUE(heads.empty()) << "the body was there";
    ParseInPieces(bytes.substr(0, head), {}, {}, &heads);
    EXPECT_EQ(heads.size(), 1U) << "nothing of the body is needed";
  }
}

TEST(HttpParser, ExpectsContinueOnlyWithABodyAndHttp11) {
  const auto expects = [](const std::string& bytes) {
    return Parse(bytes).requests.at(0).find(" expects") != std::string::npos;
  };
  EXPECT_TRUE(expects(Post("Expect: 100-continue\r\nContent-Length: 1\r\n", "a")));
  EXPECT_FALSE(expects(Post("Content-Length: 1\r\n", "a")));
  EXPECT_FALSE(expects(Post("Expect: 100-continue\r\n", "")));
  EXPECT_FALSE(expects(Post("Expect: 100-continue\r\nContent-Length: 0\r\n", "")));
  EXPECT_FALSE(expects("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na"));
}

TEST(HttpParser, RefusesABodyThatIsTooLargeBeforeItArrives) {
  Limits limits;
  limits.body_bytes = 10;
  const std::string refusal = "413 the body has more than 10 bytes";
  EXPECT_EQ(Refusal(Post("Content-Length: 11\r\nExpect: 100-continue\r\n", ""), limits), refusal);
  EXPECT_EQ(Refusal(Post("Content-Length: 10\r\n", "0123456789"), limits), "accepted");
  EXPECT_EQ(Refusal(Chunked("b\r\n"), limits), refusal);
  EXPECT_EQ(Refusal(Chunked("6\r\n012345\r\n5\r\n"), limits), refusal);
  EXPECT_EQ(Refusal(Chunked("ffffffffffffffff\r\n"), limits), refusal);
  EXPECT_EQ(Refusal(Chunked("6\r\n012345\r\n4\r\n6789\r\n0\r\n\r\n"), limits), "accepted");
}

TEST(HttpParser, TheLimitOfAChunkedBodyMayBecomeLessAfterTheHead) {
  Limits less;
  less.body_bytes = 10;
  const auto refusal = [&less](const std::string& before, const std::string& after) {
    HttpParser parser;
    Request request;
    std::size_t consumed = 0;
    const std::string head = Chunked(before);
    EXPECT_EQ(parser.Next(head, {}, &request, &consumed), Outcome::kHead);
    const Outcome outcome = parser.Next(head + after, less, &request, &consumed);
    return outcome == Outcome::kError ? parser.error() : std::string(request.body);
  };
  const std::string too_large = "the body has more than 10 bytes";
  EXPECT_EQ(refusal("", "a\r\n0123456789\r\n0\r\n\r\n"), "0123456789");
  EXPECT_EQ(refusal("", "b\r\n"), too_large);
  EXPECT_EQ(refusal("b\r\n", ""), too_large);
  EXPECT_EQ(refusal("b\r\n0", "1"), too_large);
  EXPECT_EQ(refusal("ffff\r\n0123456789", "0"), too_large);
  EXPECT_EQ(refusal("ffff\r\n0123456789a", "b"), too_large);
  EXPECT_EQ(refusal("5\r\n01234\r\n", "6\r\n"), too_large);
  EXPECT_EQ(refusal("5\r\n01234\r\n", "5\r\n56789\r\n0\r\n\r\n"), "0123456789");
}

TEST(HttpParser, RefusesABadLineOfTheHeadBeforeTheRestArrives) {
  EXPECT_EQ(Refusal("*1\r\n"), "400 the request line is not METHOD TARGET VERSION");
  EXPECT_EQ(Refusal("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n"),
            "400 Content-Length is not a length");
}

// What smuggles ------------------------------------------------------------------------------

TEST(HttpParser, RefusesContentLengthWithTransferEncoding) {
  const std::string refusal = "400 Content-Length and Transfer-Encoding exclude each other";
  const std::string body = "0\r\n\r\n";
  EXPECT_EQ(Refusal(Post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", body)), refusal);
  EXPECT_EQ(Refusal(Post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", body)), refusal);
  EXPECT_EQ(Refusal(Post("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", body)), refusal);
  EXPECT_EQ(Refusal(Post("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", body)), refusal);
}

TEST(HttpParser, RefusesDoubledContentLength) {
  const std::string twice = "400 Content-Length is given twice";
  EXPECT_EQ(Refusal(Post("Content-Length: 5\r\nContent-Length: 6\r\n", "abcdef")), twice);
  EXPECT_EQ(Refusal(Post("Content-Length: 5\r\ncontent-length: 5\r\n", "abcde")), twice);
  EXPECT_EQ(Refusal(Post("Content-Length: 0\r\nContent-Length: 0\r\n", "")), twice);
  EXPECT_EQ(Refusal(Post("Content-Length: 5, 5\r\n", "abcde")),
            "400 Content-Length is not a length");
  EXPECT_EQ(Refusal(Post("Content-Length: 5,\r\n", "abcde")), "400 Content-Length is not a length");
}

TEST(HttpParser, RefusesContentLengthThatIsNotPlainDigits) {
  for (const std::string value : {"", "+5", "-5", "-0", "0x5", "5a", "a", "5 5", "5.0", "5e0",
                                  "'5'", "18446744073709551616", "99999999999999999999999999"}) {
    EXPECT_EQ(Refusal(Post("Content-Length: " + value + "\r\n", "abcde")),
              "400 Content-Length is not a length")
        << value;
  }
  EXPECT_EQ(Refusal(Post("Content-Length: 18446744073709551615\r\n", "")),
            "413 the body has more than 8388608 bytes");
}

TEST(HttpParser, RefusesDoubledTransferEncoding) {
  const std::string twice = "400 Transfer-Encoding is given twice";
  const std::string body = "0\r\n\r\n";
  EXPECT_EQ(Refusal(Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", body)),
            twice);
  EXPECT_EQ(Refusal(Post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", body)),
            twice);
  EXPECT_EQ(Refusal(Post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", body)),
            twice);
}

TEST(HttpParser, RefusesTransferEncodingInHttp10) {
  EXPECT_EQ(Refusal("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            "400 Transfer-Encoding is not part of HTTP/1.0");
}

TEST(HttpParser, RefusesTransferCodingsOtherThanChunked) {
  for (const std::string value :
       {"gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "chunked,", "identity",
        "xchunked", "chunked;q=1", "\"chunked\"", "", "chunke\xe4"}) {
    EXPECT_EQ(Refusal(Post("Transfer-Encoding: " + value + "\r\n", "0\r\n\r\n")),
              "501 the only transfer coding is 'chunked'")
        << value;
  }
}

TEST(HttpParser, RefusesBareLfAnywhereInTheHead) {
  for (const std::string& bytes :
       {"GET / HTTP/1.1\nHost: a\r\n\r\n"s, "GET / HTTP/1.1\r\nHost: a\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: a\r\n\n"s, "GET / HTTP/1.1\r\nHost: a\r\nX: b\nY: c\r\n\r\n"s,
        "GET / HTTP/1.1\nHost: a\n\n"s}) {
    EXPECT_EQ(Refusal(bytes), "400 a line ends with LF alone") << bytes;
  }
}

TEST(HttpParser, RefusesBareCrAnywhereInTheHead) {
  for (const std::string& bytes :
       {"GET / HTTP/1.1\rHost: a\r\n\r\n"s, "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n"s,
        "GE\rT / HTTP/1.1\r\nHost: a\r\n\r\n"s, "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"s, "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: a\r\nX\r: b\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n\r\n"s}) {
    EXPECT_TRUE(Refusal(bytes).starts_with("400 ")) << bytes << Refusal(bytes);
  }
}

TEST(HttpParser, RefusesFoldedHeaders) {
  const std::string refusal = "400 a header is folded over several lines";
  EXPECT_EQ(Refusal(Get("X: a\r\n b\r\n")), refusal);
  EXPECT_EQ(Refusal(Get("X: a\r\n\tb: c\r\n")), refusal);
  EXPECT_EQ(Refusal(Get("X: a\r\n \r\n")), refusal);
  EXPECT_EQ(Refusal("GET / HTTP/1.1\r\n Host: a\r\n\r\n"), refusal);
}

TEST(HttpParser, RefusesBlanksBeforeTheColonAndInvalidNames) {
  for (const std::string line :
       {"Content-Length : 5", "Content-Length\t: 5", "X Y: 1", ": 1", "X(: 1", "X\x01: 1",
        "\xc3: 1", "X\"Y: 1", "X/Y: 1", "X[0]: 1", "\x7f: 1"}) {
    EXPECT_EQ(Refusal(Get(line + "\r\n")),
              "400 the name of a header is empty, has a blank or a forbidden character")
        << line;
  }
  EXPECT_EQ(Refusal(Get("\0X: 1\r\n"s)),
            "400 the name of a header is empty, has a blank or a forbidden character");
  EXPECT_EQ(Refusal(Get("no colon\r\n")), "400 a header has no colon");
  EXPECT_EQ(Refusal(Get("!#$%&'*+-.^_`|~09azAZ: 1\r\n")), "accepted");
}

TEST(HttpParser, RefusesControlCharactersInValues) {
  for (int byte = 0; byte < 256; ++byte) {
    if (byte == '\n') continue;
    const bool refused = (byte < 0x20 && byte != '\t') || byte == 0x7f;
    EXPECT_EQ(Refusal(Get("X: a" + std::string(1, static_cast<char>(byte)) + "b\r\n")),
              refused ? "400 a header has a control character" : "accepted")
        << byte;
  }
}

TEST(HttpParser, RefusesChunksThatAreMalformed) {
  for (const std::string body :
       {"\r\n", ";x\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", "g\r\n", " 1\r\n", "1 \r\n", "1 ;x\r\n",
        "1\r\r\n", "1,1\r\n", "10000000000000000\r\n"}) {
    EXPECT_EQ(Refusal(Chunked(body)), "400 a chunk has no valid size") << body;
  }
  EXPECT_EQ(Refusal(Chunked("1;a\rb\r\nx\r\n0\r\n\r\n")),
            "400 a chunk's extension has a control character");
  EXPECT_EQ(Refusal(Chunked("1\nx\r\n0\r\n\r\n")), "400 a line ends with LF alone");
  EXPECT_EQ(Refusal(Chunked("1;a\nx\r\n0\r\n\r\n")), "400 a line ends with LF alone");
  EXPECT_EQ(Refusal(Chunked("0\r\n\n")), "400 a line ends with LF alone");
  for (const std::string end : {"\n", "x", "\rx", "\n\r", "0"}) {
    EXPECT_EQ(Refusal(Chunked("1\r\nx" + end)), "400 a chunk is longer than its size") << end;
  }
}

// The request line, versions and Host ---------------------------------------------------------

TEST(HttpParser, RefusesMalformedRequestLines) {
  const auto refusal = [](const std::string& line) {
    return Refusal(line + "\r\nHost: a\r\n\r\n");
  };
  const std::string form = "400 the request line is not METHOD TARGET VERSION";
  const std::string version = "400 the request line does not end with a version such as HTTP/1.1";
  EXPECT_EQ(refusal("GET"), form);
  EXPECT_EQ(refusal("GET /"), form);
  EXPECT_EQ(refusal("GET\t/\tHTTP/1.1"), form);
  EXPECT_EQ(refusal("GET / HTTP/1.1 "), version);
  EXPECT_EQ(refusal("GET / http/1.1"), version);
  EXPECT_EQ(refusal("GET / HTTP/1"), version);
  EXPECT_EQ(refusal("GET / HTTP/1.10"), version);
  EXPECT_EQ(refusal("GET / HTTP/1,1"), version);
  EXPECT_EQ(refusal("GET / HTTP/a.1"), version);
  EXPECT_EQ(refusal(" GET / HTTP/1.1"), "400 the method is no token");
  EXPECT_EQ(refusal("G@T / HTTP/1.1"), "400 the method is no token");
  EXPECT_EQ(refusal("G\xc3T / HTTP/1.1"), "400 the method is no token");
}

TEST(HttpParser, RefusesTargetsWithBlanksFragmentsAndBytesBeyondAscii) {
  for (const std::string target : {"/a b", " /", "/ ", "/a\tb", "/#", "/a#b", "/a?b#c", "/\x01",
                                   "/\x7f", "/\xc3\xa9", "/?\xff"}) {
    EXPECT_EQ(Refusal("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"),
              "400 the target has a blank, a '#', or a byte that must be percent-encoded")
        << target;
  }
}

TEST(HttpParser, RefusesTargetsThatAreNoPath) {
  for (const std::string target : {"", "a", "a/b", "?x", "b:443", "ftp://b/", "http:/b", "//"}) {
    const std::string method = target == "b:443" ? "CONNECT" : "GET";
    EXPECT_EQ(Refusal(method + " " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"),
              target == "//" ? "accepted" : "400 the target does not begin with '/'")
        << target;
  }
}

TEST(HttpParser, RefusesOtherVersionsWith505) {
  for (const std::string version : {"0.9", "1.2", "1.9", "2.0", "3.0", "0.1"}) {
    EXPECT_EQ(Refusal("GET / HTTP/" + version + "\r\nHost: a\r\n\r\n"),
              "505 the server speaks HTTP/1.1 and HTTP/1.0")
        << version;
  }
  EXPECT_EQ(Refusal("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
            "505 the server speaks HTTP/1.1 and HTTP/1.0");
}

TEST(HttpParser, RefusesMissingAndDoubledHost) {
  EXPECT_EQ(Refusal("GET / HTTP/1.1\r\n\r\n"), "400 Host is missing");
  EXPECT_EQ(Refusal("GET / HTTP/1.0\r\n\r\n"), "accepted");
  EXPECT_EQ(Refusal("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"), "400 Host is given twice");
  EXPECT_EQ(Refusal("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), "400 Host is given twice");
  for (const std::string host : {"a b", "a/b", "user@a", "a?b", "\"a\"", "a\xff", "a\\b"}) {
    EXPECT_EQ(Refusal("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), "400 Host is not a host");
  }
  EXPECT_EQ(Refusal("GET / HTTP/1.1\r\nHost:\r\n\r\n"), "accepted");
}

TEST(HttpParser, RefusesOtherExpectationsWith417) {
  const std::string refusal = "417 the only expectation is '100-continue'";
  for (const std::string value : {"200-ok", "", "100-continue, x", "100"}) {
    EXPECT_EQ(Refusal(Post("Expect: " + value + "\r\nContent-Length: 1\r\n", "")), refusal);
  }
  EXPECT_EQ(Refusal(Post("Expect: 100-continue\r\nExpect: x\r\nContent-Length: 1\r\n", "")),
            refusal);
}

// Limits -----------------------------------------------------------------------------------------

TEST(HttpParser, RefusesATargetBeyondTheLimitWith414) {
  const auto request = [](std::size_t bytes) {
    return "GET /" + std::string(bytes - 1, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  EXPECT_EQ(Refusal(request(kMaxTargetBytes)), "accepted");
  EXPECT_EQ(Refusal(request(kMaxTargetBytes + 1)), "414 the target has more than 8192 bytes");
  EXPECT_EQ(Refusal("GET /" + std::string(kMaxHeadBytes, 'x')), "414 the request line is too long");
}

TEST(HttpParser, RefusesAHeadBeyondTheLimitWith431) {
  const auto request = [](std::size_t bytes) {
    const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    return start + std::string(bytes - start.size() - 4, 'x') + "\r\n\r\n";
  };
  EXPECT_EQ(Refusal(request(kMaxHeadBytes)), "accepted");
  EXPECT_EQ(Refusal(request(kMaxHeadBytes + 1)), "431 the head has more than 16384 bytes");
  EXPECT_EQ(Refusal(request(kMaxHeadBytes + 2).substr(0, kMaxHeadBytes)),
            "431 the head has more than 16384 bytes");
  EXPECT_EQ(Refusal(request(kMaxHeadBytes + 2).substr(0, kMaxHeadBytes - 1)), "incomplete");
}

TEST(HttpParser, RefusesMoreHeadersThanTheLimitWith431) {
  std::string headers;
  for (std::size_t i = 1; i < kMaxHeaders; ++i) headers += "X: 1\r\n";
  EXPECT_EQ(Refusal(Get(headers)), "accepted");
  EXPECT_EQ(Refusal(Get(headers + "X: 1\r\n")), "431 more than 100 headers");
}

TEST(HttpParser, RefusesLongLinesInAChunkedBody) {
  const auto extension = [](std::size_t bytes) {
    return "0;" + std::string(bytes - 4, 'x') + "\r\n";
  };
  EXPECT_EQ(Refusal(Chunked(extension(kMaxChunkLineBytes) + "\r\n")), "accepted");
  EXPECT_EQ(Refusal(Chunked(extension(kMaxChunkLineBytes + 1) + "\r\n")),
            "400 a line of the chunked body has more than 4096 bytes");
  EXPECT_EQ(Refusal(Chunked("0\r\nX:" + std::string(kMaxChunkLineBytes, 'x'))),
            "400 a line of the chunked body has more than 4096 bytes");
}

TEST(HttpParser, TrailersCountAsHeaders) {
  Limits limits;
  limits.headers = 5;
  const auto request = [](std::size_t trailers) {
    std::string bytes = "0\r\n";
    for (std::size_t i = 0; i < trailers; ++i) bytes += "X: 1\r\n";
    return Chunked(bytes + "\r\n");
  };
  const std::string head = request(0);
  const auto headers = static_cast<std::size_t>(std::count(
      head.begin(), head.begin() + static_cast<std::ptrdiff_t>(head.find("\r\n\r\n")), '\n'));
  ASSERT_GE(headers, 1U);
  EXPECT_EQ(Refusal(request(limits.headers - headers), limits), "accepted");
  EXPECT_EQ(Refusal(request(limits.headers - headers + 1), limits), "431 more than 5 headers");
}

TEST(HttpParser, BytesOfTrailersCountAsBytesOfTheHead) {
  Limits limits;
  limits.head_bytes = 1000;
  const std::size_t head = Chunked("").size();
  const auto request = [](std::size_t value) {
    return Chunked("0\r\nX:" + std::string(value, 'x') + "\r\n\r\n");
  };
  const std::size_t most = limits.head_bytes - head - std::string("X:\r\n\r\n").size();
  EXPECT_EQ(Refusal(request(most), limits), "accepted");
  EXPECT_EQ(Refusal(request(most + 1), limits),
            "431 the head and the trailers have more than 1000 bytes");
}

TEST(HttpParser, RefusesAChunkedBodyThatIsMostlyFraming) {
  Limits limits;
  limits.body_bytes = 6;
  const std::string refusal = "413 the chunks of the body are too small, or their extensions large";
  // One chunk with its line and end, the last chunk's line, and the empty line.
  const std::size_t others = std::string("1;\r\n\r\n0\r\n\r\n").size();
  std::string trailers;
  for (int i = 0; i < 15; ++i) trailers += "X:" + std::string(1020, 'x') + "\r\n";
  const auto body = [&trailers](std::size_t extension) {
    return Chunked("1;" + std::string(extension, 'x') + "\r\na\r\n0\r\n" + trailers + "\r\n");
  };
  const std::size_t most = limits.body_bytes + kMaxChunkFramingBytes - others - trailers.size();
  ASSERT_LT(most, kMaxChunkLineBytes);
  EXPECT_EQ(Refusal(body(most), limits), "accepted");
  EXPECT_EQ(Refusal(body(most + 1), limits), refusal);
}

// Pieces -----------------------------------------------------------------------------------------

// A random request, mostly valid.
std::string RandomRequest(base::Random* random) {
  const auto one_of = [random](const Texts& texts) { return texts[random->Below(texts.size())]; };
  const auto rarely = [random](const char* rare, const char* usual) {
    return std::string(random->OneIn(20) ? rare : usual);
  };
  std::string bytes = rarely("\r\n", "");
  bytes += one_of({"GET", "POST", "OPTIONS"}) + " " + one_of({"/", "/a/b?c=d", "http://b/x"}) +
           rarely(" x ", " ") + rarely("HTTP/2.0", "HTTP/1.1") + rarely("\n", "\r\n") +
           rarely("", "Host: a\r\n");
  for (std::uint64_t i = random->Below(4); i > 0; --i) {
    bytes += one_of({"X: y", "Accept:  */* ", "Connection: close", "Expect: 100-continue", "X:"}) +
             rarely("\r\nContent-Length: 0", "") + rarely(" \r\n \x01", "") + rarely("\n", "\r\n");
  }
  std::string body;
  for (std::uint64_t i = random->Below(20); i > 0; --i) body += static_cast<char>(random->Next());
  if (random->OneIn(2)) return bytes + "\r\n";
  if (random->OneIn(2)) {
    return bytes + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  bytes += "Transfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < body.size();) {
    const std::string chunk = body.substr(at, 1 + random->Below(9));
    bytes += std::to_string(chunk.size()) + one_of({"", ";x=y"}) + "\r\n" + chunk + "\r\n";
    at += chunk.size();
  }
  return bytes + "0\r\n" + one_of({"", "Trailer: x\r\n"}) + rarely("bad\r\n", "") + "\r\n";
}

TEST(HttpParser, OutcomeDoesNotDependOnHowBytesAreSplit) {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    base::Random random(seed);
    std::string bytes;
    for (std::uint64_t i = 1 + random.Below(4); i > 0; --i) bytes += RandomRequest(&random);
    if (random.OneIn(4)) bytes.resize(random.Below(bytes.size()));
    Limits limits;
    if (random.OneIn(8)) limits.head_bytes = 20 + random.Below(100);
    if (random.OneIn(8)) limits.body_bytes = random.Below(20);
    const Parsed whole = Parse(bytes, limits);
    std::vector<std::size_t> cuts;
    for (std::uint64_t i = random.Below(6); i > 0; --i)
      cuts.push_back(random.Below(bytes.size() + 1));
    std::sort(cuts.begin(), cuts.end());
    ASSERT_EQ(ParseInPieces(bytes, cuts, limits), whole) << "seed " << seed;
    accepted += whole.requests.size();
    refused += whole.status != 0 ? 1 : 0;
  }
  EXPECT_GT(accepted, 1000U);
  EXPECT_GT(refused, 500U);
}

TEST(HttpParserDeathTest, InputThatShrinksIsABug) {
  HttpParser parser;
  Request request;
  std::size_t consumed = 0;
  ASSERT_EQ(parser.Next("GET / HTTP/1.1\r\nHo", {}, &request, &consumed), Outcome::kIncomplete);
  EXPECT_DEATH(parser.Next("GET", {}, &request, &consumed), "position_");
  EXPECT_DEATH(parser.ReleaseMemory(), "position_");
}

}  // namespace
}  // namespace laurel::http
