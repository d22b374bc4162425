// The HTTP conversation with one client: HTTP/1.1 requests with keep-alive, one after the other,
// and streams of server-sent events.
//
// A request is parsed, checked (gate.h), routed and translated into words (http/). It becomes one
// engine request of the connection's pipeline, in the same batch as those of RESP clients. The
// engine passes its answer to a JsonAnswer, which writes the body; EndPipeline puts head and body
// into the pipeline's replies. Requests that the server answers without the engine are complete in
// Take.
//
// A request for a stream turns the conversation into that stream until it ends, with the
// connection. See http_streams.cc.
//
// http_memory.cc frees the memory of a large request after its answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "engine/engine.h"
#include "engine/live.h"
#include "http/call.h"
#include "http/http_parser.h"
#include "http/json_answer.h"
#include "http/routes.h"
#include "http/url.h"
#include "server/config/tokens.h"
#include "server/http/console_assets.h"
#include "server/http/http_service.h"
#include "server/http/response.h"
#include "server/logs/audited_write.h"
#include "server/net/connection.h"
#include "server/net/conversation.h"
#include "wire/beside_words.h"

namespace laurel::server {

class HttpSession final : public Conversation,
                          private engine::LiveReader,
                          private ChangePages::Stream {
 public:
  // Both must outlive the session, which the connection owns.
  HttpSession(HttpService* service, Connection* connection);
  ~HttpSession() override;

  // Overrides of Conversation.
  Taken Take(std::string_view input) override;
  void ReleaseRequests() override {}
  void EndPipeline(bool complete) override;
  void OnWake() override;
  void OnDrained() override;
  bool OnShut() override;
  bool OnTokensChanged() override;
  [[nodiscard]] bool IsReceiving() const override {
    return request_began_us_ != 0 && discards_ == 0;
  }
  void OnClosed() override;
  [[nodiscard]] bool NeedsAuth() const override { return false; }
  [[nodiscard]] bool MayTimeOut() const override { return !stream_; }
  bool OnTick(std::int64_t now_us) override;
  [[nodiscard]] std::string Describe() const override;
  [[nodiscard]] std::string User() const override;

 private:
  // The parts of the current request that are needed after its bytes are gone.
  struct Answering {
    const http::Route* route = nullptr;
    std::shared_ptr<const Token> token;
    std::int64_t began_us = 0;
    bool is_head = false;  // the method is HEAD
    bool closes = false;   // the connection closes after the answer
    bool varies_by_origin = false;
    std::string request_id;
    std::string allowed_origin;
    std::string peer;
    std::string method;  // this and the next member are set only with an access log
    std::string path;
  };
  // The state of a request that executes several commands.
  struct Asked {
    bool waits = false;  // the pipeline has requests of this answer
    std::deque<http::Call> calls;
    std::deque<http::Input> inputs;
    std::deque<http::JsonAnswer> answers;  // one per command
    std::deque<wire::BesideWords> beside;
    std::vector<engine::Request> requests;  // the requests of a transaction
    engine::Transaction transaction;
    std::deque<std::string> texts;  // the answer per board of POST /v1/submit
    std::deque<std::vector<std::size_t>> ends;
    std::vector<http::VerdictPlace> places;
    std::vector<AuditedWrite> audited;
    void Clear();
    // Approximate bytes that it has allocated.
    [[nodiscard]] std::size_t MemoryUsage() const;
  };
  // A stream of server-sent events that the conversation has become.
  struct EventStream {
    bool is_live = false;      // /live, otherwise /changes
    bool has_head = false;     // the head of the response is sent; no event may precede it
    bool lost_token = false;   // the token ended before the head was sent
    bool has_ended = false;    // the last event is sent
    std::int64_t sent_us = 0;  // time of the last output
    std::string board;         // as named by the client

    // State of a /live stream.
    std::optional<engine::LiveHandle> handle;
    std::uint32_t top = 0;
    std::uint64_t version = 0;  // of the last update sent
    bool is_ready = false;      // an update can be taken
    bool is_drained = true;     // the last event was handed to the socket

    // State of a /changes stream.
    std::string_view cursor_field = "from";  // what the first cursor was given as
    ChangePages::Key next;                   // key of the page to send next
    std::optional<ChangePages::Role> role;  // the role for that page; none: neither leads nor waits
    bool rests = false;  // the newest events are sent; rests before it asks again
  };

  // Memory (http_memory.cc).
  // Returns the bytes of the request and its answer that the session holds outside the connection's
  // buffers.
  [[nodiscard]] std::size_t HeldBytes() const;
  // Forgets the answered request. Frees its memory if it is large, because the connection may be
  // idle from now on.
  void ForgetRequest();

  Taken TakeRequest(std::string_view input);
  // Steps of taking a request. Each returns false if it has answered the request.
  bool AwaitBody(const http::HttpParser::Limits& limits, std::size_t received);
  Taken Discard(std::string_view input);
  bool PassHead(const http::Request& request);
  void HandlePassed(const http::Request& request);
  bool PassRoute(const http::Request& request);
  bool PassToken(const http::Request& request);
  bool PassAnonymous(const http::Request& request);
  bool PassGate(const http::Request& request);
  bool PassContentType(const http::Request& request);
  bool FindToken(const http::Request& request);
  void AnswerOptions(const http::Request& request);
  bool ParseInputs(const http::Request& request);
  [[nodiscard]] bool NoTokens() const { return service_->tokens.empty(); }
  bool MayUse(const wire::CommandInfo& command, std::span<const std::string_view> words);
  // NoteAudited notes the request for the audit log; AddToAudit adds the noted write with its
  // outcome.
  void NoteAudited(const wire::CommandInfo& command, std::span<const std::string_view> words);
  void AddToAudit(std::string_view outcome);
  void Ask();
  void AskOne(const http::Call& call, http::JsonAnswer::Asked asked);
  void AskReads();
  void AskSubmits();
  // Adds a command to the transaction that is being built. Returns false if it has refused the
  // request.
  bool AskPart(const http::Call& call, const http::JsonAnswer::Asked& asked);
  void AskTransaction();
  void AnswerHere();

  // Answers. Each appends to the pipeline's replies.
  void Answer(ResponseHead head, std::string_view body);
  void AnswerJson(std::string_view body) { Answer({}, body); }
  void Refuse(const Problem& problem);
  void RefuseRoute(std::string_view method);
  void Refuse(const http::Refusal& refusal) {
    RefuseError({refusal.code, refusal.detail}, refusal.field);
  }
  // Refuses the request in a step of taking it, which then returns false.
  bool Stop(const Problem& problem) {
    Refuse(problem);
    return false;
  }
  // `field`: the parameter or property at fault; may be empty.
  void RefuseError(const Error& error, std::string_view field = {});
  [[nodiscard]] std::string FailedField() const;
  bool RefuseMalformedRead();
  void NoteAnswer(int status, std::size_t bytes);

  // Build the answer from the engine's results.
  void AnswerAsked();
  void AnswerVerdicts();

  // Documents that the server answers without the engine (http_documents.cc).
  void AnswerWhoAmI();
  void AnswerClients();
  void AnswerSlowLog();
  void AnswerReady();
  void AnswerMetrics();
  void AnswerAsset(const ConsoleAsset* asset);  // null: 404

  // Streams (http_streams.cc).
  bool BeginStream(const http::Request& request);
  void BeginLive();
  void BeginChanges(const http::Request& request);
  Taken TakeStream(std::string_view input);
  void AskChanges(bool waits);
  void SendChanges();
  void SendPage(const ChangePages::Page& page);
  void SendStreamHead();
  void WithdrawStream();
  void SendLive();
  // Appends the last event, which says why the stream ends, to `out`.
  void AppendEnd(std::string_view reason, std::string* out);
  // Ends the stream with the replies of the pipeline.
  void EndInPipeline(std::string_view reason);
  // Ends the stream outside of a pipeline, unless its head is not yet sent.
  void EndStream(std::string_view reason);
  void OnReady() override;  // engine::LiveReader
  void OnPage() override;   // ChangePages::Stream

  HttpService* service_;
  Connection* connection_;  // it is also the pipeline

  http::HttpParser parser_;
  http::Request request_;
  http::PathSegments segments_;
  http::QueryParameters query_;
  base::JsonDocument document_;
  http::Match match_;
  http::Input query_input_;
  http::Input body_input_;
  std::string_view id_;  // Idempotency-Key
  bool has_id_ = false;
  std::int64_t request_began_us_ = 0;  // when the first byte of an incomplete request came; 0: none
  bool awaits_anonymous_ = false;      // awaits a body that relies on the anonymous token
  std::size_t discards_ = 0;           // bytes of a refused request that may still arrive, at most

  Answering answering_;
  http::Call call_;           // for a request of one command
  wire::BesideWords beside_;  // for a request of one command
  http::JsonAnswer answer_;   // for a request of one command, or for the transaction
  Asked asked_;               // for a request of several commands
  // The next events of a stream of changes. A member here and not of the stream, because the engine
  // may write it after the connection has closed.
  http::EventText page_;
  std::string body_;
  std::string scratch_;

  // The token of the last Authorization header, so that the next request of the connection need not
  // hash it again.
  std::string known_secret_;
  std::shared_ptr<const Token> known_token_;
  // The engine's client has its access. Null: no request has had a valid token.
  std::shared_ptr<const Token> client_token_;
  // Whether the client needed no token when it connected, or when the tokens were last replaced.
  bool needed_no_token_;

  std::unique_ptr<EventStream> stream_;
  std::atomic<bool> streams_{false};
  mutable base::Mutex user_mutex_;
  std::string user_ LAUREL_GUARDED_BY(user_mutex_) = "default";
  std::atomic<const http::Route*> shown_route_{nullptr};
};

}  // namespace laurel::server
