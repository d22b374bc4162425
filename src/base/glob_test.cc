#include "base/glob.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace laurel::base {
namespace {

using std::string_view_literals::operator""sv;

struct Case {
  std::string_view pattern;
  std::string_view text;
  bool matches;
};

void ExpectAll(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(GlobMatch(c.pattern, c.text), c.matches) << c.pattern << " on " << c.text;
  }
}

TEST(Glob, LiteralsMatchTheWholeTextCaseSensitively) {
  ExpectAll({{"rank:1", "rank:1", true},
             {"rank:1", "rank:12", false},
             {"rank:12", "rank:1", false},
             {"Rank", "rank", false},
             {"", "", true},
             {"", "a", false},
             {"a", "", false},
             {"a\0b"sv, "a\0b"sv, true},
             {"a\0b"sv, "a\0c"sv, false}});
}

TEST(Glob, StarMatchesAnyBytesAndQuestionMarkMatchesOne) {
  ExpectAll({{"*", "a", true},
             {"rank:*", "rank:", true},
             {"rank:*", "rank:202410", true},
             {"rank:*", "rank", false},
             {"*:day", "a:b:day", true},
             {"*:day", "a:b:days", false},
             {"a*b*c", "a-b-b-c", true},
             {"a*b*c", "a-c-b", false},
             {"*ab", "aab", true},
             {"*aab*", "aaaab", true},
             {"a**b", "ab", true},
             {"a***", "a", true},
             {"?", "a", true},
             {"?", "", false},
             {"?", "ab", false},
             {"a?c", "a\0c"sv, true},
             {"*?", "abc", true},
             {"?*?", "a", false},
             {"?*?", "ab", true}});
}

TEST(Glob, ClassMatchesOneListedOrUnlistedByte) {
  ExpectAll({{"[abc]", "b", true},
             {"[abc]", "d", false},
             {"[abc]", "ab", false},
             {"[a-c]x", "bx", true},
             {"[a-c]x", "dx", false},
             {"[^a-c]", "d", true},
             {"[^a-c]", "b", false},
             {"[^^]", "^", false},
             {"[a^]", "^", true},
             {"[a-cx-z]", "y", true},
             {"[a-cx-z]", "d", false},
             {"[-a]", "-", true},
             {"*[0-9]", "board7", true},
             {"*[0-9]", "board", false}});
}

TEST(Glob, BackslashEscapesTheNextByte) {
  ExpectAll({{"\\*", "*", true},
             {"\\*", "a", false},
             {"a\\?b", "a?b", true},
             {"a\\?b", "axb", false},
             {"\\a", "a", true},
             {"\\\\", "\\", true},
             {"[\\]]", "]", true},
             {"[\\-a]", "-", true},
             {"[a\\-c]", "b", false},
             {"[\\^a]", "^", true}});
}

// The expected results are those of Redis 7.0.15.
TEST(Glob, OddPatternsMatchAsInRedis) {
  ExpectAll({{"\\", "\\", true},  // a backslash at the end
             {"a\\", "a\\", true},
             {"a\\", "a", false},
             {"[", "[", false},  // classes that are not closed
             {"[a", "a", true},
             {"[a", "[a", false},
             {"[ab", "b", true},
             {"[^", "x", true},
             {"[^a", "b", true},
             {"[^a", "a", false},
             {"[\\", "\\", true},
             {"[a-", "a", true},
             {"[a-", "-", true},
             {"[]", "]", false},  // the first ] closes
             {"[]", "a", false},
             {"[^]", "x", true},
             {"[]a]", "]", false},
             {"[c-a]", "b", true},  // reversed
             {"[^c-a]", "b", false},
             {"[a-]", "^", true},  // from a to ], not closed
             {"[a-]", "-", false},
             {"[a-]b", "ab", false},
             {"[a-\\]", "]", true},  // from a to a backslash, then closed
             {"[a-\\]", "\\", true},
             {"[a-\\]", "[", false},
             {"[\x80-\xff]", "\x90", true},  // bytes are signed chars
             {"[a-\xff]", "\x05", true},
             {"[a-\xff]", "\x80", false},
             {"]", "]", true}});
}

TEST(Glob, OnlyTheEmptyPatternAndOneStarMatchTheEmptyText) {
  ExpectAll(
      {{"", "", true}, {"*", "", true}, {"**", "", false}, {"*?", "", false}, {"[", "", false}});
}

TEST(Glob, PatternOfManyStarsTakesNoExponentialTime) {
  const std::string text(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_TRUE(GlobMatch(pattern, text));
  EXPECT_FALSE(GlobMatch(pattern + "*b", text));
  EXPECT_FALSE(GlobMatch(pattern + "b", text));
}

// A matcher that restarts a part at each byte takes minutes for these.
TEST(Glob, MatchingIsLinearInTheTextForTheWorstPatterns) {
  const std::string text(std::size_t{1} << 19, 'a');
  const std::string many(1000, 'a');
  std::string classes;
  while (classes.size() + 12 < kMaxGlobBytes) classes += "[^b-z\\*]";
  for (const std::string& unlike : {many + "b", many.substr(500) + "*" + many.substr(520) + "b",
                                    classes + "b", std::string(1000, '?') + "b"}) {
    const Glob glob("*" + unlike + "*");
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(glob.Matches(text)) << unlike.substr(0, 20);
    EXPECT_TRUE(glob.Matches(text + "b"));
    EXPECT_TRUE(glob.Matches(text + "b" + text));
  }
}

TEST(Glob, PartsOfAnyLengthAreFoundAcrossMaskWords) {
  for (std::size_t length = 1; length <= 300; length += 7) {
    std::string part;
    for (std::size_t i = 0; i < length; ++i) part += static_cast<char>('a' + i % 23);
    for (const std::size_t before : {0, 1, 63, 64, 65, 200}) {
      const std::string first(before, 'x');
      const std::string pattern = "*" + first + "*" + part + "*" + part + "*";
      const std::string other = part.substr(1) + "-";
      EXPECT_TRUE(GlobMatch(pattern, first + "--" + part + part)) << pattern;
      EXPECT_TRUE(GlobMatch(pattern, first + part + "-" + part + "-")) << pattern;
      EXPECT_FALSE(GlobMatch(pattern, first + part + other)) << pattern;
      EXPECT_EQ(GlobMatch(pattern, part + part + first + "-"), before == 0) << pattern;
    }
  }
}

TEST(Glob, PatternOfMaximumLengthIsAccepted) {
  const std::string text(kMaxGlobBytes - 1, 'a');
  EXPECT_TRUE(GlobMatch("*" + text, text));
  EXPECT_TRUE(GlobMatch(text + "a", text + "a"));
  EXPECT_TRUE(GlobMatch("*" + text.substr(1) + "*", text));
  EXPECT_FALSE(GlobMatch("*" + text.substr(1) + "*", text.substr(2)));
}

// A naive matcher, for patterns without classes and backslashes.
bool NaiveMatch(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return NaiveMatch(pattern.substr(1), text) ||
           (!text.empty() && NaiveMatch(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         NaiveMatch(pattern.substr(1), text.substr(1));
}

std::string RandomText(Random& random, std::string_view alphabet, std::size_t least) {
  std::string text(least + random.Below(9), ' ');
  for (char& c : text) c = alphabet[random.Below(alphabet.size())];
  return text;
}

TEST(Glob, AgreesWithTheNaiveMatcherOnRandomPatterns) {
  const char* given = std::getenv("LAUREL_TEST_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : SystemEntropy();
  std::cout << "LAUREL_TEST_SEED=" << seed << "\n";
  Random random(seed);
  int matched = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string pattern = RandomText(random, "ab*?", 0);
    const std::string text = RandomText(random, "ab", 1);
    const bool expected = NaiveMatch(pattern, text);
    ASSERT_EQ(GlobMatch(pattern, text), expected) << pattern << " on " << text;
    matched += expected ? 1 : 0;
  }
  EXPECT_GT(matched, 1000);
}

TEST(Glob, CoversMeansMatchingEveryTextThatTheOtherMatches) {
  const auto covers = [](std::string_view wide, std::string_view narrow) {
    return GlobCovers(wide, narrow);
  };
  EXPECT_TRUE(covers("*", "rank:*"));
  EXPECT_TRUE(covers("rank:*", "rank:*"));
  EXPECT_TRUE(covers("rank:*", "rank:2026-??"));
  EXPECT_TRUE(covers("rank:*", "rank:[0-9]*x"));
  EXPECT_TRUE(covers("*:??", "a:*:[ab]?"));
  EXPECT_TRUE(covers("[a-c]x*", "bx"));
  EXPECT_TRUE(covers("[ab]", "[ab]"));
  EXPECT_TRUE(covers("a[*]", "a\\*"));
  EXPECT_FALSE(covers("rank:*", "*"));
  EXPECT_FALSE(covers("rank:*", "rank*"));
  EXPECT_FALSE(covers("rank:*", "[r]ank:*"));
  EXPECT_FALSE(covers("??", "*"));
  EXPECT_FALSE(covers("a[*]", "a*"));
  EXPECT_FALSE(covers("*a", "*"));
  EXPECT_FALSE(covers("[[]*", "[ab]"));
}

TEST(Glob, CoveringPatternMatchesWhatTheCoveredOneMatchesOnRandomPatterns) {
  Random random(1);
  int covered = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string wide = RandomText(random, "ab*?[]", 0);
    const std::string narrow = RandomText(random, "ab*?[]", 0);
    if (!GlobCovers(wide, narrow)) continue;
    ++covered;
    for (int j = 0; j < 20; ++j) {
      const std::string text = RandomText(random, "ab", 1);
      ASSERT_TRUE(!GlobMatch(narrow, text) || GlobMatch(wide, text))
          << wide << " and " << narrow << " on " << text;
    }
  }
  EXPECT_GT(covered, 1000);
}

}  // namespace
}  // namespace laurel::base
