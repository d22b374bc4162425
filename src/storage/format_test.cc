#include "storage/format.h"

#include <string>

#include <gtest/gtest.h>

namespace laurel::storage {
namespace {

FileHeader SomeHeader() {
  FileHeader header;
  header.history = 0x1122334455667788;
  header.epoch = 3;
  header.first = 17;
  header.created_us = 1'700'000'000'000'000;
  return header;
}

TEST(Format, AFileHeaderIsReadAsItWasWritten) {
  const std::string bytes = EncodeFileHeader(SomeHeader());
  EXPECT_EQ(bytes.size(), kFileHeaderBytes);
  const Result<FileHeader> read = ParseFileHeader(bytes, FileKind::kLog);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->history, SomeHeader().history);
  EXPECT_EQ(read->epoch, 3U);
  EXPECT_EQ(read->first, 17U);
  EXPECT_EQ(read->created_us, SomeHeader().created_us);
  EXPECT_FALSE(ParseFileHeader(bytes, FileKind::kSnapshot).ok());
  EXPECT_FALSE(ParseFileHeader(std::string_view(bytes).substr(1), FileKind::kLog).ok());
}

TEST(Format, EveryFlippedBitOfAFileHeaderIsDetected) {
  const std::string bytes = EncodeFileHeader(SomeHeader());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(ParseFileHeader(flipped, FileKind::kLog).ok()) << bit;
  }
}

TEST(Format, TheErrorForAnotherFormatVersionNamesIt) {
  std::string bytes = EncodeFileHeader(SomeHeader());
  bytes[8] = 9;
  const Result<FileHeader> read = ParseFileHeader(bytes, FileKind::kLog);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("version 9"), std::string::npos) << read.error().message;
}

TEST(Format, AFrameIsReadAsItWasWrittenAtEveryLength) {
  const FrameFormat format(FileKind::kLog, 5);
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string payload(size, 'p');
    std::string bytes;
    format.Append({7, 4, kContinues, payload}, &bytes);
    EXPECT_EQ(bytes.size(), FrameBytes(size));
    EXPECT_EQ(bytes.size() % kFrameAlignment, 0U);
    EXPECT_EQ(format.ClaimedBytes(bytes), bytes.size());
    const std::optional<Frame> frame = format.Parse(bytes);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->number, 7U);
    EXPECT_EQ(frame->synced, 4U);
    EXPECT_EQ(frame->flags, kContinues);
    EXPECT_EQ(frame->payload, payload);
    EXPECT_FALSE(format.Parse(std::string_view(bytes).substr(0, bytes.size() - 1)));
  }
}

TEST(Format, EveryFlippedBitOfAFrameBeforeThePaddingIsDetected) {
  const FrameFormat format(FileKind::kLog, 5);
  const std::string payload = "payload";
  std::string bytes;
  format.Append({7, 4, 0, payload}, &bytes);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
    EXPECT_EQ(format.Parse(flipped).has_value(), bit / 8 >= kFrameHeaderBytes + payload.size())
        << bit;
  }
}

TEST(Format, FramesOfAnotherKindOrFolderAreRejected) {
  std::string bytes;
  FrameFormat(FileKind::kLog, 5).Append({1, 0, 0, "x"}, &bytes);
  EXPECT_TRUE(FrameFormat(FileKind::kLog, 5).Parse(bytes));
  EXPECT_FALSE(FrameFormat(FileKind::kLog, 6).Parse(bytes));
  EXPECT_FALSE(FrameFormat(FileKind::kSnapshot, 5).Parse(bytes));
}

TEST(Format, AFooterThatEndsBeforeItBeganIsRejected) {
  Footer footer;
  footer.started_at = 5;
  footer.ended_at = 9;
  footer.last_stamp = -1;
  const std::optional<Footer> read = ParseFooter(EncodeFooter(footer));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ended_at, 9U);
  EXPECT_EQ(read->last_stamp, -1);
  footer.ended_at = 4;
  EXPECT_FALSE(ParseFooter(EncodeFooter(footer)));
  EXPECT_FALSE(ParseFooter(EncodeFooter(footer) + "x"));
}

TEST(Format, FileNamesContainTheirNumber) {
  EXPECT_EQ(SegmentName(12), "log-00000000000000000012");
  EXPECT_EQ(NumberOfName(FileKind::kLog, SegmentName(UINT64_MAX)), UINT64_MAX);
  EXPECT_EQ(NumberOfName(FileKind::kSnapshot, SnapshotName(0)), 0U);
  for (const char* name : {"log-12", "log-0000000000000000001x", "snapshot-00000000000000000012",
                           "log-99999999999999999999", "log-+0000000000000000012", "lock", ""}) {
    EXPECT_EQ(NumberOfName(FileKind::kLog, name), std::nullopt) << name;
  }
}

TEST(Format, TheNameOfAnIndexIsNotTheNameOfASegment) {
  EXPECT_EQ(IndexName(17), SegmentName(17) + ".idx");
  EXPECT_EQ(NumberOfIndexName(IndexName(17)), 17U);
  EXPECT_FALSE(NumberOfIndexName(SegmentName(17)));
  EXPECT_FALSE(NumberOfName(FileKind::kLog, IndexName(17)));
  EXPECT_FALSE(NumberOfIndexName(SnapshotName(17) + ".idx"));
}

TEST(Format, EpochsRiseAndDifferWhereTheRandomBitsDo) {
  EXPECT_EQ(NextEpoch(0, 5), (1U << 20) + 5);
  EXPECT_EQ(NextEpoch(7, 0), 1U << 20);  // an old folder with epochs 1, 2, 3 …
  std::uint64_t epoch = 0;
  for (std::uint64_t random : {UINT64_MAX, std::uint64_t{0}, std::uint64_t{1} << 20, UINT64_MAX}) {
    const std::uint64_t next = NextEpoch(epoch, random);
    EXPECT_GT(next, epoch);
    EXPECT_NE(NextEpoch(epoch, random ^ 1), next);
    epoch = next;
  }
}

}  // namespace
}  // namespace laurel::storage
