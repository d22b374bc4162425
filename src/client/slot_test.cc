#include "client/slot.h"

#include <gtest/gtest.h>

namespace laurel::client {
namespace {

// As CLUSTER KEYSLOT of redis-server answers.
TEST(Slot, EqualsThatOfRedis) {
  EXPECT_EQ(SlotOf("123456789"), 0x31C3);
  EXPECT_EQ(SlotOf(""), 0);
  EXPECT_EQ(SlotOf("foo"), 12182);
  EXPECT_EQ(SlotOf("arena"), SlotOf("{arena}:load"));
  EXPECT_EQ(SlotOf("a{foo}{bar}"), 12182);
  EXPECT_EQ(SlotOf("{}foo"), SlotOf("{}foo"));
  EXPECT_NE(SlotOf("{}foo"), SlotOf("{}bar"));
  EXPECT_NE(SlotOf("x{foo"), SlotOf("y{foo"));
  EXPECT_NE(SlotOf("foo}x"), SlotOf("foo}y"));
}

}  // namespace
}  // namespace laurel::client
