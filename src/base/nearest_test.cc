#include "base/nearest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
  EXPECT_EQ(EditDistance("port", "port"), 0U);
  EXPECT_EQ(EditDistance("prt", "port"), 1U);
  EXPECT_EQ(EditDistance("porrt", "port"), 1U);
  EXPECT_EQ(EditDistance("pbrt", "port"), 1U);
  EXPECT_EQ(EditDistance("prot", "port"), 1U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
}

const std::vector<std::string_view> kNames = {"port", "tls-port", "max-memory", "bind"};

TEST(Nearest, FindsTheClosestName) {
  EXPECT_EQ(Nearest("prot", kNames), "port");
  EXPECT_EQ(Nearest("max_memory", kNames), "max-memory");
  EXPECT_EQ(Nearest("maxmemory", kNames), "max-memory");
  EXPECT_EQ(Nearest("max-mem", kNames), "max-memory");
  EXPECT_EQ(Nearest("Bind", kNames), "bind");
  EXPECT_EQ(Nearest("tlsport", kNames), "tls-port");
}

TEST(Nearest, ANameOfTwoLettersIsOnlyCloseToWordsOfTheSameLetters) {
  const std::vector<std::string_view> names = {"NX", "AT"};
  EXPECT_EQ(Nearest("xn", names), "NX");
  EXPECT_EQ(Nearest("ta", names), "AT");
  EXPECT_EQ(Nearest("nxx", names), "NX");
  for (const char* other : {"EX", "NXT", "N", "A", "IT"}) {
    EXPECT_EQ(Nearest(other, names), std::nullopt) << other;
  }
}

TEST(Nearest, FindsNothingWhenNothingIsClose) {
  EXPECT_EQ(Nearest("", kNames), std::nullopt);
  EXPECT_EQ(Nearest("requirepass", kNames), std::nullopt);
  EXPECT_EQ(Nearest("po", kNames), std::nullopt);
  EXPECT_EQ(Nearest(std::string(1'000'000, 'p'), kNames), std::nullopt);
}

}  // namespace
}  // namespace laurel::base
