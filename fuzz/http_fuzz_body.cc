#include "fuzz/http_fuzz_body.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/percent.h"
#include "base/utf8.h"
#include "fuzz/fuzz_input.h"
#include "http/http_parser.h"
#include "http/limits.h"
#include "http/url.h"

namespace laurel::fuzz {
namespace {

using http::HttpParser;
using Outcome = HttpParser::Outcome;

constexpr std::size_t kRunBytes = 5000;  // length of a run; a few runs exceed the longest head
constexpr std::size_t kMaxStreamBytes = 100'000;
constexpr std::size_t kMaxBytesForSingles = 400;  // longer streams are not fed byte by byte
constexpr char kRepeat = '\x01';

// Requests ---------------------------------------------------------------------------------------

struct Parsed {
  std::vector<std::string> requests;
  int status = 0;
  std::string error;
  std::size_t consumed = 0;

  bool operator==(const Parsed&) const = default;
};

std::string ProblemOfPath(std::string_view path) {
  http::PathSegments segments;
  if (!segments.Parse(path).ok()) return "";
  std::string encoded;
  for (const std::string_view segment : segments.all()) {
    encoded += '/';
    base::AppendPercentEncoded(segment, &encoded);
  }
  http::PathSegments again;
  const bool same = again.Parse(encoded).ok() && again.all() == segments.all();
  return same ? "" : "a path is the same after encoding and decoding";
}

std::string ProblemOfQuery(std::string_view query) {
  http::QueryParameters parameters;
  if (!parameters.Parse(query).ok()) return "";
  std::string encoded;
  for (const http::QueryParameter& parameter : parameters.all()) {
    base::AppendPercentEncoded(parameter.key, &encoded);
    encoded += '=';
    base::AppendPercentEncoded(parameter.value, &encoded);
    encoded += '&';
  }
  http::QueryParameters again;
  const bool same = again.Parse(encoded).ok() && again.all() == parameters.all();
  return same ? "" : "a query is the same after encoding and decoding";
}

// `bytes` are those that the request consumed.
std::string ProblemOf(const http::Request& request, std::string_view bytes,
                      const HttpParser::Limits& limits) {
  const auto is_inside = [bytes](std::string_view text) {
    return text.empty() || (text.data() >= bytes.data() &&
                            text.data() + text.size() <= bytes.data() + bytes.size());
  };
  const auto is_line_part = [&is_inside](std::string_view text) {
    return is_inside(text) && text.find_first_of(std::string_view("\r\n\0", 3)) == text.npos;
  };
  if (!is_line_part(request.method) || request.method.empty())
    return "a method is a part of a line";
  if (request.path != "/" && !is_line_part(request.path)) return "a path is a part of a line";
  if (!request.path.starts_with('/') && request.path != "*") return "a path begins with a slash";
  if (!is_line_part(request.query)) return "a query is a part of a line";
  if (!is_line_part(request.host)) return "a host is a part of a line";
  if (request.headers.size() > limits.headers) return "headers have their limit";
  for (const http::HeaderLine& header : request.headers) {
    if (!is_line_part(header.name) || !is_line_part(header.value)) return "a header is one line";
  }
  const std::size_t lengths = request.CountHeaders("Content-Length");
  const std::size_t codings = request.CountHeaders("Transfer-Encoding");
  if (lengths + codings > 1) return "the length of a body is given once";
  if (request.chunked != (codings == 1)) return "chunked is what the header says";
  if (lengths + codings == 0 && !request.body.empty()) return "a body needs a length";
  if (!request.chunked && !is_inside(request.body)) return "a body is a part of the input";
  if (request.body.size() > limits.body_bytes) return "a body has its limit";
  const std::string problem = ProblemOfPath(request.path);
  return problem.empty() ? ProblemOfQuery(request.query) : problem;
}

std::string Describe(const http::Request& request) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    text += std::to_string(part.size()) + ":" + std::string(part);
  };
  for (const std::string_view part : {request.method, request.path, request.query, request.host}) {
    add(part);
  }
  text += std::to_string(request.minor_version) + std::to_string(request.keep_alive) +
          std::to_string(request.expects_continue) + std::to_string(request.chunked);
  for (const http::HeaderLine& header : request.headers) {
    add(header.name);
    add(header.value);
  }
  add(request.body);
  return text;
}

// Parses what is left of a connection's stream after some of it has arrived.
class Connection {
 public:
  explicit Connection(const HttpParser::Limits& limits) : limits_(limits) {}

  // Takes all requests from the front of `left`. False after an error of either kind.
  bool Take(std::string_view left) {
    for (;;) {
      std::size_t consumed = 0;
      switch (parser_.Next(left, limits_, &request_, &consumed)) {
        case Outcome::kIncomplete:
          if (left.size() >= limits_.InputBytes()) problem = "input has its limit";
          return problem.empty();
        case Outcome::kHead:
          if (reported_head_) problem = "a head is reported once";
          reported_head_ = true;
          break;
        case Outcome::kError:
          parsed.status = parser_.status();
          parsed.error = parser_.error();
          if (parsed.error.empty() || parsed.status < 400) problem = "an error has a cause";
          return false;
        case Outcome::kRequest:
          if (consumed == 0 || consumed > left.size()) {
            problem = "a request takes its own bytes";
            return false;
          }
          problem = ProblemOf(request_, left.substr(0, consumed), limits_);
          if (!problem.empty()) return false;
          parsed.requests.push_back(Describe(request_));
          parsed.consumed += consumed;
          left.remove_prefix(consumed);
          reported_head_ = false;
      }
    }
  }

  Parsed parsed;
  std::string problem;

 private:
  HttpParser::Limits limits_;
  HttpParser parser_;
  http::Request request_;
  bool reported_head_ = false;
};

// Parses the stream in pieces that end at `cuts`. Each piece is a copy at another address with
// nothing after it, so that reads past its end are detected.
Parsed Parse(std::string_view stream, const std::vector<std::size_t>& cuts,
             const HttpParser::Limits& limits, std::string* problem) {
  Connection connection(limits);
  for (const std::size_t end : cuts) {
    const std::size_t begin = connection.parsed.consumed;
    const auto copy = std::make_unique<char[]>(end - begin);
    stream.copy(copy.get(), end - begin, begin);
    if (!connection.Take({copy.get(), end - begin})) break;
  }
  if (problem->empty()) *problem = connection.problem;
  return connection.parsed;
}

// Expands short inputs into long streams: kRepeat and a byte stand for a run of that byte.
std::string Expand(std::string_view bytes) {
  std::string stream;
  for (std::size_t i = 0; i < bytes.size() && stream.size() < kMaxStreamBytes; ++i) {
    if (bytes[i] == kRepeat && i + 1 < bytes.size()) {
      stream.append(kRunBytes, bytes[++i]);
    } else {
      stream.push_back(bytes[i]);
    }
  }
  return stream;
}

// JSON -------------------------------------------------------------------------------------------

void WriteString(std::string_view text, std::string* json) {
  constexpr char kHex[] = "0123456789abcdef";
  *json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\') {
      json->append("\\u00").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    } else {
      *json += c;
    }
  }
  *json += '"';
}

void WriteValue(base::JsonValue value, std::string* json) {
  switch (value.kind()) {
    case base::JsonKind::kNull:
      *json += "null";
      return;
    case base::JsonKind::kBool:
      *json += value.boolean() ? "true" : "false";
      return;
    case base::JsonKind::kNumber:
      *json += value.text();
      return;
    case base::JsonKind::kString:
      return WriteString(value.text(), json);
    case base::JsonKind::kArray:
    case base::JsonKind::kObject:
      break;
  }
  const bool is_object = value.Is(base::JsonKind::kObject);
  *json += is_object ? '{' : '[';
  bool first = true;
  for (const base::JsonValue inside : value) {
    if (!first) *json += ',';
    first = false;
    if (is_object) {
      WriteString(inside.key(), json);
      *json += ':';
    }
    WriteValue(inside, json);
  }
  *json += is_object ? '}' : ']';
}

bool AreEqual(base::JsonValue a, base::JsonValue b) {
  if (a.kind() != b.kind() || a.key() != b.key()) return false;
  switch (a.kind()) {
    case base::JsonKind::kNull:
      return true;
    case base::JsonKind::kBool:
      return a.boolean() == b.boolean();
    case base::JsonKind::kNumber:
    case base::JsonKind::kString:
      return a.text() == b.text();
    case base::JsonKind::kArray:
    case base::JsonKind::kObject:
      break;
  }
  if (a.size() != b.size()) return false;
  base::JsonValue::Iterator other = b.begin();
  for (const base::JsonValue inside : a) {
    if (!AreEqual(inside, *other)) return false;
    ++other;
  }
  return other == b.end();
}

// Counts the values, and checks their texts and how deep they are.
std::string ProblemOf(base::JsonValue value, std::size_t depth, std::size_t* values) {
  ++*values;
  if (!base::IsUtf8(value.key())) return "a key is UTF-8";
  if (value.Is(base::JsonKind::kString) && !base::IsUtf8(value.text())) return "a string is UTF-8";
  if (value.Is(base::JsonKind::kNumber) && value.text().size() > base::kMaxJsonNumberBytes) {
    return "a number has its limit";
  }
  if (!value.Is(base::JsonKind::kArray) && !value.Is(base::JsonKind::kObject)) return "";
  if (depth == base::kMaxJsonDepth) return "depth has its limit";
  std::size_t size = 0;
  for (const base::JsonValue inside : value) {
    ++size;
    const std::string problem = ProblemOf(inside, depth + 1, values);
    if (!problem.empty()) return problem;
  }
  return size == value.size() ? "" : "the size is that of the contents";
}

std::string ProblemOfRefusal(const std::string& message, std::size_t text_bytes) {
  constexpr std::string_view kStart = "invalid JSON at byte ";
  if (!message.starts_with(kStart) || message.find_first_of("\r\n") != std::string::npos) {
    return "an error is one line with an offset";
  }
  const std::size_t offset = std::stoul(message.substr(kStart.size()));
  return offset <= text_bytes ? "" : "an error is inside the text";
}

}  // namespace

std::string RunHttpRequest(std::span<const std::uint8_t> bytes) {
  FuzzInput input(bytes);
  HttpParser::Limits limits;
  const std::uint8_t choice = input.Next();
  if ((choice & 1) != 0) limits.headers = 3;
  if ((choice & 2) != 0) limits.body_bytes = 20;
  if ((choice & 4) != 0) limits.head_bytes = 100;
  if ((choice & 8) != 0) limits.target_bytes = 20;
  std::vector<std::size_t> shares;  // positions of cuts in the stream, in 65536ths
  for (std::size_t left = input.Below(8); left > 0; --left) shares.push_back(input.Below(65536));
  const std::string stream = Expand(input.Take(bytes.size()));

  std::string problem;
  const Parsed whole = Parse(stream, {stream.size()}, limits, &problem);
  std::vector<std::size_t> cuts;
  for (const std::size_t share : shares) cuts.push_back(share * (stream.size() + 1) >> 16);
  std::sort(cuts.begin(), cuts.end());
  cuts.push_back(stream.size());
  const bool same = Parse(stream, cuts, limits, &problem) == whole;
  if (!same && problem.empty()) problem = "pieces make no difference";
  if (stream.size() <= kMaxBytesForSingles) {
    cuts.clear();
    for (std::size_t i = 0; i <= stream.size(); ++i) cuts.push_back(i);
    const bool same_singly = Parse(stream, cuts, limits, &problem) == whole;
    if (!same_singly && problem.empty()) problem = "single bytes make no difference";
  }
  return problem;
}

std::string RunJson(std::span<const std::uint8_t> bytes) {
  // A copy with nothing after it, so that reads past its end are detected.
  const auto copy = std::make_unique<char[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  const std::string_view text(copy.get(), bytes.size());

  base::JsonDocument document;
  const Status status = document.Parse(text);
  base::JsonDocument used;
  if (!used.Parse(R"({"a":["\n",{"b":[1,2]}],"c":"\t"})").ok()) return "a plain text is accepted";
  const Status again = used.Parse(text);
  if (status.ok() != again.ok()) return "a used document gives the same";
  if (!status.ok()) {
    if (again.error().message != status.error().message) return "a used document gives the same";
    return ProblemOfRefusal(status.error().message, text.size());
  }
  if (!AreEqual(document.root(), used.root())) return "a used document gives the same";
  std::size_t values = 0;
  std::string problem = ProblemOf(document.root(), 0, &values);
  if (!problem.empty()) return problem;
  if (values > base::kMaxJsonValues) return "values have their limit";
  std::string json;
  WriteValue(document.root(), &json);
  if (!used.Parse(json).ok()) return "a document that is written can be read";
  if (!AreEqual(document.root(), used.root())) return "a document is the same after writing it";
  return "";
}

}  // namespace laurel::fuzz
