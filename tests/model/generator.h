// Random input with many edge cases: ties, extreme numbers, members that look like numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "laurel/entry.h"
#include "laurel/score.h"
#include "laurel/spec.h"

namespace laurel::model {

// The start of an episode's clock.
inline constexpr Stamp kBegin = 1'700'000'000'000'000;

// Generates all input of an episode. One seed gives one sequence.
class Generator {
 public:
  // `members`: the approximate number of different members.
  Generator(std::uint64_t seed, std::size_t members);

  [[nodiscard]] const Spec& spec() const { return spec_; }
  // Whether all entries of the sorted set have one score, as lexicographic reads require.
  [[nodiscard]] bool one_score_only() const { return one_score_only_; }
  [[nodiscard]] const std::vector<std::string>& members() const { return members_; }
  base::Random& random() { return random_; }

  std::string_view Member();
  std::vector<std::string_view> Members(std::size_t most);
  // A score with the number of fields of the spec.
  Score RandomScore();
  // A write, now and then with one fault. The generator owns the texts that it refers to.
  Write RandomWrite(Stamp now, std::uint64_t cap);
  ScoreBound RandomBound(BoundSide side);
  LexBound RandomLexBound();
  RankKind Kind();
  // A number from 0 to a little more than `size`, more often a small one; now and then UINT64_MAX.
  std::uint64_t Amount(std::uint64_t size);
  std::string_view Meta();
  std::string_view overlong_member() const { return overlong_member_; }
  std::string_view overlong_meta() const { return overlong_meta_; }

 private:
  enum class Values : std::uint8_t { kFew, kSome, kExtremes, kAny, kRising };
  enum class Names : std::uint8_t { kNumbers, kMixed, kPrefixed, kBinary };

  void ChooseSpec();
  void ChooseCapOrOperators();
  void ChooseWindow();
  std::string MakeMember(Names names, std::size_t number);
  std::string MixedMember(std::size_t number);
  std::int64_t Value();
  std::int64_t Extreme();
  double DoubleValue();
  void AddFault(Write* write, Stamp now);
  bool sorted_set() const { return spec_.kind == BoardKind::kSortedSet; }

  base::Random random_;
  Spec spec_;
  Values values_ = Values::kFew;
  std::uint64_t domain_ = 4;
  std::int64_t rising_ = 0;
  bool one_score_only_ = false;
  double one_score_ = 0;
  std::vector<std::string> members_;
  std::vector<std::string> metas_;
  std::string overlong_member_;
  std::string overlong_meta_;
};

}  // namespace laurel::model
