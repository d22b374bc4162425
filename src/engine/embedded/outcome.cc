#include "engine/embedded/outcome.h"

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "engine/limits.h"
#include "laurel/limits.h"

namespace laurel::engine {
namespace {

// Which of a verdict's parts are there.
enum Part : std::uint8_t {
  kRank = 1,
  kPreviousRank = 2,
  kScore = 4,
  kPreviousScore = 8,
  kStamp = 16,
  kNeeds = 32,
  kHidden = 64,
};

constexpr std::size_t kMaxVerdictBytes = (2 + 3 + 3 * (1 + kMaxFields)) * base::kMaxVarintBytes;

static_assert(kMaxSubmits * kMaxVerdictBytes <= kMaxOutcomeBytes);  // or it could not be read again

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

// Takes values off the front; false once something is missing or wrong.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

  std::uint64_t Number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<std::uint8_t>(rest_[0]);
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }

  std::optional<Score> ScoreIf(bool there) {
    if (!there) return std::nullopt;
    const std::uint64_t fields = Number();
    if (fields > kMaxFields) ok_ = false;
    Score score;
    for (std::uint64_t i = 0; i < fields && ok_; ++i) score.push_back(base::UnZigZag(Number()));
    return score;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

void EncodeVerdicts(std::span<const Verdict> verdicts, std::string* bytes) {
  bytes->clear();
  for (const Verdict& verdict : verdicts) {
    char one[kMaxVerdictBytes];
    bytes->append(one, static_cast<std::size_t>(PutVerdict(one, verdict) - one));
  }
}

bool DecodeVerdicts(std::string_view bytes, std::vector<Verdict>* verdicts) {
  verdicts->clear();
  Cursor cursor(bytes);
  while (!cursor.empty()) {
    Verdict& verdict = verdicts->emplace_back();
    const std::uint64_t status = cursor.Number();
    if (status > static_cast<std::uint64_t>(WriteStatus::kSkipped)) return false;
    verdict.status = static_cast<WriteStatus>(status);
    const std::uint64_t parts = cursor.Number();
    if ((parts & kRank) != 0) verdict.rank = cursor.Number();
    if ((parts & kPreviousRank) != 0) verdict.previous_rank = cursor.Number();
    verdict.score = cursor.ScoreIf((parts & kScore) != 0);
    verdict.previous_score = cursor.ScoreIf((parts & kPreviousScore) != 0);
    if ((parts & kStamp) != 0) verdict.stamp = base::UnZigZag(cursor.Number());
    verdict.needs = cursor.ScoreIf((parts & kNeeds) != 0);
    verdict.hidden = (parts & kHidden) != 0;
    if (!cursor.ok()) return false;
  }
  return true;
}

}  // namespace laurel::engine
