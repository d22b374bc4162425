// HTTP statuses: their reason phrases, and the status of each error code.
#pragma once

#include <span>
#include <string_view>

#include "laurel/result.h"

namespace laurel::http {

// An error code with its HTTP status. openapi.json explains it.
struct CodeStatus {
  ErrorCode code = ErrorCode::kErr;
  int status = 400;
};
// All codes that an answer may have, by ascending status.
std::span<const CodeStatus> ErrorStatuses();

// Returns the status of an error code, such as 404 for kNoBoard; 400 for a code that no answer has.
int StatusOf(ErrorCode code);
// Returns the reason phrase of a status, such as "Not Found".
std::string_view ReasonOf(int status);

}  // namespace laurel::http
