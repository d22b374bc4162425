// A connection with a fake transport, engine, loop and conversation.
#include "server/net/connection.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/net/connection_list.h"
#include "server/net/io_thread.h"
#include "tests/support/played_connection.h"

namespace laurel::server {
namespace {

// A line protocol. "ask x" is a request for the engine. Every other line is echoed in brackets
// without the engine; "quit" also closes the connection after its reply, and "slow" delays its
// reply.
class LineConversation final : public Conversation {
 public:
  explicit LineConversation(Connection* connection) : connection_(connection) {}

  Taken Take(std::string_view input) override {
    Taken taken;
    for (;;) {
      const std::size_t end = input.find('\n', taken.bytes);
      if (end == std::string_view::npos) return taken;
      const std::string_view line = input.substr(taken.bytes, end - taken.bytes);
      const bool asks = line.starts_with("ask ");
      if (!asks && !connection_->requests.empty()) return taken;  // replies keep their order
      taken.bytes = end + 1;
      taken.has_pipeline = true;
      if (asks) {
        connection_->requests.emplace_back().literal = line.substr(4);
        continue;
      }
      connection_->replies += "[" + std::string(line) + "]";
      if (line == "quit") connection_->CloseAfterPipeline();
      if (line == "slow") connection_->DelayReplies(1);
    }
  }
  void ReleaseRequests() override { ++released; }
  void EndPipeline(bool complete) override {
    (complete ? ended : paused) += 1;
    if (!connection_->unknown.empty()) connection_->replies = "unknown";
  }
  void OnWake() override { ++woken; }
  void OnDrained() override {
    if (pieces.empty()) return;
    connection_->Write(pieces.front());
    pieces.pop_front();
    connection_->AwaitDrained();
  }
  void OnClosed() override { ++closed; }
  [[nodiscard]] bool NeedsAuth() const override { return stranger; }
  [[nodiscard]] bool MayTimeOut() const override { return true; }
  [[nodiscard]] std::string Describe() const override { return "a line"; }
  [[nodiscard]] std::string User() const override { return "default"; }
  bool OnTokensChanged() override { return keeps_token; }
  bool OnShut() override { return answers_blocked; }

  std::deque<std::string> pieces;  // of a stream, still to be written
  bool stranger = false;
  bool keeps_token = true;
  bool answers_blocked = false;
  int released = 0;
  int ended = 0;
  int paused = 0;
  int woken = 0;
  int closed = 0;

 private:
  Connection* connection_;
};

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    network_.engine = &engine_;
    auto transport = std::make_unique<PlayedTransport>();
    transport_ = transport.get();
    connection_ = std::make_shared<Connection>(&network_, &loop_, &list_, std::move(transport), 7);
    auto conversation = std::make_unique<LineConversation>(connection_.get());
    conversation_ = conversation.get();
    connection_->Converse(std::move(conversation));
    list_.Add(connection_);
    connection_->Start();
  }

  Config config_;
  Network network_{&config_};
  PlayedEngine engine_;
  PlayedLoop loop_;
  ConnectionList list_;
  PlayedTransport* transport_ = nullptr;
  std::shared_ptr<Connection> connection_;
  LineConversation* conversation_ = nullptr;
};

TEST_F(ConnectionTest, AnswersLocalRequestsWithoutTheEngine) {
  transport_->Receive("a\nb\n");
  EXPECT_EQ(transport_->sent, "[a][b]");
  EXPECT_TRUE(loop_.ready.empty());
  EXPECT_TRUE(transport_->reads());
}

TEST_F(ConnectionTest, PassesUnconsumedInputAgain) {
  transport_->Receive("a\nhal");
  transport_->Receive("f\n");
  EXPECT_EQ(transport_->sent, "[a][half]");
}

TEST_F(ConnectionTest, TakesTheNextPipelineWhenTheEngineHasFinishedThePreviousOne) {
  transport_->Receive("ask 1\nask 2\nafter\n");
  EXPECT_EQ(transport_->sent, "");
  ASSERT_EQ(loop_.ready.size(), 1U);
  loop_.ExecuteBatch(&engine_);
  EXPECT_EQ(transport_->sent, "12[after]");
  EXPECT_EQ(conversation_->ended, 2);
}

TEST_F(ConnectionTest, WaitsForAPipelineThatTheEngineFinishesOnAnotherThread) {
  engine_.keeps = true;
  transport_->Receive("ask 1\nafter\n");
  loop_.ExecuteBatch(&engine_);
  EXPECT_EQ(conversation_->released, 1);
  EXPECT_EQ(conversation_->ended, 0);
  std::thread([this] { engine_.kept->Done(); }).join();
  EXPECT_EQ(transport_->sent, "");
  loop_.RunPosted();
  EXPECT_EQ(transport_->sent, "1[after]");
}

TEST_F(ConnectionTest, LetsTheConversationReplaceRepliesOfUnknownOutcome) {
  engine_.keeps = true;
  transport_->Receive("ask 1\n");
  loop_.ExecuteBatch(&engine_);
  engine_.kept->unknown = "no disk";
  engine_.kept->Done();
  loop_.RunPosted();
  EXPECT_EQ(transport_->sent, "unknown");
}

TEST_F(ConnectionTest, ExecutesTheRestOfAPausedPipelineWhenTheClientHasRead) {
  engine_.pauses = true;
  transport_->room = 1;
  transport_->Receive("ask 11\nask 22\n");
  loop_.ExecuteBatch(&engine_);
  EXPECT_EQ(conversation_->paused, 1);
  EXPECT_EQ(transport_->sent, "1");
  EXPECT_TRUE(loop_.ready.empty());
  transport_->MakeRoom(10);
  ASSERT_EQ(loop_.ready.size(), 1U);
  loop_.ExecuteBatch(&engine_);
  EXPECT_EQ(transport_->sent, "1122");
  EXPECT_EQ(conversation_->ended, 1);
}

TEST_F(ConnectionTest, TakesNoRequestsWhileTheClientDoesNotRead) {
  transport_->room = 0;
  transport_->Receive("a\n");
  EXPECT_FALSE(transport_->reads());
  transport_->MakeRoom(10);
  EXPECT_EQ(transport_->sent, "[a]");
  EXPECT_TRUE(transport_->reads());
}

TEST_F(ConnectionTest, ClosesAfterTheRepliesOfThePipeline) {
  transport_->room = 2;
  transport_->Receive("quit\n");
  EXPECT_FALSE(transport_->closed);
  transport_->MakeRoom(10);
  EXPECT_EQ(transport_->sent, "[quit]");
  EXPECT_TRUE(transport_->closed);
  EXPECT_EQ(conversation_->closed, 1);
  EXPECT_EQ(engine_.forgotten, 1);
  EXPECT_EQ(list_.size(), 0U);
}

TEST_F(ConnectionTest, DelaysRepliesAndReadsNothingMeanwhile) {
  transport_->Receive("slow\n");
  EXPECT_EQ(transport_->sent, "");
  EXPECT_FALSE(transport_->reads());
  loop_.RunTimer();  // the timer
  EXPECT_EQ(transport_->sent, "[slow]");
  EXPECT_TRUE(transport_->reads());
}

TEST_F(ConnectionTest, WritesAStreamAsFastAsTheClientReads) {
  conversation_->pieces = {"one ", "two ", "three"};
  transport_->room = 6;
  connection_->AwaitDrained();
  loop_.RunPosted();
  EXPECT_EQ(transport_->sent, "one tw");
  EXPECT_EQ(conversation_->pieces.size(), 1U) << "the next piece waits for room";
  transport_->MakeRoom(100);
  loop_.RunPosted();
  EXPECT_EQ(transport_->sent, "one two three");
}

TEST_F(ConnectionTest, AppendsWritesToTheOutputInProgress) {
  transport_->room = 1;
  transport_->Receive("a\n");
  connection_->Write("!");
  transport_->MakeRoom(100);
  EXPECT_EQ(transport_->sent, "[a]!");
}

TEST_F(ConnectionTest, CoalescesWakesAndDropsThemAfterTheEnd) {
  std::thread([this] {
    connection_->Wake();
    connection_->Wake();
  }).join();
  EXPECT_EQ(conversation_->woken, 0);
  loop_.RunPosted();
  EXPECT_EQ(conversation_->woken, 1);
  connection_->Wake();
  transport_->End();
  loop_.RunPosted();
  EXPECT_EQ(conversation_->woken, 1) << "not after the end";
  EXPECT_EQ(conversation_->closed, 1);
}

TEST_F(ConnectionTest, ClosesAnUnauthenticatedClientAfterAuthTimeout) {
  const std::int64_t late_us = connection_->opened_us() + config_.auth_timeout_ms * 1000 + 1;
  connection_->CheckTimeouts(late_us);
  loop_.RunPosted();
  EXPECT_FALSE(transport_->closed);
  conversation_->stranger = true;
  connection_->CheckTimeouts(late_us);
  loop_.RunPosted();
  EXPECT_TRUE(transport_->closed);
}

TEST_F(ConnectionTest, ShutWhenIdleWaitsForThePipelineInProgress) {
  transport_->Receive("ask 1\n");
  connection_->Shut(Connection::When::kWhenIdle);
  loop_.RunPosted();
  EXPECT_FALSE(transport_->closed);
  loop_.ExecuteBatch(&engine_);
  EXPECT_EQ(transport_->sent, "1");
  EXPECT_TRUE(transport_->closed);
}

TEST_F(ConnectionTest, ShutWhenIdleDoesNotWaitForARequestThatBlocksLater) {
  engine_.keeps = engine_.blocks = true;
  transport_->Receive("ask 1\n");
  connection_->Shut(Connection::When::kWhenIdle);
  loop_.RunPosted();
  EXPECT_FALSE(transport_->closed);
  loop_.ExecuteBatch(&engine_);
  EXPECT_TRUE(transport_->closed);
}

TEST_F(ConnectionTest, ShutWhenIdleWaitsForABlockedRequestThatIsAnsweredSoon) {
  engine_.keeps = engine_.blocks = true;
  conversation_->answers_blocked = true;
  transport_->Receive("ask 1\n");
  loop_.ExecuteBatch(&engine_);
  connection_->Shut(Connection::When::kWhenIdle);
  loop_.RunPosted();
  EXPECT_FALSE(transport_->closed);
  engine_.kept->Done();
  loop_.RunPosted();
  EXPECT_EQ(transport_->sent, "1");
  EXPECT_TRUE(transport_->closed);
}

TEST_F(ConnectionTest, RequestThatBlocksAfterShutIsAnsweredIfItIsAnsweredSoon) {
  engine_.keeps = engine_.blocks = true;
  conversation_->answers_blocked = true;
  transport_->Receive("ask 1\n");
  connection_->Shut(Connection::When::kWhenIdle);
  loop_.RunPosted();
  loop_.ExecuteBatch(&engine_);
  EXPECT_FALSE(transport_->closed);
  engine_.kept->Done();
  loop_.RunPosted();
  EXPECT_EQ(transport_->sent, "1");
  EXPECT_TRUE(transport_->closed);
}

TEST_F(ConnectionTest, GoesOnWhileTheConversationKeepsItsToken) {
  connection_->CheckToken();
  loop_.RunPosted();
  EXPECT_FALSE(transport_->closed);
  transport_->Receive("a\n");
  EXPECT_EQ(transport_->sent, "[a]");
}

TEST_F(ConnectionTest, ClosesWhenTheConversationLosesItsToken) {
  conversation_->keeps_token = false;
  transport_->Receive("ask 1\nafter\n");
  connection_->CheckToken();
  loop_.RunPosted();
  EXPECT_FALSE(transport_->closed) << "the pipeline in progress is answered";
  loop_.ExecuteBatch(&engine_);
  EXPECT_EQ(transport_->sent, "1") << "later requests are not taken";
  EXPECT_TRUE(transport_->closed);
}

// Thousands of live streams are woken at once.
TEST(IoThreadTest, OtherHandlersRunBetweenWokenConnections) {
  Config config;
  Network network(&config);
  PlayedEngine engine;
  network.engine = &engine;
  ConnectionList list;
  IoThread thread(&network);
  std::vector<std::shared_ptr<Connection>> connections;
  std::vector<LineConversation*> conversations;
  constexpr int kConnections = 1000;
  for (int i = 0; i < kConnections; ++i) {
    auto connection = std::make_shared<Connection>(
        &network, &thread, &list, std::make_unique<PlayedTransport>(), std::uint64_t{7});
    auto conversation = std::make_unique<LineConversation>(connection.get());
    conversations.push_back(conversation.get());
    connection->Converse(std::move(conversation));
    connections.push_back(connection);
  }
  const auto woken = [&] {
    return std::count_if(conversations.begin(), conversations.end(),
                         [](const LineConversation* conversation) { return conversation->woken; });
  };
  for (const auto& connection : connections) connection->Wake();
  std::vector<std::ptrdiff_t> seen;  // how many were woken when the other handler ran
  const std::function<void()> handler = [&] {
    seen.push_back(woken());
    if (seen.back() < kConnections) thread.events().Post(handler);
  };
  thread.events().Post(handler);
  while (woken() < kConnections) thread.events().RunRound(EventLoop::Wait::kNo);
  EXPECT_EQ(woken(), kConnections);
  ASSERT_FALSE(seen.empty());
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_LE(seen[i] - seen[i - 1], 50);
  EXPECT_LE(seen[0], 50);
}

}  // namespace
}  // namespace laurel::server
