// Pipelines that wait in a blocking pop: BZPOPMIN, BZPOPMAX, BZMPOP.
//
// Waiting pipelines are served in order of arrival, from the first of their names that gets
// entries. The arguments of the request are copied, because the connection reuses its buffer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "engine/engine.h"
#include "engine/keyspace/watches.h"

namespace laurel::engine {

// The arguments of a pop.
struct PopRequest {
  std::vector<std::string> names;
  // The names that meant an instance of a board with periods when the wait began. A sorted set that
  // gets such a name later does not serve the wait.
  std::vector<std::string> instances;
  bool lowest = true;
  std::int64_t count = -1;  // COUNT of BZMPOP; -1: one entry, in the reply format of BZPOPMIN
};

class Waiting {
 public:
  explicit Waiting(Watches* watches) : watches_(watches) {}

  struct Waiter {
    Pipeline* pipeline;
    wire::Protocol protocol;
    std::string* outcome;  // of the request
    PopRequest request;
  };

  [[nodiscard]] std::size_t size() const { return waiters_.size(); }
  void Add(Pipeline* pipeline, const wire::Reply& reply, PopRequest request) {
    const auto waiter = waiters_.insert(
        waiters_.end(), Waiter{pipeline, reply.protocol(), reply.outcome(), std::move(request)});
    const bool fresh = by_pipeline_.emplace(pipeline, waiter).second;
    LAUREL_ASSERT(fresh);  // a pipeline waits for one pop at a time
    for (const std::string& name : waiter->request.names) {
      by_name_[name].push_back(&*waiter);
      watches_->Await(name, 1);
    }
  }
  // Moves the pipeline's waiter to *waiter and removes it; false if the pipeline does not wait.
  bool Remove(Pipeline* pipeline, Waiter* waiter) {
    const auto found = by_pipeline_.find(pipeline);
    if (found == by_pipeline_.end()) return false;
    const Waiters::iterator leaving = found->second;
    for (const std::string& name : leaving->request.names) {
      const auto queue = by_name_.find(name);
      if (queue != by_name_.end()) {  // absent if the request has the name twice
        std::erase(queue->second, &*leaving);
        if (queue->second.empty()) by_name_.erase(queue);
      }
      watches_->Await(name, -1);
    }
    *waiter = std::move(*leaving);
    waiters_.erase(leaving);
    by_pipeline_.erase(found);
    return true;
  }
  // Returns the waiter for the name that has waited longest among those that `may_serve` accepts;
  // null if there is none.
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
