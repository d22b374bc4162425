#include "transfer/text/byte_writer.h"

#include <filesystem>
#include <memory>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/files.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

TEST(ByteWriter, AFileHasItsNameWhenItIsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.csv";
  WriteFile(path, "of yesterday");
  std::string expected;
  {
    const auto writer = ByteWriter::Open(path).value();
    for (int i = 0; i < 100'000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      expected += line;
      *writer->buffer() += line;
      ASSERT_TRUE(writer->Drain().ok());
      ASSERT_LE(writer->buffer()->size(), kWriteBytes);
    }
    EXPECT_EQ(ReadFile(path), "of yesterday");
    EXPECT_TRUE(std::filesystem::exists(path + ".part"));
    EXPECT_TRUE(writer->Finish().ok());
  }
  EXPECT_EQ(ReadFile(path), expected);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(ByteWriter, AnExportThatIsGivenUpLeavesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.csv";
  { *ByteWriter::Open(path).value()->buffer() += "half"; }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ByteWriter, APipeIsWrittenToDirectly) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const auto writer = ByteWriter::Open(path).value();
  *writer->buffer() += "ann,5\n";
  EXPECT_TRUE(writer->Finish().ok());
  std::string text(100, '\0');
  const ssize_t count = read(reader, text.data(), text.size());
  ASSERT_GT(count, 0);
  EXPECT_EQ(text.substr(0, static_cast<std::size_t>(count)), "ann,5\n");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  close(reader);
}

TEST(ByteWriter, AFullDiskIsAnError) {
  const auto writer = ByteWriter::Open("/dev/full").value();
  *writer->buffer() += std::string(kWriteBytes, 'x');
  const Status drained = writer->Drain();
  ASSERT_FALSE(drained.ok());
  EXPECT_EQ(drained.error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(drained.error().message, "cannot write /dev/full: No space left on device");
  EXPECT_FALSE(writer->Finish().ok());
}

TEST(ByteWriter, AFolderThatIsMissingIsAnError) {
  EXPECT_EQ(ByteWriter::Open("/nowhere/out.csv").error().message,
            "cannot open /nowhere/out.csv.part: No such file or directory");
}

}  // namespace
}  // namespace laurel::transfer
