#include "wire/beside_words.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "wire/command_table.h"
#include "wire/leaderboard_words.h"

namespace laurel::wire {
namespace {

using Words = std::vector<std::string_view>;

Spec TwoFields() {
  Spec spec;
  spec.fields = {*ParseField("points:int"), *ParseField("deaths:int:asc")};
  return spec;
}

// The values of the score, or the error.
std::string Parsed(const ScoreWords& marked, const Words& names, const Words& words) {
  const BesideWords beside{.scores = {&marked, 1}, .field_names = names};
  const Result<Score> score = ParseMarked(marked, beside, words, TwoFields(), "lb");
  if (!score.ok()) return score.error().ToString();
  return std::to_string((*score)[0]) + " " + std::to_string((*score)[1]);
}

TEST(MarkedScores, AreInTheOrderOfTheFieldsOrOfTheNames) {
  EXPECT_EQ(Parsed({.first = 1, .count = 2}, {}, {"m", "5", "7"}), "5 7");
  EXPECT_EQ(
      Parsed({.first = 1, .count = 2, .is_named = true}, {"deaths", "points"}, {"m", "5", "7"}),
      "7 5");
  EXPECT_EQ(Parsed({.first = 0, .count = 2, .names = 1, .is_named = true},
                   {"other", "points", "deaths"}, {"5", "7"}),
            "5 7");
}

TEST(MarkedScores, WrongNamesAndNumbersOfValuesNameTheBoard) {
  const ScoreWords named{.first = 0, .count = 2, .is_named = true};
  EXPECT_EQ(Parsed(named, {"points", "x"}, {"1", "2"}),
            "ERR 'lb' has the fields points, deaths: there is no 'x'");
  EXPECT_EQ(Parsed({.first = 0, .count = 1, .is_named = true}, {"points"}, {"1"}),
            "ERR 'lb' has the fields points, deaths: 'deaths' is missing");
  EXPECT_EQ(Parsed({.first = 0, .count = 1}, {}, {"1"}),
            "ERR 'lb' takes 2 values (points deaths), got 1");
  EXPECT_TRUE(Parsed({.first = 0, .count = 2}, {}, {"1", "x"}).starts_with("BADSCORE "));
}

// Parses the words with these marks. Returns the word at fault, or kNoWord.
std::size_t FailedWord(std::string_view command, const Words& words,
                       const std::vector<ScoreWords>& scores, ParsedOperation* parsed) {
  const BesideWords beside{.scores = scores};
  const Status status =
      ParseOperation(*FindCommand(command), words, TwoFields(), std::nullopt, parsed, &beside);
  EXPECT_EQ(status.ok(), parsed->failed_word == kNoWord);
  return parsed->failed_word;
}

TEST(MarkedScores, AreParsedByTheGrammarAndAreNoOptions) {
  ParsedOperation parsed;
  EXPECT_EQ(FailedWord("LB.SUBMIT", {"LB.SUBMIT", "lb", "m", "5", "7", "XX"},
                       {{.first = 3, .count = 2}}, &parsed),
            kNoWord);
  const auto& submit = std::get<leaderboard::Submit>(*parsed.write());
  EXPECT_EQ(*submit.values.score, (Score{5, 7}));
  EXPECT_EQ(submit.condition, Write::If::kPresent);
  EXPECT_EQ(FailedWord("LB.SUBMIT", {"LB.SUBMIT", "lb", "m", "NX", "7"}, {{.first = 3, .count = 2}},
                       &parsed),
            3U);
  EXPECT_EQ(FailedWord("LB.SUBMIT", {"LB.SUBMIT", "lb", "m"}, {{.first = 3, .count = 0}}, &parsed),
            3U);
}

TEST(MarkedScores, OfSeveralTheOneAtFaultIsNamed) {
  ParsedOperation parsed;
  EXPECT_EQ(
      FailedWord("LB.MSUBMIT", {"LB.MSUBMIT", "lb", "2", "a", "1", "2", "b", "3", "4", "AT", "9"},
                 {{.first = 4, .count = 2}, {.first = 7, .count = 2}}, &parsed),
      kNoWord);
  const auto& many = std::get<leaderboard::SubmitMany>(*parsed.write());
  ASSERT_EQ(many.writes.size(), 2U);
  EXPECT_EQ(many.writes[1].member, "b");
  EXPECT_EQ(many.writes[1].score, (Score{3, 4}));
  EXPECT_EQ(many.writes[1].at, 9'000'000);
  EXPECT_TRUE(parsed.sets_time);
  EXPECT_EQ(
      FailedWord("LB.MSUBMIT", {"LB.MSUBMIT", "lb", "2", "a", "1", "2", "b", "3", "x", "AT", "9"},
                 {{.first = 4, .count = 2}, {.first = 7, .count = 2}}, &parsed),
      7U);
}

TEST(FailedWords, ATimeIsNamed) {
  ParsedOperation parsed;
  EXPECT_EQ(FailedWord("LB.SET", {"LB.SET", "lb", "m", "5", "7", "AT", "soon"}, {}, &parsed), 6U);
  EXPECT_EQ(FailedWord("LB.SET", {"LB.SET", "lb", "m", "5", "7", "AT", "5"}, {}, &parsed), kNoWord);
}

// Parses the words with these notes. Returns the refusal after the index of its word.
std::string Refusal(const Words& words, const std::vector<WordNote>& notes,
                    ParsedOperation* parsed) {
  const BesideWords beside{.notes = notes};
  const Status status =
      ParseOperation(*FindCommand(words[0]), words, TwoFields(), std::nullopt, parsed, &beside);
  if (status.ok()) return "";
  return std::to_string(parsed->failed_word) + " " + status.error().ToString();
}

TEST(NotedWords, ErrorsNameTheParameterAndItsBounds) {
  ParsedOperation parsed;
  const std::vector<WordNote> limit = {{2, "limit", WordNote::Bounds{0, 1000}}};
  EXPECT_EQ(Refusal({"LB.TOP", "lb", "1000"}, limit, &parsed), "");
  for (const std::string_view wrong : {"1001", "-1", "x", "", "99999999999999999999"}) {
    EXPECT_EQ(Refusal({"LB.TOP", "lb", wrong}, limit, &parsed),
              "2 ERR limit must be an integer from 0 to 1000, got '" + std::string(wrong) + "'");
  }
  EXPECT_EQ(Refusal({"LB.TOP", "lb", "-1"}, {}, &parsed), "2 ERR n must be at least 0, got '-1'");
  EXPECT_TRUE(Refusal({"LB.COUNT", "lb", "1", "x"}, {{2, "from"}, {3, "to"}}, &parsed)
                  .starts_with("3 ERR to must be a number, "));
  EXPECT_TRUE(Refusal({"LB.SUBMIT", "lb", "ann", "1", "2", "AT", "soon"}, {{6, "when"}}, &parsed)
                  .starts_with("6 BADTIME when: "));
  EXPECT_EQ(Refusal({"LB.ALTER", "lb", "CAP", "-1"}, {{3, "cap", WordNote::Bounds{0, 9}}}, &parsed),
            "3 ERR cap must be an integer from 0 to 9, got '-1'");
  EXPECT_TRUE(Refusal({"LB.ALTER", "lb", "END", "soon"}, {{3, "end"}}, &parsed)
                  .starts_with("3 BADTIME end: "));
}

TEST(NotedWords, TheLeaderboardsRefusalsAreAboutTheWordsThatItDoesNotKnow) {
  ParsedOperation parsed;
  EXPECT_EQ(Refusal({"LB.SUBMIT", "lb", "ann", "1", "2", "AT", "5", "ID", "k"}, {}, &parsed), "");
  EXPECT_EQ(parsed.words.Of(ErrorCode::kBadTime), 6U);
  EXPECT_EQ(parsed.words.Of(ErrorCode::kReused), 8U);
  EXPECT_EQ(parsed.words.Of(ErrorCode::kNoBoard), 1U);
  EXPECT_EQ(parsed.words.Of(ErrorCode::kErr), kNoWord);
  EXPECT_EQ(Refusal({"LB.QUANTILE", "lb", "101"}, {}, &parsed), "");
  EXPECT_EQ(parsed.words.Of(ErrorCode::kErr), 2U);
  EXPECT_EQ(Refusal({"LB.ALTER", "lb", "CAP", "5", "DEDUP", "10000001"}, {}, &parsed), "");
  EXPECT_EQ(parsed.words.Of(ErrorCode::kLimit), 5U);
}

TEST(NotedWords, APageIsAnOffsetAndASize) {
  const auto page = [](std::string_view offset, std::string_view size) {
    const Words words = {"LB.RANGE", "lb", offset, size};
    const BesideWords beside{.takes_page = true};
    ParsedOperation parsed;
    EXPECT_TRUE(
        ParseOperation(*FindCommand(words[0]), words, TwoFields(), std::nullopt, &parsed, &beside)
            .ok());
    const auto& range = std::get<leaderboard::Range>(*parsed.read());
    return std::to_string(range.first) + " " + std::to_string(range.last);
  };
  EXPECT_EQ(page("0", "10"), "1 10");
  EXPECT_EQ(page("20", "5"), "21 25");
  EXPECT_EQ(page("3", "0"), "4 3");
  EXPECT_EQ(page("0", "0"), "2 1");
  EXPECT_EQ(page("-3", "2"), "-3 -2");
  EXPECT_EQ(page("-3", "10"), "-3 -1");
  EXPECT_EQ(page("-3", "0"), "-3 -4");
  const std::string far = std::to_string(INT64_MAX / 4);
  EXPECT_EQ(page("9223372036854775807", "9223372036854775807"),
            std::to_string(INT64_MAX / 4 + 1) + " " + std::to_string(INT64_MAX / 4 * 2));
  EXPECT_EQ(page("-9223372036854775808", "9223372036854775807"), "-" + far + " -1");
}

}  // namespace
}  // namespace laurel::wire
