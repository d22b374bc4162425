#include "transfer/text/text_encoding.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <iconv.h>

#include "base/assert.h"
#include "base/text.h"
#include "base/utf8.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {
namespace {

constexpr std::size_t kMaxCharacterBytes = 4;  // of UTF-8 and of GB18030

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Whether bytes that are not valid UTF-8 may become valid when more follow.
bool MayBeCut(std::string_view rest) {
  const auto lead = static_cast<unsigned char>(rest[0]);
  const std::size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  return rest.size() < wanted && std::all_of(rest.begin() + 1, rest.end(), IsContinuation);
}

// A source whose contents are checked or converted.
class TextReader : public ByteReader {
 public:
  explicit TextReader(std::unique_ptr<ByteReader> source) : source_(std::move(source)) {}

  [[nodiscard]] storage::Progress progress() const override { return source_->progress(); }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }

 protected:
  // Counts the lines of the returned text.
  void Pass(std::string_view text) {
    lines_ += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    at_start_ = at_start_ && text.empty();
  }
  // Makes the error about bytes after the returned text.
  [[nodiscard]] Error Refused(char first, std::string_view what, std::string_view advice) const {
    const auto byte = static_cast<unsigned char>(first);
    if (at_start_ && (byte == 0xff || byte == 0xfe)) {
      return Err(name() + ": the text is UTF-16: convert it to UTF-8");
    }
    return Err(name() + " line " + std::to_string(lines_ + 1) + " is not " + std::string(what) +
               ": " + std::string(advice) + "; nothing was written");
  }

  std::unique_ptr<ByteReader> source_;

 private:
  std::uint64_t lines_ = 0;
  bool at_start_ = true;
};

// Returns UTF-8, in whole characters.
class Utf8Reader final : public TextReader {
 public:
  using TextReader::TextReader;

  Result<std::size_t> Read(std::span<char> to) override {
    LAUREL_ASSERT(to.size() > kMaxCharacterBytes);
    for (;;) {
      std::memcpy(to.data(), cut_.data(), cut_.size());
      const Result<std::size_t> count = source_->Read(to.subspan(cut_.size()));
      if (!count.ok()) return count;
      const std::string_view text(to.data(), cut_.size() + *count);
      const std::size_t valid = base::Utf8PrefixBytes(text);
      const std::string_view rest = text.substr(valid);
      Pass(text.substr(0, valid));
      if (!rest.empty() && (*count == 0 || !MayBeCut(rest))) {
        return Refused(rest[0], "UTF-8",
                       "--encoding gb18030 is for tables of a Chinese Excel (GBK), --encoding "
                       "bytes takes any bytes of CSV and TSV as they are");
      }
      cut_ = rest;
      if (valid > 0 || *count == 0) return valid;
    }
  }

 private:
  std::string cut_;  // the beginning of a character
};

class Gb18030Reader final : public TextReader {
 public:
  Gb18030Reader(std::unique_ptr<ByteReader> source, iconv_t conversion)
      : TextReader(std::move(source)), conversion_(conversion), input_(kReadBytes) {}
  ~Gb18030Reader() override { iconv_close(conversion_); }
  Gb18030Reader(const Gb18030Reader&) = delete;
  Gb18030Reader& operator=(const Gb18030Reader&) = delete;

  Result<std::size_t> Read(std::span<char> to) override {
    LAUREL_ASSERT(to.size() > kMaxCharacterBytes);
    for (;;) {
      char* in = input_.data();
      std::size_t in_left = held_;
      char* out = to.data();
      std::size_t out_left = to.size();
      const bool converted = iconv(conversion_, &in, &in_left, &out, &out_left) != SIZE_MAX;
      const int reason = converted ? 0 : errno;
      const std::size_t made = to.size() - out_left;
      Pass({to.data(), made});
      if (reason == EILSEQ) return Misfit(*in);
      std::memmove(input_.data(), in, in_left);
      held_ = in_left;
      if (made > 0) return made;
      const Result<std::size_t> count = source_->Read(std::span(input_).subspan(held_));
      if (!count.ok()) return count;
      if (*count == 0) return held_ == 0 ? Result<std::size_t>(0) : Misfit(input_[0]);
      held_ += *count;
    }
  }

 private:
  [[nodiscard]] Error Misfit(char first) const {
    return Refused(first, "GB18030", "try without --encoding, or --encoding bytes");
  }

  iconv_t conversion_;
  std::vector<char> input_;  // the first held_ bytes are not yet converted
  std::size_t held_ = 0;
};

}  // namespace

Result<TextEncoding> ParseTextEncoding(std::string_view text) {
  if (base::IsWord(text, "utf-8")) return TextEncoding::kUtf8;
  if (base::IsWord(text, "gb18030")) return TextEncoding::kGb18030;
  if (base::IsWord(text, "bytes")) return TextEncoding::kBytes;
  return Err(base::Quote(text) + " is none of utf-8, gb18030 (which GBK is a part of) and bytes");
}

Result<std::unique_ptr<ByteReader>> Decoded(std::unique_ptr<ByteReader> source,
                                            TextEncoding encoding) {
  if (encoding == TextEncoding::kBytes) return source;
  if (encoding == TextEncoding::kUtf8) {
    return std::unique_ptr<ByteReader>(std::make_unique<Utf8Reader>(std::move(source)));
  }
  const iconv_t conversion = iconv_open("UTF-8", "GB18030");
  if (conversion == reinterpret_cast<iconv_t>(-1)) {  // NOLINT: as POSIX has it
    return Err("this system cannot convert GB18030: convert " + source->name() + " to UTF-8");
  }
  return std::unique_ptr<ByteReader>(
      std::make_unique<Gb18030Reader>(std::move(source), conversion));
}

}  // namespace laurel::transfer
