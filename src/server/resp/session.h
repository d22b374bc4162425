// The conversation with one client: who it is, what protocol it speaks, the transaction it is
// queueing; and the commands that are answered without the engine.
//
// Requests are taken in order. Each becomes a request of the turn for the engine, or a reply on the
// spot; a reply that has to come after engine requests of the same turn becomes a literal among
// them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "server/config/tokens.h"
#include "wire/command_table.h"
#include "wire/reply.h"

namespace laurel::server {

class Connection;
class Server;

// A transaction's queue takes so much.
inline constexpr std::size_t kMaxQueuedBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxQueuedCommands = 1'000'000;

class Session : public engine::LocalCommand {
 public:
  // All outlive the session.
  Session(Server* server, Connection* connection, engine::Turn* turn, std::uint64_t id,
          std::string remote, std::string local);

  enum class Next : std::uint8_t {
    kGoOn,
    kEndTurn,  // what follows has to wait until this turn is over
    kAlone,    // nothing was done: the request has to begin a turn of its own
    kClose,    // after the reply
  };
  // REQUIRES: arguments is not empty.
  Next Take(std::span<const std::string_view> arguments);
  // The reply to bytes that are no request.
  void RefuseProtocol(std::string_view cause) {
    ReplyError("ERR Protocol error: " + std::string(cause));
  }
  // engine::LocalCommand: in a transaction.
  void Run(const engine::Request& request, wire::Reply* reply) override;
  // What the session kept for the turn is no longer needed.
  void EndTurn();
  // How long the replies of the turn are to wait, in milliseconds: a login was refused.
  [[nodiscard]] std::int64_t TakeReplyDelay() { return std::exchange(reply_delay_ms_, 0); }
  // Whether the replies of the turn that has ended are wanted (CLIENT REPLY).
  [[nodiscard]] bool DiscardsReplies() const;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] const std::string& remote() const { return remote_; }
  [[nodiscard]] bool authenticated() const { return open_ || token_.load() != nullptr; }
  [[nodiscard]] std::size_t queued_bytes() const { return queued_bytes_; }
  // Replies on the spot that wait for their place in the turn.
  [[nodiscard]] std::size_t literal_bytes() const { return literal_bytes_; }
  [[nodiscard]] bool monitors() const { return monitors_; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string user() const;

  // A line of CLIENT LIST. From any thread.
  [[nodiscard]] std::string Describe() const;
  void NoteActivity(std::int64_t now_us) { active_us_ = now_us; }

 private:
  using Arguments = std::span<const std::string_view>;

  struct Queued {
    const wire::CommandInfo* command = nullptr;
    std::vector<std::string> texts;
    std::vector<std::string_view> arguments;
  };
  // What an EXEC under way refers to.
  struct Running {
    std::vector<Queued> queued;
    std::vector<engine::Request> requests;
    std::string abort;
    engine::Transaction transaction;
  };
  enum class ReplyMode : std::uint8_t { kOn, kOff, kSkipNext, kSkipThis };

  template <typename Write>
  void Answer(const Write& write);
  Next AnswerLocally(const wire::CommandInfo& command, Arguments arguments);
  void ReplyError(std::string_view line);
  void PushRequest(const wire::CommandInfo& command, Arguments arguments);

  Next TakeCommand(const wire::CommandInfo& command, Arguments arguments);

  // False and an error reply if the client may not.
  bool CheckAccess(const wire::CommandInfo& command, Arguments arguments);
  void Refuse(std::string_view line);  // an error that also spoils a transaction
  Next TakeInTransaction(const wire::CommandInfo& command, Arguments arguments);
  void Queue(const wire::CommandInfo& command, Arguments arguments);
  // Runs the queue, or gives it up with this error.
  void Exec(std::string abort);
  void Multi();
  void TellMonitors(const wire::CommandInfo& command, Arguments arguments);

  // Local commands: each writes one reply.
  Next RunLocal(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply);
  void Ping(Arguments arguments, wire::Reply& reply);
  Next Auth(Arguments arguments, wire::Reply& reply);
  Next Hello(Arguments arguments, wire::Reply& reply);
  void ReplyHello(wire::Reply& reply) const;
  bool LogIn(std::string_view secret);
  Next RefuseLogin(wire::Reply& reply);
  void Reset(wire::Reply& reply);
  Next RunClient(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply);
  bool SetName(std::string_view name, wire::Reply& reply);
  void ClientList(Arguments arguments, wire::Reply& reply);
  Next ClientKill(Arguments arguments, wire::Reply& reply);
  Next ClientReply(Arguments arguments, wire::Reply& reply);
  void ClientUnblock(Arguments arguments, wire::Reply& reply);
  void ClientPause(Arguments arguments, wire::Reply& reply);
  void ClientTracking(Arguments arguments, wire::Reply& reply);
  void RunConfig(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply);
  void ConfigSet(Arguments arguments, wire::Reply& reply);
  void RunServer(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply);
  void SlowLogGet(Arguments arguments, wire::Reply& reply);
  Next Shutdown(Arguments arguments, wire::Reply& reply);

  Server* server_;
  Connection* connection_;
  engine::Turn* turn_;
  std::uint64_t id_;
  std::string remote_;
  std::string local_;
  bool open_;  // no tokens are configured

  wire::Protocol protocol_ = wire::Protocol::kResp2;
  std::atomic<const Token*> token_{nullptr};
  std::atomic<bool> monitors_{false};
  ReplyMode reply_mode_ = ReplyMode::kOn;
  ReplyMode mode_at_start_ = ReplyMode::kOn;  // of the turn; one that changes it ends its turn
  std::int64_t reply_delay_ms_ = 0;

  bool in_transaction_ = false;
  bool transaction_spoiled_ = false;
  std::vector<Queued> queue_;
  std::size_t queued_bytes_ = 0;

  std::deque<std::string> literals_;
  std::size_t literal_bytes_ = 0;
  std::deque<std::unique_ptr<Running>> running_;

  mutable std::mutex names_mutex_;
  std::string name_;
  std::string library_name_;
  std::string library_version_;
  std::int64_t connected_us_;
  std::atomic<std::int64_t> active_us_;
  std::atomic<const wire::CommandInfo*> last_command_{nullptr};
  std::atomic<int> queued_count_{-1};
  std::atomic<int> shown_protocol_{2};
};

}  // namespace laurel::server
