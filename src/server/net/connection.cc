#include "server/net/connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "server/logs/server_log.h"

namespace laurel::server {
namespace {

constexpr std::size_t kFirstInputBytes = 1024;
// The input buffer of a client that pipelines. Larger reads mean more requests per fsync.
constexpr std::size_t kPipelineInputBytes = std::size_t{32} << 10;
constexpr std::size_t kMostReadBytes = std::size_t{64} << 10;  // per read
constexpr std::size_t kKeptBytes = std::size_t{64} << 10;  // larger buffers are freed when empty
constexpr std::size_t kWaitingInputBytes = std::size_t{64} << 10;  // read ahead while a pop waits

}  // namespace

Connection::Connection(Network* network, Loop* loop, Owner* owner,
                       std::unique_ptr<Transport> transport, std::uint64_t id)
    : Pipeline(&client_),
      network_(network),
      loop_(loop),
      owner_(owner),
      transport_(std::move(transport)),
      id_(id),
      opened_us_(base::MonotonicMicros()),
      unauthenticated_since_us_(opened_us_),
      active_us_(opened_us_) {
  client_.address = transport_->remote();
}

Connection::~Connection() { network_->buffers.Add(-static_cast<std::ptrdiff_t>(accounted_bytes_)); }

void Connection::Converse(std::unique_ptr<Conversation> conversation) {
  conversation_ = std::move(conversation);
}

void Connection::Start() {
  LAUREL_ASSERT(conversation_ != nullptr);
  if (!closed_) transport_->Start(this);
}

void Connection::OnReady() {
  ready_ = true;
  if (!closed_) StartRead();
}

EventLoop::Timer& Connection::Deadline() {
  if (!deadline_) deadline_ = std::make_unique<EventLoop::Timer>(&loop_->events());
  return *deadline_;
}

// Reading --------------------------------------------------------------------------------------

void Connection::CompactInput() {
  const std::size_t held = input_end_ - input_begin_;
  if (input_begin_ > 0) {
    std::memmove(input_.get(), input_.get() + input_begin_, held);
    input_begin_ = 0;
    input_end_ = held;
  }
  // The buffer doubles only when received bytes fill it: the length in a request's header is not
  // trusted. A large buffer is freed when it is empty.
  std::size_t wanted = input_capacity_;
  const bool pipelines = read_filled_input_ && input_capacity_ < kPipelineInputBytes;
  if (held == input_capacity_ || pipelines) {
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
  transport_->AsyncRead(input_.get() + input_end_,
                        std::min(input_capacity_ - input_end_, kMostReadBytes));
}

void Connection::OnRead(bool ok, std::size_t bytes) {
  reading_ = false;
  if (closed_) return;
  if (!ok) return Close();
  input_end_ += bytes;
  read_filled_input_ = input_end_ == input_capacity_;
  active_us_.store(base::MonotonicMicros(), std::memory_order_relaxed);
  network_->counters.bytes_in.fetch_add(bytes, std::memory_order_relaxed);
  if (blocked_) return StartRead();
  Proceed();
}

// Pipelines ------------------------------------------------------------------------------------

void Connection::Proceed() {
  // While the engine has the pipeline, the connection waits for its end.
  while (!closed_ && !queued_ && !writing_ && !blocked_ && !delayed_ &&
         execution_ == Execution::kNone) {
    if (executed < requests.size()) {  // the engine paused for the client to read
      queued_ = true;
      return loop_->Enqueue(Self());
    }
    if (close_after_write_) return Close();
    if (!TakePipeline()) return StartRead();
    if (conversation_->held_bytes() > kKeptBytes) AccountBuffers();
    if (closed_) return;
    if (!requests.empty()) {
      queued_ = true;
      return loop_->Enqueue(Self());
    }
    const std::int64_t delay_ms = std::exchange(reply_delay_ms_, 0);
    if (delay_ms > 0) return FinishAfter(delay_ms);
    FinishPipeline();
  }
}

bool Connection::TakePipeline() {
  const Conversation::Taken taken =
      conversation_->Take(std::string_view(input_.get() + input_begin_, input_end_ - input_begin_));
  input_begin_ += taken.bytes;
  return taken.has_pipeline;
}

void Connection::FinishAfter(std::int64_t delay_ms) {
  delayed_ = true;
  Deadline().Start(std::chrono::milliseconds(delay_ms), [self = Self()] {
    self->delayed_ = false;
    self->FinishPipeline();
    self->Proceed();
  });
}

bool Connection::BeginExecution() {
  if (closed_) {
    queued_ = false;
    return false;
  }
  execution_ = Execution::kExecuting;
  self_ = Self();
  return true;
}

void Connection::EndExecution() {
  queued_ = false;
  Execution expected = Execution::kExecuting;
  if (!execution_.compare_exchange_strong(expected, Execution::kPending)) {
    FinishPipeline();
    return Proceed();
  }
  // The replies wait either for the disk, which is short, or for a blocking request, which may be
  // long. In the second case the connection keeps reading, to notice that the client disconnects.
  if (executed == requests.size()) {
    requests.clear();
    executed = 0;
    conversation_->ReleaseRequests();
  }
  if (blocked_ && shut_ && !conversation_->OnShut()) return Close();
  if (blocked_) StartRead();
}

void Connection::Done() {
  if (execution_.exchange(Execution::kDone) != Execution::kPending) return;
  loop_->events().Post([self = Self()] {
    self->FinishPipeline();
    self->Proceed();
  });
}

void Connection::Blocked(std::int64_t deadline_ms) {
  blocked_ = true;
  if (deadline_ms == 0) return;
  const std::int64_t engine_now_ms = (SystemNow() + network_->config->clock_offset_us) / 1000;
  const std::int64_t wait_ms = std::max<std::int64_t>(deadline_ms - engine_now_ms, 0);
  constexpr std::int64_t kMostMs = 1'000'000'000'000;  // small enough to add to the clock, in µs
  Deadline().Start(std::chrono::milliseconds(std::min(wait_ms, kMostMs)), [self = Self()] {
    self->network_->engine->Cancel(self.get(), engine::Wakeup::kTimeout);
  });
}

// Sends the replies of the pipeline, or of its first part.
void Connection::FinishPipeline() {
  execution_ = Execution::kNone;
  if (blocked_.exchange(false)) active_us_ = base::MonotonicMicros();
  if (deadline_) deadline_->Cancel();
  const std::shared_ptr<Connection> alive = std::move(self_);
  const bool complete = executed == requests.size();
  if (complete) {
    requests.clear();
    executed = 0;
  }
  conversation_->EndPipeline(complete);
  if (closed_) return;
  if (writing_) {
    pending_output_ += replies;  // what is being sent must not move
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
    const std::size_t bytes = transport_->TryWrite(std::string_view(output_).substr(sent_));
    sent_ += bytes;
    network_->counters.bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  }
  if (sent_ == output_.size()) {
    output_.clear();
    sent_ = 0;
    if (output_.capacity() > kKeptBytes) output_.shrink_to_fit();
    if (OwnsReplies() && replies.capacity() > kKeptBytes) replies.shrink_to_fit();
    AccountBuffers();
    if (std::exchange(notify_drained_, false) && !closed_) conversation_->OnDrained();
    return;
  }
  AccountBuffers();
  if (closed_) return;
  writing_ = true;
  write_moved_us_ = base::MonotonicMicros();
  transport_->AsyncWrite(std::string_view(output_).substr(sent_));
}

void Connection::OnWritten(bool ok, std::size_t bytes) {
  writing_ = false;
  if (closed_) return;
  if (!ok) return Close();
  active_us_ = base::MonotonicMicros();
  sent_ += bytes;
  network_->counters.bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  if (!pending_output_.empty()) {
    output_ += pending_output_;
    std::string().swap(pending_output_);
  }
  Send();
  Proceed();
}

void Connection::Write(std::string_view bytes) {
  if (closed_) return;
  if (writing_) {
    pending_output_ += bytes;
    return AccountBuffers();
  }
  output_ += bytes;
  Send();
}

void Connection::AwaitDrained() {
  notify_drained_ = true;
  if (output_.empty()) loop_->events().Post([self = Self()] { self->Send(); });
}

void Connection::Wake() {
  if (!woken_.exchange(true)) loop_->Wake(Self());
}

void Connection::OnWoken() {
  woken_ = false;
  if (!closed_) conversation_->OnWake();
}

// Limits and closing ---------------------------------------------------------------------------

void Connection::AccountBuffers() {
  if (OwnsReplies()) replies_capacity_ = replies.capacity();
  const std::size_t bytes = input_capacity_ + output_.capacity() + replies_capacity_ +
                            pending_output_.capacity() + conversation_->held_bytes();
  shown_input_ = input_end_ - input_begin_;
  shown_output_ = output_.size() - sent_ + pending_output_.size();
  // A pipeline pauses after kPauseReplyBytes, so one more reply of the largest size may follow.
  const bool too_much = shown_output_ > network_->config->max_output + engine::kPauseReplyBytes;
  if (bytes == accounted_bytes_ && !too_much) return;
  const bool fits = network_->buffers.Add(static_cast<std::ptrdiff_t>(bytes) -
                                          static_cast<std::ptrdiff_t>(accounted_bytes_));
  accounted_bytes_ = bytes;
  // When all buffers together exceed max-buffers, connections that hold more than kKeptBytes close.
  if (!too_much && (fits || bytes <= kKeptBytes)) return;
  ++network_->counters.output_overflows;
  Log(LogLevel::kWarn, "closed " + remote() + ": its buffers hold " + std::to_string(bytes) +
                           " bytes" + (too_much ? " (max-output)" : " (max-buffers)"));
  Close();
}

void Connection::CheckTimeouts(std::int64_t now_us) {
  loop_->events().Post([self = Self(), now_us] { self->CloseIfTimedOut(now_us); });
}

void Connection::CloseIfTimedOut(std::int64_t now_us) {
  if (closed_) return;
  const Config& config = *network_->config;
  const auto over = [&](std::int64_t since_us, std::int64_t limit_ms) {
    return limit_ms > 0 && now_us - since_us > limit_ms * 1000;
  };
  if (writing_ && over(write_moved_us_, config.stall_timeout_ms)) {
    Log(LogLevel::kWarn, "closed " + remote() + ": it does not read its replies");
    return Close();
  }
  // The client has stopped in the middle of a request, or of a TLS handshake.
  const bool busy = blocked_ || queued_ || writing_ || delayed_;
  const bool stopped = !ready_ || (input_end_ > input_begin_ && !busy);
  if (stopped && over(active_us_, config.stall_timeout_ms)) return Close();
  if (conversation_->NeedsAuth() && over(unauthenticated_since_us_, config.auth_timeout_ms)) {
    return Close();
  }
  const bool idle = !busy && over(active_us_, config.idle_timeout_ms);
  if (idle && conversation_->MayTimeOut()) return Close();
  if (conversation_->OnTick(now_us)) Close();
}

void Connection::Shut(When when) {
  loop_->events().Post([self = Self(), when] { self->ShutHere(when); });
}

void Connection::ShutHere(When when) {
  if (closed_) return;
  shut_ = true;
  const bool answers = conversation_->OnShut();
  // The conversation closes the connection with its answer.
  if (when == When::kWhenIdle && conversation_->IsReceiving()) return;
  close_after_write_ = true;
  // The replies of an executed pipeline are already posted to this thread, or will be as soon as
  // the disk is done.
  const Execution execution = execution_;
  const bool served =
      execution == Execution::kDone || (execution == Execution::kPending && (!blocked_ || answers));
  const bool idle = !queued_ && !writing_ && !served;
  if (when == When::kNow || idle) Close();
}

void Connection::CheckToken() {
  loop_->events().Post([self = Self()] {
    if (self->closed_ || self->conversation_->OnTokensChanged()) return;
    Log(LogLevel::kDebug, "closed " + self->remote() + ": its token was removed or changed");
    self->ShutHere(When::kWhenIdle);
  });
}

void Connection::Abandon() {
  closed_ = true;
  deadline_.reset();
  self_.reset();
  transport_->Close();
}

void Connection::OnPeerEnded() {
  // While a request blocks, no input beyond kWaitingInputBytes is read, so no read notices the end.
  if (blocked_ && !closed_) Close();
}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  const std::shared_ptr<Connection> alive = Self();
  if (blocked_ && network_->engine->Cancel(this, engine::Wakeup::kGone)) self_.reset();
  if (deadline_) deadline_->Cancel();
  network_->engine->Forget(&client_);
  conversation_->OnClosed();
  transport_->Close();
  owner_->OnClosed(*this);
}

}  // namespace laurel::server
