// LB.CHANGES with BLOCK: a change of the board wakes its readers and no others, and a cancelled
// reader leaves nothing behind in the engine.
//
// LAUREL_TEST_SEED   seed of the run; random if not set; always printed
#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/feed/feed_fixture.h"
#include "tests/storage/call_gate.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

using engine::Wakeup;

class FeedWaiting : public FeedFixture {
 protected:
  static constexpr std::size_t kBoards = 20;

  static std::string Board(std::size_t i) { return "lb" + std::to_string(i); }
  void CreateBoards() {
    for (std::size_t i = 0; i < kBoards; ++i) Do(1, "LB.CREATE " + Board(i));
  }
  std::unique_ptr<TestPipeline> Wait(const std::string& board, const std::string& from = "$") {
    return engine_->Begin("LB.CHANGES " + board + " " + from + " BLOCK 0");
  }
};

// The reads of the log can be held back, and with them the feed's thread.
class FeedHeldBack : public FeedWaiting {
 protected:
  FeedHeldBack() {
    engine_.reset();
    gate_.Guard(&folder_);
    Restart();
  }
  ~FeedHeldBack() override { engine_.reset(); }  // before the gate

  CallGate gate_{[](const Call& call) { return call.kind == CallKind::kRead; }};
};

TEST_F(FeedWaiting, ReadersAreWokenOnlyByTheirBoard) {
  CreateBoards();
  base::Random random(TestSeed());
  for (int round = 0; round < 30; ++round) {
    std::vector<std::vector<std::unique_ptr<TestPipeline>>> waiting(kBoards);
    for (std::size_t i = 0; i < kBoards; ++i) {
      const std::string end = engine_->End(Board(i));
      for (std::uint64_t k = random.Below(6); k > 0; --k) waiting[i].push_back(Wait(Board(i), end));
    }
    std::vector<bool> written(kBoards);
    for (std::uint64_t k = 1 + random.Below(8); k > 0; --k) {
      const std::size_t i = random.Below(kBoards);
      if (written[i]) continue;
      written[i] = true;
      Do(1000 + round, "ZADD " + Board(i) + " " + std::to_string(round) + " m");
      Do(1000 + round, "ZADD set" + std::to_string(i) + " " + std::to_string(round) + " m");
    }
    for (std::size_t i = 0; i < kBoards; ++i) {
      for (const auto& pipeline : waiting[i]) {
        if (written[i]) {
          const FeedPage page = ToPage(pipeline->Answer());
          ASSERT_EQ(page.events.size(), 1U);
          EXPECT_EQ(page.events[0].score, std::to_string(round));
          continue;
        }
        // Still waiting; a timeout answers with an empty page.
        ASSERT_TRUE(engine_->engine().Cancel(pipeline.get(), Wakeup::kTimeout));
        const FeedPage page = ToPage(pipeline->Answer());
        EXPECT_TRUE(page.events.empty() && !page.gap && page.error.empty());
        EXPECT_TRUE(engine_->All(Board(i), page.next).empty());
        EXPECT_FALSE(engine_->engine().Cancel(pipeline.get(), Wakeup::kTimeout));
      }
    }
    EXPECT_EQ(engine_->engine().Measure().blocked, 0U);
  }
}

TEST_F(FeedWaiting, ReaderDoesNotWaitIfThereAreEvents) {
  Do(1, "LB.CREATE lb");
  EXPECT_EQ(ToPage(Wait("lb", "0")->Answer()).events.size(), 1U);
}

TEST_F(FeedWaiting, BlockedReadersAreCountedAndHaveADeadline) {
  Do(1, "LB.CREATE lb");
  const auto forever = Wait("lb");
  EXPECT_EQ(forever->deadline_ms(), 0);
  clock_.Set(kNoon);
  const auto limited = engine_->Begin("LB.CHANGES lb $ BLOCK 1500");
  EXPECT_GT(limited->deadline_ms(), 0);
  // A reader counts as blocked once the feed's thread has found no event for it.
  while (engine_->engine().Measure().blocked < 2) std::this_thread::yield();
  const auto impatient = engine_->Begin("LB.CHANGES lb $");
  impatient->Await();
  EXPECT_EQ(impatient->deadline_ms(), -1);
  for (const auto* pipeline : {&forever, &limited}) {
    EXPECT_TRUE(engine_->engine().Cancel(pipeline->get(), Wakeup::kTimeout));
    (*pipeline)->Await();
  }
}

TEST_F(FeedWaiting, CancelCanEndTheWaitWithAnError) {
  Do(1, "LB.CREATE lb");
  const auto pipeline = Wait("lb");
  ASSERT_TRUE(engine_->engine().Cancel(pipeline.get(), Wakeup::kError));
  const Value reply = pipeline->Answer();
  EXPECT_TRUE(reply.IsError());
  EXPECT_TRUE(reply.text.starts_with("UNBLOCKED")) << reply.text;
}

// The first reader is held back in a read of the log, so the others have not begun when their time
// is over.
TEST_F(FeedHeldBack, TimeoutEndsTheWaitAndNotTheReading) {
  Do(1, "LB.CREATE lb");
  for (int i = 0; i < 9; ++i) Do(2 + i, "ZADD lb " + std::to_string(i) + " m" + std::to_string(i));
  const std::string middle = engine_->Changes("lb", "0", 5).next;
  const Lines places = {"0", "$", "-3", "-3 MEMBER m7", "-3 MEMBER nobody", middle, "0 COUNT 2"};
  gate_.Close();
  std::vector<std::unique_ptr<TestPipeline>> readers;
  for (const std::string& place : places) readers.push_back(Wait("lb", place));
  const auto impatient = engine_->Begin("LB.CHANGES lb 0");
  gate_.AwaitWaiting();
  for (const auto& reader : readers) {
    EXPECT_TRUE(engine_->engine().Cancel(reader.get(), Wakeup::kTimeout));
    EXPECT_FALSE(engine_->engine().Cancel(reader.get(), Wakeup::kTimeout)) << "it waits no more";
  }
  EXPECT_FALSE(engine_->engine().Cancel(impatient.get(), Wakeup::kTimeout)) << "it never waited";
  gate_.Open();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const FeedPage page = ToPage(readers[i]->Answer());
    const FeedPage wanted = ToPage(engine_->Ask("LB.CHANGES lb " + places[i]));
    EXPECT_EQ(Texts(page.events), Texts(wanted.events)) << places[i];
    EXPECT_EQ(page.next, wanted.next) << places[i];
    EXPECT_EQ(page.gap, wanted.gap) << places[i];
  }
  EXPECT_EQ(ToPage(impatient->Answer()).events.size(), 10U);
}

TEST_F(FeedHeldBack, ReaderThatReadsAfterItsTimeIsOverCanBeGone) {
  Do(1, "LB.CREATE lb");
  gate_.Close();
  std::vector<std::unique_ptr<TestPipeline>> readers;
  for (int i = 0; i < 3; ++i) readers.push_back(Wait("lb", "0"));
  gate_.AwaitWaiting();
  for (const auto& reader : readers) {
    EXPECT_TRUE(engine_->engine().Cancel(reader.get(), Wakeup::kTimeout));
    EXPECT_TRUE(engine_->engine().Cancel(reader.get(), Wakeup::kGone));
  }
  gate_.Open();
  Restart();
  for (const auto& reader : readers) EXPECT_EQ(reader->times_done(), 0);
}

// The search takes many slices, and the time is over in one of them.
TEST_F(FeedWaiting, LastEventsOfAMemberAreFoundAfterTheTimeIsOver) {
  Do(1, "LB.CREATE lb");
  constexpr int kOwn = 3;
  const std::string filler(200, 'x');
  for (int batch = 0; batch < 60; ++batch) {
    if (batch < kOwn) Do(2, "ZADD lb " + std::to_string(batch) + " m7");
    std::string line = "LB.MSUBMIT lb 500";
    for (int i = 0; i < 500; ++i) {
      line += " " + filler + std::to_string(i) + " " + std::to_string(batch);
    }
    Do(3, line);
  }
  const auto reader = Wait("lb", "-10000 MEMBER m7");
  EXPECT_TRUE(engine_->engine().Cancel(reader.get(), Wakeup::kTimeout));
  const FeedPage page = ToPage(reader->Answer());
  EXPECT_EQ(page.events.size(), kOwn + 1U) << "with the event of the declaration";
  EXPECT_FALSE(page.gap);
  EXPECT_EQ(page.next, engine_->End("lb"));
}

TEST_F(FeedWaiting, ReaderIsWokenByDropRenameAndFlushall) {
  for (const char* line : {"LB.DROP lb", "RENAME lb other", "FLUSHALL"}) {
    Do(1, "LB.CREATE lb");
    Do(2, "ZADD lb 1 a");
    const auto pipeline = Wait("lb", engine_->End("lb"));
    Do(3, line);
    const FeedPage page = ToPage(pipeline->Answer());
    ASSERT_EQ(page.events.size(), 1U) << line;
    EXPECT_EQ(page.events[0].cause, line[0] == 'R' ? "renamed" : "dropped");
  }
}

TEST_F(FeedWaiting, ReaderOfAnInstanceIsNotWokenByOtherInstances) {
  Do(1, "LB.CREATE lb PERIODS 2 day hour");
  Do(2, "LB.SUBMIT lb a 5");
  const auto hour = Wait("lb@hour", engine_->End("lb"));
  Do(3, "LB.POP lb@day 1");
  Do(4, "LB.POP lb@hour 1");
  const FeedPage page = ToPage(hour->Answer());
  ASSERT_EQ(page.events.size(), 1U);
  EXPECT_EQ(page.events[0].Text(), "removed lb@hour:2026-11-15T12+0000 a");
}

TEST_F(FeedWaiting, ReadersAreWokenByTheCloseOfAPeriodAndByExpiry) {
  Do(1, "LB.CREATE lb PERIODS 1 hour");
  Do(2, "LB.SUBMIT lb a 5");
  Do(3, "LB.CREATE w END 2026-11-15T13:00:00Z EXPIRE 1h");
  const auto period = Wait("lb", engine_->End("lb"));
  const auto window = Wait("w", engine_->End("w"));
  TickAt(3 * kHour);
  EXPECT_EQ(ToPage(period->Answer()).events[0].cause, "closed");
  EXPECT_EQ(ToPage(window->Answer()).events[0].cause, "expired");
}

// A writer, and threads that begin waits and cancel them. Each reader gets exactly one reply, or
// none if it was cancelled with kGone.
TEST_F(FeedWaiting, ReaderGetsExactlyOneReplyUnlessItIsGone) {
  CreateBoards();
  const std::uint64_t seed = TestSeed();
  std::atomic<bool> done = false;
  std::thread writer([&] {
    base::Random random(seed);
    for (int i = 0; !done; ++i) {
      engine_->Ask("ZADD " + Board(random.Below(kBoards)) + " " + std::to_string(i) + " m");
    }
  });
  std::vector<std::thread> consumers;
  for (std::uint64_t k = 0; k < 3; ++k) {
    consumers.emplace_back([&, k] {
      base::Random random(seed + 1 + k);
      for (int i = 0; i < 100; ++i) {
        std::vector<std::unique_ptr<TestPipeline>> pipelines;
        const char* const places[] = {"0", "-3", "$", "$ MEMBER m", "$ MEMBER nobody", "$"};
        for (std::uint64_t n = 1 + random.Below(8); n > 0; --n) {
          pipelines.push_back(
              Wait(Board(random.Below(kBoards)), places[random.Below(std::size(places))]));
        }
        for (auto& pipeline : pipelines) {
          if (random.OneIn(8)) std::this_thread::yield();
          const auto wakeup = static_cast<Wakeup>(random.Below(3));
          const bool cancelled = engine_->engine().Cancel(pipeline.get(), wakeup);
          if (cancelled && wakeup == Wakeup::kGone) {
            EXPECT_EQ(pipeline->times_done(), 0);
            pipeline.reset();
            continue;
          }
          const FeedPage page = ToPage(pipeline->Answer());
          EXPECT_EQ(page.error.empty(), !cancelled || wakeup != Wakeup::kError);
          EXPECT_NE(page.next, "0-0-0-0");
          EXPECT_EQ(pipeline->times_done(), 1);
          EXPECT_TRUE(cancelled || !page.events.empty() || page.gap);
          EXPECT_FALSE(engine_->engine().Cancel(pipeline.get(), wakeup));
        }
      }
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  done = true;
  writer.join();
  EXPECT_EQ(engine_->engine().Measure().blocked, 0U);
}

// Each reader follows one board and blocks at its end; every change wakes it.
TEST_F(FeedWaiting, ReadersMissNoEventWhileOthersWrite) {
  CreateBoards();
  constexpr int kWrites = 300;
  constexpr std::size_t kFollowed = 4;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kFollowed; ++i) {
    threads.emplace_back([this, i] {
      for (int n = 1; n <= kWrites; ++n) {
        engine_->Ask("ZADD " + Board(i) + " " + std::to_string(n) + " m");
      }
    });
    threads.emplace_back([this, i] {
      std::string cursor = "0";
      int last = 0;
      while (last < kWrites) {
        const FeedPage page = ToPage(Wait(Board(i), cursor)->Answer());
        ASSERT_TRUE(page.error.empty() && !page.gap);
        for (const FeedEvent& event : page.events) {
          if (event.cause != "put") continue;
          ASSERT_EQ(event.score, std::to_string(++last));
        }
        cursor = page.next;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(FeedWaiting, BlockedReadersCanBeCancelledBeforeTheEngineCloses) {
  CreateBoards();
  std::vector<std::unique_ptr<TestPipeline>> pipelines;
  for (std::size_t i = 0; i < 200; ++i) pipelines.push_back(Wait(Board(i % kBoards)));
  for (auto& pipeline : pipelines) {
    EXPECT_TRUE(engine_->engine().Cancel(pipeline.get(), Wakeup::kGone));
    pipeline.reset();
  }
  EXPECT_EQ(engine_->engine().Measure().blocked, 0U);
  Restart();
}

}  // namespace
}  // namespace laurel::testing
