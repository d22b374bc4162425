#include "http/http_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/assert.h"
#include "base/text.h"

namespace laurel::http {
namespace {

constexpr int kBadRequest = 400;
constexpr int kContentTooLarge = 413;
constexpr int kUriTooLong = 414;
constexpr int kExpectationFailed = 417;
constexpr int kHeadTooLarge = 431;
constexpr int kNotImplemented = 501;
constexpr int kVersionNotSupported = 505;

constexpr std::string_view kLineEnd = "\r\n";

// Character sets, as bits.
constexpr std::uint8_t kToken = 1;      // names of headers, methods
constexpr std::uint8_t kValue = 2;      // values of headers
constexpr std::uint8_t kTarget = 4;     // request targets
constexpr std::uint8_t kAuthority = 8;  // a host with or without a port

constexpr std::array<std::uint8_t, 256> kCharacters = [] {
  std::array<std::uint8_t, 256> sets{};
  const auto add = [&sets](std::string_view characters, std::uint8_t set) {
    for (const char c : characters) sets[static_cast<unsigned char>(c)] |= set;
  };
  for (unsigned c = 0x20; c < 256; ++c) {
    if (c != 0x7f) sets[c] |= kValue;
    if (c > 0x20 && c < 0x7f && c != '#') sets[c] |= kTarget;
  }
  add("\t", kValue);
  add("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", kToken | kAuthority);
  add("!#$%&'*+-.^_`|~", kToken);
  add("-._~%!$&'()*+,;=:[]", kAuthority);
  return sets;
}();

bool IsAll(std::string_view text, std::uint8_t set) {
  return std::all_of(text.begin(), text.end(), [set](char c) {
    return (kCharacters[static_cast<unsigned char>(c)] & set) != 0;
  });
}

// Parses the whole text as digits. False for any other character and for an overflow.
bool ParseDigits(std::string_view text, int radix, std::size_t* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number, radix);
  return error == std::errc() && stop == end;
}

}  // namespace

std::optional<std::string_view> Request::Header(std::string_view name) const {
  for (const HeaderLine& header : headers) {
    if (base::IsWord(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::size_t Request::CountHeaders(std::string_view name) const {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(),
                    [name](const HeaderLine& header) { return base::IsWord(header.name, name); }));
}

std::size_t HttpParser::Limits::InputBytes() const {
  // A line of a chunked body is counted only when it is complete, and the end of a chunk together
  // with the next line.
  constexpr std::size_t kUncounted = kMaxChunkLineBytes + kLineEnd.size();
  return head_bytes + 2 * body_bytes + kMaxChunkFramingBytes + kUncounted;
}

HttpParser::Outcome HttpParser::Next(std::string_view input, const Limits& limits, Request* request,
                                     std::size_t* consumed) {
  LAUREL_ASSERT(input.size() >= position_);
  while (stage_ != Stage::kEnd) {
    if (Step(input, limits)) continue;
    if (stage_ == Stage::kFailed) return Outcome::kError;
    if (stage_ <= Stage::kHeader || head_reported_) return Outcome::kIncomplete;
    head_reported_ = true;
    FillRequest(input, request);
    *consumed = head_bytes_;
    return Outcome::kHead;
  }
  FillRequest(input, request);
  request->body =
      head_.chunked ? chunks_ : input.substr(head_bytes_, head_.content_length.value_or(0));
  *consumed = position_;
  StartOver();
  return Outcome::kRequest;
}

void HttpParser::ReleaseMemory() {
  LAUREL_ASSERT(stage_ == Stage::kRequestLine && position_ == 0);
  // Assigning an empty value would keep the capacity.
  static_cast<void>(std::exchange(headers_, {}));
  static_cast<void>(std::exchange(chunks_, {}));
}

std::size_t HttpParser::MemoryUsage() const {
  return headers_.capacity() * sizeof(HeaderPieces) + chunks_.capacity();
}

bool HttpParser::Step(std::string_view input, const Limits& limits) {
  switch (stage_) {
    case Stage::kRequestLine:
      return RequestLine(input, limits);
    case Stage::kHeader:
      return HeaderOrEnd(input, limits);
    case Stage::kBody:
      return Body(input);
    case Stage::kChunkLine:
      return ChunkLine(input, limits);
    case Stage::kChunk:
      return Chunk(input, limits);
    case Stage::kChunkEnd:
      return ChunkEnd(input);
    case Stage::kTrailer:
      return Trailer(input, limits);
    case Stage::kEnd:
    case Stage::kFailed:
      break;
  }
  return false;
}

// Takes the line at position_ without its line end.
bool HttpParser::TakeLine(std::string_view input, std::string_view* line) {
  const std::size_t end = input.find('\n', std::max(searched_, position_));
  if (end == std::string_view::npos) {
    searched_ = input.size();
    return false;
  }
  if (end == position_ || input[end - 1] != '\r') {
    return Fail(kBadRequest, "a line ends with LF alone");
  }
  *line = input.substr(position_, end - 1 - position_);
  position_ = end + 1;
  return true;
}

// The head -------------------------------------------------------------------------------------

bool HttpParser::TakeHeadLine(std::string_view input, const Limits& limits,
                              std::string_view* line) {
  // Bytes beyond the limit are not parsed, so the outcome does not depend on whether they have
  // arrived yet.
  if (TakeLine(input.substr(0, limits.head_bytes), line)) return true;
  if (stage_ == Stage::kFailed || input.size() < limits.head_bytes) return false;
  if (stage_ == Stage::kRequestLine) return Fail(kUriTooLong, "the request line is too long");
  return Fail(kHeadTooLarge,
              "the head has more than " + std::to_string(limits.head_bytes) + " bytes");
}

bool HttpParser::RequestLine(std::string_view input, const Limits& limits) {
  std::string_view line;
  if (!TakeHeadLine(input, limits, &line)) return false;
  if (line.empty() && !skipped_empty_line_) {  // some clients send one after a body
    skipped_empty_line_ = true;
    return true;
  }
  const std::size_t space = line.find(' ');
  const std::size_t last_space = line.rfind(' ');
  if (space == std::string_view::npos || space == last_space) {
    return Fail(kBadRequest, "the request line is not METHOD TARGET VERSION");
  }
  const std::string_view method = line.substr(0, space);
  const std::string_view target = line.substr(space + 1, last_space - space - 1);
  if (method.empty() || !IsAll(method, kToken)) return Fail(kBadRequest, "the method is no token");
  if (!Version(line.substr(last_space + 1))) return false;
  if (target.size() > limits.target_bytes) {
    return Fail(kUriTooLong,
                "the target has more than " + std::to_string(limits.target_bytes) + " bytes");
  }
  head_.method = PieceOf(input, method);
  stage_ = Stage::kHeader;
  return Target(input, target);
}

bool HttpParser::Version(std::string_view version) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (version.size() != 8 || !version.starts_with("HTTP/") || !is_digit(version[5]) ||
      version[6] != '.' || !is_digit(version[7])) {
    return Fail(kBadRequest, "the request line does not end with a version such as HTTP/1.1");
  }
  if (version[5] != '1' || version[7] > '1') {
    return Fail(kVersionNotSupported, "the server speaks HTTP/1.1 and HTTP/1.0");
  }
  head_.minor_version = version[7] - '0';
  return true;
}

bool HttpParser::Target(std::string_view input, std::string_view target) {
  if (!IsAll(target, kTarget)) {
    return Fail(kBadRequest,
                "the target has a blank, a '#', or a byte that must be percent-encoded");
  }
  if (target == "*" && input.substr(head_.method.offset, head_.method.bytes) == "OPTIONS") {
    head_.path = PieceOf(input, target);
    return true;
  }
  const std::size_t scheme_bytes = base::IsWord(target.substr(0, 7), "http://")    ? 7
                                   : base::IsWord(target.substr(0, 8), "https://") ? 8
                                                                                   : 0;
  if (scheme_bytes > 0) {
    target.remove_prefix(scheme_bytes);
    const std::string_view authority = target.substr(0, target.find_first_of("/?"));
    if (authority.empty() || !IsAll(authority, kAuthority)) {
      return Fail(kBadRequest, "the target has no valid host");
    }
    head_.absolute_target = true;
    head_.host = PieceOf(input, authority);
    target.remove_prefix(authority.size());
  }
  if (!head_.absolute_target && !target.starts_with('/')) {
    return Fail(kBadRequest, "the target does not begin with '/'");
  }
  const std::string_view path = target.substr(0, target.find('?'));
  head_.path = PieceOf(input, path);
  head_.query = PieceOf(input, target.substr(std::min(path.size() + 1, target.size())));
  return true;
}

bool HttpParser::HeaderOrEnd(std::string_view input, const Limits& limits) {
  std::string_view line;
  if (!TakeHeadLine(input, limits, &line)) return false;
  if (line.empty()) return EndHead(limits);
  if (headers_.size() == limits.headers) {
    return Fail(kHeadTooLarge, "more than " + std::to_string(limits.headers) + " headers");
  }
  HeaderLine header;
  if (!SplitHeader(line, &header)) return false;
  headers_.push_back({PieceOf(input, header.name), PieceOf(input, header.value)});
  return KnownHeader(input, header);
}

bool HttpParser::SplitHeader(std::string_view line, HeaderLine* header) {
  if (line[0] == ' ' || line[0] == '\t')
    return Fail(kBadRequest, "a header is folded over several lines");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return Fail(kBadRequest, "a header has no colon");
  header->name = line.substr(0, colon);
  if (colon == 0 || !IsAll(header->name, kToken)) {
    return Fail(kBadRequest, "the name of a header is empty, has a blank or a forbidden character");
  }
  header->value = base::Trimmed(line.substr(colon + 1));
  if (!IsAll(header->value, kValue)) {
    return Fail(kBadRequest, "a header has a control character");
  }
  return true;
}

// Handles the headers that determine where the request ends and how it is answered.
bool HttpParser::KnownHeader(std::string_view input, const HeaderLine& header) {
  const auto is = [&header](std::string_view name) { return base::IsWord(header.name, name); };
  if (is("Host")) {
    if (head_.has_host) return Fail(kBadRequest, "Host is given twice");
    if (!IsAll(header.value, kAuthority)) return Fail(kBadRequest, "Host is not a host");
    head_.has_host = true;
    if (!head_.absolute_target) head_.host = PieceOf(input, header.value);
    return true;
  }
  if (is("Content-Length")) return ContentLength(header.value);
  if (is("Transfer-Encoding")) return TransferEncoding(header.value);
  if (is("Connection")) Connection(header.value);
  if (is("Expect")) {
    const bool known = base::IsWord(header.value, "100-continue");
    (known ? head_.expects_continue : head_.unknown_expectation) = true;
  }
  return true;
}

bool HttpParser::ContentLength(std::string_view value) {
  if (head_.content_length) return Fail(kBadRequest, "Content-Length is given twice");
  std::size_t bytes = 0;
  if (!ParseDigits(value, 10, &bytes)) return Fail(kBadRequest, "Content-Length is not a length");
  head_.content_length = bytes;
  return true;
}

bool HttpParser::TransferEncoding(std::string_view value) {
  if (head_.chunked || head_.unknown_coding) {
    return Fail(kBadRequest, "Transfer-Encoding is given twice");
  }
  const bool known = base::IsWord(value, "chunked");
  (known ? head_.chunked : head_.unknown_coding) = true;
  return true;
}

void HttpParser::Connection(std::string_view value) {
  for (;;) {
    const std::size_t comma = value.find(',');
    const std::string_view option = base::Trimmed(value.substr(0, comma));
    if (base::IsWord(option, "close")) head_.close = true;
    if (base::IsWord(option, "keep-alive")) head_.keep_alive = true;
    if (comma == std::string_view::npos) return;
    value.remove_prefix(comma + 1);
  }
}

// Checks the head as a whole and determines the length of the body.
bool HttpParser::EndHead(const Limits& limits) {
  const bool has_coding = head_.chunked || head_.unknown_coding;
  if (head_.minor_version == 1 && !head_.has_host) return Fail(kBadRequest, "Host is missing");
  if (has_coding && head_.content_length) {
    return Fail(kBadRequest, "Content-Length and Transfer-Encoding exclude each other");
  }
  if (has_coding && head_.minor_version == 0) {
    return Fail(kBadRequest, "Transfer-Encoding is not part of HTTP/1.0");
  }
  if (head_.unknown_coding) {
    return Fail(kNotImplemented, "the only transfer coding is 'chunked'");
  }
  if (head_.content_length.value_or(0) > limits.body_bytes) {
    return Fail(kContentTooLarge,
                "the body has more than " + std::to_string(limits.body_bytes) + " bytes");
  }
  if (head_.unknown_expectation) {
    return Fail(kExpectationFailed, "the only expectation is '100-continue'");
  }
  head_bytes_ = position_;
  stage_ = head_.chunked ? Stage::kChunkLine : Stage::kBody;
  chunks_.clear();
  return true;
}

// The body -------------------------------------------------------------------------------------

bool HttpParser::Body(std::string_view input) {
  const std::size_t bytes = head_.content_length.value_or(0);
  if (input.size() - head_bytes_ < bytes) return false;
  position_ = head_bytes_ + bytes;
  stage_ = Stage::kEnd;
  return true;
}

bool HttpParser::TakeChunkLine(std::string_view input, const Limits& limits,
                               std::string_view* line) {
  const std::size_t begin = position_;
  if (!TakeLine(input.substr(0, begin + kMaxChunkLineBytes), line)) {
    if (stage_ == Stage::kFailed || input.size() - begin < kMaxChunkLineBytes) return false;
    return Fail(kBadRequest, "a line of the chunked body has more than " +
                                 std::to_string(kMaxChunkLineBytes) + " bytes");
  }
  framing_bytes_ += position_ - begin;
  if (framing_bytes_ > limits.body_bytes + kMaxChunkFramingBytes) {
    return Fail(kContentTooLarge,
                "the chunks of the body are too small, or their extensions large");
  }
  return true;
}

bool HttpParser::ChunkLine(std::string_view input, const Limits& limits) {
  std::string_view line;
  if (!TakeChunkLine(input, limits, &line)) return false;
  const std::string_view digits = line.substr(0, line.find(';'));
  if (!ParseDigits(digits, 16, &chunk_left_)) {
    return Fail(kBadRequest, "a chunk has no valid size");
  }
  if (!IsAll(line, kValue)) return Fail(kBadRequest, "a chunk's extension has a control character");
  stage_ = chunk_left_ == 0 ? Stage::kTrailer : Stage::kChunk;
  return true;
}

bool HttpParser::Chunk(std::string_view input, const Limits& limits) {
  // Checked here and not with the chunk's line, because the limit may have decreased since.
  if (chunks_.size() > limits.body_bytes || chunk_left_ > limits.body_bytes - chunks_.size()) {
    return Fail(kContentTooLarge,
                "the body has more than " + std::to_string(limits.body_bytes) + " bytes");
  }
  const std::string_view arrived = input.substr(position_, chunk_left_);
  chunks_ += arrived;
  position_ += arrived.size();
  chunk_left_ -= arrived.size();
  if (chunk_left_ > 0) return false;
  stage_ = Stage::kChunkEnd;
  return true;
}

bool HttpParser::ChunkEnd(std::string_view input) {
  const std::string_view end = input.substr(position_, kLineEnd.size());
  if (!kLineEnd.starts_with(end)) return Fail(kBadRequest, "a chunk is longer than its size");
  if (end.size() < kLineEnd.size()) return false;
  position_ += kLineEnd.size();
  framing_bytes_ += kLineEnd.size();
  stage_ = Stage::kChunkLine;
  return true;
}

// Trailers are checked and counted like headers, then ignored: no relevant header may come this
// late.
bool HttpParser::Trailer(std::string_view input, const Limits& limits) {
  const std::size_t begin = position_;
  std::string_view line;
  if (!TakeChunkLine(input, limits, &line)) return false;
  trailer_bytes_ += position_ - begin;
  if (head_bytes_ + trailer_bytes_ > limits.head_bytes) {
    return Fail(kHeadTooLarge, "the head and the trailers have more than " +
                                   std::to_string(limits.head_bytes) + " bytes");
  }
  if (line.empty()) {
    stage_ = Stage::kEnd;
    return true;
  }
  if (headers_.size() + ++trailers_ > limits.headers) {
    return Fail(kHeadTooLarge, "more than " + std::to_string(limits.headers) + " headers");
  }
  HeaderLine ignored;
  return SplitHeader(line, &ignored);
}

bool HttpParser::Fail(int status, std::string message) {
  stage_ = Stage::kFailed;
  status_ = status;
  error_ = std::move(message);
  return false;
}

void HttpParser::FillRequest(std::string_view input, Request* request) const {
  const auto view = [input](Piece piece) { return input.substr(piece.offset, piece.bytes); };
  request->method = view(head_.method);
  request->path = head_.path.bytes == 0 ? "/" : view(head_.path);
  request->query = view(head_.query);
  request->host = view(head_.host);
  request->minor_version = head_.minor_version;
  request->keep_alive = !head_.close && (head_.minor_version == 1 || head_.keep_alive);
  const bool has_body = head_.chunked || head_.content_length.value_or(0) > 0;
  request->expects_continue = head_.expects_continue && has_body && head_.minor_version == 1;
  request->chunked = head_.chunked;
  request->content_length = head_.content_length;
  request->headers.clear();
  for (const HeaderPieces& header : headers_) {
    request->headers.push_back({view(header.name), view(header.value)});
  }
  request->body = {};
}

void HttpParser::StartOver() {
  stage_ = Stage::kRequestLine;
  skipped_empty_line_ = false;
  head_reported_ = false;
  position_ = 0;
  searched_ = 0;
  head_ = {};
  headers_.clear();
  head_bytes_ = 0;
  framing_bytes_ = 0;
  trailers_ = 0;
  trailer_bytes_ = 0;
}

}  // namespace laurel::http
