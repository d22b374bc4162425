// The requests that a board remembers, so that a retry changes nothing and is told what the first
// one was told.
//
// They stand in the order in which they were carried out, each with a sequence number that is never
// given again; the oldest are forgotten first. What is decided (which to forget, and when) is the
// caller's: remembering and forgetting are effects like others, absolute and safe to repeat.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/member.h"
#include "laurel/stamp.h"

namespace laurel::core {

struct RememberedRequest {
  std::uint64_t sequence = 0;
  Stamp at = 0;                 // when it was carried out
  std::uint64_t arguments = 0;  // a hash of what it asked for
  std::string_view id;
  std::string_view outcome;  // what it was told, in the caller's form
};

class RequestIds {
 public:
  // Ids come from clients: the hash is seeded.
  explicit RequestIds(MemberHash hasher) : by_id_(0, hasher) {}

  // The request of that id, valid until the next change.
  [[nodiscard]] bool Find(std::string_view id, RememberedRequest* request) const;

  [[nodiscard]] std::uint64_t next_sequence() const { return next_sequence_; }
  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  // What they take, index included; an estimate.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // The oldest one. REQUIRES: not empty.
  [[nodiscard]] RememberedRequest Oldest() const { return View(requests_.front()); }

  // Does nothing if the sequence number has been given already.
  void Remember(const RememberedRequest& request);
  // Forgets all whose sequence number is below.
  void ForgetBefore(std::uint64_t sequence);

  // Calls visit(request) for up to `count` requests from `sequence` on; returns the sequence to go
  // on with.
  template <typename Visit>
  std::uint64_t ForSome(std::uint64_t sequence, std::size_t count, const Visit& visit) const {
    auto at = LowerBound(sequence);
    for (; at != requests_.end() && count > 0; ++at, --count) {
      visit(View(*at));
      sequence = at->sequence + 1;
    }
    return at == requests_.end() ? next_sequence_ : sequence;
  }

 private:
  struct Stored {
    std::uint64_t sequence;
    Stamp at;
    std::uint64_t arguments;
    std::uint32_t id_bytes;
    std::string bytes;  // id, then outcome
  };

  [[nodiscard]] static RememberedRequest View(const Stored& stored);
  [[nodiscard]] static std::string_view IdOf(const Stored& stored) {
    return std::string_view(stored.bytes).substr(0, stored.id_bytes);
  }
  [[nodiscard]] std::deque<Stored>::const_iterator LowerBound(std::uint64_t sequence) const;
  [[nodiscard]] static std::size_t BytesOf(const Stored& stored);

  std::deque<Stored> requests_;  // by sequence; elements do not move
  std::unordered_map<std::string_view, const Stored*, MemberHash> by_id_;
  std::uint64_t next_sequence_ = 1;
  std::size_t bytes_ = 0;
};

}  // namespace laurel::core
