#include "tests/conformance/http_json.h"

#include <stdexcept>
#include <utility>

#include "base/base64.h"
#include "base/time_text.h"
#include "laurel/stamp.h"

namespace laurel::conformance {
namespace {

// A text, or the bytes under the same name with "_base64" appended.
std::string BytesOf(base::JsonValue object, std::string_view name) {
  if (const auto text = Find(object, name))
    return text->Is(base::JsonKind::kNull) ? "" : TextOf(*text);
  std::string bytes;
  if (!base::DecodeBase64(Named(object, std::string(name) + "_base64").text(), &bytes)) {
    throw std::runtime_error("not base64: " + std::string(object.json()));
  }
  return bytes;
}

bool IsTrue(const std::optional<base::JsonValue>& value) { return value && value->boolean(); }

// A moment in JSON as microseconds; "-" for null.
std::string StampText(base::JsonValue moment) {
  if (moment.Is(base::JsonKind::kNull)) return "-";
  const std::string text(moment.text());
  const Result<Stamp> stamp = base::ParseTime(text);
  if (!stamp.ok() || base::FormatIsoTime(*stamp) != text) {
    throw std::runtime_error("not a moment in UTC with six decimals: " + text);
  }
  return std::to_string(*stamp);
}

std::string OneVerdict(base::JsonValue verdict) {
  std::string text =
      TextOf(Named(verdict, "status")) + " rank " + TextOf(Named(verdict, "previous_rank")) + ">" +
      TextOf(Named(verdict, "rank")) + " score " + ScoreText(Named(verdict, "previous_score")) +
      ">" + ScoreText(Named(verdict, "score")) + " stamp " + StampText(Named(verdict, "reached"));
  if (const auto needs = Find(verdict, "needs")) text += " needs " + ScoreText(*needs);
  if (IsTrue(Find(verdict, "hidden"))) text += " hidden";
  return text;
}

}  // namespace

HttpAnswer::HttpAnswer(std::string text) : parsed_(std::make_unique<Parsed>()), json_(nullptr) {
  parsed_->text = std::move(text);
  const Status parsed = parsed_->document.Parse(parsed_->text);
  if (!parsed.ok()) throw std::runtime_error(parsed.error().message + ": " + parsed_->text);
  json_ = parsed_->document.root();
  if (!json_.Is(base::JsonKind::kObject))
    throw std::runtime_error("not an object: " + parsed_->text);
}

std::optional<std::string> HttpAnswer::code() const {
  const auto code = Find(json_, "code");
  return code ? std::optional(TextOf(*code)) : std::nullopt;
}

HttpAnswer HttpAnswer::Part(std::string_view name, std::size_t index) const {
  for (const base::JsonValue value : Named(json_, name)) {
    if (index-- == 0) return HttpAnswer(std::string(value.json()));
  }
  throw std::runtime_error("too few " + std::string(name) + ": " + parsed_->text);
}

std::optional<base::JsonValue> Find(base::JsonValue object, std::string_view name) {
  for (const base::JsonValue value : object) {
    if (value.key() == name) return value;
  }
  return std::nullopt;
}

base::JsonValue Named(base::JsonValue object, std::string_view name) {
  const std::optional<base::JsonValue> found = Find(object, name);
  if (!found)
    throw std::runtime_error("no " + std::string(name) + ": " + std::string(object.json()));
  return *found;
}

std::string TextOf(base::JsonValue value) {
  return value.Is(base::JsonKind::kNull) ? "-" : std::string(value.text());
}

std::string ScoreText(base::JsonValue score) {
  if (score.Is(base::JsonKind::kNull)) return "-";
  std::string text;
  for (const base::JsonValue field : score) {
    if (!field.Is(base::JsonKind::kString))
      throw std::runtime_error("a score is an array of strings");
    text += (text.empty() ? "" : "/") + TextOf(field);
  }
  return text;
}

std::string VerdictText(base::JsonValue verdict) {
  std::string text = OneVerdict(verdict);
  if (const auto periods = Find(verdict, "periods")) {
    for (const base::JsonValue other : *periods) text += " + " + OneVerdict(other);
  }
  return text;
}

std::string VerdictsText(base::JsonValue verdicts) {
  std::string text;
  for (const base::JsonValue verdict : verdicts)
    text += (text.empty() ? "[" : " | ") + VerdictText(verdict);
  const bool is_duplicate = verdicts.size() > 0 && IsTrue(Find(*verdicts.begin(), "duplicate"));
  return (is_duplicate ? "duplicate " : "") + text + "]";
}

std::string EntryText(base::JsonValue entry) {
  std::string text = TextOf(Named(entry, "rank")) + " " + BytesOf(entry, "member");
  const base::JsonValue score = Named(entry, "score");
  const std::string stamp = StampText(Named(entry, "reached"));
  text += score.Is(base::JsonKind::kNull) ? " absent" : " " + ScoreText(score) + " @" + stamp;
  if (Find(entry, "meta") || Find(entry, "meta_base64")) {
    text += " meta '" + BytesOf(entry, "meta") + "'";
  }
  if (const auto place = Find(entry, "place")) text += " place " + TextOf(*place);
  return text;
}

std::string PercentileText(base::JsonValue percentile) {
  return TextOf(Named(percentile, "percentile")) + " worse " + TextOf(Named(percentile, "worse")) +
         " equal " + TextOf(Named(percentile, "equal")) + " of " +
         TextOf(Named(percentile, "count"));
}

std::string BucketsText(base::JsonValue buckets) {
  std::string text;
  for (const base::JsonValue bucket : buckets) {
    text += "[" + TextOf(Named(bucket, "from")) + "," + TextOf(Named(bucket, "to")) + ") " +
            TextOf(Named(bucket, "count")) + "; ";
  }
  return text;
}

std::string DescriptionText(base::JsonValue description) {
  return "policy " + TextOf(Named(description, "policy")) + " tie " +
         TextOf(Named(description, "tie")) + " cap " + TextOf(Named(description, "cap")) +
         " size " + TextOf(Named(description, "size")) + " hidden " +
         TextOf(Named(description, "hidden"));
}

std::string PeriodsText(base::JsonValue periods, std::string_view board) {
  std::string text;
  for (const base::JsonValue line : periods) {
    const std::string name = TextOf(Named(line, "board"));
    const std::string period = TextOf(Named(line, "period"));
    const std::string prefix = std::string(board) + "@" + period + ":";
    const std::string label = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
    text += period + ":" + label + " size " + TextOf(Named(line, "size")) +
            (Named(line, "present").boolean() ? " present" : "") +
            (Named(line, "closed").Is(base::JsonKind::kNull) ? "" : " closed") + "; ";
  }
  return text;
}

}  // namespace laurel::conformance
