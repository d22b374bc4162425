// Request parser: however the bytes are cut into pieces, the same requests and the same error come
// out, and no request exceeds the limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "wire/resp_parser.h"

namespace {

using laurel::fuzz::FuzzInput;
using laurel::wire::RespParser;

constexpr std::size_t kRunBytes = 10'000;  // length of a run; a few runs exceed the longest line
constexpr std::size_t kMaxStreamBytes = 200'000;
constexpr char kRepeat = '\x01';

void Require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

struct Parsed {
  std::vector<std::vector<std::string>> requests;
  std::string error;
  std::size_t consumed = 0;

  bool operator==(const Parsed&) const = default;
};

void CheckLimits(std::string_view bytes, const std::vector<std::string>& request,
                 const RespParser::Limits& limits) {
  if (bytes[0] != '*') {
    Require(bytes.size() <= laurel::wire::kMaxInlineBytes + 1, "an inline request is a line");
    return;
  }
  Require(bytes.size() <= limits.request_bytes, "a request has its limit");
  Require(request.size() <= limits.arguments, "arguments have their limit");
  Require(limits.authenticated || request.size() <= laurel::wire::kMaxArgumentsBeforeAuth,
          "strangers' arguments have a tight limit");
  for (const std::string& argument : request) {
    Require(argument.size() <= limits.bulk_bytes, "an argument has its limit");
    Require(limits.authenticated || argument.size() <= laurel::wire::kMaxBulkBytesBeforeAuth,
            "a stranger's argument has a tight limit");
  }
}

// Parses the stream in pieces that end at `cuts`. Each piece is a copy at another address with
// nothing after it, so that reads past its end are detected.
Parsed Parse(std::string_view stream, const std::vector<std::size_t>& cuts,
             const RespParser::Limits& limits) {
  Parsed parsed;
  RespParser parser;
  for (const std::size_t end : cuts) {
    const std::size_t begin = parsed.consumed;
    const auto copy = std::make_unique<char[]>(end - begin);
    stream.copy(copy.get(), end - begin, begin);
    std::string_view left(copy.get(), end - begin);
    for (bool more = true; more;) {
      std::vector<std::string_view> arguments = {"before"};
      std::size_t consumed = 0;
      switch (parser.Next(left, limits, &arguments, &consumed)) {
        case RespParser::Outcome::kIncomplete:
          Require(arguments.size() == 1, "no arguments before the request is whole");
          more = false;
          break;
        case RespParser::Outcome::kError:
          Require(!parser.error().empty(), "an error has a cause");
          parsed.error = parser.error();
          return parsed;
        case RespParser::Outcome::kHttp:
          parsed.error = "HTTP";
          return parsed;
        case RespParser::Outcome::kRequest:
          Require(consumed > 0 && consumed <= left.size(), "a request takes its own bytes");
          Require(arguments[0] == "before", "arguments are appended");
          parsed.requests.emplace_back(arguments.begin() + 1, arguments.end());
          CheckLimits(left.substr(0, consumed), parsed.requests.back(), limits);
          parser.ReleaseInline();
          left.remove_prefix(consumed);
          parsed.consumed += consumed;
      }
    }
  }
  return parsed;
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

// Splitting a line, quoting every word and splitting again must give the same words.
void CheckSplitLine(std::string_view line) {
  constexpr char kHex[] = "0123456789abcdef";
  std::vector<std::string> words;
  if (!laurel::wire::SplitLine(line, &words)) return;
  std::string quoted;
  for (const std::string& word : words) {
    quoted += " \"";
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      quoted.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
    quoted += '"';
  }
  std::vector<std::string> again;
  Require(laurel::wire::SplitLine(quoted, &again), "quoted words are balanced");
  Require(again == words, "quoted words are the same words");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzInput input({data, size});
  RespParser::Limits limits;
  const std::uint8_t choice = input.Next();
  if ((choice & 1) != 0) limits.arguments = 4;
  if ((choice & 2) != 0) limits.bulk_bytes = 20;
  if ((choice & 4) != 0) limits.request_bytes = 60;
  limits.authenticated = (choice & 8) == 0;
  std::vector<std::size_t> shares;  // positions of cuts in the stream, in 65536ths
  for (std::size_t left = input.Below(8); left > 0; --left) shares.push_back(input.Below(65536));
  const std::string stream = Expand(input.Take(size));

  std::vector<std::size_t> cuts;
  for (const std::size_t share : shares) cuts.push_back(share * (stream.size() + 1) >> 16);
  std::sort(cuts.begin(), cuts.end());
  cuts.push_back(stream.size());
  const Parsed whole = Parse(stream, {stream.size()}, limits);
  Require(Parse(stream, cuts, limits) == whole, "pieces make no difference");
  if (stream.size() <= 300) {
    cuts.clear();
    for (std::size_t i = 0; i <= stream.size(); ++i) cuts.push_back(i);
    Require(Parse(stream, cuts, limits) == whole, "single bytes make no difference");
  }
  CheckSplitLine(stream);
  return 0;
}
