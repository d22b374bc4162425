#include "transfer/text/rejects.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace laurel::transfer {
namespace {

TEST(Rejects, EachRejectIsOneJsonObjectOnALine) {
  const TemporaryFolder folder;
  const std::string path = folder / "rejects.jsonl";
  Rejects rejects = Rejects::Open(path, 10).value();
  EXPECT_TRUE(rejects.Add({17, "BADSCORE 'abc' is not a number", "ann,abc"}).ok());
  EXPECT_TRUE(rejects.Add({18, "a \"quote\"", "a\tb\"c\n"}).ok());
  EXPECT_TRUE(rejects.Add({0, "no lines", "\xff\xfe"}).ok());
  EXPECT_TRUE(rejects.Flush().ok());
  EXPECT_EQ(rejects.count(), 3U);
  EXPECT_EQ(ReadFile(path),
            R"({"line":17,"reason":"BADSCORE 'abc' is not a number","row":"ann,abc"})"
            "\n"
            R"({"line":18,"reason":"a \"quote\"","row":"a\tb\"c\n"})"
            "\n"
            R"({"reason":"no lines","row_base64":"//4="})"
            "\n");
}

TEST(Rejects, TheFileExistsWithoutRejectsAndReplacesThatOfAnEarlierImport) {
  const TemporaryFolder folder;
  const std::string path = folder / "rejects.jsonl";
  WriteFile(path, "of yesterday\n");
  { Rejects rejects = Rejects::Open(path, 10).value(); }
  EXPECT_EQ(ReadFile(path), "");
}

TEST(Rejects, OneMoreThanTheAcceptedNumberEndsTheImport) {
  Rejects rejects(2);
  EXPECT_TRUE(rejects.Add({1, "first", ""}).ok());
  EXPECT_TRUE(rejects.Add({2, "second", ""}).ok());
  const Status third = rejects.Add({3, "third", ""});
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(
      third.error().ToString(),
      "LIMIT 3 rows were rejected, the last one at line 3: third; --max-rejects accepts more");
  EXPECT_EQ(rejects.count(), 3U);
}

TEST(Rejects, ALimitOfZeroAcceptsNone) {
  Rejects rejects(0);
  EXPECT_FALSE(rejects.Add({1, "bad", ""}).ok());
}

TEST(Rejects, TheFirstOnesAreKeptForTheReport) {
  Rejects rejects(1000);
  for (std::uint64_t line = 1; line <= 2 * kMaxRejectsShown; ++line) {
    EXPECT_TRUE(rejects.Add({line, "bad", "row"}).ok());
  }
  ASSERT_EQ(rejects.shown().size(), kMaxRejectsShown);
  EXPECT_EQ(rejects.shown().front(), "line 1: bad");
}

TEST(Rejects, LongRowsAreCutBetweenCharacters) {
  const TemporaryFolder folder;
  const std::string path = folder / "rejects.jsonl";
  const std::string before(kMaxRejectRowBytes - 2, 'x');
  {
    Rejects rejects = Rejects::Open(path, 10).value();
    EXPECT_TRUE(rejects.Add({1, "long", before + "\U0001F3C6" + before}).ok());
    EXPECT_TRUE(rejects.Add({2, "exact", before + "é"}).ok());
    EXPECT_TRUE(rejects.Add({3, "bytes", std::string(1000, '\x80')}).ok());
  }
  const std::string text = ReadFile(path);
  EXPECT_NE(text.find(before + "\"}"), std::string::npos);
  EXPECT_NE(text.find(before + "é\"}"), std::string::npos);
  EXPECT_NE(text.find("row_base64"), std::string::npos);
  EXPECT_LT(text.size(), 1500U);
}

TEST(Rejects, AFileThatCannotBeWrittenIsAnError) {
  const auto opened = Rejects::Open("/nowhere/rejects.jsonl", 10);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message,
            "cannot open /nowhere/rejects.jsonl: No such file or directory");
  Rejects full = Rejects::Open("/dev/full", 10).value();
  EXPECT_TRUE(full.Add({1, "bad", "row"}).ok());
  const Status flushed = full.Flush();
  ASSERT_FALSE(flushed.ok());
  EXPECT_EQ(flushed.error().message, "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace laurel::transfer
