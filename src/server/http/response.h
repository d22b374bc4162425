// HTTP responses: heads and problems (RFC 9457).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/status.h"

namespace laurel::server {

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kProblemType = "application/problem+json";
inline constexpr std::string_view kEventStreamType = "text/event-stream";

using http::ReasonOf;
using http::StatusOf;

// The head of a response. Texts must not have line breaks.
struct ResponseHead {
  int status = 200;
  std::string_view content_type = kJsonType;  // empty: there is no body
  // Bytes of the body; kStream: the body ends with the connection.
  static constexpr std::size_t kStream = SIZE_MAX;
  std::size_t body_bytes = 0;
  std::string_view request_id{};
  std::string_view version{};  // for ETag; empty: none
  std::string_view allow{};
  std::string_view allowed_origin{};  // Access-Control-Allow-Origin; empty: none
  bool varies_by_origin = false;
  bool varies_by_coding = false;  // the body depends on Accept-Encoding
  std::string_view cache_control = "no-cache";
  int retry_after_s = 0;     // 0: none
  bool needs_token = false;  // WWW-Authenticate
  bool closes = false;
  std::string_view more{};  // further header lines, each with CRLF
};
void AppendHead(const ResponseHead& head, std::string* out);

// An error, for the body of a problem.
struct Problem {
  int status = 400;
  std::string_view code = "ERR";
  std::string_view detail{};
  std::string_view field{};  // the parameter or key at fault; may be empty
  std::string_view request_id{};
};
// Appends the body. Bytes of detail and field that are not UTF-8 are replaced.
void AppendProblem(const Problem& problem, std::string* out);

}  // namespace laurel::server
