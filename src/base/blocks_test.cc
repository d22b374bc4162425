#include "base/blocks.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

TEST(Blocks, ElementsStayWhereTheyAre) {
  Blocks<char> blocks;
  std::vector<std::pair<std::string, std::span<const char>>> appended;
  for (std::size_t size : {0, 1, 1000, 30, 100'000, 7, 3'000'000, 5}) {
    for (int i = 0; i < 50; ++i) {
      const std::string text(size, static_cast<char>('a' + appended.size() % 26));
      appended.emplace_back(text, blocks.Append(text));
    }
  }
  const Blocks<char> moved = std::move(blocks);
  for (const auto& [text, span] : appended) {
    EXPECT_TRUE(std::string_view(span.data(), span.size()) == text) << text.size();
  }
}

}  // namespace
}  // namespace laurel::base
