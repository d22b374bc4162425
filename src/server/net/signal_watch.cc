#include "server/net/signal_watch.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/assert.h"

namespace laurel::server {
namespace {

std::atomic<int> wake_descriptor{-1};
std::atomic<std::uint64_t> received_signals{0};  // a bit for each signal
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "a signal handler sets it");

void OnSignal(int signal) {
  const int saved = errno;
  received_signals.fetch_or(std::uint64_t{1} << signal);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_descriptor.load(), &one, sizeof(one));
  errno = saved;
}

void Handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

SignalWatch::SignalWatch(EventLoop* loop, std::vector<int> signals,
                         std::function<void(int)> handler)
    : loop_(loop), signals_(std::move(signals)), handler_(std::move(handler)) {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  LAUREL_ASSERT(descriptor >= 0 && wake_descriptor.load() < 0);
  wake_descriptor = descriptor;
  received_signals = 0;
  const bool added = loop_->Add(descriptor, this);
  LAUREL_ASSERT(added);
  for (const int signal : signals_) Handle(signal, OnSignal);
}

SignalWatch::~SignalWatch() {
  for (const int signal : signals_) Handle(signal, SIG_DFL);
  const int descriptor = wake_descriptor.exchange(-1);
  loop_->Remove(descriptor, this);
  close(descriptor);
}

void SignalWatch::OnEvents(std::uint32_t /*events*/) {
  const std::uint64_t signals = received_signals.exchange(0);
  for (const int signal : signals_) {
    if ((signals >> signal & 1) != 0) handler_(signal);
  }
}

}  // namespace laurel::server
