#include "engine/supported_spec.h"

#include <string>

#include <gtest/gtest.h>

namespace laurel::engine {
namespace {

std::string Checked(std::string_view line) {
  const Result<wire::SpecArguments> wanted = wire::ParseSpecLine(line);
  const Status supported = wanted.ok() ? CheckSupported(*wanted) : Status(wanted.error());
  return supported.ok() ? "OK" : supported.error().ToString();
}

TEST(SupportedSpec, AZoneMustBeInTheDatabase) {
  EXPECT_EQ(Checked("PERIODS 1 day TZ Asia/Shanghai TURN 04:00"), "OK");
  EXPECT_TRUE(Checked("PERIODS 1 day TZ Nowhere/AtAll").starts_with("ERR TZ: "));
  EXPECT_TRUE(Checked("PERIODS 1 day TZ asia/shanghai").starts_with("ERR TZ: "));
}

TEST(SupportedSpec, AFeedIsRefused) {
  EXPECT_EQ(Checked("FEED 0"), "OK");
  EXPECT_EQ(Checked("FEED 1"),
            "ERR FEED is for boards inside Redis or Valkey: here LB.CHANGES reads the server's "
            "log, without FEED");
}

}  // namespace
}  // namespace laurel::engine
