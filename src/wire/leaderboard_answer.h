// Writes the answers of a leaderboard as RESP replies.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "laurel/score.h"
#include "laurel/stamp.h"
#include "leaderboard/answer.h"
#include "leaderboard/answer_shape.h"
#include "wire/reply.h"

namespace laurel::wire {

namespace buffered_reply {

constexpr std::size_t DigitsOf(std::uint64_t number) {
  std::size_t digits = 1;
  for (; number >= 10'000; number /= 10'000) digits += 4;
  return digits + (number >= 10 ? 1 : 0) + (number >= 100 ? 1 : 0) + (number >= 1000 ? 1 : 0);
}

// A name as a bulk string, "$4\r\nrank\r\n", computed at compile time.
template <typename Name>
struct Bulk {
  static constexpr std::size_t kSize = 1 + DigitsOf(Name::text.size()) + 2 + Name::text.size() + 2;
  static constexpr std::array<char, kSize> kBytes = [] {
    std::array<char, kSize> bytes{};
    std::size_t at = 0;
    bytes[at++] = '$';
    const std::size_t digits = DigitsOf(Name::text.size());
    std::size_t rest = Name::text.size();
    for (std::size_t i = digits; i > 0; --i, rest /= 10) {
      bytes[at + i - 1] = static_cast<char>('0' + rest % 10);
    }
    at += digits;
    bytes[at++] = '\r';
    bytes[at++] = '\n';
    for (const char c : Name::text) bytes[at++] = c;
    bytes[at++] = '\r';
    bytes[at++] = '\n';
    return bytes;
  }();
};

}  // namespace buffered_reply

// A writer for leaderboard::ShapedAnswer. Like Reply, for replies of many small parts: collects the
// bytes in a buffer, which Flush() appends to the reply in one step.
class BufferedReply {
 public:
  explicit BufferedReply(Reply* reply) : reply_(*reply), resp3_(reply->resp3()) {}
  BufferedReply(const BufferedReply&) = delete;
  BufferedReply& operator=(const BufferedReply&) = delete;

  void Flush() {
    reply_.Raw({buffer_.data(), used_});
    used_ = 0;
  }

  void Ok() { Put("+OK\r\n"); }
  void Error(const laurel::Error& error) {
    Flush();
    reply_.Error(error);
  }
  void Null() { resp3_ ? Put("_\r\n") : Put("$-1\r\n"); }
  void NullArray() { resp3_ ? Put("_\r\n") : Put("*-1\r\n"); }
  void Integer(std::int64_t value) { Line(':', value); }
  void Moment(Stamp stamp) { Line(':', stamp); }
  void Bool(bool value) {
    if (resp3_) {
      value ? Put("#t\r\n") : Put("#f\r\n");
    } else {
      Line(':', value ? 1 : 0);
    }
  }
  void Array(std::size_t elements) { Line('*', elements); }
  void Map(std::size_t pairs) { resp3_ ? Line('%', pairs) : Line('*', pairs * 2); }

  template <typename Name>
  void Field(Name /*name*/) {
    using Bytes = buffered_reply::Bulk<Name>;
    MakeRoom(Bytes::kSize);
    std::memcpy(End(), Bytes::kBytes.data(), Bytes::kSize);
    used_ += Bytes::kSize;
  }

  void Bulk(std::string_view bytes) {
    if (bytes.size() > kBytes - kLineBytes - 2) {
      Flush();
      return reply_.Bulk(bytes);
    }
    MakeRoom(kLineBytes + bytes.size() + 2);
    PutLine('$', bytes.size());
    used_ += bytes.copy(End(), bytes.size());
    PutEnd();
  }
  void Double(std::string_view text) {
    Flush();
    reply_.Double(text);
  }
  void Decimal(std::int64_t value, int decimals) {
    if (decimals != 0) return Decimal(Int128{value}, decimals);
    MakeRoom(2 * kLineBytes);
    const auto magnitude = value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                     : static_cast<std::uint64_t>(value);
    PutLine('$', buffered_reply::DigitsOf(magnitude) + (value < 0 ? 1 : 0));
    PutNumber(value);
    PutEnd();
  }
  void Decimal(Int128 value, int decimals) {
    std::array<char, kMaxNumberText> text;
    Bulk(FormatNumber(value, decimals, text));
  }

 private:
  static constexpr std::size_t kBytes = 1024;
  static constexpr std::size_t kLineBytes = 24;  // type, at most 20 characters, CR, LF

  char* End() { return buffer_.data() + used_; }
  // REQUIRES: bytes <= kBytes.
  void MakeRoom(std::size_t bytes) {
    if (kBytes - used_ < bytes) Flush();
  }
  template <std::size_t N>
  void Put(const char (&text)[N]) {
    MakeRoom(N - 1);
    std::memcpy(End(), text, N - 1);
    used_ += N - 1;
  }
  template <typename Number>
  void Line(char type, Number number) {
    MakeRoom(kLineBytes);
    PutLine(type, number);
  }
  // The functions below do not check for room. REQUIRES: MakeRoom was called for their bytes.
  template <typename Number>
  void PutLine(char type, Number number) {
    buffer_[used_++] = type;
    PutNumber(number);
    PutEnd();
  }
  template <typename Number>
  void PutNumber(Number number) {
    used_ += static_cast<std::size_t>(std::to_chars(End(), End() + 20, number).ptr - End());
  }
  void PutEnd() {
    std::memcpy(End(), "\r\n", 2);
    used_ += 2;
  }

  Reply& reply_;
  const bool resp3_;
  std::size_t used_ = 0;
  std::array<char, kBytes> buffer_;  // not initialised
};

// Returns the maximum size of one entry of a list in a reply, without its member and meta: see
// leaderboard::Answer::EntryBytes.
std::size_t EntryReplyBytes(const leaderboard::EntryShape& shape);

// Writes the answer to one operation.
class LeaderboardAnswer : private BufferedReply, public leaderboard::ShapedAnswer<BufferedReply> {
 public:
  // `board`: the board's own name. `max_reply_bytes`: the leaderboard answers LIMIT if a list of
  // entries may exceed it. `host` as in ShapedAnswer. All must outlive this object.
  LeaderboardAnswer(Reply* reply, std::string_view board, std::size_t max_reply_bytes,
                    leaderboard::AnswerHost* host = nullptr)
      : BufferedReply(reply),
        leaderboard::ShapedAnswer<BufferedReply>(this, board, host),
        max_reply_bytes_(max_reply_bytes) {}

  [[nodiscard]] std::size_t MaxBytes() const override { return max_reply_bytes_; }
  [[nodiscard]] std::size_t EntryBytes(const leaderboard::EntryShape& shape) const override {
    return EntryReplyBytes(shape);
  }

 private:
  std::size_t max_reply_bytes_;
};

}  // namespace laurel::wire
