// A small blocking client for tests, written apart from the server's own codec so that both cannot
// be wrong in the same way. Reads RESP2 and RESP3.
//
// A broken connection, bytes that are no reply, and a reply that does not come in time throw
// std::runtime_error; GoogleTest makes a failure of it. One thread per client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laurel::black_box {

using Arguments = std::vector<std::string>;

// One reply, as it was typed on the wire.
struct Value {
  // The type byte: + - : $ * _ , # ! = ( % ~ >
  char type = '_';
  // RESP2 knows two absent values, `$-1` and `*-1`; RESP3 has `_`. All three are null.
  bool null = false;
  // The line of a simple type, the bytes of a string (`=` with its three letters and colon).
  std::string text;
  // Of * ~ > in order; of % key, value, key, value, …
  std::vector<Value> elements;

  bool operator==(const Value& other) const = default;

  bool IsNull() const { return null; }
  bool IsError() const { return type == '-' || type == '!'; }
  bool IsAggregate() const { return type == '*' || type == '~' || type == '>' || type == '%'; }
  std::int64_t Integer() const;  // REQUIRES: type ':'

  // The value beside `name` in a map, or in a flat array of names and values, which is what RESP2
  // makes of a map. Null if it is not there.
  const Value* Find(std::string_view name) const;

  // One line for people and for comparison: +OK, -ERR …, 5, "text\n", nil, nil-array, ,1.5, #t,
  // [a, b], {k: v}, ~[a, b], >[a, b], (123, ="txt:…", !"…".
  std::string ToString() const;
};

// The bytes of a command: an array of bulk strings.
std::string Encoded(const Arguments& arguments);
// Printable, in double quotes, every other byte as \xHH.
std::string Quoted(std::string_view bytes);
// The arguments quoted where they have to be, as one types them.
std::string Quoted(const Arguments& arguments);

// The reply at the front of `bytes`, and its length in `consumed`; none if it is not whole yet.
// Attributes (`|`) in front of a reply are skipped, and counted in `consumed`.
std::optional<Value> ParseReply(std::string_view bytes, std::size_t* consumed);

// Finds where the reply at the front of growing bytes ends, looking at each of them once: a reply
// of many megabytes comes in thousands of pieces.
class ReplyScanner {
 public:
  // The length of the reply at the front of `bytes`; none if it is not whole yet. Call it again
  // with the same bytes and more behind them. After a length was given it is ready for the next
  // reply.
  std::optional<std::size_t> Scan(std::string_view bytes);

 private:
  // Steps over one value or the head of an aggregate. False if it is not whole yet.
  bool Step(std::string_view bytes);

  std::size_t position_ = 0;
  std::uint64_t wanted_ = 1;  // values still to come before the reply is whole
};

class RespClient {
 public:
  static constexpr int kDefaultTimeoutMs = 10'000;

  // Connects to 127.0.0.1.
  explicit RespClient(int port, int timeout_ms = kDefaultTimeoutMs);
  // `host` is an IPv4 address.
  RespClient(const std::string& host, int port, int timeout_ms = kDefaultTimeoutMs);
  RespClient(RespClient&& other) noexcept;
  RespClient& operator=(RespClient&& other) noexcept;
  ~RespClient();

  // Sends all of it. Reads meanwhile what comes, so that two full sockets do not wait for each
  // other.
  void SendRaw(std::string_view bytes);
  void Send(const Arguments& arguments) { SendRaw(Encoded(arguments)); }
  // Half-closes the connection: the server meets the end of input.
  void FinishSending();

  // The next reply. The raw form is exactly its bytes.
  Value ReadReply();
  std::string ReadRawReply();
  // Waits until there is a whole reply, at most so long; it is left to be read.
  bool ReplyWithin(int timeout_ms);
  // Waits for the server to close the connection. False if it does not, or sends anything more.
  bool ReadEnd();

  Value Command(const Arguments& arguments) {
    Send(arguments);
    return ReadReply();
  }
  // Command, as text: see Value::ToString.
  std::string Ask(const Arguments& arguments) { return Command(arguments).ToString(); }

  // Waits for a reply from now on at most so long.
  void set_timeout_ms(int timeout_ms) { timeout_ms_ = timeout_ms; }
  int fd() const { return fd_; }

 private:
  enum class Filled { kBytes, kEnd, kTimeout };

  // Waits for bytes and appends them to what is there to be parsed.
  Filled Fill(int timeout_ms);
  void ReceiveAvailable();
  // Waits for a whole reply; its bytes, which are good until the next call.
  std::string_view NextReply();
  std::string_view Unread() const { return std::string_view(input_).substr(consumed_); }
  void Consume(std::size_t count);

  int fd_ = -1;
  int timeout_ms_;
  std::string input_;
  std::size_t consumed_ = 0;  // bytes of input_ that were given out
  ReplyScanner scanner_;
  std::optional<std::size_t> scanned_;  // length of the reply in front, once it is whole
  bool ended_ = false;
};

}  // namespace laurel::black_box
