#include "leaderboard/outcome.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/byte_cursor.h"
#include "base/bytes.h"
#include "base/time_text.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "leaderboard/limits.h"

namespace laurel::leaderboard {
namespace {

// Bits that say which optional fields of a verdict are present.
enum VerdictField : std::uint8_t {
  kRank = 1,
  kPreviousRank = 2,
  kScore = 4,
  kPreviousScore = 8,
  kStamp = 16,
  kNeeds = 32,
  kHidden = 64,
};

constexpr std::size_t kMaxVerdictBytes = (2 + 3 + 3 * (1 + kMaxFields)) * base::kMaxVarintBytes;

static_assert(kMaxSubmits * kMaxVerdictBytes <=
              kMaxOutcomeBytes);  // EffectReader refuses longer outcomes

char* PutScore(char* to, const Score& score) {
  to = base::PutVarint(to, score.size());
  for (std::size_t i = 0; i < score.size(); ++i) to = base::PutVarint(to, base::ZigZag(score[i]));
  return to;
}

char* PutVerdict(char* to, const Verdict& verdict) {
  to = base::PutVarint(to, static_cast<std::uint64_t>(verdict.status));
  to = base::PutVarint(
      to, (verdict.rank ? kRank : 0) | (verdict.previous_rank ? kPreviousRank : 0) |
              (verdict.score ? kScore : 0) | (verdict.previous_score ? kPreviousScore : 0) |
              (verdict.stamp ? kStamp : 0) | (verdict.needs ? kNeeds : 0) |
              (verdict.hidden ? kHidden : 0));
  if (verdict.rank) to = base::PutVarint(to, *verdict.rank);
  if (verdict.previous_rank) to = base::PutVarint(to, *verdict.previous_rank);
  if (verdict.score) to = PutScore(to, *verdict.score);
  if (verdict.previous_score) to = PutScore(to, *verdict.previous_score);
  if (verdict.stamp) to = base::PutVarint(to, base::ZigZag(*verdict.stamp));
  if (verdict.needs) to = PutScore(to, *verdict.needs);
  return to;
}

std::optional<Score> ReadScoreIf(bool there, std::size_t fields, base::ByteCursor* cursor) {
  if (!there) return std::nullopt;
  if (cursor->Number() != fields) cursor->Fail();
  Score score;
  for (std::size_t i = 0; i < fields; ++i) score.push_back(base::UnZigZag(cursor->Number()));
  return score;
}

}  // namespace

void EncodeVerdicts(std::span<const Verdict> verdicts, std::string* bytes) {
  bytes->clear();
  for (const Verdict& verdict : verdicts) {
    char one[kMaxVerdictBytes];
    bytes->append(one, static_cast<std::size_t>(PutVerdict(one, verdict) - one));
  }
}

bool DecodeVerdicts(std::string_view bytes, const Spec& spec, std::vector<Verdict>* verdicts) {
  const std::size_t of_spec = spec.fields.size();
  verdicts->clear();
  base::ByteCursor cursor(bytes);
  while (!cursor.empty() && !cursor.failed()) {
    Verdict& verdict = verdicts->emplace_back();
    verdict.status = cursor.Choose(WriteStatus::kSkipped);
    const std::uint64_t fields = cursor.Number();
    if ((fields & kRank) != 0) verdict.rank = cursor.Number();
    if ((fields & kPreviousRank) != 0) verdict.previous_rank = cursor.Number();
    verdict.score = ReadScoreIf((fields & kScore) != 0, of_spec, &cursor);
    verdict.previous_score = ReadScoreIf((fields & kPreviousScore) != 0, of_spec, &cursor);
    if ((fields & kStamp) != 0) verdict.stamp = base::UnZigZag(cursor.Number());
    verdict.needs = ReadScoreIf((fields & kNeeds) != 0, of_spec, &cursor);
    verdict.hidden = (fields & kHidden) != 0;
  }
  return !cursor.failed();
}

std::string DescribeRequest(const Spec& spec, const RememberedRequest& request) {
  // A board that was restored from foreign bytes may hold any time.
  std::string text = base::FormatIsoTime(std::clamp<Stamp>(request.at, 0, base::kMaxTime));
  std::vector<Verdict> verdicts;
  if (!DecodeVerdicts(request.outcome, spec, &verdicts) || verdicts.empty()) return text;
  const std::size_t members = verdicts.size() / std::max<std::size_t>(spec.periods.size(), 1);
  text += members > 1 ? ": " + std::to_string(members) + " members, the first " : ": ";
  const Verdict& verdict = verdicts.front();
  text += StatusName(verdict.status);
  if (verdict.rank) text += ", rank " + std::to_string(*verdict.rank);
  if (!verdict.score) return text;
  text += ", score";
  for (const std::string& value : FormatScore(spec, *verdict.score)) text += " " + value;
  return text;
}

}  // namespace laurel::leaderboard
