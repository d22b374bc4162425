#include "server/http/response.h"

#include <array>
#include <charconv>
#include <ctime>

#include "base/utf8.h"
#include "wire/json_writer.h"

namespace laurel::server {
namespace {

// Returns a date such as "Tue, 17 Nov 2026 15:25:55 GMT", formatted once a second.
std::string_view Date() {
  struct Cached {
    std::time_t second = -1;
    std::array<char, 32> text{};
    std::size_t bytes = 0;
  };
  thread_local Cached cached;
  const std::time_t now = std::time(nullptr);
  if (now != cached.second) {
    std::tm parts{};
    gmtime_r(&now, &parts);
    cached.bytes =
        std::strftime(cached.text.data(), cached.text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    cached.second = now;
  }
  return {cached.text.data(), cached.bytes};
}

void AppendNumber(std::uint64_t number, std::string* out) {
  std::array<char, 20> digits;
  const char* end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out->append(digits.data(), static_cast<std::size_t>(end - digits.data()));
}

void AppendLine(std::string_view name, std::string_view value, std::string* out) {
  out->append(name);
  out->append(value);
  out->append("\r\n");
}

// Returns the text with each byte that is not UTF-8 replaced by '?'.
std::string Readable(std::string_view text) {
  std::string readable;
  while (!text.empty()) {
    const std::size_t valid = base::Utf8PrefixBytes(text);
    readable += text.substr(0, valid);
    text.remove_prefix(valid);
    if (text.empty()) break;
    readable += '?';
    text.remove_prefix(1);
  }
  return readable;
}

}  // namespace

void AppendHead(const ResponseHead& head, std::string* out) {
  out->append("HTTP/1.1 ");
  AppendNumber(static_cast<std::uint64_t>(head.status), out);
  out->push_back(' ');
  AppendLine("", ReasonOf(head.status), out);
  AppendLine("Date: ", Date(), out);
  if (!head.content_type.empty()) AppendLine("Content-Type: ", head.content_type, out);
  const bool has_length = head.status != 304 && head.status != 204;
  if (has_length && head.body_bytes != ResponseHead::kStream) {
    out->append("Content-Length: ");
    AppendNumber(head.body_bytes, out);
    out->append("\r\n");
  }
  if (!head.request_id.empty()) AppendLine("X-Request-Id: ", head.request_id, out);
  if (!head.version.empty()) {
    out->append("ETag: \"");
    out->append(head.version);
    out->append("\"\r\n");
  }
  if (head.status != 101) AppendLine("Cache-Control: ", head.cache_control, out);
  if (!head.content_type.empty()) AppendLine("X-Content-Type-Options: ", "nosniff", out);
  if (!head.allow.empty()) AppendLine("Allow: ", head.allow, out);
  if (!head.allowed_origin.empty()) {
    AppendLine("Access-Control-Allow-Origin: ", head.allowed_origin, out);
    AppendLine("Access-Control-Expose-Headers: ", "ETag, X-Request-Id, Retry-After", out);
  }
  if (head.varies_by_coding) {
    AppendLine("Vary: ", head.varies_by_origin ? "Accept-Encoding, Origin" : "Accept-Encoding",
               out);
  } else if (head.varies_by_origin) {
    AppendLine("Vary: ", "Origin", out);
  }
  if (head.retry_after_s > 0) {
    out->append("Retry-After: ");
    AppendNumber(static_cast<std::uint64_t>(head.retry_after_s), out);
    out->append("\r\n");
  }
  if (head.needs_token) AppendLine("WWW-Authenticate: ", "Bearer", out);
  if (head.closes) AppendLine("Connection: ", "close", out);
  out->append(head.more);
  out->append("\r\n");
}

void AppendProblem(const Problem& problem, std::string* out) {
  wire::JsonWriter json(out);
  json.Map(4 + (problem.field.empty() ? 0U : 1U) + (problem.request_id.empty() ? 0U : 1U));
  json.Pair("title", ReasonOf(problem.status));
  json.Pair("status", problem.status);
  json.Pair("code", problem.code);
  json.Pair("detail", Readable(problem.detail));
  if (!problem.field.empty()) {
    json.Pair("field", Readable(problem.field));
  }
  if (problem.request_id.empty()) return;
  json.Pair("request_id", problem.request_id);
}

}  // namespace laurel::server
