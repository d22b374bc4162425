#include "wire/spec_arguments.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/limits.h"

namespace laurel::wire {
namespace {

std::vector<std::string> Words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The parsed spec as LB.CREATE options, followed by FEED and ADOPT if given; or the error.
std::string Created(std::string_view line) {
  const std::vector<std::string> words = Words(line);
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  SpecArguments wanted;
  const Status status = ParseSpecArguments(arguments, &wanted);
  if (!status.ok()) return status.error().ToString();
  return DescribeSpec(wanted.spec) +
         (wanted.feed.value_or(0) > 0 ? " FEED " + std::to_string(*wanted.feed) : "") +
         (wanted.adopt ? " ADOPT" : "");
}

// The same for LB.ALTER on a board with two fields and a cap.
std::string Altered(std::string_view line) {
  SpecArguments wanted;
  EXPECT_TRUE(
      ParseSpecArguments(
          std::vector<std::string_view>{"FIELDS", "2", "a", "b:decimal2:asc", "CAP", "10"}, &wanted)
          .ok());
  const std::vector<std::string> words = Words(line);
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  const Status status = ParseAlterArguments(arguments, &wanted);
  return status.ok() ? DescribeSpec(wanted.spec) : status.error().ToString();
}

std::string FromLine(std::string_view line) {
  const Result<SpecArguments> wanted = ParseSpecLine(line);
  return wanted.ok() ? DescribeSpec(wanted->spec) : wanted.error().ToString();
}

TEST(SpecArguments, DefaultIsOneDescendingIntField) {
  EXPECT_EQ(Created(""), "FIELDS 1 score:int:desc POLICY set TIE first");
  SpecArguments wanted;
  ASSERT_TRUE(ParseSpecArguments({}, &wanted).ok());
  EXPECT_EQ(wanted.spec, Spec());
  EXPECT_FALSE(wanted.adopt);
}

TEST(SpecArguments, OptionsMayComeInAnyOrderAndCase) {
  EXPECT_EQ(Created("cap 5 TIE Last policy BEST fields 2 a:INT:asc b:decimal9 ADOPT"),
            "FIELDS 2 a:int:asc b:decimal9:desc POLICY best TIE last CAP 5 ADOPT");
  EXPECT_EQ(Created("FIELDS 3 points:int:desc:sum deaths:int:asc:sum fastest:decimal3:asc:min"),
            "FIELDS 3 points:int:desc:sum deaths:int:asc:sum fastest:decimal3:asc:min TIE first");
  EXPECT_EQ(Created("POLICY sum TIE member PARTITIONS 1"),
            "FIELDS 1 score:int:desc POLICY sum TIE member");
}

TEST(SpecArguments, AFieldWithTheNameOfAnOptionNeedsItsType) {
  EXPECT_EQ(Created("FIELDS 2 CAP:int TIE:int CAP 3"),
            "FIELDS 2 CAP:int:desc TIE:int:desc POLICY set TIE first CAP 3");
  EXPECT_EQ(Created("FIELDS 2 points CAP 3"),
            "ERR FIELDS 2 needs 2 fields, got 1: 'CAP' is an option");
  EXPECT_EQ(Created("FIELDS 4 a:int b:int c:int ADOPT"),
            "ERR FIELDS 4 needs 4 fields, got 3: 'ADOPT' is an option");
}

TEST(SpecArguments, OneToEightFields) {
  EXPECT_EQ(Created("FIELDS 0"), "ERR a leaderboard has 1 to 8 fields, got 0");
  EXPECT_EQ(Created("FIELDS 9 a b c d e f g h i"), "ERR a leaderboard has 1 to 8 fields, got 9");
  EXPECT_TRUE(Created("FIELDS 8 a b c d e f g h").starts_with("FIELDS 8 a:int:desc"));
  EXPECT_EQ(Created("FIELDS 3 a b"), "ERR FIELDS 3 needs 3 fields, got 2");
  EXPECT_EQ(Created("FIELDS 18446744073709551615 a"),
            "ERR FIELDS is out of range, got '18446744073709551615'");
  EXPECT_EQ(Created("FIELDS -1 a"), "ERR FIELDS must be at least 0, got '-1'");
  EXPECT_EQ(Created("FIELDS"), "ERR FIELDS needs a value");
}

TEST(SpecArguments, FieldsAreChecked) {
  EXPECT_EQ(Created("FIELDS 2 a a"), "ERR two fields are called 'a'");
  EXPECT_EQ(Created("FIELDS 1 a:float"), "ERR unknown type 'float': int, decimal1 … decimal9");
  EXPECT_EQ(Created("FIELDS 1 a:decimal10"),
            "ERR unknown type 'decimal10': int, decimal1 … decimal9");
  EXPECT_EQ(Created("FIELDS 1 a:int:up"), "ERR unknown direction 'up': desc, asc");
  EXPECT_EQ(Created("FIELDS 1 a:int:asc:avg"), "ERR unknown operator 'avg': set, sum, max, min");
  EXPECT_EQ(Created("FIELDS 1 a:int:asc:min:x"),
            "ERR field 'a:int:asc:min:x' has too many parts: name:type:direction:operator");
  const std::string longest(kMaxFieldNameBytes, 'n');
  EXPECT_TRUE(Created("FIELDS 1 " + longest).starts_with("FIELDS 1 nnn"));
  EXPECT_TRUE(Created("FIELDS 1 " + longest + "n").starts_with("LIMIT "));
}

TEST(SpecArguments, IncompatibleOptionsAreRefused) {
  EXPECT_EQ(Created("POLICY sum CAP 3"),
            "ERR a cap goes with policy set or best, without operators on fields: it would forget "
            "totals");
  EXPECT_EQ(Created("FIELDS 1 a:int:desc:sum CAP 3"),
            "ERR a cap goes with policy set or best, without operators on fields: it would forget "
            "totals");
  EXPECT_EQ(
      Created("FIELDS 1 a:int:desc:max POLICY best"),
      "ERR a policy other than set leaves no room for operators on fields: leave out POLICY, or "
      "the operators");
}

TEST(SpecArguments, RepeatedOptionsAndInvalidValuesAreRefused) {
  EXPECT_EQ(Created("CAP 1 cap 2"), "ERR option 'CAP' is given twice");
  EXPECT_EQ(Created("ADOPT ADOPT"), "ERR option 'ADOPT' is given twice");
  for (const std::string option : {"CAP", "POLICY", "TIE", "PARTITIONS"}) {
    EXPECT_EQ(Created(option), "ERR " + option + " needs a value");
  }
  EXPECT_EQ(Created("POLICY most"), "ERR unknown policy 'most': set, best, sum");
  EXPECT_EQ(Created("TIE draw"), "ERR unknown tie 'draw': first, last, member");
  EXPECT_EQ(Created("CAP 1.5"), "ERR CAP must be a whole number, got '1.5'");
  EXPECT_EQ(Created("CAP -1"), "ERR CAP must be at least 0, got '-1'");
  EXPECT_EQ(Created("CAP 9223372036854775807"),
            "FIELDS 1 score:int:desc POLICY set TIE first CAP 9223372036854775807");
  EXPECT_EQ(Created("CAP 9223372036854775808"),
            "ERR CAP is out of range, got '9223372036854775808'");
  EXPECT_EQ(Created("PARTITIONS 2"), "ERR PARTITIONS other than 1 is not supported yet");
}

TEST(SpecArguments, FeedAndTimeZoneAreNotCheckedAgainstAHost) {
  EXPECT_EQ(Created("FEED 5"), "FIELDS 1 score:int:desc POLICY set TIE first FEED 5");
  EXPECT_EQ(Created("FEED 0"), "FIELDS 1 score:int:desc POLICY set TIE first");
  EXPECT_EQ(Created("FEED x"), "ERR FEED must be a whole number, got 'x'");
  EXPECT_EQ(Created("PERIODS 1 day TZ Nowhere/AtAll").find("ERR"), std::string::npos);
}

TEST(SpecArguments, AnUnknownOptionIsQuotedAsWritten) {
  const std::string expected =
      ": expected FIELDS, POLICY, TIE, CAP, START, END, GRACE, EXPIRE, PERIODS, TURN, TZ, KEEP, "
      "DEDUP, ADOPT";
  EXPECT_EQ(Created("Colour red"), "ERR unknown option 'Colour'" + expected);
  EXPECT_EQ(Created("CAP 1 \r\n"), "ERR unknown option '\\x0d\\x0a'" + expected);
}

TEST(SpecArguments, AnUnknownOptionSuggestsTheNearest) {
  EXPECT_EQ(Created("PERIOD day"), "ERR unknown option 'PERIOD'; did you mean PERIODS?");
  EXPECT_EQ(Created("ties first"), "ERR unknown option 'ties'; did you mean TIE?");
  EXPECT_EQ(Altered("GARCE 5m"), "ERR unknown option 'GARCE'; did you mean GRACE?");
}

TEST(SpecArguments, AListWithoutItsCountIsCounted) {
  EXPECT_EQ(Created("PERIODS day all"), "ERR say how many follow: PERIODS 2 day all");
  EXPECT_EQ(Created("PERIODS day TZ Asia/Tokyo"), "ERR say how many follow: PERIODS 1 day");
  EXPECT_EQ(Created("CAP 3 FIELDS a:int b policy best"),
            "ERR say how many follow: FIELDS 2 a:int b");
  EXPECT_EQ(Created("FIELDS a b c d e f g h i"),
            "ERR say how many follow: FIELDS 9 a b c d e f g h …");
  EXPECT_EQ(Created("FIELDS a\n"), "ERR say how many follow: FIELDS 1 'a\\x0a'");
  EXPECT_EQ(Created("FIELDS TIE last"), "ERR FIELDS must be a whole number, got 'TIE'");
  EXPECT_EQ(Created("FIELDS 1.5 a"), "ERR FIELDS must be a whole number, got '1.5'");
}

TEST(SpecArguments, AListLongerThanItsCountIsRefused) {
  EXPECT_EQ(Created("FIELDS 2 a:int b:int c:int"), "ERR FIELDS says 2, and 'c:int' is one more");
  EXPECT_EQ(Created("PERIODS 1 day all"), "ERR PERIODS says 1, and 'all' is one more");
}

TEST(SpecArguments, ASpecIsFoundInAPattern) {
  const auto found = SpecInPattern("my rank:* policy best CAP 5");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pattern, "my rank:*");
  EXPECT_EQ(found->spec, "policy best CAP 5");
  for (const std::string_view plain :
       {"", "rank:*", "POLICY best", "a:policy best", "a b c", "the ends ", "kind=cap"}) {
    EXPECT_FALSE(SpecInPattern(plain)) << plain;
  }
  EXPECT_EQ(SpecInPattern("rank:*  CAP").value().spec, "CAP");
  EXPECT_EQ(SpecInPattern("rank:*  CAP").value().pattern, "rank:*");
  EXPECT_EQ(SpecInPattern("rank:*=POLICY best").value().pattern, "rank:*");
}

TEST(AlterArguments, ChangeOnlyTheGivenOptions) {
  EXPECT_EQ(Altered(""), "ERR LB.ALTER needs an option to change, such as CAP 100");
  EXPECT_EQ(Altered("CAP 0"), "FIELDS 2 a:int:desc b:decimal2:asc POLICY set TIE first");
  EXPECT_EQ(Altered("POLICY best CAP 4"),
            "FIELDS 2 a:int:desc b:decimal2:asc POLICY best TIE first CAP 4");
}

TEST(AlterArguments, ChangeTheFeed) {
  SpecArguments wanted;
  const std::vector<std::string_view> arguments = {"FEED", "7"};
  ASSERT_TRUE(ParseAlterArguments(arguments, &wanted).ok());
  EXPECT_EQ(wanted.feed, 7U);
}

TEST(AlterArguments, OptionsFixedAtCreationAreRefused) {
  const std::string others = "POLICY, CAP, START, END, GRACE, EXPIRE, KEEP, DEDUP";
  const std::string way =
      ", declare another board and move the entries by laurel export and import";
  for (const std::string option : {"FIELDS", "TIE", "PERIODS", "TURN", "TZ", "PARTITIONS"}) {
    EXPECT_EQ(Altered(option + " 1"), "ERR " + option + " cannot be altered: LB.ALTER takes " +
                                          others + "; to change " + option + way);
  }
  EXPECT_EQ(Altered("ADOPT"), "ERR unknown option 'ADOPT': expected " + others);
}

TEST(SpecLine, SplitsWordsAsInlineCommandsDo) {
  EXPECT_EQ(FromLine(""), "FIELDS 1 score:int:desc POLICY set TIE first");
  EXPECT_EQ(FromLine("  FIELDS  1 \"points:decimal2\"   'TIE' last "),
            "FIELDS 1 points:decimal2:desc POLICY set TIE last");
  EXPECT_EQ(FromLine("TIE 'last"), "ERR unbalanced quotes in 'TIE \\x27last'");
}

TEST(SpecLine, RefusesAdoptAndInvalidOptions) {
  EXPECT_EQ(FromLine("ADOPT"), "ERR a template adopts nothing");
  EXPECT_EQ(FromLine("CAP x"), "ERR CAP must be a whole number, got 'x'");
}

// The argument that the error is about; empty if it is none.
std::string Failed(std::string_view line) {
  const std::vector<std::string> words = Words(line);
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  SpecArguments wanted;
  const Status status = ParseSpecArguments(arguments, &wanted);
  EXPECT_FALSE(status.ok()) << line;
  if (wanted.failed_word == kNoWord) return {};
  return std::to_string(wanted.failed_word) + " " + words[wanted.failed_word];
}

TEST(FailedArgument, IsTheOneThatIsNoValueOfItsOption) {
  EXPECT_EQ(Failed("CAP x POLICY best"), "1 x");
  EXPECT_EQ(Failed("FIELDS 2 a b:float"), "3 b:float");
  EXPECT_EQ(Failed("TIE first TIE last"), "2 TIE");
  EXPECT_EQ(Failed("POLICY best CAP"), "2 CAP");
}

TEST(FailedArgument, IsTheOneWithoutWhichTheRestIsASpec) {
  EXPECT_EQ(Failed("POLICY best KEEP 5 CAP 10"), "3 5");
  EXPECT_EQ(Failed("GRACE 1h"), "1 1h");
  EXPECT_EQ(Failed("PERIODS 2 day day CAP 3"), "3 day");
  EXPECT_EQ(Failed("START 20 END 10"), "");
  EXPECT_EQ(Failed("POLICY sum CAP 5 FIELDS 1 a"), "");
  EXPECT_EQ(Failed("POLICY best FIELDS 2 a b:int:desc:sum"), "5 b:int:desc:sum");
}

}  // namespace
}  // namespace laurel::wire
