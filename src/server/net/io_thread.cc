#include "server/net/io_thread.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

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
    : network_(network), events_([this] { return ExecuteBatch(); }), pause_timer_(&events_) {}

IoThread::~IoThread() { Join(); }

void IoThread::Start() {
  thread_ = std::thread([this] { Run(); });
}

void IoThread::Run() { events_.Run(); }

void IoThread::Join() {
  events_.Stop();
  if (thread_.joinable()) thread_.join();
}

void IoThread::Enqueue(std::shared_ptr<Connection> connection) {
  ready_.push_back(std::move(connection));
}

void IoThread::Wake(std::shared_ptr<Connection> connection) {
  {
    const base::MutexLock lock(woken_mutex_);
    woken_.push_back(std::move(connection));
    if (woken_.size() > 1) return;
  }
  events_.Post([this] { ServeWoken(); });
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
  events_.Post([this] { ServeWoken(); });
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
  pause_timer_.Start(std::chrono::milliseconds(std::min(left_ms, kMostMs)), [this] {
    ready_.insert(ready_.begin(), held_back_.begin(), held_back_.end());
    held_back_.clear();
  });
}

bool IoThread::ExecuteBatch() {
  if (ready_.empty()) return false;
  if (network_->pause.possible()) HoldBackPaused();
  const auto taken = static_cast<std::ptrdiff_t>(std::min(ready_.size(), kMostBatchPipelines));
  executing_.assign(std::make_move_iterator(ready_.begin()),
                    std::make_move_iterator(ready_.begin() + taken));
  ready_.erase(ready_.begin(), ready_.begin() + taken);
  pipelines_.clear();
  std::erase_if(executing_, [](const auto& connection) { return !connection->BeginExecution(); });
  for (const auto& connection : executing_) pipelines_.push_back(connection.get());
  network_->engine->Execute(pipelines_);
  for (const auto& connection : executing_) connection->EndExecution();
  executing_.clear();
  // The other connections join the next batch, with those that have become ready meanwhile.
  return !ready_.empty();
}

}  // namespace laurel::server
