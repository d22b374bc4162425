// Checks that the command fuzzer generates useful requests for every command of the table.
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "fuzz/command_shapes.h"
#include "fuzz/fuzz_input.h"
#include "wire/command_table.h"

namespace laurel::fuzz {
namespace {

TEST(FuzzCoverage, EveryCommandOfTheTableHasAShape) {
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const std::string_view* shape = ShapeOf(command.id);
    ASSERT_NE(shape, nullptr) << command.name << " needs a row in fuzz/command_shapes.cc";
    EXPECT_EQ(ShapeProblem(*shape), "") << command.name << ": " << *shape;
  }
}

// Requests that fail the arity check do not reach the command.
TEST(FuzzCoverage, MostGeneratedRequestsPassTheArityCheck) {
  constexpr int kTries = 300;
  base::Random random(1);
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    if (command.Has(wire::kContainer)) continue;  // its subcommands have their own rows
    int accepted = 0;
    for (int i = 0; i < kTries; ++i) {
      std::vector<std::uint8_t> bytes(64);
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.Next());
      FuzzInput input(bytes);
      const std::vector<std::string> texts = MakeArguments(command.id, &input);
      const std::vector<std::string_view> arguments(texts.begin(), texts.end());
      accepted += wire::LookUp(arguments).command == &command ? 1 : 0;
    }
    EXPECT_GT(accepted, kTries / 2) << command.name << ": " << *ShapeOf(command.id);
  }
}

TEST(FuzzCoverage, ShapeProblemReportsMistakes) {
  EXPECT_NE(ShapeProblem("key nonsense"), "");
  EXPECT_NE(ShapeProblem("key [NX"), "");
  EXPECT_NE(ShapeProblem("key / member|nonsense"), "");
}

}  // namespace
}  // namespace laurel::fuzz
