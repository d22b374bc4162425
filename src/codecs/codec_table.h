// The table of codecs and their parameters: what Codecs() and CodecOptions() list, and what Make
// checks.
#pragma once

#include <string_view>

#include "laurel/codecs.h"
#include "laurel/result.h"

namespace laurel::codecs {

inline constexpr int kMaxDigits = 15;    // 10^15 is below 2^53, 10^16 is not
inline constexpr int kMaxTimeBits = 52;  // one bit is left for the value

// The codec of this name; ERR, with a similar name, if there is none.
Result<const CodecInfo*> FindCodec(std::string_view name);

// ERR if a parameter is given that the codec does not take, with those that it takes.
Status CheckNoOthers(const CodecInfo& info, const CodecParameters& parameters);

}  // namespace laurel::codecs
