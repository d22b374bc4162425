#include "tests/conformance/http_spelling.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <regex>
#include <utility>

#include "base/base64.h"
#include "base/time_text.h"
#include "laurel/score.h"
#include "server/http_client.h"

namespace laurel::conformance {
namespace {

using black_box::PercentEncoded;

std::string Quoted(std::string_view text) { return JsonText(text); }

std::string Duration(std::int64_t micros) {
  return Quoted(std::to_string(micros / 1'000'000) + "s");
}

bool HasOperators(const Spec& spec) {
  return std::any_of(spec.fields.begin(), spec.fields.end(),
                     [](const Field& field) { return field.op != Operator::kSet; });
}

std::string_view KindName(RankKind kind) {
  return kind == RankKind::kCompetition ? "competition" : kind == RankKind::kDense ? "dense" : "";
}

}  // namespace

std::string JsonText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape;
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      quoted += escape.data();
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string JsonArray(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return "[" + text + "]";
}

std::string JsonPair(std::string_view name, const std::string& value) {
  return Quoted(name) + ":" + value;
}

// Bodies ------------------------------------------------------------------------------------------

std::string Spelling::Object(std::vector<std::string> pairs) {
  if (!pairs.empty()) {
    const auto first = static_cast<std::ptrdiff_t>(random_.Below(pairs.size()));
    std::rotate(pairs.begin(), pairs.begin() + first, pairs.end());
  }
  std::string text;
  for (const std::string& pair : pairs) text += (text.empty() ? "" : ",") + pair;
  return "{" + text + "}";
}

std::string Spelling::Bytes(std::string_view name, std::string_view bytes) {
  if (!OneIn(8)) return JsonPair(name, Quoted(bytes));
  std::string encoded;
  base::AppendBase64(bytes, &encoded);
  return JsonPair(std::string(name) + "_base64", Quoted(encoded));
}

std::string Spelling::Member(std::string_view member) {
  const std::string named = Bytes("member", member);
  return named.starts_with("\"member\":") ? Quoted(member) : "{" + named + "}";
}

std::string Spelling::Members(std::span<const std::string_view> members) {
  std::vector<std::string> list;
  for (const std::string_view member : members) list.push_back(Member(member));
  return JsonArray(list);
}

std::string Spelling::Value(std::string_view text) {
  static const std::regex kNumber(R"(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?)");
  const bool is_number = std::regex_match(text.begin(), text.end(), kNumber);
  return is_number && OneIn(2) ? std::string(text) : Quoted(text);
}

std::string Spelling::Score(const Spec& spec, std::span<const std::string_view> values) {
  const bool fits = values.size() == spec.fields.size();
  if (fits && values.size() == 1 && OneIn(3)) return Value(values[0]);
  if (fits && OneIn(3)) {
    std::vector<std::string> pairs;
    for (std::size_t i = 0; i < values.size(); ++i) {
      pairs.push_back(JsonPair(spec.fields[i].name, Value(values[i])));
    }
    return Object(std::move(pairs));
  }
  std::vector<std::string> list;
  for (const std::string_view value : values) list.push_back(Value(value));
  return JsonArray(list);
}

std::string Spelling::Time(Stamp time) {
  switch (random_.Below(3)) {
    case 0:
      return Quoted(std::to_string(time) + "us");
    case 1:
      return FormatNumber(time, 6);  // seconds, as a JSON number
    default:
      return Quoted(base::FormatIsoTime(time));
  }
}

std::string Spelling::Create(const Spec& spec) {
  std::vector<std::string> fields;
  for (const Field& field : spec.fields) {
    fields.push_back(
        Object({JsonPair("name", Quoted(field.name)), JsonPair("type", Quoted(TypeName(field))),
                JsonPair("direction", Quoted(DirectionName(field.direction))),
                JsonPair("operator", Quoted(OperatorName(field.op)))}));
  }
  std::vector<std::string> pairs = {JsonPair("fields", JsonArray(fields)),
                                    JsonPair("tie", Quoted(TieName(spec.tie))),
                                    JsonPair("dedup", std::to_string(spec.dedup))};
  if (!HasOperators(spec)) pairs.push_back(JsonPair("policy", Quoted(PolicyName(spec.policy))));
  if (spec.cap > 0) pairs.push_back(JsonPair("cap", std::to_string(spec.cap)));
  if (spec.start) pairs.push_back(JsonPair("start", Time(*spec.start)));
  if (spec.end) pairs.push_back(JsonPair("end", Time(*spec.end)));
  if (spec.grace_us > 0) pairs.push_back(JsonPair("grace", Duration(spec.grace_us)));
  if (spec.expire_us > 0) pairs.push_back(JsonPair("expire", Duration(spec.expire_us)));
  if (spec.periods.empty()) return Object(std::move(pairs));
  std::vector<std::string> periods;
  for (const Period period : spec.periods) periods.push_back(Quoted(PeriodName(period)));
  pairs.push_back(JsonPair("periods", JsonArray(periods)));
  pairs.push_back(JsonPair("tz", Quoted(spec.zone)));
  pairs.push_back(JsonPair("turn", Quoted(FormatTurn(spec.turn_minutes))));
  pairs.push_back(JsonPair("keep", std::to_string(spec.keep)));
  return Object(std::move(pairs));
}

std::string Spelling::Alter(const Spec& from, const Spec& to) {
  const auto time = [&](const std::optional<Stamp>& at) { return at ? Time(*at) : "null"; };
  const auto duration = [&](std::int64_t micros) {
    return micros > 0 ? Duration(micros) : Cleared(Duration(0));
  };
  std::string policy = Quoted(PolicyName(to.policy));
  if (to.policy == Policy::kSet) policy = Cleared(std::move(policy));
  std::vector<std::string> pairs = {JsonPair("policy", policy)};
  if (to.tie != from.tie) pairs.push_back(JsonPair("tie", Quoted(TieName(to.tie))));
  if (to.cap != from.cap) {
    pairs.push_back(JsonPair("cap", to.cap > 0 ? std::to_string(to.cap) : Cleared("0")));
  }
  if (to.start != from.start) pairs.push_back(JsonPair("start", time(to.start)));
  if (to.end != from.end) pairs.push_back(JsonPair("end", time(to.end)));
  // Without an end there is no grace, unless it is given again.
  const bool clears_end = from.end && !to.end;
  if (to.grace_us != from.grace_us || clears_end) {
    pairs.push_back(JsonPair("grace", duration(to.grace_us)));
  }
  if (to.expire_us != from.expire_us) pairs.push_back(JsonPair("expire", duration(to.expire_us)));
  if (to.keep != from.keep) {
    pairs.push_back(JsonPair("keep", to.keep == 1 ? Cleared("1") : std::to_string(to.keep)));
  }
  if (to.dedup != from.dedup) {
    const std::string dedup = std::to_string(to.dedup);
    pairs.push_back(JsonPair("dedup", to.dedup == kDefaultDedup ? Cleared(dedup) : dedup));
  }
  return Object(std::move(pairs));
}

// Reads -------------------------------------------------------------------------------------------

void HttpRead::Number(std::string_view name, std::int64_t number) {
  query_ += "&" + std::string(name) + "=" + std::to_string(number);
  pairs_.push_back(JsonPair(name, std::to_string(number)));
}

void HttpRead::Text(std::string_view name, std::string_view text) {
  query_ += "&" + std::string(name) + "=" + PercentEncoded(text);
  pairs_.push_back(JsonPair(name, Quoted(text)));
}

void HttpRead::Flag(std::string_view name) {
  query_ += "&" + std::string(name) + "=1";
  pairs_.push_back(JsonPair(name, "true"));
}

void HttpRead::Options(const leaderboard::ReadOptions& options, bool shows_entries) {
  if (const std::string_view kind = KindName(options.kind); !kind.empty()) Text("kind", kind);
  if (shows_entries && options.with_meta) Flag("meta");
}

void HttpRead::Member(std::string_view member, Spelling* spelling) {
  member_ = member;
  pairs_.push_back(spelling->Bytes("member", member));
}

void HttpRead::Members(std::span<const std::string_view> members, Spelling* spelling) {
  pairs_.push_back(JsonPair("members", spelling->Members(members)));
  body_ = "{" + pairs_.back() + "}";
}

void HttpRead::Score(const Spec& spec, std::span<const std::string_view> values,
                     Spelling* spelling) {
  for (const std::string_view value : values) query_ += "&score=" + PercentEncoded(value);
  pairs_.push_back(JsonPair("score", spelling->Score(spec, values)));
}

std::string HttpRead::Target() const {
  std::string target = "/v1/boards/" + PercentEncoded(board_);
  if (member_) {
    target += "/entries/" + PercentEncoded(*member_);
    if (kind_ != "entry") target += "/" + std::string(kind_);
  } else if (kind_ != "board") {
    target += "/" + std::string(kind_);
  }
  if (!query_.empty()) target += "?" + query_.substr(1);
  return target;
}

std::string HttpRead::Element(Spelling* spelling) const {
  std::vector<std::string> pairs = pairs_;
  pairs.push_back(JsonPair("read", Quoted(kind_)));
  pairs.push_back(spelling->Bytes("board", board_));
  return spelling->Object(std::move(pairs));
}

}  // namespace laurel::conformance
