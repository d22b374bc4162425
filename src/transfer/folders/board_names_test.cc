#include "transfer/folders/board_names.h"

#include <gtest/gtest.h>

namespace laurel::transfer {
namespace {

std::string Renamed(std::string_view rule, std::string_view name) {
  const Result<Rename> rename = Rename::Parse(rule);
  EXPECT_TRUE(rename.ok()) << rule;
  return rename.ok() ? rename->Apply(name) : "";
}

TEST(Rename, StarOfThePatternGoesToTheStarOfTheReplacement) {
  EXPECT_EQ(Renamed("rank:*=lb-*", "rank:202410"), "lb-202410");
  EXPECT_EQ(Renamed("*:rank=*", "eu:rank"), "eu");
  EXPECT_EQ(Renamed("a*b=x*y", "ab"), "xy");
  EXPECT_EQ(Renamed("*=new-*", "lb"), "new-lb");
}

TEST(Rename, OneNameMayBeReplaced) {
  EXPECT_EQ(Renamed("lb=ranking", "lb"), "ranking");
  EXPECT_EQ(Renamed("lb=ranking", "lb2"), "lb2");
}

TEST(Rename, NameThatDoesNotMatchStays) {
  EXPECT_EQ(Renamed("rank:*=lb-*", "rang:1"), "rang:1");
  EXPECT_EQ(Renamed("aba*aba=*", "aba"), "aba");
  EXPECT_EQ(Rename().Apply("lb"), "lb");
}

TEST(Rename, OtherTextsAreRefused) {
  for (const std::string_view text :
       {"", "rank:*", "rank:*=", "=lb-*", "a=", "=b", "a=b*", "**=*", "*=**", "a*=b*=c*"}) {
    EXPECT_FALSE(Rename::Parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace laurel::transfer
