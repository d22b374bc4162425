#include "server/net/connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/clock.h"
#include "server/net/io_thread.h"
#include "server/server.h"
#include "server/state/log.h"

namespace laurel::server {
namespace {

constexpr std::size_t kFirstInputBytes = 1024;
constexpr std::size_t kMostReadBytes = std::size_t{64} << 10;  // in one go
constexpr std::size_t kMostTurnRequests = 1024;
constexpr std::size_t kKeptBytes = std::size_t{64} << 10;          // of a buffer that has grown
constexpr std::size_t kWaitingInputBytes = std::size_t{64} << 10;  // taken while a pop waits

}  // namespace

Connection::Connection(Server* server, IoThread* thread, std::uint64_t id, std::string remote,
                       std::string local)
    : Turn(&client_),
      server_(server),
      thread_(thread),
      session_(server, this, this, id, std::move(remote), std::move(local)),
      stranger_since_us_(base::MonotonicMicros()),
      active_us_(stranger_since_us_) {
  client_.address = session_.remote();
}

Connection::~Connection() {
  server_->AddBufferBytes(-static_cast<std::ptrdiff_t>(accounted_bytes_));
}

void Connection::Start() { Handshake(); }

void Connection::OnReady() {
  ready_ = true;
  if (!closed_) StartRead();
}

// Reading --------------------------------------------------------------------------------------

void Connection::CompactInput() {
  const std::size_t held = input_end_ - input_begin_;
  if (input_begin_ > 0) {
    std::memmove(input_.get(), input_.get() + input_begin_, held);
    input_begin_ = 0;
    input_end_ = held;
  }
  // Twice what is there: never from what a header claims. Idle connections keep little.
  std::size_t wanted = input_capacity_;
  if (held == input_capacity_) {
    wanted = std::max(kFirstInputBytes, input_capacity_ * 2);
  } else if (held == 0 && input_capacity_ > kKeptBytes) {
    wanted = kFirstInputBytes;
  }
  if (wanted == input_capacity_) return;
  auto grown = std::make_unique_for_overwrite<char[]>(wanted);
  if (held > 0) std::memcpy(grown.get(), input_.get(), held);
  input_ = std::move(grown);
  input_capacity_ = wanted;
}

void Connection::StartRead() {
  if (reading_ || closed_) return;
  if (blocked_ && input_end_ - input_begin_ >= kWaitingInputBytes) return;
  CompactInput();
  AccountBuffers();
  if (closed_) return;
  reading_ = true;
  AsyncRead(input_.get() + input_end_, std::min(input_capacity_ - input_end_, kMostReadBytes));
}

void Connection::OnRead(bool ok, std::size_t bytes) {
  reading_ = false;
  if (closed_) return;
  if (!ok) return Close();
  input_end_ += bytes;
  active_us_ = base::MonotonicMicros();
  session_.NoteActivity(active_us_);
  server_->counters().bytes_in.fetch_add(bytes, std::memory_order_relaxed);
  if (blocked_) return StartRead();
  Proceed();
}

// Turns ----------------------------------------------------------------------------------------

void Connection::Proceed() {
  // While the engine has the turn its end comes first.
  while (!closed_ && !queued_ && !writing_ && !blocked_ && !delayed_ &&
         execution_ == Execution::kNone) {
    if (executed < requests.size()) {  // the turn had stopped for the client to read
      queued_ = true;
      return thread_->Enqueue(shared_from_this());
    }
    if (close_after_write_) return Close();
    if (!ParseTurn()) return StartRead();
    if (!requests.empty()) {
      queued_ = true;
      return thread_->Enqueue(shared_from_this());
    }
    const std::int64_t delay_ms = session_.TakeReplyDelay();
    if (delay_ms > 0) return DelayReplies(delay_ms);
    FinishTurn();
  }
}

void Connection::DelayReplies(std::int64_t delay_ms) {
  delayed_ = true;
  if (!deadline_) deadline_ = std::make_unique<boost::asio::steady_timer>(thread_->io());
  deadline_->expires_after(std::chrono::milliseconds(delay_ms));
  deadline_->async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || self->closed_) return;
    self->delayed_ = false;
    self->FinishTurn();
    self->Proceed();
  });
}

// Takes requests off the input until it ends, or something ends the turn. False if there is none.
bool Connection::ParseTurn() {
  using Outcome = wire::RequestParser::Outcome;
  spans_.clear();
  arguments_.clear();
  std::size_t taken = 0;
  bool ended = false;
  while (!ended && taken < kMostTurnRequests &&
         replies.size() + session_.literal_bytes() <= engine::kPauseReplyBytes) {
    wire::RequestParser::Limits limits;
    limits.request_bytes = server_->config().max_request;
    limits.authenticated = session_.authenticated();
    const std::string_view input(input_.get() + input_begin_, input_end_ - input_begin_);
    const std::size_t first = arguments_.size();
    std::size_t consumed = 0;
    const Outcome outcome = parser_.Next(input, limits, &arguments_, &consumed);
    if (outcome == Outcome::kIncomplete) break;
    if (outcome == Outcome::kError) {
      session_.RefuseProtocol(parser_.error());
      ++server_->counters().errors_protocol;
      close_after_write_ = true;
      ++taken;
      break;
    }
    if (outcome == Outcome::kHttp) {
      server_->NoteHttpRequest(session_.remote());
      ++server_->counters().errors_protocol;
      close_after_write_ = true;  // once what came before it is answered
      ++taken;
      break;
    }
    input_begin_ += consumed;
    const std::size_t count = arguments_.size() - first;
    if (count == 0) continue;
    ++taken;
    const std::size_t before = requests.size();
    const Session::Next next = session_.Take({&arguments_[first], count});
    if (next == Session::Next::kAlone) {  // it begins the next turn
      input_begin_ -= consumed;
      arguments_.resize(first);
      --taken;
      break;
    }
    if (requests.size() > before && requests.back().command != nullptr &&
        requests.back().transaction == nullptr) {
      spans_.push_back({requests.size() - 1, first, count});
    }
    if (next == Session::Next::kClose) close_after_write_ = true;
    ended = next != Session::Next::kGoOn;
  }
  // Only now do the arguments stand still.
  for (const Span& span : spans_) {
    requests[span.request].arguments = {&arguments_[span.first], span.count};
  }
  server_->counters().commands.fetch_add(taken, std::memory_order_relaxed);
  return taken > 0;
}

bool Connection::HasWrites() const {
  return std::any_of(requests.begin(), requests.end(), [](const engine::Request& request) {
    const auto writes = [](const engine::Request& one) {
      return one.command != nullptr && one.command->Has(wire::kWrite);
    };
    if (request.transaction == nullptr) return writes(request);
    const auto queued = request.transaction->requests;
    return std::any_of(queued.begin(), queued.end(), writes);
  });
}

bool Connection::BeginExecution() {
  if (closed_) {
    queued_ = false;
    return false;
  }
  execution_ = Execution::kExecuting;
  self_ = shared_from_this();
  return true;
}

void Connection::EndExecution() {
  queued_ = false;
  Execution expected = Execution::kExecuting;
  if (execution_.compare_exchange_strong(expected, Execution::kPending)) {
    // A pop waits, perhaps for long: its client is listened to meanwhile, since it may go away. Or
    // the disk is writing: that is soon over.
    ReleaseArguments();
    if (blocked_) StartRead();
    return;
  }
  FinishTurn();
  Proceed();
}

void Connection::Done() {
  if (execution_.exchange(Execution::kDone) != Execution::kPending) return;
  boost::asio::post(thread_->io(), [self = shared_from_this()] {
    self->FinishTurn();
    self->Proceed();
  });
}

void Connection::Blocked(std::int64_t deadline_ms) {
  blocked_ = true;
  ++waits_;
  if (deadline_ms == 0) return;
  const std::int64_t engine_now_ms = (SystemNow() + server_->config().clock_offset_us) / 1000;
  if (!deadline_) deadline_ = std::make_unique<boost::asio::steady_timer>(thread_->io());
  const std::int64_t wait_ms = std::max<std::int64_t>(deadline_ms - engine_now_ms, 0);
  constexpr std::int64_t kMostMs = 1'000'000'000'000;  // what steady_clock can add to now
  deadline_->expires_after(std::chrono::milliseconds(std::min(wait_ms, kMostMs)));
  deadline_->async_wait(
      [self = shared_from_this(), wait = waits_](const boost::system::error_code& error) {
        // It may have been on its way when the wait was over, and the client may wait again.
        if (error || !self->blocked_ || self->waits_ != wait) return;
        self->server_->engine().Cancel(self.get(), engine::Wakeup::kTimeout);
      });
}

void Connection::ReleaseArguments() {
  if (executed < requests.size()) return;
  requests.clear();
  executed = 0;
  arguments_.clear();
  if (arguments_.capacity() > kKeptBytes / sizeof(std::string_view)) arguments_.shrink_to_fit();
  parser_.ReleaseInline();
}

// The replies of the turn, or of its first part, go out.
void Connection::FinishTurn() {
  execution_ = Execution::kNone;
  if (blocked_.exchange(false)) active_us_ = base::MonotonicMicros();
  if (deadline_) deadline_->cancel();
  const std::shared_ptr<Connection> alive = std::move(self_);
  ReleaseArguments();
  if (session_.DiscardsReplies()) replies.clear();
  if (requests.empty()) session_.EndTurn();
  if (closed_) return;
  if (writing_) {
    pushed_ += replies;  // what is being sent must not move
  } else if (output_.empty()) {
    output_.swap(replies);
  } else {
    output_ += replies;
  }
  replies.clear();
  Send();
}

// Writing --------------------------------------------------------------------------------------

void Connection::Send() {
  if (writing_ || closed_) return;
  if (sent_ < output_.size()) {
    const std::size_t bytes = TryWrite(std::string_view(output_).substr(sent_));
    sent_ += bytes;
    server_->counters().bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  }
  if (sent_ == output_.size()) {
    output_.clear();
    sent_ = 0;
    if (output_.capacity() > kKeptBytes) output_.shrink_to_fit();
    if (OwnsReplies() && replies.capacity() > kKeptBytes) replies.shrink_to_fit();
    return AccountBuffers();
  }
  AccountBuffers();
  if (closed_) return;
  writing_ = true;
  write_moved_us_ = base::MonotonicMicros();
  AsyncWrite(std::string_view(output_).substr(sent_));
}

void Connection::OnWritten(bool ok, std::size_t bytes) {
  writing_ = false;
  if (closed_) return;
  if (!ok) return Close();
  active_us_ = base::MonotonicMicros();
  sent_ += bytes;
  server_->counters().bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  if (!pushed_.empty()) {
    output_ += pushed_;
    std::string().swap(pushed_);
  }
  Send();
  Proceed();
}

void Connection::Push(std::string bytes) {
  boost::asio::post(thread_->io(), [self = shared_from_this(), text = std::move(bytes)] {
    if (self->closed_ || !self->session_.monitors()) return;
    if (self->writing_) {
      // What is being sent must not move; the rest waits behind it.
      self->pushed_ += text;
      self->AccountBuffers();
      return;
    }
    self->output_ += text;
    self->Send();
  });
}

// Limits and the end ---------------------------------------------------------------------------

void Connection::AccountBuffers() {
  if (OwnsReplies()) replies_capacity_ = replies.capacity();
  const std::size_t bytes = input_capacity_ + output_.capacity() + replies_capacity_ +
                            pushed_.capacity() + session_.queued_bytes() + session_.literal_bytes();
  shown_input_ = input_end_ - input_begin_;
  shown_output_ = output_.size() - sent_ + pushed_.size();
  // A turn stops at kPauseReplyBytes, so one reply of the largest size may come on top.
  const bool too_much = shown_output_ > server_->config().max_output + engine::kPauseReplyBytes;
  if (bytes == accounted_bytes_ && !too_much) return;
  const bool fits = server_->AddBufferBytes(static_cast<std::ptrdiff_t>(bytes) -
                                            static_cast<std::ptrdiff_t>(accounted_bytes_));
  accounted_bytes_ = bytes;
  // Beyond the bound for all, those who hold much have to go.
  if (!too_much && (fits || bytes <= kKeptBytes)) return;
  ++server_->counters().output_overflows;
  Log(LogLevel::kWarn, "closed " + session_.remote() + ": its buffers hold " +
                           std::to_string(bytes) + " bytes" +
                           (too_much ? " (max-output)" : " (max-buffers)"));
  Close();
}

void Connection::CheckTimeouts(std::int64_t now_us) {
  if (closed_) return;
  const Config& config = server_->config();
  const auto over = [&](std::int64_t since_us, std::int64_t limit_ms) {
    return limit_ms > 0 && now_us - since_us > limit_ms * 1000;
  };
  if (writing_ && over(write_moved_us_, config.stall_timeout_ms)) {
    Log(LogLevel::kWarn, "closed " + session_.remote() + ": it does not read its replies");
    return Close();
  }
  // In the middle of a request, or of a TLS handshake.
  const bool busy = blocked_ || queued_ || writing_ || delayed_;
  const bool stopped = !ready_ || (input_end_ > input_begin_ && !busy);
  if (stopped && over(active_us_, config.stall_timeout_ms)) return Close();
  if (!session_.authenticated() && over(stranger_since_us_, config.auth_timeout_ms)) {
    return Close();
  }
  const bool idle = !busy && !session_.monitors();
  if (idle && over(active_us_, config.idle_timeout_ms)) Close();
}

void Connection::Shut(When when) {
  boost::asio::post(thread_->io(), [self = shared_from_this(), when] {
    self->close_after_write_ = true;
    // What the engine has done is on its way here; so is what the disk is writing.
    const Execution execution = self->execution_;
    const bool served =
        execution == Execution::kDone || (execution == Execution::kPending && !self->blocked_);
    const bool idle = !self->queued_ && !self->writing_ && !served;
    if (when == When::kNow || idle) self->Close();
  });
}

void Connection::Abandon() {
  closed_ = true;
  self_.reset();
  CloseSocket();
}

void Connection::OnPeerEnded() {
  // Input that fills its bound while a pop waits is not read, so the end is not seen there.
  if (blocked_ && !closed_) Close();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  const std::shared_ptr<Connection> alive = shared_from_this();
  if (blocked_ && server_->engine().Cancel(this, engine::Wakeup::kGone)) self_.reset();
  if (deadline_) deadline_->cancel();
  server_->engine().Forget(&client_);
  if (session_.monitors()) server_->AddMonitor(-1);
  CloseSocket();
  server_->Remove(this);
}

}  // namespace laurel::server
