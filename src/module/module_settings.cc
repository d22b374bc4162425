#include "module/module_settings.h"

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

constexpr long long kMostOffsetMs = 100LL * 366 * 24 * 3600 * 1000;
static_assert(kMostOffsetMs <= INT64_MAX / 1000, "in microseconds too");

struct Number {
  std::string_view name;
  std::string_view expected;
  long long Settings::*value;
  long long min;
  long long max;
};

constexpr std::array<Number, 5> kNumbers = {{
    {"clock-offset", "a number of milliseconds", &Settings::clock_offset_ms, -kMostOffsetMs,
     kMostOffsetMs},
    {"clock", "a number of microseconds", &Settings::clock_us, 0, kMaxStamp},
    {"tick", "1 to 10000 milliseconds", &Settings::tick_ms, 1, kMaxTickMs},
    {"max-reply", "a number of bytes", &Settings::max_reply_bytes, 1,
     std::numeric_limits<long long>::max()},
    {"max-work", "a number of entries", &Settings::max_work, 0, kMostMaxWork},
}};
constexpr std::array<std::string_view, 3> kOtherNames = {"apply", "template", "templates"};

// Returns the names of all arguments of loadmodule.
std::vector<std::string_view> Names() {
  std::vector<std::string_view> names;
  for (const Number& number : kNumbers) names.push_back(number.name);
  names.insert(names.end(), kOtherNames.begin(), kOtherNames.end());
  return names;
}

// Reads all templates of the config `templates`.
Status ReadTemplates(std::string_view text, Settings* settings) {
  Settings read;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view one = base::Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.empty()) continue;
    const std::size_t blank = std::min(one.find(' '), one.size());
    if (Status added = AddTemplate(one.substr(0, blank), base::Trimmed(one.substr(blank)), &read);
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
  for (const Number& number : kNumbers) {
    if (!base::IsWord(name, number.name)) continue;
    std::int64_t read = 0;
    if (!base::ParseInteger(value, &read) || read < number.min || read > number.max) {
      return Err(std::string(number.name) + " is " + std::string(number.expected) + ", got " +
                 base::Quote(value));
    }
    settings->*number.value = read;
    return Ok{};
  }
  if (base::IsWord(name, "apply")) {
    if (!base::IsWord(value, "yes") && !base::IsWord(value, "no")) {
      return Err("apply is yes or no, got " + base::Quote(value));
    }
    settings->apply_is_open = base::IsWord(value, "yes");
    return Ok{};
  }
  if (base::IsWord(name, "templates")) return ReadTemplates(value, settings);
  std::string names;
  for (const std::string_view each : Names()) names.append(names.empty() ? "" : ", ").append(each);
  return Err("unknown argument " + base::Quote(name) + ": there are " + names);
}

bool IsName(std::string_view word) {
  const std::vector<std::string_view> names = Names();
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return base::IsWord(word, name); });
}

// Configs. The server calls these on the main thread. `data` points to the setting, and for
// `templates` to the Settings.
Settings& Of(void* data) { return *static_cast<Settings*>(data); }

long long GetNumber(const char*, void* data) noexcept { return *static_cast<long long*>(data); }
int SetNumber(const char*, long long value, void* data, String**) noexcept {
  *static_cast<long long*>(data) = value;
  return kOk;
}
int GetBool(const char*, void* data) noexcept { return *static_cast<bool*>(data) ? 1 : 0; }
int SetBool(const char*, int value, void* data, String**) noexcept {
  *static_cast<bool*>(data) = value != 0;
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
  // In the text of `templates` a blank ends a pattern, and CONFIG REWRITE writes no quotes.
  if (pattern.find_first_of(" \t;") != std::string_view::npos) {
    return Err(base::Quote(pattern) +
               " is no pattern: write ? for a blank or a semicolon, and "
               "options as an argument of their own");
  }
  const Status usable = wire::CheckTemplatePattern(pattern);
  if (!usable.ok()) return Err(usable.error().message);
  const Result<wire::SpecArguments> spec = wire::ParseSpecLine(options);
  if (!spec.ok()) return Err("template " + base::Quote(pattern) + ": " + spec.error().message);
  std::vector<Template>& all = settings->templates;
  std::erase_if(all, [&](const Template& one) { return one.pattern == pattern; });
  if (all.size() >= kMaxTemplates) {
    return Err("there are at most " + std::to_string(kMaxTemplates) + " templates");
  }
  const auto before = [](const Template& a, const Template& b) {
    return a.pattern.size() != b.pattern.size() ? a.pattern.size() > b.pattern.size()
                                                : a.pattern < b.pattern;
  };
  Template added{std::string(pattern), spec->spec, spec->feed.value_or(0), std::string(options)};
  if (added.feed > kMaxFeed) return Err("FEED is at most " + std::to_string(kMaxFeed));
  all.insert(std::upper_bound(all.begin(), all.end(), added, before), std::move(added));
  return Ok{};
}

Status ReadArguments(String** arguments, int count, Settings* settings) {
  for (int i = 0; i < count;) {
    const std::string_view name = TextOf(arguments[i++]);
    if (i == count) return Err(std::string(name) + " needs a value");
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
  int failed = kOk;
  for (const Number& number : kNumbers) {
    long long* value = &(settings->*number.value);
    failed |= api.RegisterNumericConfig(context, number.name.data(), *value, 0, number.min,
                                        number.max, GetNumber, SetNumber, nullptr, value);
  }
  bool* apply = &settings->apply_is_open;
  failed |=
      api.RegisterBoolConfig(context, "apply", *apply ? 1 : 0, 0, GetBool, SetBool, nullptr, apply);
  const std::string templates = TemplatesText(*settings);
  failed |= api.RegisterStringConfig(context, "templates", templates.c_str(), 0, GetTemplates,
                                     SetTemplates, nullptr, settings);
  return failed == kOk && api.LoadConfigs(context) == kOk;
}

}  // namespace laurel::module
