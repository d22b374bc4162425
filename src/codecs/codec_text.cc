#include "codecs/codec_text.h"

#include <array>
#include <charconv>

#include "base/time_text.h"

namespace laurel::codecs {
std::string ScoreText(double score) {
  std::array<char, 32> buffer;  // "-2.2250738585072014e-308" and room
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), score).ptr;
  return {buffer.data(), end};
}

std::string TimeText(Stamp at) {
  std::string text =
      at >= 0 && at <= base::kMaxTime ? base::FormatIsoTime(at) : std::to_string(at) + "us";
  const std::size_t zeros = text.find(".000000Z");
  if (zeros != std::string::npos) text.replace(zeros, std::string::npos, "Z");
  return text;
}

std::string_view UnitName(CodecUnit unit) {
  switch (unit) {
    case CodecUnit::kMillisecond:
      return "ms";
    case CodecUnit::kSecond:
      return "s";
    case CodecUnit::kMinute:
      return "m";
    case CodecUnit::kHour:
      break;
  }
  return "h";
}

std::int64_t UnitMicros(CodecUnit unit) {
  switch (unit) {
    case CodecUnit::kMillisecond:
      return 1'000;
    case CodecUnit::kSecond:
      return 1'000'000;
    case CodecUnit::kMinute:
      return 60'000'000;
    case CodecUnit::kHour:
      break;
  }
  return 3'600'000'000;
}

Error NotAScore(double score, const CodecInfo& info, std::string_view cause) {
  return {ErrorCode::kBadScore, ScoreText(score) + " is not a score of " + std::string(info.name) +
                                    ": " + std::string(cause)};
}

Error ValueTooLarge(double score, const CodecInfo& info) {
  return {ErrorCode::kOverflow, "the value of " + ScoreText(score) + " under " +
                                    std::string(info.name) + " does not fit in 64 bits"};
}

Error TimeOutside(Stamp at, const CodecInfo& info, const CodecRange& range) {
  return {ErrorCode::kBadTime, TimeText(at) + " is outside the times of " + std::string(info.name) +
                                   ", " + TimeText(range.first_time) + " to " +
                                   TimeText(range.last_time)};
}

Error ValueOutside(std::int64_t value, const CodecInfo& info, std::int64_t least,
                   std::int64_t greatest) {
  return {ErrorCode::kBadScore, std::to_string(value) + " is outside the values that " +
                                    std::string(info.name) + " holds exactly, " +
                                    std::to_string(least) + " to " + std::to_string(greatest)};
}

}  // namespace laurel::codecs
