// Rules: what a Codec consists of. One class per family of encodings implements it.
#pragma once

#include <cstdint>
#include <string_view>

#include "laurel/codecs.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::codecs {

// 2^53 − 1, the greatest n for which n is a double and no other integer rounds to it. 2^53 is a
// double too, but 2^53 + 1 rounds to it.
inline constexpr std::int64_t kMaxExact = (std::int64_t{1} << 53) - 1;

// Immutable. The contracts of Encode and Decode are those of Codec.
class Rules {
 public:
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  virtual ~Rules() = default;

  [[nodiscard]] const CodecInfo& info() const { return info_; }
  [[nodiscard]] const CodecRange& range() const { return range_; }

  [[nodiscard]] virtual Result<EncodedEntry> Encode(std::int64_t value, Stamp at,
                                                    std::string_view member) const = 0;
  [[nodiscard]] virtual Result<DecodedEntry> Decode(double score,
                                                    std::string_view member) const = 0;

 protected:
  // `info` must outlive the rules.
  Rules(const CodecInfo& info, const CodecRange& range) : info_(info), range_(range) {}

 private:
  const CodecInfo& info_;
  const CodecRange range_;
};

}  // namespace laurel::codecs
