// A small blocking HTTP/1.1 client for tests: one connection, kept alive, one request at a time.
//
// Throws std::runtime_error on a broken connection, on an answer that is malformed or has no
// length, and on a timeout; GoogleTest reports it as a test failure. A client is used by one
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace laurel::black_box {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "GET";
  std::string target;     // path and query, percent-encoded
  HttpHeaders headers{};  // besides Host and Content-Length, which the client adds
  std::string body{};
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;
  std::string body;

  // The value of a header; none if it is missing. Names are compared without regard to case.
  [[nodiscard]] std::optional<std::string> Header(std::string_view name) const;
};

class HttpClient {
 public:
  static constexpr int kDefaultTimeoutMs = 120'000;  // long enough for a loaded machine

  // Connects to 127.0.0.1.
  explicit HttpClient(int port, int timeout_ms = kDefaultTimeoutMs);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;
  ~HttpClient();

  // Sends the request and waits for the answer. The timeout is that of each arrival of bytes.
  HttpResponse Send(const HttpRequest& request);

 private:
  void SendAll(std::string_view bytes) const;
  // Waits for bytes and appends them to `input_`.
  void Receive();
  // Receives the head of an answer and removes it from `input_`.
  HttpResponse ReadHead();

  int fd_ = -1;
  int port_;
  int timeout_ms_;
  std::string input_;  // received and not yet used
};

// The text with every byte as %XX that is not a letter, a digit or one of -._~
std::string PercentEncoded(std::string_view text);

}  // namespace laurel::black_box
