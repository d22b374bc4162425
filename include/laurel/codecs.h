// Codecs: how services that keep a leaderboard in a Redis sorted set pack a value and the time at
// which it was reached into one double (or into the member), so that ZREVRANGE lists more before
// less and, at equal values, earlier before later. Import and export use them; they have no I/O and
// no clock.
//
//   name               score in Redis                           exact for values         resolution
//   plain              value                                    ±(2^53 − 1)              no time
//   decimal-countdown  the number written value.f, where        0 … 2^k − 1, with        --unit: s,
//                      f = end − now, zero-padded to W digits   k = ⌊53 − W·log2 10⌋:    ms
//                                                               2^33 − 1 for W = 6
//   scaled-time        value·10^d + 10^d − 1 − (now − epoch)    |score| < 2^53:          --unit:
//                                                               −900720 … 900719 for     ms, s, m,
//                                                               d = 10                   h
//   decimal-time       the number written value.f, where        0 … 524287               1 s
//                      f = 9999999999 − now, not padded
//   member-time        value; the member is window − 1 −        ±(2^53 − 1)              1 s
//                      (now − base), zero-padded, ':', id
//   bit-fields         value·2^b + end − now                    −2^(53−b) … 2^(53−b)−1:  1 ms
//                                                               524287 for b = 34,
//                                                               4095 for b = 41
//   divisor            sums of points + 10^6 / now in ms        ±(2^53 − 1)              no time
//                      (Decode only)
//
// Errors that occur without a message from Redis or from those services:
//   plain, member-time  2^53 + 1 is stored as 2^53: two values become one.
//   decimal-countdown   Times merge. Below 0 a later time ranks ahead. A time of more than W digits
//                       ranks far behind. A script that adds value.f to a stored value rounds
//                       twice, which for most W costs one bit more: 2^32 − 1 for W = 6.
//   scaled-time         Times merge: two seconds at 900720, four at twice that. A time beyond the d
//                       digits borrows from the value.
//   decimal-time        Times merge. After 2255-03-14 f has nine digits, and a later time ranks
//                       ahead. Below 0 a later time ranks ahead too.
//   bit-fields          Times merge. A time after `end`, or 2^b ms before it, overwrites the value.
//   divisor             Each write adds a fraction: the member with more writes ranks ahead, and
//                       from about 1.7 million writes on the value is one too large.
//
// Redis lists equal doubles by member bytes, descending under ZREVRANGE. This includes two entries
// with the same value and the same second (or other unit of resolution).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "laurel/result.h"
#include "laurel/stamp.h"

namespace laurel {

// The unit in which a codec counts times.
enum class CodecUnit : std::uint8_t { kMillisecond, kSecond, kMinute, kHour };

// The parameters of codecs. Each codec takes some of them (CodecInfo::options).
struct CodecParameters {
  std::optional<Stamp> start;             // decimal-countdown: `end` − `start` has W digits
  std::optional<Stamp> end;               // decimal-countdown, bit-fields: the end of the countdown
  std::optional<int> width;               // decimal-countdown: W, 1 to 15
  std::optional<CodecUnit> unit;          // decimal-countdown, scaled-time: seconds by default
  std::optional<int> digits;              // scaled-time: d, 1 to 15; 10 by default
  std::optional<Stamp> epoch;             // scaled-time: counted from here; 1970 by default
  std::optional<Stamp> base;              // member-time: counted from here; 1970 by default
  std::optional<std::int64_t> window_us;  // member-time: 3155760000 s, a century, by default
  std::optional<int> time_bits;           // bit-fields: b, 1 to 52; 34 by default

  bool operator==(const CodecParameters&) const = default;
};

// One parameter as an option of a command line.
struct CodecOption {
  std::string_view name;   // "time-bits"
  std::string_view value;  // placeholder of its value: "N", "TIME", "DURATION", "ms|s|m|h"
  std::string_view help;   // one line, with the default
};

struct CodecInfo {
  std::string_view name;                      // "scaled-time"
  std::string_view usage;                     // "[--digits N] [--epoch TIME] [--unit ms|s|m|h]"
  std::string_view score;                     // the score in Redis: "value·10^digits + …"
  std::span<const std::string_view> options;  // names of CodecOptions()
  bool encodes = true;                        // false: Decode only
};

// All codecs, and all options of all codecs, in the order of the table above.
std::span<const CodecInfo> Codecs();
std::span<const CodecOption> CodecOptions();

// Sets one parameter from its text. Times and durations are written as on the command line:
// "2026-11-15T13:00:00Z", "1762500000", "90s". ERR or BADTIME, naming the option, for another text;
// ERR for an unknown name.
Status SetCodecParameter(std::string_view option, std::string_view text,
                         CodecParameters* parameters);

// The values and times that a codec can hold.
struct CodecRange {
  // Values outside are never exact. Values strictly between the two are exact at every time from
  // first_time to last_time. The two themselves are exact at some of these times: scaled-time with
  // ten digits holds 900719 from 1993-08-13 on, and Encode refuses it before.
  std::int64_t least_value = 0;
  std::int64_t greatest_value = 0;
  // Like greatest_value, for scores that a script has added up. Less than greatest_value only for
  // decimal-countdown. Decode allows for such sums, Encode makes none.
  std::int64_t greatest_sum = 0;

  bool holds_time = false;
  bool time_in_member = false;
  // The members below are 0 without a time. Times are from 1970 to 9999 at most. last_time is the
  // last microsecond of the last unit.
  Stamp first_time = 0;
  Stamp last_time = 0;
  std::int64_t resolution_us = 0;

  bool operator==(const CodecRange&) const = default;
};

struct EncodedEntry {
  double score = 0;
  std::string member;  // the member for Redis: for member-time with the time in front
  // The time that Decode returns: the given one cut to the resolution. None without a time.
  std::optional<Stamp> at;
};

struct DecodedEntry {
  std::int64_t value = 0;
  // The beginning of the unit (second, millisecond, …) in which the value was reached, from
  // first_time to last_time. None if the codec holds no time.
  std::optional<Stamp> at;
  std::string_view member;  // part of the argument of Decode
  // Whether no other value and time has this score. True for every score inside the exact range.
  bool exact = true;
  // If not exact: the largest error of value, and of the unit of `at`, in either direction.
  std::int64_t value_error = 0;
  std::int64_t at_error_us = 0;
};

namespace codecs {
class Rules;
}

// One encoding with its parameters. Copies are cheap and share their contents, which never change:
// any number of threads may use one codec.
class Codec {
 public:
  // ERR if there is no such codec, and for a parameter that is missing, wrong, or not one of this
  // codec's.
  static Result<Codec> Make(std::string_view name, const CodecParameters& parameters);

  [[nodiscard]] const CodecInfo& info() const;
  [[nodiscard]] std::string_view name() const { return info().name; }
  [[nodiscard]] CodecRange range() const;
  // One line for messages: name, exact range and resolution.
  [[nodiscard]] std::string Describe() const;

  // Returns the score and the member for Redis. `at` is cut to the resolution, and has no effect if
  // the codec holds no time. Scores are ordered like (value, earlier time first); under
  // member-time, scores and then members are. BADSCORE if the value, and BADTIME if the time, is
  // outside the exact range. ERR from a codec that only decodes: divisor, and decimal-countdown
  // without `end`.
  [[nodiscard]] Result<EncodedEntry> Encode(std::int64_t value, Stamp at,
                                            std::string_view member) const;

  // Returns the entry that has this score and member in Redis. Allocates nothing unless it fails.
  // Beyond the exact range the double stands for several neighbouring times. The entry then is not
  // `exact`, has one of these times, and contains the largest error. plain and member-time return
  // the whole number that Redis shows. BADSCORE if the encoding never makes such a score (NaN,
  // infinities, a fraction or a time that it does not have, a member without its digits), or if the
  // double may stand for two different values; OVERFLOW if the value does not fit an int64.
  [[nodiscard]] Result<DecodedEntry> Decode(double score, std::string_view member) const;

 private:
  explicit Codec(std::shared_ptr<const codecs::Rules> rules) : rules_(std::move(rules)) {}

  std::shared_ptr<const codecs::Rules> rules_;
};

}  // namespace laurel
