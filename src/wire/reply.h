// Writing replies: RESP2 and RESP3 from one set of calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace laurel::wire {

enum class Protocol : std::uint8_t { kResp2 = 2, kResp3 = 3 };

// Appends replies to a byte buffer. For an aggregate the caller first writes its header, with the
// size, and then its elements one after the other.
class Reply {
 public:
  Reply(std::string* out, Protocol protocol) : out_(out), protocol_(protocol) {}

  // A reply to the same buffer in another protocol.
  [[nodiscard]] Reply WithProtocol(Protocol protocol) const { return {out_, protocol}; }
  [[nodiscard]] Protocol protocol() const { return protocol_; }
  [[nodiscard]] bool resp3() const { return protocol_ == Protocol::kResp3; }
  [[nodiscard]] std::size_t size() const { return out_->size(); }

  void Ok() { out_->append("+OK\r\n"); }
  void Simple(std::string_view text);  // REQUIRES: no CR or LF
  // `line` is the text after '-', code first. CR and LF in it become blanks, because errors may
  // quote client input.
  void Error(std::string_view line);
  void Integer(std::int64_t value);
  void Bulk(std::string_view bytes);
  // A double, given as text: a bulk string in RESP2, a double in RESP3.
  void Double(std::string_view text);
  void Bool(bool value);  // RESP2: :1 or :0; RESP3: #t or #f
  void Null();            // RESP2: $-1; RESP3: _
  void NullArray();       // RESP2: *-1; RESP3: _
  void Array(std::size_t elements) { Aggregate('*', elements); }
  // `pairs` pairs of key and value follow; a flat array in RESP2.
  void Map(std::size_t pairs) { resp3() ? Aggregate('%', pairs) : Aggregate('*', pairs * 2); }
  void Set(std::size_t elements) { Aggregate(resp3() ? '~' : '*', elements); }
  // Text for humans: a bulk string in RESP2, a verbatim string in RESP3.
  void Verbatim(std::string_view text);
  // Removes everything written since size() was `size`.
  void Cut(std::size_t size) { out_->resize(size); }
  // Appends bytes that are encoded already.
  void Raw(std::string_view bytes) { out_->append(bytes); }

 private:
  void Aggregate(char type, std::size_t elements);

  std::string* out_;
  Protocol protocol_;
};

}  // namespace laurel::wire
