// Checks the data that an import has read before anything is written. A wrong codec or parameter
// gives times of another century, or the same value for every member.
#pragma once

#include <cstdint>
#include <string>

#include "laurel/result.h"
#include "laurel/stamp.h"
#include "transfer/sources/board_source.h"

namespace laurel::transfer {

// Times before 2009 or more than a day ahead of now are more likely wrong than right.
inline constexpr Stamp kEarliestPlausible = 1'230'768'000'000'000;  // 2009-01-01
inline constexpr std::int64_t kPlausibleLeadUs = 86'400'000'000;

// With fewer rows, one value or time for all is plausible.
inline constexpr std::uint64_t kLeastEqualRows = 20;

// ERR if the times are implausible, if all of many values are equal, or if all of many times are
// equal. The message names what is probably wrong, from the source.
Status CheckPlausible(const SourceDraft& read, const Draft::Report& report, Stamp now,
                      const BoardSource& source);

// Returns advice about values that were rejected for their decimals; empty if there are none.
// `has_codecs`: the source accepts --codec.
std::string DecimalsHint(const SourceDraft& read, bool has_codecs);

}  // namespace laurel::transfer
