// Clients that wait for entries: BZPOPMIN, BZPOPMAX, BZMPOP.
//
// A waiting pipeline is served in order of arrival, by the first of its names that has entries. The
// arguments of its request are copied: the connection's buffer moves on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/engine.h"

namespace laurel::engine {

class Watches;

// What a blocking pop asks for.
struct PopRequest {
  std::vector<std::string> names;
  // Those of the names that meant an instance of a board with periods when the wait began. A sorted
  // set that gets such a name later does not serve the wait.
  std::vector<std::string> instances;
  bool lowest = true;
  std::int64_t count = -1;  // of BZMPOP; -1: one, as BZPOPMIN replies it
};

class Waiting {
 public:
  explicit Waiting(Watches* watches) : watches_(watches) {}

  struct Waiter {
    Pipeline* pipeline;
    wire::Protocol protocol;
    PopRequest request;
  };

  [[nodiscard]] std::size_t size() const { return waiters_.size(); }
  void Add(Pipeline* pipeline, wire::Protocol protocol, PopRequest request);
  // Takes the waiter out; false if the pipeline does not wait.
  bool Remove(Pipeline* pipeline, Waiter* waiter);
  // Of those that `may_serve` accepts the one that has waited longest for the name, or null.
  template <typename MayServe>
  [[nodiscard]] const Waiter* FirstFor(std::string_view name, const MayServe& may_serve) const {
    const auto queue = by_name_.find(std::string(name));
    if (queue == by_name_.end()) return nullptr;
    const auto found = std::find_if(queue->second.begin(), queue->second.end(),
                                    [&](const Waiter* waiter) { return may_serve(*waiter); });
    return found == queue->second.end() ? nullptr : *found;
  }

 private:
  using Waiters = std::list<Waiter>;

  Watches* watches_;
  Waiters waiters_;  // in order of arrival
  std::unordered_map<const Pipeline*, Waiters::iterator> by_pipeline_;
  std::unordered_map<std::string, std::vector<const Waiter*>> by_name_;
};

}  // namespace laurel::engine
