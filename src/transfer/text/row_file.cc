#include "transfer/text/row_file.h"

#include <utility>

#include "base/base64.h"
#include "transfer/text/limits.h"

namespace laurel::transfer {

RowFile::RowFile(std::unique_ptr<ByteReader> source, RowFileOptions options, Rejects* rejects)
    : options_(std::move(options)),
      rejects_(rejects),
      lines_(std::move(source)),
      member_text_(options_.member) {}

Result<bool> RowFile::NextPiece(LinePiece* piece) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  const bool is_first = lines_.line() == 0;
  Result<bool> found = lines_.Next(piece);
  if (found.ok() && *found && is_first && piece->text.starts_with(kByteOrderMark)) {
    piece->text.remove_prefix(kByteOrderMark.size());
  }
  return found;
}

Result<bool> RowFile::RefuseLong(std::string_view what, std::string_view begin, LinePiece piece) {
  copied_ = begin;
  text_ = copied_;
  RefuseLength(what);
  while (!piece.ends_line) {
    if (const Result<bool> found = NextPiece(&piece); !found.ok()) return found;
  }
  return true;
}

Error RowFile::Failed(std::string message) const {
  return {ErrorCode::kErr, lines_.name() + ": " + std::move(message)};
}

bool RowFile::Refuse(ErrorCode code, std::string message) {
  problem_ = Error{code, std::move(message)};
  return false;
}

bool RowFile::RefuseLength(std::string_view what) {
  return Refuse(ErrorCode::kLimit,
                std::string(what) + " has more than " + std::to_string(kMaxRowBytes) + " bytes");
}

bool RowFile::RefuseSize(std::string_view what, std::string_view text, std::size_t most) {
  return Refuse(ErrorCode::kLimit, std::string(what) + " has " + std::to_string(text.size()) +
                                       " bytes, more than " + std::to_string(most));
}

bool RowFile::TakeMember(std::string_view stored, Row* row) {
  row->member = stored;
  if (options_.member != MemberEncoding::kRaw) {
    const Result<std::string_view> member = member_text_.Unwrap(stored);
    if (!member.ok()) return Refuse(member.error());
    row->member = *member;
  }
  return CheckBytes("the member", row->member, kMaxMemberBytes);
}

bool RowFile::TakeTime(std::string_view time, Row* row) {
  const Result<Stamp> at = options_.times.Parse(time);
  if (!at.ok()) return Refuse(at.error());
  row->at = *at;
  return true;
}

bool RowFile::TakeBase64(std::string_view what, std::string_view encoded, std::string* bytes) {
  bytes->clear();
  return base::DecodeBase64(encoded, bytes) ||
         Refuse(ErrorCode::kErr, std::string(what) + " is no base64 with padding");
}

}  // namespace laurel::transfer
