// A connection with a fake transport, engine, loop and conversation.
#include "server/net/connection.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "server/net/connection_list.h"

namespace laurel::server {
namespace {

// Sends at most `room` bytes.
class PlayedTransport final : public Transport {
 public:
  PlayedTransport() : Transport("1.2.3.4:5", "6.7.8.9:10") {}

  // Simulates input from the client. REQUIRES: a read is in progress.
  void Receive(std::string_view text) {
    ASSERT_NE(read_to_, nullptr);
    ASSERT_LE(text.size(), read_bytes_);
    std::memcpy(std::exchange(read_to_, nullptr), text.data(), text.size());
    user()->OnRead(true, text.size());
  }
  void End() { user()->OnRead(false, 0); }
  // Simulates a client that reads `bytes` bytes.
  void MakeRoom(std::size_t bytes) {
    room += bytes;
    if (unsent_.empty()) return;
    const std::string_view rest = std::exchange(unsent_, {});
    user()->OnWritten(true, TryWrite(rest));
  }
  [[nodiscard]] bool reads() const { return read_to_ != nullptr; }

  std::string sent;
  std::size_t room = 1 << 20;
  bool closed = false;

  void AsyncRead(char* to, std::size_t bytes) override {
    read_to_ = to;
    read_bytes_ = bytes;
  }
  void AsyncWrite(std::string_view bytes) override { unsent_ = bytes; }
  std::size_t TryWrite(std::string_view bytes) override {
    const std::size_t count = std::min(room, bytes.size());
    sent += bytes.substr(0, count);
    room -= count;
    return count;
  }
  void Close() override { closed = true; }

 private:
  void Handshake() override { user()->OnReady(); }

  char* read_to_ = nullptr;
  std::size_t read_bytes_ = 0;
  std::string_view unsent_;
};

// Answers requests with their literals. With `keeps`, the test calls Done itself.
class PlayedEngine final : public engine::Engine {
 public:
  void Execute(std::span<engine::Pipeline* const> pipelines) override {
    for (engine::Pipeline* pipeline : pipelines) {
      while (pipeline->executed < pipeline->requests.size()) {
        pipeline->replies += pipeline->requests[pipeline->executed++].literal;
        if (pauses) break;
      }
      keeps ? kept = pipeline, void() : pipeline->Done();
      if (blocks) pipeline->Blocked(0);
    }
  }
  bool Cancel(engine::Pipeline* /*pipeline*/, engine::Wakeup /*wakeup*/) override { return false; }
  void Forget(engine::Client* /*client*/) override { ++forgotten; }
  bool Tick() override { return false; }
  Status Open() override { return Ok{}; }
  Result<engine::LoadReport> Load(const engine::LoadProgress& /*progress*/) override {
    return engine::LoadReport{};
  }
  void Close(bool /*snapshot*/) override {}
  Result<engine::LiveHandle> Subscribe(const engine::LiveQuery& /*query*/,
                                       engine::LiveReader* /*reader*/) override {
    return engine::LiveHandle{0};
  }
  void Unsubscribe(engine::LiveHandle /*handle*/) override {}
  std::optional<engine::LiveUpdate> Take(engine::LiveHandle /*handle*/) override { return {}; }
  engine::Figures Measure() override { return {}; }
  [[nodiscard]] std::int64_t SavedAt() const override { return 0; }

  bool pauses = false;  // after each request
  bool blocks = false;  // REQUIRES: keeps
  bool keeps = false;
  engine::Pipeline* kept = nullptr;
  int forgotten = 0;
};

class PlayedLoop final : public Connection::Loop {
 public:
  boost::asio::io_context& io() override { return io_; }
  void Enqueue(std::shared_ptr<Connection> connection) override {
    ready.push_back(std::move(connection));
  }
  // Executes the batch, as an I/O thread does.
  void ExecuteBatch(PlayedEngine* engine) {
    const auto executing = std::exchange(ready, {});
    for (const auto& connection : executing) {
      if (!connection->BeginExecution()) continue;
      engine::Pipeline* pipelines[] = {connection.get()};
      engine->Execute(pipelines);
      connection->EndExecution();
    }
  }
  void RunPosted() {
    io_.restart();
    io_.poll();
  }

  std::vector<std::shared_ptr<Connection>> ready;

 private:
  boost::asio::io_context io_;
};

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

  std::deque<std::string> pieces;  // of a stream, still to be written
  bool stranger = false;
  bool keeps_token = true;
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
  loop_.io().restart();
  loop_.io().run_one();  // the timer
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

}  // namespace
}  // namespace laurel::server
