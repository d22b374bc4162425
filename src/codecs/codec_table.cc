#include "codecs/codec_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include "base/nearest.h"
#include "base/text.h"
#include "base/time_text.h"
#include "codecs/codec_text.h"

namespace laurel {
namespace {

using codecs::UnitName;

constexpr std::array<std::string_view, 4> kCountdownOptions = {"start", "end", "width", "unit"};
constexpr std::array<std::string_view, 3> kScaledOptions = {"digits", "epoch", "unit"};
constexpr std::array<std::string_view, 2> kMemberOptions = {"base", "window"};
constexpr std::array<std::string_view, 2> kBitOptions = {"end", "time-bits"};

constexpr std::array<CodecInfo, 7> kCodecs = {{
    {"plain", "", "value", {}},
    {"decimal-countdown", "--start TIME --end TIME | [--end TIME] --width N  [--unit s|ms]",
     "value.f, f = end − time, zero-padded", kCountdownOptions},
    {"scaled-time", "[--digits N] [--epoch TIME] [--unit ms|s|m|h]",
     "value·10^digits + 10^digits − 1 − (time − epoch)", kScaledOptions},
    {"decimal-time", "", "value.f, f = 9999999999 − time in seconds", {}},
    {"member-time", "[--base TIME] [--window DURATION]",
     "value; the member is window − 1 − (time − base) in seconds, zero-padded, ':', id",
     kMemberOptions},
    {"bit-fields", "--end TIME [--time-bits N]", "value << bits | (end − time in ms)", kBitOptions},
    {"divisor", "", "sums of points + 1000000 / (time in ms)", {}, /*encodes=*/false},
}};

constexpr std::array<CodecOption, 9> kOptions = {{
    {"start", "TIME", "decimal-countdown: start of the event; END − START sets the decimals"},
    {"end", "TIME", "decimal-countdown, bit-fields: the time that scores count down to"},
    {"width", "N", "decimal-countdown: number of decimals, 1 to 15, instead of --start"},
    {"unit", "ms|s|m|h", "decimal-countdown (s or ms), scaled-time: unit of times (default s)"},
    {"digits", "N", "scaled-time: decimal digits of the time, 1 to 15 (default 10)"},
    {"epoch", "TIME", "scaled-time: times are counted from here (default 1970)"},
    {"base", "TIME", "member-time: start of the window (default 1970)"},
    {"window", "DURATION", "member-time: length of the window (default 3155760000s)"},
    {"time-bits", "N", "bit-fields: bits of the time, 1 to 52 (default 34)"},
}};

// One option in CodecParameters. `set` takes the text.
struct Accessor {
  std::string_view name;
  bool (*is_given)(const CodecParameters&);
  Status (*set)(std::string_view, CodecParameters*);
};

Status Assign(Result<std::int64_t> parsed, std::optional<std::int64_t>* to) {
  if (!parsed) return parsed.error();
  *to = *parsed;
  return Ok{};
}

Status AssignNumber(std::string_view text, std::optional<int>* to) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) {
    return Error{ErrorCode::kErr, base::Quote(text) + " is not a whole number"};
  }
  *to = number;
  return Ok{};
}

Status AssignUnit(std::string_view text, std::optional<CodecUnit>* to) {
  for (const CodecUnit unit :
       {CodecUnit::kMillisecond, CodecUnit::kSecond, CodecUnit::kMinute, CodecUnit::kHour}) {
    if (text != UnitName(unit)) continue;
    *to = unit;
    return Ok{};
  }
  return Error{ErrorCode::kErr, base::Quote(text) + " is not a unit: ms, s, m or h"};
}

using Text = std::string_view;
using Given = const CodecParameters&;
using To = CodecParameters*;

constexpr std::array<Accessor, kOptions.size()> kAccessors = {{
    {"start", [](Given p) { return p.start.has_value(); },
     [](Text text, To to) { return Assign(base::ParseTime(text), &to->start); }},
    {"end", [](Given p) { return p.end.has_value(); },
     [](Text text, To to) { return Assign(base::ParseTime(text), &to->end); }},
    {"width", [](Given p) { return p.width.has_value(); },
     [](Text text, To to) { return AssignNumber(text, &to->width); }},
    {"unit", [](Given p) { return p.unit.has_value(); },
     [](Text text, To to) { return AssignUnit(text, &to->unit); }},
    {"digits", [](Given p) { return p.digits.has_value(); },
     [](Text text, To to) { return AssignNumber(text, &to->digits); }},
    {"epoch", [](Given p) { return p.epoch.has_value(); },
     [](Text text, To to) { return Assign(base::ParseTime(text), &to->epoch); }},
    {"base", [](Given p) { return p.base.has_value(); },
     [](Text text, To to) { return Assign(base::ParseTime(text), &to->base); }},
    {"window", [](Given p) { return p.window_us.has_value(); },
     [](Text text, To to) { return Assign(base::ParseDuration(text), &to->window_us); }},
    {"time-bits", [](Given p) { return p.time_bits.has_value(); },
     [](Text text, To to) { return AssignNumber(text, &to->time_bits); }},
}};

static_assert(std::equal(kOptions.begin(), kOptions.end(), kAccessors.begin(),
                         [](const CodecOption& option, const Accessor& accessor) {
                           return option.name == accessor.name;
                         }));

// "; did you mean 'x'?" or nothing.
template <typename Rows>
std::string Suggest(std::string_view name, const Rows& rows) {
  std::array<std::string_view, std::tuple_size_v<Rows>> names;
  std::transform(rows.begin(), rows.end(), names.begin(), [](const auto& row) { return row.name; });
  const auto nearest = base::Nearest(name, names);
  return nearest ? ": did you mean '" + std::string(*nearest) + "'?" : "";
}

}  // namespace

std::span<const CodecInfo> Codecs() { return kCodecs; }

std::span<const CodecOption> CodecOptions() { return kOptions; }

Status SetCodecParameter(std::string_view option, std::string_view text,
                         CodecParameters* parameters) {
  const auto found = std::find_if(kAccessors.begin(), kAccessors.end(),
                                  [option](const Accessor& row) { return row.name == option; });
  if (found == kAccessors.end()) {
    return Error{ErrorCode::kErr,
                 "no codec takes " + base::Quote(option) + Suggest(option, kAccessors)};
  }
  const Status status = found->set(text, parameters);
  if (status) return status;
  return Error{status.error().code, "--" + std::string(option) + ": " + status.error().message};
}

namespace codecs {

Result<const CodecInfo*> FindCodec(std::string_view name) {
  const auto found = std::find_if(kCodecs.begin(), kCodecs.end(),
                                  [name](const CodecInfo& info) { return info.name == name; });
  if (found != kCodecs.end()) return &*found;
  return Error{ErrorCode::kErr, "no codec " + base::Quote(name) + Suggest(name, kCodecs)};
}

Status CheckNoOthers(const CodecInfo& info, const CodecParameters& parameters) {
  for (const Accessor& row : kAccessors) {
    const bool is_taken =
        std::find(info.options.begin(), info.options.end(), row.name) != info.options.end();
    if (is_taken || !row.is_given(parameters)) continue;
    const std::string usage = info.usage.empty() ? "no parameters" : std::string(info.usage);
    return Error{ErrorCode::kErr, std::string(info.name) + " does not take --" +
                                      std::string(row.name) + ", it takes " + usage};
  }
  return Ok{};
}

}  // namespace codecs
}  // namespace laurel
