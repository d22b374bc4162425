#include "http/status.h"

#include <array>
#include <utility>

namespace laurel::http {
namespace {

constexpr std::array kStatuses = {
    CodeStatus{ErrorCode::kErr, 400,
               "The request is malformed, or not possible here. Also the code of the statuses 404, "
               "405, 414, 415, 417, 431, 501 and 505 if the request fits no route or cannot be "
               "read."},
    CodeStatus{ErrorCode::kNoAuth, 401, "A token is needed, or the token is not known."},
    CodeStatus{ErrorCode::kNoPerm, 403,
               "The token's role or pattern of boards does not permit this, or the host or the "
               "origin is not allowed."},
    CodeStatus{ErrorCode::kNoBoard, 404, "There is no such board, instance or template."},
    CodeStatus{ErrorCode::kNoMember, 404, "The member has no entry on the board."},
    CodeStatus{ErrorCode::kClosed, 409,
               "The write is outside the board's window, or its instance takes no more writes."},
    CodeStatus{ErrorCode::kExists, 409, "There is a board of this name with another spec."},
    CodeStatus{ErrorCode::kWrongType, 409, "The board is a sorted set."},
    CodeStatus{ErrorCode::kLimit, 413,
               "A limit is exceeded: the size of the body or of the answer, of a name, of meta. "
               "With status 503: there are too many streams."},
    CodeStatus{ErrorCode::kBadScore, 422,
               "A value is not a number, or has more decimals than its field."},
    CodeStatus{ErrorCode::kBadTime, 422, "A time is malformed, or `at` is ahead of the clock."},
    CodeStatus{ErrorCode::kOverflow, 422, "A number, or a sum, does not fit in 64 bits."},
    CodeStatus{ErrorCode::kReused, 422, "The Idempotency-Key was used for another write."},
    CodeStatus{ErrorCode::kLoading, 503, "The boards are still being read from disk."},
    CodeStatus{ErrorCode::kMisconf, 503, "The server cannot write to its disk."},
    CodeStatus{ErrorCode::kUnknown, 503,
               "The disk failed under the write: it is not known whether it happened. Retry only "
               "with the same Idempotency-Key."},
    CodeStatus{ErrorCode::kOom, 507, "The memory limit of the boards is reached."},
};

constexpr std::pair<int, std::string_view> kReasons[] = {
    {200, "OK"},
    {201, "Created"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

}  // namespace

std::span<const CodeStatus> ErrorStatuses() { return kStatuses; }

int StatusOf(std::string_view code) {
  for (const CodeStatus& known : kStatuses) {
    if (ErrorName(known.code) == code) return known.status;
  }
  return 400;
}

std::string_view ReasonOf(int status) {
  for (const auto& [known, reason] : kReasons) {
    if (known == status) return reason;
  }
  return "Status";
}

}  // namespace laurel::http
