#include "transfer/text/line_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "transfer/text/limits.h"

namespace laurel::transfer {

LineReader::LineReader(std::unique_ptr<ByteReader> source)
    : source_(std::move(source)), buffer_(kReadBytes + kMaxRowBytes) {}

Result<bool> LineReader::Next(LinePiece* piece) {
  std::size_t searched = 0;
  for (;;) {
    const char* const begin = buffer_.data() + begin_;
    const std::size_t buffered = end_ - begin_;
    const std::size_t reach = std::min(buffered, kMaxRowBytes + 1);
    if (const void* found = std::memchr(begin + searched, '\n', reach - searched)) {
      Take(static_cast<std::size_t>(static_cast<const char*>(found) - begin), 1, piece);
      return true;
    }
    if (buffered > kMaxRowBytes) {
      Take(kMaxRowBytes, 0, piece);
      return true;
    }
    searched = reach;
    const Result<bool> filled = Fill();
    if (!filled.ok()) return filled;
    if (!*filled) break;
  }
  // A line that was cut into pieces needs a final piece, even if the source ends after
  // kMaxRowBytes.
  if (begin_ == end_ && begins_line_) return false;
  Take(end_ - begin_, 0, piece);
  piece->ends_line = true;
  begins_line_ = true;
  return true;
}

void LineReader::Take(std::size_t bytes, std::size_t line_end, LinePiece* piece) {
  if (begins_line_) ++line_;
  begins_line_ = line_end > 0;
  piece->text = {buffer_.data() + begin_, bytes};
  piece->ends_line = begins_line_;
  begin_ += bytes + line_end;
  offset_ += bytes + line_end;
}

Result<bool> LineReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    specials_ = {};
    NoteSpecials(0);
  }
  const std::size_t before = end_;
  const Result<std::size_t> count = source_->Read(std::span(buffer_).subspan(end_));
  if (!count.ok()) return count.error();
  end_ += *count;
  NoteSpecials(before);
  return *count > 0;
}

void LineReader::NoteSpecials(std::size_t begin) {
  constexpr std::array<char, 4> kBytes = {'\0', '"', '\r', '\\'};
  static_assert(kBytes.size() == std::tuple_size_v<decltype(specials_)>);
  for (std::size_t i = 0; i < kBytes.size(); ++i) {
    if (specials_[i]) continue;
    specials_[i] = std::memchr(buffer_.data() + begin, kBytes[i], end_ - begin) != nullptr;
  }
}

}  // namespace laurel::transfer
