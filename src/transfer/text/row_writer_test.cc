#include "transfer/text/row_writer.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/time_text.h"
#include "tests/support/engine_rig.h"
#include "tests/support/piece_reader.h"
#include "tests/support/row_text.h"
#include "transfer/text/csv_reader.h"
#include "transfer/text/jsonl_reader.h"
#include "wire/resp_parser.h"
#include "wire/spec_arguments.h"

namespace laurel::transfer {
namespace {

using namespace std::string_literals;

using Lines = std::vector<std::string>;

struct OwnedRow {
  std::uint64_t rank = 0;
  std::string member;
  std::optional<Score> score;
  Stamp stamp = 0;
  std::string meta;
  bool hidden = false;
  std::string instance;

  [[nodiscard]] BoardEntry View() const {
    return {rank, member, score.value_or(Score()), stamp, meta, hidden, instance};
  }
};

Spec ParseSpec(std::string_view line) { return wire::ParseSpecLine(line).value().spec; }

std::string Written(RowWriter* writer, std::string_view board, const Spec& spec,
                    const std::vector<OwnedRow>& rows) {
  std::string out;
  if (writer->needs_survey()) {
    for (const OwnedRow& row : rows) writer->Survey(row.View());
  }
  EXPECT_TRUE(writer->Begin(board, spec, {}, &out).ok());
  for (const OwnedRow& row : rows) writer->Write(row.View(), &out);
  writer->End(&out);
  return out;
}

std::string Csv(const Spec& spec, const std::vector<OwnedRow>& rows) {
  return Written(MakeRowWriter(RowFormat::kCsv).get(), "lb", spec, rows);
}
std::string Jsonl(const Spec& spec, const std::vector<OwnedRow>& rows) {
  return Written(MakeRowWriter(RowFormat::kJsonl).get(), "lb", spec, rows);
}

// The row as a reader must return it.
std::string Expected(const OwnedRow& row, const Spec& spec, std::uint64_t line) {
  Row expected;
  expected.member = row.member;
  const Lines numbers = row.score ? FormatScore(spec, *row.score) : Lines();
  const std::vector<std::string_view> values(numbers.begin(), numbers.end());
  expected.values = values;
  if (row.score && spec.kind == BoardKind::kLeaderboard) expected.at = row.stamp;
  expected.meta = row.meta;
  expected.hidden = row.hidden;
  expected.instance = row.instance;
  expected.line = line;
  return RowText(expected);
}

Lines ReadRows(RowReader* reader, const Rejects& rejects) {
  Lines rows;
  Row row;
  while (reader->Next(&row).value()) rows.push_back(RowText(row));
  for (const std::string& shown : rejects.shown()) rows.push_back(shown);
  return rows;
}

constexpr Stamp kNoon = 1'794'744'000'000'000;  // 2026-11-15T12:00:00Z

// Exact bytes -------------------------------------------------------------------------------------

TEST(CsvWriter, WritesAHeaderAndTheColumnsThatTheRowsNeed) {
  const Spec spec = ParseSpec("FIELDS 2 points:decimal2 deaths:int:asc");
  EXPECT_EQ(Csv(spec, {{1, "ann", Score{1250, -3}, kNoon, "", false, ""},
                       {2, "bob, \"the\nsecond\"", Score{1000, 0}, kNoon + 1, "x", false, ""}}),
            "rank,member,points,deaths,reached,meta\n"
            "1,ann,12.50,-3,2026-11-15T12:00:00.000000Z,\n"
            "2,\"bob, \"\"the\nsecond\"\"\",10.00,0,2026-11-15T12:00:00.000001Z,x\n");
  EXPECT_EQ(Csv(Spec(), {}), "rank,member,score,reached,meta\n");
}

TEST(CsvWriter, BytesMarksAndInstancesHaveColumnsOfTheirOwn) {
  EXPECT_EQ(Csv(Spec(), {{1, "\xff", Score{5}, kNoon, "a\0b"s, false, "day:2026-11-15"},
                         {0, "bob", Score{7}, kNoon, "m", true, "all"},
                         {0, "eve", std::nullopt, 0, "", true, ""}}),
            "rank,member,member_base64,score,reached,meta,meta_base64,hidden,instance\n"
            "1,,/w==,5,2026-11-15T12:00:00.000000Z,,YQBi,,day:2026-11-15\n"
            ",bob,,7,2026-11-15T12:00:00.000000Z,m,,true,all\n"
            ",eve,,,,,,true,\n");
}

TEST(CsvWriter, ASortedSetHasNoTimesAndNoMeta) {
  EXPECT_EQ(Csv(Spec::SortedSet(), {{1, "ann", Score::Double(0.1), 0, "", false, ""},
                                    {2, "bob", Score::Double(-1e300 * 1e300), 0, "", false, ""}}),
            "rank,member,score\n1,ann,0.1\n2,bob,-inf\n");
}

TEST(CsvWriter, AFieldWithTheNameOfAColumnIsRenamed) {
  EXPECT_EQ(
      Csv(ParseSpec("FIELDS 2 rank:int a,b:int"), {{1, "ann", Score{5, 6}, kNoon, "", false, ""}}),
      "rank,member,score.rank,\"a,b\",reached,meta\n"
      "1,ann,5,6,2026-11-15T12:00:00.000000Z,\n");
}

TEST(JsonlWriter, WritesTheBoardAndTheKeysThatRowsHave) {
  EXPECT_EQ(Jsonl(ParseSpec("FIELDS 1 score:int POLICY best CAP 100"),
                  {{1, "ann", Score{5}, kNoon, "\"m\"", false, "day:2026-11-15"},
                   {0, "\xff", Score{INT64_MIN}, kNoon, "\xfe", true, ""},
                   {0, "eve", std::nullopt, 0, "", true, ""}}),
            R"({"board":"lb","spec":"FIELDS 1 score:int:desc POLICY best TIE first CAP 100"})"
            "\n"
            R"({"member":"ann","score":["5"],"reached":"2026-11-15T12:00:00.000000Z",)"
            R"("meta":"\"m\"","instance":"day:2026-11-15"})"
            "\n"
            R"({"member_base64":"/w==","score":["-9223372036854775808"],)"
            R"("reached":"2026-11-15T12:00:00.000000Z","meta_base64":"/g==","hidden":true})"
            "\n"
            R"({"member":"eve","hidden":true})"
            "\n");
  EXPECT_EQ(Jsonl(Spec::SortedSet(), {{1, "ann", Score::Double(1e17), 0, "", false, ""}}),
            R"({"board":"lb","spec":"sorted set"})"
            "\n"
            R"({"member":"ann","score":["100000000000000000"]})"
            "\n");
}

TEST(RespWriter, WritesCommands) {
  EXPECT_EQ(Written(MakeRowWriter(RowFormat::kResp).get(), "lb", Spec(),
                    {{1, "ann", Score{5}, 1'000'001, "m", false, ""}}),
            "*9\r\n$9\r\nLB.CREATE\r\n$2\r\nlb\r\n$6\r\nFIELDS\r\n$1\r\n1\r\n"
            "$14\r\nscore:int:desc\r\n$6\r\nPOLICY\r\n$3\r\nset\r\n$3\r\nTIE\r\n$5\r\nfirst\r\n"
            "*8\r\n$6\r\nLB.SET\r\n$2\r\nlb\r\n$3\r\nann\r\n$1\r\n5\r\n$2\r\nAT\r\n"
            "$9\r\n1000001us\r\n$4\r\nMETA\r\n$1\r\nm\r\n");
  EXPECT_EQ(Written(MakeRowWriter(RowFormat::kResp).get(), "z", Spec::SortedSet(),
                    {{1, "ann", Score::Double(2.5), 0, "", false, ""}}),
            "*4\r\n$4\r\nZADD\r\n$1\r\nz\r\n$3\r\n2.5\r\n$3\r\nann\r\n");
}

TEST(RespWriter, RefusesABoardWithPeriods) {
  std::string out;
  const Status begun =
      MakeRowWriter(RowFormat::kResp)->Begin("lb", ParseSpec("PERIODS 2 day all TZ UTC"), {}, &out);
  ASSERT_FALSE(begun.ok());
  EXPECT_EQ(out, "");
}

// Round trips -------------------------------------------------------------------------------------

// Text that needs every kind of care: quotes, delimiters, line ends, base64, words with a meaning.
std::string RandomText(base::Random* random) {
  constexpr std::string_view kAlphabet = "ab,\"\n\r\t\\ \xc3\xa9{}:=";
  static const std::vector<std::string> kWords = {
      "", "NULL", "\\N", "a\0b"s, "\xff\xfe", "#x", "true", "null", "\"", "\r\n", "\xef\xbb\xbf"};
  if (random->Below(4) == 0) return kWords[random->Below(kWords.size())];
  std::string text;
  for (std::uint64_t size = random->Below(12); size > 0; --size) {
    text += kAlphabet[random->Below(kAlphabet.size())];
  }
  return text;
}

std::vector<OwnedRow> RandomRows(const Spec& spec, base::Random* random) {
  std::vector<OwnedRow> rows;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    OwnedRow row;
    row.rank = i;
    row.member = RandomText(random);
    row.hidden = random->Below(4) == 0;
    if (!row.hidden || random->Below(4) != 0) {
      Score score;
      for (std::size_t field = 0; field < spec.fields.size(); ++field) {
        score.push_back(static_cast<std::int64_t>(random->Next()) >> random->Below(64));
      }
      if (spec.kind == BoardKind::kSortedSet) score = Score::Double(0.1 * static_cast<double>(i));
      row.score = score;
      row.stamp = static_cast<Stamp>(random->Below(2'000'000'000'000'000));
      if (spec.kind == BoardKind::kLeaderboard) row.meta = RandomText(random);
      if (random->Below(3) == 0) row.instance = "day:2026-11-15";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const std::vector<Spec>& Specs() {
  static const std::vector<Spec> specs = {
      Spec(), ParseSpec("FIELDS 3 points:decimal9 at:int:asc meta:decimal2 TIE last"),
      ParseSpec("FIELDS 1 member:int POLICY sum"), Spec::SortedSet()};
  return specs;
}

TEST(RowWriters, WhatCsvHoldsTheReaderReadsBackEqual) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    base::Random random(seed);
    const Spec& spec = Specs()[seed % Specs().size()];
    const std::vector<OwnedRow> rows = RandomRows(spec, &random);
    const std::string text = Csv(spec, rows);
    Rejects rejects;
    const auto reader =
        CsvReader::Open(std::make_unique<PieceReader>(text), spec, {}, &rejects).value();
    Row row;
    for (const OwnedRow& expected : rows) {
      ASSERT_TRUE(reader->Next(&row).value()) << "seed " << seed << "\n" << text;
      ASSERT_EQ(RowText(row), Expected(expected, spec, row.line)) << "seed " << seed;
    }
    EXPECT_FALSE(reader->Next(&row).value());
    EXPECT_EQ(rejects.shown(), Lines()) << "seed " << seed;
  }
}

TEST(RowWriters, WhatJsonlHoldsTheReaderReadsBackEqual) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    base::Random random(seed);
    const Spec& spec = Specs()[seed % Specs().size()];
    const std::string board = seed % 2 == 0 ? "lb" : RandomText(&random);
    const std::vector<OwnedRow> rows = RandomRows(spec, &random);
    const std::string text = Written(MakeRowWriter(RowFormat::kJsonl).get(), board, spec, rows);
    Rejects rejects;
    const auto reader =
        JsonlReader::Open(std::make_unique<PieceReader>(text), {}, &rejects).value();
    ASSERT_TRUE(reader->board().has_value());
    EXPECT_EQ(reader->board()->board, board);
    EXPECT_EQ(reader->board()->spec, spec);
    Lines expected;
    for (const OwnedRow& row : rows) expected.push_back(Expected(row, spec, expected.size() + 2));
    EXPECT_EQ(ReadRows(reader.get(), rejects), expected) << "seed " << seed;
  }
}

TEST(RowWriters, JsonlKeepsEveryOptionOfASpec) {
  for (const std::string line :
       {"FIELDS 2 a:int:desc:sum b:decimal3:asc:min TIE member DEDUP 5",
        "POLICY best CAP 1000 START 2026-01-01T00:00:00.5Z END 2026-02-01T00:00:00Z GRACE 90s "
        "EXPIRE 30d",
        "PERIODS 3 day week all TZ Asia/Shanghai TURN 04:00 KEEP 7 GRACE 5m"}) {
    const Spec spec = ParseSpec(line);
    Rejects rejects;
    const auto reader =
        JsonlReader::Open(std::make_unique<PieceReader>(Jsonl(spec, {})), {}, &rejects).value();
    EXPECT_EQ(reader->board()->spec, spec) << line;
  }
}

// Commands against an engine ----------------------------------------------------------------------

std::vector<resp::Words> Commands(std::string_view stream) {
  std::vector<resp::Words> commands;
  wire::RespParser parser;
  while (!stream.empty()) {
    std::vector<std::string_view> words;
    std::size_t consumed = 0;
    EXPECT_EQ(parser.Next(stream, {}, &words, &consumed), wire::RespParser::Outcome::kRequest);
    commands.emplace_back(words.begin(), words.end());
    stream.remove_prefix(consumed);
  }
  return commands;
}

TEST(RespWriter, AnEngineTakesEveryCommandAndHasTheBoard) {
  const Spec spec = ParseSpec(
      "FIELDS 2 points:decimal1 deaths:int:asc POLICY best CAP 2 START 2026-01-01T00:00:00Z "
      "END 2026-02-01T00:00:00Z GRACE 1h");
  const Stamp january = base::ParseTime("2026-01-15T12:00:00Z").value();
  const std::string stream =
      Written(MakeRowWriter(RowFormat::kResp).get(), "lb", spec,
              {{0, "cheat", Score{9999, 0}, january, "", true, ""},
               {1, "ann", Score{105, 3}, january + 5, "a\r\nb\0"s, false, ""},
               {2, "\xff", Score{105, 3}, january + 6, "", false, ""},
               {0, "marked", std::nullopt, 0, "", true, ""}});
  testing::EngineRig rig(testing::EngineRig::Small());
  for (const resp::Words& command : Commands(stream)) {
    const resp::Value reply = rig.Ask(command);
    EXPECT_FALSE(reply.IsError()) << resp::Quoted(command) << " got " << reply.ToString();
  }
  EXPECT_EQ(rig.Ask("LB.TOP lb 10 WITHMETA").ToString(),
            "[[\"rank\", 1, \"member\", \"ann\", \"score\", [\"10.5\", \"3\"], \"stamp\", " +
                std::to_string(january + 5) + ", \"meta\", \"a\\r\\nb\\x00\"], " +
                "[\"rank\", 2, \"member\", \"\\xff\", \"score\", [\"10.5\", \"3\"], \"stamp\", " +
                std::to_string(january + 6) + ", \"meta\", nil]]");
  const std::string described = rig.Ask("LB.DESCRIBE lb").Plain();
  for (const std::string part : {"2026-01-01T00:00:00.000000Z", "2026-02-01T00:00:00.000000Z"}) {
    EXPECT_NE(described.find(part), std::string::npos) << described;
  }
  EXPECT_EQ(rig.Ask("LB.SET lb ann 1 1").Plain().find("-CLOSED"), 0U) << "the window is back";
  EXPECT_EQ(rig.Ask("LB.GET lb cheat").Find("score")->Plain(), "[999.9 0]");
  EXPECT_EQ(rig.Ask("LB.GET lb cheat").Find("rank")->Plain(), "nil");
}

TEST(RespWriter, AnEngineTakesASortedSet) {
  testing::EngineRig rig(testing::EngineRig::Small());
  const std::string stream = Written(MakeRowWriter(RowFormat::kResp).get(), "z", Spec::SortedSet(),
                                     {{1, "ann", Score::Double(0.1), 0, "", false, ""},
                                      {2, "bob", Score::Double(1e300 * 1e300), 0, "", false, ""}});
  for (const resp::Words& command : Commands(stream)) {
    EXPECT_EQ(rig.Ask(command).ToString(), "1");
  }
  EXPECT_EQ(rig.Ask("ZRANGE z 0 -1 WITHSCORES").Plain(), "[ann 0.1 bob inf]");
}

}  // namespace
}  // namespace laurel::transfer
