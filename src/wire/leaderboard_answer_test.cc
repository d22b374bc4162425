#include "wire/leaderboard_answer.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/limits.h"

namespace laurel::wire {
namespace {

using leaderboard::EntryLine;
using leaderboard::EntryShape;
using leaderboard::Missing;

constexpr std::size_t kMaxReply = 1000;

// The bytes of an answer in the given protocol.
template <typename Speak>
std::string Bytes(Protocol protocol, const Speak& speak) {
  std::string out;
  Reply reply(&out, protocol);
  LeaderboardAnswer answer(&reply, "lb", kMaxReply);
  speak(answer);
  return out;
}

template <typename Speak>
void ExpectBytes(const Speak& speak, std::string_view resp2, std::string_view resp3) {
  EXPECT_EQ(Bytes(Protocol::kResp2, speak), resp2);
  EXPECT_EQ(Bytes(Protocol::kResp3, speak), resp3);
}

Spec TwoFields() {
  Spec spec;
  spec.fields = {Field{"points", 0}, Field{"time", 2, Direction::kAsc}};
  return spec;
}

TEST(LeaderboardAnswer, SmallAnswers) {
  ExpectBytes([](auto& answer) { answer.Done(); }, "+OK\r\n", "+OK\r\n");
  ExpectBytes([](auto& answer) { answer.Number(12); }, ":12\r\n", ":12\r\n");
  ExpectBytes(
      [](auto& answer) {
        answer.Refused({ErrorCode::kClosed, "too\nlate"});
      },
      "-CLOSED too late\r\n", "-CLOSED too late\r\n");
  for (const Missing what : {Missing::kEntry, Missing::kRank, Missing::kPercentile}) {
    ExpectBytes([&](auto& answer) { answer.Absent(what); }, "$-1\r\n", "_\r\n");
  }
  for (const Missing what : {Missing::kEntries, Missing::kScore}) {
    ExpectBytes([&](auto& answer) { answer.Absent(what); }, "*-1\r\n", "_\r\n");
  }
}

TEST(LeaderboardAnswer, ARefusalIsTheErrorOfTheReply) {
  std::string out;
  Reply reply(&out, Protocol::kResp2);
  LeaderboardAnswer answer(&reply, "lb", kMaxReply);
  EXPECT_EQ(reply.error_code(), "");
  answer.Refused({ErrorCode::kLimit, "too much"});
  EXPECT_EQ(reply.error_code(), "LIMIT");
  EXPECT_EQ(out, "-LIMIT too much\r\n");
  EXPECT_EQ(answer.MaxBytes(), kMaxReply);
}

TEST(LeaderboardAnswer, ASingleEntryEndsWithTheCount) {
  const Spec spec = TwoFields();
  const Score score{-7, 150};
  const EntryShape shape{&spec, true, false, 42};
  const EntryLine line{3, "ann", &score, 1700000000000000, "hi"};
  const std::string pairs =
      "$4\r\nrank\r\n:3\r\n$6\r\nmember\r\n$3\r\nann\r\n"
      "$5\r\nscore\r\n*2\r\n$2\r\n-7\r\n$4\r\n1.50\r\n$5\r\nstamp\r\n:1700000000000000\r\n"
      "$4\r\nmeta\r\n$2\r\nhi\r\n$5\r\ncount\r\n:42\r\n";
  ExpectBytes([&](auto& answer) { answer.OneEntry(shape, line); }, "*12\r\n" + pairs,
              "%6\r\n" + pairs);
}

TEST(LeaderboardAnswer, PagesOfEntries) {
  const Spec spec;
  const Score score{10};
  const EntryShape shape{&spec, false, false, std::nullopt};
  const auto page = [&](auto& answer) {
    answer.BeginEntries(shape, 2);
    answer.NextEntry(shape, {1, "a", &score, 5, "unseen"}, std::nullopt);
    answer.NextEntry(shape, {std::nullopt, "", &score, 6, ""}, std::nullopt);
  };
  ExpectBytes(page,
              "*2\r\n"
              "*8\r\n$4\r\nrank\r\n:1\r\n$6\r\nmember\r\n$1\r\na\r\n"
              "$5\r\nscore\r\n*1\r\n$2\r\n10\r\n$5\r\nstamp\r\n:5\r\n"
              "*8\r\n$4\r\nrank\r\n$-1\r\n$6\r\nmember\r\n$0\r\n\r\n"
              "$5\r\nscore\r\n*1\r\n$2\r\n10\r\n$5\r\nstamp\r\n:6\r\n",
              "*2\r\n"
              "%4\r\n$4\r\nrank\r\n:1\r\n$6\r\nmember\r\n$1\r\na\r\n"
              "$5\r\nscore\r\n*1\r\n$2\r\n10\r\n$5\r\nstamp\r\n:5\r\n"
              "%4\r\n$4\r\nrank\r\n_\r\n$6\r\nmember\r\n$0\r\n\r\n"
              "$5\r\nscore\r\n*1\r\n$2\r\n10\r\n$5\r\nstamp\r\n:6\r\n");
  ExpectBytes([&](auto& answer) { answer.BeginEntries(shape, 0); }, "*0\r\n", "*0\r\n");
}

TEST(LeaderboardAnswer, EntriesOfAmongHaveAPlace) {
  const Spec spec;
  const Score score{10};
  const EntryShape shape{&spec, true, true, std::nullopt};
  ExpectBytes(
      [&](auto& answer) {
        answer.NextEntry(shape, {9, "a", &score, 5, ""}, 1);
      },
      "*12\r\n$4\r\nrank\r\n:9\r\n$6\r\nmember\r\n$1\r\na\r\n$5\r\nscore\r\n*1\r\n"
      "$2\r\n10\r\n$5\r\nstamp\r\n:5\r\n$4\r\nmeta\r\n$-1\r\n$5\r\nplace\r\n:1\r\n",
      "%6\r\n$4\r\nrank\r\n:9\r\n$6\r\nmember\r\n$1\r\na\r\n$5\r\nscore\r\n*1\r\n"
      "$2\r\n10\r\n$5\r\nstamp\r\n:5\r\n$4\r\nmeta\r\n_\r\n$5\r\nplace\r\n:1\r\n");
  const EntryLine absent{std::nullopt, "b", nullptr, 0, {}};
  ExpectBytes([&](auto& answer) { answer.NextEntry(shape, absent, std::nullopt); },
              "*12\r\n$4\r\nrank\r\n$-1\r\n$6\r\nmember\r\n$1\r\nb\r\n$5\r\nscore\r\n$-1\r\n"
              "$5\r\nstamp\r\n$-1\r\n$4\r\nmeta\r\n$-1\r\n$5\r\nplace\r\n$-1\r\n",
              "%6\r\n$4\r\nrank\r\n_\r\n$6\r\nmember\r\n$1\r\nb\r\n$5\r\nscore\r\n_\r\n"
              "$5\r\nstamp\r\n_\r\n$4\r\nmeta\r\n_\r\n$5\r\nplace\r\n_\r\n");
}

TEST(LeaderboardAnswer, Verdicts) {
  const Spec spec;
  Verdict verdict;
  verdict.rank = 1;
  verdict.score = Score{10};
  verdict.stamp = 5;
  const std::string rest =
      "$6\r\nstatus\r\n$8\r\naccepted\r\n$4\r\nrank\r\n:1\r\n"
      "$13\r\nprevious_rank\r\n@$5\r\nscore\r\n*1\r\n$2\r\n10\r\n$14\r\nprevious_score\r\n@"
      "$5\r\nstamp\r\n:5\r\n";
  const auto with = [&](std::string_view null) {
    std::string text = rest;
    for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos;) {
      text.replace(at, 1, null);
    }
    return text;
  };
  const std::string two = with("$-1\r\n");
  const std::string three = with("_\r\n");
  const std::array<Verdict, 1> one = {verdict};
  ExpectBytes(
      [&](auto& answer) {
        answer.Verdicts({&spec, one, true, false});
      },
      "*12\r\n" + two, "%6\r\n" + three);
  ExpectBytes(
      [&](auto& answer) {
        answer.Verdicts({&spec, one, true, true});
      },
      "*14\r\n" + two + "$9\r\nduplicate\r\n:1\r\n",
      "%7\r\n" + three + "$9\r\nduplicate\r\n#t\r\n");
  const std::array<Verdict, 2> list = {verdict, verdict};
  ExpectBytes(
      [&](auto& answer) {
        answer.Verdicts({&spec, list, false, false});
      },
      "*2\r\n*12\r\n" + two + "*12\r\n" + two, "*2\r\n%6\r\n" + three + "%6\r\n" + three);
  Spec season;
  season.periods = {Period::kDay, Period::kAll};
  ExpectBytes(
      [&](auto& answer) {
        answer.Verdicts({&season, list, true, true});
      },
      "*16\r\n" + two + "$9\r\nduplicate\r\n:1\r\n$7\r\nperiods\r\n*2\r\n$3\r\nall\r\n*12\r\n" +
          two,
      "%8\r\n" + three + "$9\r\nduplicate\r\n#t\r\n$7\r\nperiods\r\n%1\r\n$3\r\nall\r\n%6\r\n" +
          three);
}

TEST(LeaderboardAnswer, AVerdictShowsNeedsAndHidden) {
  const Spec spec;
  std::array<Verdict, 1> verdicts;
  verdicts[0].status = WriteStatus::kNotRanked;
  verdicts[0].needs = Score{11};
  verdicts[0].hidden = true;
  ExpectBytes(
      [&](auto& answer) {
        answer.Verdicts({&spec, verdicts, true, false});
      },
      "*16\r\n$6\r\nstatus\r\n$10\r\nnot-ranked\r\n$4\r\nrank\r\n$-1\r\n"
      "$13\r\nprevious_rank\r\n$-1\r\n$5\r\nscore\r\n$-1\r\n$14\r\nprevious_score\r\n$-1\r\n"
      "$5\r\nstamp\r\n$-1\r\n$5\r\nneeds\r\n*1\r\n$2\r\n11\r\n$6\r\nhidden\r\n:1\r\n",
      "%8\r\n$6\r\nstatus\r\n$10\r\nnot-ranked\r\n$4\r\nrank\r\n_\r\n"
      "$13\r\nprevious_rank\r\n_\r\n$5\r\nscore\r\n_\r\n$14\r\nprevious_score\r\n_\r\n"
      "$5\r\nstamp\r\n_\r\n$5\r\nneeds\r\n*1\r\n$2\r\n11\r\n$6\r\nhidden\r\n#t\r\n");
}

TEST(LeaderboardAnswer, Statistics) {
  const Spec spec = TwoFields();
  ExpectBytes(
      [](auto& answer) {
        answer.ShowPercentile({333333, 1, 2, 4});
      },
      "*8\r\n$10\r\npercentile\r\n$7\r\n33.3333\r\n$5\r\nworse\r\n:1\r\n"
      "$5\r\nequal\r\n:2\r\n$5\r\ncount\r\n:4\r\n",
      "%4\r\n$10\r\npercentile\r\n,33.3333\r\n$5\r\nworse\r\n:1\r\n"
      "$5\r\nequal\r\n:2\r\n$5\r\ncount\r\n:4\r\n");
  ExpectBytes(
      [&](auto& answer) {
        answer.ShowScore(spec, Score{0, -5});
      },
      "*2\r\n$1\r\n0\r\n$5\r\n-0.05\r\n", "*2\r\n$1\r\n0\r\n$5\r\n-0.05\r\n");
  const Int128 beyond = Int128{std::numeric_limits<std::int64_t>::max()} + 1;
  const std::array<HistogramBucket, 1> buckets = {{{0, beyond, 3}}};
  const std::string pairs =
      "$4\r\nfrom\r\n$1\r\n0\r\n$2\r\nto\r\n$19\r\n9223372036854775808\r\n$5\r\ncount\r\n:3\r\n";
  ExpectBytes([&](auto& answer) { answer.ShowHistogram(spec, buckets); }, "*1\r\n*6\r\n" + pairs,
              "*1\r\n%3\r\n" + pairs);
}

std::string Field(std::string_view name, std::string_view value) {
  std::string out;
  Reply reply(&out, Protocol::kResp2);
  reply.Bulk(name);
  return out + std::string(value);
}

std::string Text(std::string_view name, std::string_view text) {
  std::string out;
  Reply(&out, Protocol::kResp2).Bulk(text);
  return Field(name, out);
}

std::string Whole(std::string_view name, std::int64_t number) {
  return Field(name, ":" + std::to_string(number) + "\r\n");
}

TEST(LeaderboardAnswer, Descriptions) {
  Spec spec;
  spec.start = 5;
  spec.grace_us = 90'000'000;
  spec.periods = {Period::kDay, Period::kAll};
  spec.zone = "Asia/Shanghai";
  spec.turn_minutes = 240;
  leaderboard::Description description{&spec, &spec, std::nullopt, 1, 2, 3, 4};
  const std::string fields = Field("fields", "*1\r\n*8\r\n") + Text("name", "score") +
                             Text("type", "int") + Text("direction", "desc") +
                             Text("operator", "set");
  const std::string middle =
      fields + Text("policy", "set") + Text("tie", "first") + Whole("cap", 0) +
      Text("start", "1970-01-01T00:00:00.000005Z") + Field("end", "$-1\r\n") +
      Text("grace", "90s") + Field("expire", "$-1\r\n") + Whole("dedup", kDefaultDedup) +
      Whole("ids", 1) + Whole("size", 2) + Whole("hidden", 3) + Whole("bytes", 4);
  const std::string create = Text(
      "create",
      "FIELDS 1 score:int:desc POLICY set TIE first START 1970-01-01T00:00:00.000005Z GRACE 90s "
      "PERIODS 2 day all TZ Asia/Shanghai TURN 04:00");
  const auto show = [&](auto& answer) { answer.ShowDescription(description); };
  EXPECT_EQ(Bytes(Protocol::kResp2, show),
            "*38\r\n" + Text("board", "lb") + middle +
                Field("periods", "*2\r\n$3\r\nday\r\n$3\r\nall\r\n") + Text("tz", "Asia/Shanghai") +
                Text("turn", "04:00") + Whole("keep", 1) + create);
  const Spec of_instance = InstanceSpec(spec);
  description.spec = &of_instance;
  description.instance = Instance{Period::kDay, 1, 2, "2026-11-15"};
  EXPECT_EQ(Bytes(Protocol::kResp2, show),
            "*30\r\n" + Text("board", "lb@day:2026-11-15") + middle + create);
  EXPECT_TRUE(Bytes(Protocol::kResp3, show).starts_with("%15\r\n"));
}

class CursorHost final : public leaderboard::AnswerHost {
 public:
  Status Admit(std::uint64_t /*returned*/) override { return Ok{}; }
  std::optional<std::string> CloseCursor(const leaderboard::PeriodLine& line) override {
    if (line.close_note.empty()) return std::nullopt;
    return "at " + std::string(line.close_note);
  }
};

TEST(LeaderboardAnswer, PeriodsShowTheCloseCursorOfTheHost) {
  const std::vector<leaderboard::PeriodLine> lines = {
      {{Period::kDay, 10, 20, "2026-11-15"}, true, 4, false, "unseen"},
      {{Period::kDay, 5, 10, "2026-11-14"}, false, 3, true, "note"},
      {{Period::kAll, INT64_MIN, INT64_MAX, ""}, true, 2, true, ""},
  };
  const auto line = [](std::string_view name, std::string_view period, const std::string& begin,
                       const std::string& end, const std::string& present, std::int64_t size,
                       const std::string& closed) {
    return "*14\r\n" + Text("board", name) + Text("period", period) + Field("begin", begin) +
           Field("end", end) + Field("present", present) + Whole("size", size) +
           Field("closed", closed);
  };
  std::string out;
  Reply reply(&out, Protocol::kResp2);
  CursorHost host;
  LeaderboardAnswer answer(&reply, "lb", kMaxReply, &host);
  answer.ShowPeriods(lines);
  EXPECT_EQ(
      out,
      "*3\r\n" + line("lb@day:2026-11-15", "day", ":10\r\n", ":20\r\n", ":1\r\n", 4, "$-1\r\n") +
          line("lb@day:2026-11-14", "day", ":5\r\n", ":10\r\n", ":0\r\n", 3, "$7\r\nat note\r\n") +
          line("lb@all", "all", "$-1\r\n", "$-1\r\n", ":1\r\n", 2, "$-1\r\n"));
  const auto show = [&](auto& plain) { plain.ShowPeriods(lines); };
  EXPECT_NE(Bytes(Protocol::kResp3, show).find("$7\r\npresent\r\n#f\r\n"), std::string::npos);
  EXPECT_EQ(Bytes(Protocol::kResp3, show).find("note"), std::string::npos) << "no host knows it";
}

TEST(LeaderboardAnswer, NumbersOfEveryLength) {
  const Spec spec;
  std::vector<std::int64_t> numbers = {0, INT64_MIN, INT64_MAX};
  for (std::int64_t power = 1; power <= INT64_MAX / 10; power *= 10) {
    for (const std::int64_t number : {power, power - 1, -power, 1 - power}) {
      numbers.push_back(number);
    }
  }
  for (const std::int64_t number : numbers) {
    std::string expected;
    Reply reply(&expected, Protocol::kResp2);
    reply.Array(1);
    reply.Bulk(std::to_string(number));
    const auto show = [&](auto& answer) { answer.ShowScore(spec, Score{number}); };
    EXPECT_EQ(Bytes(Protocol::kResp2, show), expected);
  }
}

// Texts around and above the size of BufferedReply's buffer.
TEST(LeaderboardAnswer, LongTextsAreComplete) {
  const Spec spec;
  const Score score{1};
  const EntryShape shape{&spec, true, false, std::nullopt};
  for (const std::size_t length : {900U, 990U, 998U, 999U, 1000U, 1001U, 1024U, 4096U}) {
    const std::string member(std::min<std::size_t>(length, kMaxMemberBytes), 'm');
    const std::string meta(length, 'x');
    std::string expected = "*10\r\n" + Whole("rank", 1) + Text("member", member) +
                           Field("score", "*1\r\n$1\r\n1\r\n") + Whole("stamp", 2) +
                           Text("meta", meta);
    const auto entry = [&](auto& answer) {
      answer.NextEntry(shape, {1, member, &score, 2, meta}, std::nullopt);
    };
    EXPECT_EQ(Bytes(Protocol::kResp2, entry), expected) << length;
  }
}

TEST(LeaderboardAnswer, EntryBytesIsATightUpperBound) {
  Spec spec;
  spec.fields.clear();
  Score score;
  for (std::size_t i = 0; i < kMaxFields; ++i) {
    spec.fields.push_back({std::string(1, static_cast<char>('a' + i)), kMaxDecimals});
    score.push_back(INT64_MIN);
  }
  const std::string member(kMaxMemberBytes, 'm');
  const std::string meta(kMaxMetaBytes, 'x');
  const EntryShape shapes[] = {{&spec, false, false, std::nullopt},
                               {&spec, true, true, std::nullopt},
                               {&spec, true, false, UINT64_MAX / 2}};
  for (const EntryShape& shape : shapes) {
    for (const Protocol protocol : {Protocol::kResp2, Protocol::kResp3}) {
      std::size_t announced = 0;
      const std::string bytes = Bytes(protocol, [&](auto& answer) {
        announced = answer.EntryBytes(shape) + member.size() + (shape.with_meta ? meta.size() : 0);
        answer.NextEntry(shape, {INT64_MAX, member, &score, INT64_MIN, meta}, INT64_MAX);
      });
      EXPECT_LE(bytes.size(), announced);
      EXPECT_GE(bytes.size() + 64, announced) << "the bound is not far off";
    }
  }
}

}  // namespace
}  // namespace laurel::wire
