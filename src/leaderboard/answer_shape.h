// The shape of every answer: its fields, their names and their order.
//
// ShapedAnswer<Writer> translates the answers of a leaderboard into calls of a writer, so that
// RESP, the replies of a Redis module and JSON have the same names in the same order. A writer has
//
//   Ok()  Error(line)  Null()  NullArray()  Integer(int64)  Bool(bool)  Bulk(bytes)  Double(text)
//   Array(elements)    the header of an array; its elements follow
//   Map(pairs)         the header of a map; Field(name) and a value follow for each pair
//   Field(name)        one of the types of namespace `field` below
//   Decimal(value, n)  the text of a number with n decimals, as a string
//   Moment(stamp)      a moment: integer µs, or ISO 8601 in JSON
//   Flush()            the answer, or one entry of it, is complete
//
// Entries and verdicts are written without allocating memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time_text.h"
#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "leaderboard/answer.h"

namespace laurel::leaderboard {

namespace field {

template <std::size_t N>
struct Text {
  consteval Text(const char (&text)[N]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(text, N, bytes.begin());
  }
  std::array<char, N> bytes{};
};

// Each name is a type of its own, so that a writer can encode it at compile time. `kJson` is given
// where JSON uses another name because it shows the value in another form.
template <Text kText, Text kJson = kText>
struct Name {
  static constexpr std::string_view text{kText.bytes.data(), kText.bytes.size() - 1};
  static constexpr std::string_view json{kJson.bytes.data(), kJson.bytes.size() - 1};
};

// Entries and verdicts.
using Rank = Name<"rank">;
using Member = Name<"member">;
using ScoreOf = Name<"score">;
using Reached = Name<"stamp", "reached">;
using Meta = Name<"meta">;
using Place = Name<"place">;
using Count = Name<"count">;
using State = Name<"status">;
using PreviousRank = Name<"previous_rank">;
using PreviousScore = Name<"previous_score">;
using Needs = Name<"needs">;
using Hidden = Name<"hidden">;
using Duplicate = Name<"duplicate">;
using Periods = Name<"periods">;
// Percentiles and histograms.
using Percent = Name<"percentile">;
using Worse = Name<"worse">;
using Equal = Name<"equal">;
using From = Name<"from">;
using To = Name<"to">;
// Descriptions and lists of periods.
using BoardName = Name<"board">;
using Fields = Name<"fields">;
using FieldName = Name<"name">;
using Type = Name<"type">;
using DirectionOf = Name<"direction">;
using OperatorOf = Name<"operator">;
using PolicyOf = Name<"policy">;
using TieOf = Name<"tie">;
using Cap = Name<"cap">;
using Start = Name<"start">;
using End = Name<"end">;
using Grace = Name<"grace">;
using Expire = Name<"expire">;
using Dedup = Name<"dedup">;
using Feed = Name<"feed">;
using Ids = Name<"ids">;
using SizeOf = Name<"size">;
using Bytes = Name<"bytes">;
using Zone = Name<"tz">;
using Create = Name<"create">;
using Turn = Name<"turn">;
using Keep = Name<"keep">;
using PeriodOf = Name<"period">;
using Begin = Name<"begin">;
using Present = Name<"present">;
using Closed = Name<"closed">;

// Calls use(name) with the period's name as a field.
template <typename Use>
void WithPeriod(Period period, const Use& use) {
  switch (period) {
    case Period::kHour:
      return use(Name<"hour">());
    case Period::kDay:
      return use(Name<"day">());
    case Period::kWeek:
      return use(Name<"week">());
    case Period::kMonth:
      return use(Name<"month">());
    case Period::kAll:
      return use(Name<"all">());
  }
}

}  // namespace field

template <typename Writer>
class ShapedAnswer : public Answer {
 public:
  // `board`: the board's own name. `host`: null if the host admits all and has no change feed.
  // `writer`, `host` and the bytes of `board` must outlive this object.
  ShapedAnswer(Writer* writer, std::string_view board, AnswerHost* host = nullptr)
      : writer_(*writer), board_(board), host_(host) {}

  [[nodiscard]] Status Admit(std::uint64_t returned) override {
    return host_ != nullptr ? host_->Admit(returned) : Ok{};
  }

  void Refused(const Error& error) override {
    writer_.Error(error);
    writer_.Flush();
  }
  void Done() override {
    writer_.Ok();
    writer_.Flush();
  }
  void Absent(Missing what) override {
    what == Missing::kEntries || what == Missing::kScore ? writer_.NullArray() : writer_.Null();
    writer_.Flush();
  }
  void Number(std::uint64_t number) override {
    Whole(number);
    writer_.Flush();
  }
  void Verdicts(const VerdictList& list) override;

  void OneEntry(const EntryShape& shape, const EntryLine& entry) override {
    WriteEntry(shape, entry, std::nullopt);
    writer_.Flush();
  }
  void BeginEntries(const EntryShape& /*shape*/, std::uint64_t count) override {
    writer_.Array(count);
    if (count == 0) writer_.Flush();
  }
  void NextEntry(const EntryShape& shape, const EntryLine& entry,
                 std::optional<std::uint64_t> place) override {
    WriteEntry(shape, entry, place);
    writer_.Flush();
  }

  void ShowPercentile(const Percentile& percentile) override;
  void ShowScore(const Spec& spec, const Score& score) override {
    WriteScore(spec, score);
    writer_.Flush();
  }
  void ShowHistogram(const Spec& spec, std::span<const HistogramBucket> buckets) override;
  void ShowDescription(const Description& description) override;
  void ShowPeriods(std::span<const PeriodLine> lines) override;
  // A spec alone, as a map with the names of a description.
  void ShowSpec(const Spec& spec);

 protected:
  // See AnswerHost. Called for closed instances only.
  virtual std::optional<std::string> CloseCursor(const PeriodLine& line) {
    return host_ != nullptr ? host_->CloseCursor(line) : std::nullopt;
  }

 private:
  void Whole(std::uint64_t number) { writer_.Integer(static_cast<std::int64_t>(number)); }
  void WholeOrNull(const std::optional<std::uint64_t>& number) {
    number ? Whole(*number) : writer_.Null();
  }
  void MomentOrNull(const std::optional<Stamp>& moment) {
    moment ? writer_.Moment(*moment) : writer_.Null();
  }
  template <typename Name>
  void NumberField(Name name, std::uint64_t number) {
    writer_.Field(name);
    Whole(number);
  }
  template <typename Name>
  void TextField(Name name, std::string_view text) {
    writer_.Field(name);
    writer_.Bulk(text);
  }
  template <typename Name>
  void MomentField(Name name, const std::optional<Stamp>& moment) {
    writer_.Field(name);
    MomentOrNull(moment);
  }
  // A time as LB.CREATE takes it.
  template <typename Name>
  void TimeField(Name name, const std::optional<Stamp>& time) {
    writer_.Field(name);
    time ? writer_.Bulk(base::FormatIsoTime(*time)) : writer_.Null();
  }
  void WriteScore(const Spec& spec, const Score& score) {
    writer_.Array(score.size());
    for (std::size_t i = 0; i < score.size(); ++i) {
      writer_.Decimal(score[i], spec.fields[i].decimals);
    }
  }
  void ScoreOrNull(const Spec& spec, const std::optional<Score>& score) {
    score ? WriteScore(spec, *score) : writer_.Null();
  }
  void WriteEntry(const EntryShape& shape, const EntryLine& entry,
                  const std::optional<std::uint64_t>& place);
  // Writes a verdict as a map. The caller then writes `more` further pairs of that map.
  void WriteVerdict(const Spec& spec, const Verdict& verdict, std::size_t more);
  void WriteFields(const Spec& spec);
  // Pairs of a description. `spec`: of the board or instance; window, ids and periods belong to the
  // board, which has the spec `declared`.
  static constexpr std::size_t kSpecPairs = 9;
  void WriteSpecPairs(const Spec& spec, const Spec& declared);
  static constexpr std::size_t kPeriodPairs = 4;
  void WritePeriodPairs(const Spec& declared);
  void WritePeriodLine(const PeriodLine& line);

  Writer& writer_;
  std::string_view board_;
  AnswerHost* host_;
};

template <typename Writer>
void ShapedAnswer<Writer>::WriteEntry(const EntryShape& shape, const EntryLine& entry,
                                      const std::optional<std::uint64_t>& place) {
  writer_.Map(4 + (shape.with_meta ? 1U : 0U) + (shape.with_place ? 1U : 0U) +
              (shape.count ? 1U : 0U));
  writer_.Field(field::Rank());
  WholeOrNull(entry.rank);
  writer_.Field(field::Member());
  writer_.Bulk(entry.member);
  writer_.Field(field::ScoreOf());
  entry.score != nullptr ? WriteScore(*shape.spec, *entry.score) : writer_.Null();
  writer_.Field(field::Reached());
  entry.score != nullptr ? writer_.Moment(entry.stamp) : writer_.Null();
  if (shape.with_meta) {
    writer_.Field(field::Meta());
    entry.meta.empty() ? writer_.Null() : writer_.Bulk(entry.meta);
  }
  if (shape.with_place) {
    writer_.Field(field::Place());
    WholeOrNull(place);
  }
  if (shape.count) NumberField(field::Count(), *shape.count);
}

template <typename Writer>
void ShapedAnswer<Writer>::WriteVerdict(const Spec& spec, const Verdict& verdict,
                                        std::size_t more) {
  writer_.Map(6 + (verdict.needs ? 1U : 0U) + (verdict.hidden ? 1U : 0U) + more);
  TextField(field::State(), StatusName(verdict.status));
  writer_.Field(field::Rank());
  WholeOrNull(verdict.rank);
  writer_.Field(field::PreviousRank());
  WholeOrNull(verdict.previous_rank);
  writer_.Field(field::ScoreOf());
  ScoreOrNull(spec, verdict.score);
  writer_.Field(field::PreviousScore());
  ScoreOrNull(spec, verdict.previous_score);
  MomentField(field::Reached(), verdict.stamp);
  if (verdict.needs) {
    writer_.Field(field::Needs());
    WriteScore(spec, *verdict.needs);
  }
  if (verdict.hidden) {
    writer_.Field(field::Hidden());
    writer_.Bool(true);
  }
}

template <typename Writer>
void ShapedAnswer<Writer>::Verdicts(const VerdictList& list) {
  const Spec& spec = *list.spec;
  const std::size_t boards = list.boards();
  if (!list.single) writer_.Array(list.verdicts.size() / boards);
  for (std::size_t at = 0; at + boards <= list.verdicts.size(); at += boards) {
    WriteVerdict(spec, list.verdicts[at], (list.duplicate ? 1U : 0U) + (boards > 1 ? 1U : 0U));
    if (list.duplicate) {
      writer_.Field(field::Duplicate());
      writer_.Bool(true);
    }
    if (boards > 1) {
      writer_.Field(field::Periods());
      writer_.Map(boards - 1);
      for (std::size_t i = 1; i < boards; ++i) {
        field::WithPeriod(spec.periods[i], [&](auto name) { writer_.Field(name); });
        WriteVerdict(spec, list.verdicts[at + i], 0);
      }
    }
    writer_.Flush();
  }
}

template <typename Writer>
void ShapedAnswer<Writer>::ShowPercentile(const Percentile& percentile) {
  std::array<char, kMaxNumberText> buffer;
  std::string_view percent =
      FormatNumber(static_cast<std::int64_t>(percentile.ten_thousandths), 4, buffer);
  // The shortest text. A Redis module can reply it to the byte; a fixed number of decimals it
  // cannot.
  percent.remove_suffix(percent.size() - 1 - percent.find_last_not_of('0'));
  if (percent.ends_with('.')) percent.remove_suffix(1);
  writer_.Map(4);
  writer_.Field(field::Percent());
  writer_.Double(percent);
  NumberField(field::Worse(), percentile.worse);
  NumberField(field::Equal(), percentile.equal);
  NumberField(field::Count(), percentile.count);
  writer_.Flush();
}

template <typename Writer>
void ShapedAnswer<Writer>::ShowHistogram(const Spec& spec,
                                         std::span<const HistogramBucket> buckets) {
  const int decimals = spec.fields[0].decimals;
  writer_.Array(buckets.size());
  for (const HistogramBucket& bucket : buckets) {
    writer_.Map(3);
    writer_.Field(field::From());
    writer_.Decimal(bucket.from, decimals);
    writer_.Field(field::To());
    writer_.Decimal(bucket.to, decimals);
    NumberField(field::Count(), bucket.count);
  }
  writer_.Flush();
}

template <typename Writer>
void ShapedAnswer<Writer>::WriteFields(const Spec& spec) {
  writer_.Array(spec.fields.size());
  for (const Field& field_of : spec.fields) {
    writer_.Map(4);
    TextField(field::FieldName(), field_of.name);
    TextField(field::Type(), TypeName(field_of));
    TextField(field::DirectionOf(), DirectionName(field_of.direction));
    TextField(field::OperatorOf(), OperatorName(field_of.op));
  }
}

template <typename Writer>
void ShapedAnswer<Writer>::WriteSpecPairs(const Spec& spec, const Spec& declared) {
  writer_.Field(field::Fields());
  WriteFields(spec);
  TextField(field::PolicyOf(), PolicyName(spec.policy));
  TextField(field::TieOf(), TieName(spec.tie));
  NumberField(field::Cap(), spec.cap);
  TimeField(field::Start(), declared.start);
  TimeField(field::End(), declared.end);
  TextField(field::Grace(), base::FormatDuration(declared.grace_us));
  writer_.Field(field::Expire());
  declared.expire_us > 0 ? writer_.Bulk(base::FormatDuration(declared.expire_us)) : writer_.Null();
  NumberField(field::Dedup(), declared.dedup);
}

template <typename Writer>
void ShapedAnswer<Writer>::WritePeriodPairs(const Spec& declared) {
  writer_.Field(field::Periods());
  writer_.Array(declared.periods.size());
  for (const Period period : declared.periods) writer_.Bulk(PeriodName(period));
  TextField(field::Zone(), declared.zone);
  TextField(field::Turn(), FormatTurn(declared.turn_minutes));
  NumberField(field::Keep(), declared.keep);
}

template <typename Writer>
void ShapedAnswer<Writer>::ShowSpec(const Spec& spec) {
  const bool has_periods = !spec.periods.empty();
  writer_.Map(kSpecPairs + (has_periods ? kPeriodPairs : 0));
  WriteSpecPairs(spec, spec);
  if (has_periods) WritePeriodPairs(spec);
  writer_.Flush();
}

template <typename Writer>
void ShapedAnswer<Writer>::ShowDescription(const Description& description) {
  const Spec& declared = *description.declared;
  const bool has_periods = !description.instance && !declared.periods.empty();
  writer_.Map(kSpecPairs + 6 + (has_periods ? kPeriodPairs : 0) + (description.feed > 0 ? 1U : 0U));
  TextField(field::BoardName(), description.instance ? InstanceName(board_, *description.instance)
                                                     : std::string(board_));
  WriteSpecPairs(*description.spec, declared);
  NumberField(field::Ids(), description.ids);
  NumberField(field::SizeOf(), description.size);
  NumberField(field::Hidden(), description.hidden);
  NumberField(field::Bytes(), description.bytes);
  if (has_periods) WritePeriodPairs(declared);
  if (description.feed > 0) NumberField(field::Feed(), description.feed);
  std::string create = DescribeSpec(declared);
  if (description.feed > 0) create += " FEED " + std::to_string(description.feed);
  TextField(field::Create(), create);
  writer_.Flush();
}

template <typename Writer>
void ShapedAnswer<Writer>::WritePeriodLine(const PeriodLine& line) {
  const bool for_ever = line.span.period == Period::kAll;
  writer_.Map(7);
  TextField(field::BoardName(), InstanceName(board_, line.span));
  TextField(field::PeriodOf(), PeriodName(line.span.period));
  MomentField(field::Begin(), for_ever ? std::nullopt : std::optional(line.span.begin));
  MomentField(field::End(), for_ever ? std::nullopt : std::optional(line.span.end));
  writer_.Field(field::Present());
  writer_.Bool(line.present);
  NumberField(field::SizeOf(), line.size);
  writer_.Field(field::Closed());
  const std::optional<std::string> cursor = line.closed ? CloseCursor(line) : std::nullopt;
  cursor ? writer_.Bulk(*cursor) : writer_.Null();
}

template <typename Writer>
void ShapedAnswer<Writer>::ShowPeriods(std::span<const PeriodLine> lines) {
  writer_.Array(lines.size());
  for (const PeriodLine& line : lines) WritePeriodLine(line);
  writer_.Flush();
}

}  // namespace laurel::leaderboard
