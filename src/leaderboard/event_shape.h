// The shape of an event in the reply of LB.CHANGES: its fields, their names and their order.
//
// `Reply` has the calls Map, Bulk, Array, Integer, Null and StampPair of wire::Reply, so that the
// embedded engine and the module for Redis reply the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/score_key.h"
#include "laurel/calendar.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "leaderboard/answer.h"
#include "leaderboard/events.h"

namespace laurel::leaderboard {

template <typename Reply>
class EventShape {
 public:
  // `name`, `spec`: of the board. `calendars` name its instances. All must outlive this object.
  EventShape(std::string_view name, const Spec& spec, const Calendars& calendars, Reply* reply)
      : name_(name), spec_(spec), calendars_(calendars), layout_(spec), reply_(*reply) {}

  void Write(const Event& event, std::string_view cursor) {
    using Cause = Event::Cause;
    const bool put = event.cause == Cause::kPut;
    const bool loaded = event.cause == Cause::kLoaded;
    const bool has_spec = event.IsFirst() || event.cause == Cause::kAltered;
    const bool has_range =
        event.cause == Cause::kRemovedRange || event.cause == Cause::kEvictedRange;
    std::size_t pairs = 2;
    pairs += event.instance ? 1 : 0;
    pairs += event.member.data() != nullptr ? 1 : 0;
    pairs += put || event.cause == Cause::kClosed ? 2 : 0;
    pairs += has_spec || event.cause == Cause::kRenamed ? 1 : 0;
    pairs += has_range ? 3 : 0;
    pairs += loaded ? 1 : 0;
    reply_.Map(pairs);
    Pair("cursor", cursor);
    Pair("cause", CauseName(event.cause));
    if (event.instance) Pair("board", NameOf(*event.instance));
    if (event.member.data() != nullptr) Pair("member", event.member);
    if (put) ScoreAndStamp(event.words);
    if (event.cause == Cause::kClosed) Closed(event.closed);
    if (has_range) Range(event.range);
    if (loaded) {
      reply_.Bulk("count");
      reply_.Integer(static_cast<std::int64_t>(event.entries));
    }
    if (has_spec) Pair("spec", DescribeSpec(*event.spec));
    if (event.cause != Cause::kRenamed) return;
    reply_.Bulk("name");
    event.new_name.data() != nullptr ? reply_.Bulk(event.new_name) : reply_.Null();
  }

 private:
  void Pair(std::string_view key, std::string_view value) {
    reply_.Bulk(key);
    reply_.Bulk(value);
  }
  const std::string& NameOf(const InstanceRef& instance) {
    if (instance.number == cached_number_ && !instance_name_.empty()) return instance_name_;
    const auto calendar = calendars_.Of(spec_.zone, spec_.turn_minutes);
    Instance span;
    if (calendar.ok()) span = (*calendar)->At(instance.period, instance.begin_s * 1'000'000);
    cached_number_ = instance.number;
    instance_name_ = InstanceName(name_, span);
    return instance_name_;
  }
  void ScoreAndStamp(const core::Words& words) {
    reply_.Bulk("score");
    const std::vector<std::string> texts = FormatScore(spec_, layout_.ScoreOf(words));
    reply_.Array(texts.size());
    for (const std::string& text : texts) reply_.Bulk(text);
    reply_.StampPair(layout_.StampOf(words));
  }
  void Range(const core::KeyRange& range) {
    reply_.Bulk("count");
    reply_.Integer(static_cast<std::int64_t>(range.count));
    reply_.Bulk("first");
    EntryMap(range.first_member, range.first);
    reply_.Bulk("last");
    EntryMap(range.last_member, range.last);
  }
  void EntryMap(std::string_view member, const core::Words& words) {
    reply_.Map(3);
    Pair("member", member);
    ScoreAndStamp(words);
  }
  void Closed(const Closing& closed) {
    reply_.Bulk("count");
    reply_.Integer(static_cast<std::int64_t>(closed.size));
    reply_.Bulk("top");
    reply_.Array(closed.top.size());
    for (std::size_t i = 0; i < closed.top.size(); ++i) {
      reply_.Map(4);
      reply_.Bulk("rank");
      reply_.Integer(static_cast<std::int64_t>(i + 1));
      Pair("member", closed.top[i].member);
      ScoreAndStamp(closed.top[i].words);
    }
  }

  std::string_view name_;
  const Spec& spec_;
  const Calendars& calendars_;
  const core::KeyLayout layout_;
  std::uint64_t cached_number_ = 0;
  std::string instance_name_;  // of the instance `cached_number_`
  Reply& reply_;
};

}  // namespace laurel::leaderboard
