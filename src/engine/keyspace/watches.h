// Names whose changes matter to clients: names that clients watch (WATCH), and names that blocking
// pops wait for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace laurel::engine {

class Watches {
 public:
  // Adds a watch of the name; a repeated watch has no effect. `name`: as Keyspace::Watch resolved
  // it.
  void Watch(std::string_view name, Client* client);
  void Unwatch(Client* client);
  [[nodiscard]] bool any_watched() const { return !watchers_.empty(); }
  // The name has changed: breaks the watches of all clients that watch it, so that their next EXEC
  // executes nothing.
  void Touch(std::string_view name);

  // Adds `change` to the number of pipelines that wait for the name.
  void Await(std::string_view name, int change);
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
