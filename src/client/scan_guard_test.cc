#include "client/scan_guard.h"

#include <string>

#include <gtest/gtest.h>

namespace laurel::client {
namespace {

TEST(ScanGuard, ALongScanIsTaken) {
  ScanGuard guard("server", 1'000'000);
  for (int page = 1; page < 1000; ++page) EXPECT_TRUE(guard.Take(std::to_string(page), 1000).ok());
  EXPECT_TRUE(guard.Take("0", 1000).ok());
}

TEST(ScanGuard, CursorsThatComeBackAreNoticed) {
  for (const int round : {1, 2, 3, 100}) {
    ScanGuard guard("server", 1'000'000);
    int pages = 0;
    while (guard.Take(std::to_string(1 + pages % round), 0).ok()) {
      ASSERT_LT(++pages, 10 + 4 * round);
    }
  }
}

TEST(ScanGuard, PagesOfNewCursorsWithoutEndAreNoticed) {
  for (const std::size_t entries : {0U, 1000U}) {
    ScanGuard guard("server", 10);
    int pages = 0;
    while (guard.Take(std::to_string(1 + pages), entries).ok()) ASSERT_LT(++pages, 200'000);
  }
}

}  // namespace
}  // namespace laurel::client
