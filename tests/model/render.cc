#include "model/render.h"

#include <initializer_list>
#include <string>

namespace laurel::model {
namespace {

// Avoids operator+, for which GCC 12 warns of overlapping copies.
std::string Concat(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

std::string_view ReachPrefix(bool exclusive) { return exclusive ? "(" : "["; }

std::string Named(std::string_view name, const std::string& value) {
  return Concat({" ", name, "=", value});
}

std::string StampText(const std::optional<Stamp>& stamp) {
  return stamp ? std::to_string(*stamp) : "none";
}

}  // namespace

std::string Quoted(std::string_view bytes) {
  constexpr std::size_t kMaxShown = 48;
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : bytes.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
  }
  text += "\"";
  if (bytes.size() > kMaxShown) text += Concat({"… (", std::to_string(bytes.size()), " bytes)"});
  return text;
}

std::string Render(bool value) { return value ? "true" : "false"; }
std::string Render(std::uint64_t value) { return std::to_string(value); }
std::string Render(const std::string& value) { return Quoted(value); }
std::string Render(std::string_view member) { return Quoted(member); }
std::string Render(Ok) { return "ok"; }

std::string Render(const Score& score) {
  std::string text = "(";
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(score[i]);
  }
  return text + ")";
}

std::string Render(const Entry& entry) {
  std::string text = Concat({"#", Render(entry.rank), " ", Quoted(entry.member), " ",
                             Render(entry.score), " @", std::to_string(entry.stamp)});
  if (!entry.meta.empty()) text += Named("meta", Quoted(entry.meta));
  return text;
}

std::string Render(const AmongEntry& entry) {
  return Quoted(entry.member) + Named("place", Render(entry.place)) + " " + Render(entry.entry);
}

std::string Render(const Verdict& verdict) {
  std::string text(StatusName(verdict.status));
  text += Named("rank", Render(verdict.rank));
  text += Named("previous_rank", Render(verdict.previous_rank));
  text += Named("score", Render(verdict.score));
  text += Named("previous_score", Render(verdict.previous_score));
  text += Named("stamp", StampText(verdict.stamp));
  text += Named("needs", Render(verdict.needs));
  if (verdict.hidden) text += " hidden";
  return text;
}

std::string Render(const Percentile& percentile) {
  return std::to_string(percentile.ten_thousandths) + "/10000 %" +
         Named("worse", Render(percentile.worse)) + Named("equal", Render(percentile.equal)) +
         Named("count", Render(percentile.count));
}

std::string Render(const HistogramBucket& bucket) {
  return Concat({"[", FormatNumber(bucket.from, 0), ", ", FormatNumber(bucket.to, 0),
                 "): ", std::to_string(bucket.count)});
}

std::string Render(const ScoreBound& bound) {
  if (bound.reach == ScoreBound::Reach::kLowest) return "lowest";
  if (bound.reach == ScoreBound::Reach::kHighest) return "highest";
  return Concat(
      {ReachPrefix(bound.reach == ScoreBound::Reach::kExclusive), std::to_string(bound.value)});
}

std::string Render(const LexBound& bound) {
  if (bound.reach == LexBound::Reach::kLowest) return "-";
  if (bound.reach == LexBound::Reach::kHighest) return "+";
  return Concat({ReachPrefix(bound.reach == LexBound::Reach::kExclusive), Quoted(bound.member)});
}

std::string Render(const Write& write) {
  std::string text = "submit";
  if (write.mode == WriteMode::kSet) text = "set";
  if (write.mode == WriteMode::kIncrement) text = "increment";
  text += Concat({" ", Quoted(write.member), " ", Render(write.score)});
  if (write.condition == Write::If::kAbsent) text += " NX";
  if (write.condition == Write::If::kPresent) text += " XX";
  if (write.only == Write::Only::kGreater) text += " GT";
  if (write.only == Write::Only::kLess) text += " LT";
  if (write.at) text += Concat({" AT ", std::to_string(*write.at)});
  if (write.meta) text += Concat({" META ", Quoted(*write.meta)});
  return text;
}

std::string Render(const Spec& spec) {
  return spec.kind == BoardKind::kSortedSet ? "sorted set" : DescribeSpec(spec);
}

std::string Render(RankKind kind) {
  if (kind == RankKind::kOrdinal) return "ordinal";
  return kind == RankKind::kCompetition ? "competition" : "dense";
}

}  // namespace laurel::model
