// Decimal text to exact integers and back. See laurel/score.h for the contracts.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/assert.h"
#include "base/text.h"
#include "core/store/spec_checks.h"
#include "laurel/score.h"

namespace laurel {
namespace {

using base::Quote;

constexpr std::uint64_t kMaxMagnitude = std::uint64_t{1} << 63;  // the magnitude of INT64_MIN
// A sign, the 39 digits of 2^127 and a point.
static_assert(kMaxNumberText >= 1 + 39 + 1);

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A parsed decimal number: (-1)^negative × digits × 10^exponent. `digits` has no zeros at either
// end and is empty for zero.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

// Parses "[sign] digits [. digits] [e [sign] digits]". Nullopt for anything else, blanks included.
std::optional<Decimal> ParseDecimal(std::string_view text) {
  constexpr std::int64_t kExponentBound = 1'000'000'000'000;  // more than the length of any text
  Decimal number;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) number.negative = text[at++] == '-';
  bool any_digit = false;
  for (; at < text.size() && IsDigit(text[at]); ++at, any_digit = true) {
    number.digits += text[at];
  }
  if (at < text.size() && text[at] == '.') {
    for (++at; at < text.size() && IsDigit(text[at]); ++at, any_digit = true) {
      number.digits += text[at];
      --number.exponent;
    }
  }
  if (!any_digit) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool negative = false;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
    if (at == text.size()) return std::nullopt;
    std::int64_t exponent = 0;
    for (; at < text.size() && IsDigit(text[at]); ++at) {
      exponent = std::min(exponent * 10 + (text[at] - '0'), kExponentBound);
    }
    number.exponent += negative ? -exponent : exponent;
  }
  if (at != text.size()) return std::nullopt;

  number.digits.erase(0, number.digits.find_first_not_of('0'));
  while (!number.digits.empty() && number.digits.back() == '0') {
    number.digits.pop_back();
    ++number.exponent;
  }
  return number;
}

// A number in units of 10^-decimals, truncated towards zero.
struct Scaled {
  std::uint64_t magnitude = 0;
  bool inexact = false;    // non-zero digits were truncated
  bool too_large = false;  // the magnitude exceeds 64 bits
};

Scaled Scale(const Decimal& number, int decimals) {
  Scaled scaled;
  const std::int64_t exponent = number.exponent + decimals;
  std::string_view digits = number.digits;
  if (exponent < 0) {  // the last -exponent digits are beyond the scale; the last one is not zero
    const auto beyond = static_cast<std::uint64_t>(-exponent);
    scaled.inexact = !digits.empty();
    digits = digits.substr(0, digits.size() - std::min<std::uint64_t>(beyond, digits.size()));
  }
  const std::int64_t zeros = std::max<std::int64_t>(exponent, 0);
  if (!digits.empty() && static_cast<std::int64_t>(digits.size()) + zeros > 19) {
    scaled.too_large = true;
    return scaled;
  }
  for (const char digit : digits) scaled.magnitude = scaled.magnitude * 10 + (digit - '0');
  for (std::int64_t i = 0; i < zeros && !digits.empty(); ++i) scaled.magnitude *= 10;
  return scaled;
}

// Fast path for plain digits, which almost every client sends. Nullopt for any other text.
std::optional<std::int64_t> ParsePlainDigits(std::string_view text, int decimals) {
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (decimals != 0 || digits.empty() || digits.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (!IsDigit(digit)) return std::nullopt;
    value = value * 10 + (digit - '0');
  }
  return negative ? -value : value;
}

Error BadScore(std::string message) { return {ErrorCode::kBadScore, std::move(message)}; }

Error DescribeInvalidNumber(std::string_view text) {
  if (text.empty()) return BadScore("the score is empty");
  if (text.find_first_of(" \t\r\n\v\f") != std::string_view::npos) {
    return BadScore(Quote(text) + " has a blank in it");
  }
  std::string_view body = text;
  if (body[0] == '+' || body[0] == '-') body.remove_prefix(1);
  if (body.starts_with("0x") || body.starts_with("0X")) {
    return BadScore(Quote(text) + " is hexadecimal; scores are decimal");
  }
  if (body.size() >= 3) {
    std::string word(body.substr(0, 3));
    for (char& c : word) c = static_cast<char>(c | 0x20);
    if (word == "inf" || word == "nan") return BadScore(Quote(text) + " is not a finite number");
  }
  return BadScore(Quote(text) + " is not a number");
}

bool IsInfinity(std::string_view text, bool* negative) {
  *negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string word(text.substr(0, 9));
  for (char& c : word) c = static_cast<char>(c | 0x20);
  return word == "inf" || word == "infinity";
}

// Parses what strtod accepts in the C locale, except leading blanks and NaN. A number beyond the
// range of a double is refused or, with `saturate` and in decimal notation, becomes infinity or
// zero.
std::optional<double> ParseStrtod(std::string_view text, bool saturate) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  // from_chars would accept a sign, "inf" and "nan" after the 0x.
  if (hex && digits.find_first_not_of("0123456789abcdefABCDEF.pP+-") != std::string_view::npos) {
    return std::nullopt;
  }
  if (hex && (digits.starts_with('-') || digits.starts_with('+'))) return std::nullopt;
  double value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value,
                      hex ? std::chars_format::hex : std::chars_format::general);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    const std::optional<Decimal> number = ParseDecimal(text);
    if (!saturate || !number) return std::nullopt;
    const bool large = number->exponent + static_cast<std::int64_t>(number->digits.size()) > 0;
    value = large ? std::numeric_limits<double>::infinity() : 0;
  }
  if (std::isnan(value)) return std::nullopt;
  return negative && value != 0 ? -value : value;  // -0 is 0
}

ScoreBound MakeBound(const Decimal& number, int decimals, bool exclusive, BoundSide side) {
  const Scaled scaled = Scale(number, decimals);
  const std::uint64_t most = number.negative ? kMaxMagnitude : kMaxMagnitude - 1;
  if (scaled.too_large || scaled.magnitude > most) {
    return number.negative ? ScoreBound::Lowest() : ScoreBound::Highest();
  }
  const auto value =
      static_cast<std::int64_t>(number.negative ? 0 - scaled.magnitude : scaled.magnitude);
  if (!scaled.inexact) {
    return {exclusive ? ScoreBound::Reach::kExclusive : ScoreBound::Reach::kInclusive, value};
  }
  // The exact bound lies between `value` and the next unit away from zero.
  if (side == BoundSide::kMin) {
    return number.negative ? ScoreBound::AtLeast(value) : ScoreBound::Above(value);
  }
  return number.negative ? ScoreBound::Below(value) : ScoreBound::AtMost(value);
}

}  // namespace

Result<std::int64_t> ParseNumber(std::string_view text, int decimals) {
  if (const auto plain = ParsePlainDigits(text, decimals)) return *plain;
  const std::optional<Decimal> number = ParseDecimal(text);
  if (!number) return DescribeInvalidNumber(text);
  const Scaled scaled = Scale(*number, decimals);
  if (scaled.inexact) {
    return BadScore(Quote(text) +
                    (decimals == 0 ? " has a fraction"
                                   : " has more than " + std::to_string(decimals) + " decimals"));
  }
  if (scaled.too_large ||
      scaled.magnitude > (number->negative ? kMaxMagnitude : kMaxMagnitude - 1)) {
    return Error{ErrorCode::kOverflow, Quote(text) + " is out of range"};
  }
  return static_cast<std::int64_t>(number->negative ? 0 - scaled.magnitude : scaled.magnitude);
}

std::string FormatNumber(Int128 value, int decimals) {
  std::array<char, kMaxNumberText> buffer;
  return std::string(FormatNumber(value, decimals, buffer));
}

std::string_view FormatNumber(Int128 value, int decimals, std::span<char, kMaxNumberText> buffer) {
  LAUREL_ASSERT(decimals >= 0 && decimals <= kMaxDecimals);
  const bool negative = value < 0;
  __extension__ using Unsigned = unsigned __int128;
  Unsigned magnitude = negative ? -static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
  // Writes digits from the last to the first. 128-bit division is slow, so it is used only while
  // the number exceeds 64 bits.
  char* const end = buffer.data() + buffer.size();
  char* begin = end;
  int written = 0;
  const auto put = [&](unsigned digit) {
    if (written == decimals && decimals > 0) *--begin = '.';
    *--begin = static_cast<char>('0' + digit);
    ++written;
  };
  for (; magnitude > UINT64_MAX; magnitude /= 10) put(static_cast<unsigned>(magnitude % 10));
  auto rest = static_cast<std::uint64_t>(magnitude);
  for (; rest != 0 || written <= decimals; rest /= 10) put(static_cast<unsigned>(rest % 10));
  if (negative) *--begin = '-';
  LAUREL_ASSERT(begin >= buffer.data());
  return {begin, static_cast<std::size_t>(end - begin)};
}

Result<double> ParseDouble(std::string_view text) {
  if (const auto value = ParseStrtod(text, /*saturate=*/false)) return *value;
  return BadScore(Quote(text) + " is not a valid float");
}

std::string FormatDouble(double value) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  constexpr double kPlainIntegers = 4611686018427387904.0;  // 2^62, as in Redis
  if (std::abs(value) < kPlainIntegers && value == std::trunc(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  // Takes the fewest digits from to_chars, "-d.ddde±xx", and formats them as Redis does.
  char buffer[40];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  std::string sign;
  if (text.starts_with('-')) {
    sign = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  const int exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);
  const auto count = static_cast<int>(digits.size());
  const int last = exponent - count + 1;  // the power of ten of the last digit
  if (last >= 0 && std::abs(exponent) < count + 7) {
    return sign + digits + std::string(static_cast<std::size_t>(last), '0');
  }
  if (last < 0 && (last > -7 || std::abs(exponent) < 4)) {
    if (exponent < 0) {
      return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    }
    return sign + digits.insert(static_cast<std::size_t>(exponent) + 1, ".");
  }
  if (count > 1) digits.insert(1, ".");
  return sign + digits + "e" + (exponent < 0 ? "-" : "+") + std::to_string(std::abs(exponent));
}

Score::Score(std::initializer_list<std::int64_t> values)
    : Score(std::span<const std::int64_t>(values.begin(), values.size())) {}

Score::Score(std::span<const std::int64_t> values) {
  LAUREL_ASSERT(values.size() <= kMaxFields);
  std::copy(values.begin(), values.end(), values_.begin());
  size_ = static_cast<std::uint8_t>(values.size());
}

bool Score::operator==(const Score& other) const {
  return size_ == other.size_ &&
         std::equal(values_.begin(), values_.begin() + size_, other.values_.begin());
}

Result<Score> ParseScore(const Spec& spec, std::span<const std::string_view> texts) {
  if (texts.size() != spec.fields.size()) return core::WrongValueCount(spec, texts.size());
  if (spec.kind == BoardKind::kSortedSet) {
    const Result<double> value = ParseDouble(texts[0]);
    if (!value.ok()) return value.error();
    return Score::Double(*value);
  }
  Score score;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Result<std::int64_t> value = ParseNumber(texts[i], spec.fields[i].decimals);
    if (!value.ok()) {
      return Error{value.error().code,
                   core::DescribeField(spec.fields[i]) + ": " + value.error().message};
    }
    score.push_back(*value);
  }
  return score;
}

std::vector<std::string> FormatScore(const Spec& spec, const Score& score) {
  if (spec.kind == BoardKind::kSortedSet) return {FormatDouble(score.AsDouble())};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < score.size(); ++i) {
    texts.push_back(FormatNumber(score[i], spec.fields[i].decimals));
  }
  return texts;
}

Result<ScoreBound> ParseBound(const Spec& spec, std::string_view text, BoundSide side) {
  const Error not_a_bound = {ErrorCode::kErr, "min or max is not a float"};
  const bool exclusive = text.starts_with('(');
  if (exclusive) text.remove_prefix(1);
  const auto reach = exclusive ? ScoreBound::Reach::kExclusive : ScoreBound::Reach::kInclusive;
  if (spec.kind == BoardKind::kSortedSet) {
    // Redis parses bounds with strtod: a NUL ends the text, leading blanks are skipped, and an
    // empty text is 0.
    text = text.substr(0, text.find('\0'));
    const std::size_t start = text.find_first_not_of(" \t\r\n\v\f");
    if (start == std::string_view::npos && !text.empty()) return not_a_bound;
    text.remove_prefix(std::min(start, text.size()));
    const auto value = text.empty() ? 0.0 : ParseStrtod(text, /*saturate=*/true);
    if (!value) return not_a_bound;
    return ScoreBound{reach, std::bit_cast<std::int64_t>(*value)};
  }
  bool negative = false;
  if (IsInfinity(text, &negative)) {
    return negative ? ScoreBound::Lowest() : ScoreBound::Highest();
  }
  const std::optional<Decimal> number = ParseDecimal(text);
  if (!number) return not_a_bound;
  return MakeBound(*number, spec.fields[0].decimals, exclusive, side);
}

}  // namespace laurel
