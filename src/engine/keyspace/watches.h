// Who has to hear of changes to a name: clients that watch it (WATCH), and names that somebody
// waits for entries of (blocking pops). One registry, by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"

namespace laurel::engine {

class Watches {
 public:
  // The client watches the name, which `meant` is the instance behind if it is one.
  void Watch(std::string_view name, Client* client);
  void Unwatch(Client* client);
  [[nodiscard]] bool any_watched() const { return !watchers_.empty(); }
  // The name has changed: what its watchers queue will not be executed.
  void Touch(std::string_view name);

  // One more waits for the name, or one less.
  void Await(std::string_view name, int change);
  [[nodiscard]] bool any_awaited() const { return !awaited_.empty(); }
  [[nodiscard]] bool IsAwaited(std::string_view name) const {
    return awaited_.find(name) != awaited_.end();
  }
  // Calls visit(name) for the awaited names that begin so.
  template <typename Visit>
  void ForAwaited(std::string_view prefix, const Visit& visit) const {
    for (auto at = awaited_.lower_bound(prefix);
         at != awaited_.end() && at->first.starts_with(prefix); ++at) {
      visit(at->first);
    }
  }
  // The name has entries that those who wait may take.
  void NoteReady(std::string_view name) { ready_.emplace_back(name); }
  [[nodiscard]] std::vector<std::string> TakeReady() { return std::exchange(ready_, {}); }

 private:
  std::unordered_map<std::string, std::vector<Client*>> watchers_;
  std::map<std::string, int, std::less<>> awaited_;  // with the number of those who wait
  std::vector<std::string> ready_;
};

}  // namespace laurel::engine
