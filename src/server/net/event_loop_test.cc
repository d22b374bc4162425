#include "server/net/event_loop.h"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace laurel::server {
namespace {

using std::chrono::milliseconds;

// A pair of connected sockets. Notes what the loop reports of the first one.
class Watched final : public EventLoop::Watcher {
 public:
  explicit Watched(EventLoop* loop) : loop_(loop) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair_.data()), 0);
    EXPECT_TRUE(loop_->Add(pair_[0], this));
  }
  ~Watched() override {
    loop_->Remove(pair_[0], this);
    for (const int end : pair_) close(end);
  }

  void OnEvents(std::uint32_t events) override {
    seen.push_back(events);
    if (on_event) on_event();
  }
  void Send() const { EXPECT_EQ(write(pair_[1], "x", 1), 1); }

  std::vector<std::uint32_t> seen;
  std::function<void()> on_event;

 private:
  EventLoop* loop_;
  std::array<int, 2> pair_{};
};

class EventLoopTest : public ::testing::Test {
 protected:
  void Round() { loop_.RunRound(EventLoop::Wait::kNo); }
  // Waits for an event, a task or a timer. A test that waits for nothing would hang.
  void WaitForOne() { loop_.RunRound(EventLoop::Wait::kForAnEvent); }

  int rounds_ = 0;
  bool more_ = false;
  EventLoop loop_{[this] {
    ++rounds_;
    return more_;
  }};
};

TEST_F(EventLoopTest, ReportsEachReadinessOnce) {
  Watched socket(&loop_);
  Round();
  socket.seen.clear();
  socket.Send();
  Round();
  ASSERT_EQ(socket.seen.size(), 1U);
  EXPECT_NE(socket.seen[0] & EPOLLIN, 0U);
  Round();
  EXPECT_EQ(socket.seen.size(), 1U) << "nothing new";
  socket.Send();
  Round();
  EXPECT_EQ(socket.seen.size(), 2U);
  EXPECT_EQ(rounds_, 4);
}

TEST_F(EventLoopTest, AgainCallsOnceInTheNextRoundWithoutWaiting) {
  Watched socket(&loop_);
  Round();
  socket.seen.clear();
  socket.on_event = [&] {
    if (socket.seen.size() == 1) loop_.Again(&socket);
  };
  loop_.Again(&socket);
  WaitForOne();
  EXPECT_EQ(socket.seen, std::vector<std::uint32_t>({0}));
  WaitForOne();
  EXPECT_EQ(socket.seen, std::vector<std::uint32_t>({0, 0}));
}

TEST_F(EventLoopTest, ARemovedWatcherIsNotCalledInTheSameRound) {
  auto first = std::make_unique<Watched>(&loop_);
  auto second = std::make_unique<Watched>(&loop_);
  Round();
  int calls = 0;
  first->on_event = [&] {
    ++calls;
    second.reset();
  };
  second->on_event = [&] {
    ++calls;
    first.reset();
  };
  first->Send();
  second->Send();
  Round();
  EXPECT_EQ(calls, 1);
  (first != nullptr ? first : second)->on_event = nullptr;

  Watched* left = (first != nullptr ? first : second).get();
  Watched other(&loop_);
  Round();
  other.on_event = [&] { calls = 100; };
  left->on_event = [&] { loop_.Remove(-1, &other); };
  loop_.Again(left);
  loop_.Again(&other);
  Round();
  EXPECT_EQ(calls, 1);
}

TEST_F(EventLoopTest, TasksRunInOrderAndThoseTheyPostInTheNextRound) {
  std::string order;
  loop_.Post([&] {
    order += "a";
    loop_.Post([&] { order += "c"; });
  });
  loop_.Post([&] { order += "b"; });
  WaitForOne();
  EXPECT_EQ(order, "ab");
  WaitForOne();
  EXPECT_EQ(order, "abc");
}

TEST_F(EventLoopTest, ATaskOfAnotherThreadWakesTheLoop) {
  constexpr int kTasks = 2000;
  int done = 0;
  std::thread poster([&] {
    for (int i = 0; i < kTasks; ++i) {
      loop_.Post([&] { ++done; });
      if (i % 50 == 0) std::this_thread::yield();
    }
  });
  while (done < kTasks) WaitForOne();
  poster.join();
}

TEST_F(EventLoopTest, AnotherRoundFollowsAtOnceIfTheBatchIsNotDone) {
  more_ = true;
  Round();
  more_ = false;
  WaitForOne();
  EXPECT_EQ(rounds_, 2);
}

TEST_F(EventLoopTest, TimersRunInOrderOfTheirTimes) {
  std::string order;
  EventLoop::Timer late(&loop_);
  EventLoop::Timer early(&loop_);
  EventLoop::Timer cancelled(&loop_);
  EventLoop::Timer again(&loop_);
  late.Start(milliseconds(3), [&] { order += "late"; });
  early.Start(milliseconds(1), [&] {
    order += "early ";
    cancelled.Cancel();
  });
  cancelled.Start(milliseconds(1), [&] { order += "cancelled "; });
  again.Start(milliseconds(0), [&] { order += "first "; });
  again.Start(milliseconds(2), [&] { order += "again "; });
  while (order.find("late") == std::string::npos) WaitForOne();
  EXPECT_EQ(order, "early again late");
}

TEST_F(EventLoopTest, ATimerMayEndItsOwnerAndStartAnew) {
  auto owner = std::make_shared<EventLoop::Timer>(&loop_);
  EventLoop::Timer* timer = owner.get();
  int runs = 0;
  timer->Start(milliseconds(0), [&, owner] {
    ++runs;
    owner->Start(milliseconds(0), [&, owner] { ++runs; });
  });
  const std::weak_ptr<EventLoop::Timer> left = owner;
  owner.reset();
  while (runs < 2) WaitForOne();
  EXPECT_TRUE(left.expired());

  auto cancelled = std::make_shared<EventLoop::Timer>(&loop_);
  cancelled->Start(milliseconds(0), [cancelled] {});
  const std::weak_ptr<EventLoop::Timer> gone = cancelled;
  EventLoop::Timer* last = cancelled.get();
  cancelled.reset();
  last->Cancel();
  EXPECT_TRUE(gone.expired());
}

TEST_F(EventLoopTest, StopEndsARunThatWaits) {
  std::thread stopper([this] { loop_.Stop(); });
  loop_.Run();
  stopper.join();
}

TEST(EventLoop, DropsTasksAndTimersWithTheirOwners) {
  const auto owned = std::make_shared<int>(1);
  {
    EventLoop loop([] { return false; });
    EventLoop::Timer timer(&loop);
    timer.Start(milliseconds(100'000), [owned] {});
    loop.Post([owned] {});
    EXPECT_EQ(owned.use_count(), 3);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
}  // namespace laurel::server
