// Codec: checks the parameters and makes the rules of each encoding.
#include <cmath>
#include <memory>
#include <string>

#include "base/time_text.h"
#include "codecs/codec_table.h"
#include "codecs/codec_text.h"
#include "codecs/countdown.h"
#include "codecs/rules.h"
#include "codecs/whole_scores.h"
#include "laurel/codecs.h"

namespace laurel {
namespace {

using codecs::Countdown;
using codecs::CountdownRules;
using codecs::Rules;
using codecs::UnitMicros;
using codecs::UnitName;

using MadeRules = Result<std::shared_ptr<const Rules>>;

template <typename Family, typename... Arguments>
MadeRules Share(const CodecInfo& info, const Arguments&... arguments) {
  return std::shared_ptr<const Rules>(std::make_shared<const Family>(info, arguments...));
}

constexpr std::int64_t kCentury = 3'155'760'000'000'000;  // 100 years of 365.25 days

Error Wrong(const CodecInfo& info, std::string_view option, std::string_view what) {
  return {ErrorCode::kErr,
          "--" + std::string(option) + " of " + std::string(info.name) + " " + std::string(what)};
}

Status CheckBetween(const CodecInfo& info, std::string_view option, std::int64_t number,
                    std::int64_t least, std::int64_t greatest) {
  if (number >= least && number <= greatest) return Ok{};
  return Wrong(info, option,
               "is " + std::to_string(least) + " to " + std::to_string(greatest) + ", not " +
                   std::to_string(number));
}

// A time that is counted from or to: from 1970 to 9999 and whole in `unit`, as the services that
// write such scores have it.
Status CheckTime(const CodecInfo& info, std::string_view option, Stamp time, CodecUnit unit) {
  if (time < 0 || time > base::kMaxTime) return Wrong(info, option, "is from 1970 to 9999");
  if (time % UnitMicros(unit) == 0) return Ok{};
  return Wrong(info, option, "is a whole number of " + std::string(UnitName(unit)));
}

std::int64_t PowerOfTen(int exponent) {
  std::int64_t power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

MadeRules MakeDecimalCountdown(const CodecInfo& info, const CodecParameters& given) {
  const CodecUnit unit = given.unit.value_or(CodecUnit::kSecond);
  if (unit != CodecUnit::kSecond && unit != CodecUnit::kMillisecond) {
    return Wrong(info, "unit", "is s or ms");
  }
  if (given.start && !given.end) return Wrong(info, "start", "needs --end");
  if (!given.start && !given.width) {
    return Error{ErrorCode::kErr, std::string(info.name) + " needs " + std::string(info.usage)};
  }
  Countdown countdown;
  int width = 1;
  if (given.end) {
    if (Status status = CheckTime(info, "end", *given.end, unit); !status) return status.error();
    countdown.end = *given.end;
  }
  if (given.start) {
    if (Status status = CheckTime(info, "start", *given.start, unit); !status) {
      return status.error();
    }
    if (*given.start >= *given.end) return Wrong(info, "start", "is before --end");
    const std::int64_t length = (*given.end - *given.start) / UnitMicros(unit);
    while (PowerOfTen(width) <= length) ++width;
  }
  if (given.width) {
    if (Status status = CheckBetween(info, "width", *given.width, width, codecs::kMaxDigits);
        !status) {
      return status.error();
    }
    width = *given.width;
  }
  countdown.span = PowerOfTen(width);
  countdown.is_fraction = true;
  countdown.is_summed = true;
  countdown.greatest_remaining = countdown.span - 1;
  countdown.unit_us = UnitMicros(unit);
  return Share<CountdownRules>(info, countdown);
}

MadeRules MakeScaledTime(const CodecInfo& info, const CodecParameters& given) {
  const int digits = given.digits.value_or(10);
  const CodecUnit unit = given.unit.value_or(CodecUnit::kSecond);
  const Stamp epoch = given.epoch.value_or(0);
  // Services count whole seconds, or milliseconds, and divide.
  const CodecUnit counted =
      unit == CodecUnit::kMillisecond ? CodecUnit::kMillisecond : CodecUnit::kSecond;
  if (Status status = CheckBetween(info, "digits", digits, 1, codecs::kMaxDigits); !status) {
    return status.error();
  }
  if (Status status = CheckTime(info, "epoch", epoch, counted); !status) return status.error();
  Countdown countdown;
  countdown.span = PowerOfTen(digits);
  countdown.greatest_remaining = countdown.span - 1;
  countdown.unit_us = UnitMicros(unit);
  countdown.end = epoch + Int128{countdown.span - 1} * countdown.unit_us;
  // value × 10^digits is a multiple of 2^digits, so it is a double below 2^(53 + digits). A
  // negative score is smaller than its product by up to a span.
  countdown.inexact_product = std::ldexp(1, 53 + digits) - static_cast<double>(countdown.span);
  return Share<CountdownRules>(info, countdown);
}

// f has ten digits until it falls below 10^9. Times after that do not sort, because f is not
// padded.
MadeRules MakeDecimalTime(const CodecInfo& info, const CodecParameters& /*given*/) {
  Countdown countdown;
  countdown.span = PowerOfTen(10);
  countdown.is_fraction = true;
  countdown.is_sign_of_text = true;
  countdown.least_remaining = PowerOfTen(9);
  countdown.greatest_remaining = countdown.span - 1;
  countdown.unit_us = UnitMicros(CodecUnit::kSecond);
  countdown.end = Int128{countdown.span - 1} * countdown.unit_us;
  return Share<CountdownRules>(info, countdown);
}

MadeRules MakeMemberTime(const CodecInfo& info, const CodecParameters& given) {
  const Stamp base = given.base.value_or(0);
  const std::int64_t window_us = given.window_us.value_or(kCentury);
  if (Status status = CheckTime(info, "base", base, CodecUnit::kSecond); !status) {
    return status.error();
  }
  if (window_us <= 0 || window_us % UnitMicros(CodecUnit::kSecond) != 0) {
    return Wrong(info, "window", "is at least 1s, in whole seconds");
  }
  if (window_us > base::kMaxTime + 1 - base) return Wrong(info, "window", "ends by 9999");
  return Share<codecs::MemberTimeRules>(info, base, window_us);
}

MadeRules MakeBitFields(const CodecInfo& info, const CodecParameters& given) {
  const int bits = given.time_bits.value_or(34);
  if (Status status = CheckBetween(info, "time-bits", bits, 1, codecs::kMaxTimeBits); !status) {
    return status.error();
  }
  if (!given.end) return Error{ErrorCode::kErr, std::string(info.name) + " needs --end"};
  if (Status status = CheckTime(info, "end", *given.end, CodecUnit::kMillisecond); !status) {
    return status.error();
  }
  Countdown countdown;
  countdown.span = std::int64_t{1} << bits;
  countdown.greatest_remaining = countdown.span - 1;
  countdown.unit_us = UnitMicros(CodecUnit::kMillisecond);
  countdown.end = *given.end;
  return Share<CountdownRules>(info, countdown);
}

MadeRules MakeRules(const CodecInfo& info, const CodecParameters& given) {
  if (info.name == "plain") return Share<codecs::PlainRules>(info);
  if (info.name == "decimal-countdown") return MakeDecimalCountdown(info, given);
  if (info.name == "scaled-time") return MakeScaledTime(info, given);
  if (info.name == "decimal-time") return MakeDecimalTime(info, given);
  if (info.name == "member-time") return MakeMemberTime(info, given);
  if (info.name == "bit-fields") return MakeBitFields(info, given);
  return Share<codecs::DivisorRules>(info);
}

}  // namespace

Result<Codec> Codec::Make(std::string_view name, const CodecParameters& parameters) {
  const Result<const CodecInfo*> info = codecs::FindCodec(name);
  if (!info) return info.error();
  if (Status status = codecs::CheckNoOthers(**info, parameters); !status) return status.error();
  MadeRules rules = MakeRules(**info, parameters);
  if (!rules) return rules.error();
  return Codec(*std::move(rules));
}

const CodecInfo& Codec::info() const { return rules_->info(); }

CodecRange Codec::range() const { return rules_->range(); }

std::string Codec::Describe() const {
  const CodecRange limits = range();
  std::string text = std::string(name()) + ": exact for values " +
                     std::to_string(limits.least_value) + " to " +
                     std::to_string(limits.greatest_value);
  if (limits.greatest_sum < limits.greatest_value) {
    text += " (added up by a script: to " + std::to_string(limits.greatest_sum) + ")";
  }
  if (!limits.holds_time) return text + ", no times";
  const Stamp last = limits.last_time + 1 - limits.resolution_us;
  return text + ", times " + codecs::TimeText(limits.first_time) + " to " + codecs::TimeText(last) +
         " in steps of " + base::FormatDuration(limits.resolution_us);
}

Result<EncodedEntry> Codec::Encode(std::int64_t value, Stamp at, std::string_view member) const {
  return rules_->Encode(value, at, member);
}

Result<DecodedEntry> Codec::Decode(double score, std::string_view member) const {
  return rules_->Decode(score, member);
}

}  // namespace laurel
