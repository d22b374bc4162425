// Keys: encoding a score as words that sort.
//
// Each field becomes a 64-bit word whose unsigned order is best first; the stamp follows as one
// more word. Two entries compare by their words from left to right and, if all are equal, by the
// bytes of their members.
//
//   field, asc    value ^ 0x8000…    flips the sign, so that negative stands before positive
//   field, desc   value ^ 0x7fff…    the same, complemented
//   stamp, first  like asc           stamp, last  like desc
//   double        the usual order-preserving image: all bits flipped below zero, else the sign
//
// Flipping is its own inverse, so words convert back into values exactly. Under tie `member` the
// stamp is stored but takes no part in the order; a sorted set has no stamp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "laurel/limits.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::core {

inline constexpr std::size_t kMaxWords = kMaxFields + 1;

// The words of one entry. KeyLayout::words() is the number of words in use.
using Words = std::array<std::uint64_t, kMaxWords>;

inline constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

inline std::uint64_t OrderedDouble(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

inline double DoubleOf(std::uint64_t word) {
  return std::bit_cast<double>((word & kSignBit) != 0 ? word ^ kSignBit : ~word);
}

// The shape of a board's keys, derived from its spec.
class KeyLayout {
 public:
  explicit KeyLayout(const Spec& spec);

  [[nodiscard]] unsigned fields() const { return fields_; }
  [[nodiscard]] unsigned words() const { return words_; }  // stored per entry
  [[nodiscard]] unsigned order_words() const {
    return order_words_;
  }  // words that take part in the order
  [[nodiscard]] bool stamped() const { return words_ > fields_; }
  [[nodiscard]] bool is_double() const { return is_double_; }

  [[nodiscard]] std::uint64_t FieldWord(unsigned field, std::int64_t value) const {
    if (is_double_) return OrderedDouble(std::bit_cast<double>(value));
    return static_cast<std::uint64_t>(value) ^ masks_[field];
  }
  [[nodiscard]] std::int64_t FieldValue(unsigned field, std::uint64_t word) const {
    if (is_double_) return std::bit_cast<std::int64_t>(DoubleOf(word));
    return static_cast<std::int64_t>(word ^ masks_[field]);
  }
  [[nodiscard]] std::uint64_t StampWord(Stamp stamp) const {
    return static_cast<std::uint64_t>(stamp) ^ masks_[fields_];
  }

  // REQUIRES: score.size() == fields().
  [[nodiscard]] Words Encode(const Score& score, Stamp stamp) const;
  [[nodiscard]] Score ScoreOf(const Words& words) const;
  [[nodiscard]] Stamp StampOf(const Words& words) const {
    return stamped() ? static_cast<Stamp>(words[fields_] ^ masks_[fields_]) : 0;
  }

  // <0, 0, >0: a is before, equal to or after b by the order words. If equal, the members decide.
  [[nodiscard]] int CompareOrder(const Words& a, const Words& b) const {
    for (unsigned i = 0; i < order_words_; ++i) {
      if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
  }
  // Whether the scores are equal: all fields, not the stamp.
  [[nodiscard]] bool SameScore(const Words& a, const Words& b) const;
  // Whether a's score ranks ahead of b's.
  [[nodiscard]] bool BetterScore(const Words& a, const Words& b) const;

 private:
  std::uint8_t fields_ = 0;
  std::uint8_t words_ = 0;
  std::uint8_t order_words_ = 0;
  bool is_double_ = false;
  std::array<std::uint64_t, kMaxWords> masks_{};
};

}  // namespace laurel::core
