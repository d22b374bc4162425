// Compares ApplyBatch, which fetches memory ahead, with the same writes applied one by one.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/commands.h"
#include "core/reads.h"
#include "core/store/environment.h"
#include "tests/support/one_write.h"

namespace laurel::core {
namespace {

constexpr std::uint64_t kBackToPacked = 6;  // entries: three eighths of packed_entries

Shape ShapeWith(unsigned leaf_entries) {
  Shape shape;
  shape.packed_entries = 16;
  shape.leaf_entries = leaf_entries;
  shape.inner_children = 4;
  shape.segment_buckets = 2;
  return shape;
}

// Within one batch, long metas take a board of few entries out of the packed form and a small cap
// brings it back.
void ExpectSameAsOneByOne(unsigned leaf_entries, std::uint64_t cap) {
  SCOPED_TRACE("leaf " + std::to_string(leaf_entries) + ", cap " + std::to_string(cap));
  Environment environment(base::SystemMemory(), 0x9e3779b97f4a7c15, ShapeWith(leaf_entries));
  Spec spec;
  spec.cap = cap;
  Standings batched(spec, &environment);
  Standings single(spec, &environment);
  const auto all = [](const Standings& standings) {
    return Page(standings, 0, UINT64_MAX, RankKind::kOrdinal);
  };
  base::Random random(leaf_entries + cap);
  const std::string long_meta(3'000, 'm');
  Stamp stamp = 1'700'000'000'000'000;
  for (int round = 0; round < 300; ++round, stamp += 1'000) {
    std::vector<std::string> members(1 + random.Below(80));
    std::vector<Write> writes;
    for (std::string& member : members) {
      member = "m" + std::to_string(random.Below(150));
      Write write{.member = member, .score = {static_cast<std::int64_t>(random.Below(500))}};
      if (random.OneIn(20)) write.meta = long_meta;
      if (random.OneIn(5)) write.meta = "";
      writes.push_back(write);
    }
    std::vector<Result<Verdict>> verdicts;
    verdicts.clear();
    ApplyBatch(&batched, writes, {stamp, stamp},
               [&](std::size_t, const Result<Verdict>& verdict, const EffectBatch&) {
                 verdicts.push_back(verdict);
               });
    ASSERT_EQ(verdicts.size(), writes.size());
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const Moment own{stamp, stamp + static_cast<Stamp>(i)};
      const Verdict expected = WriteOne(&single, writes[i], own).value();
      ASSERT_EQ(verdicts[i].value(), expected) << "round " << round << ", write " << i;
    }
    ASSERT_EQ(batched.Validate(), "") << "round " << round;
    ASSERT_EQ(all(batched), all(single)) << "round " << round;
    if (round % 50 != 49) continue;
    EffectBatch clear;
    DecideClear(batched, &clear);
    batched.Apply(clear);
    single.Apply(clear);
  }
}

TEST(ApplyBatch, GivesTheSameAsOneByOneAcrossChangesOfForm) {
  for (const unsigned leaf_entries : {4U, 64U}) {
    for (const std::uint64_t cap : {std::uint64_t{0}, kBackToPacked, std::uint64_t{40}}) {
      ExpectSameAsOneByOne(leaf_entries, cap);
    }
  }
}

}  // namespace
}  // namespace laurel::core
