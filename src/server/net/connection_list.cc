#include "server/net/connection_list.h"

namespace laurel::server {

void ConnectionList::Add(const std::shared_ptr<Connection>& connection) {
  const base::MutexLock lock(mutex_);
  connections_.emplace(connection->id(), connection);
  size_ = connections_.size();
}

void ConnectionList::OnClosed(const Connection& connection) {
  const base::MutexLock lock(mutex_);
  connections_.erase(connection.id());
  size_ = connections_.size();
}

void ConnectionList::AbandonAll() {
  for (const auto& connection : All()) connection->Abandon();
  const base::MutexLock lock(mutex_);
  connections_.clear();
  size_ = 0;
}

std::vector<std::shared_ptr<Connection>> ConnectionList::All() const {
  const base::MutexLock lock(mutex_);
  std::vector<std::shared_ptr<Connection>> all;
  all.reserve(connections_.size());
  for (const auto& [id, connection] : connections_) all.push_back(connection);
  return all;
}

std::shared_ptr<Connection> ConnectionList::Find(std::uint64_t id) const {
  const base::MutexLock lock(mutex_);
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second;
}

}  // namespace laurel::server
