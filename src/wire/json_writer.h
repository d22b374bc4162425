// Writes JSON to a byte buffer, with the interface of the writers of leaderboard::ShapedAnswer and
// leaderboard::EventShape, so that the same code writes RESP and JSON.
//
// The size of an aggregate is given at its start, as in RESP; the writer adds commas and closes it.
// Bytes that are not UTF-8 are written as base64, under the key with "_base64" appended.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "laurel/score.h"
#include "laurel/stamp.h"
#include "wire/command_answer.h"

namespace laurel::wire {

namespace json_writer {

// A key such as "rank": of a name, computed at compile time. REQUIRES: the name needs no escapes.
template <typename Name>
consteval auto Quoted() {
  std::array<char, Name::json.size() + 3> text{};
  text[0] = '"';
  for (std::size_t i = 0; i < Name::json.size(); ++i) text[i + 1] = Name::json[i];
  text[Name::json.size() + 1] = '"';
  text[Name::json.size() + 2] = ':';
  return text;
}

}  // namespace json_writer

class JsonWriter final : public Values {
 public:
  JsonWriter() = default;
  explicit JsonWriter(std::string* out) { Begin(out); }
  // Must be called before the first value. Values are appended to `out`, which must outlive the
  // writing.
  void Begin(std::string* out);
  // Several values outside of any aggregate are separated by commas.

  [[nodiscard]] std::size_t size() const { return out_->size(); }
  // If set, receives the end offset of each element of the outermost array.
  void MarkElements(std::vector<std::size_t>* ends) { element_ends_ = ends; }

  void Ok();
  // Writes an object with code and detail.
  void Error(const laurel::Error& error);
  void Null() override { Literal("null"); }
  void NullArray() { Null(); }
  void Bool(bool value) { value ? Literal("true") : Literal("false"); }
  void Integer(std::int64_t value) override { Digits(value); }
  void Double(std::string_view text) { Literal(text); }  // REQUIRES: a JSON number
  // Writes a key where an object expects one, otherwise a string.
  void Bulk(std::string_view bytes) override;
  void Array(std::size_t elements) override { Open('[', elements); }
  void Map(std::size_t pairs) override { Open('{', pairs); }
  void Key(std::string_view key);
  template <typename Name>
  void Field(Name /*name*/) {
    static constexpr auto kText = json_writer::Quoted<Name>();
    BeginKey();
    out_->append(kText.data(), kText.size());
    key_end_ = out_->size() - 1;
  }
  // Writes a pair of an object, whose value is a flag, an integer or a text.
  template <typename Value>
  void Pair(std::string_view key, const Value& value) {
    Key(key);
    if constexpr (std::is_same_v<Value, bool>) {
      Bool(value);
    } else if constexpr (std::is_integral_v<Value>) {
      Integer(static_cast<std::int64_t>(value));
    } else {
      Bulk(value);
    }
  }
  void Decimal(std::int64_t value, int decimals) { Decimal(Int128{value}, decimals); }
  void Decimal(Int128 value, int decimals);
  void Moment(Stamp stamp);
  // Writes the pair "reached" and the moment.
  void StampPair(Stamp stamp) override {
    Key("reached");
    Moment(stamp);
  }
  void Flush() {}

 private:
  static constexpr std::size_t kMaxDepth = 16;

  struct Frame {
    bool is_object = false;
    bool expects_key = false;
    bool has_elements = false;
    std::size_t left = 0;  // elements or pairs not yet written
  };

  void BeginKey();
  void BeginValue();
  void EndValue() {
    if (depth_ > 1 && frames_[depth_ - 1].left > 1) {  // the usual case
      Frame& frame = frames_[depth_ - 1];
      frame.expects_key = frame.is_object;
      --frame.left;
      return;
    }
    EndValues();
  }
  // Ends the value, and the aggregates whose last value it was.
  void EndValues();
  void Open(char bracket, std::size_t elements);
  void Literal(std::string_view text) {
    BeginValue();
    out_->append(text);
    EndValue();
  }
  void Digits(std::int64_t value);

  std::string* out_ = nullptr;
  std::size_t depth_ = 0;
  std::size_t key_end_ = 0;  // end of the closing quote of the last key
  bool has_values_ = false;  // outside of any aggregate
  std::vector<std::size_t>* element_ends_ = nullptr;
  std::array<Frame, kMaxDepth> frames_{};
};

// Appends the text as a JSON string. REQUIRES: UTF-8.
void AppendJsonString(std::string_view utf8, std::string* out);

}  // namespace laurel::wire
