#include "http/status.h"

#include <array>
#include <utility>

namespace laurel::http {
namespace {

constexpr std::array kStatuses = {
    CodeStatus{ErrorCode::kErr, 400},      CodeStatus{ErrorCode::kNoAuth, 401},
    CodeStatus{ErrorCode::kNoPerm, 403},   CodeStatus{ErrorCode::kNoBoard, 404},
    CodeStatus{ErrorCode::kNoMember, 404}, CodeStatus{ErrorCode::kClosed, 409},
    CodeStatus{ErrorCode::kExists, 409},   CodeStatus{ErrorCode::kWrongType, 409},
    CodeStatus{ErrorCode::kLimit, 413},    CodeStatus{ErrorCode::kBadScore, 422},
    CodeStatus{ErrorCode::kBadTime, 422},  CodeStatus{ErrorCode::kOverflow, 422},
    CodeStatus{ErrorCode::kReused, 422},   CodeStatus{ErrorCode::kLoading, 503},
    CodeStatus{ErrorCode::kMisconf, 503},  CodeStatus{ErrorCode::kUnknown, 503},
    CodeStatus{ErrorCode::kOom, 507},
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

int StatusOf(ErrorCode code) {
  for (const CodeStatus& known : kStatuses) {
    if (known.code == code) return known.status;
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
