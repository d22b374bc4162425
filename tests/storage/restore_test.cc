// LB.RESTORE: the entries of another board, stored in a board that is in use.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/store/score_key.h"
#include "laurel/period.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/load.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

struct Row {
  std::string member;
  std::int64_t score = 0;
  std::int64_t age_us = 0;  // before the clock
  std::string meta{};
};

class RestoreTest : public ::testing::Test {
 protected:
  void SetUp() override { Restart(); }
  void Restart() {
    if (rig_) rig_->engine().Close(false);
    rig_.reset();
    rig_ = std::make_unique<EngineRig>(&folder_, &clock_);
    rig_->StartOrThrow();
  }
  std::string Ask(Words words) { return rig_->Ask(std::move(words)).ToString(); }
  std::string Ask(std::string_view line) { return rig_->Ask(line).ToString(); }

  // The effects of entries of an instance, or of a board without periods.
  [[nodiscard]] std::string Chunk(const std::vector<Row>& rows,
                                  const std::optional<Instance>& instance = std::nullopt) const {
    std::string bytes;
    leaderboard::EffectWriter writer(&bytes);
    if (instance) writer.CreateInstance(1, *instance);
    const core::KeyLayout layout(Spec{});
    core::Effect put;
    put.stamp_not_from_clock = true;
    for (const Row& row : rows) {
      put.member = row.member;
      put.words = layout.Encode(Score{row.score}, clock_.Now() - row.age_us);
      put.meta = row.meta;
      writer.Entry(put, layout.words());
    }
    return bytes;
  }
  static Instance Labelled(Period period, const std::string& label) {
    return {period, 0, 0, label};
  }
  std::string Restore(const std::string& chunk) { return Ask({"LB.RESTORE", "lb", chunk}); }
  std::string RestoreWithMeta(const std::string& chunk) {
    return Ask({"LB.RESTORE", "lb", chunk, "META"});
  }
  std::string Top(const std::string& board = "lb") {
    return Ask("ZREVRANGE " + board + " 0 -1 WITHSCORES");
  }

  TestClock clock_;
  SimulatedFolder folder_;
  std::unique_ptr<EngineRig> rig_;
};

TEST_F(RestoreTest, EntriesReplaceWhateverThePolicyIsAndKeepTheirStamps) {
  ASSERT_EQ(Ask("LB.CREATE lb POLICY sum"), "+OK");
  ASSERT_FALSE(rig_->Ask("LB.SUBMIT lb ann 100").IsError());
  const std::string chunk = Chunk({{"ann", 30, 50}, {"bob", 30, 60}});
  EXPECT_EQ(Restore(chunk), "2");
  EXPECT_EQ(Top(), R"(["bob", "30", "ann", "30"])");
  EXPECT_EQ(Restore(chunk), "2") << "a second time";
  Restart();
  EXPECT_EQ(Top(), R"(["bob", "30", "ann", "30"])") << "the effects are in the log";
  ASSERT_FALSE(rig_->Ask("LB.SUBMIT lb ann 5").IsError());
  EXPECT_EQ(Top(), R"(["ann", "35", "bob", "30"])");
}

TEST_F(RestoreTest, MetaIsReplacedIfTheRequestSaysSo) {
  ASSERT_EQ(Ask("LB.CREATE lb"), "+OK");
  ASSERT_FALSE(rig_->Ask("LB.SET lb ann 1 META old").IsError());
  const std::string stamp = rig_->Ask("LB.GET lb ann").elements.at(7).ToString();
  const std::int64_t age = clock_.Now() - std::stoll(stamp);
  EXPECT_EQ(Restore(Chunk({{"ann", 1, age, "new"}})), "1");
  EXPECT_NE(Ask("LB.GET lb ann WITHMETA").find("old"), std::string::npos);
  EXPECT_EQ(RestoreWithMeta(Chunk({{"ann", 1, age, "new"}})), "1");
  EXPECT_NE(Ask("LB.GET lb ann WITHMETA").find("new"), std::string::npos);
  EXPECT_EQ(RestoreWithMeta(Chunk({{"ann", 1, age, ""}})), "1");
  EXPECT_EQ(Ask("LB.GET lb ann WITHMETA").find("new"), std::string::npos);
}

TEST_F(RestoreTest, CapMarksAndExpiryAreTheBoardsAndTheWindowDoesNotCount) {
  clock_.Move(1'000'000);
  const std::string end = std::to_string(clock_.Now() - 500'000) + "us";
  ASSERT_EQ(Ask("LB.CREATE lb CAP 2 END " + end), "+OK");
  ASSERT_EQ(Ask("LB.HIDE lb eve"), "1");
  EXPECT_EQ(Restore(Chunk({{"ann", 5, 3}, {"bob", 6, 2}, {"cid", 4, 1}, {"eve", 9, 1}})), "3");
  EXPECT_EQ(Top(), R"(["bob", "6", "ann", "5"])");
  EXPECT_EQ(Ask("LB.SHOW lb eve"), "1");
  EXPECT_EQ(Top(), R"(["eve", "9", "bob", "6"])");
  EXPECT_TRUE(Ask("LB.SET lb dan 1").starts_with("-CLOSED"));
}

TEST_F(RestoreTest, EntriesOfInstancesGoWhereTheBoardKeepsThem) {
  ASSERT_EQ(Ask("LB.CREATE lb PERIODS 2 day all KEEP 1"), "+OK");
  ASSERT_FALSE(rig_->Ask("LB.SUBMIT lb ann 10").IsError());
  // The clock begins on 2023-11-14.
  EXPECT_EQ(Restore(Chunk({{"ann", 3, 1}}, Labelled(Period::kDay, "2023-11-14"))), "1");
  EXPECT_EQ(Restore(Chunk({{"bob", 4, 1}}, Labelled(Period::kDay, "2023-11-13"))), "1");
  EXPECT_EQ(Restore(Chunk({{"cid", 5, 1}}, Labelled(Period::kAll, ""))), "1");
  EXPECT_EQ(Top("lb@day"), R"(["ann", "3"])");
  EXPECT_EQ(Top("lb@day:-1"), R"(["bob", "4"])");
  EXPECT_EQ(Top("lb@all"), R"(["ann", "10", "cid", "5"])");
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"not kept", Chunk({{"x", 1, 1}}, Labelled(Period::kDay, "2023-11-12"))},
      {"not begun", Chunk({{"x", 1, 1}}, Labelled(Period::kDay, "2023-11-15"))},
      {"has the periods day, all", Chunk({{"x", 1, 1}}, Labelled(Period::kWeek, "2023-W46"))},
      {"names no instance", Chunk({{"x", 1, 1}})},
      {"an instance twice", Chunk({{"x", 1, 1}}, Labelled(Period::kDay, "2023-11-14")) +
                                Chunk({{"y", 1, 1}}, Labelled(Period::kDay, ""))},
  };
  for (const auto& [why, chunk] : refused) {
    EXPECT_NE(Restore(chunk).find(why), std::string::npos) << Restore(chunk);
  }
  rig_->Tick();
  EXPECT_NE(Ask("LB.CHANGES lb 0").find("closed"), std::string::npos)
      << "an instance that is over is closed";
}

TEST_F(RestoreTest, ChunksAreAllOrNothingAndHostileOnesDoNoHarm) {
  ASSERT_EQ(Ask("LB.CREATE lb"), "+OK");
  const std::string good = Chunk({{"ann", 30, 50}, {"bob", 20, 40}});
  std::string marked;
  leaderboard::EffectWriter(&marked).Mark("ann");
  std::string stamped;
  leaderboard::EffectWriter(&stamped).Stamped(clock_.Now());
  std::string twice = Chunk({{"x", 1, 1}}, Labelled(Period::kDay, "2023-11-14"));
  std::string many;
  for (std::size_t i = 0; i <= leaderboard::kMaxChunkInstances; ++i) {
    leaderboard::EffectWriter(&many).CreateInstance(
        static_cast<std::uint32_t>(i + 1), Labelled(Period::kDay, "2023-11-" + std::to_string(i)));
  }
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"the board is in use", good + marked},
      {"the board is in use", good + stamped},
      {"malformed", good.substr(0, good.size() - 1)},
      {"BADTIME", good + Chunk({{"cid", 1, -2'000'000}})},
      {"longer than|exceeds", Chunk({{"ann", 1, 1}, {std::string(1025, 'm'), 1, 1}})},
      {"too many instances", many},
      {"the board has no periods", twice},
      {"at most", std::string(leaderboard::kMaxChunkBytes + 1, 'x')},
  };
  for (const auto& [why, chunk] : refused) {
    const std::string reply = Restore(chunk);
    const std::string first = why.substr(0, why.find('|'));
    const bool named = reply.find(first) != std::string::npos ||
                       reply.find(why.substr(why.find('|') + 1)) != std::string::npos;
    EXPECT_TRUE(reply.starts_with('-') && named) << why << ": " << reply;
    EXPECT_EQ(Ask("LB.SIZE lb"), "0") << why;
  }
  EXPECT_TRUE(Ask({"LB.RESTORE", "none", good}).starts_with("-NOBOARD"));
  EXPECT_TRUE(Ask({"LB.RESTORE", "lb", good, "METAS"}).starts_with("-ERR"));
  base::Random random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string chunk = good;
    chunk[random.Below(chunk.size())] = static_cast<char>(random.Below(256));
    static_cast<void>(Restore(chunk));
  }
  const std::string before = Ask("LB.TOP lb 1000");
  Restart();
  EXPECT_EQ(Ask("LB.TOP lb 1000"), before);
}

}  // namespace
}  // namespace laurel::testing
