#include "wire/json_writer.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/assert.h"
#include "base/base64.h"
#include "base/time_text.h"
#include "base/utf8.h"

namespace laurel::wire {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Returns the letter of a byte's short escape; 0 if there is none.
constexpr char ShortEscape(unsigned char byte) {
  switch (byte) {
    case '"':
    case '\\':
      return static_cast<char>(byte);
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

// The extra bytes that each byte takes in a JSON string: 0 if it is not escaped.
constexpr std::array<std::uint8_t, 256> kEscapeBytes = [] {
  std::array<std::uint8_t, 256> longer{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto one = static_cast<unsigned char>(byte);
    const bool is_control = byte < 0x20 || byte == 0x7f;
    longer[byte] = ShortEscape(one) != 0 ? 1 : is_control ? 5 : 0;
  }
  return longer;
}();

void WriteEscaped(std::string_view utf8, char* to) {
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    if (kEscapeBytes[byte] == 0) {
      *to++ = c;
    } else if (const char letter = ShortEscape(byte); letter != 0) {
      *to++ = '\\';
      *to++ = letter;
    } else {
      const char escape[] = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      to = std::copy(std::begin(escape), std::end(escape), to);
    }
  }
}

}  // namespace

void AppendJsonString(std::string_view utf8, std::string* out) {
  std::size_t longer = 0;
  for (const char c : utf8) longer += kEscapeBytes[static_cast<unsigned char>(c)];
  out->push_back('"');
  if (longer == 0) {
    out->append(utf8);
  } else {
    const std::size_t begin = out->size();
    out->resize(begin + utf8.size() + longer);
    WriteEscaped(utf8, out->data() + begin);
  }
  out->push_back('"');
}

void JsonWriter::Begin(std::string* out) {
  out_ = out;
  depth_ = 0;
  has_values_ = false;
  element_ends_ = nullptr;
}

void JsonWriter::BeginValue() {
  LAUREL_ASSERT(out_ != nullptr);
  if (depth_ == 0) {
    if (has_values_) out_->push_back(',');
    has_values_ = true;
    return;
  }
  Frame& frame = frames_[depth_ - 1];
  if (frame.is_object) {
    LAUREL_ASSERT(!frame.expects_key);
    return;
  }
  if (frame.has_elements) out_->push_back(',');
  frame.has_elements = true;
}

void JsonWriter::EndValues() {
  while (depth_ > 0) {
    Frame& frame = frames_[depth_ - 1];
    LAUREL_ASSERT(frame.left > 0);
    frame.expects_key = frame.is_object;
    if (depth_ == 1 && element_ends_ != nullptr) element_ends_->push_back(out_->size());
    if (--frame.left > 0) return;
    out_->push_back(frame.is_object ? '}' : ']');
    --depth_;
  }
}

void JsonWriter::Open(char bracket, std::size_t elements) {
  BeginValue();
  out_->push_back(bracket);
  if (elements == 0) {
    out_->push_back(bracket == '{' ? '}' : ']');
    return EndValue();
  }
  LAUREL_ASSERT(depth_ < kMaxDepth);
  const bool is_object = bracket == '{';
  frames_[depth_++] = {is_object, is_object, false, elements};
}

void JsonWriter::BeginKey() {
  LAUREL_ASSERT(depth_ > 0 && frames_[depth_ - 1].expects_key);
  Frame& frame = frames_[depth_ - 1];
  if (frame.has_elements) out_->push_back(',');
  frame.has_elements = true;
  frame.expects_key = false;
}

void JsonWriter::Key(std::string_view key) {
  BeginKey();
  AppendJsonString(key, out_);
  key_end_ = out_->size();
  out_->push_back(':');
}

void JsonWriter::Bulk(std::string_view bytes) {
  if (depth_ > 0 && frames_[depth_ - 1].expects_key) return Key(bytes);
  BeginValue();
  if (base::IsUtf8(bytes)) {
    AppendJsonString(bytes, out_);
  } else {
    if (depth_ > 0 && frames_[depth_ - 1].is_object) {
      out_->resize(key_end_ - 1);
      out_->append("_base64\":");
    }
    out_->push_back('"');
    base::AppendBase64(bytes, out_);
    out_->push_back('"');
  }
  EndValue();
}

void JsonWriter::Digits(std::int64_t value) {
  std::array<char, 24> text;
  const char* end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  Literal({text.data(), static_cast<std::size_t>(end - text.data())});
}

void JsonWriter::Decimal(Int128 value, int decimals) {
  std::array<char, kMaxNumberText + 2> text;
  std::array<char, kMaxNumberText> number;
  const std::string_view digits = FormatNumber(value, decimals, number);
  text[0] = '"';
  digits.copy(text.data() + 1, digits.size());
  text[digits.size() + 1] = '"';
  Literal({text.data(), digits.size() + 2});
}

void JsonWriter::Moment(Stamp stamp) {
  std::array<char, base::kIsoTimeBytes + 2> text;
  text.front() = '"';
  base::WriteIsoTime(stamp, text.data() + 1);
  text.back() = '"';
  Literal({text.data(), text.size()});
}

void JsonWriter::Ok() {
  Map(1);
  Key("ok");
  Bool(true);
}

void JsonWriter::Error(const laurel::Error& error) {
  Map(2);
  Pair("code", ErrorName(error.code));
  Pair("detail", error.message);
}

}  // namespace laurel::wire
