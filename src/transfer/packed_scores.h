// PackedScores: whether the scores of a sorted set hold times beside the values, by a sample.
//
// A set of packed scores that is read as plain gives values that mean nothing, without an error. A
// codec fits if it decodes at least nine of ten scores to times from 2009 to now. Of random numbers
// of that size about one in 17 does; a codec is named if fewer than one in 200 sets of random
// numbers of as many rows would fit. Sets of small numbers fit no codec.
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
    std::string reason;   // what the codec makes of the scores
  };
  // The codec that fits; none if the scores may well be plain.
  [[nodiscard]] std::optional<Found> Find() const;

 private:
  static constexpr std::size_t kMostSamples = 1000;

  Stamp now_;
  std::vector<std::pair<double, std::string>> samples_;
};

}  // namespace laurel::transfer
