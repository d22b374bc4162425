// Parses HTTP/1.1 requests (RFC 9110, RFC 9112) from bytes that arrive in arbitrary pieces.
//
// The parser refuses every request that a proxy in front of the server could read differently;
// otherwise a client could smuggle a second request past the proxy. Only CRLF ends a line, a header
// is one line, and the length of a body is given once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/limits.h"

namespace laurel::http {

struct HeaderLine {
  std::string_view name;  // as sent; case-insensitive
  std::string_view value;
};

// A request. Its texts are views of the input, except the body of a chunked request.
struct Request {
  std::string_view method;  // case-sensitive
  std::string_view path;    // as sent: "/…", or "*" for OPTIONS
  std::string_view query;   // as sent: everything after the first '?'
  std::string_view host;    // from an absolute target, else from the header Host
  int minor_version = 1;    // 1 for HTTP/1.1, 0 for HTTP/1.0
  bool keep_alive = true;
  bool expects_continue = false;  // the client waits for 100 Continue before it sends the body
  bool chunked = false;
  std::optional<std::size_t> content_length;  // none without the header
  std::vector<HeaderLine> headers;            // in order
  std::string_view body;

  // The value of the first header of that name, nullopt if there is none. Linear in the headers.
  [[nodiscard]] std::optional<std::string_view> Header(std::string_view name) const;
  // The number of headers with that name.
  [[nodiscard]] std::size_t CountHeaders(std::string_view name) const;
};

// Parses the requests of one connection, one at a time from the front of its input. The work is
// linear in the bytes, and neither the work nor the outcome depends on how the bytes are split into
// pieces. Memory grows with the bytes that have arrived, not with the length that a header
// announces.
class HttpParser {
 public:
  struct Limits {
    std::size_t head_bytes = kMaxHeadBytes;
    std::size_t target_bytes = kMaxTargetBytes;
    std::size_t headers = kMaxHeaders;
    std::size_t body_bytes = kDefaultMaxBodyBytes;  // without the framing of chunks

    // No request needs more bytes of input than this: earlier, the parser reports a request or an
    // error.
    [[nodiscard]] std::size_t InputBytes() const;
  };

  enum class Outcome : std::uint8_t {
    kIncomplete,  // more bytes are needed; the parser keeps its progress
    kHead,        // the head, of *consumed bytes, is complete, the body is not. Reported at most
                  // once per request; send 100 Continue now
    kRequest,     // *request is a request of *consumed bytes
    kError,       // status() and error() say why; answer and close the connection
  };

  // Parses the next request. `input` begins where the last request ended; after kIncomplete and
  // kHead it begins with the same bytes as before, possibly at another address. Limits must not
  // change within a request, except that body_bytes may decrease after the kHead of a chunked body.
  // *request is overwritten and its memory reused. It is valid while the input stays in place and,
  // if the body is chunked, until the next call.
  Outcome Next(std::string_view input, const Limits& limits, Request* request,
               std::size_t* consumed);

  // After kError: the status of the answer, and one line that says why.
  //
  //   400  malformed, or ambiguous         431  the head with the trailers is too large
  //   413  the body is too large           501  a transfer coding other than chunked
  //   414  the target is too long          505  neither HTTP/1.0 nor HTTP/1.1
  //   417  an expectation other than 100-continue
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::string& error() const { return error_; }

  // Bytes that the parser has allocated.
  [[nodiscard]] std::size_t MemoryUsage() const;
  // Frees all memory, for a connection that becomes idle. REQUIRES: no request is in progress, and
  // the last one is no longer used.
  void ReleaseMemory();

 private:
  // The next element of the input. The order matters: up to kHeader the head is incomplete.
  enum class Stage : std::uint8_t {
    kRequestLine,
    kHeader,
    kBody,  // a body with Content-Length
    kChunkLine,
    kChunk,
    kChunkEnd,
    kTrailer,
    kEnd,
    kFailed,
  };

  // A piece of the input, by its offset from the first byte of the request.
  struct Piece {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  static Piece PieceOf(std::string_view input, std::string_view text) {
    return {static_cast<std::size_t>(text.data() - input.data()), text.size()};
  }

  struct HeaderPieces {
    Piece name;
    Piece value;
  };

  // The head as far as it has been parsed.
  struct Head {
    Piece method;
    Piece path;
    Piece query;
    Piece host;
    int minor_version = 1;
    bool absolute_target = false;
    bool has_host = false;  // the header Host was present
    bool close = false;     // Connection: close
    bool keep_alive = false;
    bool expects_continue = false;
    bool unknown_expectation = false;
    bool chunked = false;
    bool unknown_coding = false;
    std::optional<std::size_t> content_length;
  };

  // Each function parses one element. It returns false after an error, or if it needs more bytes.
  bool Step(std::string_view input, const Limits& limits);
  bool TakeLine(std::string_view input, std::string_view* line);
  bool TakeHeadLine(std::string_view input, const Limits& limits, std::string_view* line);
  bool RequestLine(std::string_view input, const Limits& limits);
  bool Version(std::string_view version);
  bool Target(std::string_view input, std::string_view target);
  bool HeaderOrEnd(std::string_view input, const Limits& limits);
  bool SplitHeader(std::string_view line, HeaderLine* header);
  bool KnownHeader(std::string_view input, const HeaderLine& header);
  bool ContentLength(std::string_view value);
  bool TransferEncoding(std::string_view value);
  void Connection(std::string_view value);
  bool EndHead(const Limits& limits);
  bool Body(std::string_view input);
  bool TakeChunkLine(std::string_view input, const Limits& limits, std::string_view* line);
  bool ChunkLine(std::string_view input, const Limits& limits);
  bool Chunk(std::string_view input, const Limits& limits);
  bool ChunkEnd(std::string_view input);
  bool Trailer(std::string_view input, const Limits& limits);

  bool Fail(int status, std::string message);
  void FillRequest(std::string_view input, Request* request) const;
  void StartOver();

  // The progress of the current request.
  Stage stage_ = Stage::kRequestLine;
  bool skipped_empty_line_ = false;
  bool head_reported_ = false;
  std::size_t position_ = 0;  // bytes parsed
  std::size_t searched_ = 0;  // bytes searched for the end of a line
  Head head_;
  std::vector<HeaderPieces> headers_;
  std::size_t head_bytes_ = 0;
  std::size_t chunk_left_ = 0;     // bytes of the current chunk that have not arrived
  std::size_t framing_bytes_ = 0;  // bytes of the lines between and after the chunks
  std::size_t trailers_ = 0;
  std::size_t trailer_bytes_ = 0;

  std::string chunks_;  // the contents of a chunked body, without their framing
  int status_ = 0;
  std::string error_;
};

}  // namespace laurel::http
