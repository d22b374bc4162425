#include "transfer/text/byte_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/assert.h"

namespace laurel::transfer {
namespace {

constexpr int kStopCheckMs = 50;  // upper bound of the delay of a stop

// A file descriptor of the operating system.
class FileReader final : public ByteReader {
 public:
  FileReader(std::string name, int file, const std::atomic<bool>* stop)
      : name_(std::move(name)), file_(file), stop_(stop) {
    struct stat facts {};
    is_regular_ = fstat(file_, &facts) == 0 && S_ISREG(facts.st_mode);
    // The shell may already have read from the file at standard input.
    const off_t begin = is_regular_ ? lseek(file_, 0, SEEK_CUR) : 0;
    if (is_regular_ && begin >= 0 && facts.st_size > begin) {
      progress_.total_bytes = static_cast<std::uint64_t>(facts.st_size - begin);
    }
  }
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  ~FileReader() override {
    if (file_ != STDIN_FILENO) close(file_);
  }

  Result<std::size_t> Read(std::span<char> to) override {
    LAUREL_ASSERT(!to.empty());
    for (;;) {
      // A signal restarts read(), so the wait for a pipe polls in steps.
      if (!is_regular_ && stop_ != nullptr) {
        if (stop_->load()) return Err("stopped by a signal");
        pollfd waiting{file_, POLLIN, 0};
        if (poll(&waiting, 1, kStopCheckMs) <= 0) continue;
      }
      const ssize_t count = read(file_, to.data(), to.size());
      if (count >= 0) {
        progress_.done_bytes += static_cast<std::uint64_t>(count);
        return static_cast<std::size_t>(count);
      }
      if (errno != EINTR) return Failed(errno);
    }
  }

  [[nodiscard]] storage::Progress progress() const override { return progress_; }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  [[nodiscard]] Error Failed(int cause) const {
    return Err("cannot read " + name_ + " at byte " + std::to_string(progress_.done_bytes) + ": " +
               std::strerror(cause));
  }

  std::string name_;
  int file_;
  const std::atomic<bool>* stop_;
  bool is_regular_ = false;
  storage::Progress progress_;
};

// A reader whose first bytes were already read to detect their format.
class PeekedReader final : public ByteReader {
 public:
  PeekedReader(std::unique_ptr<ByteReader> source, std::string_view peeked)
      : source_(std::move(source)), peeked_(peeked) {}

  Result<std::size_t> Read(std::span<char> to) override {
    if (peeked_.empty()) return source_->Read(to);
    const std::size_t count = std::min(to.size(), peeked_.size());
    std::memcpy(to.data(), peeked_.data(), count);
    peeked_.erase(0, count);
    return count;
  }

  [[nodiscard]] storage::Progress progress() const override { return source_->progress(); }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }

 private:
  std::unique_ptr<ByteReader> source_;
  std::string peeked_;
};

class ZstdReader final : public ByteReader {
 public:
  explicit ZstdReader(std::unique_ptr<ByteReader> source)
      : source_(std::move(source)), input_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {
    LAUREL_ASSERT(stream_ != nullptr);
  }

  Result<std::size_t> Read(std::span<char> to) override {
    LAUREL_ASSERT(!to.empty());
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !flushing_) {
        consumed_ += in_.size;
        const Result<std::size_t> count = source_->Read(input_);
        if (!count.ok()) return count;
        in_ = {input_.data(), *count, 0};
        if (*count == 0) return AtEnd();
      }
      const std::size_t wanted = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(wanted) != 0) return Damaged(ZSTD_getErrorName(wanted));
      in_frame_ = wanted != 0;
      // If the output buffer is full, the decoder may hold more contents.
      flushing_ = in_frame_ && out.pos == out.size;
    }
    contents_ += out.pos;
    return out.pos;
  }

  [[nodiscard]] storage::Progress progress() const override { return source_->progress(); }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }

 private:
  struct FreeStream {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  [[nodiscard]] Result<std::size_t> AtEnd() const {
    if (!in_frame_) return 0;
    return Err(name() + " is cut off: its zstd data ends at byte " + std::to_string(consumed_) +
               ", inside a frame (byte " + std::to_string(contents_) + " of the contents)");
  }
  [[nodiscard]] Error Damaged(const char* cause) const {
    return Err(name() + " has damaged zstd data at byte " + std::to_string(consumed_ + in_.pos) +
               " (byte " + std::to_string(contents_) + " of the contents): " + cause);
  }

  std::unique_ptr<ByteReader> source_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::uint64_t consumed_ = 0;  // compressed bytes before in_
  std::uint64_t contents_ = 0;  // bytes that were returned
  bool in_frame_ = true;        // an empty source is not valid zstd
  bool flushing_ = false;
};

constexpr std::size_t kMagicBytes = 4;

// Whether the bytes begin a frame or a skippable frame: 0xFD2FB528 or 0x184D2A5?, little-endian.
bool IsZstd(std::string_view begin) {
  if (begin.starts_with("\x28\xb5\x2f\xfd")) return true;
  return begin.size() == kMagicBytes && (static_cast<unsigned char>(begin[0]) & 0xf0) == 0x50 &&
         begin.ends_with("\x2a\x4d\x18");
}

}  // namespace

Result<std::unique_ptr<ByteReader>> OpenByteReader(const std::string& path,
                                                   const std::atomic<bool>* stop) {
  if (path == "-") return Decompressed(std::make_unique<FileReader>("standard input", 0, stop));
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Err("cannot open " + path + ": " + std::strerror(errno));
  return Decompressed(std::make_unique<FileReader>(path, file, stop));
}

Result<std::unique_ptr<ByteReader>> Decompressed(std::unique_ptr<ByteReader> source) {
  std::array<char, kMagicBytes> begin{};
  std::size_t bytes = 0;
  while (bytes < begin.size()) {
    const Result<std::size_t> count = source->Read(std::span(begin).subspan(bytes));
    if (!count.ok()) return count.error();
    if (*count == 0) break;
    bytes += *count;
  }
  const std::string_view peeked(begin.data(), bytes);
  auto whole = std::make_unique<PeekedReader>(std::move(source), peeked);
  if (!IsZstd(peeked)) return std::unique_ptr<ByteReader>(std::move(whole));
  return std::unique_ptr<ByteReader>(std::make_unique<ZstdReader>(std::move(whole)));
}

}  // namespace laurel::transfer
