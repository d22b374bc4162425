#include "transfer/sources/packed_scores.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>

#include "base/time_text.h"
#include "laurel/codecs.h"
#include "transfer/sources/import_checks.h"

namespace laurel::transfer {
namespace {

using Sample = std::pair<double, std::string>;

constexpr double kMostChance = 1.0 / 200;  // probability that random numbers fit
constexpr double kTimeShare = 0.06;  // share of random numbers that decode to a plausible time
constexpr std::size_t kTelltaleDecimals = 7;

// Whether the count is at least nine tenths.
bool IsMost(std::size_t count, std::size_t of) { return count * 10 >= of * 9; }

// Returns the number of decimals in the shortest text of the number.
std::size_t DecimalsOf(double score) {
  char buffer[400];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), score, std::chars_format::fixed).ptr;
  const char* const point = std::find(buffer, end, '.');
  return point == end ? 0 : static_cast<std::size_t>(end - point) - 1;
}

// Whether the number is a recent time in milliseconds or microseconds.
bool IsTimestamp(double score) {
  return (score > 1e12 && score < 4e12) || (score > 1e15 && score < 4e15);
}

struct Candidate {
  std::string_view codec;
  CodecParameters parameters;
  std::string_view options;
  bool is_fraction = false;
};

std::vector<Candidate> TimedCandidates() {
  CodecParameters in_ms;
  in_ms.digits = 13;
  in_ms.unit = CodecUnit::kMillisecond;
  return {{"scaled-time", {}, "--codec scaled-time"},
          {"scaled-time", in_ms, "--codec scaled-time --digits 13 --unit ms"},
          {"decimal-time", {}, "--codec decimal-time", true},
          {"member-time", {}, "--codec member-time"}};
}

// Tries a codec whose parameters are known: it fits if the times are plausible.
std::optional<PackedScores::Found> FitTimes(const Candidate& candidate,
                                            std::span<const Sample> samples, Stamp now) {
  const Result<Codec> codec = Codec::Make(candidate.codec, candidate.parameters);
  if (!codec.ok()) return std::nullopt;
  std::size_t fits = 0;
  bool is_telling = false;  // one of the values is not 0 and not a part of a plain time
  std::set<std::int64_t> values;
  Stamp earliest = now + kPlausibleLeadUs;
  Stamp latest = kEarliestPlausible;
  for (const auto& [score, member] : samples) {
    const Result<DecodedEntry> entry = codec->Decode(score, member);
    if (!entry.ok() || *entry->at < kEarliestPlausible || *entry->at > now + kPlausibleLeadUs) {
      continue;
    }
    if (candidate.is_fraction && DecimalsOf(score) < kTelltaleDecimals) continue;
    ++fits;
    values.insert(entry->value);
    earliest = std::min(earliest, *entry->at);
    latest = std::max(latest, *entry->at);
    is_telling = is_telling || (entry->value != 0 && !IsTimestamp(score));
  }
  if (codec->range().time_in_member || values.size() > 1) is_telling = true;
  if (!is_telling || !IsMost(fits, samples.size()) ||
      std::pow(kTimeShare, static_cast<double>(fits)) > kMostChance) {
    return std::nullopt;
  }
  return PackedScores::Found{std::string(candidate.options),
                             "it decodes them to times from " + base::FormatIsoTime(earliest) +
                                 " to " + base::FormatIsoTime(latest)};
}

// bit-fields counts down to an unknown end: the low bits of an event lie close together while the
// values differ. Small plain numbers have the value 0 and tell nothing.
std::optional<PackedScores::Found> FitBits(int bits, std::span<const Sample> samples) {
  const double span = std::ldexp(1, bits);
  std::set<double> values;
  std::size_t telling = 0;
  double least = span;
  double most = 0;
  for (const auto& [score, member] : samples) {
    if (score != std::floor(score) || std::abs(score) >= std::ldexp(1, 53)) return std::nullopt;
    const double value = std::floor(score / span);
    if (value == 0) continue;
    ++telling;
    values.insert(value);
    least = std::min(least, score - value * span);
    most = std::max(most, score - value * span);
  }
  const double share = (most - least + 1) / span;
  const auto rows = static_cast<double>(telling);
  if (rows < 3 || !IsMost(telling, samples.size()) || values.size() < 2 || share > 0.25 ||
      rows * std::pow(share, rows - 1) > kMostChance) {
    return std::nullopt;
  }
  return PackedScores::Found{
      "--codec bit-fields --end TIME" + (bits == 34 ? "" : " --time-bits " + std::to_string(bits)),
      "their low " + std::to_string(bits) + " bits lie within " +
          base::FormatDuration(static_cast<std::int64_t>(most - least + 1) * 1000)};
}

// Tries divisor: each of its writes adds a fraction of about 6e-7.
std::optional<PackedScores::Found> FitDivisor(std::span<const Sample> samples) {
  constexpr double kMostFraction = 0.01;
  std::size_t fits = 0;
  bool has_value = false;  // numbers below 1 are probably rates
  for (const auto& [score, member] : samples) {
    const double fraction = score - std::floor(score);
    if (fraction > 0 && fraction < kMostFraction && DecimalsOf(score) >= kTelltaleDecimals) ++fits;
    has_value = has_value || score >= 1;
  }
  if (fits < 2 || !has_value || !IsMost(fits, samples.size())) return std::nullopt;
  return PackedScores::Found{"--codec divisor", "their fractions are sums of 1000000 / time"};
}

}  // namespace

std::optional<PackedScores::Found> PackedScores::Find() const {
  if (samples_.size() < 2) return std::nullopt;
  for (const Candidate& candidate : TimedCandidates()) {
    if (auto found = FitTimes(candidate, samples_, now_)) return found;
  }
  for (const int bits : {41, 34}) {
    if (auto found = FitBits(bits, samples_)) return found;
  }
  return FitDivisor(samples_);
}

}  // namespace laurel::transfer
