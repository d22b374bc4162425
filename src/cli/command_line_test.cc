#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cli/program_commands.h"

namespace laurel::cli {
namespace {

struct Outcome {
  int exit_code = 0;
  std::string out;
  std::string err;
};

Outcome RunWith(const std::vector<std::string_view>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int exit_code = RunCommandLine(arguments, out, err);
  return {exit_code, out.str(), err.str()};
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

TEST(CommandLine, ServeExplainsItsOptionsAndConfigPrintsThem) {
  const Outcome help = RunWith({"serve", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.out.find("--max-memory"), std::string::npos);
  const Outcome file = RunWith({"config"});
  EXPECT_EQ(file.exit_code, 0);
  EXPECT_NE(file.out.find("max-memory"), std::string::npos);
}

TEST(CommandLine, WrongArgumentsExitWithTwoAndOneLine) {
  const std::vector<std::vector<std::string_view>> wrong = {{},
                                                            {"--fast"},
                                                            {"fly"},
                                                            {"serve", "--prot", "1"},
                                                            {"--version", "x"},
                                                            {"serve", "extra"},
                                                            {""},
                                                            {"token", "emperor"},
                                                            {"serve", "--template", "a*=FIELDS 9"}};
  for (const std::vector<std::string_view>& arguments : wrong) {
    const Outcome outcome = RunWith(arguments);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

TEST(CommandLine, AMistypedCommandSuggestsTheNearestOne) {
  EXPECT_NE(RunWith({"serv"}).err.find("did you mean serve?"), std::string::npos);
}

TEST(CommandLine, TokenPrintsTheSecretApartFromTheLinesForTheConfiguration) {
  const Outcome outcome = RunWith({"token", "read", "lb:*", "--name", "support-anna"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.out.starts_with("[[token]]\nname = \"support-anna\"\n")) << outcome.out;
  EXPECT_EQ(outcome.err.find('\n'), 64U) << outcome.err;
}

TEST(CommandLine, DemoHelpIsAboutTheDemo) {
  const Outcome help = RunWith({"demo", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_TRUE(help.out.starts_with("usage: laurel demo ")) << help.out;
  for (const std::string_view part : {"`arena`", "temporary folder", "laurel serve --help"}) {
    EXPECT_NE(help.out.find(part), std::string::npos) << part;
  }
}

TEST(CommandLine, OutputThatCannotBeWrittenIsAnError) {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  const std::vector<std::string_view> arguments = {"--version"};
  EXPECT_EQ(RunCommandLine(arguments, out, err), 1);
}

}  // namespace
}  // namespace laurel::cli
