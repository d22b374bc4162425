// The connections of a server, by id. Every method but AbandonAll may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "server/net/connection.h"

namespace laurel::server {

class ConnectionList final : public Connection::Owner {
 public:
  void Add(const std::shared_ptr<Connection>& connection);
  void OnClosed(const Connection& connection) override;
  // Closes all sockets. REQUIRES: no I/O thread runs any more.
  void AbandonAll();

  [[nodiscard]] std::vector<std::shared_ptr<Connection>> All() const;
  [[nodiscard]] std::shared_ptr<Connection> Find(std::uint64_t id) const;  // null if there is none
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  mutable base::Mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<Connection>> connections_
      LAUREL_GUARDED_BY(mutex_);
  std::atomic<std::size_t> size_{0};
};

}  // namespace laurel::server
