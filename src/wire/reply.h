// Writes replies: RESP2 and RESP3 from one set of calls, or the calls of an Answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/stamp.h"
#include "wire/answer.h"

namespace laurel::wire {

enum class Protocol : std::uint8_t { kResp2 = 2, kResp3 = 3 };

// Appends one reply to a byte buffer, or forwards it to an answer in another format. For an
// aggregate the caller first writes its header, with the size, then its elements. Answers accept no
// aggregates.
class Reply {
 public:
  // `answer`: if not null, receives the reply; nothing is then written to `out`.
  Reply(std::string* out, Protocol protocol, Answer* answer = nullptr)
      : out_(out), answer_(answer), begin_(out->size()), protocol_(protocol) {}

  // Returns a reply to the same buffer in another protocol. REQUIRES: there is no answer.
  [[nodiscard]] Reply WithProtocol(Protocol protocol) const { return {out_, protocol}; }
  // Null if the reply is RESP.
  [[nodiscard]] Answer* answer() const { return answer_; }
  [[nodiscard]] Protocol protocol() const { return protocol_; }
  [[nodiscard]] bool resp3() const { return protocol_ == Protocol::kResp3; }
  [[nodiscard]] std::size_t size() const {
    return answer_ != nullptr ? answer_->size() : out_->size();
  }
  // Returns the line of an error reply, which begins with its code; empty if the reply is not an
  // error. Valid until the next write.
  [[nodiscard]] std::string_view error() const {
    if (answer_ != nullptr) return answer_->error();
    return failed_ ? std::string_view(*out_).substr(begin_ + 1) : std::string_view();
  }

  void Ok();
  void Simple(std::string_view text);  // REQUIRES: no CR or LF
  // `line` is the text after '-', code first. CR and LF in it become blanks, because errors may
  // quote client input. `word`: the index of the argument at fault.
  void Error(std::string_view line, std::size_t word = kNoWord);
  void Integer(std::int64_t value);
  void Bulk(std::string_view bytes);
  // Writes a double, given as text: a bulk string in RESP2, a double in RESP3.
  void Double(std::string_view text);
  void Bool(bool value);  // RESP2: :1 or :0; RESP3: #t or #f
  void Null();            // RESP2: $-1; RESP3: _
  void NullArray();       // RESP2: *-1; RESP3: _
  void Array(std::size_t elements);
  // Begins `pairs` pairs of key and value; a flat array in RESP2.
  void Map(std::size_t pairs);
  void Set(std::size_t elements);
  // Writes the pair "stamp" and microseconds.
  void StampPair(Stamp stamp);
  // Writes text for humans: a bulk string in RESP2, a verbatim string in RESP3.
  void Verbatim(std::string_view text);
  // Returns the bytes written since size() was `size`; valid until the next write. REQUIRES: there
  // is no answer.
  [[nodiscard]] std::string_view Since(std::size_t size) const {
    return std::string_view(*out_).substr(size);
  }
  // Removes the reply, or the element of EXEC's reply, that begins at `size`.
  void Cut(std::size_t size) {
    if (answer_ != nullptr) return answer_->TakeBack();
    out_->resize(size);
    failed_ = failed_ && size > begin_;
  }
  // Appends bytes that are already encoded.
  void Raw(std::string_view bytes) { out_->append(bytes); }

 private:
  void Aggregate(char type, std::size_t elements);

  std::string* out_;
  Answer* answer_;
  std::size_t begin_;    // begin of the reply in *out_
  bool failed_ = false;  // the reply is an error
  Protocol protocol_;
};

}  // namespace laurel::wire
