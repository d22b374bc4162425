#include "server/access/login_failures.h"

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

constexpr std::int64_t kStart = 5;

TEST(LoginFailures, DelayDoublesForAnAddressWhateverItsPort) {
  LoginFailures failures;
  EXPECT_EQ(failures.Note("10.0.0.1:1000", kStart), kFirstLoginDelayMs);
  EXPECT_EQ(failures.Note("10.0.0.1:2000", kStart), 2 * kFirstLoginDelayMs);
  EXPECT_EQ(failures.Note("[::1]:1000", kStart), kFirstLoginDelayMs);
  for (int i = 0; i < 100; ++i) failures.Note("10.0.0.1:1000", kStart);
  EXPECT_EQ(failures.Note("10.0.0.1:1000", kStart), kLongestLoginDelayMs);
  EXPECT_EQ(failures.Note("[::1]:1000", kStart), 2 * kFirstLoginDelayMs);
}

TEST(LoginFailures, DelayStartsOverAfterATimeWithoutFailures) {
  LoginFailures failures;
  failures.Note("10.0.0.1:1000", kStart);
  EXPECT_EQ(failures.Note("10.0.0.1:1000", kStart + kLoginFailureLifeMicros),
            2 * kFirstLoginDelayMs);
  EXPECT_EQ(failures.Note("10.0.0.1:1000", kStart + 2 * kLoginFailureLifeMicros + 1),
            kFirstLoginDelayMs);
}

}  // namespace
}  // namespace laurel::server
