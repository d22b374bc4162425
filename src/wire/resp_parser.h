// Parses requests, RESP arrays and inline commands, from bytes that arrive in arbitrary pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "wire/limits.h"

namespace laurel::wire {

// Parses the requests of one connection, one at a time from the front of its input. Memory grows
// with the bytes that have arrived, never with a claimed length. The work is linear in the bytes,
// independent of how they are split into pieces.
class RespParser {
 public:
  struct Limits {
    std::size_t arguments = kMaxArguments;
    std::size_t bulk_bytes = kMaxBulkBytes;
    std::size_t request_bytes = kDefaultMaxRequestBytes;
    bool authenticated = true;  // false: the limits for clients before AUTH apply as well
  };

  enum class Outcome : std::uint8_t {
    kRequest,     // a request of *consumed bytes; an empty one has no arguments, ignore it
    kIncomplete,  // more bytes are needed; the parser keeps its progress
    kError,       // error() says why; close the connection
    kHttp,        // a line of an HTTP request, perhaps from a web page: close, execute nothing more
  };

  // Parses the next request. `input` begins where the last request ended; after kIncomplete it
  // begins with the same bytes as before, possibly at another address. Appends to *arguments: views
  // of `input` or, for inline commands, of memory of this parser, valid until ReleaseInline.
  Outcome Next(std::string_view input, const Limits& limits,
               std::vector<std::string_view>* arguments, std::size_t* consumed);

  // Returns the text for an error reply, after "ERR Protocol error: ".
  [[nodiscard]] const std::string& error() const { return error_; }

  // Frees the arguments of all inline commands so far.
  void ReleaseInline() { inline_arguments_.clear(); }

 private:
  struct Piece {
    std::size_t offset;  // from the first byte of the request
    std::size_t bytes;
  };

  Outcome Multibulk(std::string_view input, const Limits& limits,
                    std::vector<std::string_view>* arguments, std::size_t* consumed);
  Outcome ReadCount(std::string_view input, const Limits& limits);
  Outcome ReadBulkLength(std::string_view input, const Limits& limits);
  Outcome Inline(std::string_view input, std::vector<std::string_view>* arguments,
                 std::size_t* consumed);
  // Reads the number and line end at position_. `what`: the error text if the line is too long.
  // *valid: whether the line is an integer. Returns kRequest if the line is complete.
  Outcome ReadNumber(std::string_view input, const char* what, std::int64_t* number, bool* valid);
  Outcome Fail(std::string message);
  void StartOver();

  // The progress of the current request.
  std::size_t position_ = 0;          // bytes parsed; for an inline command: bytes searched for LF
  std::int64_t arguments_left_ = -1;  // -1: the count is not yet read
  std::int64_t bulk_bytes_ = -1;      // -1: the length is not yet read
  std::vector<Piece> pieces_;         // arguments found in earlier calls

  std::string error_;
  std::deque<std::string> inline_arguments_;
};

// Whether an inline command is a line of an HTTP request: it begins with an HTTP method other than
// GET, or with `Host:`, or it has the form "METHOD /path HTTP/1.1". `GET key` is not one.
bool IsHttpLine(std::string_view line);

// Splits a line by Redis' rules for inline commands and config files: words are separated by
// blanks; "…" may contain \n \r \t \b \a \xNN, and '…' may contain \'. False if quotes are
// unbalanced.
bool SplitLine(std::string_view line, std::vector<std::string>* words);

}  // namespace laurel::wire
