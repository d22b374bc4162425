#include "wire/reply.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace laurel::wire {
namespace {

constexpr std::string_view kEnd = "\r\n";

// Most members and scores are bulk strings up to this size, which are assembled on the stack and
// appended in one step.
constexpr std::size_t kSmallBulkBytes = 100;

constexpr std::size_t kMaxLineBytes = 24;  // type, at most 20 characters, CR, LF

// Writes "<type><number>\r\n", at most kMaxLineBytes, and returns its end. Writes directly into the
// buffer that is appended, because a copy of bytes stored just before would stall on those stores.
template <typename Number>
char* PutLine(char type, Number number, char* at) {
  *at++ = type;
  at = std::to_chars(at, at + 20, number).ptr;
  *at++ = '\r';
  *at++ = '\n';
  return at;
}

template <typename Number>
void AppendLine(char type, Number number, std::string* out) {
  std::array<char, kMaxLineBytes> line;
  const char* end = PutLine(type, number, line.data());
  out->append(line.data(), static_cast<std::size_t>(end - line.data()));
}

}  // namespace

void Reply::Simple(std::string_view text) {
  out_->push_back('+');
  out_->append(text);
  out_->append(kEnd);
}

void Reply::Error(const laurel::Error& error, std::size_t word) {
  if (answer_ != nullptr) return answer_->Refused(error, word);
  ErrorLine(ErrorName(error.code), " " + error.message);
}

void Reply::Error(std::string_view line) {
  if (answer_ != nullptr) return answer_->Refused({ErrorCode::kErr, std::string(line)}, kNoWord);
  const std::size_t blank = std::min(line.find(' '), line.size());
  ErrorLine(line.substr(0, blank), line.substr(blank));
}

void Reply::ErrorLine(std::string_view code, std::string_view rest) {
  if (out_->size() == begin_) {
    code_bytes_ = code.size();
    if (outcome_ != nullptr) *outcome_ = code;
  }
  out_->push_back('-');
  const std::size_t begin = out_->size();
  out_->append(code).append(rest);
  for (const char end : kEnd) {
    for (std::size_t at = begin; (at = out_->find(end, at)) != std::string::npos;) {
      (*out_)[at] = ' ';
    }
  }
  out_->append(kEnd);
}

void Reply::Ok() { answer_ != nullptr ? answer_->Done() : Raw("+OK\r\n"); }

void Reply::Integer(std::int64_t value) {
  if (answer_ != nullptr) return answer_->Number(value);
  AppendLine(':', value, out_);
}

void Reply::Bulk(std::string_view bytes) {
  if (bytes.size() <= kSmallBulkBytes) {
    std::array<char, kMaxLineBytes + kSmallBulkBytes + kEnd.size()> whole;
    char* at = PutLine('$', bytes.size(), whole.data());
    at += bytes.copy(at, kSmallBulkBytes);
    *at++ = '\r';
    *at++ = '\n';
    out_->append(whole.data(), static_cast<std::size_t>(at - whole.data()));
    return;
  }
  out_->reserve(out_->size() + kMaxLineBytes + bytes.size() + kEnd.size());
  AppendLine('$', bytes.size(), out_);
  out_->append(bytes);
  out_->append(kEnd);
}

void Reply::Double(std::string_view text) {
  if (!resp3()) return Bulk(text);
  out_->push_back(',');
  out_->append(text);
  out_->append(kEnd);
}

void Reply::Bool(bool value) {
  if (resp3()) {
    out_->append(value ? "#t\r\n" : "#f\r\n");
  } else {
    out_->append(value ? ":1\r\n" : ":0\r\n");
  }
}

void Reply::Null() { out_->append(resp3() ? "_\r\n" : "$-1\r\n"); }

void Reply::NullArray() { out_->append(resp3() ? "_\r\n" : "*-1\r\n"); }

void Reply::Array(std::size_t elements) { Aggregate('*', elements); }

void Reply::Map(std::size_t pairs) { resp3() ? Aggregate('%', pairs) : Aggregate('*', pairs * 2); }

void Reply::Set(std::size_t elements) { Aggregate(resp3() ? '~' : '*', elements); }

void Reply::StampPair(Stamp stamp) {
  Bulk("stamp");
  Integer(stamp);
}

void Reply::Verbatim(std::string_view text) {
  if (!resp3()) return Bulk(text);
  constexpr std::string_view kFormat = "txt:";
  AppendLine('=', kFormat.size() + text.size(), out_);
  out_->append(kFormat);
  out_->append(text);
  out_->append(kEnd);
}

void Reply::Aggregate(char type, std::size_t elements) {
  LAUREL_ASSERT(answer_ == nullptr);
  AppendLine(type, elements, out_);
}

}  // namespace laurel::wire
