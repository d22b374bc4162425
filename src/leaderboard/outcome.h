// The verdicts of a request as bytes. They are stored with its request id, so that a retry gets the
// same answer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/entry.h"

namespace laurel::leaderboard {

// Replaces *bytes.
void EncodeVerdicts(std::span<const Verdict> verdicts, std::string* bytes);
// False if the bytes are not what EncodeVerdicts writes.
bool DecodeVerdicts(std::string_view bytes, std::vector<Verdict>* verdicts);

}  // namespace laurel::leaderboard
