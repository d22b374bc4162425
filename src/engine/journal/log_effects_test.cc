#include "engine/journal/log_effects.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/limits.h"

namespace laurel::engine {
namespace {

// Lists the effects that were read, as text.
class Listing : public LogReader {
 public:
  std::vector<std::string> told;

 protected:
  Status OnClock(Stamp last) override { return Tell("clock " + std::to_string(last)); }
  Status OnSelectBoard(std::uint64_t id) override { return Tell("select " + std::to_string(id)); }
  Status OnCreateBoard(std::uint64_t id, std::string_view name, const Spec& spec) override {
    return Tell("create " + std::to_string(id) + " " + std::string(name) + " " +
                DescribeSpec(spec));
  }
  Status OnDrop(std::uint64_t id, std::string_view name, const Spec& spec, bool expired) override {
    return Tell((expired ? "expired " : "drop ") + std::to_string(id) + " " + std::string(name) +
                " " + DescribeSpec(spec));
  }
  Status OnDropBelow(std::uint64_t id) override { return Tell("below " + std::to_string(id)); }
  Status OnName(std::string_view name, std::string_view from, const Spec& spec) override {
    return Tell("name " + std::string(name) + " from " + std::string(from) + " " +
                DescribeSpec(spec));
  }
  Status OnExpiry(std::int64_t at_ms) override { return Tell("expiry " + std::to_string(at_ms)); }
  Status OnTemplate(std::string_view pattern, const Spec& spec) override {
    return Tell("template " + std::string(pattern) + " " + DescribeSpec(spec));
  }
  Status OnNoTemplate(std::string_view pattern) override {
    return Tell("no template " + std::string(pattern));
  }
  Status OnMark(std::string_view member) override { return Tell("mark " + std::string(member)); }
  Status OnSelect(const leaderboard::InstanceRef& instance) override {
    return Tell("instance " + std::to_string(instance.number));
  }

 private:
  Status Tell(const std::string& text) {
    told.push_back(text);
    return Ok{};
  }
};

std::string EveryEffect() {
  std::string bytes;
  LogWriter writer(&bytes);
  writer.Clock(1'700'000'000'000'000);
  writer.Create(300, "race", Spec());
  writer.effects().Mark("ann");
  writer.effects().Select({3, Period::kDay, 0});
  writer.Name("race2", "race", Spec());
  writer.effects().Select({3, Period::kDay, 0});
  writer.Expiry(-5);
  writer.Select(UINT64_MAX);
  writer.Drop(1, "one", Spec(), /*expired=*/false);
  writer.Drop(2, "two", Spec::SortedSet(), /*expired=*/true);
  writer.DropBelow(7);
  writer.Template("x*", Spec());
  writer.NoTemplate("x*");
  return bytes;
}

TEST(LogEffects, RoundTripsEngineEffectsMixedWithBoardEffects) {
  Listing listing;
  ASSERT_TRUE(listing.ReadAll(EveryEffect()).ok());
  const std::string spec = DescribeSpec(Spec());
  EXPECT_EQ(listing.told,
            (std::vector<std::string>{"clock 1700000000000000", "create 300 race " + spec,
                                      "mark ann", "instance 3", "name race2 from race " + spec,
                                      "instance 3", "expiry -5", "select 18446744073709551615",
                                      "drop 1 one " + spec, "expired 2 two sorted set", "below 7",
                                      "template x* " + spec, "no template x*"}));
}

TEST(LogEffects, ReportsOnlyWholeEffectsWhereverTheBytesEnd) {
  const std::string bytes = EveryEffect();
  Listing whole;
  ASSERT_TRUE(whole.ReadAll(bytes).ok());
  std::size_t ends = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Listing cut;
    if (cut.ReadAll(std::string_view(bytes).substr(0, size)).ok()) ++ends;
    ASSERT_LT(cut.told.size(), whole.told.size());
    ASSERT_TRUE(std::equal(cut.told.begin(), cut.told.end(), whole.told.begin())) << size;
  }
  EXPECT_EQ(ends, whole.told.size());  // a cut between two effects, or before the first, is valid
}

TEST(LogEffects, RefusesMalformedEffects) {
  const auto refused = [](const std::string& bytes) { return !Listing().ReadAll(bytes).ok(); };
  EXPECT_TRUE(refused(std::string(1, '\0')));
  EXPECT_TRUE(refused("\x7f"));
  std::string bytes;
  LogWriter(&bytes).Name(std::string(kMaxBoardNameBytes + 1, 'n'), "", Spec());
  EXPECT_TRUE(refused(bytes));
  EXPECT_TRUE(refused("\x41" + std::string(10, '\xff')));  // a varint that does not end
}

}  // namespace
}  // namespace laurel::engine
