#include "server/io_thread.h"

#include <chrono>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/clock.h"
#include "server/connection.h"
#include "server/server.h"

namespace laurel::server {

IoThread::IoThread(Server* server)
    : server_(server), io_(/*concurrency_hint=*/1), pause_timer_(io_) {}

IoThread::~IoThread() { Join(); }

void IoThread::Start() {
  thread_ = std::thread([this] { Run(); });
}

void IoThread::Run() {
  const auto work = boost::asio::make_work_guard(io_);
  io_.run();
}

void IoThread::Join() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void IoThread::Enqueue(std::shared_ptr<Connection> connection) {
  ready_.push_back(std::move(connection));
  if (scheduled_) return;
  scheduled_ = true;
  // Behind the events that are ready now: their requests join the batch.
  boost::asio::post(io_, [this] { ExecuteBatch(); });
}

bool IoThread::IsPaused() {
  const std::int64_t until_ms = server_->paused_until_ms();
  const std::int64_t now_ms = base::MonotonicMicros() / 1000;
  if (until_ms <= now_ms || server_->stopping()) return false;
  bool affected = !server_->pauses_writes_only();
  for (const auto& connection : ready_) affected = affected || connection->HasWrites();
  if (!affected) return false;
  pause_timer_.expires_after(std::chrono::milliseconds(
      std::min<std::int64_t>(until_ms - now_ms, 50)));  // CLIENT UNPAUSE may come before
  pause_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) ExecuteBatch();
  });
  return true;
}

void IoThread::ExecuteBatch() {
  if (server_->paused_until_ms() != 0 && IsPaused()) return;
  scheduled_ = false;
  executing_.swap(ready_);
  turns_.clear();
  for (const auto& connection : executing_) {
    connection->BeginExecution();
    turns_.push_back(connection.get());
  }
  server_->engine().Execute(turns_);
  for (const auto& connection : executing_) connection->EndExecution();
  executing_.clear();
}

}  // namespace laurel::server
