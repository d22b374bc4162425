// A client's connection: bytes in, turns for the engine, bytes out.
//
// At any time a connection is in one of these: reading (no turn), queued for its thread's batch,
// executing, waiting for the engine (a blocking pop), delayed (a login was refused), or writing. It
// takes up the next requests only when the replies to the last ones have left for the socket: a
// client that does not read stops itself and nobody else, and holds at most kPauseReplyBytes and
// one reply.
//
// Lives on one I/O thread. From other threads only Done, Shut and Push may be called.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"
#include "engine/engine.h"
#include "server/resp/session.h"
#include "wire/request_parser.h"

namespace laurel::server {

class IoThread;
class Server;

// With the executor's own type: a type-erased one costs an allocation here and there.
using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

// "127.0.0.1:7600", "[::1]:7600".
std::string EndpointText(const boost::asio::ip::tcp::endpoint& endpoint);

class Connection : public engine::Turn, public std::enable_shared_from_this<Connection> {
 public:
  static std::shared_ptr<Connection> Plain(Server* server, IoThread* thread, Socket socket,
                                           std::uint64_t id);
  static std::shared_ptr<Connection> Tls(Server* server, IoThread* thread, Socket socket,
                                         boost::asio::ssl::context* context, std::uint64_t id);
  ~Connection() override;

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] IoThread& thread() { return *thread_; }

  // Begins to serve. On the connection's thread.
  void Start();
  // Closes once what is under way is answered; or at once. From any thread.
  enum class When : std::uint8_t { kWhenIdle, kNow };
  void Shut(When when);
  // When no thread runs any more: gives the socket back.
  void Abandon();
  // A line for a client that monitors; dropped if it no longer does. From any thread.
  void Push(std::string bytes);
  // Closes if a time limit is over. On the connection's thread, about once a second.
  void CheckTimeouts(std::int64_t now_us);

  // engine::Turn.
  void Done() override;
  void Blocked(std::int64_t deadline_ms) override;

  // For IoThread, around Engine::Execute.
  // False if the connection is closed and takes no part.
  bool BeginExecution();
  void EndExecution();
  [[nodiscard]] bool HasWrites() const;

  // For the session ------------------------------------------------------------------------------

  // What is kept for the client in both directions, for CLIENT LIST. From any thread.
  [[nodiscard]] std::size_t input_bytes() const { return shown_input_; }
  [[nodiscard]] std::size_t output_bytes() const { return shown_output_; }
  [[nodiscard]] bool waits() const { return blocked_; }
  // RESET: it has --auth-timeout to show a token again.
  void RestartAuthTimeout() { stranger_since_us_ = base::MonotonicMicros(); }
  // Closes once the turn under way is answered.
  void CloseAfterTurn() { close_after_write_ = true; }

 protected:
  Connection(Server* server, IoThread* thread, std::uint64_t id, std::string remote,
             std::string local);

  // Transport. Each calls back On… on the connection's thread.
  virtual void Handshake() = 0;
  virtual void AsyncRead(char* to, std::size_t bytes) = 0;
  virtual void AsyncWrite(std::string_view bytes) = 0;
  // Sends what goes without waiting; 0 if nothing does or the transport cannot tell.
  virtual std::size_t TryWrite(std::string_view bytes) = 0;
  virtual void CloseSocket() = 0;

  void OnReady();
  void OnRead(bool ok, std::size_t bytes);
  void OnWritten(bool ok, std::size_t bytes);
  // The other side has closed, and nobody reads at present.
  void OnPeerEnded();

 private:
  enum class Execution : std::uint8_t { kNone, kExecuting, kPending, kDone };

  // Requests in the buffer → a turn; then reading, executing or writing goes on.
  void Proceed();
  bool ParseTurn();
  void StartRead();
  // Delays the turn's replies by this time, and with them everything behind them.
  void DelayReplies(std::int64_t delay_ms);
  void FinishTurn();
  void Send();
  void Close();
  // Once the turn is executed its requests and arguments are not needed.
  void ReleaseArguments();
  void CompactInput();
  void AccountBuffers();

  Server* server_;
  IoThread* thread_;
  engine::Client client_;
  Session session_;
  wire::RequestParser parser_;

  std::unique_ptr<char[]> input_;
  std::size_t input_capacity_ = 0;
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  bool reading_ = false;

  // Where a request's arguments are; they move until the turn is complete.
  struct Span {
    std::size_t request;
    std::size_t first;
    std::size_t count;
  };
  std::vector<Span> spans_;
  std::vector<std::string_view> arguments_;  // of the turn's requests

  std::string output_;
  std::size_t sent_ = 0;
  bool writing_ = false;
  std::string pushed_;  // waits until what is being written has gone

  // While the engine has the turn, `replies` is the engine's.
  [[nodiscard]] bool OwnsReplies() const { return execution_ == Execution::kNone; }

  std::atomic<Execution> execution_{Execution::kNone};
  bool queued_ = false;   // in the thread's batch, or executing
  bool delayed_ = false;  // replies wait for deadline_
  std::atomic<bool> blocked_{false};
  std::uint64_t waits_ = 0;  // how often it was blocked
  bool ready_ = false;       // the handshake is over
  bool closed_ = false;
  bool close_after_write_ = false;
  std::unique_ptr<boost::asio::steady_timer> deadline_;
  std::shared_ptr<Connection> self_;  // while the engine holds the turn
  std::size_t accounted_bytes_ = 0;
  std::size_t replies_capacity_ = 0;
  std::atomic<std::size_t> shown_input_{0};
  std::atomic<std::size_t> shown_output_{0};
  // Monotonic times.
  std::int64_t stranger_since_us_ = 0;  // when it came, or was reset
  std::int64_t active_us_ = 0;          // last request or reply
  std::int64_t write_moved_us_ = 0;     // when output last moved
};

}  // namespace laurel::server
