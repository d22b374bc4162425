#include "tests/leaderboard/text_answer.h"

#include "laurel/score.h"

namespace laurel::leaderboard {
namespace {

std::string TextOf(const Spec& spec, const Score& score) {
  std::string text;
  for (const std::string& value : FormatScore(spec, score)) {
    if (!text.empty()) text += '/';
    text += value;
  }
  return text;
}

std::string TextOf(const std::optional<std::uint64_t>& rank) {
  return rank ? std::to_string(*rank) : "-";
}

std::string TextOf(const Spec& spec, const std::optional<Score>& score) {
  return score ? TextOf(spec, *score) : "-";
}

std::string TextOf(const Spec& spec, const Verdict& verdict) {
  std::string text(StatusName(verdict.status));
  text += " rank " + TextOf(verdict.previous_rank) + ">" + TextOf(verdict.rank);
  text += " score " + TextOf(spec, verdict.previous_score) + ">" + TextOf(spec, verdict.score);
  text += " stamp " + (verdict.stamp ? std::to_string(*verdict.stamp) : "-");
  if (verdict.needs) text += " needs " + TextOf(spec, *verdict.needs);
  if (verdict.hidden) text += " hidden";
  return text;
}

}  // namespace

void TextAnswer::Verdicts(const VerdictList& list) {
  if (list.duplicate) text_ += "duplicate ";
  if (!list.single) text_ += "[";
  for (std::size_t i = 0; i < list.verdicts.size(); ++i) {
    if (i > 0) text_ += i % list.boards() == 0 ? " | " : " + ";
    text_ += TextOf(*list.spec, list.verdicts[i]);
  }
  if (!list.single) text_ += "]";
}

void TextAnswer::AddEntry(const EntryShape& shape, const EntryLine& entry) {
  text_ += TextOf(entry.rank) + " " + std::string(entry.member);
  if (entry.score == nullptr) {
    text_ += " absent";
  } else {
    text_ += " " + TextOf(*shape.spec, *entry.score) + " @" + std::to_string(entry.stamp);
  }
  if (shape.with_meta) text_ += " meta '" + std::string(entry.meta) + "'";
}

void TextAnswer::OneEntry(const EntryShape& shape, const EntryLine& entry) {
  AddEntry(shape, entry);
  text_ += " of " + std::to_string(*shape.count);
}

void TextAnswer::BeginEntries(const EntryShape& /*shape*/, std::uint64_t count) {
  text_ += std::to_string(count) + " entries";
}

void TextAnswer::NextEntry(const EntryShape& shape, const EntryLine& entry,
                           std::optional<std::uint64_t> place) {
  text_ += "; ";
  AddEntry(shape, entry);
  if (shape.with_place) text_ += " place " + TextOf(place);
}

void TextAnswer::ShowPercentile(const Percentile& percentile) {
  text_ = FormatNumber(static_cast<std::int64_t>(percentile.ten_thousandths), 4);
  text_.erase(text_.find_last_not_of('0') + 1);  // the shortest text
  if (text_.ends_with('.')) text_.pop_back();
  text_ += " worse " + std::to_string(percentile.worse) + " equal " +
           std::to_string(percentile.equal) + " of " + std::to_string(percentile.count);
}

void TextAnswer::ShowScore(const Spec& spec, const Score& score) { text_ = TextOf(spec, score); }

void TextAnswer::ShowHistogram(const Spec& spec, std::span<const HistogramBucket> buckets) {
  const int decimals = spec.fields[0].decimals;
  for (const HistogramBucket& bucket : buckets) {
    text_ += "[" + FormatNumber(bucket.from, decimals) + "," + FormatNumber(bucket.to, decimals) +
             ") " + std::to_string(bucket.count) + "; ";
  }
}

void TextAnswer::ShowDescription(const Description& description) {
  text_ = DescribeSpec(*description.spec) + " size " + std::to_string(description.size) +
          " hidden " + std::to_string(description.hidden) + " ids " +
          std::to_string(description.ids);
  if (description.instance) text_.append(" instance ").append(description.instance->label);
}

void TextAnswer::ShowPeriods(std::span<const PeriodLine> lines) {
  for (const PeriodLine& line : lines) {
    text_ += std::string(PeriodName(line.span.period)) + ":" + std::string(line.span.label) +
             " size " + std::to_string(line.size) + (line.present ? " present" : "") +
             (line.closed ? " closed" : "") + "; ";
  }
}

}  // namespace laurel::leaderboard
