// Writes replies through the server's functions, with the interface of wire::Reply and of a writer
// for leaderboard::ShapedAnswer. The bytes equal those of `laurel serve`, in RESP2 and RESP3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "laurel/score.h"
#include "laurel/stamp.h"
#include "leaderboard/answer_shape.h"
#include "module/feed.h"
#include "module/host.h"
#include "module/redis_api.h"
#include "module/value.h"
#include "wire/error_texts.h"
#include "wire/leaderboard_answer.h"

namespace laurel::module {

class ServerReply {
 public:
  explicit ServerReply(Context* context) : context_(context) {}

  void Flush() {}
  void Ok() { Api().ReplyWithSimpleString(context_, "OK"); }
  void Error(const laurel::Error& error) { Error(error.ToString()); }
  void Error(std::string_view line) {
    const std::string text(line);
    Api().ReplyWithError(context_, text.c_str());
  }
  void Null() { Api().ReplyWithNull(context_); }
  void NullArray() { Api().ReplyWithNullArray(context_); }
  void Integer(std::int64_t value) { Api().ReplyWithLongLong(context_, value); }
  void Moment(Stamp stamp) { Api().ReplyWithLongLong(context_, stamp); }
  void Bool(bool value) {
    Api().ReplyWithBool != nullptr ? Api().ReplyWithBool(context_, value ? 1 : 0)
                                   : Api().ReplyWithLongLong(context_, value ? 1 : 0);
  }
  void Array(std::size_t elements) { Api().ReplyWithArray(context_, static_cast<long>(elements)); }
  void Map(std::size_t pairs) {
    Api().ReplyWithMap != nullptr ? Api().ReplyWithMap(context_, static_cast<long>(pairs))
                                  : Api().ReplyWithArray(context_, static_cast<long>(pairs * 2));
  }
  template <typename Name>
  void Field(Name /*name*/) {
    Api().ReplyWithStringBuffer(context_, Name::text.data(), Name::text.size());
  }
  void Bulk(std::string_view bytes) {
    Api().ReplyWithStringBuffer(context_, bytes.data(), bytes.size());
  }
  // A long double has enough digits for the server to print a short text unchanged.
  void Double(std::string_view text) {
    Api().ReplyWithLongDouble(context_, std::strtold(std::string(text).c_str(), nullptr));
  }
  template <typename Number>
  void Decimal(Number value, int decimals) {
    std::array<char, kMaxNumberText> text;
    Bulk(FormatNumber(value, decimals, text));
  }
  void StampPair(Stamp stamp) {
    Bulk("stamp");
    Moment(stamp);
  }

 private:
  Context* context_;
};

inline int ReplyError(Context* context, const Error& error) {
  ServerReply(context).Error(error);
  return kOk;
}

inline int ReplyWrongType(Context* context) {
  ServerReply(context).Error(wire::kWrongTypeError);
  return kOk;
}

// Writes the answer of a leaderboard as a reply.
class ServerAnswer : private ServerReply, public leaderboard::ShapedAnswer<ServerReply> {
 public:
  // `value`: the board that answers.
  ServerAnswer(Context* context, std::string_view board, const Value& value)
      : ServerReply(context), leaderboard::ShapedAnswer<ServerReply>(this, board), value_(value) {}

  [[nodiscard]] std::size_t MaxBytes() const override {
    return static_cast<std::size_t>(TheHost().settings.max_reply_bytes);
  }
  [[nodiscard]] std::size_t EntryBytes(const leaderboard::EntryShape& shape) const override {
    return wire::EntryReplyBytes(shape);
  }
  void ShowDescription(const leaderboard::Description& description) override {
    leaderboard::Description shown = description;
    shown.feed = value_.feed_events();
    ShapedAnswer::ShowDescription(shown);
  }

 protected:
  std::optional<std::string> CloseCursor(const leaderboard::PeriodLine& line) override {
    if (!value_.feed || line.close_note.size() != 2 * sizeof(std::uint64_t)) return std::nullopt;
    FeedCursor place;
    place.term = base::Load<std::uint64_t>(line.close_note.data());
    place.sequence = base::Load<std::uint64_t>(line.close_note.data() + sizeof(std::uint64_t));
    return FormatCursor(place);
  }

 private:
  const Value& value_;
};

}  // namespace laurel::module
