// Writing replies: RESP2 and RESP3 from one set of calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::wire {

enum class Protocol : std::uint8_t { kResp2 = 2, kResp3 = 3 };

// Appends replies to a byte buffer. Aggregates are announced with their size, then their elements
// are written one after the other.
class Reply {
 public:
  Reply(std::string* out, Protocol protocol) : out_(out), protocol_(protocol) {}

  // The same buffer in another protocol.
  [[nodiscard]] Reply WithProtocol(Protocol protocol) const { return {out_, protocol}; }
  [[nodiscard]] Protocol protocol() const { return protocol_; }
  [[nodiscard]] bool resp3() const { return protocol_ == Protocol::kResp3; }
  [[nodiscard]] std::size_t size() const { return out_->size(); }

  void Ok() { out_->append("+OK\r\n"); }
  void Simple(std::string_view text);  // REQUIRES: no CR or LF
  // The line after '-', code first. CR and LF in it become blanks: errors quote strangers' text.
  void Error(std::string_view line);
  void Integer(std::int64_t value);
  void Bulk(std::string_view bytes);
  // A double by its text: a bulk string, in RESP3 a double.
  void Double(std::string_view text);
  void Bool(bool value);  // :1 or :0, in RESP3 #t or #f
  void Null();            // $-1, in RESP3 _
  void NullArray();       // *-1, in RESP3 _
  void Array(std::size_t elements) { Aggregate('*', elements); }
  // `pairs` keys and values in turn; a flat array in RESP2.
  void Map(std::size_t pairs) { resp3() ? Aggregate('%', pairs) : Aggregate('*', pairs * 2); }
  void Set(std::size_t elements) { Aggregate(resp3() ? '~' : '*', elements); }
  // Text for people: a verbatim string in RESP3, a bulk string in RESP2.
  void Verbatim(std::string_view text);
  // Takes back what was written since size() was `size`.
  void Cut(std::size_t size) { out_->resize(size); }
  // Bytes that are a reply already.
  void Raw(std::string_view bytes) { out_->append(bytes); }

 private:
  void Aggregate(char type, std::size_t elements);

  std::string* out_;
  Protocol protocol_;
};

}  // namespace laurel::wire
