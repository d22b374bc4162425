#include "base/crc32c.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/random.h"

namespace laurel::base {
namespace {

std::string RandomBytes(std::size_t count) {
  Random random(32);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(random.Below(256));
  return bytes;
}

TEST(Crc32c, HasThePublishedValues) {
  std::string rising;
  for (char c = 0; c < 32; ++c) rising += c;
  const std::string falling(rising.rbegin(), rising.rend());
  for (const auto crc : {Crc32c, Crc32cByTable}) {
    EXPECT_EQ(crc("", 0), 0U);
    EXPECT_EQ(crc("123456789", 0), 0xe3069283U);
    EXPECT_EQ(crc(std::string(32, '\0'), 0), 0x8a9136aaU);
    EXPECT_EQ(crc(std::string(32, '\xff'), 0), 0x62a8ab43U);
    EXPECT_EQ(crc(rising, 0), 0x46dd794eU);
    EXPECT_EQ(crc(falling, 0), 0x113fdb5cU);
  }
}

TEST(Crc32c, InstructionAndTableAgreeAtEveryLengthAndAlignment) {
  const std::string bytes = RandomBytes(320);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    for (std::size_t length = 0; length <= 300; ++length) {
      const std::string_view part = std::string_view(bytes).substr(offset, length);
      ASSERT_EQ(Crc32c(part), Crc32cByTable(part)) << length << " bytes from " << offset;
      ASSERT_EQ(Crc32c(part, 0x12345678), Crc32cByTable(part, 0x12345678));
    }
  }
}

TEST(Crc32c, ContinuesFromAnEarlierChecksum) {
  const std::string bytes = RandomBytes(300);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::string_view first = std::string_view(bytes).substr(0, cut);
    const std::string_view second = std::string_view(bytes).substr(cut);
    ASSERT_EQ(Crc32c(second, Crc32c(first)), Crc32c(bytes)) << cut;
    ASSERT_EQ(Crc32cByTable(second, Crc32cByTable(first)), Crc32c(bytes)) << cut;
  }
}

TEST(Crc32c, DetectsEveryFlippedBit) {
  std::string bytes = RandomBytes(100);
  const std::uint32_t right = Crc32c(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    ASSERT_NE(Crc32c(bytes), right) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
  }
}

}  // namespace
}  // namespace laurel::base
