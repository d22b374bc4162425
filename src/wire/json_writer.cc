#include "wire/json_writer.h"

#include <algorithm>

#include "base/assert.h"
#include "base/base64.h"
#include "base/time_text.h"
#include "base/utf8.h"

namespace laurel::wire {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Whether the byte must be escaped in a JSON string.
constexpr bool NeedsEscape(unsigned char byte) {
  return byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f;
}

void AppendEscape(unsigned char byte, std::string* out) {
  switch (byte) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      out->append("\\u00");
      out->push_back(kHex[byte >> 4]);
      out->push_back(kHex[byte & 15]);
  }
}

}  // namespace

void AppendJsonString(std::string_view utf8, std::string* out) {
  out->push_back('"');
  std::size_t plain = 0;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    const auto byte = static_cast<unsigned char>(utf8[at]);
    if (!NeedsEscape(byte)) continue;
    out->append(utf8.substr(plain, at - plain));
    AppendEscape(byte, out);
    plain = at + 1;
  }
  out->append(utf8.substr(plain));
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

void JsonWriter::Error(std::string_view line) {
  const std::size_t blank = std::min(line.find(' '), line.size());
  Map(2);
  Pair("code", line.substr(0, blank));
  Pair("detail", line.substr(std::min(blank + 1, line.size())));
}

}  // namespace laurel::wire
