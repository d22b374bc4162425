// Writing replies: RESP2, RESP3 and JSON from one set of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/stamp.h"
#include "wire/json_writer.h"

namespace laurel::wire {

enum class Protocol : std::uint8_t { kResp2 = 2, kResp3 = 3 };

// Appends replies to a byte buffer. For an aggregate the caller first writes its header, with the
// size, and then its elements one after the other.
class Reply {
 public:
  // `json`: not null to write JSON with this writer instead of RESP. JsonWriter::Begin(out) was
  // called.
  Reply(std::string* out, Protocol protocol, JsonWriter* json = nullptr)
      : out_(out), json_(json), protocol_(protocol) {}

  // A reply to the same buffer in another protocol. REQUIRES: not JSON.
  [[nodiscard]] Reply WithProtocol(Protocol protocol) const { return {out_, protocol}; }
  // The writer of a JSON reply; null if the reply is RESP.
  [[nodiscard]] JsonWriter* json() const { return json_; }
  [[nodiscard]] Protocol protocol() const { return protocol_; }
  [[nodiscard]] bool resp3() const { return protocol_ == Protocol::kResp3; }
  [[nodiscard]] std::size_t size() const { return out_->size(); }

  void Ok();
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
  void Array(std::size_t elements);
  // `pairs` pairs of key and value follow; a flat array in RESP2.
  void Map(std::size_t pairs);
  void Set(std::size_t elements);
  // A pair of a map: "stamp" and microseconds, in JSON "reached" and an ISO 8601 time.
  void StampPair(Stamp stamp);
  // Text for humans: a bulk string in RESP2, a verbatim string in RESP3.
  void Verbatim(std::string_view text);
  // Everything written since size() was `size`; valid until the next write.
  [[nodiscard]] std::string_view Since(std::size_t size) const {
    return std::string_view(*out_).substr(size);
  }
  // Removes the reply, or the element of EXEC's reply, that begins at `size`.
  void Cut(std::size_t size) { json_ != nullptr ? json_->Cut(size) : out_->resize(size); }
  // Appends a reply that is encoded already.
  void Raw(std::string_view bytes) { json_ != nullptr ? json_->Raw(bytes) : RawBytes(bytes); }
  // Appends the elements of an array, which are encoded already.
  void RawElements(std::string_view bytes, std::size_t count) {
    json_ != nullptr ? json_->RawElements(bytes, count) : RawBytes(bytes);
  }

 private:
  void Aggregate(char type, std::size_t elements);
  void RawBytes(std::string_view bytes) { out_->append(bytes); }

  std::string* out_;
  JsonWriter* json_;
  Protocol protocol_;
};

}  // namespace laurel::wire
