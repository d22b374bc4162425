// Reading requests: RESP arrays and inline commands, from bytes that arrive in any pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "wire/limits.h"

namespace laurel::wire {

// Takes requests off the front of a connection's input. Nothing is allocated from a length that a
// header claims: memory grows with the bytes that are there. The work is linear in the bytes, in
// however many pieces they come.
class RequestParser {
 public:
  struct Limits {
    std::size_t arguments = kMaxArguments;
    std::size_t bulk_bytes = kMaxBulkBytes;
    std::size_t request_bytes = kDefaultMaxRequestBytes;
    bool authenticated = true;  // the tight limits of strangers otherwise
  };

  enum class Outcome : std::uint8_t {
    kRequest,     // *consumed bytes made a request; no arguments: an empty one, to be ignored
    kIncomplete,  // more bytes are needed; what was seen is remembered
    kError,       // error() says why; the connection is to be closed
    kHttp,        // a line of an HTTP request: a web page may have sent it; close without a reply
  };

  // `input` begins where the last request ended, and after kIncomplete with the same bytes as
  // before, if at another address. Arguments are appended; they are views of `input`, and of this
  // parser for inline commands with quotes, until ReleaseInline.
  Outcome Next(std::string_view input, const Limits& limits,
               std::vector<std::string_view>* arguments, std::size_t* consumed);

  // What an error reply says after "ERR Protocol error: ".
  [[nodiscard]] const std::string& error() const { return error_; }

  // Frees the arguments of inline commands handed out so far.
  void ReleaseInline() { inline_arguments_.clear(); }

 private:
  struct Piece {
    std::size_t offset;  // from the request's first byte
    std::size_t bytes;
  };

  Outcome Multibulk(std::string_view input, const Limits& limits,
                    std::vector<std::string_view>* arguments, std::size_t* consumed);
  Outcome ReadCount(std::string_view input, const Limits& limits);
  Outcome ReadBulkLength(std::string_view input, const Limits& limits);
  Outcome Inline(std::string_view input, std::vector<std::string_view>* arguments,
                 std::size_t* consumed);
  // Reads the number and line end at position_; `what` names it in errors.
  Outcome ReadNumber(std::string_view input, const char* what, std::int64_t* number, bool* valid);
  Outcome Fail(std::string message);
  void StartOver();

  // Of the request under way.
  std::size_t position_ = 0;          // bytes of it that were understood
  std::int64_t arguments_left_ = -1;  // -1: the count is not yet read
  std::int64_t bulk_bytes_ = -1;      // -1: the length is not yet read
  std::vector<Piece> pieces_;         // arguments found before the bytes ran out

  std::string error_;
  std::deque<std::string> inline_arguments_;
};

// Whether an inline command is a line of an HTTP request: it begins with a method that is no
// command or with `Host:`, or has the form "METHOD /path HTTP/1.1". `GET key` is none.
bool IsHttpLine(std::string_view line);

// Splits a line as Redis' inline commands and config lines are: blanks separate, "…" with \n \r \t
// \b \a \xNN, '…' with \'. False if quotes are unbalanced.
bool SplitLine(std::string_view line, std::vector<std::string>* words);

}  // namespace laurel::wire
