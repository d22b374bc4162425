#include "transfer/folders/loaded_boards.h"

#include <string>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "leaderboard/effect_codec.h"

namespace laurel::transfer {
namespace {

class CheckInstancesTest : public testing::Test {
 protected:
  CheckInstancesTest() : keys_(base::SystemMemory(), 1) {
    Spec spec;
    spec.periods = {Period::kDay, Period::kAll};
    board_ = *keys_.Declare("lb", spec);
  }

  // Applies effects that no command produces, as a start does to records that a snapshot may hold.
  void Apply(const std::string& effects) {
    base::ByteCursor cursor(effects);
    leaderboard::Summary summary;
    ASSERT_TRUE(board_->board.Apply(&cursor, true, &summary).ok());
  }
  void AddDay(std::uint32_t number, const std::string& label) {
    std::string effects;
    leaderboard::EffectWriter(&effects).CreateInstance(number, {Period::kDay, 0, 1, label});
    Apply(effects);
  }

  std::string Problem() {
    const Status checked = CheckInstances(&keys_);
    return checked.ok() ? "" : checked.error().message;
  }

  engine::Keyspace keys_;
  engine::NamedBoard* board_ = nullptr;
};

TEST_F(CheckInstancesTest, InstancesWithDistinctLabelsPass) {
  AddDay(1, "2026-11-15");
  AddDay(2, "2026-11-16");
  EXPECT_EQ(Problem(), "");
}

TEST_F(CheckInstancesTest, ADuplicateLabelIsReported) {
  AddDay(1, "2026-11-15");
  AddDay(2, "2026-11-15");
  EXPECT_EQ(Problem(), "board 'lb': 'lb@day:2026-11-15' is there twice");
}

TEST_F(CheckInstancesTest, AnEntryHiddenWithoutAMarkIsReported) {
  AddDay(1, "2026-11-15");
  std::string effects;
  leaderboard::EffectWriter writer(&effects);
  writer.Select({1, Period::kDay, 0});
  core::Effect hide;
  hide.kind = core::Effect::Kind::kHide;
  hide.member = "ann";
  writer.Entry(hide, 2);
  Apply(effects);
  EXPECT_EQ(Problem(), "board 'lb': leaderboard: an entry is hidden without a mark");
}

}  // namespace
}  // namespace laurel::transfer
