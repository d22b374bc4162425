#include "transfer/text/csv_reader.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
    std::string text, RowFileOptions options = {}, const Spec& spec = {},
    std::function<std::size_t()> sizes = [] { return SIZE_MAX; }) {
  Read read;
  Rejects rejects;
  auto opened = CsvReader::Open(std::make_unique<PieceReader>(std::move(text), std::move(sizes)),
                                spec, std::move(options), &rejects);
  if (!opened.ok()) {
    read.error = opened.error().message;
    return read;
  }
  Row row;
  for (;;) {
    const Result<bool> found = (*opened)->Next(&row);
    if (!found.ok()) read.error = found.error().ToString();
    if (!found.ok() || !*found) break;
    read.rows.push_back(RowText(row));
  }
  read.rejects = rejects.shown();
  return read;
}

RowFileOptions Tsv() {
  RowFileOptions options;
  options.tsv = true;
  return options;
}

RowFileOptions NoHeader() {
  RowFileOptions options;
  options.has_header = false;
  return options;
}

RowFileOptions Columns(std::string_view columns, bool has_header = true) {
  RowFileOptions options;
  options.columns = ParseColumns(columns).value();
  options.has_header = has_header;
  return options;
}

Spec Fields(std::vector<std::string> names) {
  Spec spec;
  spec.fields.clear();
  for (std::string& name : names) spec.fields.push_back({.name = std::move(name)});
  return spec;
}

// CSV ---------------------------------------------------------------------------------------------

TEST(CsvReader, ReadsRowsByTheNamesOfTheHeader) {
  const Read read = ReadAll(
      "rank,member,score,reached,meta,hidden\n"
      "1,ann,100,2026-11-15T13:00:00Z,{},1\n"
      "2,bob,95.5,1762500000.25,,\n"
      "3,eve,-7,,x,false\n");
  EXPECT_EQ(read.rows,
            (Lines{"2: ann = 100 at 2026-11-15T13:00:00.000000Z meta {} hidden",
                   "3: bob = 95.5 at 2025-11-07T07:20:00.250000Z", "4: eve = -7 meta x"}));
  EXPECT_EQ(read.rejects, Lines{});
  EXPECT_EQ(read.error, "");
}

TEST(CsvReader, SeveralFieldsAndChosenColumns) {
  EXPECT_EQ(ReadAll(
                "uid;p;d\nann;5;1\n",
                [] {
                  RowFileOptions options = Columns("member=uid,points=p,deaths=d");
                  options.delimiter = ';';
                  return options;
                }(),
                Fields({"points", "deaths"}))
                .rows,
            Lines{"2: ann = 5 1"});
}

TEST(CsvReader, WithoutAHeaderTheFirstLineIsARow) {
  EXPECT_EQ(ReadAll("ann,5\nbob,7\n", NoHeader()).rows, (Lines{"1: ann = 5", "2: bob = 7"}));
  EXPECT_EQ(ReadAll("5,x,ann\n", Columns("member=3,score=1", false)).rows, Lines{"1: ann = 5"});
  EXPECT_EQ(ReadAll("", NoHeader()).rows, Lines{});
}

TEST(CsvReader, QuotedFieldsHoldDelimitersQuotesAndLineEnds) {
  const Read read = ReadAll(
      "\"member\",\"score\",\"meta\"\r\n"
      "\"ann, the first\",\"5\",\"say \"\"hi\"\"\"\r\n"
      "\"bob\r\nthe second\",7,\"\"\r\n"
      "\"\",\"9\",\"\"\"\"\r\n"
      "eve,1,a b\r\n");
  EXPECT_EQ(read.rows, (Lines{"2: ann, the first = 5 meta say \"hi\"", "3: bob\r\nthe second = 7",
                              "6: eve = 1 meta a b"}));
  EXPECT_EQ(read.rejects, Lines{"line 5: ERR the member is empty"});
}

TEST(CsvReader, LineEndsAreLfOrCrLfAndTheLastNeedsNone) {
  EXPECT_EQ(ReadAll("member,score\r\nann,5\r\nbob,7").rows, (Lines{"2: ann = 5", "3: bob = 7"}));
  EXPECT_EQ(ReadAll("member,score\nann,\"5\"").rows, Lines{"2: ann = 5"});
  EXPECT_EQ(ReadAll("member,score\r\nann,\"5\"\r\n").rows, Lines{"2: ann = 5"});
  EXPECT_EQ(ReadAll("member,score,meta\r\nann,5,\r\n").rows, Lines{"2: ann = 5"});
  EXPECT_EQ(ReadAll("\n\nmember,score\n\r\nann,5\n\n\n").rows, Lines{"5: ann = 5"})
      << "empty lines are skipped";
}

TEST(CsvReader, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(ReadAll("\xef\xbb\xbfmember,score\nann,5\n").rows, Lines{"2: ann = 5"});
  EXPECT_EQ(ReadAll("\xef\xbb\xbf\"member\",score\nann,5\n").rows, Lines{"2: ann = 5"});
}

TEST(CsvReader, MalformedRowsAreRejectedAndReadingGoesOn) {
  const Read read = ReadAll(
      "member,score\n"
      "a\"b,5\n"
      "\"a\"b,5\n"
      "ann\n"
      "ann,5,6\n"
      "a\rb,5\n" +
      std::string("a\0b,5\n", 6) + std::string("\"a\0b\",5\n", 8) +
      "\"a\" ,5\n"
      "ann,\n"
      "bob,7\n");
  EXPECT_EQ(read.rows, Lines{"11: bob = 7"});
  EXPECT_EQ(read.rejects,
            (Lines{"line 2: ERR a quote stands inside a field without quotes",
                   "line 3: ERR text stands behind a closing quote",
                   "line 4: ERR the row has 1 columns, the header 2",
                   "line 5: ERR the row has 3 columns, the header 2",
                   "line 6: ERR a carriage return stands inside a field without quotes",
                   "line 7: ERR the row has a NUL byte", "line 8: ERR the row has a NUL byte",
                   "line 9: ERR text stands behind a closing quote",
                   "line 10: BADSCORE the score is empty or NULL"}));
  EXPECT_EQ(read.error, "");
}

TEST(CsvReader, AQuoteInsideAFieldDoesNotHideTheRowsBehindIt) {
  const Read read = ReadAll("member,score\nann \"the best,5\nbob,7\nx\"y,\"1\n2\"\neve,9\n");
  EXPECT_EQ(read.rows, (Lines{"3: bob = 7", "6: eve = 9"}));
  EXPECT_EQ(read.rejects,
            (Lines{"line 2: ERR a quote stands inside a field without quotes",
                   "line 4: ERR a quote stands inside a field without quotes (lines 4 to 5)"}));
}

TEST(CsvReader, AQuoteThatIsNotClosedRejectsTheRestOrEndsTheImport) {
  const Read read = ReadAll("member,score\nann,5\n\"bob,7\neve,9\n");
  EXPECT_EQ(read.rows, Lines{"2: ann = 5"});
  EXPECT_EQ(read.rejects, Lines{"line 3: ERR a quote is not closed (lines 3 to 4)"});
  EXPECT_EQ(read.error, "");

  std::string text = "member,score\nann,5\n\"bob,7\n";
  for (std::size_t rows = 0; text.size() < 2 * kMaxRowBytes; ++rows) text += "eve,9\n";
  EXPECT_EQ(ReadAll(text).error, "ERR memory: the quote that is opened on line 3 is not closed");
}

TEST(CsvReader, RowsHaveALimit) {
  const std::string meta = "member,score,x\nann,5,";
  const std::string room(kMaxRowBytes - 6, 'x');
  EXPECT_EQ(ReadAll(meta + room + "\nbob,7,\n").rows, (Lines{"2: ann = 5", "3: bob = 7"}));
  const Read read = ReadAll(meta + room + "x\nbob,7,\n");
  EXPECT_EQ(read.rows, Lines{"3: bob = 7"});
  EXPECT_EQ(read.rejects, Lines{"line 2: LIMIT the row has more than 65536 bytes"});

  const std::string quoted_room(kMaxRowBytes - 8, '\n');
  EXPECT_EQ(ReadAll(meta + "\"" + quoted_room + "\"\nbob,7,\n").rows,
            (Lines{"2: ann = 5", std::to_string(quoted_room.size() + 3) + ": bob = 7"}));
  const Read quoted = ReadAll(meta + "\"" + quoted_room + "\n\"\nbob,7,\n");
  EXPECT_EQ(quoted.rows, Lines{std::to_string(quoted_room.size() + 4) + ": bob = 7"});
  EXPECT_EQ(quoted.rejects, Lines{"line 2: LIMIT the row has more than 65536 bytes (lines 2 to " +
                                  std::to_string(quoted_room.size() + 3) + ")"});
}

TEST(CsvReader, AVeryLongRowIsSkippedToItsEnd) {
  const std::string filler(300 * kMaxRowBytes, 'x');
  const Read read = ReadAll("member,score\nann," + filler + "\nbob,7\n\"" + filler + "\n" + filler +
                            "\"\"\n" + filler + "\",5\neve,9\n");
  EXPECT_EQ(read.rows, (Lines{"3: bob = 7", "7: eve = 9"}));
  EXPECT_EQ(read.rejects,
            (Lines{"line 2: LIMIT the row has more than 65536 bytes",
                   "line 4: LIMIT the row has more than 65536 bytes (lines 4 to 6)"}));
}

TEST(CsvReader, FieldsHaveTheirLimits) {
  const auto row = [](std::size_t member, std::size_t score, std::size_t at, std::size_t meta) {
    return std::string(member, 'm') + "," + std::string(score, '1') + "," +
           (at == 0 ? "" : "1." + std::string(at - 2, '0')) + "," + std::string(meta, 'x') + "\n";
  };
  const Read read =
      ReadAll("member,score,at,meta\n" +
              row(kMaxMemberBytes, kMaxNumberBytes, kMaxTimeBytes, kMaxMetaBytes) +
              row(kMaxMemberBytes + 1, 1, 0, 0) + row(1, kMaxNumberBytes + 1, 0, 0) +
              row(1, 1, kMaxTimeBytes + 1, 0) + row(1, 1, 0, kMaxMetaBytes + 1) + row(1, 1, 0, 0));
  EXPECT_EQ(read.rows.size(), 2U);
  EXPECT_EQ(read.rejects,
            (Lines{"line 3: LIMIT the member has 1025 bytes, more than 1024",
                   "line 4: LIMIT the score has 401 bytes, more than 400",
                   "line 5: BADTIME '1." + std::string(62, '0') + "…' is no time: it is too long",
                   "line 6: LIMIT the meta has 4097 bytes, more than 4096"}));
  const Read wide = ReadAll("member,score" + std::string(kMaxColumns - 2, ',') + "\n");
  EXPECT_EQ(wide.error, "");
  EXPECT_EQ(ReadAll("member,score" + std::string(kMaxColumns - 1, ',') + "\n").error,
            "memory: the header is malformed: the row has too many columns");
}

TEST(CsvReader, ValuesThatAreMalformedAreRejected) {
  const Read read = ReadAll(
      "member,score,at,hidden\n"
      "ann,5,yesterday,\n"
      "bob,7,,maybe\n"
      "eve,abc,,0\n");
  EXPECT_EQ(read.rows, Lines{"4: eve = abc"}) << "the board's spec decides what a number is";
  ASSERT_EQ(read.rejects.size(), 2U);
  EXPECT_TRUE(read.rejects[0].starts_with("line 2: BADTIME 'yesterday'")) << read.rejects[0];
  EXPECT_EQ(read.rejects[1], "line 3: ERR hidden is true or false, got 'maybe'");
}

TEST(CsvReader, BytesThatAreNotUtf8ComeAsBase64) {
  const Read read = ReadAll(
      "member,member_base64,score,meta,meta_base64\n"
      ",/wA=,5,,/w==\n"
      "bob,,7,x,\n"
      ",,9,,\n"
      "x,/w==,1,,\n"
      ",no base64,1,,\n"
      "x,,1,a,/w==\n");
  EXPECT_EQ(read.rows, (Lines{"2: \xff\0 = 5 meta \xff"s, "3: bob = 7 meta x", "4:  = 9"}));
  EXPECT_EQ(read.rejects, (Lines{"line 5: ERR the member stands in two columns",
                                 "line 6: ERR the member is no base64 with padding",
                                 "line 7: ERR the meta stands in two columns"}));
  EXPECT_EQ(ReadAll("member_base64,score\nYW5u,5\n").rows, Lines{"2: ann = 5"});
}

TEST(CsvReader, AHiddenRowWithoutScoresIsAMarkAlone) {
  const Spec two = Fields({"a", "b"});
  const Read read = ReadAll("member,a,b,hidden\nann,,,1\nbob,,,0\neve,1,,1\n", {}, two);
  EXPECT_EQ(read.rows, Lines{"2: ann = hidden"});
  EXPECT_EQ(read.rejects, (Lines{"line 3: BADSCORE the score is empty or NULL",
                                 "line 4: BADSCORE the score is empty or NULL"}));
}

TEST(CsvReader, SerialisedMembersAreUnwrapped) {
  RowFileOptions options;
  options.member = MemberEncoding::kJson;
  const Read read =
      ReadAll("member,score\n\"\"\"ann\"\"\",5\n\"[\"\"java.lang.Long\"\",7]\",7\nbob,9\n" +
                  ("\"\"\"" + std::string(kMaxMemberBytes + 1, 'x')) + "\"\"\",1\n",
              options);
  EXPECT_EQ(read.rows, (Lines{"2: ann = 5", "3: 7 = 7"}));
  ASSERT_EQ(read.rejects.size(), 2U);
  EXPECT_TRUE(read.rejects[0].starts_with("line 4: ERR the member 'bob' is no JSON"));
  EXPECT_EQ(read.rejects[1], "line 5: LIMIT the member has 1025 bytes, more than 1024");
}

TEST(CsvReader, AHeaderThatCannotBeUsedEndsTheImport) {
  EXPECT_EQ(ReadAll("").error, "memory: there is no header");
  EXPECT_EQ(ReadAll("\n\r\n").error, "memory: there is no header");
  EXPECT_EQ(ReadAll("uid,score\n").error,
            "memory: no column has the member: the header has the columns 'uid', 'score'; try "
            "--columns member=uid");
  EXPECT_EQ(ReadAll("mem\"ber,score\n").error,
            "memory: the header is malformed: a quote stands inside a field without quotes");
  EXPECT_EQ(ReadAll("ann\n", NoHeader()).error,
            "ERR memory: the first row has 1 columns, fewer than member and score");
}

TEST(CsvReader, TooManyRejectsEndTheImport) {
  Rejects rejects(1);
  const auto reader = CsvReader::Open(std::make_unique<PieceReader>("member,score\na\nb\nc,5\n"),
                                      Spec(), {}, &rejects)
                          .value();
  Row row;
  const Result<bool> found = reader->Next(&row);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kLimit);
  EXPECT_EQ(rejects.count(), 2U);
}

TEST(CsvReader, RejectsKeepTheBeginningOfTheRow) {
  Rejects rejects;
  const auto reader =
      CsvReader::Open(std::make_unique<PieceReader>("member,score\nann,5\r\n\"b\nc\",7\n"), Spec(),
                      {}, &rejects)
          .value();
  Row row;
  ASSERT_TRUE(reader->Next(&row).value());
  EXPECT_EQ(reader->text(), "ann,5");
  ASSERT_TRUE(reader->Next(&row).value());
  EXPECT_EQ(reader->text(), "\"b\nc\",7");
}

TEST(CsvReader, DelimitersAreOneCharacter) {
  EXPECT_EQ(ParseDelimiter(";").value(), ';');
  EXPECT_EQ(ParseDelimiter("tab").value(), '\t');
  EXPECT_EQ(ParseDelimiter("\\t").value(), '\t');
  for (const std::string text : {"", ",,", "\"", "\n", "\r"}) {
    EXPECT_FALSE(ParseDelimiter(text).ok()) << text;
  }
  EXPECT_FALSE(ParseDelimiter(std::string_view("\0", 1)).ok());
}

// TSV ---------------------------------------------------------------------------------------------

TEST(TsvReader, ReadsTheEscapesOfMysql) {
  const Read read = ReadAll(
      "member\tscore\tat\tmeta\n"
      "a\\tb\\nc\\\\d\\0e\t5\t1762500000\tNULL\n"
      "\"bob\"\t7\tNULL\tx,y\n",
      Tsv());
  EXPECT_EQ(read.rows, (Lines{"2: a\tb\nc\\d\0e = 5 at 2025-11-07T07:20:00.000000Z"s,
                              "3: \"bob\" = 7 meta x,y"}));
  EXPECT_EQ(read.rejects, Lines{});
}

TEST(TsvReader, ReadsTheEscapesOfCopy) {
  RowFileOptions options = Tsv();
  options.has_header = false;
  const Read read = ReadAll(
      "a\\b\\f\\n\\r\\t\\v\\\\z\t5\t\\N\t\\N\n"
      "ab\t7\t2026-11-15 13:00:00+08\tm\n"
      "\\.\n",
      options);
  EXPECT_EQ(read.rows,
            (Lines{"1: a\b\f\n\r\t\v\\z = 5", "2: ab = 7 at 2026-11-15T05:00:00.000000Z meta m"}));
  EXPECT_EQ(read.rejects, Lines{});
}

TEST(TsvReader, MalformedRowsAreRejected) {
  const Read read = ReadAll(
      "member\tscore\n"
      "NULL\t5\n"
      "\\N\t5\n"
      "ann\tNULL\n"
      "a\\qb\t5\n"
      "ann\\\t5\n"
      "a\\x41\t5\n"
      "a\\101\t5\n"
      "ann\t5\t6\n" +
          std::string("a\0b\t5\n", 6) + "bob\t7\n",
      Tsv());
  EXPECT_EQ(read.rows, Lines{"11: bob = 7"});
  EXPECT_EQ(read.rejects, (Lines{"line 2: ERR the member is NULL", "line 3: ERR the member is NULL",
                                 "line 4: BADSCORE the score is empty or NULL",
                                 "line 5: ERR a backslash begins no escape of mysql or COPY",
                                 "line 6: ERR a backslash begins no escape of mysql or COPY",
                                 "line 7: ERR a backslash begins no escape of mysql or COPY",
                                 "line 8: ERR a backslash begins no escape of mysql or COPY",
                                 "line 9: ERR the row has 3 columns, the header 2",
                                 "line 10: ERR the row has a NUL byte"}));
}

TEST(TsvReader, LinesEndAsTheFirstOneDoes) {
  EXPECT_EQ(ReadAll("member\tscore\r\nann\t5\r\n", Tsv()).rows, Lines{"2: ann = 5"});
  EXPECT_EQ(ReadAll("score\tmember\n5\tann\r\n", Tsv()).rows, Lines{"2: ann\r = 5"})
      << "mysql does not escape a carriage return";
}

TEST(TsvReader, ARowThatIsTooLongIsSkipped) {
  const Read read =
      ReadAll("member\tscore\nann\t" + std::string(5 * kMaxRowBytes, '1') + "\nbob\t7\n", Tsv());
  EXPECT_EQ(read.rows, Lines{"3: bob = 7"});
  EXPECT_EQ(read.rejects, Lines{"line 2: LIMIT the row has more than 65536 bytes"});
}

// Pieces ------------------------------------------------------------------------------------------

TEST(CsvReader, HoweverTheBytesAreCutTheRowsAreTheSame) {
  std::string text = "member,score,meta\r\n";
  base::Random random(3);
  constexpr std::string_view kAlphabet = "abcdefgh,,,111\n\n\r\"";
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t size = i % 100 == 7 ? random.Below(200'000) : random.Below(12);
    for (std::uint64_t c = 0; c < size; ++c) text += kAlphabet[random.Below(kAlphabet.size())];
    text += "\nann,\"5\",\"x\"\"y\n\"\r\n";
  }
  const Read whole = ReadAll(text);
  EXPECT_GT(whole.rows.size(), 20U);
  EXPECT_EQ(whole.rejects.size(), kMaxRejectsShown);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto sizes = std::make_shared<base::Random>(seed);
    const std::size_t most = seed == 1 ? 2 : seed * 700;
    const Read cut = ReadAll(text, {}, {}, [sizes, most] { return sizes->Below(most); });
    EXPECT_EQ(cut.rows, whole.rows) << "seed " << seed;
    EXPECT_EQ(cut.rejects, whole.rejects) << "seed " << seed;
    EXPECT_EQ(cut.error, whole.error) << "seed " << seed;
  }
}

}  // namespace
}  // namespace laurel::transfer
