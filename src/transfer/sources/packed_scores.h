// PackedScores: detects, from a sample, whether the scores of a sorted set contain times besides
// the values.
//
// If packed scores are read as plain, the values are meaningless, but no error occurs. A codec with
// default parameters fits if it decodes at least nine of ten scores to times from 2009 to now, as
// about one in 17 random numbers of that size does. A codec whose times count from or to an unknown
// moment fits if they lie in one window for all values. A codec is reported only if fewer than one
// in 200 sets of as many random numbers would fit. Sets of small numbers fit no codec.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laurel/stamp.h"

namespace laurel::transfer {

class PackedScores {
 public:
  explicit PackedScores(Stamp now) : now_(now) {}

  [[nodiscard]] bool full() const { return samples_.size() >= kMostSamples; }
  // REQUIRES: !full().
  void Add(double score, std::string_view member) { samples_.emplace_back(score, member); }

  struct Found {
    std::string options;  // "--codec scaled-time"
    std::string reason;   // what the codec decodes from the scores
  };
  // Returns the codec that fits; none if the scores may be plain.
  [[nodiscard]] std::optional<Found> Find() const;

 private:
  static constexpr std::size_t kMostSamples = 1000;

  Stamp now_;
  std::vector<std::pair<double, std::string>> samples_;
};

}  // namespace laurel::transfer
