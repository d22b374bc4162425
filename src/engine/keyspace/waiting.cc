#include "engine/keyspace/waiting.h"

#include <utility>

#include "base/assert.h"
#include "engine/keyspace/watches.h"

namespace laurel::engine {

void Waiting::Add(Pipeline* pipeline, const wire::Reply& reply, PopRequest request) {
  const auto waiter = waiters_.insert(
      waiters_.end(), Waiter{pipeline, reply.protocol(), reply.outcome(), std::move(request)});
  const bool fresh = by_pipeline_.emplace(pipeline, waiter).second;
  LAUREL_ASSERT(fresh);  // a pipeline waits for one pop at a time
  for (const std::string& name : waiter->request.names) {
    by_name_[name].push_back(&*waiter);
    watches_->Await(name, 1);
  }
}

bool Waiting::Remove(Pipeline* pipeline, Waiter* waiter) {
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

}  // namespace laurel::engine
