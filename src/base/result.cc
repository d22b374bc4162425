#include "laurel/result.h"

namespace laurel {

std::string_view ErrorName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kErr:
      return "ERR";
    case ErrorCode::kNoBoard:
      return "NOBOARD";
    case ErrorCode::kNoMember:
      return "NOMEMBER";
    case ErrorCode::kExists:
      return "EXISTS";
    case ErrorCode::kWrongType:
      return "WRONGTYPE";
    case ErrorCode::kBadScore:
      return "BADSCORE";
    case ErrorCode::kBadTime:
      return "BADTIME";
    case ErrorCode::kOverflow:
      return "OVERFLOW";
    case ErrorCode::kLimit:
      return "LIMIT";
    case ErrorCode::kClosed:
      return "CLOSED";
    case ErrorCode::kReused:
      return "REUSED";
    case ErrorCode::kLoading:
      return "LOADING";
    case ErrorCode::kNoAuth:
      return "NOAUTH";
    case ErrorCode::kNoPerm:
      return "NOPERM";
    case ErrorCode::kOom:
      return "OOM";
    case ErrorCode::kMisconf:
    case ErrorCode::kNoSpace:
      return "MISCONF";
    case ErrorCode::kUnknown:
      return "UNKNOWN";
  }
  return "ERR";
}

std::string Error::ToString() const { return std::string(ErrorName(code)) + " " + message; }

}  // namespace laurel
