#include "leaderboard/effect_codec.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/limits.h"
#include "leaderboard/limits.h"

namespace laurel::leaderboard {
namespace {

// Lists the effects that were read, as text.
class Listing : public EffectReader {
 public:
  std::vector<std::string> told;

  Status Read(std::string_view bytes) {
    base::ByteCursor cursor(bytes);
    return EffectReader::Read(&cursor);
  }

 protected:
  Status OnCreate(const Spec& spec) override { return Tell("create " + DescribeSpec(spec)); }
  Status OnAlter(const Spec& spec) override { return Tell("alter " + DescribeSpec(spec)); }
  Status OnMark(std::string_view member) override { return Tell("mark " + std::string(member)); }
  Status OnUnmark(std::string_view member) override {
    return Tell("unmark " + std::string(member));
  }
  Status OnStamped(Stamp last) override { return Tell("stamped " + std::to_string(last)); }
  Status OnWritten(Stamp at) override { return Tell("written " + std::to_string(at)); }
  Status OnTurned(Stamp at) override { return Tell("turned " + std::to_string(at)); }
  Status OnClosedThrough(Period period, Stamp end) override {
    return Tell("closed through " + std::string(PeriodName(period)) + " " + std::to_string(end));
  }
  Status OnRemember(const RememberedRequest& request) override {
    return Tell("remember " + std::to_string(request.sequence) + " " + std::to_string(request.at) +
                " " + std::to_string(request.identity) + " " + std::string(request.id) + " " +
                std::string(request.outcome));
  }
  Status OnForgetBefore(std::uint64_t sequence) override {
    return Tell("forget before " + std::to_string(sequence));
  }
  Status OnCreateInstance(std::uint32_t number, const Instance& span) override {
    return Tell("instance " + std::to_string(number) + " " + std::string(PeriodName(span.period)) +
                " " + std::to_string(span.begin) + " " + std::to_string(span.end) + " " +
                std::string(span.label));
  }
  Status OnSelect(const InstanceRef& instance) override {
    return Tell("select " + std::to_string(instance.number) + " " +
                std::string(PeriodName(instance.period)) + " " + std::to_string(instance.begin_s));
  }
  Status OnDropInstance(std::uint32_t number) override {
    return Tell("drop instance " + std::to_string(number));
  }
  Status OnClose(const Closing& closing) override {
    std::string text = "close " + std::string(closing.note) + " " + std::to_string(closing.size);
    for (const TopEntry& entry : closing.top) {
      text += " " + std::string(entry.member);
      for (unsigned i = 0; i < closing.words; ++i) text += " " + std::to_string(entry.words[i]);
    }
    return Tell(text);
  }
  Status OnEntry(const core::Effect& effect, unsigned words) override {
    constexpr const char* kKinds[] = {"put",  "delete", "delete range", "clear",
                                      "hide", "show",   "alter"};
    std::string text = kKinds[static_cast<std::size_t>(effect.kind)];
    if (effect.stamp_not_from_clock) text += " given";
    const bool is_range = effect.kind == core::Effect::Kind::kDeleteRange;
    if (effect.evicted) text = is_range ? "evict range" : "evict";
    const auto add = [&](std::string_view member, const core::Words& values) {
      if (!member.empty()) text += " " + std::string(member);
      for (unsigned i = 0; i < words; ++i) text += " " + std::to_string(values[i]);
    };
    if (is_range) {
      text += " " + std::to_string(effect.range->count);
      add(effect.range->first_member, effect.range->first);
      add(effect.range->last_member, effect.range->last);
    } else {
      add(effect.member, effect.words);
    }
    if (!effect.meta.empty()) text += " [" + std::string(effect.meta) + "]";
    return Tell(text);
  }

 private:
  Status Tell(const std::string& text) {
    told.push_back(text);
    return Ok{};
  }
};

Spec WithWindow() {
  Spec spec;
  spec.start = 5;
  spec.end = 6;
  spec.grace_us = 7;
  spec.expire_us = 8;
  spec.dedup = 9;
  spec.periods = {Period::kDay, Period::kAll};
  spec.zone = "Asia/Shanghai";
  spec.turn_minutes = 240;
  spec.keep = 10;
  return spec;
}

Spec TwoFields() {
  Spec spec;
  spec.policy = Policy::kBest;
  spec.cap = 300;
  spec.tie = Tie::kMember;
  spec.fields = {{"laps", 0, Direction::kDesc, Operator::kSet},
                 {"time", 3, Direction::kAsc, Operator::kSet}};
  return spec;
}

core::Effect MakeEffect(core::Effect::Kind kind, std::string_view member = {}) {
  core::Effect effect;
  effect.kind = kind;
  effect.member = member;
  return effect;
}

core::Effect Put(std::string_view member, const core::Words& words, std::string_view meta,
                 bool stamp_not_from_clock) {
  core::Effect effect = MakeEffect(core::Effect::Kind::kPut, member);
  effect.words = words;
  effect.meta = meta;
  effect.stamp_not_from_clock = stamp_not_from_clock;
  return effect;
}

std::string EveryEffect() {
  using Kind = core::Effect::Kind;
  std::string bytes;
  EffectWriter writer(&bytes);
  writer.Create(TwoFields());
  writer.Entry(Put("ann", {1, UINT64_MAX, 3}, "", false), 3);
  writer.Entry(Put("bob", {1, 2}, "meta", false), 2);
  writer.Entry(Put("ann", {1}, "", true), 1);
  writer.Entry(Put("bob", {1}, "m", true), 1);
  writer.Entry(MakeEffect(Kind::kDelete, "ann"), 2);
  core::Effect hide = MakeEffect(Kind::kHide, "bob");
  hide.words = {4, 5};
  hide.meta = "meta";
  writer.Entry(hide, 2);
  core::KeyRange range{{1, 2}, "ann", {3, 4}, "bob", 1'001};
  core::Effect removal = MakeEffect(Kind::kDeleteRange);
  removal.range = &range;
  writer.Entry(removal, 2);
  removal.evicted = true;
  writer.Entry(removal, 1);
  writer.Entry(MakeEffect(Kind::kShow, "bob"), 2);
  core::Effect evict = MakeEffect(Kind::kDelete, "bob");
  evict.evicted = true;
  writer.Entry(evict, 2);
  writer.Entry(MakeEffect(Kind::kClear), 2);
  writer.Alter(WithWindow());
  writer.Mark("bob");
  writer.Unmark("bob");
  writer.Stamped(-7);
  writer.Written(-1);
  writer.Turned(INT64_MIN);
  writer.ClosedThrough(Period::kDay, 5);
  writer.Remember({3, -4, UINT64_MAX, "id", "outcome"});
  writer.ForgetBefore(300);
  writer.CreateInstance(9, {Period::kDay, -1, INT64_MAX, "2026-11-15"});
  writer.Close({"note", 9, 2, {{"ann", {1, 2}}, {"bob", {3, 4}}}});
  writer.Select({8, Period::kHour, -1});
  writer.DropInstance(9);
  return bytes;
}

TEST(EffectCodec, ReadsBackEveryEffect) {
  Listing listing;
  ASSERT_TRUE(listing.Read(EveryEffect()).ok());
  EXPECT_EQ(listing.told,
            (std::vector<std::string>{"create " + DescribeSpec(TwoFields()),
                                      "put ann 1 18446744073709551615 3",
                                      "put bob 1 2 [meta]",
                                      "put given ann 1",
                                      "put given bob 1 [m]",
                                      "delete ann",
                                      "hide bob 4 5 [meta]",
                                      "delete range 1001 ann 1 2 bob 3 4",
                                      "evict range 1001 ann 1 bob 3",
                                      "show bob",
                                      "evict bob",
                                      "clear",
                                      "alter " + DescribeSpec(WithWindow()),
                                      "mark bob",
                                      "unmark bob",
                                      "stamped -7",
                                      "written -1",
                                      "turned -9223372036854775808",
                                      "closed through day 5",
                                      "remember 3 -4 18446744073709551615 id outcome",
                                      "forget before 300",
                                      "instance 9 day -1 9223372036854775807 2026-11-15",
                                      "close note 9 ann 1 2 bob 3 4",
                                      "select 8 hour -1",
                                      "drop instance 9"}));
}

TEST(EffectCodec, WritesNoSelectForTheSelectedInstance) {
  std::string bytes;
  EffectWriter writer(&bytes);
  writer.Select({});
  EXPECT_TRUE(bytes.empty()) << "the board itself is selected at the beginning";
  writer.Select({3, Period::kDay, 7});
  const std::size_t once = bytes.size();
  writer.Select({3, Period::kDay, 7});
  EXPECT_EQ(bytes.size(), once);
  writer.Restart();
  writer.Select({3, Period::kDay, 7});
  EXPECT_EQ(bytes.size(), 2 * once);
}

TEST(EffectCodec, StopsAtAHostEffect) {
  std::string bytes;
  EffectWriter writer(&bytes);
  writer.Mark("ann");
  const std::size_t own = bytes.size();
  writer.WriteOp(kFirstHostEffect);
  base::ByteCursor cursor(bytes);
  ASSERT_TRUE(EffectReader::Skip(&cursor).ok());
  EXPECT_EQ(cursor.rest().size(), bytes.size() - own);
}

// The largest sequence number that a board assigns is accepted; the next one is refused.
TEST(EffectCodec, RefusesRequestSequenceNumbersBeyondTheMaximum) {
  constexpr std::uint64_t kLast = RememberedRequest::kMaxSequence;
  const auto reads = [](const auto& write) {
    std::string bytes;
    EffectWriter writer(&bytes);
    write(&writer);
    return Listing().Read(bytes).ok();
  };
  EXPECT_TRUE(reads([](EffectWriter* writer) { writer->Remember({kLast, 1, 2, "id", "x"}); }));
  EXPECT_FALSE(reads([](EffectWriter* writer) { writer->Remember({kLast + 1, 1, 2, "id", "x"}); }));
  EXPECT_TRUE(reads([](EffectWriter* writer) { writer->ForgetBefore(kLast + 1); }));
  EXPECT_FALSE(reads([](EffectWriter* writer) { writer->ForgetBefore(kLast + 2); }));
}

TEST(EffectCodec, ReportsOnlyWholeEffectsOfTruncatedBytes) {
  const std::string bytes = EveryEffect();
  Listing whole;
  ASSERT_TRUE(whole.Read(bytes).ok());
  std::size_t ends = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Listing cut;
    if (cut.Read(std::string_view(bytes).substr(0, size)).ok()) ++ends;
    ASSERT_LT(cut.told.size(), whole.told.size());
    ASSERT_TRUE(std::equal(cut.told.begin(), cut.told.end(), whole.told.begin())) << size;
  }
  EXPECT_EQ(ends, whole.told.size());  // the cuts between two effects and before the first one
}

TEST(EffectCodec, RefusesMalformedEffects) {
  const auto refused = [](const std::string& bytes) { return !Listing().Read(bytes).ok(); };
  EXPECT_TRUE(refused(std::string(1, '\0')));
  EXPECT_TRUE(refused("\x3f"));
  std::string bytes;
  EffectWriter(&bytes).Entry(Put("m", {}, "", false), 1);
  for (const int words : {0, static_cast<int>(core::kMaxWords) + 1, 255}) {
    bytes[1] = static_cast<char>(words);
    EXPECT_TRUE(refused(bytes)) << words;
  }
  bytes.clear();
  EffectWriter(&bytes).Mark(std::string(kMaxMemberBytes + 1, 'm'));
  EXPECT_TRUE(refused(bytes));
  bytes.clear();
  const std::string longest(Label::kMaxBytes, 'l');
  EffectWriter(&bytes).CreateInstance(1, {Period::kDay, 0, 1, longest});
  EXPECT_FALSE(refused(bytes));
  const std::size_t at = bytes.find(longest);
  bytes.insert(at, "l");
  bytes[at - 1] = static_cast<char>(longest.size() + 1);
  EXPECT_TRUE(refused(bytes));
  bytes.clear();
  Spec no_fields;
  no_fields.fields.clear();
  EffectWriter(&bytes).Create(no_fields);
  EXPECT_TRUE(refused(bytes));
  EXPECT_TRUE(refused("\x0d" + std::string(10, '\xff')));  // a varint that does not end
}

}  // namespace
}  // namespace laurel::leaderboard
