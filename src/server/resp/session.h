// The RESP conversation with one client. A session holds the client's identity, protocol version
// and queued transaction, and answers the commands that do not need the engine.
//
// Requests are taken in order. Each becomes an engine request of the pipeline or an immediate
// reply. An immediate reply that follows engine requests of the same pipeline becomes a literal
// among them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/blocks.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/engine.h"
#include "server/config/tokens.h"
#include "server/net/connection.h"
#include "server/net/conversation.h"
#include "server/resp/monitors.h"
#include "server/resp/pipeline_audit.h"
#include "server/resp/resp_service.h"
#include "wire/command_table.h"
#include "wire/reply.h"
#include "wire/resp_parser.h"

namespace laurel::server {

// Bounds of a transaction's queue.
inline constexpr std::size_t kMaxQueuedBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxQueuedCommands = 10'000;  // EXEC of as many takes about 15 ms

// The user name of a client without a token.
inline constexpr std::string_view kDefaultUser = "default";

class Session final : public Conversation, public engine::LocalCommand, public Monitors::Listener {
 public:
  // Both must outlive the session, which the connection owns.
  Session(RespService* service, Connection* connection);

  // Overrides of Conversation.
  Taken Take(std::string_view input) override;
  void ReleaseRequests() override;
  void EndPipeline(bool complete) override;
  void OnWake() override;
  void OnClosed() override;
  bool OnTokensChanged() override;
  [[nodiscard]] bool NeedsAuth() const override { return !NoTokens() && token_ == nullptr; }
  [[nodiscard]] bool MayTimeOut() const override { return !monitors_; }
  [[nodiscard]] std::string Describe() const override;
  [[nodiscard]] std::string User() const override;

  // Runs a local command of a transaction (engine::LocalCommand).
  void Run(const engine::Request& request, const engine::MeasureFunction& measure,
           wire::Reply* reply) override;

  // Called with each command to show to this monitor (Monitors::Listener).
  void Show(const std::string& line) override;

 private:
  using Arguments = std::span<const std::string_view>;

  enum class Next : std::uint8_t {
    kGoOn,
    kEndPipeline,       // later requests wait until this pipeline has ended
    kNeedsOwnPipeline,  // not taken: the request has to start a pipeline of its own
    kClose,             // close after the reply
  };

  // The commands that a transaction has queued.
  struct QueuedCommands {
    std::vector<engine::Request> requests;
    base::Blocks<std::string_view> arguments;  // of the requests
    base::Blocks<char> text;                   // of the arguments
  };
  // The memory that the request of an EXEC in progress refers to.
  struct Running {
    QueuedCommands queue;
    std::string abort;
    engine::Transaction transaction;
  };
  enum class ReplyMode : std::uint8_t { kOn, kOff, kSkipNext, kSkipThis };

  // Locates the arguments of a request in arguments_, which may reallocate until the pipeline is
  // built.
  struct Span {
    std::size_t request;
    std::size_t first;
    std::size_t count;
  };

  // Takes the request that the parser has just found; its arguments start at `first_argument` in
  // arguments_.
  Next TakeParsed(std::size_t first_argument);
  // Handles input that is not a request: the connection closes once earlier requests are answered.
  void RefuseInput(wire::RespParser::Outcome outcome);
  // Adds the requests that are not yet counted to the server's counters.
  void CountCommands();
  // Calls `run`, which executes a local command and replies, and counts the command.
  template <typename Body>
  void RunCounted(const wire::CommandInfo& command, wire::Reply& reply, const Body& run);
  // REQUIRES: arguments is not empty.
  Next TakeRequest(Arguments arguments);
  template <typename Write>
  void Answer(const Write& write);
  Next AnswerLocally(const wire::CommandInfo& command, Arguments arguments);
  // Answers with an error, and counts it.
  void ReplyError(std::string_view line);
  void PushRequest(const wire::CommandInfo& command, Arguments arguments);

  Next TakeCommand(const wire::CommandInfo& command, Arguments arguments);

  // Fails the execution of a command before it reaches the engine.
  void FailCommand(const wire::CommandInfo& command, std::string_view line);
  // Replies with an error and returns false if the client may not send the request.
  bool CheckAccess(const wire::CommandInfo& command, Arguments arguments);
  void Refuse(std::string_view line);  // an error that also makes EXEC fail
  Next TakeInTransaction(const wire::CommandInfo& command, Arguments arguments);
  void Queue(const wire::CommandInfo& command, Arguments arguments);
  // Runs the queued commands or, if `abort` is not empty, discards them and replies with that
  // error.
  void Exec(std::string abort);
  void Multi();
  void DropQueue();
  // Whether CLIENT REPLY suppresses the replies of the pipeline that has ended.
  [[nodiscard]] bool DiscardsReplies() const;
  void NotifyMonitors(const wire::CommandInfo& command, Arguments arguments);

  // Local commands: each writes at most one reply.
  Next RunLocal(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply);
  void Info(Arguments arguments, engine::Figures figures, wire::Reply& reply);
  void Ping(Arguments arguments, wire::Reply& reply);
  Next Auth(Arguments arguments, wire::Reply& reply);
  Next Hello(Arguments arguments, wire::Reply& reply);
  void ReplyHello(wire::Reply& reply) const;
  bool LogIn(std::string_view secret);
  Next RefuseLogin(wire::Reply& reply);
  void Reset(wire::Reply& reply);
  Next RunClient(const wire::CommandInfo& command, Arguments arguments, wire::Reply& reply);
  bool SetName(std::string_view name, wire::Reply& reply);
  void ClientSetInfo(Arguments arguments, wire::Reply& reply);
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

  [[nodiscard]] std::string Name() const;
  [[nodiscard]] bool NoTokens() const { return service_->tokens.empty(); }
  // Sets the token and the values that depend on it. Null: none.
  void SetToken(std::shared_ptr<const Token> token);
  void StopMonitoring();
  [[nodiscard]] std::string_view UserHere() const {  // User() on the connection's thread
    return token_ != nullptr ? std::string_view(token_->name) : kDefaultUser;
  }
  [[nodiscard]] AuditedClient AuditedAs() const {
    return {UserHere(), connection_->remote(), "resp"};
  }

  RespService* service_;
  Connection* connection_;  // it is also the pipeline

  wire::RespParser parser_;
  std::vector<Span> spans_;
  std::vector<std::string_view> arguments_;  // of the pipeline's requests
  std::size_t uncounted_ = 0;                // requests not yet added to Counters::commands
  // The command whose last quick_uncounted_ executions are not yet in the command counters.
  wire::CommandId quick_command_ = wire::CommandId::kPing;
  std::uint64_t quick_uncounted_ = 0;

  wire::Protocol protocol_ = wire::Protocol::kResp2;
  std::shared_ptr<const Token> token_;  // null: the client has presented none
  // Whether the client needed no token when it connected, or when the tokens were last replaced.
  bool needed_no_token_;
  std::atomic<bool> monitors_{false};
  ReplyMode reply_mode_ = ReplyMode::kOn;
  // The reply mode at the start of the pipeline. A request that changes the mode ends its pipeline.
  ReplyMode mode_at_start_ = ReplyMode::kOn;

  bool in_transaction_ = false;
  bool transaction_aborted_ = false;
  QueuedCommands queue_;
  std::size_t queued_bytes_ = 0;

  std::deque<std::string> literals_;
  std::size_t literal_bytes_ = 0;
  std::deque<std::unique_ptr<Running>> running_;
  std::unique_ptr<PipelineAudit> audit_;  // null: there is no audit log

  mutable base::Mutex names_mutex_;
  std::string name_ LAUREL_GUARDED_BY(names_mutex_);
  std::string user_ LAUREL_GUARDED_BY(names_mutex_){kDefaultUser};
  std::string library_name_ LAUREL_GUARDED_BY(names_mutex_);
  std::string library_version_ LAUREL_GUARDED_BY(names_mutex_);
  base::Mutex lines_mutex_;
  // Lines of MONITOR that wait for the connection's thread.
  std::string lines_ LAUREL_GUARDED_BY(lines_mutex_);
  std::atomic<const wire::CommandInfo*> last_command_{nullptr};
  std::atomic<int> queued_count_{-1};
  std::atomic<int> shown_protocol_{2};
};

}  // namespace laurel::server
