#include "cli/command_line.h"

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::cli {
namespace {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Outcome RunWith(const std::vector<std::string_view>& arguments) {
  std::istringstream in("");
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = RunCommandLine(arguments, in, out, err, false);
  return {exit_code, out.str(), err.str()};
}

TEST(CommandLine, TheDemoIsTheDefaultAndEndsWithItsInput) {
  const Outcome named = RunWith({"demo"});
  EXPECT_EQ(named.exit_code, 0);
  EXPECT_TRUE(named.out.starts_with("Laurel "));
  const Outcome unnamed = RunWith({});
  EXPECT_EQ(unnamed.exit_code, 0);
  EXPECT_TRUE(unnamed.out.starts_with("Laurel "));
}

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
  for (const std::string_view flag : {"--help", "-h", "help"}) {
    const Outcome help = RunWith({flag});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_TRUE(help.out.starts_with("usage: laurel")) << flag;
  }
  const Outcome version = RunWith({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("laurel ")) << version.out;
}

TEST(CommandLine, WrongArgumentsExitWithTwoAndAHint) {
  const std::vector<std::vector<std::string_view>> wrong = {
      {"--fast"}, {"fly"}, {"demo", "--fast"}, {"--version", "x"}, {""}};
  for (const std::vector<std::string_view>& arguments : wrong) {
    const Outcome outcome = RunWith(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("see laurel --help"), std::string::npos) << outcome.err;
  }
}

TEST(CommandLine, OutputThatCannotBeWrittenIsAnError) {
  std::istringstream in("");
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  const std::vector<std::string_view> arguments = {"--version"};
  EXPECT_EQ(RunCommandLine(arguments, in, out, err, false), 1);
}

}  // namespace
}  // namespace laurel::cli
