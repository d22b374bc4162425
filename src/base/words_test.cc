#include "base/words.h"

#include <gtest/gtest.h>

namespace laurel::base {
namespace {

using Words = std::vector<std::string_view>;

TEST(WordsOf, SingleBlanksSeparateWords) {
  EXPECT_EQ(WordsOf("FIELDS 1 score"), (Words{"FIELDS", "1", "score"}));
  EXPECT_EQ(WordsOf("one"), Words{"one"});
  EXPECT_EQ(WordsOf(""), Words{});
  EXPECT_EQ(WordsOf("a  b"), (Words{"a", "", "b"}));
}

}  // namespace
}  // namespace laurel::base
