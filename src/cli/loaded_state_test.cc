#include "cli/loaded_state.h"

#include <string>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "core/effects.h"

namespace laurel::cli {
namespace {

class CheckInstancesTest : public testing::Test {
 protected:
  CheckInstancesTest() : keys_(base::SystemMemory(), 1) {
    Spec spec;
    spec.periods = {Period::kDay, Period::kAll};
    board_ = *keys_.Declare("lb", spec);
  }

  engine::Key* AddDay(const std::string& label) {
    return keys_.catalog().CreateInstance(board_, {Period::kDay, 0, 1, label});
  }

  static void Hide(engine::Key* key, const char* member) {
    core::Effect hide;
    hide.kind = core::Effect::Kind::kHide;
    hide.member = member;
    key->board.Apply(hide);
  }

  std::string Problem() {
    const Status checked = CheckInstances(&keys_);
    return checked.ok() ? "" : checked.error().message;
  }

  engine::Keyspace keys_;
  engine::Key* board_ = nullptr;
};

TEST_F(CheckInstancesTest, InstancesWithTheirOwnLabelsAndTheBoardsMarksAreWhole) {
  Hide(board_, "ann");
  Hide(AddDay("2026-11-15"), "ann");
  Hide(AddDay("2026-11-16"), "ann");
  EXPECT_EQ(Problem(), "");
}

TEST_F(CheckInstancesTest, ALabelThatTwoHaveIsNamed) {
  AddDay("2026-11-15");
  AddDay("2026-11-15");
  EXPECT_EQ(Problem(), "board 'lb@day:2026-11-15' is there twice");
}

TEST_F(CheckInstancesTest, AMarkThatIsNotOnBothIsNamed) {
  engine::Key* day = AddDay("2026-11-15");
  Hide(board_, "ann");
  EXPECT_EQ(Problem(), "board 'lb@day:2026-11-15' hides other members than 'lb'");
  Hide(day, "bob");
  EXPECT_EQ(Problem(), "board 'lb@day:2026-11-15' hides other members than 'lb'");
}

}  // namespace
}  // namespace laurel::cli
