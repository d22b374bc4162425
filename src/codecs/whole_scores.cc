#include "codecs/whole_scores.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "base/text.h"
#include "codecs/codec_text.h"
#include "codecs/rounding.h"

namespace laurel::codecs {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

CodecRange WholeRange() {
  CodecRange range;
  range.least_value = -kMaxExact;
  range.greatest_value = kMaxExact;
  range.greatest_sum = kMaxExact;
  return range;
}

CodecRange WindowRange(Stamp base, std::int64_t window_us) {
  CodecRange range = WholeRange();
  range.holds_time = true;
  range.time_in_member = true;
  range.first_time = base;
  range.last_time = base + window_us - 1;
  range.resolution_us = kSecond;
  return range;
}

// Fails unless the score is finite and its floor fits an int64.
Status CheckRange(double score, const CodecInfo& info) {
  if (!std::isfinite(score)) return NotAScore(score, info, "it is not finite");
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (score < -kTwoTo63 || score >= kTwoTo63) return ValueTooLarge(score, info);
  return Ok{};
}

// Sets value, value_error and exact from a whole score. REQUIRES: CheckRange(score).
void SetValue(double whole, DecodedEntry* entry) {
  entry->value = static_cast<std::int64_t>(whole);
  const Origins origins = OriginsOf(whole, 1, Rounding::kOnce);
  entry->value_error = static_cast<std::int64_t>(
      std::max(origins.greatest - entry->value, entry->value - origins.least));
  entry->exact = entry->value_error == 0;
}

Result<DecodedEntry> DecodeWhole(double score, std::string_view member, const CodecInfo& info) {
  if (Status status = CheckRange(score, info); !status) return status.error();
  if (score != std::floor(score)) return NotAScore(score, info, "it is not a whole number");
  DecodedEntry entry;
  SetValue(score, &entry);
  entry.member = member;
  return entry;
}

Result<EncodedEntry> EncodeWhole(std::int64_t value, std::string_view member,
                                 const CodecInfo& info) {
  if (value < -kMaxExact || value > kMaxExact) {
    return ValueOutside(value, info, -kMaxExact, kMaxExact);
  }
  EncodedEntry entry;
  entry.score = static_cast<double>(value);
  entry.member = member;
  return entry;
}

}  // namespace

PlainRules::PlainRules(const CodecInfo& info) : Rules(info, WholeRange()) {}

Result<EncodedEntry> PlainRules::Encode(std::int64_t value, Stamp /*at*/,
                                        std::string_view member) const {
  return EncodeWhole(value, member, info());
}

Result<DecodedEntry> PlainRules::Decode(double score, std::string_view member) const {
  return DecodeWhole(score, member, info());
}

MemberTimeRules::MemberTimeRules(const CodecInfo& info, Stamp base, std::int64_t window_us)
    : Rules(info, WindowRange(base, window_us)),
      last_second_(base + window_us - kSecond),
      greatest_remaining_(window_us / kSecond - 1),
      digits_(std::to_string(greatest_remaining_).size()) {}

Result<EncodedEntry> MemberTimeRules::Encode(std::int64_t value, Stamp at,
                                             std::string_view member) const {
  if (at < range().first_time || at > range().last_time) return TimeOutside(at, info(), range());
  Result<EncodedEntry> entry = EncodeWhole(value, {}, info());
  if (!entry) return entry;
  const std::int64_t remaining = greatest_remaining_ - (at - range().first_time) / kSecond;
  const std::string text = std::to_string(remaining);
  entry->member.reserve(digits_ + 1 + member.size());
  entry->member.append(digits_ - text.size(), '0').append(text).append(1, ':').append(member);
  entry->at = last_second_ - remaining * kSecond;
  return entry;
}

Result<DecodedEntry> MemberTimeRules::Decode(double score, std::string_view member) const {
  Result<DecodedEntry> entry = DecodeWhole(score, member, info());
  if (!entry) return entry;
  const std::size_t colon = std::min(member.find(':'), member.size());
  const char* end = member.data() + colon;
  std::uint64_t remaining = 0;
  const auto [stop, error] = std::from_chars(member.data(), end, remaining);
  if (colon == member.size() || colon != digits_ || error != std::errc() || stop != end) {
    return Error{ErrorCode::kBadScore, base::Quote(member) + " is not a member of " +
                                           std::string(info().name) + ": it does not begin with " +
                                           std::to_string(digits_) + " digits and a colon"};
  }
  if (remaining > static_cast<std::uint64_t>(greatest_remaining_)) {
    return Error{ErrorCode::kBadScore, base::Quote(member) + " is not a member of " +
                                           std::string(info().name) +
                                           ": its time is outside the window"};
  }
  entry->at = last_second_ - static_cast<std::int64_t>(remaining) * kSecond;
  entry->member = member.substr(colon + 1);
  return entry;
}

DivisorRules::DivisorRules(const CodecInfo& info) : Rules(info, WholeRange()) {}

Result<EncodedEntry> DivisorRules::Encode(std::int64_t /*value*/, Stamp /*at*/,
                                          std::string_view /*member*/) const {
  return Error{ErrorCode::kErr, "divisor only decodes: its scores hold sums of unknown fractions"};
}

Result<DecodedEntry> DivisorRules::Decode(double score, std::string_view member) const {
  if (Status status = CheckRange(score, info()); !status) return status.error();
  DecodedEntry entry;
  SetValue(std::floor(score), &entry);
  entry.member = member;
  return entry;
}

}  // namespace laurel::codecs
