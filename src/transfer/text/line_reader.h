// LineReader: reads the lines of a source as views of one buffer of bounded size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/result.h"
#include "storage/recovery.h"
#include "transfer/text/byte_reader.h"

namespace laurel::transfer {

// A line, or a piece of one: a line longer than kMaxRowBytes is cut into pieces of kMaxRowBytes.
// The cuts depend only on the contents, never on how much one read returned.
struct LinePiece {
  std::string_view text;  // without "\n"; a "\r" before it is part of the text
  bool ends_line = true;  // false: the line continues in the next piece
};

enum class SpecialByte : std::uint8_t { kNul, kQuote, kCarriageReturn, kBackslash };

// Used by one thread.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteReader> source);

  // Reads the next piece, whose text is valid until the next call. False at the end. The last line
  // needs no "\n"; after a final "\n" there is no empty line. Returns the errors of the source.
  Result<bool> Next(LinePiece* piece);

  // Whether the text of the last piece may contain this byte. False is certain. This saves a search
  // per line, since most sources never contain the byte.
  [[nodiscard]] bool MayHold(SpecialByte byte) const {
    return specials_[static_cast<std::size_t>(byte)];
  }

  // The 1-based number of the line that the last piece belongs to.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  // The offset of the next piece in the contents.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] storage::Progress progress() const { return source_->progress(); }
  [[nodiscard]] const std::string& name() const { return source_->name(); }

 private:
  // Reads more bytes after the buffered ones. False at the end of the source.
  Result<bool> Fill();
  // Notes which special bytes are in buffer_[begin, end_).
  void NoteSpecials(std::size_t begin);
  // Returns the next `bytes` bytes as a piece, and skips `line_end` bytes after them.
  void Take(std::size_t bytes, std::size_t line_end, LinePiece* piece);

  std::unique_ptr<ByteReader> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // buffer_[begin_, end_) is not yet returned
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;  // offset of buffer_[begin_] in the contents
  std::uint64_t line_ = 0;
  bool begins_line_ = true;         // buffer_[begin_] is the first byte of a line
  std::array<bool, 4> specials_{};  // whether buffer_[begin_, end_) may contain it
};

}  // namespace laurel::transfer
