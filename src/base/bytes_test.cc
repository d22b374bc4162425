#include "base/bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

TEST(Varint, GrowsByOneByteEverySevenBits) {
  for (unsigned bytes = 1; bytes < kMaxVarintBytes; ++bytes) {
    const std::uint64_t first_longer = std::uint64_t{1} << (7 * bytes);
    char buffer[kMaxVarintBytes];
    EXPECT_EQ(PutVarint(buffer, first_longer - 1) - buffer, bytes);
    EXPECT_EQ(PutVarint(buffer, first_longer) - buffer, bytes + 1);
  }
  char buffer[kMaxVarintBytes];
  EXPECT_EQ(PutVarint(buffer, 0) - buffer, 1);
  EXPECT_EQ(PutVarint(buffer, UINT64_MAX) - buffer, std::ptrdiff_t{kMaxVarintBytes});
}

TEST(Varint, WritesLowBitsFirst) {
  std::array<char, 2> buffer{};
  EXPECT_EQ(PutVarint(buffer.data(), 300), buffer.data() + 2);
  EXPECT_EQ(buffer, (std::array<char, 2>{'\xac', '\x02'}));
}

TEST(Varint, ReadsBackWhatWasWrittenAndStopsAtItsEnd) {
  std::vector<std::uint64_t> values = {0, UINT64_MAX};
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1});
  }
  std::vector<char> buffer(values.size() * kMaxVarintBytes);
  char* end = buffer.data();
  for (const std::uint64_t value : values) end = PutVarint(end, value);
  const char* at = buffer.data();
  for (const std::uint64_t value : values) {
    std::uint64_t read = ~value;
    at = GetVarint(at, &read);
    EXPECT_EQ(read, value);
  }
  EXPECT_EQ(at, end);
}

TEST(ZigZag, AlternatesBetweenNegativeAndPositiveNumbers) {
  const std::vector<std::pair<std::int64_t, std::uint64_t>> pairs = {
      {0, 0}, {-1, 1}, {1, 2}, {-2, 3}, {INT64_MAX, UINT64_MAX - 1}, {INT64_MIN, UINT64_MAX}};
  for (const auto& [value, image] : pairs) {
    EXPECT_EQ(ZigZag(value), image);
    EXPECT_EQ(UnZigZag(image), value);
  }
}

TEST(ZigZag, IsReversibleAroundEveryPowerOfTwo) {
  for (unsigned bit = 0; bit < 63; ++bit) {
    const std::int64_t power = std::int64_t{1} << bit;
    for (const std::int64_t value : {power - 1, power, -power, -power - 1}) {
      EXPECT_EQ(UnZigZag(ZigZag(value)), value);
      EXPECT_LE(ZigZag(value), 2 * static_cast<std::uint64_t>(power) + 1) << "short stays short";
    }
  }
}

TEST(LoadAndStore, WorkAtAnyAddress) {
  std::array<char, 17> buffer{};
  for (std::size_t offset = 0; offset <= 8; ++offset) {
    buffer.fill('#');
    Store(buffer.data() + offset, std::uint64_t{0x0123456789abcdef} + offset);
    EXPECT_EQ(Load<std::uint64_t>(buffer.data() + offset), 0x0123456789abcdef + offset);
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      if (i >= offset && i < offset + 8) continue;
      EXPECT_EQ(buffer[i], '#') << "a byte beside it changed";
    }
  }
}

}  // namespace
}  // namespace laurel::base
