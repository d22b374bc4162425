#include "cli/arguments.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::cli {
namespace {

constexpr OptionName kKnown[] = {{"--yes"}, {"--from", true}};

Result<ParsedArguments> Parse(const std::vector<std::string_view>& arguments) {
  return ParseArguments(arguments, kKnown);
}

TEST(ParseArguments, OptionsMayStandAnywhereAndValuesHaveTwoForms) {
  const auto parsed = Parse({"a", "--from", "x", "--yes", "b"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->others, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(parsed->options.at("--from"), "x");
  EXPECT_TRUE(parsed->Has("--yes"));
  EXPECT_FALSE(parsed->Has("--help"));
  EXPECT_EQ(Parse({"--from=y=z"})->options.at("--from"), "y=z");
  EXPECT_TRUE(Parse({"-h"})->Has("--help"));
}

TEST(ParseArguments, NothingAfterTwoDashesIsAnOption) {
  const auto parsed = Parse({"--", "--yes", "-h", "--"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->others, (std::vector<std::string>{"--yes", "-h", "--"}));
  EXPECT_TRUE(parsed->options.empty());
}

TEST(ParseArguments, ErrorsNameTheWrongOption) {
  EXPECT_EQ(Parse({"--yse"}).error().message, "unknown option '--yse' (did you mean --yes?)");
  EXPECT_EQ(Parse({"--from"}).error().message, "--from needs a value");
  EXPECT_EQ(Parse({"--yes=1"}).error().message, "--yes takes no value");
  EXPECT_EQ(Parse({"--yes", "--yes"}).error().message, "--yes is given twice");
}

}  // namespace
}  // namespace laurel::cli
