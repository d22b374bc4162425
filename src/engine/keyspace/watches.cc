#include "engine/keyspace/watches.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace laurel::engine {

void Watches::Watch(std::string_view name, Client* client) {
  std::vector<Client*>& clients = watchers_[std::string(name)];
  if (std::find(clients.begin(), clients.end(), client) != clients.end()) return;
  clients.push_back(client);
  client->watched.emplace_back(name);
}

void Watches::Unwatch(Client* client) {
  for (const std::string& name : client->watched) {
    const auto found = watchers_.find(name);
    LAUREL_ASSERT(found != watchers_.end());
    std::erase(found->second, client);
    if (found->second.empty()) watchers_.erase(found);
  }
  // An assignment would keep the memory of up to kMaxWatchedNames names.
  static_cast<void>(std::exchange(client->watched, {}));
  static_cast<void>(std::exchange(client->watched_instances, {}));
  client->watch_broken = false;
}

void Watches::Touch(std::string_view name) {
  if (watchers_.empty()) return;
  const auto found = watchers_.find(std::string(name));
  if (found == watchers_.end()) return;
  for (Client* client : found->second) client->watch_broken = true;
}

void Watches::Await(std::string_view name, int change) {
  const auto found = awaited_.try_emplace(std::string(name), 0).first;
  found->second += change;
  LAUREL_ASSERT(found->second >= 0);
  if (found->second == 0) awaited_.erase(found);
}

}  // namespace laurel::engine
