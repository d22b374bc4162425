// Streams of server-sent events: /live sends the newest state of a board, /changes sends every
// event.
//
// A live stream takes an update only after the previous event was handed to the socket, so a slow
// client skips states and holds one event in memory. A stream of changes repeats LB.CHANGES with
// BLOCK, one page of at most about kPageBytes at a time. It reads the next page after the previous
// one was handed to the socket: a slow client delays its own next read, and the events stay in the
// log. A stream that has caught up rests before it asks again, so that on a busy board one page
// holds many events for many streams.
#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "server/http/gate.h"
#include "server/http/http_session.h"
#include "wire/command_table.h"

namespace laurel::server {
namespace {

using http::Shape;

constexpr std::int64_t kIdleUs = 75'000'000;     // between requests
constexpr std::int64_t kRequestUs = 60'000'000;  // from the first byte of a request to its last
constexpr std::int64_t kCommentUs = 15'000'000;  // after this much silence a comment is sent
constexpr std::int64_t kRestUs = 100'000;        // rest of a stream of changes that has caught up
constexpr std::string_view kComment = ":\n\n";
constexpr std::string_view kBlockMs = "15000";
constexpr std::string_view kPageEvents = "10000";
constexpr std::size_t kPageBytes = std::size_t{256} << 10;  // bytes of JSON
// When a stopping server ends a stream, the client reconnects after a random time in this range, so
// that thousands of clients do not reconnect at once.
constexpr std::uint64_t kLeastRetryMs = 1000;
constexpr std::uint64_t kMostRetryMs = 10'000;

ChangePages::Page PageOf(http::EventText read) {
  ChangePages::Page page;
  page.text = std::move(read.text);
  page.next = std::move(read.end.next);
  page.full = read.end.full;
  if (!read.end.gap) return page;
  // The gap event precedes the other events. Only a request for the last n events can have both.
  std::string gap = "event: gap\ndata: {\"cause\":\"gap\",\"next\":\"" + page.next + "\"}\n\n";
  if (page.text.empty()) gap.insert(0, "id: " + page.next + "\n");
  page.text.insert(0, gap);
  return page;
}

}  // namespace

bool HttpSession::BeginStream(const http::Request& request) {
  const Shape shape = match_.route->shape;
  const bool is_live = shape == Shape::kLive;
  if (!is_live && !(shape == Shape::kEvents && WantsEvents(request.Header("Accept")))) return false;
  // A stream becomes no command with these numbers. Streams of changes have no use for theirs.
  std::int64_t top = 10;
  std::int64_t unused = 0;
  http::Refusal refusal;
  if (!query_input_.ReadInteger("top", &top, &refusal) ||
      !query_input_.ReadInteger("limit", &unused, &refusal) ||
      !query_input_.ReadInteger("wait", &unused, &refusal)) {
    Refuse(refusal);
    return true;
  }
  if (answering_.is_head) {
    Answer({.content_type = kEventStreamType}, {});
    return true;
  }
  const wire::CommandInfo& command = wire::CommandOf(match_.route->command);
  const std::string_view words[] = {command.name, match_.path[0], "0"};
  if (!MayUse(command, words)) return true;
  if (service_->streams.fetch_add(1) >= service_->config.max_streams) {
    service_->streams.fetch_sub(1);
    Refuse({.status = 503,
            .code = "LIMIT",
            .detail = "there are " + std::to_string(service_->config.max_streams) +
                      " streams already (max-streams)"});
    return true;
  }
  stream_ = std::make_unique<EventStream>();
  stream_->is_live = is_live;
  stream_->board = match_.path[0];
  streams_ = true;
  stream_->top = static_cast<std::uint32_t>(top);
  is_live ? BeginLive() : BeginChanges(request);
  return true;
}

void HttpSession::SendStreamHead() {
  stream_->has_head = true;
  stream_->sent_us = base::MonotonicMicros();
  ResponseHead head;
  head.content_type = kEventStreamType;
  head.body_bytes = ResponseHead::kStream;
  head.request_id = answering_.request_id;
  head.allowed_origin = answering_.allowed_origin;
  head.varies_by_origin = answering_.varies_by_origin;
  head.closes = true;
  head.more = "X-Accel-Buffering: no\r\n";
  AppendHead(head, &connection_->replies);
  NoteAnswer(200, 0);
  // The server may have started to stop before the head was sent. An EventSource reconnects after
  // this event, but not after a status other than 200.
  if (service_->network.stopping) EndInPipeline("the server stops");
}

// Cancels a stream that has not begun, so that an ordinary answer can follow.
void HttpSession::WithdrawStream() {
  stream_.reset();
  streams_ = false;
  service_->streams.fetch_sub(1);
}

// Live --------------------------------------------------------------------------------------------

void HttpSession::BeginLive() {
  engine::LiveQuery query;
  query.board = stream_->board;
  query.top = stream_->top;
  for (const std::string_view member : query_input_.Texts()) query.members.emplace_back(member);
  query.access = connection_->client()->access;
  query.ways_out = &http::kWaysOut;
  if (query.top == 0 && query.members.empty()) {
    WithdrawStream();
    return Refuse({.code = "ERR", .detail = "there is nothing to follow", .field = "top"});
  }
  const Result<engine::LiveHandle> handle = service_->network.engine->Subscribe(query, this);
  if (!handle.ok()) {
    WithdrawStream();
    if (handle.error().code != ErrorCode::kLimit) {
      const bool is_of_board = handle.error().code == ErrorCode::kNoBoard;
      return RefuseError(handle.error(), is_of_board ? "board" : "");
    }
    // The query is within its own bounds, so the server lacks room.
    return Refuse({.status = 503, .code = "LIMIT", .detail = handle.error().message});
  }
  stream_->handle = *handle;
  SendStreamHead();
}

void HttpSession::OnReady() { connection_->Wake(); }

void HttpSession::OnWake() {
  if (!stream_ || stream_->has_ended) return;
  if (!stream_->is_live) {
    stream_->role.reset();
    return connection_->Continue();
  }
  stream_->is_ready = true;
  SendLive();
}

void HttpSession::OnDrained() {
  if (!stream_ || !stream_->is_live) return;
  stream_->is_drained = true;
  if (stream_->is_ready) connection_->Wake();  // thousands may drain at once: see Loop::Wake
}

void HttpSession::SendLive() {
  EventStream& stream = *stream_;
  if (!stream.is_ready || !stream.is_drained || stream.has_ended || !stream.handle) return;
  stream.is_ready = false;
  const std::optional<engine::LiveUpdate> update = service_->network.engine->Take(*stream.handle);
  if (!update) return;
  if (update->gone) return EndStream("the board is gone");
  if (update->spec->kind == BoardKind::kSortedSet) return EndStream("the board is a sorted set");
  std::string text;
  if (stream.top > 0) {
    text = *service_->live_events.Top(*update, stream.top, stream.version);
  }
  text += LiveEvents::Members(*update);
  stream.version = update->version;
  stream.is_drained = false;
  stream.sent_us = base::MonotonicMicros();
  connection_->Write(text);
  connection_->AwaitDrained();
}

// Changes -----------------------------------------------------------------------------------------

void HttpSession::BeginChanges(const http::Request& request) {
  ChangePages::Key& next = stream_->next;
  next.board = stream_->board;
  next.cursor = query_input_.Text("from").value_or("$");
  if (const auto last = request.Header("Last-Event-ID"); last && !last->empty()) {
    next.cursor = *last;
    stream_->cursor_field = "Last-Event-ID";
  }
  if (const auto member = query_input_.Text("member")) next.member = std::string(*member);
  if (answering_.token != nullptr) next.pattern = answering_.token->boards;
  AskChanges(/*waits=*/false);
}

// Asks for the events after the cursor. The first request does not wait, so that an error gets an
// answer with its own status.
void HttpSession::AskChanges(bool waits) {
  asked_.Clear();
  http::Call& call = call_;
  static_cast<void>(std::exchange(page_, {}));
  call.Reset(match_.route);
  call.Begin(wire::CommandId::kLbChanges);
  call.Put(stream_->board);
  call.Note(std::string(stream_->cursor_field));
  call.Put(stream_->next.cursor);
  call.Put("COUNT");
  call.Put(kPageEvents);
  if (stream_->next.member) {
    call.Put("MEMBER");
    call.Put(*stream_->next.member);
  }
  if (waits) {
    call.Put("BLOCK");
    call.Put(kBlockMs);
  }
  AskOne(call, {.stream = &page_, .max_event_bytes = kPageBytes});
}

Conversation::Taken HttpSession::TakeStream(std::string_view input) {
  Taken taken;
  taken.bytes = input.size();  // input of a streaming client is ignored
  EventStream& stream = *stream_;
  if (stream.is_live || stream.has_ended || stream.role == ChangePages::Role::kWaits) return taken;
  taken.has_pipeline = true;
  const std::int64_t next_us = stream.sent_us + kRestUs - base::MonotonicMicros();
  if (std::exchange(stream.rests, false) && next_us > 0) {
    connection_->DelayReplies((next_us + 999) / 1000);
    return taken;
  }
  std::shared_ptr<const ChangePages::Page> page;
  stream.role = service_->change_pages.Ask(stream.next, this, &page);
  switch (*stream.role) {
    case ChangePages::Role::kHasPage:
      SendPage(*page);
      break;
    case ChangePages::Role::kLeads:
      AskChanges(/*waits=*/true);
      break;
    case ChangePages::Role::kWaits:
      taken.has_pipeline = false;
      break;
  }
  return taken;
}

void HttpSession::OnPage() { connection_->Wake(); }

void HttpSession::SendPage(const ChangePages::Page& page) {
  connection_->replies.append(page.text);
  stream_->role.reset();
  stream_->next.cursor = page.next;
  if (page.text.empty()) return;
  stream_->rests = !page.full;
  stream_->sent_us = base::MonotonicMicros();
}

void HttpSession::SendChanges() {
  EventStream& stream = *stream_;
  if (!stream.has_head && stream.lost_token) {
    WithdrawStream();
    answering_.closes = true;
    return RefuseError({ErrorCode::kNoAuth, "the token has ended"});
  }
  if (!stream.has_head && answer_.error() != nullptr) {
    WithdrawStream();
    return RefuseError(*answer_.error(), FailedField());
  }
  if (!stream.has_head) SendStreamHead();
  if (stream.has_ended) return;
  if (answer_.error() != nullptr) return EndInPipeline(answer_.error()->ToString());
  // There are no new events: a leader stays the leader.
  if (page_.end.next == stream.next.cursor && page_.text.empty() && !page_.end.gap) return;
  const bool leads = stream.role == ChangePages::Role::kLeads;
  const ChangePages::Key key = stream.next;
  const auto shared = std::make_shared<const ChangePages::Page>(
      PageOf(std::exchange(page_, {})));  // assigning an empty value would keep the capacity
  SendPage(*shared);
  if (leads) service_->change_pages.Publish(key, shared);
}

// Both --------------------------------------------------------------------------------------------

bool HttpSession::OnTick(std::int64_t now_us) {
  if (!stream_) {
    if (request_began_us_ != 0) return now_us - request_began_us_ > kRequestUs;
    return !connection_->waits() && now_us - connection_->active_us() > kIdleUs;
  }
  const bool waits = stream_->is_live ? stream_->is_drained : stream_->role.has_value();
  if (waits && !stream_->has_ended && now_us - stream_->sent_us > kCommentUs) {
    stream_->sent_us = now_us;
    connection_->Write(kComment);
  }
  return false;
}

void HttpSession::AppendEnd(std::string_view reason, std::string* out) {
  stream_->has_ended = true;
  thread_local base::Random random(base::SystemEntropy());
  const std::uint64_t retry_ms = kLeastRetryMs + random.Next() % (kMostRetryMs - kLeastRetryMs);
  out->append("retry: ").append(std::to_string(retry_ms));
  out->append("\nevent: end\ndata: {\"reason\":");
  wire::AppendJsonString(reason, out);
  out->append("}\n\n");
}

void HttpSession::EndInPipeline(std::string_view reason) {
  AppendEnd(reason, &connection_->replies);
  connection_->CloseAfterPipeline();
}

void HttpSession::EndStream(std::string_view reason) {
  if (!stream_->has_head || stream_->has_ended) return;
  std::string text;
  AppendEnd(reason, &text);
  connection_->Write(text);
  connection_->Shut(Connection::When::kWhenIdle);
}

bool HttpSession::OnTokensChanged() {
  known_token_.reset();  // the next request looks its token up again
  known_secret_.clear();
  const bool needed_none = std::exchange(needed_no_token_, NoTokens());
  const bool goes_on = client_token_ == nullptr ? !needed_none || NoTokens()
                                                : client_token_ == service_->anonymous ||
                                                      service_->tokens.Has(*client_token_);
  if (goes_on) return true;
  if (stream_) {
    stream_->lost_token = true;
    EndStream("the token has ended");
  }
  return false;
}

bool HttpSession::OnShut() {
  if (stream_) {
    EndStream("the server stops");
    return false;
  }
  // A waiting read answers with the events that exist so far.
  if (!connection_->waits()) return false;
  service_->network.engine->Cancel(connection_, engine::Wakeup::kTimeout);
  return true;
}

void HttpSession::OnClosed() {
  if (!stream_) return;
  if (stream_->handle) service_->network.engine->Unsubscribe(*stream_->handle);
  if (stream_->role) service_->change_pages.Leave(stream_->next, this);
  WithdrawStream();
}

}  // namespace laurel::server
