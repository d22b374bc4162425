#include "server/http/change_pages.h"

#include <algorithm>
#include <utility>

namespace laurel::server {
namespace {

constexpr std::size_t kRecentPages = 64;
constexpr std::size_t kRecentBytes = std::size_t{4} << 20;

}  // namespace

ChangePages::Role ChangePages::Ask(const Key& key, Stream* stream,
                                   std::shared_ptr<const Page>* page) {
  const base::MutexLock lock(mutex_);
  for (const auto& [known, recent] : recent_) {
    if (known == key) {
      *page = recent;
      return Role::kHasPage;
    }
  }
  OpenPage& place = open_[key];
  if (place.leader == nullptr) {
    place.leader = stream;
    return Role::kLeads;
  }
  if (place.leader == stream) return Role::kLeads;
  place.waiting.push_back(stream);
  return Role::kWaits;
}

void ChangePages::Publish(const Key& key, std::shared_ptr<const Page> page) {
  const base::MutexLock lock(mutex_);
  recent_bytes_ += page->text.size();
  recent_.emplace_front(key, std::move(page));
  while (recent_.size() > kRecentPages || (recent_bytes_ > kRecentBytes && recent_.size() > 1)) {
    recent_bytes_ -= recent_.back().second->text.size();
    recent_.pop_back();
  }
  if (const auto place = open_.find(key); place != open_.end()) End(place);
}

void ChangePages::Leave(const Key& key, Stream* stream) {
  const base::MutexLock lock(mutex_);
  const auto place = open_.find(key);
  if (place == open_.end()) return;
  if (place->second.leader == stream) return End(place);
  std::erase(place->second.waiting, stream);
}

void ChangePages::End(std::map<Key, OpenPage>::iterator place) {
  const std::vector<Stream*> waiting = std::move(place->second.waiting);
  open_.erase(place);
  // The lock is held, so that no stream can call Leave and be destroyed in between.
  for (Stream* stream : waiting) stream->OnPage();
}

}  // namespace laurel::server
