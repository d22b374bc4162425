#include "cli/stop_signals.h"

#include <csignal>

namespace laurel::cli {
namespace {

std::atomic<bool> finish_requested{false};
std::atomic<bool> stop_requested{false};
std::atomic<bool> first_stops{true};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets them");

void OnSignal(int signal) {
  if (stop_requested.load()) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  if (first_stops.load() || finish_requested.load()) stop_requested.store(true);
  finish_requested.store(true);
}

}  // namespace

StopSignals::StopSignals(First first) {
  finish_requested.store(false);
  stop_requested.store(false);
  first_stops.store(first == First::kAtOnce);
  std::signal(SIGINT, OnSignal);
  std::signal(SIGTERM, OnSignal);
}

StopSignals::~StopSignals() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& StopSignals::finish() const { return finish_requested; }
const std::atomic<bool>& StopSignals::now() const { return stop_requested; }

}  // namespace laurel::cli
