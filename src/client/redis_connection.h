// A connection to a running Laurel, Redis or Valkey server, in RESP2. Blocking, for one thread.
//
// For one request use Ask. For many, Queue some, then call Next once for each; replies come in the
// order of the requests. Next suits large or many replies: it returns the bytes of a reply in
// place, without a copy of each element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/network_stream.h"
#include "client/redis_url.h"
#include "laurel/result.h"

namespace laurel::client {

struct RespValue {
  enum class Kind : std::uint8_t { kText, kInteger, kArray, kNull };
  Kind kind = Kind::kNull;
  std::string text;  // a simple or bulk string
  std::int64_t integer = 0;
  std::vector<RespValue> elements;

  // Returns the value after `name` in an array of names and values; null if `name` is absent.
  [[nodiscard]] const RespValue* Find(std::string_view name) const;
};

// Returns the contents of a string or the digits of an integer, given the bytes of a reply or of an
// element (wire::ReplyCursor). None for other values.
std::optional<std::string_view> TextOfReply(std::string_view reply);

// Returns the text of an error reply, with its code. REQUIRES: wire::IsErrorReply(reply).
std::string_view TextOfError(std::string_view reply);

struct ConnectOptions {
  ServerAddress address;
  TlsOptions tls;
  WaitLimits waits;  // for each step of connecting, and for a silent server
  // Advice for the error of a server that requires a login, such as "set LAUREL_TOKEN".
  std::string login_hint;
};

class RedisConnection {
 public:
  // Connects, logs in (AUTH) and selects the database. Errors name the address.
  static Result<std::unique_ptr<RedisConnection>> Connect(const ConnectOptions& options);

  // Sends a request and waits for its reply. An error reply becomes an error with its text
  // (Explain). After any other error the connection is broken. REQUIRES: in_flight() == 0.
  Result<RespValue> Ask(const std::vector<std::string>& words);

  // Queues a request, which the next call of Flush or Next sends.
  void Queue(std::span<const std::string_view> words);
  // Sends the queued requests, and receives replies that arrive meanwhile.
  Status Flush();
  // Returns the bytes of the next reply, one complete value of RESP2, which may be an error reply
  // (wire::IsErrorReply). If it has not arrived yet, sends the queued requests and waits. The view
  // is valid until the next call of any function. An error means that the connection is broken;
  // replies that arrived earlier are returned before it. REQUIRES: in_flight() > 0.
  Result<std::string_view> Next();
  // The number of requests whose replies Next has not returned.
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  [[nodiscard]] std::size_t queued_bytes() const { return output_.size() - sent_; }

  // Returns the value of a reply that Next has returned; ERR as from Ask if it is an error reply.
  [[nodiscard]] Result<RespValue> Parse(std::string_view reply) const;

  // Whether an error other than an error reply has occurred. Further calls then fail.
  [[nodiscard]] bool broken() const { return broken_.has_value(); }
  // The server's address, such as "127.0.0.1:7600".
  [[nodiscard]] const std::string& address() const { return address_; }
  // Whether a reply has been received.
  [[nodiscard]] bool answered() const { return answered_; }
  // Whether it is broken because the server was silent for the whole time limit.
  [[nodiscard]] bool timed_out() const { return timed_out_; }

  // Sets the limit of further waits, and returns the old one.
  int SetTimeoutMs(int timeout_ms);
  // Returns the text of an error reply, with advice if it requires a login.
  [[nodiscard]] std::string Explain(std::string_view text) const;

 private:
  RedisConnection(std::unique_ptr<NetworkStream> stream, std::string address,
                  std::string login_hint)
      : stream_(std::move(stream)),
        address_(std::move(address)),
        login_hint_(std::move(login_hint)) {}

  Status LogIn(const ServerAddress& as);
  // Moves bytes in both directions until some have moved.
  Status Move();
  // Scans the reply at begin_ as far as it has arrived. Returns whether it is complete; ERR if it
  // is not a reply or too large.
  Result<bool> Scan();
  Error Broken(const std::string& what);

  std::unique_ptr<NetworkStream> stream_;
  std::string address_;
  std::string login_hint_;
  std::optional<std::string> broken_;  // the reason; none if it works
  bool timed_out_ = false;
  bool answered_ = false;
  std::size_t in_flight_ = 0;
  std::string output_;  // its first sent_ bytes are sent
  std::size_t sent_ = 0;
  // Received bytes are input_[begin_, end_). The first scanned_ of them are values, or heads of
  // values, of the next reply, which still lacks missing_ values.
  std::unique_ptr<char[]> input_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t scanned_ = 0;
  std::uint64_t missing_ = 1;
};

}  // namespace laurel::client
