#include "module/settings.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/integer.h"
#include "base/text.h"
#include "laurel/limits.h"
#include "module/host.h"
#include "wire/spec_arguments.h"

namespace laurel::module {
namespace {

// The arguments of loadmodule.
constexpr std::array<std::string_view, 8> kNames = {
    "clock-offset", "clock", "tick", "max-reply", "max-work", "apply", "template", "templates"};
constexpr std::int64_t kMostOffsetMs = std::int64_t{100} * 366 * 24 * 3600 * 1000;
static_assert(kMostOffsetMs <= INT64_MAX / 1000, "in microseconds too");

Error Wrong(std::string message) { return {ErrorCode::kErr, std::move(message)}; }

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Reads all templates of the config `templates`.
Status ReadTemplates(std::string_view text, Settings* settings) {
  Settings read;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view one = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    const std::size_t blank = std::min(one.find(' '), one.size());
    if (Status added = AddTemplate(one.substr(0, blank), Trimmed(one.substr(blank)), &read);
        !added.ok()) {
      return added;
    }
  }
  settings->templates = std::move(read.templates);
  return Ok{};
}

std::string TemplatesText(const Settings& settings) {
  std::string text;
  for (const Template& one : settings.templates) {
    if (!text.empty()) text += "; ";
    text += one.pattern + (one.text.empty() ? "" : " " + one.text);
  }
  return text;
}

Status ReadOne(std::string_view name, std::string_view value, Settings* settings) {
  std::int64_t number = 0;
  if (base::IsWord(name, "clock-offset")) {
    if (!base::ParseInteger(value, &number) || number < -kMostOffsetMs || number > kMostOffsetMs) {
      return Wrong("clock-offset is a number of milliseconds, got " + base::Quote(value));
    }
    settings->clock_offset_us = number * 1000;
    return Ok{};
  }
  if (base::IsWord(name, "clock")) {
    if (!base::ParseInteger(value, &number) || number < 0 || number > kMaxStamp) {
      return Wrong("clock is a number of microseconds, got " + base::Quote(value));
    }
    settings->clock_us = number;
    return Ok{};
  }
  if (base::IsWord(name, "tick")) {
    if (!base::ParseInteger(value, &number) || number < 1 || number > kMaxTickMs) {
      return Wrong("tick is 1 to 10000 milliseconds, got " + base::Quote(value));
    }
    settings->tick_ms = number;
    return Ok{};
  }
  if (base::IsWord(name, "max-reply")) {
    if (!base::ParseInteger(value, &number) || number < 1) {
      return Wrong("max-reply is a number of bytes, got " + base::Quote(value));
    }
    settings->max_reply_bytes = static_cast<std::size_t>(number);
    return Ok{};
  }
  if (base::IsWord(name, "max-work")) {
    if (!base::ParseInteger(value, &number) || number < 0 || number > kMostMaxWork) {
      return Wrong("max-work is a number of entries, got " + base::Quote(value));
    }
    settings->max_work = static_cast<std::uint64_t>(number);
    return Ok{};
  }
  if (base::IsWord(name, "apply")) {
    if (!base::IsWord(value, "yes") && !base::IsWord(value, "no")) {
      return Wrong("apply is yes or no, got " + base::Quote(value));
    }
    settings->apply_is_open = base::IsWord(value, "yes");
    return Ok{};
  }
  if (base::IsWord(name, "templates")) return ReadTemplates(value, settings);
  std::string names;
  for (const std::string_view each : kNames) names.append(names.empty() ? "" : ", ").append(each);
  return Wrong("unknown argument " + base::Quote(name) + ": there are " + names);
}

bool IsName(std::string_view word) {
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](std::string_view name) { return base::IsWord(word, name); });
}

// Configs. The server calls these on the main thread; `data` is the Settings.
Settings& Of(void* data) { return *static_cast<Settings*>(data); }

long long GetOffset(const char*, void* data) noexcept { return Of(data).clock_offset_us / 1000; }
int SetOffset(const char*, long long value, void* data, String**) noexcept {
  Of(data).clock_offset_us = value * 1000;
  return kOk;
}
long long GetClock(const char*, void* data) noexcept { return Of(data).clock_us; }
int SetClock(const char*, long long value, void* data, String**) noexcept {
  Of(data).clock_us = value;
  return kOk;
}
long long GetTick(const char*, void* data) noexcept { return Of(data).tick_ms; }
int SetTick(const char*, long long value, void* data, String**) noexcept {
  Of(data).tick_ms = value;
  return kOk;
}
long long GetMaxReply(const char*, void* data) noexcept {
  return static_cast<long long>(Of(data).max_reply_bytes);
}
int SetMaxReply(const char*, long long value, void* data, String**) noexcept {
  Of(data).max_reply_bytes = static_cast<std::size_t>(value);
  return kOk;
}
long long GetMaxWork(const char*, void* data) noexcept {
  return static_cast<long long>(Of(data).max_work);
}
int SetMaxWork(const char*, long long value, void* data, String**) noexcept {
  Of(data).max_work = static_cast<std::uint64_t>(value);
  return kOk;
}
int GetApply(const char*, void* data) noexcept { return Of(data).apply_is_open ? 1 : 0; }
int SetApply(const char*, int value, void* data, String**) noexcept {
  Of(data).apply_is_open = value != 0;
  return kOk;
}

// The server does not take ownership of the string that a config returns, so it is kept here.
constinit String* shown_templates = nullptr;

String* GetTemplates(const char*, void* data) noexcept {
  if (shown_templates != nullptr) Api().FreeString(nullptr, shown_templates);
  const std::string text = TemplatesText(Of(data));
  shown_templates = Api().CreateString(nullptr, text.data(), text.size());
  return shown_templates;
}
int SetTemplates(const char*, String* value, void* data, String** error) noexcept {
  const Status read = ReadTemplates(TextOf(value), &Of(data));
  if (read.ok()) return kOk;
  const std::string& message = read.error().message;
  *error = Api().CreateString(nullptr, message.data(), message.size());
  return kFailed;
}

}  // namespace

const Template* Settings::TemplateFor(std::string_view name) const {
  const auto found = std::find_if(templates.begin(), templates.end(),
                                  [&](const Template& one) { return one.glob.Matches(name); });
  return found == templates.end() ? nullptr : &*found;
}

Status AddTemplate(std::string_view pattern, std::string_view options, Settings* settings) {
  const Status usable = wire::CheckTemplatePattern(pattern);
  if (!usable.ok()) return Wrong(usable.error().message);
  // In the text of `templates` a blank ends a pattern, and CONFIG REWRITE writes no quotes.
  if (pattern.find_first_of(" \t;") != std::string_view::npos) {
    return Wrong(base::Quote(pattern) +
                 " is no pattern: write ? for a blank or a semicolon, and "
                 "options as an argument of their own");
  }
  const Result<wire::SpecArguments> spec = wire::ParseSpecLine(options);
  if (!spec.ok()) return Wrong("template " + base::Quote(pattern) + ": " + spec.error().message);
  std::vector<Template>& all = settings->templates;
  std::erase_if(all, [&](const Template& one) { return one.pattern == pattern; });
  if (all.size() >= kMaxTemplates) {
    return Wrong("there are at most " + std::to_string(kMaxTemplates) + " templates");
  }
  const auto before = [](const Template& a, const Template& b) {
    return a.pattern.size() != b.pattern.size() ? a.pattern.size() > b.pattern.size()
                                                : a.pattern < b.pattern;
  };
  Template added{std::string(pattern), spec->spec, spec->feed.value_or(0), std::string(options)};
  if (added.feed > kMaxFeed) return Wrong("FEED is at most " + std::to_string(kMaxFeed));
  all.insert(std::upper_bound(all.begin(), all.end(), added, before), std::move(added));
  return Ok{};
}

Status ReadArguments(String** arguments, int count, Settings* settings) {
  for (int i = 0; i < count;) {
    const std::string_view name = TextOf(arguments[i++]);
    if (i == count) return Wrong(std::string(name) + " needs a value");
    const bool is_template = base::IsWord(name, "template");
    const std::string_view pattern = is_template ? TextOf(arguments[i++]) : std::string_view();
    // CONFIG REWRITE writes arguments without quotes. A value therefore ends at the name of the
    // next argument, and the empty options of a template are missing.
    std::string value;
    for (; i < count && !IsName(TextOf(arguments[i])); ++i) {
      value.append(value.empty() ? "" : " ").append(TextOf(arguments[i]));
    }
    const Status read =
        is_template ? AddTemplate(pattern, value, settings) : ReadOne(name, value, settings);
    if (!read.ok()) return read;
  }
  return Ok{};
}

bool RegisterConfigs(Context* context, Settings* settings) {
  const Functions& api = Api();
  if (api.LoadConfigs == nullptr) return true;
  const std::string templates = TemplatesText(*settings);
  const int failed =
      api.RegisterNumericConfig(context, "clock-offset", settings->clock_offset_us / 1000, 0,
                                -kMostOffsetMs, kMostOffsetMs, GetOffset, SetOffset, nullptr,
                                settings) |
      api.RegisterNumericConfig(context, "clock", settings->clock_us, 0, 0, kMaxStamp, GetClock,
                                SetClock, nullptr, settings) |
      api.RegisterNumericConfig(context, "tick", settings->tick_ms, 0, 1, kMaxTickMs, GetTick,
                                SetTick, nullptr, settings) |
      api.RegisterNumericConfig(
          context, "max-reply", static_cast<long long>(settings->max_reply_bytes), 0, 1,
          std::numeric_limits<long long>::max(), GetMaxReply, SetMaxReply, nullptr, settings) |
      api.RegisterNumericConfig(context, "max-work", static_cast<long long>(settings->max_work), 0,
                                0, kMostMaxWork, GetMaxWork, SetMaxWork, nullptr, settings) |
      api.RegisterBoolConfig(context, "apply", settings->apply_is_open ? 1 : 0, 0, GetApply,
                             SetApply, nullptr, settings) |
      api.RegisterStringConfig(context, "templates", templates.c_str(), 0, GetTemplates,
                               SetTemplates, nullptr, settings);
  return failed == kOk && api.LoadConfigs(context) == kOk;
}

}  // namespace laurel::module
