#include "transfer/text/rejects.h"

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "wire/json_writer.h"

namespace laurel::transfer {
namespace {

bool ContinuesCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Returns the beginning of the text, at most `bytes` (>= 3), without cutting a UTF-8 character.
std::string_view Cut(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  while (end > bytes - 3 && ContinuesCharacter(text[end])) --end;
  return text.substr(0, ContinuesCharacter(text[end]) ? bytes : end);
}

}  // namespace

Result<Rejects> Rejects::Open(const std::string& path, std::uint64_t max) {
  Rejects rejects(max);
  rejects.path_ = path;
  rejects.file_.reset(std::fopen(path.c_str(), "we"));
  if (rejects.file_ == nullptr) return rejects.Failed("open");
  return rejects;
}

Status Rejects::Add(const Reject& reject) {
  ++count_;
  if (shown_.size() < kMaxRejectsShown) {
    shown_.push_back((reject.line > 0 ? "line " + std::to_string(reject.line) + ": " : "") +
                     std::string(Cut(reject.reason, kMaxRejectReasonBytes)));
  }
  if (file_ != nullptr) {
    if (Status written = Write(reject); !written.ok()) return written;
  }
  if (count_ <= max_) return Ok{};
  return Error{
      ErrorCode::kLimit,
      std::to_string(count_) + " rows were rejected, the last one at " +
          (reject.line > 0 ? "line " + std::to_string(reject.line) : base::Quote(reject.row)) +
          ": " + std::string(Cut(reject.reason, kMaxRejectReasonBytes)) +
          "; --max-rejects accepts more"};
}

Status Rejects::Write(const Reject& reject) {
  buffer_.clear();
  wire::JsonWriter json;
  json.Begin(&buffer_);
  json.Map(reject.line > 0 ? 3 : 2);
  if (reject.line > 0) {
    json.Pair("line", reject.line);
  }
  json.Pair("reason", Cut(reject.reason, kMaxRejectReasonBytes));
  json.Pair("row", Cut(reject.row, kMaxRejectRowBytes));
  buffer_ += '\n';
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) {
    return Failed("write");
  }
  return Ok{};
}

Status Rejects::Flush() {
  if (file_ != nullptr && std::fflush(file_.get()) != 0) return Failed("write");
  return Ok{};
}

Error Rejects::Failed(const char* what) const {
  return {ErrorCode::kErr,
          "cannot " + std::string(what) + " " + path_ + ": " + std::strerror(errno)};
}

}  // namespace laurel::transfer
