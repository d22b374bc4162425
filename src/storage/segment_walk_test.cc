#include "storage/segment_walk.h"

#include <string>

#include <gtest/gtest.h>

namespace laurel::storage {
namespace {

TEST(SegmentWalk, EvaluatesSyncMarksAndContinuesAfterDamage) {
  FileHeader header;
  header.history = 5;
  header.first = 7;
  header.filled = 100;
  const FrameFormat format(FileKind::kLog, 5);
  std::string bytes = EncodeFileHeader(header);
  format.Append({7, 6, 0, "seven"}, &bytes);
  const std::size_t sync_mark = bytes.size();
  bytes += EncodeSyncMark(format, {7, 7, 4096, kSyncMark});
  format.Append({8, 7, 0, "eight"}, &bytes);
  const std::size_t ninth = bytes.size();
  format.Append({9, 7, 0, "nine"}, &bytes);
  format.Append({10, 9, 0, "ten"}, &bytes);
  bytes += EncodeSyncMark(format, {10, 10, 0, kSyncMark | kEnds | kFollowed});

  SegmentWalk whole(header, bytes);
  for (const std::uint64_t number : {7, 8, 9, 10}) EXPECT_EQ(whole.Next()->number, number);
  EXPECT_FALSE(whole.Next());
  EXPECT_EQ(whole.offset(), bytes.size());
  EXPECT_EQ(whole.synced(), 10U);
  EXPECT_EQ(whole.extent(), 4096U);
  EXPECT_TRUE(whole.ended() && whole.followed());
  EXPECT_FALSE(whole.IsCutShort());

  const std::string cut = bytes.substr(0, bytes.size() - 8);
  SegmentWalk shorter(header, cut);
  while (shorter.Next()) continue;
  EXPECT_EQ(shorter.next(), 11U);
  EXPECT_TRUE(shorter.IsCutShort());

  bytes[sync_mark] ^= 1;
  bytes[ninth + 8] ^= 1;  // the length
  SegmentWalk damaged(header, bytes);
  EXPECT_EQ(damaged.Next()->number, 7U);
  EXPECT_EQ(damaged.Next()->number, 8U) << "a mark alone was damaged";
  EXPECT_FALSE(damaged.Next());
  EXPECT_EQ(damaged.offset(), ninth);
  EXPECT_EQ(damaged.HighestSyncedAfter(), 10U);
  ASSERT_TRUE(damaged.FindRecordAfter());
  EXPECT_EQ(damaged.FindRecordAfter()->number, 10U);
  damaged.ContinueAt(*damaged.FindRecordAfter());
  EXPECT_EQ(damaged.Next()->number, 10U);
}

}  // namespace
}  // namespace laurel::storage
