// The verdicts of a request as bytes. They are stored with its request id, so that a retry gets the
// same answer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laurel/entry.h"
#include "laurel/spec.h"
#include "leaderboard/request_ids.h"

namespace laurel::leaderboard {

// Replaces *bytes.
void EncodeVerdicts(std::span<const Verdict> verdicts, std::string* bytes);
// False if the bytes are not what EncodeVerdicts writes for a board of this spec.
bool DecodeVerdicts(std::string_view bytes, const Spec& spec, std::vector<Verdict>* verdicts);

// When a remembered request was executed, and its verdict; of a request of several members, that of
// the first: "2026-11-15T12:00:00.000000Z: accepted, rank 2, score 11".
std::string DescribeRequest(const Spec& spec, const RememberedRequest& request);

}  // namespace laurel::leaderboard
