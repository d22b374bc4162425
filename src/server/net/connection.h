// A client's connection: buffers, limits, timers and pipelines, between a transport, which moves
// bytes, and a conversation, which interprets them.
//
// At any time a connection is in one of these states: reading (no pipeline), queued for its
// thread's batch, executing, waiting for the engine (a blocking pop, the disk), delayed (a login
// was refused), or writing. It takes the next requests only once all earlier replies have been
// handed to the socket. So a client that does not read blocks only itself, and its replies take at
// most kPauseReplyBytes plus one reply.
//
// Lives on one I/O thread. Only methods that say so may be called from other threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "server/net/conversation.h"
#include "server/net/event_loop.h"
#include "server/net/network.h"
#include "server/net/transport.h"

namespace laurel::server {

class Connection final : public engine::Pipeline, public Transport::User {
 public:
  // The services that a connection uses from its I/O thread.
  class Loop {
   public:
    virtual ~Loop() = default;
    [[nodiscard]] virtual EventLoop& events() = 0;
    // Adds the connection's pipeline to the next batch; BeginExecution and EndExecution follow.
    virtual void Enqueue(std::shared_ptr<Connection> connection) = 0;
    // Calls the connection's OnWoken on this thread. When thousands are woken at once, requests of
    // other connections are served in between. May be called from any thread.
    virtual void Wake(std::shared_ptr<Connection> connection) = 0;
  };
  // The owner of the list of connections.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnClosed(const Connection& connection) = 0;
  };

  // Network, loop and owner must outlive it.
  Connection(Network* network, Loop* loop, Owner* owner, std::unique_ptr<Transport> transport,
             std::uint64_t id);
  ~Connection() override;

  // Converse sets the conversation. Start, called later on the connection's thread, starts to
  // serve.
  void Converse(std::unique_ptr<Conversation> conversation);
  void Start();
  // kWhenIdle closes once the pipeline in progress is answered, but does not wait for a blocking
  // request; kNow closes at once. May be called from any thread.
  enum class When : std::uint8_t { kWhenIdle, kNow };
  void Shut(When when);
  // Closes the connection if its conversation may not continue with the new tokens
  // (Conversation::OnTokensChanged). May be called from any thread.
  void CheckToken();
  // Closes the socket. REQUIRES: no I/O thread runs any more.
  void Abandon();
  // Closes the connection if a timeout has passed. Called from any thread, about once a second.
  void CheckTimeouts(std::int64_t now_us);

  // From any thread -------------------------------------------------------------------------------

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const std::string& remote() const { return transport_->remote(); }
  [[nodiscard]] const std::string& local() const { return transport_->local(); }
  [[nodiscard]] const Conversation& conversation() const { return *conversation_; }
  // Bytes that are buffered in each direction.
  [[nodiscard]] std::size_t input_bytes() const { return shown_input_; }
  [[nodiscard]] std::size_t output_bytes() const { return shown_output_; }
  [[nodiscard]] bool waits() const { return blocked_; }
  [[nodiscard]] std::int64_t opened_us() const { return opened_us_; }
  // When input last arrived, an asynchronous write completed, or a blocking request ended.
  [[nodiscard]] std::int64_t active_us() const {
    return active_us_.load(std::memory_order_relaxed);
  }

  // For the conversation --------------------------------------------------------------------------

  // Closes the connection once the replies of the current pipeline are sent.
  void CloseAfterPipeline() { close_after_write_ = true; }
  // Delays the replies of the pipeline that Take is building, and everything after them. REQUIRES:
  // the pipeline has no requests for the engine.
  void DelayReplies(std::int64_t delay_ms) {
    LAUREL_ASSERT(requests.empty());
    reply_delay_ms_ = delay_ms;
  }
  // Restarts --auth-timeout.
  void RestartAuthTimeout() { unauthenticated_since_us_ = base::MonotonicMicros(); }
  // Sends bytes that belong to no pipeline, after the output that is already queued.
  void Write(std::string_view bytes);
  // Calls OnDrained once all output has been handed to the socket, never from inside this call.
  void AwaitDrained();
  // Calls Take if no pipeline is in progress, although there may be no new input.
  void Continue() { Proceed(); }
  // Makes the connection's thread call OnWake. May be called from any thread.
  void Wake();

  // For the loop ----------------------------------------------------------------------------------

  void OnWoken();

  // Called around Engine::Execute.

  // False if the connection is closed; then it must not be executed.
  bool BeginExecution();
  void EndExecution();

  // Overrides of engine::Pipeline.
  void Done() override;
  void Blocked(std::int64_t deadline_ms) override;

 private:
  enum class Execution : std::uint8_t { kNone, kExecuting, kPending, kDone };

  [[nodiscard]] std::shared_ptr<Connection> Self() {
    return std::static_pointer_cast<Connection>(shared_from_this());
  }

  // Overrides of Transport::User.
  void OnReady() override;
  void OnRead(bool ok, std::size_t bytes) override;
  void OnWritten(bool ok, std::size_t bytes) override;
  void OnPeerEnded() override;

  // Builds the next pipeline from the buffered input, if none is in progress, and continues with
  // executing, writing or reading.
  void Proceed();
  // Takes requests off the input. False if it holds no complete one.
  bool TakePipeline();
  void StartRead();
  void FinishAfter(std::int64_t delay_ms);
  void FinishPipeline();
  void Send();
  void ShutHere(When when);
  void Close();
  void CompactInput();
  void AccountBuffers();
  void CloseIfTimedOut(std::int64_t now_us);
  EventLoop::Timer& Deadline();

  Network* network_;
  Loop* loop_;
  Owner* owner_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Conversation> conversation_;
  std::uint64_t id_;
  engine::Client client_;

  std::unique_ptr<char[]> input_;
  std::size_t input_capacity_ = 0;
  bool read_filled_input_ = false;  // the last read filled the buffer, so there may be more input
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  bool reading_ = false;

  std::string output_;
  std::size_t sent_ = 0;
  bool writing_ = false;
  std::string pending_output_;  // appended to output_ when the write in progress ends
  bool notify_drained_ = false;

  // While the engine has the pipeline, only the engine may touch `replies`.
  [[nodiscard]] bool OwnsReplies() const { return execution_ == Execution::kNone; }

  std::atomic<Execution> execution_{Execution::kNone};
  bool queued_ = false;   // in the thread's batch, or executing
  bool delayed_ = false;  // replies wait for deadline_
  std::int64_t reply_delay_ms_ = 0;
  std::atomic<bool> blocked_{false};
  std::atomic<bool> woken_{false};
  bool ready_ = false;  // the handshake is done
  bool closed_ = false;
  bool close_after_write_ = false;
  bool shut_ = false;  // Shut was called: no request may block any more
  std::unique_ptr<EventLoop::Timer> deadline_;
  std::shared_ptr<Connection> self_;  // keeps it alive while the engine has the pipeline
  std::size_t accounted_bytes_ = 0;
  std::size_t replies_capacity_ = 0;
  std::atomic<std::size_t> shown_input_{0};
  std::atomic<std::size_t> shown_output_{0};
  // Monotonic times.
  const std::int64_t opened_us_;
  std::int64_t unauthenticated_since_us_;  // time of the connect, or of RESET
  std::atomic<std::int64_t> active_us_;
  std::int64_t write_moved_us_ = 0;  // when output last made progress
};

}  // namespace laurel::server
