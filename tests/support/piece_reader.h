// PieceReader: bytes in memory as the source of an import, delivered in pieces of any size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "transfer/text/byte_reader.h"

namespace laurel {

class PieceReader final : public transfer::ByteReader {
 public:
  // `next_size` chooses the size of each piece; 0 and sizes above what is wanted are adapted.
  explicit PieceReader(
      std::string bytes, std::function<std::size_t()> next_size = [] { return SIZE_MAX; })
      : bytes_(std::move(bytes)), next_size_(std::move(next_size)) {}

  // From this byte on, reading fails.
  void FailAt(std::size_t offset) { fails_at_ = offset; }

  Result<std::size_t> Read(std::span<char> to) override {
    if (fails_at_ && done_ >= *fails_at_) return Error{ErrorCode::kErr, "the disk is on fire"};
    const std::size_t end = std::min(bytes_.size(), fails_at_.value_or(SIZE_MAX));
    const std::size_t size =
        std::min({std::max<std::size_t>(next_size_(), 1), to.size(), end - done_});
    std::memcpy(to.data(), bytes_.data() + done_, size);
    done_ += size;
    return size;
  }

  [[nodiscard]] storage::Progress progress() const override { return {done_, bytes_.size()}; }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string bytes_;
  std::string name_ = "memory";
  std::function<std::size_t()> next_size_;
  std::size_t done_ = 0;
  std::optional<std::size_t> fails_at_;
};

}  // namespace laurel
