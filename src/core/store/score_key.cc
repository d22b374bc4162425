#include "core/store/score_key.h"

#include <algorithm>

#include "base/assert.h"

namespace laurel::core {

KeyLayout::KeyLayout(const Spec& spec)
    : fields_(static_cast<std::uint8_t>(spec.fields.size())),
      is_double_(spec.kind == BoardKind::kSortedSet) {
  LAUREL_ASSERT(spec.fields.size() <= kMaxFields);
  words_ = is_double_ ? fields_ : static_cast<std::uint8_t>(fields_ + 1);
  order_words_ = spec.tie == Tie::kMember ? fields_ : words_;
  for (std::size_t i = 0; i < spec.fields.size(); ++i) {
    masks_[i] = spec.fields[i].direction == Direction::kAsc ? kSignBit : ~kSignBit;
  }
  masks_[fields_] = spec.tie == Tie::kLast ? ~kSignBit : kSignBit;
}

Words KeyLayout::Encode(const Score& score, Stamp stamp) const {
  LAUREL_ASSERT(score.size() == fields_);
  Words words{};
  for (unsigned i = 0; i < fields_; ++i) words[i] = FieldWord(i, score[i]);
  if (stamped()) words[fields_] = StampWord(stamp);
  return words;
}

Score KeyLayout::ScoreOf(const Words& words) const {
  Score score;
  for (unsigned i = 0; i < fields_; ++i) score.push_back(FieldValue(i, words[i]));
  return score;
}

bool KeyLayout::SameScore(const Words& a, const Words& b) const {
  return std::equal(a.begin(), a.begin() + fields_, b.begin());
}

bool KeyLayout::BetterScore(const Words& a, const Words& b) const {
  return std::lexicographical_compare(a.begin(), a.begin() + fields_, b.begin(),
                                      b.begin() + fields_);
}

}  // namespace laurel::core
