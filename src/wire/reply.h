// Writes replies: RESP2 and RESP3 from one set of calls, or the calls of an Answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "laurel/result.h"
#include "laurel/stamp.h"
#include "wire/command_answer.h"

namespace laurel::wire {

enum class Protocol : std::uint8_t { kResp2 = 2, kResp3 = 3 };

// Appends one reply to a byte buffer, or forwards it to an answer in another format. For an
// aggregate the caller first writes its header, with the size, then its elements. Answers accept no
// aggregates.
class Reply {
 public:
  // `answer`: if not null, receives the reply; nothing is then written to `out`. `outcome`: if not
  // null, becomes the code of the error; empty if the reply is none.
  Reply(std::string* out, Protocol protocol, Answer* answer = nullptr,
        std::string* outcome = nullptr)
      : out_(out), answer_(answer), outcome_(outcome), begin_(out->size()), protocol_(protocol) {
    if (outcome_ != nullptr) outcome_->clear();
  }

  // Returns a reply to the same buffer in another protocol. REQUIRES: there is no answer.
  [[nodiscard]] Reply WithProtocol(Protocol protocol) const { return {out_, protocol}; }
  // Null if the reply is RESP.
  [[nodiscard]] Answer* answer() const { return answer_; }
  [[nodiscard]] std::string* outcome() const { return outcome_; }
  [[nodiscard]] Protocol protocol() const { return protocol_; }
  [[nodiscard]] bool resp3() const { return protocol_ == Protocol::kResp3; }
  [[nodiscard]] std::size_t size() const {
    return answer_ != nullptr ? answer_->size() : out_->size();
  }
  // Returns the code of an error reply; empty if the reply is not an error. Valid until the next
  // write.
  [[nodiscard]] std::string_view error_code() const {
    if (answer_ != nullptr) {
      return answer_->error() != nullptr ? ErrorName(answer_->error()->code) : std::string_view();
    }
    return code_bytes_ > 0 ? std::string_view(*out_).substr(begin_ + 1, code_bytes_)
                           : std::string_view();
  }

  void Ok();
  void Simple(std::string_view text);  // REQUIRES: no CR or LF
  // CR and LF in the message become blanks, because errors may quote client input. `word`: the
  // index of the argument at fault.
  void Error(const laurel::Error& error, std::size_t word = kNoWord);
  // Writes an error of Redis' commands: `line` begins with its code, which may be one that
  // only Redis has. An answer takes the line as the message of an ERR.
  void Error(std::string_view line);
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
  // Writes a pair of a map, whose value is an integer or a text.
  template <typename Value>
  void Pair(std::string_view key, const Value& value) {
    Bulk(key);
    if constexpr (std::is_integral_v<Value>) {
      Integer(static_cast<std::int64_t>(value));
    } else {
      Bulk(value);
    }
  }
  // Writes the pair "stamp" and microseconds.
  void StampPair(Stamp stamp);
  // Writes text for humans: a bulk string in RESP2, a verbatim string in RESP3.
  void Verbatim(std::string_view text);
  // Removes the reply, or the element of EXEC's reply, that begins at `size`.
  void Cut(std::size_t size) {
    if (answer_ != nullptr) return answer_->TakeBack();
    out_->resize(size);
    if (size > begin_) return;
    code_bytes_ = 0;
    if (outcome_ != nullptr) outcome_->clear();
  }
  // Appends bytes that are already encoded.
  void Raw(std::string_view bytes) { out_->append(bytes); }

 private:
  void Aggregate(char type, std::size_t elements);
  void ErrorLine(std::string_view code, std::string_view rest);

  std::string* out_;
  Answer* answer_;
  std::string* outcome_;
  std::size_t begin_;           // begin of the reply in *out_
  std::size_t code_bytes_ = 0;  // of an error: length of the code, which follows the '-' at begin_
  Protocol protocol_;
};

// Encodes the events of one LB.CHANGES as RESP.
class RespEvents final : public Events, private Values {
 public:
  explicit RespEvents(Protocol protocol) : reply_(&text_, protocol) {}

  void Begin(std::string_view /*cursor*/, std::string_view /*cause*/) override {}
  Values& values() override { return *this; }
  [[nodiscard]] std::size_t size() const override { return text_.size(); }

  // Writes the reply with these events.
  void Show(const EventsEnd& end, Reply* reply) const {
    reply->Map(end.gap ? 3 : 2);
    reply->Bulk("events");
    reply->Array(end.count);
    reply->Raw(text_);
    reply->Bulk("next");
    reply->Bulk(end.next);
    if (!end.gap) return;
    reply->Bulk("gap");
    reply->Bool(true);
  }

 private:
  void Map(std::size_t pairs) override { reply_.Map(pairs); }
  void Array(std::size_t elements) override { reply_.Array(elements); }
  void Bulk(std::string_view bytes) override { reply_.Bulk(bytes); }
  void Integer(std::int64_t value) override { reply_.Integer(value); }
  void Null() override { reply_.Null(); }
  void StampPair(Stamp stamp) override { reply_.StampPair(stamp); }

  std::string text_;
  Reply reply_;
};

}  // namespace laurel::wire
