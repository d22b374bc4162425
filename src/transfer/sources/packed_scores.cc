#include "transfer/sources/packed_scores.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "base/count_text.h"
#include "base/time_text.h"
#include "laurel/codecs.h"
#include "transfer/sources/board_source.h"

namespace laurel::transfer {
namespace {

using Sample = std::pair<double, std::string>;

constexpr double kMostChance = 1.0 / 200;  // probability that random numbers fit
constexpr double kTimeShare = 0.06;  // share of random numbers that decode to a plausible time
constexpr std::size_t kTelltaleDecimals = 7;
constexpr double kExactEnd = 9'007'199'254'740'992;  // 2^53
// The decimals of countdowns that are recognised.
constexpr std::size_t kLeastPlaces = 5;
constexpr std::size_t kMostPlaces = 10;

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

// Returns the number of decimals that most scores have; none if their numbers of decimals differ.
std::optional<std::size_t> CommonDecimals(std::span<const Sample> samples) {
  std::vector<std::size_t> places;
  places.reserve(samples.size());
  for (const auto& [score, member] : samples) places.push_back(DecimalsOf(score));
  std::sort(places.begin(), places.end());
  // One in ten countdowns ends with a zero, which the score does not show.
  const std::size_t common = places[places.size() * 9 / 10];
  return places[places.size() / 3] == common ? std::optional(common) : std::nullopt;
}

// Whether the number is a plausible time in seconds, milliseconds or microseconds.
bool IsTimestamp(double score, Stamp now) {
  for (const double unit_us : {1e6, 1e3, 1.0}) {
    const double at = score * unit_us;
    if (at >= kEarliestPlausible && at <= static_cast<double>(now + kPlausibleLeadUs)) return true;
  }
  return false;
}

struct Candidate {
  std::string_view codec;
  CodecParameters parameters;
  std::string_view options;
  std::string_view reason{};  // empty: the decoded times
};

CodecParameters ScaledTime(int digits, CodecUnit unit) {
  CodecParameters parameters;
  parameters.digits = digits;
  parameters.unit = unit;
  return parameters;
}

// With the earliest base, the plausible times are those that any later base gives.
CodecParameters EarliestBase() {
  CodecParameters parameters;
  parameters.base = kEarliestPlausible;
  return parameters;
}

// A time with fewer digits may look like the end of one with more, which therefore stands first.
std::vector<Candidate> TimedCandidates() {
  const auto minutes = CodecUnit::kMinute;
  const auto hours = CodecUnit::kHour;
  return {{"scaled-time", {}, "--codec scaled-time"},
          {"scaled-time", ScaledTime(13, CodecUnit::kMillisecond),
           "--codec scaled-time --digits 13 --unit ms"},
          {"scaled-time", ScaledTime(10, minutes), "--codec scaled-time --unit m"},
          {"scaled-time", ScaledTime(9, minutes), "--codec scaled-time --digits 9 --unit m"},
          {"scaled-time", ScaledTime(10, hours), "--codec scaled-time --unit h"},
          {"scaled-time", ScaledTime(9, hours), "--codec scaled-time --digits 9 --unit h"},
          {"scaled-time", ScaledTime(8, hours), "--codec scaled-time --digits 8 --unit h"},
          {"decimal-time", {}, "--codec decimal-time"},
          {"member-time", {}, "--codec member-time"},
          {"member-time", EarliestBase(), "--codec member-time --base TIME",
           "the members begin with a countdown from a base after 2009"}};
}

// Tries a codec whose parameters are known: it fits if the times are plausible.
std::optional<PackedScores::Found> FitTimes(const Candidate& candidate,
                                            std::span<const Sample> samples, Stamp now) {
  const Result<Codec> codec = Codec::Make(candidate.codec, candidate.parameters);
  if (!codec.ok()) return std::nullopt;
  const bool is_fraction = candidate.codec == "decimal-time";
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
    if (is_fraction && DecimalsOf(score) < kTelltaleDecimals) continue;
    ++fits;
    values.insert(entry->value);
    earliest = std::min(earliest, *entry->at);
    latest = std::max(latest, *entry->at);
    is_telling = is_telling || (entry->value != 0 && !IsTimestamp(score, now));
  }
  if (codec->range().time_in_member || values.size() > 1) is_telling = true;
  if (!is_telling || !IsMost(fits, samples.size()) ||
      std::pow(kTimeShare, static_cast<double>(fits)) > kMostChance) {
    return std::nullopt;
  }
  if (!candidate.reason.empty()) {
    return PackedScores::Found{std::string(candidate.options), std::string(candidate.reason)};
  }
  return PackedScores::Found{std::string(candidate.options),
                             "it decodes them to times from " + base::FormatIsoTime(earliest) +
                                 " to " + base::FormatIsoTime(latest)};
}

// A score that is value * span + rest, where the rest counts down and its end is not known.
struct Layout {
  double span = 0;
  double least_rest = 0;  // share of the span
  double most_width = 0;  // share of the span
  std::string options;
  std::string reason;  // what the rests are
};

std::vector<Layout> IntegerLayouts() {
  // 41 bits reach 70 years. The times of a set are not spread over a quarter of them.
  std::vector<Layout> layouts{
      {std::ldexp(1, 34), 0, 1, "--codec bit-fields --end TIME", "their low 34 bits"},
      {std::ldexp(1, 41), 0, 0.25, "--codec bit-fields --end TIME --time-bits 41",
       "their low 41 bits"}};
  // scaled-time begins with all nines at its epoch. What counts up from zeros is no time.
  for (int digits = 8; digits <= 13; ++digits) {
    const std::string number = std::to_string(digits);
    layouts.push_back({std::pow(10, digits), 0.5, 0.25,
                       "--codec scaled-time --digits " + number + " --epoch TIME --unit UNIT",
                       "their last " + number + " digits"});
  }
  return layouts;
}

std::vector<Layout> CountdownLayout(std::size_t places) {
  // Plain fractions such as 2/3 and 49/50 leave a gap too, of less than a tenth.
  return {{std::pow(10, places), 0, 0.9, "--codec decimal-countdown --start TIME --end TIME",
           "their " + std::to_string(places) + " decimals"}};
}

// The rests that occur with one value.
struct Cluster {
  double rows = 0;
  double least = 0;
  double most = 0;
};

struct Fit {
  double log_chance = 0;  // that plain numbers fit as well
  double width = 0;       // of the rests, as a share of the span
};

// The rests of packed scores lie in one window for all values. Those of plain numbers do so by
// chance: each row with the probability `width` if the numbers are spread evenly, each cluster with
// the probability width − (its own width) if they are not. The larger one counts, and the cluster
// that might have set the window does not. Equal rests count once: round numbers have few. Rows
// with the value 0 may be small plain numbers; they count only against the layout.
Fit FitLayout(const Layout& layout, double scale, std::span<const Sample> samples) {
  std::set<double> rests;
  std::vector<double> rests_of_zero;
  std::map<double, Cluster> clusters;
  for (const auto& [score, member] : samples) {
    const double number = std::round(score * scale);
    if (!(std::abs(number) < kExactEnd)) return {};  // also for NaN
    const double over = std::fmod(number, layout.span);
    const double value = (number - over) / layout.span - (over < 0 ? 1 : 0);
    const double rest = over / layout.span + (over < 0 ? 1 : 0);
    if (value == 0) rests_of_zero.push_back(rest);
    if (value == 0 || !rests.insert(rest).second) continue;
    Cluster& cluster = clusters.try_emplace(value, Cluster{0, rest, rest}).first->second;
    ++cluster.rows;
    cluster.least = std::min(cluster.least, rest);
    cluster.most = std::max(cluster.most, rest);
  }
  if (clusters.size() < 2 || *rests.begin() < layout.least_rest) return {};
  const double width = *rests.rbegin() - *rests.begin();
  const auto outside = std::count_if(rests_of_zero.begin(), rests_of_zero.end(), [&](double rest) {
    return rest < *rests.begin() || rest > *rests.rbegin();
  });
  const std::size_t fits = samples.size() - static_cast<std::size_t>(outside);
  if (width > layout.most_width || !IsMost(fits, samples.size())) return {};
  double sum = 0;
  double least = 0;
  for (const auto& [value, cluster] : clusters) {
    const double own = cluster.most - cluster.least;
    const double chance = std::max(cluster.rows * std::log(width), std::log(width - own));
    sum += chance;
    least = std::min(least, chance);
  }
  return {sum - least + std::log(static_cast<double>(rests.size())), width};
}

std::optional<PackedScores::Found> FitLayouts(std::span<const Layout> layouts, double scale,
                                              std::span<const Sample> samples) {
  Fit best{std::log(kMostChance / static_cast<double>(layouts.size())), 0};
  const Layout* found = nullptr;
  for (const Layout& layout : layouts) {
    const Fit fit = FitLayout(layout, scale, samples);
    if (fit.log_chance >= best.log_chance) continue;
    best = fit;
    found = &layout;
  }
  if (found == nullptr) return std::nullopt;
  const auto width = static_cast<std::uint64_t>(std::llround(best.width * found->span));
  return PackedScores::Found{found->options, found->reason + " differ by at most " +
                                                 base::Grouped(width) + " for all values"};
}

// Tries the codecs that count down from or to a time that is not known.
std::optional<PackedScores::Found> FitCountdowns(std::size_t places,
                                                 std::span<const Sample> samples, Stamp now) {
  if (places >= kLeastPlaces && places <= kMostPlaces) {
    return FitLayouts(CountdownLayout(places), std::pow(10, places), samples);
  }
  const auto times = std::count_if(samples.begin(), samples.end(), [now](const Sample& sample) {
    return IsTimestamp(sample.first, now);
  });
  // Times of sessions that recur each day also lie in one window.
  if (places > 0 || IsMost(static_cast<std::size_t>(times), samples.size())) return std::nullopt;
  return FitLayouts(IntegerLayouts(), 1, samples);
}

// Tries divisor: each of its writes adds a fraction of about 6e-7, with all digits of a double or
// rounded. If they are rounded, larger fractions are those of a countdown near its end.
std::optional<PackedScores::Found> FitDivisor(bool is_rounded, std::span<const Sample> samples) {
  constexpr std::size_t kLeastDecimals = 9;
  constexpr double kLeastFraction = 2.5e-7;  // one write in 2096
  const double most_fraction = is_rounded ? 1e-4 : 0.01;
  std::size_t fits = 0;
  bool has_value = false;  // numbers below 1 are probably rates
  for (const auto& [score, member] : samples) {
    const double fraction = score - std::floor(score);
    const bool is_sum = fraction > kLeastFraction && fraction < most_fraction;
    if (is_sum && DecimalsOf(score) >= kLeastDecimals) ++fits;
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
  const std::optional<std::size_t> places = CommonDecimals(samples_);
  if (auto found = FitDivisor(places && *places <= kMostPlaces, samples_)) return found;
  return places ? FitCountdowns(*places, samples_, now_) : std::nullopt;
}

}  // namespace laurel::transfer
