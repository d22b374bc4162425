// What a request was answered, as bytes: kept with its id, so that a retry is answered the same.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/entry.h"

namespace laurel::leaderboard {

void EncodeVerdicts(std::span<const Verdict> verdicts, std::string* bytes);
// False if the bytes are none that EncodeVerdicts wrote.
bool DecodeVerdicts(std::string_view bytes, std::vector<Verdict>* verdicts);

}  // namespace laurel::leaderboard
