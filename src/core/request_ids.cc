#include "core/request_ids.h"

#include <algorithm>

namespace laurel::core {
namespace {

// A node of the index with its bucket, as libstdc++ has them.
constexpr std::size_t kIndexBytes = 48;

}  // namespace

RememberedRequest RequestIds::View(const Stored& stored) {
  const std::string_view bytes = stored.bytes;
  return {stored.sequence, stored.at, stored.arguments, bytes.substr(0, stored.id_bytes),
          bytes.substr(stored.id_bytes)};
}

std::size_t RequestIds::BytesOf(const Stored& stored) {
  const std::size_t inline_bytes = std::string().capacity();
  const std::size_t heap =
      stored.bytes.capacity() > inline_bytes ? stored.bytes.capacity() + 1 + 16 : 0;
  return sizeof(Stored) + heap + kIndexBytes;
}

bool RequestIds::Find(std::string_view id, RememberedRequest* request) const {
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  *request = View(*found->second);
  return true;
}

void RequestIds::Remember(const RememberedRequest& request) {
  if (request.sequence < next_sequence_) return;
  next_sequence_ = request.sequence + 1;
  std::string bytes;
  bytes.reserve(request.id.size() + request.outcome.size());
  bytes.append(request.id).append(request.outcome);
  const Stored& stored = requests_.emplace_back(
      Stored{request.sequence, request.at, request.arguments,
             static_cast<std::uint32_t>(request.id.size()), std::move(bytes)});
  by_id_.erase(IdOf(stored));  // its key would be of the one before
  by_id_.emplace(IdOf(stored), &stored);
  bytes_ += BytesOf(stored);
}

void RequestIds::ForgetBefore(std::uint64_t sequence) {
  while (!requests_.empty() && requests_.front().sequence < sequence) {
    const Stored& oldest = requests_.front();
    const auto found = by_id_.find(IdOf(oldest));
    if (found != by_id_.end() && found->second == &oldest) by_id_.erase(found);
    bytes_ -= BytesOf(oldest);
    requests_.pop_front();
  }
  next_sequence_ = std::max(next_sequence_, sequence);
}

std::deque<RequestIds::Stored>::const_iterator RequestIds::LowerBound(
    std::uint64_t sequence) const {
  return std::lower_bound(
      requests_.begin(), requests_.end(), sequence,
      [](const Stored& stored, std::uint64_t wanted) { return stored.sequence < wanted; });
}

}  // namespace laurel::core
