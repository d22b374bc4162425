// Statuses of HTTP: their reasons, and the status of each error code.
#pragma once

#include <span>
#include <string_view>

#include "laurel/result.h"

namespace laurel::http {

// An error code as clients of HTTP see it. openapi.json explains it.
struct CodeStatus {
  ErrorCode code = ErrorCode::kErr;
  int status = 400;
};
// All codes that an answer may have, by rising status.
std::span<const CodeStatus> ErrorStatuses();

// The status of an error code: 404 for NOBOARD. 400 for an unknown code.
int StatusOf(std::string_view code);
// The reason phrase of a status: "Not Found".
std::string_view ReasonOf(int status);

}  // namespace laurel::http
