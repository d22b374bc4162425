// State that the connections and I/O threads of a server share.
#pragma once

#include <atomic>

#include "engine/engine.h"
#include "server/config/config.h"
#include "server/figures/counters.h"
#include "server/net/buffer_budget.h"
#include "server/net/pause.h"

namespace laurel::server {

struct Network {
  // The configuration must outlive it and must not change once connections are served.
  explicit Network(const Config* settings) : config(settings), buffers(settings->max_buffers) {}

  const Config* config;
  engine::Engine* engine = nullptr;  // set before the first connection
  Counters counters;
  BufferBudget buffers;
  Pause pause;
  std::atomic<bool> stopping{false};
};

}  // namespace laurel::server
