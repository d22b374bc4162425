#include "leaderboard/request_ids.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace laurel::leaderboard {
namespace {

class RequestIdsTest : public testing::Test {
 protected:
  void Remember(std::uint64_t sequence, std::string_view id, std::string_view outcome = "told") {
    ids_.Remember({sequence, static_cast<Stamp>(sequence * 10), 7, id, outcome});
  }
  std::string Outcome(std::string_view id) {
    RememberedRequest request;
    return ids_.Find(id, &request) ? std::string(request.outcome) : "none";
  }
  static std::vector<std::uint64_t> Sequences(const RequestIds& ids) {
    std::vector<std::uint64_t> sequences;
    ids.ForSome(0, SIZE_MAX,
                [&](const RememberedRequest& request) { sequences.push_back(request.sequence); });
    return sequences;
  }

  core::Total total_;
  RequestIds ids_{core::MemberHash{3}, std::pmr::get_default_resource(), &total_};
};

TEST_F(RequestIdsTest, FindsWhatItRemembers) {
  Remember(1, "a", "first");
  Remember(2, std::string(100, 'b'), std::string(1'000, 'x'));
  RememberedRequest request;
  ASSERT_TRUE(ids_.Find("a", &request));
  EXPECT_EQ(request.sequence, 1U);
  EXPECT_EQ(request.at, 10);
  EXPECT_EQ(request.identity, 7U);
  EXPECT_EQ(request.outcome, "first");
  EXPECT_EQ(Outcome(std::string(100, 'b')), std::string(1'000, 'x'));
  EXPECT_EQ(Outcome("c"), "none");
  EXPECT_EQ(ids_.next_sequence(), 3U);
}

TEST_F(RequestIdsTest, ForgetsTheOldestFirst) {
  for (std::uint64_t i = 1; i <= 100; ++i) Remember(i, std::to_string(i));
  ids_.ForgetBefore(41);
  EXPECT_EQ(ids_.size(), 60U);
  EXPECT_EQ(Outcome("40"), "none");
  EXPECT_EQ(Outcome("41"), "told");
  EXPECT_EQ(ids_.Oldest().id, "41");
  ids_.ForgetBefore(1'000);
  EXPECT_EQ(ids_.size(), 0U);
  EXPECT_EQ(ids_.bytes(), 0U);
  EXPECT_EQ(ids_.next_sequence(), 1'000U);
}

TEST_F(RequestIdsTest, KeepsItsSizeInATotalWithOthers) {
  for (std::uint64_t i = 1; i <= 10; ++i) Remember(i, std::to_string(i));
  {
    RequestIds other(core::MemberHash{3}, std::pmr::get_default_resource(), &total_);
    for (std::uint64_t i = 1; i <= 5; ++i) other.Remember({i, 0, 0, std::to_string(i), "x"});
    other.Remember({5, 0, 0, "repeated", "x"});  // does nothing
    EXPECT_EQ(total_, 15U);
    other.ForgetBefore(3);
    EXPECT_EQ(total_, 13U);
  }
  EXPECT_EQ(total_, 10U);
}

TEST_F(RequestIdsTest, AForgottenIdCanBeRememberedAgain) {
  Remember(1, "a", "first");
  ids_.ForgetBefore(2);
  Remember(2, "a", "second");
  EXPECT_EQ(Outcome("a"), "second");
}

TEST_F(RequestIdsTest, ARepeatedIdFindsTheLaterRequest) {
  Remember(1, "a", "first");
  Remember(2, "a", "second");
  EXPECT_EQ(Outcome("a"), "second");
  ids_.ForgetBefore(2);
  EXPECT_EQ(Outcome("a"), "second");
}

// Compared with a plain list, through many generations of the index, large and small.
TEST_F(RequestIdsTest, HoldsTheSameRequestsAsAPlainList) {
  base::Random random(5);
  std::deque<std::pair<std::uint64_t, std::string>> list;
  std::uint64_t sequence = 0;
  std::size_t kept = 0;
  for (int step = 0; step < 60'000; ++step) {
    if (step % 3'000 == 0) kept = random.OneIn(2) ? random.Below(5) : random.Below(2'000);
    sequence += random.OneIn(100) ? 1 + random.Below(1'000) : 1;
    const std::string id = "id-" + std::to_string(random.Below(4'000));
    list.emplace_back(sequence, id);
    Remember(sequence, id, std::to_string(sequence));
    while (list.size() > kept) list.pop_front();
    ids_.ForgetBefore(list.empty() ? sequence + 1 : list.front().first);
    ASSERT_EQ(ids_.size(), list.size());
    ASSERT_EQ(total_, list.size());
    const std::string asked = "id-" + std::to_string(random.Below(4'000));
    const auto last = std::find_if(list.rbegin(), list.rend(),
                                   [&](const auto& known) { return known.second == asked; });
    ASSERT_EQ(Outcome(asked), last == list.rend() ? "none" : std::to_string(last->first));
  }
}

TEST_F(RequestIdsTest, FreesMemoryWhenItHoldsFewerRequests) {
  std::uint64_t sequence = 0;
  const auto go_on = [&](std::uint64_t count, std::uint64_t kept) {
    for (std::uint64_t i = 0; i < count; ++i) {
      ++sequence;
      Remember(sequence, std::to_string(sequence));
      if (sequence > kept) ids_.ForgetBefore(sequence - kept + 1);
    }
  };
  go_on(300'000, 100'000);
  const std::size_t many = ids_.bytes();
  EXPECT_LT(many, 100'000U * 80);
  go_on(1'000, 100);
  EXPECT_LT(ids_.bytes(), many / 100);
}

TEST_F(RequestIdsTest, AcceptsSequenceNumbersUpToTheMaximum) {
  constexpr std::uint64_t kLast = RememberedRequest::kMaxSequence;
  ids_.ForgetBefore(kLast - 1);
  Remember(kLast - 1, "a", "one before");
  EXPECT_FALSE(ids_.IsSpent());
  Remember(kLast, "b", "last");
  EXPECT_TRUE(ids_.IsSpent());
  EXPECT_EQ(Outcome("a"), "one before");
  EXPECT_EQ(Outcome("b"), "last");
  ids_.ForgetBefore(kLast);
  EXPECT_EQ(Outcome("b"), "last");
  ids_.ForgetBefore(kLast + 1);
  EXPECT_EQ(ids_.size(), 0U);
}

TEST_F(RequestIdsTest, WalksInSlices) {
  for (std::uint64_t i = 1; i <= 10; ++i) Remember(i * 2, std::to_string(i));
  std::vector<std::uint64_t> seen;
  std::uint64_t at = 0;
  while (at < ids_.next_sequence()) {
    at = ids_.ForSome(at, 3,
                      [&](const RememberedRequest& request) { seen.push_back(request.sequence); });
  }
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}));
}

// Snapshots rely on this: effects that are applied again, from any earlier point, lead to the same
// requests.
TEST_F(RequestIdsTest, EffectsAppliedAgainGiveTheSameRequests) {
  base::Random random(11);
  for (int round = 0; round < 200; ++round) {
    struct Step {
      bool forget;
      std::uint64_t sequence;
    };
    std::vector<Step> steps;
    std::uint64_t next = 1;
    std::uint64_t oldest = 1;
    for (int i = 0; i < 30; ++i) {
      if (random.OneIn(4) && oldest < next) {
        oldest += 1 + random.Below(next - oldest);
        steps.push_back({true, oldest});
      } else {
        steps.push_back({false, next++});
      }
    }
    const auto apply = [&](RequestIds* ids, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        if (steps[i].forget) {
          ids->ForgetBefore(steps[i].sequence);
        } else {
          ids->Remember({steps[i].sequence, 0, 0, std::to_string(steps[i].sequence), "x"});
        }
      }
    };
    RequestIds live(core::MemberHash{3}, std::pmr::get_default_resource(), &total_);
    apply(&live, 0, steps.size());
    RequestIds repeated(core::MemberHash{3}, std::pmr::get_default_resource(), &total_);
    const std::size_t walked_at = random.Below(steps.size() + 1);
    apply(&repeated, 0, walked_at);
    apply(&repeated, random.Below(walked_at + 1), steps.size());
    EXPECT_EQ(Sequences(repeated), Sequences(live)) << "round " << round;
  }
}

}  // namespace
}  // namespace laurel::leaderboard
