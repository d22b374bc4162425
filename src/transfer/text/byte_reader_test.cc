#include "transfer/text/byte_reader.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include "base/random.h"
#include "tests/support/files.h"
#include "tests/support/piece_reader.h"

namespace laurel::transfer {
namespace {

std::string Compressed(std::string_view text, int level = 3) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), level));
  return bytes;
}

std::string SkippableFrame(std::string_view contents) {
  std::string frame = "\x5a\x2a\x4d\x18";
  const auto size = static_cast<std::uint32_t>(contents.size());
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>(size >> shift);
  return frame + std::string(contents);
}

// Everything that is left, read in steps of `step` bytes; "error: …" behind it if reading fails.
std::string ReadAll(ByteReader* reader, std::size_t step = 1000) {
  std::string all;
  std::vector<char> buffer(step);
  for (;;) {
    const Result<std::size_t> count = reader->Read(buffer);
    if (!count.ok()) return all + "error: " + count.error().message;
    if (*count == 0) return all;
    all.append(buffer.data(), *count);
  }
}

std::unique_ptr<ByteReader> FromMemory(
    std::string bytes, std::function<std::size_t()> sizes = [] { return SIZE_MAX; }) {
  return Decompressed(std::make_unique<PieceReader>(std::move(bytes), std::move(sizes))).value();
}

// Lines that compress, but not to nothing.
std::string Lines(std::size_t count) {
  base::Random random(7);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += "member" + std::to_string(i) + "," + std::to_string(random.Below(1'000'000)) + "\n";
  }
  return text;
}

TEST(ByteReader, ReadsAFileAndKnowsHowFarItIs) {
  const TemporaryFolder folder;
  const std::string path = folder / "rows.csv";
  WriteFile(path, "ann,5\nbob,7\n");
  const auto reader = OpenByteReader(path).value();
  EXPECT_EQ(reader->name(), path);
  EXPECT_EQ(reader->progress().total_bytes, 12U);
  EXPECT_EQ(ReadAll(reader.get(), 5), "ann,5\nbob,7\n");
  EXPECT_EQ(reader->progress().done_bytes, 12U);
}

TEST(ByteReader, AFileShorterThanAMagicNumberIsReadWhole) {
  const TemporaryFolder folder;
  for (const std::string text : {"", "a", "ab", "abc", "\x28\xb5\x2f"}) {
    WriteFile(folder / "short", text);
    const auto reader = OpenByteReader(folder / "short").value();
    EXPECT_EQ(ReadAll(reader.get()), text);
    EXPECT_EQ(ReadAll(reader.get()), "") << "after the end";
  }
}

TEST(ByteReader, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing.csv";
  const auto opened = OpenByteReader(missing);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message, "cannot open " + missing + ": No such file or directory");
  const auto directory = OpenByteReader(folder.path());
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().message,
            "cannot read " + folder.path().string() + " at byte 0: Is a directory");
}

TEST(ByteReader, StandardInputIsReadToItsEnd) {
  const int saved = dup(STDIN_FILENO);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string compressed = Compressed("ann,5\n");
  ASSERT_EQ(write(ends[1], compressed.data(), compressed.size()),
            static_cast<ssize_t>(compressed.size()));
  close(ends[1]);
  ASSERT_EQ(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  {
    const auto reader = OpenByteReader("-").value();
    EXPECT_EQ(reader->name(), "standard input");
    EXPECT_EQ(reader->progress().total_bytes, 0U);
    EXPECT_EQ(ReadAll(reader.get()), "ann,5\n");
    EXPECT_EQ(reader->progress().done_bytes, compressed.size());
  }
  ASSERT_EQ(dup2(saved, STDIN_FILENO), STDIN_FILENO);
  close(saved);
  close(ends[0]);
}

TEST(ByteReader, ZstdIsKnownByItsContentsAndProgressCountsCompressedBytes) {
  const TemporaryFolder folder;
  const std::string text = Lines(20'000);
  const std::string compressed = Compressed(text);
  WriteFile(folder / "rows.csv", compressed);
  const auto reader = OpenByteReader(folder / "rows.csv").value();
  EXPECT_EQ(reader->progress().total_bytes, compressed.size());
  EXPECT_EQ(ReadAll(reader.get(), 4096), text);
  EXPECT_EQ(reader->progress().done_bytes, compressed.size());

  WriteFile(folder / "plain.zst", "ann,5\n");
  EXPECT_EQ(ReadAll(OpenByteReader(folder / "plain.zst").value().get()), "ann,5\n");
}

TEST(ByteReader, ZstdFramesAfterOneAnotherAreOneFile) {
  const std::string frames =
      SkippableFrame("index") + Compressed("ann,5\n") + Compressed("") + Compressed("bob,7\n");
  EXPECT_EQ(ReadAll(FromMemory(frames).get()), "ann,5\nbob,7\n");
  EXPECT_EQ(ReadAll(FromMemory(SkippableFrame("only")).get()), "");
}

TEST(ByteReader, HoweverZstdIsCutTheContentsAreTheSame) {
  const std::string text = Lines(3000);
  const std::string compressed = Compressed(text) + Compressed(text, 19);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto random = std::make_shared<base::Random>(seed);
    const auto reader = FromMemory(compressed, [random] { return random->Below(700); });
    EXPECT_EQ(ReadAll(reader.get(), 1 + random->Below(5000)), text + text) << "seed " << seed;
  }
  EXPECT_EQ(ReadAll(FromMemory(compressed, [] { return 1; }).get(), 1), text + text);
}

TEST(ByteReader, ZstdThatIsCutOffIsAnErrorAtEveryByte) {
  const std::string compressed = Compressed("ann,5\nbob,7\n");
  for (std::size_t size = 4; size < compressed.size(); ++size) {
    const std::string all = ReadAll(FromMemory(compressed.substr(0, size)).get());
    EXPECT_NE(all.find("error: memory is cut off: its zstd data ends at byte " +
                       std::to_string(size) + ", inside a frame"),
              std::string::npos)
        << all;
  }
}

TEST(ByteReader, DamagedZstdIsAnErrorWithItsPlace) {
  std::string compressed = Compressed(Lines(20'000));
  compressed[compressed.size() / 2] ^= 0x55;
  const std::string all = ReadAll(FromMemory(compressed).get());
  EXPECT_NE(all.find("error: memory has damaged zstd data at byte "), std::string::npos)
      << all.substr(all.size() - 200);

  const std::string garbage = ReadAll(FromMemory(Compressed("ann,5\n") + "garbage!").get());
  EXPECT_TRUE(garbage.starts_with("ann,5\nerror: memory has damaged zstd data at byte "))
      << garbage;
}

TEST(ByteReader, AZstdFrameThatNeedsTooMuchMemoryIsRefused) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                        ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, 28);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  std::string bytes(1000, '\0');
  ZSTD_inBuffer in{"ann,5\n", 6, 0};
  ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
  // Two calls: with one, zstd knows that the contents are small.
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_flush);
  ASSERT_EQ(ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end), 0U);
  bytes.resize(out.pos);
  EXPECT_NE(ReadAll(FromMemory(bytes).get()).find("requires too much memory"), std::string::npos);
}

TEST(ByteReader, AnErrorOfTheSourceIsPassedOn) {
  for (const bool packed : {false, true}) {
    const std::string text = Lines(100);
    auto source = std::make_unique<PieceReader>(packed ? Compressed(text) : text);
    source->FailAt(200);
    const auto reader = Decompressed(std::move(source)).value();
    EXPECT_TRUE(ReadAll(reader.get()).ends_with("error: the disk is on fire"));
  }
}

}  // namespace
}  // namespace laurel::transfer
