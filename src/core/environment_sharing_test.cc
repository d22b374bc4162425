// An environment whose boards other threads free: core/store/environment.h.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory.h"
#include "core/standings.h"

namespace laurel::core {
namespace {

thread_local bool may_leave = true;

bool MayLeave() { return may_leave; }

constexpr Environment::Sharing kShared{.direct_pages = true, .may_leave = MayLeave};

std::unique_ptr<Standings> FilledBoard(Environment* environment, int entries) {
  auto board = std::make_unique<Standings>(Spec(), environment);
  EntryStore::Loader loader = board->Load();
  for (int i = 0; i < entries; ++i) {
    EXPECT_TRUE(loader.Add(MemberKey("member" + std::to_string(i)),
                           board->layout().Encode(Score{i}, i + 1), {}));
  }
  loader.Finish();
  return board;
}

TEST(SharedEnvironment, ALargeBoardIsFreedInSlices) {
  base::CountingMemory memory(base::SystemMemory());
  Environment environment(&memory, 1, Shape(), kShared);
  FilledBoard(&environment, 50'000).reset();
  EXPECT_GT(environment.LeftoverBytes(), 0U);
  EXPECT_EQ(environment.totals().entries, 0U);
  while (environment.Reclaim(1000)) {
  }
  EXPECT_EQ(environment.LeftoverBytes(), 0U);
}

TEST(SharedEnvironment, AThreadThatMayNotLeaveMemoryFreesItAtOnce) {
  base::CountingMemory memory(base::SystemMemory());
  Environment environment(&memory, 1, Shape(), kShared);
  may_leave = false;
  FilledBoard(&environment, 50'000).reset();
  may_leave = true;
  EXPECT_EQ(environment.LeftoverBytes(), 0U);
  EXPECT_FALSE(environment.Reclaim(1));
}

// For ThreadSanitizer: boards with and without dead cells go on other threads, while this one
// reclaims, creates and changes boards.
TEST(SharedEnvironment, OtherThreadsFreeBoardsWhileThisOneWorks) {
  Environment environment(base::SystemMemory(), 1, Shape(), kShared);
  const std::unique_ptr<Standings> stays = FilledBoard(&environment, 5000);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Standings>> boards;
    for (int i = 0; i < 4; ++i) {
      boards.push_back(FilledBoard(&environment, 3000));
      if (i % 2 == 0) continue;
      Effect trim;
      KeyRange range;
      const EntryStore& entries = boards.back()->entries();
      EntryView first;
      EntryView last;
      entries.Read(entries.At(1000), &first);
      entries.Read(entries.At(2999), &last);
      range.count = 2000;
      range.first = first.words;
      range.last = last.words;
      const std::string first_member(first.member);
      const std::string last_member(last.member);
      range.first_member = first_member;
      range.last_member = last_member;
      trim.kind = Effect::Kind::kDeleteRange;
      trim.range = &range;
      boards.back()->Apply(trim);
      EXPECT_EQ(boards.back()->entries().size(), 1000U);
    }
    std::thread other([&boards] {
      may_leave = false;
      boards.clear();
    });
    for (int i = 0; i < 100; ++i) environment.Reclaim(50);
    FilledBoard(&environment, 500).reset();
    other.join();
  }
  while (environment.Reclaim(1000)) {
  }
  EXPECT_EQ(environment.totals().entries, 5000U);
  EXPECT_EQ(stays->Validate(), "");
}

}  // namespace
}  // namespace laurel::core
