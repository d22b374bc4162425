// Checks of what an import has read, before anything is written: a wrong codec or parameter gives
// times of another century, or the same value for every member.
#pragma once

#include <cstdint>
#include <string>

#include "laurel/result.h"
#include "laurel/stamp.h"
#include "transfer/board_source.h"

namespace laurel::transfer {

// Times before 2009 or more than a day ahead of now are more likely wrong than right.
inline constexpr Stamp kEarliestPlausible = 1'230'768'000'000'000;  // 2009-01-01
inline constexpr std::int64_t kPlausibleLeadUs = 86'400'000'000;

// Fewer rows may well have one value or time.
inline constexpr std::uint64_t kLeastEqualRows = 20;

// ERR if the times lie outside, if all of many values are equal, or if all of many times are. The
// source says what is probably wrong then.
Status CheckPlausible(const SourceDraft& read, const Draft::Report& report, Stamp now,
                      const BoardSource& source);

// What to do about values that were rejected for their decimals; empty if there are none.
// `has_codecs`: the source takes --codec.
std::string DecimalsHint(const SourceDraft& read, bool has_codecs);

}  // namespace laurel::transfer
