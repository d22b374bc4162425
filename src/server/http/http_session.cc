#include "server/http/http_session.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "base/utf8.h"
#include "laurel/stamp_clock.h"
#include "leaderboard/limits.h"
#include "server/access/permission.h"
#include "server/http/gate.h"
#include "wire/command_table.h"

namespace laurel::server {
namespace {

using http::Shape;

// Returns X-Forwarded-For; several headers are joined into one list.
std::optional<std::string> ForwardedFor(const http::Request& request) {
  std::optional<std::string> list;
  for (const http::HeaderLine& header : request.headers) {
    if (!base::IsWord(header.name, "X-Forwarded-For")) continue;
    list = list ? *list + "," + std::string(header.value) : std::string(header.value);
  }
  return list;
}

std::string NewRequestId() {
  thread_local base::Random random(base::SystemEntropy());
  const std::uint64_t bits = random.Next();
  return base::Hex(std::as_bytes(std::span(&bits, 1)));
}

// The detail of the refusal of a large anonymous body. With a token the body would be accepted.
std::string AnonymousLimit() {
  return "a request without a token has a body of at most " +
         std::to_string(http::kMaxAnonymousBodyBytes) + " bytes";
}

}  // namespace

HttpSession::HttpSession(HttpService* service, Connection* connection)
    : service_(service), connection_(connection), needed_no_token_(NoTokens()) {
  ++service_->connections_open;
}

HttpSession::~HttpSession() { --service_->connections_open; }

// Taking requests ---------------------------------------------------------------------------------

Conversation::Taken HttpSession::Take(std::string_view input) {
  if (stream_) return TakeStream(input);
  if (discards_ > 0) return Discard(input);
  if (input.empty()) return {};
  const Taken taken = TakeRequest(input);
  held_bytes_ = HeldBytes();
  return taken;
}

Conversation::Taken HttpSession::TakeRequest(std::string_view input) {
  using Outcome = http::HttpParser::Outcome;
  Taken taken;
  http::HttpParser::Limits limits;
  limits.body_bytes = service_->config.max_body;
  if (awaits_anonymous_) {
    limits.body_bytes = std::min(limits.body_bytes, http::kMaxAnonymousBodyBytes);
  }
  const Outcome outcome = parser_.Next(input, limits, &request_, &taken.bytes);
  if (outcome == Outcome::kIncomplete || outcome == Outcome::kHead) {
    if (request_began_us_ == 0) request_began_us_ = base::MonotonicMicros();
    if (outcome == Outcome::kHead && !AwaitBody(limits, input.size() - taken.bytes)) {
      return {.bytes = input.size(), .has_pipeline = true};
    }
    if (outcome == Outcome::kHead && request_.expects_continue) {
      connection_->Write("HTTP/1.1 100 Continue\r\n\r\n");
    }
    // The received part of a chunked body may already exceed the limit.
    if (outcome == Outcome::kHead && awaits_anonymous_) return TakeRequest(input);
    taken.bytes = 0;
    return taken;
  }
  answering_ = {};
  answering_.began_us = base::MonotonicMicros();
  request_began_us_ = 0;
  const bool was_anonymous = std::exchange(awaits_anonymous_, false);
  service_->network.counters.commands.fetch_add(1, std::memory_order_relaxed);
  taken.has_pipeline = true;
  if (outcome == Outcome::kError) {
    ++service_->network.counters.errors_protocol;
    answering_.closes = true;
    answering_.request_id = NewRequestId();
    answering_.peer = connection_->remote();
    taken.bytes = input.size();
    const int status = parser_.status();
    const bool is_anonymous_limit =
        status == 413 && was_anonymous && limits.body_bytes < service_->config.max_body;
    Refuse({.status = status,
            .code = status == 413 ? "LIMIT" : "ERR",
            .detail = is_anonymous_limit ? AnonymousLimit() : parser_.error()});
    return taken;
  }
  if (PassHead(request_)) HandlePassed(request_);
  return taken;
}

// Answers a request that its head is enough to refuse, or that needs no token, and returns false.
// Its body, of which `received` bytes have arrived, is then discarded, so clients without a token
// hold little or no memory. The connection closes only after the body: closing it while the client
// still sends could reset it and lose the answer.
bool HttpSession::AwaitBody(const http::HttpParser::Limits& limits, std::size_t received) {
  answering_ = {};
  answering_.began_us = base::MonotonicMicros();
  discards_ = request_.content_length ? *request_.content_length - received : limits.InputBytes();
  if (PassHead(request_)) {
    if (NoTokens() || answering_.token != nullptr) {
      discards_ = 0;
      awaits_anonymous_ = answering_.token == service_->anonymous;
      return true;
    }
    HandlePassed(request_);
  }
  service_->network.counters.commands.fetch_add(1, std::memory_order_relaxed);
  return false;
}

Conversation::Taken HttpSession::Discard(std::string_view input) {
  discards_ -= std::min(discards_, input.size());
  if (discards_ == 0) connection_->CloseAfterPipeline();
  return {.bytes = input.size(), .has_pipeline = discards_ == 0};
}

void HttpSession::HandlePassed(const http::Request& request) {
  if (request.method == "OPTIONS") return AnswerOptions(request);
  if (!ParseInputs(request)) return;
  if (BeginStream(request)) return;
  if (match_.route->translate == nullptr && match_.route->shape != Shape::kVerdicts &&
      match_.route->shape != Shape::kResults) {
    return AnswerHere();
  }
  Ask();
}

bool HttpSession::PassHead(const http::Request& request) {
  answering_.is_head = request.method == "HEAD";
  // An HTTP/1.0 connection would stay open only if the answer said so.
  answering_.closes = discards_ > 0 || !request.keep_alive || request.minor_version == 0 ||
                      service_->network.stopping;
  const auto given_id = request.Header("X-Request-Id");
  answering_.request_id =
      given_id && IsRequestId(*given_id) ? std::string(*given_id) : NewRequestId();
  if (service_->access_log.is_open()) {
    answering_.method = request.method;
    answering_.path = request.path;
  }
  answering_.peer = service_->config.trusted_proxies.empty()
                        ? connection_->remote()
                        : ClientAddress(connection_->remote(), ForwardedFor(request),
                                        service_->config.trusted_proxies);
  return PassGate(request) &&
         (request.method == "OPTIONS" ||
          (PassRoute(request) && PassContentType(request) && PassToken(request)));
}

bool HttpSession::PassRoute(const http::Request& request) {
  if (const Status split = segments_.Parse(request.path); !split.ok()) {
    return Stop({.code = "ERR", .detail = split.error().message, .field = "path"});
  }
  http::FindRoute(request.method, segments_.all(), &match_);
  answering_.route = match_.route;
  shown_route_.store(match_.route, std::memory_order_relaxed);
  if (match_.route != nullptr) return true;
  if (match_.allow.empty()) {
    RefuseRoute(request.method);
  } else {
    body_.clear();
    AppendProblem({.status = 405,
                   .code = "ERR",
                   .detail = "the route takes " + match_.allow,
                   .request_id = answering_.request_id},
                  &body_);
    Answer({.status = 405, .content_type = kProblemType, .allow = match_.allow}, body_);
  }
  return false;
}

bool HttpSession::PassToken(const http::Request& request) {
  const wire::CommandId command = match_.route->command;
  if (command == wire::CommandId::kEnd) return true;
  if (!FindToken(request)) return false;
  return answering_.token != service_->anonymous || PassAnonymous(request);
}

bool HttpSession::PassAnonymous(const http::Request& request) {
  // The body of a write is not awaited if only clients with a token may write. A client with a
  // token is refused after the body, because the audit log needs the body.
  if (discards_ > 0 && !MayUse(wire::CommandOf(match_.route->command), {})) return false;
  const std::size_t bytes = std::max(request.body.size(), request.content_length.value_or(0));
  if (bytes <= http::kMaxAnonymousBodyBytes) return true;
  return Stop({.status = 413, .code = "LIMIT", .detail = AnonymousLimit(), .field = "body"});
}

bool HttpSession::PassGate(const http::Request& request) {
  const Config& config = service_->config;
  for (const std::string_view name : {"Origin", "Content-Type", "X-Request-Id", "Last-Event-ID"}) {
    if (request.CountHeaders(name) < 2) continue;
    return Stop({.code = "ERR", .detail = std::string(name) + " is given twice", .field = name});
  }
  if (!HasValidPort(request.host)) {
    return Stop({.code = "ERR", .detail = "the port of Host is no port", .field = "Host"});
  }
  if (!IsAllowedHost(request.host, config.http_hosts)) {
    return Stop({.status = 403,
                 .code = "NOPERM",
                 .detail = "the host " + base::Quote(request.host) +
                           " is not an address, localhost or a configured name (http-hosts)",
                 .field = "Host"});
  }
  answering_.varies_by_origin = !config.cors_origins.empty();
  const OriginCheck check =
      CheckOrigin(request.Header("Origin"), request.host, config.cors_origins);
  answering_.allowed_origin = check.allowed;
  if (check.is_allowed) return true;
  return Stop({.status = 403,
               .code = "NOPERM",
               .detail = "the origin " + base::Quote(*request.Header("Origin")) +
                         " is not listed (cors-origins)",
               .field = "Origin"});
}

void HttpSession::AnswerOptions(const http::Request& request) {
  std::string allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
  if (request.path != "*") {
    if (!segments_.Parse(request.path).ok()) {
      return Refuse({.code = "ERR", .detail = "the path is malformed", .field = "path"});
    }
    http::FindRoute("", segments_.all(), &match_);
    if (match_.allow.empty()) return RefuseRoute({});
    allow = match_.allow;
  }
  std::string more;
  if (request.Header("Access-Control-Request-Method") && !answering_.allowed_origin.empty()) {
    more = "Access-Control-Allow-Methods: " + allow +
           "\r\nAccess-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, "
           "If-None-Match, Last-Event-ID, X-Request-Id\r\nAccess-Control-Max-Age: 600\r\n";
  }
  Answer({.status = 204, .content_type = {}, .allow = allow, .more = more}, {});
}

bool HttpSession::PassContentType(const http::Request& request) {
  if (const auto coding = request.Header("Content-Encoding");
      coding && !base::IsWord(*coding, "identity")) {
    return Stop({.status = 415,
                 .code = "ERR",
                 .detail = "the body must not be encoded",
                 .field = "Content-Encoding"});
  }
  const bool needs = request.method == "POST" || !request.body.empty();
  if (!needs || IsJson(request.Header("Content-Type"))) return true;
  return Stop({.status = 415,
               .code = "ERR",
               .detail = "expected Content-Type: application/json",
               .field = "Content-Type"});
}

bool HttpSession::FindToken(const http::Request& request) {
  engine::Client& client = *connection_->client();
  if (NoTokens()) return true;
  const std::optional<std::string_view> secret = BearerOf(request);
  std::shared_ptr<const Token> token;
  if (secret && !secret->empty()) {
    if (known_token_ == nullptr || known_secret_ != *secret) {
      known_token_ = service_->tokens.Find(*secret);
      known_secret_ = *secret;
    }
    token = known_token_;
  } else if (!secret && !service_->config.anonymous.empty()) {
    token = service_->anonymous;
  }
  if (token != nullptr && token != client_token_) {
    client.access = AccessOf(*token);
    client_token_ = token;
    const base::MutexLock lock(user_mutex_);
    user_ = token->name;
  }
  answering_.token = token;
  if (token != nullptr) return true;
  if (secret) {  // the token is wrong, not missing
    connection_->DelayReplies(service_->refused_logins.Note(answering_.peer));
  }
  RefuseError({ErrorCode::kNoAuth, secret ? "the token is not known" : "a Bearer token is needed"});
  return false;
}

bool HttpSession::ParseInputs(const http::Request& request) {
  const http::Route& route = *match_.route;
  http::Refusal refusal;
  if (const Status split = query_.Parse(request.query); !split.ok()) {
    return Stop({.code = "ERR", .detail = split.error().message, .field = "query"});
  }
  query_input_.Reset(route.query);
  if (!query_input_.TakeQuery(query_, &refusal)) {
    Refuse(refusal);
    return false;
  }
  const std::optional<std::string_view> id = request.Header("Idempotency-Key");
  has_id_ = id.has_value();
  id_ = id.value_or(std::string_view());
  if (has_id_ && route.takes_id && (id_.empty() || id_.size() > leaderboard::kMaxRequestIdLength)) {
    return Stop({.status = 413,
                 .code = "LIMIT",
                 .detail = "Idempotency-Key must have 1 to 128 bytes",
                 .field = "Idempotency-Key"});
  }
  if (has_id_ && (!route.takes_id || request.CountHeaders("Idempotency-Key") > 1)) {
    return Stop({.code = "ERR",
                 .detail = route.takes_id ? "Idempotency-Key is given twice"
                                          : "this route takes no Idempotency-Key",
                 .field = "Idempotency-Key"});
  }
  body_input_.Reset(route.body);
  if (!route.has_body) {
    if (request.body.empty()) return true;
    return Stop({.code = "ERR", .detail = "the route takes no body", .field = "body"});
  }
  const bool has_required = std::any_of(route.body.begin(), route.body.end(),
                                        [](const auto& property) { return property.required; });
  if (request.body.empty() && !has_required && route.shape != Shape::kWritten) return true;
  if (const Status parsed = document_.Parse(request.body); !parsed.ok()) {
    return Stop({.code = "ERR", .detail = parsed.error().message, .field = "body"});
  }
  if (body_input_.TakeObject(document_.root(), {}, &refusal)) return true;
  Refuse(refusal);
  return false;
}

// Asking the engine -------------------------------------------------------------------------------

bool HttpSession::MayUse(const wire::CommandInfo& command,
                         std::span<const std::string_view> words) {
  if (NoTokens()) return true;
  const auto refusal = RefusalOf(answering_.token.get(), connection_->client()->access, command,
                                 words, http::kWaysOut);
  if (!refusal) return true;
  asked_.audited.clear();
  NoteAudited(command, words);
  AddToAudit(ErrorName(refusal->code));
  RefuseError(*refusal);
  return false;
}

void HttpSession::NoteAudited(const wire::CommandInfo& command,
                              std::span<const std::string_view> words) {
  if (!service_->audit_log.is_open() || !command.AcceptsCount(words.size())) return;
  if (auto write = AuditedWriteOf(command, words)) asked_.audited.push_back(std::move(*write));
}

void HttpSession::AddToAudit(std::string_view outcome) {
  for (const AuditedWrite& write : asked_.audited) {
    service_->audit_log.Add(
        {.token = answering_.token != nullptr ? std::string_view(answering_.token->name)
                                              : std::string_view("default"),
         .peer = answering_.peer,
         .protocol = "http"},
        write, outcome);
  }
  asked_.audited.clear();
}

void HttpSession::Ask() {
  asked_.Clear();
  if (match_.route->shape == Shape::kResults) return AskReads();
  if (match_.route->shape == Shape::kVerdicts) return AskSubmits();
  http::Call& call = call_;
  call.Reset(match_.route);
  http::Refusal refusal;
  http::Translation translation{match_.path,  query_input_,
                                &body_input_, has_id_ ? std::optional(id_) : std::nullopt,
                                call,         &refusal};
  if (!match_.route->translate(translation)) return Refuse(refusal);
  const wire::CommandInfo& command = wire::CommandOf(call.command);
  if (!MayUse(command, call.words)) return;
  NoteAudited(command, call.words);
  http::JsonAnswer::Asked asked{.shape = match_.route->shape, .only_template = call.only_template};
  if (asked.shape == Shape::kWritten && call.command == wire::CommandId::kLbMSubmit) {
    asked.shape = Shape::kVerdicts;
  }
  if (const auto known = request_.Header("If-None-Match"); known && request_.method != "POST") {
    asked.known_versions = *known;
  }
  AskOne(call, asked);
}

// Adds the call's request to the pipeline. A stream calls this long after the bytes of its HTTP
// request are gone, so nothing here may read request_.
void HttpSession::AskOne(const http::Call& call, http::JsonAnswer::Asked asked) {
  body_.clear();
  asked.out = &body_;
  answer_.Begin(asked);
  beside_ = call.beside();
  asked_.waits = true;
  engine::Request& request = connection_->requests.emplace_back();
  request.command = &wire::CommandOf(call.command);
  request.arguments = call.words;
  request.answer = &answer_;
  request.beside = &beside_;
}

void HttpSession::AskReads() {
  http::Refusal refusal;
  if (!http::TranslateReads(*body_input_.Json("reads"), &asked_.calls, &asked_.inputs, &refusal)) {
    return Refuse(refusal);
  }
  for (const http::Call& call : asked_.calls) {
    if (!AskPart(call, {.shape = call.route().shape,
                        .out = &body_,
                        .is_element = true,
                        .is_first = asked_.requests.empty()})) {
      return;
    }
  }
  AskTransaction();
  body_ = R"({"results":[)";
}

void HttpSession::AskSubmits() {
  http::Refusal refusal;
  if (!http::TranslateSubmits(body_input_, has_id_ ? std::optional(id_) : std::nullopt,
                              &asked_.calls, &asked_.places, &refusal)) {
    return Refuse(refusal);
  }
  for (const http::Call& call : asked_.calls) {
    if (!AskPart(call, {.shape = Shape::kWritten,
                        .out = &asked_.texts.emplace_back(),
                        .verdict_ends = &asked_.ends.emplace_back()})) {
      return;
    }
    NoteAudited(wire::CommandOf(call.command), call.words);
  }
  asked_.transaction.is_one_write = true;
  AskTransaction();
}

bool HttpSession::AskPart(const http::Call& call, const http::JsonAnswer::Asked& asked) {
  const wire::CommandInfo& command = wire::CommandOf(call.command);
  if (!MayUse(command, call.words)) return false;
  asked_.answers.emplace_back().Begin(asked);
  engine::Request& request = asked_.requests.emplace_back();
  request.command = &command;
  request.arguments = call.words;
  request.answer = &asked_.answers.back();
  request.beside = &asked_.beside.emplace_back(call.beside());
  return true;
}

void HttpSession::AskTransaction() {
  body_.clear();
  answer_.Begin({.out = &body_});
  asked_.waits = true;
  asked_.transaction.requests = asked_.requests;
  engine::Request& request = connection_->requests.emplace_back();
  request.command = &wire::CommandOf(wire::CommandId::kExec);
  request.transaction = &asked_.transaction;
  request.answer = &answer_;
}

// Answering ---------------------------------------------------------------------------------------

void HttpSession::EndPipeline(bool /*complete*/) {
  if (asked_.waits) {
    asked_.waits = false;
    stream_ ? SendChanges() : AnswerAsked();
    connection_->unknown.clear();
  }
  ForgetRequest();
  if (answering_.closes && !stream_ && discards_ == 0) connection_->CloseAfterPipeline();
}

void HttpSession::AnswerAsked() {
  AddToAudit(!connection_->unknown.empty() ? std::string_view("UNKNOWN")
             : answer_.error() != nullptr  ? ErrorName(answer_.error()->code)
                                           : kAuditedOk);
  if (!connection_->unknown.empty()) {
    // The disk failed during the write, so the write may or may not survive a restart.
    return Refuse({.status = 503, .code = "UNKNOWN", .detail = connection_->unknown});
  }
  if (answer_.error() != nullptr) return RefuseError(*answer_.error(), FailedField());
  if (answer_.absence() != nullptr) return RefuseError(*answer_.absence(), FailedField());
  if (match_.route->shape == Shape::kVerdicts) return AnswerVerdicts();
  if (match_.route->shape == Shape::kResults) {
    if (RefuseMalformedRead()) return;
    body_ += "]}";
  }
  ResponseHead head;
  head.version = answer_.version();
  if (answer_.is_not_modified()) {
    head.status = 304;
    head.content_type = {};
    return Answer(head, {});
  }
  if (answer_.has_created()) head.status = 201;
  Answer(head, body_);
}

void HttpSession::AnswerVerdicts() {
  body_ = "{\"verdicts\":[";
  for (const http::VerdictPlace& place : asked_.places) {
    const std::vector<std::size_t>& ends = asked_.ends[place.call];
    const std::size_t begin = place.index == 0 ? 1 : ends[place.index - 1] + 1;
    if (&place != &asked_.places.front()) body_ += ',';
    body_.append(asked_.texts[place.call], begin, ends[place.index] - begin);
  }
  body_ += "]}";
  Answer({}, body_);
}

void HttpSession::Answer(ResponseHead head, std::string_view body) {
  answering_.closes = answering_.closes || service_->network.stopping;
  head.body_bytes = body.size();
  head.request_id = answering_.request_id;
  head.allowed_origin = answering_.allowed_origin;
  head.varies_by_origin = answering_.varies_by_origin;
  head.closes = answering_.closes;
  std::string& out = connection_->replies;
  AppendHead(head, &out);
  if (!answering_.is_head && head.status != 304 && head.status != 204) out.append(body);
  if (answering_.closes && discards_ == 0) connection_->CloseAfterPipeline();
  NoteAnswer(head.status, body.size());
}

// Refuses a request whose path matches no route.
void HttpSession::RefuseRoute(std::string_view method) {
  const std::string_view nearest = http::NearestPattern(method, segments_.all());
  const std::string below = http::RoutesBelow(segments_.all());
  std::string detail = "there is no such route";
  if (!nearest.empty()) {
    detail += "; did you mean " + std::string(nearest) + "?";
  } else {
    detail += below.empty() ? ":" : ": " + below + ";";
  }
  detail += " /openapi.json lists all";
  Refuse({.status = 404, .code = "ERR", .detail = detail});
}

void HttpSession::Refuse(const Problem& problem) {
  Problem shown = problem;
  shown.request_id = answering_.request_id;
  scratch_.clear();
  AppendProblem(shown, &scratch_);
  ResponseHead head;
  head.status = problem.status;
  head.content_type = kProblemType;
  head.needs_token = problem.status == 401;
  head.retry_after_s = problem.status == 503 ? 1 : 0;
  Answer(head, scratch_);
}

// Returns the field of the request that the engine has refused; empty if there is none.
std::string HttpSession::FailedField() const {
  if (asked_.calls.empty()) return call_.FieldOf(answer_.failed_word());
  for (std::size_t i = 0; i < asked_.answers.size(); ++i) {
    const std::size_t failed = asked_.answers[i].failed_word();
    if (failed != wire::kNoWord) return asked_.calls[i].FieldOf(failed);
  }
  return {};
}

// An ERR about an argument other than a score does not depend on the board: then the request is
// refused as a whole.
bool HttpSession::RefuseMalformedRead() {
  for (std::size_t i = 0; i < asked_.answers.size(); ++i) {
    const Error* error = asked_.answers[i].error();
    const std::size_t failed = asked_.answers[i].failed_word();
    const http::Call& call = asked_.calls[i];
    const bool is_score = !call.scores.empty() && call.scores[0].first == failed;
    if (error == nullptr || error->code != ErrorCode::kErr) continue;
    if (failed == wire::kNoWord || is_score) continue;
    RefuseError(*error, call.FieldOf(failed));
    return true;
  }
  return false;
}

void HttpSession::RefuseError(const Error& error, std::string_view field) {
  Refuse({.status = StatusOf(error.code),
          .code = ErrorName(error.code),
          .detail = error.message,
          .field = field});
}

void HttpSession::NoteAnswer(int status, std::size_t bytes) {
  service_->Count(answering_.route, status, base::MonotonicMicros() - answering_.began_us);
  if (!service_->access_log.is_open()) return;
  AccessLog::Line line;
  line.request_id = answering_.request_id;
  line.peer = answering_.peer;
  if (answering_.token != nullptr) line.token = answering_.token->name;
  line.method = answering_.method;
  line.path = answering_.path;
  if (answering_.route != nullptr) line.route = answering_.route->pattern;
  line.status = status;
  line.bytes = bytes;
  line.micros = base::MonotonicMicros() - answering_.began_us;
  service_->access_log.Add(line);
}

// The connection ----------------------------------------------------------------------------------

std::string HttpSession::User() const {
  const base::MutexLock lock(user_mutex_);
  return user_;
}

std::string HttpSession::Describe() const {
  const std::int64_t now = base::MonotonicMicros();
  const http::Route* route = shown_route_.load(std::memory_order_relaxed);
  return "id=" + std::to_string(connection_->id()) + " addr=" + connection_->remote() +
         " laddr=" + connection_->local() +
         " fd=0 name=" + " age=" + std::to_string((now - connection_->opened_us()) / 1'000'000) +
         " idle=" + std::to_string((now - connection_->active_us()) / 1'000'000) +
         " flags=" + (streams_ ? "S" : "N") + " db=0 sub=0 psub=0 ssub=0 multi=-1" +
         " qbuf=" + std::to_string(connection_->input_bytes()) +
         " qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0" +
         " omem=" + std::to_string(connection_->output_bytes()) +
         " tot-mem=" + std::to_string(connection_->input_bytes() + connection_->output_bytes()) +
         " events=r cmd=" + (route != nullptr ? "http|" + std::string(route->name) : "NULL") +
         " user=" + User() + " redir=-1 resp=0 lib-name= lib-ver=";
}

}  // namespace laurel::server
