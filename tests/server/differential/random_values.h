// Arguments of random commands: keys, members and numbers, common and awkward ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"

namespace laurel::differential {

// How large the boards of a stream get.
enum class Size { kTiny, kMiddle, kLarge };

class RandomValues {
 public:
  RandomValues(base::Random* random, Size size);

  base::Random& random() { return *random_; }
  Size size() const { return size_; }
  bool OneIn(std::uint64_t n) { return random_->OneIn(n); }
  std::uint64_t Below(std::uint64_t bound) { return random_->Below(bound); }
  std::string Number(std::int64_t low, std::int64_t high);
  std::string Pick(const std::vector<std::string>& choices);

  // One of eight names.
  std::string Key();
  std::string Member();
  // A score as ZADD takes it; rarely an invalid one.
  std::string Score();
  // A bound of a score range, perhaps exclusive or infinite.
  std::string ScoreBound();
  std::string LexBound();
  // A 0-based index; negative ones count from the end.
  std::string Index();
  // For LIMIT, COUNT and the like.
  std::string Count();
  // A text that is no number, or a number out of range.
  std::string BadNumber();
  // An option's name or another word that may confuse a parser. Never BYLEX: Redis does not define
  // lexicographic ranges on a board with several scores.
  std::string Word();
  std::string Glob();
  // How many entries a bulk ZADD should have.
  std::size_t BulkSize();

 private:
  std::string RandomDouble();

  base::Random* random_;
  Size size_;
};

}  // namespace laurel::differential
