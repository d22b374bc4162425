// Encodes the events of one LB.CHANGES as RESP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/command_answer.h"
#include "wire/reply.h"

namespace laurel::wire {

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
