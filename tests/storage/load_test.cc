// LB.LOAD: a board that is filled in chunks and gets its name at the commit.
#include "leaderboard/load.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "core/store/score_key.h"
#include "leaderboard/effect_codec.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"

namespace laurel::testing {
namespace {

struct Row {
  std::string member;
  std::int64_t score = 0;
  std::int64_t age_us = 0;  // before the clock
};

class LoadTest : public ::testing::Test {
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

  // The effects of entries on a board with one field, TIE first.
  [[nodiscard]] std::string Chunk(const std::vector<Row>& rows) const {
    std::string bytes;
    leaderboard::EffectWriter writer(&bytes);
    const core::KeyLayout layout(Spec{});
    core::Effect put;
    put.stamp_not_from_clock = true;
    for (const Row& row : rows) {
      put.member = row.member;
      put.words = layout.Encode(Score{row.score}, clock_.Now() - row.age_us);
      writer.Entry(put, layout.words());
    }
    return bytes;
  }
  std::string Begin(const std::string& options = "") {
    const std::string id = std::to_string(++loads_);
    EXPECT_EQ(Ask("LB.LOAD lb BEGIN " + id + " " + options), "+OK");
    return id;
  }
  std::string Send(const std::string& id, int number, const std::string& chunk) {
    return Ask({"LB.LOAD", "lb", "CHUNK", id, std::to_string(number), chunk});
  }
  std::string Commit(const std::string& id) { return Ask({"LB.LOAD", "lb", "COMMIT", id}); }

  TestClock clock_;
  SimulatedFolder folder_;
  std::unique_ptr<EngineRig> rig_;
  int loads_ = 0;
};

TEST_F(LoadTest, BoardHasItsNameAtTheCommitAndNotBefore) {
  const std::string id = Begin("POLICY best");
  const std::string first = Chunk({{"ann", 30, 50}, {"bob", 20, 40}});
  const std::string second = Chunk({{"cid", 20, 30}});
  EXPECT_EQ(Send(id, 1, first), "+OK");
  EXPECT_TRUE(Ask("LB.TOP lb 10").starts_with("-NOBOARD"));
  EXPECT_EQ(Ask("DBSIZE"), "0");
  EXPECT_EQ(Ask("KEYS *"), "[]");
  EXPECT_EQ(Ask("LB.LIST"), R"(["0", []])");
  EXPECT_EQ(Send(id, 1, first), "+OK") << "its reply was lost";
  EXPECT_TRUE(Send(id, 3, second).starts_with("-ERR chunk 3 does not follow chunk 1"));
  EXPECT_TRUE(Send(id, 0, second).starts_with("-ERR"));
  EXPECT_EQ(Send(id, 2, second), "+OK");
  leaderboard::LoadFigures figures;
  ASSERT_TRUE(leaderboard::AddChunk(first, INT64_MAX, &figures).ok());
  ASSERT_TRUE(leaderboard::AddChunk(second, INT64_MAX, &figures).ok());
  const Value reply = rig_->Ask({"LB.LOAD", "lb", "COMMIT", id});
  ASSERT_EQ(reply.elements.size(), 4U) << reply.ToString();
  EXPECT_EQ(reply.elements[1].ToString(), "3");
  EXPECT_EQ(std::stoull(reply.elements[3].text, nullptr, 16), figures.digest);
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["ann", "bob", "cid"])");
  EXPECT_EQ(Ask("DBSIZE"), "1");
  EXPECT_EQ(Commit(id), reply.ToString()) << "its reply was lost";
  EXPECT_TRUE(Send(id, 3, second).starts_with("-NOBOARD there is no load"));
}

TEST_F(LoadTest, BeginMayBeRepeatedUntilTheFirstChunk) {
  EXPECT_EQ(Ask("LB.LOAD lb BEGIN mine POLICY best"), "+OK");
  EXPECT_EQ(Ask("LB.LOAD lb BEGIN mine POLICY best"), "+OK") << "its reply was lost";
  EXPECT_TRUE(Ask("LB.LOAD lb BEGIN mine POLICY sum").starts_with("-EXISTS"));
  EXPECT_EQ(Ask("LB.LOAD other BEGIN mine POLICY sum"), "+OK") << "the id of another board's load";
  EXPECT_EQ(Send("mine", 1, Chunk({{"ann", 30, 50}})), "+OK");
  EXPECT_TRUE(Ask("LB.LOAD lb BEGIN mine POLICY best").starts_with("-EXISTS"));
  EXPECT_FALSE(rig_->Ask("LB.LOAD lb COMMIT mine").IsError());
  EXPECT_EQ(Ask("LB.SIZE lb"), "1");
  EXPECT_EQ(Ask("LB.LOAD lb BEGIN mine"), "+OK") << "the id is free again";
  EXPECT_TRUE(Commit("mine").starts_with("-EXISTS"));
  EXPECT_TRUE(Ask({"LB.LOAD", "lb", "BEGIN", std::string(513, 'x')}).starts_with("-LIMIT"));
}

TEST_F(LoadTest, NameThatIsTakenIsReplacedOnlyIfAsked) {
  ASSERT_EQ(Ask("LB.CREATE lb"), "+OK");
  ASSERT_FALSE(rig_->Ask("LB.SET lb old 1").IsError());
  const std::string id = Begin();
  ASSERT_EQ(Send(id, 1, Chunk({{"new", 1, 1}})), "+OK");
  EXPECT_TRUE(Commit(id).starts_with("-EXISTS"));
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["old"])");
  EXPECT_FALSE(rig_->Ask({"LB.LOAD", "lb", "COMMIT", id, "REPLACE"}).IsError());
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["new"])");
}

TEST_F(LoadTest, RestartKeepsWhatIsCommittedAndDropsTheRest) {
  for (const bool snapshot : {false, true}) {
    const std::string id = Begin();
    ASSERT_EQ(Send(id, 1, Chunk({{"ann", 3, 3}})), "+OK");
    if (snapshot) {
      ASSERT_EQ(Ask("SAVE"), "+OK");
    }
    ASSERT_EQ(Send(id, 2, Chunk({{"bob", 2, 2}})), "+OK");
    const std::string other = Begin();
    ASSERT_EQ(Send(other, 1, Chunk({{"eve", 1, 1}})), "+OK");
    ASSERT_FALSE(rig_->Ask({"LB.LOAD", "lb", "COMMIT", id, "REPLACE"}).IsError());
    Restart();
    EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["ann", "bob"])");
    EXPECT_TRUE(Commit(other).starts_with("-NOBOARD there is no load"));
    EXPECT_EQ(Ask("DBSIZE"), "1");
  }
}

TEST_F(LoadTest, LoadsAreBoundedInNumberAndTime) {
  std::vector<std::string> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(Begin());
  EXPECT_TRUE(Ask("LB.LOAD lb BEGIN fifth").starts_with("-LIMIT"));
  EXPECT_EQ(Ask({"LB.LOAD", "lb", "ABORT", ids[0]}), "+OK");
  EXPECT_TRUE(Ask({"LB.LOAD", "lb", "ABORT", ids[0]}).starts_with("-NOBOARD there is no load"));
  ids[0] = Begin();
  EXPECT_TRUE(Ask({"LB.LOAD", "other", "COMMIT", ids[0]}).starts_with("-NOBOARD there is no load"));
  clock_.Move(std::int64_t{9} * 60 * 1'000'000);
  EXPECT_EQ(Send(ids[0], 1, Chunk({{"ann", 3, 3}})), "+OK");
  clock_.Move(std::int64_t{2} * 60 * 1'000'000);
  rig_->Tick();
  EXPECT_TRUE(Commit(ids[1]).starts_with("-NOBOARD there is no load"));
  EXPECT_FALSE(rig_->Ask({"LB.LOAD", "lb", "COMMIT", ids[0]}).IsError());
  const std::string last = Begin();
  EXPECT_EQ(Ask("FLUSHALL"), "+OK");
  EXPECT_TRUE(Commit(last).starts_with("-NOBOARD there is no load"));
}

TEST_F(LoadTest, HostileChunksAreRefused) {
  const std::string good = Chunk({{"ann", 30, 50}});
  std::string clear;
  leaderboard::EffectWriter(&clear).Entry({core::Effect::Kind::kClear}, 0);
  std::string drop;
  leaderboard::EffectWriter(&drop).DropInstance(1);
  std::string marked = good;
  leaderboard::EffectWriter(&marked).Mark("ann");
  std::string turned;
  leaderboard::EffectWriter(&turned).Turned(clock_.Now() + 2'000'000);
  std::string noted;
  leaderboard::EffectWriter(&noted).Close({"a note", 0, 0, {}});
  std::string hours;
  for (int i = 0; i < 10; ++i) {
    leaderboard::EffectWriter(&hours).CreateInstance(static_cast<std::uint32_t>(i + 1),
                                                     {Period::kHour, i, i + 1, std::to_string(i)});
  }
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"a mark after entries", marked},
      {"BADTIME", turned},
      {"a note", noted},
      {"than KEEP covers", hours},
      {"malformed", good.substr(0, good.size() - 1)},
      {"a removal", clear},
      {"dropped", drop},
      {"malformed", good + static_cast<char>(70)},
      {"BADTIME", Chunk({{"ann", 1, -2'000'000}})},
      {"longer than", Chunk({{std::string(2000, 'm'), 1, 1}})},
      {"at most", std::string(600 << 10, 'x')},
      {"than the cap", Chunk({{"a", 1, 1}, {"b", 1, 1}, {"c", 1, 1}})},
  };
  for (const auto& [why, chunk] : refused) {
    const std::string id = Begin("CAP 2");
    const std::string reply = Send(id, 1, chunk);
    EXPECT_TRUE(reply.starts_with('-') && reply.find(why) != std::string::npos) << reply;
    (void)Ask({"LB.LOAD", "lb", "ABORT", id});
  }
  base::Random random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::string id = Begin("CAP 2");
    std::string chunk = good;
    chunk[random.Below(chunk.size())] = static_cast<char>(random.Below(256));
    (void)Send(id, 1, chunk);
    (void)Ask({"LB.LOAD", "lb", "ABORT", id});
  }
  EXPECT_EQ(Ask("DBSIZE"), "0");
  Restart();
  EXPECT_EQ(Ask("DBSIZE"), "0");
}

TEST_F(LoadTest, EntryAheadOfTheClockDoesNotMoveIt) {
  const std::string id = Begin();
  ASSERT_EQ(Send(id, 1, Chunk({{"ann", 1, -900'000}})), "+OK");
  ASSERT_FALSE(rig_->Ask({"LB.LOAD", "lb", "COMMIT", id}).IsError());
  ASSERT_EQ(Ask("LB.CREATE other"), "+OK");
  const auto stamp_in = [&](const std::string& board) {
    const Value reply = rig_->Ask({"LB.SUBMIT", board, "bob", "1"});
    return std::stoll(reply.Find("stamp")->ToString());
  };
  EXPECT_LT(stamp_in("other"), clock_.Now() + 1000);
  EXPECT_LT(stamp_in("lb"), clock_.Now() + 1000) << "it is ahead of ann's by its own";
  EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"), R"(["bob", "ann"])");
}

TEST_F(LoadTest, FollowersSeeOneEventAndThenAGap) {
  ASSERT_EQ(Ask("LB.CREATE lb"), "+OK");
  // A page has the fields events, next and perhaps gap.
  const auto changes = [&](const std::string& from) {
    return rig_->Ask({"LB.CHANGES", "lb", from});
  };
  const std::string before = changes("0").elements.at(3).text;
  const std::string id = Begin();
  ASSERT_EQ(Send(id, 1, Chunk({{"ann", 3, 3}, {"bob", 2, 2}})), "+OK");
  ASSERT_FALSE(rig_->Ask({"LB.LOAD", "lb", "COMMIT", id, "REPLACE"}).IsError());
  ASSERT_FALSE(rig_->Ask("LB.SET lb cid 1").IsError());
  Value page = changes(before);
  std::string causes;
  for (const Value& event : page.elements.at(1).elements) causes += event.elements.at(3).text + " ";
  EXPECT_EQ(causes, "dropped loaded ") << page.ToString();
  EXPECT_NE(page.ToString().find(R"("count", 2)"), std::string::npos) << page.ToString();
  EXPECT_EQ(page.elements.size(), 4U) << page.ToString();
  page = changes(page.elements.at(3).text);
  EXPECT_EQ(page.elements.size(), 6U) << "a gap: " << page.ToString();
  EXPECT_TRUE(page.elements.at(1).elements.empty()) << page.ToString();
  page = changes(page.elements.at(3).text);
  EXPECT_EQ(page.elements.at(1).elements.size(), 1U) << page.ToString();
  EXPECT_NE(page.ToString().find(R"("cid")"), std::string::npos) << page.ToString();
  EXPECT_EQ(changes("-1").elements.at(1).elements.size(), 1U);
  page = changes("-10");
  EXPECT_EQ(page.elements.at(1).elements.size(), 2U) << "loaded and put: " << page.ToString();
}

}  // namespace
}  // namespace laurel::testing
