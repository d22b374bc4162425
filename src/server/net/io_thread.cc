#include "server/net/io_thread.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/clock.h"

namespace laurel::server {
namespace {

// Bounds a batch, so that large replies of some connections do not delay the others for long.
constexpr std::size_t kMostBatchPipelines = 64;
// Bounds the number of woken connections, such as live streams, that are served at once: each takes
// about 0.1 ms for 1,000 entries.
constexpr int kMostWoken = 16;

}  // namespace

IoThread::IoThread(Network* network)
    : network_(network),
      io_(/*concurrency_hint=*/1),
      poller_(&io_, [this] { ExecuteBatch(); }),
      pause_timer_(io_) {}

IoThread::~IoThread() { Join(); }

void IoThread::Start() {
  thread_ = std::thread([this] { Run(); });
}

void IoThread::Run() {
  poller_.Start();
  io_.run();
}

void IoThread::Join() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void IoThread::Enqueue(std::shared_ptr<Connection> connection) {
  ready_.push_back(std::move(connection));
  Schedule();
}

void IoThread::Wake(std::shared_ptr<Connection> connection) {
  {
    const base::MutexLock lock(woken_mutex_);
    woken_.push_back(std::move(connection));
    if (woken_.size() > 1) return;
  }
  boost::asio::post(io_, [this] { ServeWoken(); });
}

void IoThread::ServeWoken() {
  for (int i = 0; i < kMostWoken; ++i) {
    std::shared_ptr<Connection> connection;
    {
      const base::MutexLock lock(woken_mutex_);
      connection = woken_.front();
    }
    connection->OnWoken();
    const base::MutexLock lock(woken_mutex_);
    woken_.pop_front();
    if (woken_.empty()) return;
  }
  boost::asio::post(io_, [this] { ServeWoken(); });
}

void IoThread::Schedule() {
  if (scheduled_ || poller_.in_round()) return;  // the round executes the batch at its end
  scheduled_ = true;
  // Runs after the handlers that are ready now, so that their requests join the batch.
  boost::asio::post(io_, [this] { ExecuteBatch(); });
}

void IoThread::HoldBackPaused() {
  const std::int64_t left_ms = network_->pause.LeftMs(base::MonotonicMicros() / 1000);
  if (left_ms <= 0 || network_->stopping) return;
  const bool reads_pass = network_->pause.writes_only();
  const auto writes = [](const engine::Request& request) { return request.Has(wire::kWrite); };
  const auto passes = [&](const std::shared_ptr<Connection>& connection) {
    const auto& requests = connection->requests;
    return reads_pass && std::none_of(requests.begin(), requests.end(), writes);
  };
  const auto held = std::stable_partition(ready_.begin(), ready_.end(), passes);
  if (held == ready_.end()) return;
  const bool waits = !held_back_.empty();
  held_back_.insert(held_back_.end(), std::make_move_iterator(held),
                    std::make_move_iterator(ready_.end()));
  ready_.erase(held, ready_.end());
  if (waits) return;
  constexpr std::int64_t kMostMs = 50;  // CLIENT UNPAUSE may come earlier
  pause_timer_.expires_after(std::chrono::milliseconds(std::min(left_ms, kMostMs)));
  pause_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    ready_.insert(ready_.begin(), held_back_.begin(), held_back_.end());
    held_back_.clear();
    Schedule();
  });
}

void IoThread::ExecuteBatch() {
  scheduled_ = false;
  if (ready_.empty()) return;
  if (network_->pause.possible()) HoldBackPaused();
  const auto taken = static_cast<std::ptrdiff_t>(std::min(ready_.size(), kMostBatchPipelines));
  executing_.assign(std::make_move_iterator(ready_.begin()),
                    std::make_move_iterator(ready_.begin() + taken));
  ready_.erase(ready_.begin(), ready_.begin() + taken);
  // The other connections join the next batch, with those that have become ready meanwhile.
  if (!ready_.empty()) Schedule();
  pipelines_.clear();
  std::erase_if(executing_, [](const auto& connection) { return !connection->BeginExecution(); });
  for (const auto& connection : executing_) pipelines_.push_back(connection.get());
  network_->engine->Execute(pipelines_);
  for (const auto& connection : executing_) connection->EndExecution();
  executing_.clear();
}

}  // namespace laurel::server
