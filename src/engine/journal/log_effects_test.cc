#include "engine/journal/log_effects.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/limits.h"

namespace laurel::engine {
namespace {

// What was told, as text.
class Listing : public EffectReader {
 public:
  std::vector<std::string> told;

 protected:
  Status OnClock(Stamp last) override { return Tell("clock " + std::to_string(last)); }
  Status OnSelect(std::uint64_t id) override { return Tell("select " + std::to_string(id)); }
  Status OnCreate(std::uint64_t id, std::string_view name, const Spec& spec) override {
    return Tell("create " + std::to_string(id) + " " + std::string(name) + " " +
                DescribeSpec(spec));
  }
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override {
    return Tell((expired ? "expired " : "drop ") + std::to_string(id) + " " + std::string(name) +
                " " + DescribeSpec(spec));
  }
  Status OnCreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span, Policy policy,
                          std::uint64_t cap) override {
    return Tell("instance " + std::to_string(id) + " of " + std::to_string(of) + " " +
                std::string(PeriodName(span.period)) + " " + std::to_string(span.begin) + " " +
                std::to_string(span.end) + " " + span.label + " " +
                std::string(PolicyName(policy)) + " " + std::to_string(cap));
  }
  Status OnSelectInstance(const InstanceRef& instance) override {
    return Tell("select " + std::to_string(instance.id) + " of " + std::to_string(instance.of) +
                " " + std::string(PeriodName(instance.period)) + " " +
                std::to_string(instance.begin_s));
  }
  Status OnDropInstance(std::uint64_t id) override {
    return Tell("drop instance " + std::to_string(id));
  }
  Status OnTurned(Stamp at) override { return Tell("turned " + std::to_string(at)); }
  Status OnClosed(const ClosedInstance& closed) override {
    std::string text = "closed " + std::to_string(closed.epoch) + " " +
                       std::to_string(closed.after) + " " + std::to_string(closed.size);
    for (const TopEntry& entry : closed.top) {
      text += " " + std::string(entry.member);
      for (unsigned i = 0; i < closed.words; ++i) text += " " + std::to_string(entry.words[i]);
    }
    return Tell(text);
  }
  Status OnDropBelow(std::uint64_t id) override { return Tell("below " + std::to_string(id)); }
  Status OnName(std::string_view name, std::string_view from, const Spec& spec) override {
    return Tell("name " + std::string(name) + " from " + std::string(from) + " " +
                DescribeSpec(spec));
  }
  Status OnExpiry(std::int64_t at_ms) override { return Tell("expiry " + std::to_string(at_ms)); }
  Status OnWritten(Stamp at) override { return Tell("written " + std::to_string(at)); }
  Status OnRemember(const core::RememberedRequest& request) override {
    return Tell("remember " + std::to_string(request.sequence) + " " + std::to_string(request.at) +
                " " + std::to_string(request.arguments) + " " + std::string(request.id) + " " +
                std::string(request.outcome));
  }
  Status OnForgetBefore(std::uint64_t sequence) override {
    return Tell("forget before " + std::to_string(sequence));
  }
  Status OnEffect(const core::Effect& effect, unsigned words) override {
    constexpr const char* kKinds[] = {"put",  "delete", "delete range", "clear",
                                      "hide", "show",   "alter"};
    std::string text = kKinds[static_cast<std::size_t>(effect.kind)];
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
    if (effect.kind == core::Effect::Kind::kAlter) {
      text += " " + DescribeSpec(*effect.spec);
    }
    return Tell(text);
  }
  Status OnTemplate(std::string_view pattern, const Spec& spec) override {
    return Tell("template " + std::string(pattern) + " " + DescribeSpec(spec));
  }
  Status OnNoTemplate(std::string_view pattern) override {
    return Tell("no template " + std::string(pattern));
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

std::string EveryEffect() {
  std::string bytes;
  EffectWriter writer(&bytes);
  writer.Clock(1'700'000'000'000'000);
  writer.Create(300, "race", TwoFields());
  writer.Put("ann", {1, UINT64_MAX, 3}, 3, "");
  writer.Put("bob", {1, 2, 3}, 2, "meta");
  writer.Delete("ann");
  const core::Words words = {4, 5};
  writer.Hide("bob", 2, &words, "meta");
  writer.Hide("eve", 2, nullptr, "");
  writer.DeleteRange({{1, 2}, "ann", {3, 4}, "bob", 1'001}, 2, /*evicted=*/false);
  writer.DeleteRange({{1}, "ann", {UINT64_MAX}, "", 5}, 1, /*evicted=*/true);
  writer.Show("bob");
  writer.Alter(WithWindow());
  writer.Written(-1);
  writer.Remember({3, -4, UINT64_MAX, "id", "outcome"});
  writer.ForgetBefore(300);
  writer.Name("race2", "race", TwoFields());
  writer.Expiry(-5);
  writer.Clear();
  writer.Select(UINT64_MAX);
  writer.Drop(1, "one", Spec());
  writer.DropExpired(2, "two", WithWindow());
  writer.CreateInstance(9, 300, {Period::kDay, -1, INT64_MAX, "2026-11-15"}, Policy::kBest, 3);
  writer.SelectInstance({9, 300, Period::kDay, -1});
  writer.Evict("bob");
  writer.Turned(INT64_MIN);
  writer.Closed({7, 8, 9, 2, {{"ann", {1, 2}}, {"bob", {3, 4}}}});
  writer.DropInstance(9);
  writer.DropBelow(7);
  writer.Template("x*", Spec());
  writer.NoTemplate("x*");
  return bytes;
}

// What a board may give out, and no more.
TEST(EffectCodec, RefusesNumbersOfRequestsThatNoBoardGives) {
  constexpr std::uint64_t kLast = core::RememberedRequest::kMaxSequence;
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

TEST(EffectCodec, ReadsWhatItHasWritten) {
  Listing listing;
  ASSERT_TRUE(listing.Read(EveryEffect()).ok());
  EXPECT_EQ(listing.told, (std::vector<std::string>{
                              "clock 1700000000000000",
                              "create 300 race " + DescribeSpec(TwoFields()),
                              "put ann 1 18446744073709551615 3",
                              "put bob 1 2 [meta]",
                              "delete ann",
                              "hide bob 4 5 [meta]",
                              "hide eve",
                              "delete range 1001 ann 1 2 bob 3 4",
                              "evict range 5 ann 1 18446744073709551615",
                              "show bob",
                              "alter " + DescribeSpec(WithWindow()),
                              "written -1",
                              "remember 3 -4 18446744073709551615 id outcome",
                              "forget before 300",
                              "name race2 from race " + DescribeSpec(TwoFields()),
                              "expiry -5",
                              "clear",
                              "select 18446744073709551615",
                              "drop 1 one " + DescribeSpec(Spec()),
                              "expired 2 two " + DescribeSpec(WithWindow()),
                              "instance 9 of 300 day -1 9223372036854775807 2026-11-15 best 3",
                              "select 9 of 300 day -1",
                              "evict bob",
                              "turned -9223372036854775808",
                              "closed 7 8 9 ann 1 2 bob 3 4",
                              "drop instance 9",
                              "below 7",
                              "template x* " + DescribeSpec(Spec()),
                              "no template x*"}));
}

TEST(EffectCodec, TellsWholeEffectsOnlyWhereverTheBytesEnd) {
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
  EXPECT_EQ(ends, whole.told.size());  // between two effects, and before the first
}

TEST(EffectCodec, RefusesWhatNoEffectIs) {
  const auto refused = [](const std::string& bytes) { return !Listing().Read(bytes).ok(); };
  EXPECT_TRUE(refused(std::string(1, '\0')));
  EXPECT_TRUE(refused("\x7f"));
  std::string bytes;
  EffectWriter(&bytes).Put("m", {}, 1, "");
  for (const int words : {0, static_cast<int>(core::kMaxWords) + 1, 255}) {
    bytes[1] = static_cast<char>(words);
    EXPECT_TRUE(refused(bytes)) << words;
  }
  bytes.clear();
  EffectWriter(&bytes).Name(std::string(kMaxBoardNameBytes + 1, 'n'), "", Spec());
  EXPECT_TRUE(refused(bytes));
  bytes.clear();
  EffectWriter(&bytes).Delete(std::string(kMaxSortedSetMemberBytes + 1, 'm'));
  EXPECT_TRUE(refused(bytes));
  bytes.clear();
  Spec no_fields;
  no_fields.fields.clear();
  EffectWriter(&bytes).Create(1, "b", no_fields);
  EXPECT_TRUE(refused(bytes));
  EXPECT_TRUE(refused("\x02" + std::string(10, '\xff')));  // a number without an end
}

}  // namespace
}  // namespace laurel::engine
