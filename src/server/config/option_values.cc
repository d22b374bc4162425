// Parses and formats the values of options.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/assert.h"
#include "base/text.h"
#include "base/time_text.h"
#include "server/config/option_table.h"
#include "server/config/toml_text.h"

namespace laurel::server {
namespace {

using base::Quote;

// Timers count nanoseconds in 64 bits, so this bound is far from an overflow.
constexpr std::int64_t kMaxDurationMicros = 1000LL * 86'400 * 1'000'000;
static_assert(kMaxDurationMicros <= base::kMaxDurationMicros);

constexpr std::string_view kNone = "none";

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array<SizeUnit, 4> kSizeUnits = {
    {{"tb", 1ULL << 40}, {"gb", 1ULL << 30}, {"mb", 1ULL << 20}, {"kb", 1ULL << 10}}};

std::optional<std::uint64_t> ParseDigits(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool EndsWithAnyCase(std::string_view text, std::string_view lower) {
  if (text.size() < lower.size()) return false;
  const std::string_view end = text.substr(text.size() - lower.size());
  return std::equal(end.begin(), end.end(), lower.begin(),
                    [](char c, char wanted) { return c == wanted || c == wanted - 'a' + 'A'; });
}

// Parses "64mb" or plain bytes.
std::optional<std::uint64_t> ParseSize(std::string_view text) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (!EndsWithAnyCase(text, unit.name)) continue;
    const auto count = ParseDigits(text.substr(0, text.size() - unit.name.size()));
    if (!count || *count > std::numeric_limits<std::uint64_t>::max() / unit.bytes) {
      return std::nullopt;
    }
    return *count * unit.bytes;
  }
  return ParseDigits(text);
}

std::string FormatSize(std::uint64_t bytes) {
  for (const SizeUnit& unit : kSizeUnits) {
    if (bytes > 0 && bytes % unit.bytes == 0) {
      return std::to_string(bytes / unit.bytes) + std::string(unit.name);
    }
  }
  return std::to_string(bytes);
}

// "a, b and c".
std::string Listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

// For each kind of value: ExpectedOf describes what is accepted, Takes says which types of the file
// are accepted, Set parses text into the member of Config (false if it is not accepted), and Show
// formats the member.

std::string ExpectedOf(const TextValue& value) { return std::string(value.expected); }
bool Takes(const TextValue&, FileType type) { return type == FileType::kString; }
bool Set(const TextValue& value, std::string_view text, Config* config) {
  if (!value.prefix.empty() && text.empty()) {
    (config->*value.member).clear();
    return true;
  }
  if (!text.starts_with(value.prefix)) return false;
  const std::string_view rest = text.substr(value.prefix.size());
  if (!value.accepts(rest)) return false;
  config->*value.member = rest;
  return true;
}
std::optional<std::string> Show(const TextValue& value, const Config& config) {
  if ((config.*value.member).empty()) return std::nullopt;
  return TomlString(std::string(value.prefix) + config.*value.member);
}

std::string ExpectedOf(const ChoiceValue& value) { return "one of " + Listed(value.choices); }
bool Takes(const ChoiceValue&, FileType type) { return type == FileType::kString; }
bool Set(const ChoiceValue& value, std::string_view text, Config* config) {
  if (std::find(value.choices.begin(), value.choices.end(), text) == value.choices.end()) {
    return false;
  }
  config->*value.member = text;
  return true;
}
std::optional<std::string> Show(const ChoiceValue& value, const Config& config) {
  return TomlString(config.*value.member);
}

std::string ExpectedOf(const NumberValue& value) {
  return "a number from " + std::to_string(value.min) + " to " + std::to_string(value.max) +
         (value.unset != nullptr ? ", or none" : "");
}
bool Takes(const NumberValue& value, FileType type) {
  return type == FileType::kInteger || (value.unset != nullptr && type == FileType::kString);
}
bool Set(const NumberValue& value, std::string_view text, Config* config) {
  if (value.unset != nullptr && text == kNone) {
    value.unset(config);
    return true;
  }
  const auto number = ParseDigits(text);
  if (!number || *number < value.min || *number > value.max) return false;
  value.set(config, *number);
  return true;
}
std::optional<std::string> Show(const NumberValue& value, const Config& config) {
  const auto number = value.get(config);
  if (number) return std::to_string(*number);
  if (value.unset != nullptr) return TomlString(kNone);
  return std::nullopt;
}

std::string ExpectedOf(const SizeValue& value) {
  return std::string(value.zero ? "0 or " : "") + "a size from " + FormatSize(value.min) + " to " +
         FormatSize(value.max) + ", in bytes or such as 512kb, 64mb, 1gb";
}
bool Takes(const SizeValue&, FileType type) {
  return type == FileType::kInteger || type == FileType::kString;
}
bool Set(const SizeValue& value, std::string_view text, Config* config) {
  const auto size = ParseSize(text);
  if (!size) return false;
  const bool none = value.zero && *size == 0;
  if (!none && (*size < value.min || *size > value.max)) return false;
  config->*value.member = *size;
  return true;
}
std::optional<std::string> Show(const SizeValue& value, const Config& config) {
  const std::uint64_t size = config.*value.member;
  return size == 0 ? "0" : TomlString(FormatSize(size));
}

std::string ExpectedOf(const DurationValue& value) {
  return "a duration of whole " +
         std::string(value.unit_micros == 1 ? "microseconds" : "milliseconds") + " up to " +
         base::FormatDuration(kMaxDurationMicros) + ", such as 500ms, 90s, 15m, 12h, 30d";
}
bool Takes(const DurationValue&, FileType type) {
  return type == FileType::kString || type == FileType::kInteger;
}
bool Set(const DurationValue& value, std::string_view text, Config* config) {
  const Result<std::int64_t> micros = base::ParseDuration(text);
  if (!micros.ok() || *micros > kMaxDurationMicros || *micros % value.unit_micros != 0) {
    return false;
  }
  config->*value.member = *micros / value.unit_micros;
  return true;
}
std::optional<std::string> Show(const DurationValue& value, const Config& config) {
  return TomlString(base::FormatDuration(config.*value.member * value.unit_micros));
}

std::string ExpectedOf(const SwitchValue&) { return "true or false"; }
bool Takes(const SwitchValue&, FileType type) { return type == FileType::kBoolean; }
bool Set(const SwitchValue& value, std::string_view text, Config* config) {
  if (text != "true" && text != "false") return false;
  config->*value.member = text == "true";
  return true;
}
std::optional<std::string> Show(const SwitchValue& value, const Config& config) {
  return config.*value.member ? "true" : "false";
}

std::string ExpectedOf(const TextsValue& value) { return std::string(value.expected); }
bool Takes(const TextsValue&, FileType type) { return type == FileType::kString; }
bool Set(const TextsValue& value, std::string_view text, Config* config) {
  return value.add(config, text);
}
std::optional<std::string> Show(const TextsValue& value, const Config& config) {
  std::string shown;
  for (const std::string& text : value.get(config)) {
    shown += (shown.empty() ? "[" : ", ") + TomlString(text);
  }
  if (shown.empty()) return std::nullopt;
  return shown + "]";
}

std::string ExpectedOf(const ListValue& value) {
  std::vector<std::string_view> names;
  for (const ItemKey& key : value.keys) names.push_back(key.name);
  return "tables with " + Listed(names);
}
bool Takes(const ListValue&, FileType) { return false; }
bool Set(const ListValue&, std::string_view, Config*) { return false; }  // see SetOption
std::optional<std::string> Show(const ListValue&, const Config&) { return std::nullopt; }

}  // namespace

bool TakesFileType(const Option& option, FileType type) {
  LAUREL_ASSERT(option.AsList() == nullptr);
  return std::visit([type](const auto& value) { return Takes(value, type); }, option.value);
}

std::string Expected(const Option& option) {
  return std::visit([](const auto& value) { return ExpectedOf(value); }, option.value);
}

Status SetOption(const Option& option, std::string_view text, Config* config) {
  if (const ListValue* list = option.AsList()) {
    const Result<std::vector<std::string>> values = list->split(text);
    if (!values.ok()) return values.error();
    return list->add(config, *values);
  }
  if (const TextsValue* texts = option.AsTexts();
      texts != nullptr && texts->get(*config).size() == kMaxTexts) {
    return Error{ErrorCode::kErr, "expected at most " + std::to_string(kMaxTexts) + " of them"};
  }
  const bool set = std::visit(
      [text, config](const auto& value) { return Set(value, text, config); }, option.value);
  if (set) return Ok{};
  return Error{ErrorCode::kErr, "expected " + Expected(option) + ", got " + Quote(text)};
}

void ClearOption(const Option& option, Config* config) {
  LAUREL_ASSERT(option.MayBeRepeated());
  if (const ListValue* list = option.AsList()) list->clear(config);
  if (const TextsValue* texts = option.AsTexts()) texts->clear(config);
}

bool IsSame(const Option& option, const Config& a, const Config& b) {
  if (const ListValue* list = option.AsList()) return list->equal(a, b);
  return std::visit([&](const auto& value) { return Show(value, a) == Show(value, b); },
                    option.value);
}

std::optional<std::string> DefaultText(const Option& option) {
  const Config defaults;
  return std::visit([&defaults](const auto& value) { return Show(value, defaults); }, option.value);
}

}  // namespace laurel::server
