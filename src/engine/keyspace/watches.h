// Names whose changes matter to clients: names that clients watch (WATCH), and names that blocking
// pops wait for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "engine/engine.h"

namespace laurel::engine {

class Watches {
 public:
  // Adds a watch of the name; a repeated watch has no effect. `name`: as Keyspace::Watch resolved
  // it.
  void Watch(std::string_view name, Client* client) {
    std::vector<Client*>& clients = watchers_[std::string(name)];
    if (std::find(clients.begin(), clients.end(), client) != clients.end()) return;
    clients.push_back(client);
    client->watched.emplace_back(name);
  }
  void Unwatch(Client* client) {
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
  [[nodiscard]] bool any_watched() const { return !watchers_.empty(); }
  // The name has changed: breaks the watches of all clients that watch it, so that their next EXEC
  // executes nothing.
  void Touch(std::string_view name) {
    if (watchers_.empty()) return;
    const auto found = watchers_.find(std::string(name));
    if (found == watchers_.end()) return;
    for (Client* client : found->second) client->watch_broken = true;
  }

  // Adds `change` to the number of pipelines that wait for the name.
  void Await(std::string_view name, int change) {
    const auto found = awaited_.try_emplace(std::string(name), 0).first;
    found->second += change;
    LAUREL_ASSERT(found->second >= 0);
    if (found->second == 0) awaited_.erase(found);
  }
  [[nodiscard]] bool any_awaited() const { return !awaited_.empty(); }
  [[nodiscard]] bool IsAwaited(std::string_view name) const {
    return awaited_.find(name) != awaited_.end();
  }
  // Calls visit(name) for the awaited names that begin with `prefix`.
  template <typename Visit>
  void ForAwaited(std::string_view prefix, const Visit& visit) const {
    for (auto at = awaited_.lower_bound(prefix);
         at != awaited_.end() && at->first.starts_with(prefix); ++at) {
      visit(at->first);
    }
  }
  // Notes that the name has entries for the pipelines that wait for it. TakeReady returns the names
  // noted since the last call.
  void NoteReady(std::string_view name) { ready_.emplace_back(name); }
  [[nodiscard]] std::vector<std::string> TakeReady() { return std::exchange(ready_, {}); }

 private:
  std::unordered_map<std::string, std::vector<Client*>> watchers_;
  std::map<std::string, int, std::less<>> awaited_;  // number of waiting pipelines, by name
  std::vector<std::string> ready_;
};

}  // namespace laurel::engine
