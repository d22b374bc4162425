// The encodings whose score is the value itself: plain, member-time and divisor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codecs/rules.h"
#include "laurel/codecs.h"
#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel::codecs {

// The score is the value.
class PlainRules : public Rules {
 public:
  explicit PlainRules(const CodecInfo& info);

  [[nodiscard]] Result<EncodedEntry> Encode(std::int64_t value, Stamp at,
                                            std::string_view member) const override;
  [[nodiscard]] Result<DecodedEntry> Decode(double score, std::string_view member) const override;
};

// The score is the value; the member begins with the seconds that remain until the end of a window,
// which Redis compares as bytes where scores are equal. They have as many digits as the largest of
// them: ten for a century.
class MemberTimeRules : public Rules {
 public:
  // REQUIRES: whole seconds; window_us > 0; [base, base + window_us) is inside 1970 to 9999.
  MemberTimeRules(const CodecInfo& info, Stamp base, std::int64_t window_us);

  [[nodiscard]] Result<EncodedEntry> Encode(std::int64_t value, Stamp at,
                                            std::string_view member) const override;
  [[nodiscard]] Result<DecodedEntry> Decode(double score, std::string_view member) const override;

 private:
  const Stamp last_second_;  // has the digits 0…0
  const std::int64_t greatest_remaining_;
  const std::size_t digits_;
};

// The score is the sum of points and of fractions whose number and times are not known: the value
// is the floor.
class DivisorRules : public Rules {
 public:
  explicit DivisorRules(const CodecInfo& info);

  // ERR: a sum of unknown fractions cannot be made again.
  [[nodiscard]] Result<EncodedEntry> Encode(std::int64_t value, Stamp at,
                                            std::string_view member) const override;
  [[nodiscard]] Result<DecodedEntry> Decode(double score, std::string_view member) const override;
};

}  // namespace laurel::codecs
