#include "transfer/text/jsonl_reader.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/piece_reader.h"
#include "tests/support/row_text.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

using namespace std::string_literals;

using Lines = std::vector<std::string>;

struct Read {
  Lines rows;
  Lines rejects;
  std::string error;
};

Read ReadAll(
    std::string text, RowFileOptions options = {}, std::optional<Spec> spec = std::nullopt,
    std::function<std::size_t()> sizes = [] { return SIZE_MAX; }) {
  Read read;
  Rejects rejects;
  auto opened = JsonlReader::Open(std::make_unique<PieceReader>(std::move(text), std::move(sizes)),
                                  std::move(options), &rejects);
  Status ready = opened.ok() ? Status(Ok{}) : opened.error();
  if (ready.ok() && spec) ready = (*opened)->SetSpec(*spec);
  if (!ready.ok()) {
    read.error = ready.error().message;
    return read;
  }
  Row row;
  for (;;) {
    const Result<bool> found = (*opened)->Next(&row);
    if (!found.ok()) read.error = found.error().message;
    if (!found.ok() || !*found) break;
    read.rows.push_back(RowText(row));
  }
  read.rejects = rejects.shown();
  return read;
}

Spec Fields(std::vector<std::string> names) {
  Spec spec;
  spec.fields.clear();
  for (std::string& name : names) spec.fields.push_back({.name = std::move(name)});
  return spec;
}

RowFileOptions Columns(std::string_view columns) {
  RowFileOptions options;
  options.columns = ParseColumns(columns).value();
  return options;
}

TEST(JsonlReader, ReadsEveryKey) {
  const Read read = ReadAll(
      R"({"member":"ann","score":["100"],"at":1762500000.25,"meta":"x","hidden":true})"
      "\n"
      R"({"rank":2,"member":"bob","score":95,"reached":"2026-11-15T13:00:00Z","instance":"day:2026-11-15"})"
      "\r\n"
      R"(  {"score":{"score":"-7"}, "member":"a\"\u00e9\n"})");
  EXPECT_EQ(read.rows, (Lines{"1: ann = 100 at 2025-11-07T07:20:00.250000Z meta x hidden",
                              "2: bob = 95 at 2026-11-15T13:00:00.000000Z in day:2026-11-15",
                              "3: a\"é\n = -7"}));
  EXPECT_EQ(read.rejects, Lines{});
  EXPECT_EQ(read.error, "");
}

TEST(JsonlReader, NumbersAreTakenByTheirText) {
  const Read read = ReadAll(R"({"member":12345678901234567890,"score":9223372036854775807})"
                            "\n"
                            R"({"member":"x","score":1.0E7})"
                            "\n"
                            R"({"member":"y","score":"+.5e-3"})"
                            "\n");
  EXPECT_EQ(read.rows, (Lines{"1: 12345678901234567890 = 9223372036854775807", "2: x = 1.0E7",
                              "3: y = +.5e-3"}));
}

TEST(JsonlReader, AScoreOfSeveralFieldsIsAnArrayOrAnObject) {
  const Spec two = Fields({"points", "deaths"});
  const Read read = ReadAll(R"({"member":"a","score":["5",1]})"
                            "\n"
                            R"({"member":"b","score":{"deaths":2,"points":"6"}})"
                            "\n"
                            R"({"member":"c","score":5})"
                            "\n"
                            R"({"member":"d","score":[5]})"
                            "\n"
                            R"({"member":"e","score":{"points":5}})"
                            "\n"
                            R"({"member":"f","score":{"points":5,"lives":3}})"
                            "\n"
                            R"({"member":"g","score":[5,null]})"
                            "\n"
                            R"({"member":"h"})"
                            "\n",
                            {}, two);
  EXPECT_EQ(read.rows, (Lines{"1: a = 5 1", "2: b = 6 2"}));
  EXPECT_EQ(
      read.rejects,
      (Lines{
          "line 3: ERR score has 1 value, expected 2", "line 4: ERR score has 1 values, expected 2",
          "line 5: BADSCORE there is no value of 'deaths'", "line 6: ERR there is no field 'lives'",
          "line 7: BADSCORE the value of 'deaths' is null, expected a number or a string",
          "line 8: BADSCORE there is no score"}));
}

TEST(JsonlReader, NullIsAbsent) {
  const Read read =
      ReadAll(R"({"member":"a","score":5,"at":null,"meta":null,"hidden":null,"instance":null})"
              "\n"
              R"({"member":null,"score":5})"
              "\n"
              R"({"member":"b","score":null})"
              "\n");
  EXPECT_EQ(read.rows, Lines{"1: a = 5"});
  EXPECT_EQ(read.rejects,
            (Lines{"line 2: ERR there is no member", "line 3: BADSCORE there is no score"}));
}

TEST(JsonlReader, AHiddenRowWithoutAScoreIsAMarkAlone) {
  EXPECT_EQ(ReadAll(R"({"member":"ann","hidden":true})").rows, Lines{"1: ann = hidden"});
  EXPECT_EQ(ReadAll(R"({"member":"ann","hidden":false})").rejects,
            Lines{"line 1: BADSCORE there is no score"});
}

TEST(JsonlReader, BytesThatAreNotUtf8ComeAsBase64) {
  const Read read = ReadAll(R"({"member_base64":"/wA=","score":5,"meta_base64":"/w=="})"
                            "\n"
                            R"({"member_base64":"/w==","member":"x","score":5})"
                            "\n"
                            R"({"member_base64":"no","score":5})"
                            "\n"
                            R"({"member":"x","score":5,"meta":"a","meta_base64":"/w=="})"
                            "\n"
                            R"({"member_base64":5,"score":5})"
                            "\n");
  EXPECT_EQ(read.rows, Lines{"1: \xff\0 = 5 meta \xff"s});
  EXPECT_EQ(read.rejects, (Lines{"line 2: ERR the member is given twice",
                                 "line 3: ERR member_base64 is no base64 with padding",
                                 "line 4: ERR the meta is given twice",
                                 "line 5: ERR member_base64 is a number, expected a string"}));
}

TEST(JsonlReader, MetaMayBeJsonOfItsOwn) {
  EXPECT_EQ(ReadAll(R"({"member":"a","score":5,"meta":{"name": "Ann"}})").rows,
            Lines{R"(1: a = 5 meta {"name": "Ann"})"});
  EXPECT_EQ(ReadAll(R"({"member":"a","score":5,"meta":[1,2]})").rows, Lines{"1: a = 5 meta [1,2]"});
  EXPECT_EQ(ReadAll(R"({"member":"a","score":5,"meta":7})").rows, Lines{"1: a = 5 meta 7"});
  EXPECT_EQ(ReadAll(R"({"member":"a","score":5,"meta":true})").rejects,
            Lines{"line 1: ERR the meta is a boolean, expected a string"});
}

TEST(JsonlReader, MalformedLinesAreRejectedAndReadingGoesOn) {
  const Read read = ReadAll(
      "{\"member\":\"a\",\"score\":5\n"
      "\n"
      "null\n"
      "{\"member\":\"a\",\"score\":5,\"at\":true}\n"
      "{\"member\":\"a\",\"score\":5,\"at\":\"noon\"}\n"
      "{\"member\":\"a\",\"score\":5,\"at\":1,\"reached\":1}\n"
      "{\"member\":\"a\",\"score\":5,\"hidden\":1}\n"
      "{\"member\":\"a\",\"score\":5,\"socre\":1}\n"
      "{\"member\":{},\"score\":5}\n"
      "{\"member\":\"a\",\"member\":\"b\",\"score\":5}\n"
      "{\"member\":\"\xff\",\"score\":5}\n"
      "{\"member\":\"b\",\"score\":7}\n");
  EXPECT_EQ(read.rows, Lines{"12: b = 7"});
  ASSERT_EQ(read.rejects.size(), 10U);
  EXPECT_TRUE(read.rejects[0].starts_with("line 1: ERR ")) << read.rejects[0];
  EXPECT_EQ(read.rejects[1], "line 3: ERR the line is null, expected an object");
  EXPECT_EQ(read.rejects[2],
            "line 4: BADTIME the time is a boolean, expected a number or a string");
  EXPECT_TRUE(read.rejects[3].starts_with("line 5: BADTIME 'noon' ")) << read.rejects[3];
  EXPECT_EQ(read.rejects[4], "line 6: ERR the time is given twice");
  EXPECT_EQ(read.rejects[5], "line 7: ERR hidden is a number, expected a boolean");
  EXPECT_EQ(read.rejects[6], "line 8: ERR unknown key 'socre': give --columns to read other keys");
  EXPECT_EQ(read.rejects[7], "line 9: ERR member is an object, expected a string");
  EXPECT_TRUE(read.rejects[8].starts_with("line 10: ERR ")) << read.rejects[8];
  EXPECT_TRUE(read.rejects[9].starts_with("line 11: ERR ")) << read.rejects[9];
}

TEST(JsonlReader, LinesAndFieldsHaveTheirLimits) {
  const auto line = [](std::size_t member, std::size_t score, std::size_t meta) {
    return R"({"member":")" + std::string(member, 'm') + R"(","score":")" +
           std::string(score, '1') + R"(","meta":")" + std::string(meta, 'x') + "\"}\n";
  };
  const Read read = ReadAll(
      line(kMaxMemberBytes, kMaxNumberBytes, kMaxMetaBytes) + line(kMaxMemberBytes + 1, 1, 0) +
      line(1, kMaxNumberBytes + 1, 0) + line(1, 1, kMaxMetaBytes + 1) + line(1, 1, kMaxRowBytes) +
      std::string(300 * kMaxRowBytes, 'x') + "\n" + R"({"member":"b","score":1,"instance":")" +
      std::string(kMaxInstanceBytes + 1, 'x') + "\"}\n" + line(1, 1, 1));
  EXPECT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rejects, (Lines{"line 2: LIMIT the member has 1025 bytes, more than 1024",
                                 "line 3: LIMIT the score has 401 bytes, more than 400",
                                 "line 4: LIMIT the meta has 4097 bytes, more than 4096",
                                 "line 5: LIMIT the line has more than 65536 bytes",
                                 "line 6: LIMIT the line has more than 65536 bytes",
                                 "line 7: LIMIT the instance has 129 bytes, more than 128"}));
}

TEST(JsonlReader, AnEscapedMemberAndMetaOfTheGreatestSizeFit) {
  std::string line = R"({"member":")";
  for (std::size_t i = 0; i < kMaxMemberBytes; ++i) line += "\\u0001";
  line += R"(","score":1,"meta":")";
  for (std::size_t i = 0; i < kMaxMetaBytes; ++i) line += "\\u0001";
  EXPECT_EQ(ReadAll(line + "\"}").rows.size(), 1U);
}

// Keys --------------------------------------------------------------------------------------------

TEST(JsonlReader, OtherKeysMayBeChosenAndTheRestIsIgnored) {
  const Read read = ReadAll(
      R"({"_id":"5f","uid":7,"points":"12","ts":1762500000123,"member":"no","score":3})", [] {
        RowFileOptions options = Columns("member=uid,score=points,at=ts");
        options.times = TimeParser::Of(TimeUnit::kMillis, "").value();
        return options;
      }());
  EXPECT_EQ(read.rows, Lines{"1: 7 = 12 at 2025-11-07T07:20:00.123000Z"});
  EXPECT_EQ(ReadAll(R"({"uid":"a","p":5,"d":2})", Columns("member=uid,points=p,deaths=d"),
                    Fields({"points", "deaths"}))
                .rows,
            Lines{"1: a = 5 2"});
  EXPECT_EQ(
      ReadAll(R"({"uid":"a","pts":5})", Columns("member=uid,score=pts"), Fields({"points"})).rows,
      Lines{"1: a = 5"});
}

TEST(JsonlReader, AnUnknownRoleIsRefused) {
  EXPECT_EQ(ReadAll("{}", Columns("points=p")).error,
            "--columns: 'points' is no role of a key: expected member, score, the name of a field, "
            "at, meta, hidden or instance");
  EXPECT_EQ(ReadAll("{}", Columns("rank=p")).error.find("--columns: 'rank' is no role"), 0U);
}

TEST(JsonlReader, SerialisedMembersAreUnwrapped) {
  RowFileOptions options;
  options.member = MemberEncoding::kJson;
  EXPECT_EQ(ReadAll(R"({"member":"[\"java.lang.Long\",5]","score":5})", options).rows,
            Lines{"1: 5 = 5"});
  EXPECT_EQ(ReadAll(R"({"member":"{}","score":5})", options).rejects,
            Lines{"line 1: ERR the member is an object of JSON, not a string or a number"});
}

// The board's line --------------------------------------------------------------------------------

TEST(JsonlReader, TheFirstLineMayDescribeTheBoard) {
  const std::string text =
      R"({"board":"run","spec":"FIELDS 2 points:int:desc deaths:int:asc POLICY best TIE last"})"
      "\n"
      R"({"member":"ann","score":["5","1"]})"
      "\n";
  Rejects rejects;
  const auto reader = JsonlReader::Open(std::make_unique<PieceReader>(text), {}, &rejects).value();
  ASSERT_TRUE(reader->board().has_value());
  EXPECT_EQ(reader->board()->board, "run");
  EXPECT_EQ(DescribeSpec(reader->board()->spec),
            "FIELDS 2 points:int:desc deaths:int:asc POLICY best TIE last");
  Row row;
  ASSERT_TRUE(reader->Next(&row).value());
  EXPECT_EQ(RowText(row), "2: ann = 5 1");

  const auto set =
      JsonlReader::Open(
          std::make_unique<PieceReader>(R"({"board_base64":"/w==","spec":"sorted set"})"), {},
          &rejects)
          .value();
  EXPECT_EQ(set->board()->board, "\xff");
  EXPECT_EQ(set->board()->spec, Spec::SortedSet());
  EXPECT_FALSE(set->Next(&row).value());
}

TEST(JsonlReader, ADescriptionThatCannotBeUsedEndsTheImport) {
  EXPECT_EQ(ReadAll(R"({"board":"lb","spec":"FIELDS nonsense"})")
                .error.find("memory: the board's spec: "),
            0U);
  EXPECT_EQ(ReadAll(R"({"board":"lb","spec":"","x":"y"})").error,
            "memory: the first line describes a board and has the unknown key 'x'");
  EXPECT_EQ(ReadAll(R"({"board":5,"spec":""})").error, "memory: the board's 'board' is no string");
  EXPECT_EQ(ReadAll("{\"member\":\"a\",\"score\":1}\n{\"board\":\"lb\",\"spec\":\"\"}\n").error,
            "memory: line 2 describes another board: import the boards from files of their own");
}

TEST(JsonlReader, FilesThatAreNoJsonLinesAreRefused) {
  EXPECT_EQ(ReadAll(" [{\"member\":\"a\",\"score\":1}]").error,
            "memory: the file is one JSON array, expected one object on each line");
  EXPECT_EQ(ReadAll("").rows, Lines{});
  EXPECT_EQ(ReadAll("").error, "");
  EXPECT_EQ(ReadAll("\xef\xbb\xbf{\"member\":\"a\",\"score\":1}").rows, Lines{"1: a = 1"});
}

TEST(JsonlReader, HoweverTheBytesAreCutTheRowsAreTheSame) {
  base::Random random(3);
  std::string text;
  for (int i = 0; i < 300; ++i) {
    text += R"({"member":"m)" + std::to_string(i) + R"(","score":)" +
            std::to_string(random.Below(1000)) + "}\n";
    if (i % 50 == 7) text += std::string(random.Below(200'000), 'x') + "\n";
    if (i % 30 == 9) text[random.Below(text.size())] = '"';
  }
  const Read whole = ReadAll(text);
  EXPECT_GT(whole.rows.size(), 200U);
  EXPECT_FALSE(whole.rejects.empty());
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto sizes = std::make_shared<base::Random>(seed);
    const std::size_t most = seed == 1 ? 2 : seed * 700;
    const Read cut = ReadAll(text, {}, std::nullopt, [sizes, most] { return sizes->Below(most); });
    EXPECT_EQ(cut.rows, whole.rows) << "seed " << seed;
    EXPECT_EQ(cut.rejects, whole.rejects) << "seed " << seed;
  }
}

}  // namespace
}  // namespace laurel::transfer
