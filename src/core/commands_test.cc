#include "core/commands.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "core/standings.h"
#include "core/store/environment.h"
#include "tests/support/one_write.h"

namespace laurel::core {
namespace {

// All routes of a batch are found before its first write. Before the last writes use theirs,
// evictions may have packed the board, and a large meta may have built another tree.
TEST(ApplyBatch, RoutesThroughAReplacedTreeAreNotUsed) {
  Environment environment(base::SystemMemory(), 1);
  Spec spec;
  spec.cap = 24;
  Standings standings(spec, &environment);
  const std::string meta(300, 'm');
  const std::string large_meta(kMaxMetaBytes, 'b');
  std::vector<std::string> names;
  for (int i = 0; i < 56; ++i) names.push_back("member" + std::to_string(i));
  Stamp stamp = 1000;
  for (int i = 0; i < 24; ++i, ++stamp) {
    Write write;
    write.member = names[i];
    write.score = Score{1 + i};
    write.meta = meta;
    ASSERT_TRUE(WriteOne(&standings, write, {stamp, stamp}).ok());
  }
  std::vector<Write> writes(32);
  for (int i = 0; i < 32; ++i) {
    writes[i].member = names[24 + i];
    writes[i].score = Score{1000 + i};
    if (i == 20) writes[i].meta = large_meta;
  }
  std::vector<Result<Verdict>> verdicts;
  ApplyBatch(&standings, writes, {stamp, stamp},
             [&](std::size_t, const Result<Verdict>& verdict, const EffectBatch&) {
               verdicts.push_back(verdict);
             });
  EXPECT_EQ(standings.Validate(), "");
  EXPECT_EQ(standings.entries().size(), 24u);
  for (const Result<Verdict>& verdict : verdicts) {
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(verdict->status, WriteStatus::kAccepted);
  }
}

}  // namespace
}  // namespace laurel::core
