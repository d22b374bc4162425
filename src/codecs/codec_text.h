// Texts of numbers and times for the messages of codecs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "laurel/codecs.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::codecs {

// The fewest digits that read back as the same double.
std::string ScoreText(double score);

// ISO 8601 in UTC: "2026-11-15T13:04:05Z", with six decimals unless all are 0. REQUIRES: as
// base::FormatIsoTime.
std::string TimeText(Stamp at);

// "ms", "s", "m", "h", and their length.
std::string_view UnitName(CodecUnit unit);
std::int64_t UnitMicros(CodecUnit unit);

// BADSCORE "'5.5' is not a score of scaled-time: <cause>".
Error NotAScore(double score, const CodecInfo& info, std::string_view cause);
// OVERFLOW for a score with a value beyond int64.
Error ValueTooLarge(double score, const CodecInfo& info);
// BADTIME for a time outside the range.
Error TimeOutside(Stamp at, const CodecInfo& info, const CodecRange& range);
// BADSCORE for a value outside [least, greatest].
Error ValueOutside(std::int64_t value, const CodecInfo& info, std::int64_t least,
                   std::int64_t greatest);

}  // namespace laurel::codecs
