#include "server/net/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace laurel::server {
namespace {

TEST(OpenFiles, RaisesTheSoftLimitToTheHardOne) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lowered = before;
  lowered.rlim_cur = 200;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  const std::size_t raised = RaiseOpenFiles();
  rlimit after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(after.rlim_cur, before.rlim_max);
  EXPECT_EQ(raised, before.rlim_max == RLIM_INFINITY ? SIZE_MAX : before.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(OpenFiles, ClientsLeaveTheReservedFiles) {
  const std::size_t reserved = kReservedFiles + 2 * kFilesPerThread;
  EXPECT_EQ(*ClientsWithin(SIZE_MAX, 2, 10'000), 10'000U);
  EXPECT_EQ(*ClientsWithin(reserved + 10'000, 2, 10'000), 10'000U);
  EXPECT_EQ(*ClientsWithin(reserved + 9'999, 2, 10'000), 9'999U);
  EXPECT_EQ(*ClientsWithin(reserved + 1, 2, 10'000), 1U);
  const auto refused = ClientsWithin(reserved, 2, 10'000);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message,
            "the limit of open files is 104 (ulimit -n): at least 105 are needed");
}

}  // namespace
}  // namespace laurel::server
