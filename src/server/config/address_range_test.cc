#include "server/config/address_range.h"

#include <string_view>

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

bool Contains(std::string_view range, std::string_view address) {
  const auto parsed = AddressRange::Parse(range);
  const auto wanted = IpAddress::Parse(address);
  EXPECT_TRUE(parsed) << range;
  EXPECT_TRUE(wanted) << address;
  return parsed && wanted && parsed->Contains(*wanted);
}

TEST(AddressRange, AnAddressContainsItselfOnly) {
  EXPECT_TRUE(Contains("10.1.2.3", "10.1.2.3"));
  EXPECT_FALSE(Contains("10.1.2.3", "10.1.2.2"));
  EXPECT_TRUE(Contains("fd00::1", "fd00:0:0::1"));
  EXPECT_FALSE(Contains("fd00::1", "fd00::2"));
}

TEST(AddressRange, ANetworkContainsItsFirstAndLastAddressAndNoNeighbour) {
  EXPECT_TRUE(Contains("10.0.0.0/8", "10.0.0.0"));
  EXPECT_TRUE(Contains("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(Contains("10.0.0.0/8", "9.255.255.255"));
  EXPECT_FALSE(Contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(Contains("172.16.0.0/12", "172.31.255.255"));
  EXPECT_FALSE(Contains("172.16.0.0/12", "172.32.0.0"));
  EXPECT_TRUE(Contains("192.0.2.128/25", "192.0.2.128"));
  EXPECT_FALSE(Contains("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(Contains("fd00::/9", "fd7f:ffff::1"));
  EXPECT_FALSE(Contains("fd00::/9", "fd80::"));
  EXPECT_TRUE(Contains("0.0.0.0/0", "203.0.113.9"));
  EXPECT_TRUE(Contains("::/0", "2001:db8::1"));
}

TEST(AddressRange, AMappedAddressIsTheIpv4Address) {
  EXPECT_TRUE(Contains("10.0.0.0/8", "::ffff:10.9.9.9"));
  EXPECT_TRUE(Contains("::ffff:10.0.0.1", "10.0.0.1"));
  EXPECT_EQ(IpAddress::Parse("::ffff:10.0.0.1"), IpAddress::Parse("10.0.0.1"));
}

TEST(AddressRange, TheTwoFamiliesShareNoAddress) {
  EXPECT_FALSE(Contains("::/0", "10.0.0.1"));
  EXPECT_FALSE(Contains("0.0.0.0/0", "2001:db8::1"));
  EXPECT_FALSE(Contains("0.0.0.0", "::"));
}

TEST(AddressRange, TextThatIsNoRangeIsRefused) {
  for (const std::string_view text :
       {"", "/", "localhost", "10.0.0", "10.0.0.256", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
        "10.0.0.0/08", "10.0.0.0/8 ", " 10.0.0.0", "10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "::/129",
        "[::1]", "::1%lo", "10.0.0.1:80", "::ffff:10.0.0.0/104"}) {
    EXPECT_FALSE(AddressRange::Parse(text)) << text;
  }
  EXPECT_FALSE(AddressRange::Parse(std::string_view("10.0.0.1\0", 9)));
}

TEST(AddressRange, BitsBehindThePrefixAreRefused) {
  EXPECT_FALSE(AddressRange::Parse("10.0.0.1/8"));
  EXPECT_FALSE(AddressRange::Parse("192.0.2.64/25"));
  EXPECT_FALSE(AddressRange::Parse("fd00::1/64"));
  EXPECT_TRUE(AddressRange::Parse("10.0.0.1/32"));
}

TEST(AddressRange, TheTextReadsBack) {
  for (const std::string_view text : {"10.0.0.0/8", "10.0.0.1", "fd00::/8", "::1", "0.0.0.0/0"}) {
    const auto range = AddressRange::Parse(text);
    ASSERT_TRUE(range) << text;
    EXPECT_EQ(range->ToString(), text);
  }
  EXPECT_EQ(AddressRange::Parse("10.0.0.1/32")->ToString(), "10.0.0.1");
}

}  // namespace
}  // namespace laurel::server
