#include "wire/leaderboard_answer.h"

#include "base/integer.h"
#include "laurel/limits.h"

namespace laurel::wire {
namespace {

namespace field = leaderboard::field;

template <typename Name>
constexpr std::size_t kField = buffered_reply::Bulk<Name>::kSize;

constexpr std::size_t kInteger = 1 + base::kMaxIntegerText + 2;
constexpr std::size_t kHeader =
    1 + 4 + 2;  // of an array, a map, or a string of less than 10,000 bytes
constexpr std::size_t kString = kHeader + 2;                    // without its bytes
constexpr std::size_t kNumberText = base::kMaxIntegerText + 1;  // with a decimal point

static_assert(kMaxMemberBytes < 10'000 && kMaxMetaBytes < 10'000 && kMaxFields < 10'000);

}  // namespace

std::size_t EntryReplyBytes(const leaderboard::EntryShape& shape) {
  std::size_t bytes = kHeader + kField<field::Rank> + kInteger + kField<field::Member> + kString +
                      kField<field::ScoreOf> + kHeader + kField<field::Reached> + kInteger;
  bytes += shape.spec->fields.size() * (kString + kNumberText);
  if (shape.with_meta) bytes += kField<field::Meta> + kString;
  if (shape.with_place) bytes += kField<field::Place> + kInteger;
  if (shape.count) bytes += kField<field::Count> + kInteger;
  return bytes;
}

}  // namespace laurel::wire
