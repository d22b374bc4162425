#include "cli/demo.h"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace laurel::cli {
namespace {

constexpr Stamp kNow = 1'763'211'845'000'006;  // 2025-11-15T13:04:05.000006Z

// What the shell prints for `input` after the greeting. Its clock stands still.
std::string Answer(const std::string& input) {
  const auto run = [](const std::string& lines) {
    std::istringstream in(lines);
    std::ostringstream out;
    DemoShell(in, out, DemoShell::Prompt::kNone, [] { return kNow; }).Run();
    return out.str();
  };
  const std::string greeting = run("");
  const std::string all = run(input);
  EXPECT_TRUE(all.starts_with(greeting));
  return all.substr(greeting.size());
}

TEST(DemoShell, GreetsWithAFilledBoard) {
  std::istringstream in("");
  std::ostringstream out;
  DemoShell(in, out, DemoShell::Prompt::kNone, [] { return kNow; }).Run();
  EXPECT_NE(out.str().find("help"), std::string::npos);
  EXPECT_NE(out.str().find("rank  member  score  reached\n"
                           "   1  dee      1875  2025-11-15T12:44:05.000006Z\n"
                           "   2  小明     1430  2025-11-15T12:49:05.000006Z\n"
                           "   3  ann      1200  2025-11-15T12:14:05.000006Z\n"
                           "   4  bob      1200  2025-11-15T12:24:05.000006Z\n"),
            std::string::npos)
      << out.str();
  EXPECT_EQ(out.str().find("laurel>"), std::string::npos);
}

TEST(DemoShell, PromptsAPerson) {
  std::istringstream in("quit\n");
  std::ostringstream out;
  DemoShell(in, out, DemoShell::Prompt::kShown, [] { return kNow; }).Run();
  EXPECT_TRUE(out.str().ends_with("laurel> "));
}

TEST(DemoShell, WritesFollowThePolicyAndAnswerVerdicts) {
  EXPECT_EQ(Answer("submit run cy 1200\n"), "accepted, rank 5, score 1200 (was 950)\n");
  EXPECT_EQ(Answer("submit run dee 1\n").substr(0, 8), "not-best");
  EXPECT_EQ(Answer("set run dee 1\n"), "accepted, rank 6 (was 1), score 1 (was 1875)\n");
  EXPECT_EQ(Answer("incr run new 5\n"), "accepted, rank 7, score 5\n");
}

TEST(DemoShell, ScoresBeyondADoubleStayExact) {
  const std::string answer =
      Answer("create big\nset big a 9007199254740992\nset big b 9007199254740993\ntop big 1\n");
  EXPECT_NE(answer.find("   1  b       9007199254740993  2025-"), std::string::npos) << answer;
}

TEST(DemoShell, SeveralFieldsHaveAColumnEach) {
  const std::string answer = Answer("submit race eve 12 60.8755e0\ntop race 3\n");
  EXPECT_EQ(answer.substr(0, 8), "BADSCORE") << answer;
  EXPECT_NE(answer.find("rank  member  laps    time  reached\n"
                        "   1  bob       12  60.875  "),
            std::string::npos)
      << answer;
}

TEST(DemoShell, RankShowsEveryKind) {
  EXPECT_EQ(Answer("rank run bob\n"),
            "ordinal  competition  dense  percentile  worse  equal  of\n"
            "      4            3      3   40.0000 %      2      1   6\n");
  EXPECT_EQ(Answer("rank run nobody\n"), "'nobody' is not on the board\n");
}

TEST(DemoShell, AroundIsCutOffAtTheEnds) {
  const std::string answer = Answer("around run dee 1\n");
  EXPECT_NE(answer.find("   1  dee"), std::string::npos) << answer;
  EXPECT_NE(answer.find("   2  小明"), std::string::npos) << answer;
  EXPECT_EQ(answer.find("   3  "), std::string::npos) << answer;
  EXPECT_EQ(Answer("around run nobody 1\n"), "'nobody' is absent or hidden\n");
}

TEST(DemoShell, HiddenMembersLeaveTheRanksAndComeBack) {
  EXPECT_EQ(Answer("hide run dee\nrank run dee\nsubmit run dee 2000\nshow run dee\n"),
            "1 hidden\n"
            "'dee' is hidden, score 1875\n"
            "accepted, hidden, score 2000 (was 1875)\n"
            "1 shown\n");
  EXPECT_NE(Answer("hide run dee\ntop run 1\n").find("   1  小明"), std::string::npos);
}

TEST(DemoShell, BoardsAreMadeListedRenamedAndDropped) {
  EXPECT_EQ(Answer("create c fields 1 points:decimal2:asc policy best tie last cap 3\n"),
            "FIELDS 1 points:decimal2:asc POLICY best TIE last CAP 3\n");
  EXPECT_EQ(Answer("drop race\nrename run runs\nboards\n"),
            "dropped\n"
            "renamed\n"
            "board  entries  spec\n"
            "runs         6  FIELDS 1 score:int:desc POLICY best TIE first\n");
  EXPECT_NE(Answer("describe race\n").find("FIELDS 2 laps:int:desc time:decimal3:asc"),
            std::string::npos);
  EXPECT_EQ(Answer("remove run ann nobody\n"), "1 removed\n");
}

TEST(DemoShell, ACapNamesWhatItNeeds) {
  EXPECT_EQ(Answer("create c CAP 1\nsubmit c a 5\nsubmit c b 4\n"),
            "FIELDS 1 score:int:desc POLICY set TIE first CAP 1\n"
            "accepted, rank 1, score 5\n"
            "not-ranked, needs better than 5\n");
}

TEST(DemoShell, BadInputIsOneLineAndTheShellGoesOn) {
  EXPECT_EQ(Answer("fly\n\n  \nremove run eve\n"),
            "ERR unknown command 'fly', try help\n1 removed\n");
  EXPECT_EQ(Answer("top nowhere\n"), "NOBOARD no board 'nowhere'\n");
  EXPECT_EQ(Answer("top run many\n"), "ERR 'many' is not a count\n");
  EXPECT_EQ(Answer("around run ann\n"), "ERR usage: around BOARD MEMBER m\n");
  EXPECT_EQ(Answer("boards all\n"), "ERR usage: boards\n");
  EXPECT_EQ(Answer("create run\n").substr(0, 7), "EXISTS ");
  EXPECT_EQ(Answer("create x TIE\n"), "ERR TIE needs a value\n");
  EXPECT_EQ(Answer("create x FIELDS 2 a\n"), "ERR FIELDS 2 is followed by 1 words\n");
  EXPECT_EQ(Answer("create x COLOUR red\n"),
            "ERR unknown option 'COLOUR': FIELDS, POLICY, TIE, CAP\n");
  EXPECT_EQ(Answer("create x POLICY worst\n"), "ERR unknown policy 'worst': set, best, sum\n");
  EXPECT_EQ(Answer("submit run ann 1.5\n").substr(0, 9), "BADSCORE ");
  EXPECT_EQ(Answer("set run ann 9223372036854775808\n").substr(0, 9), "OVERFLOW ");
}

TEST(DemoShell, QuotesHoldNamesWithBlanksTogether) {
  EXPECT_EQ(Answer("set run \"ann lee\" 1\nremove run \"ann lee\"\n"),
            "accepted, rank 7, score 1\n1 removed\n");
  EXPECT_EQ(Answer("set run \"ann 1\n"), "ERR a quote is not closed\n");
  EXPECT_EQ(Answer("set run an\"n 1\n"), "ERR a quote in the middle of a word\n");
  EXPECT_EQ(Answer("set run \"ann\"x 1\n"), "ERR a blank must follow a closing quote\n");
}

TEST(DemoShell, StrangeBytesCannotMoveTheCursor) {
  EXPECT_EQ(Answer("rank run \x1b[2J\xff\n"), "'\\x1b[2J\\xff' is not on the board\n");
}

TEST(DemoShell, ALineTooLongIsPassedOver) {
  EXPECT_EQ(Answer(std::string(70'000, 'x') + "\nremove run eve\n"),
            "LIMIT a line exceeds 65536 bytes\n1 removed\n");
}

TEST(DemoShell, TheLastLineNeedsNoEndAndQuitEndsAtOnce) {
  EXPECT_EQ(Answer("remove run eve"), "1 removed\n");
  EXPECT_EQ(Answer("quit\nremove run eve\n"), "");
}

TEST(DemoShell, HelpNamesEveryCommand) {
  const std::string help = Answer("help\n");
  for (const char* name : {"create", "submit", "set", "incr", "top", "rank", "around", "boards",
                           "describe", "remove", "hide", "show", "rename", "drop", "quit"}) {
    std::string line = "\n";
    line += name;
    EXPECT_NE(help.find(line), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace laurel::cli
