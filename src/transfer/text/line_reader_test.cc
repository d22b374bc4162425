#include "transfer/text/line_reader.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/piece_reader.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

struct Line {
  std::string text;
  bool ends = true;
  std::uint64_t line = 0;
  std::uint64_t next_offset = 0;

  bool operator==(const Line&) const = default;
};

std::vector<Line> AllLines(
    std::string text, std::function<std::size_t()> sizes = [] { return SIZE_MAX; }) {
  LineReader reader(std::make_unique<PieceReader>(std::move(text), std::move(sizes)));
  std::vector<Line> lines;
  LinePiece piece;
  while (reader.Next(&piece).value()) {
    lines.push_back({std::string(piece.text), piece.ends_line, reader.line(), reader.offset()});
  }
  return lines;
}

TEST(LineReader, ReturnsLinesWithTheirNumbersAndOffsets) {
  EXPECT_EQ(
      AllLines("ann\n\nbob\r\nx"),
      (std::vector<Line>{
          {"ann", true, 1, 4}, {"", true, 2, 5}, {"bob\r", true, 3, 10}, {"x", true, 4, 11}}));
  EXPECT_EQ(AllLines("a\n"), (std::vector<Line>{{"a", true, 1, 2}}));
  EXPECT_EQ(AllLines("\n"), (std::vector<Line>{{"", true, 1, 1}}));
  EXPECT_EQ(AllLines(""), std::vector<Line>{});
}

TEST(LineReader, ALineOfTheGreatestLengthIsWholeAndALongerOneComesInPieces) {
  const std::string exact(kMaxRowBytes, 'x');
  EXPECT_EQ(AllLines(exact + "\n" + exact),
            (std::vector<Line>{{exact, true, 1, kMaxRowBytes + 1},
                               {exact, true, 2, 2 * kMaxRowBytes + 1}}));
  EXPECT_EQ(AllLines(exact + "y\nz"), (std::vector<Line>{{exact, false, 1, kMaxRowBytes},
                                                         {"y", true, 1, kMaxRowBytes + 2},
                                                         {"z", true, 2, kMaxRowBytes + 3}}));
  EXPECT_EQ(
      AllLines(exact + exact + "\n"),
      (std::vector<Line>{{exact, false, 1, kMaxRowBytes}, {exact, true, 1, 2 * kMaxRowBytes + 1}}));
}

TEST(LineReader, HoweverTheBytesAreCutTheLinesAreTheSame) {
  base::Random random(11);
  std::string text;
  for (int line = 0; line < 40; ++line) {
    const std::size_t size = line % 10 == 0 ? random.Below(200'000) : random.Below(60);
    text += std::string(size, static_cast<char>('a' + line % 26)) + "\n";
  }
  const std::vector<Line> whole = AllLines(text);
  EXPECT_GT(whole.size(), 40U) << "some lines are longer than a piece";
  EXPECT_EQ(AllLines(text, [] { return 1; }), whole);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    auto sizes = std::make_shared<base::Random>(seed);
    EXPECT_EQ(AllLines(text, [sizes] { return sizes->Below(5000); }), whole) << "seed " << seed;
  }
}

TEST(LineReader, AnErrorOfTheSourceIsPassedOn) {
  auto source = std::make_unique<PieceReader>("ann\nbob\n");
  source->FailAt(5);
  LineReader reader(std::move(source));
  LinePiece piece;
  EXPECT_TRUE(reader.Next(&piece).value());
  const Result<bool> next = reader.Next(&piece);
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().message, "the disk is on fire");
}

}  // namespace
}  // namespace laurel::transfer
