// The path of a request in a host: words, operation, leaderboard, bytes of the reply.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/spec.h"
#include "tests/leaderboard/mirror.h"
#include "wire/command_table.h"
#include "wire/leaderboard_answer.h"
#include "wire/leaderboard_words.h"

namespace laurel::leaderboard {
namespace {

constexpr Stamp kNow = 1'700'000'000'000'000;  // 2023-11-14T22:13:20Z

class WordsTest : public testing::Test {
 protected:
  void Declare(std::string_view options) {
    const Result<wire::SpecArguments> wanted = wire::ParseSpecLine(options);
    ASSERT_TRUE(wanted.ok());
    board_.emplace("lb", wanted->spec);
    board_->SetTime(kNow);
  }

  // The reply in RESP2, with '|' for each line end, as from a host of the board "lb".
  std::string Ask(std::string_view line, std::size_t max_reply = 100'000) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      words.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    std::optional<InstanceSelector> named;
    if (words[1].starts_with("lb@")) named = ParseSelector(words[1].substr(3));
    std::string out;
    wire::Reply reply(&out, wire::Protocol::kResp2);
    wire::LeaderboardAnswer answer(&reply, "lb", max_reply);
    const Status parsed = wire::ParseOperation(*wire::FindCommand(words[0]), words,
                                               board_->board().spec(), named, &parsed_);
    if (!parsed.ok()) {
      answer.Refused(parsed.error());
    } else if (parsed_.read() != nullptr) {
      board_->Read(*parsed_.read(), &answer);
    } else {
      board_->Write(*parsed_.write(), &answer);
    }
    EXPECT_EQ(board_->Compare(), "");
    std::string shown;
    for (const char c : out) {
      if (c != '\r') shown += c == '\n' ? '|' : c;
    }
    return shown;
  }

  std::optional<Mirror> board_;
  wire::ParsedOperation parsed_;
};

TEST_F(WordsTest, WritesAndReadsReplyInResp2) {
  Declare("FIELDS 2 points:int time:decimal2:asc POLICY best");
  EXPECT_EQ(Ask("LB.SUBMIT lb ann 10 1.5 META hi ID x"),
            "*12|$6|status|$8|accepted|$4|rank|:1|$13|previous_rank|$-1|"
            "$5|score|*2|$2|10|$4|1.50|$14|previous_score|$-1|$5|stamp|:1700000000000000|");
  EXPECT_EQ(Ask("LB.SUBMIT lb ann 10.0 1.50 ID x META hi"),
            "*14|$6|status|$8|accepted|$4|rank|:1|$13|previous_rank|$-1|"
            "$5|score|*2|$2|10|$4|1.50|$14|previous_score|$-1|$5|stamp|:1700000000000000|"
            "$9|duplicate|:1|");
  EXPECT_EQ(Ask("LB.MSUBMIT lb 2 bob 9 1 cec 9 2").substr(0, 32),
            "*2|*12|$6|status|$8|accepted|$4|");
  EXPECT_EQ(Ask("LB.GET lb ann WITHMETA"),
            "*12|$4|rank|:1|$6|member|$3|ann|$5|score|*2|$2|10|$4|1.50|"
            "$5|stamp|:1700000000000000|$4|meta|$2|hi|$5|count|:3|");
  EXPECT_EQ(Ask("LB.GET lb dan"), "$-1|");
  EXPECT_EQ(Ask("LB.AROUND lb dan 1"), "*-1|");
  EXPECT_EQ(Ask("LB.RANKOF lb 9 1.00"), ":3|");
  EXPECT_EQ(Ask("LB.COUNT lb 9 (10"), ":2|");
  EXPECT_EQ(Ask("LB.QUANTILE lb 0"), "*2|$1|9|$4|2.00|");
  EXPECT_EQ(Ask("LB.HIDE lb ann"), ":1|");
  EXPECT_EQ(Ask("LB.SIZE lb"), ":2|");
  EXPECT_EQ(Ask("LB.ALTER lb CAP 1"), "+OK|");
  EXPECT_EQ(Ask("LB.TOP lb 5"),
            "*1|*8|$4|rank|:1|$6|member|$3|bob|$5|score|*2|$1|9|$4|1.00|"
            "$5|stamp|:1700000000000002|");
  EXPECT_EQ(Ask("LB.CLEAR lb"), ":2|");
}

TEST_F(WordsTest, TheLowerBoundComesFirst) {
  Declare("FIELDS 1 time:decimal2:asc");
  (void)Ask("LB.SUBMIT lb ann 10");
  for (const std::string_view bounds :
       {"10.01 10", "(10 9.99", "-9 -9.01", "+inf 10", "10 -inf", "+inf -inf", "1e30 10"}) {
    const std::size_t blank = bounds.find(' ');
    const std::string wanted = "-ERR min '" + std::string(bounds.substr(0, blank)) +
                               "' is above max '" + std::string(bounds.substr(blank + 1)) +
                               "': the lower bound comes first|";
    EXPECT_EQ(Ask("LB.COUNT lb " + std::string(bounds)), wanted);
    EXPECT_EQ(Ask("LB.BETWEEN lb " + std::string(bounds)), wanted);
  }
  for (const std::string bounds : {"(10 10", "10 (10", "(10 (10", "10.001 10.002", "-inf -inf"}) {
    EXPECT_EQ(Ask("LB.COUNT lb " + bounds), ":0|") << bounds;
  }
  EXPECT_EQ(Ask("LB.COUNT lb 10 10.00"), ":1|");
}

TEST_F(WordsTest, WrongNumberOfValuesNamesTheFields) {
  Declare("FIELDS 2 points:int time:decimal2:asc");
  EXPECT_EQ(Ask("LB.SUBMIT lb ann 10"), "-ERR 'lb' takes 2 values (points time), got 1|");
  EXPECT_EQ(Ask("LB.RANKOF lb 1 2 3"), "-ERR 'lb' takes 2 values (points time), got 3|");
}

TEST_F(WordsTest, PeriodOptionAndInstanceNameGiveTheSameReply) {
  Declare("PERIODS 2 day all");
  (void)Ask("LB.SUBMIT lb ann 10");
  for (const char* instance : {"day", "day:2023-11-14", "all", "day:-1", "year"}) {
    const std::string name = std::string("lb@") + instance;
    const std::string option = std::string(" PERIOD ") + instance;
    EXPECT_EQ(Ask("LB.TOP lb 1" + option), Ask("LB.TOP " + name + " 1")) << instance;
    EXPECT_EQ(Ask("LB.DESCRIBE lb" + option), Ask("LB.DESCRIBE " + name)) << instance;
  }
  EXPECT_EQ(Ask("LB.SIZE lb PERIOD year"), "-NOBOARD 'lb@year': 'lb' has the periods day, all|");
  EXPECT_TRUE(Ask("LB.PERIODS lb").starts_with("*2|*14|$5|board|$17|lb@day:2023-11-14|"));
  EXPECT_EQ(Ask("LB.POP lb 1"), "-ERR 'lb' has periods: name one, as in 'lb@day'|");
  EXPECT_TRUE(Ask("LB.POP lb 1 PERIOD day").starts_with("*1|*8|"));
  EXPECT_EQ(Ask("LB.SIZE lb"), ":0|");
  EXPECT_EQ(Ask("LB.CLEAR lb PERIOD all"), ":1|");
}

TEST_F(WordsTest, TooLongReplyIsRefusedAndNothingIsPopped) {
  Declare("");
  for (const char* member : {"a", "b", "c"})
    (void)Ask("LB.SUBMIT lb " + std::string(member) + " 1");
  const std::string refusal =
      "-LIMIT the reply exceeds 200 bytes (max-reply): ask for less at a time|";
  EXPECT_EQ(Ask("LB.TOP lb 3", 200), refusal);
  EXPECT_EQ(Ask("LB.POP lb 3", 200), refusal);
  EXPECT_EQ(Ask("LB.AMONG lb 3 a b c", 200), refusal);
  EXPECT_EQ(Ask("LB.SIZE lb", 200), ":3|");
  EXPECT_TRUE(Ask("LB.TOP lb 1", 200).starts_with("*1|*8|"));
}

}  // namespace
}  // namespace laurel::leaderboard
