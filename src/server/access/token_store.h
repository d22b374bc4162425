// The tokens that clients may present. They can be replaced while clients are served.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "server/config/tokens.h"

namespace laurel::server {

// Methods may be called from any thread.
class TokenStore {
 public:
  explicit TokenStore(std::vector<Token> tokens);

  // Without tokens, every client may do everything. Called for every request, so it takes no lock.
  [[nodiscard]] bool empty() const { return empty_.load(std::memory_order_relaxed); }
  // Returns the token that the client has presented, null if there is none. See FindToken for the
  // time that it takes.
  [[nodiscard]] std::shared_ptr<const Token> Find(std::string_view presented) const;
  // Whether the store still has this token with the same name, hash, role and pattern.
  [[nodiscard]] bool Has(const Token& token) const;
  [[nodiscard]] bool HasName(std::string_view name) const;

  // The names of the tokens that a replacement adds, removes and changes.
  struct Change {
    std::vector<std::string> added;
    std::vector<std::string> removed;
    std::vector<std::string> changed;  // another hash, role or pattern
  };
  // Replaces all tokens. The caller must then have every connection check its token.
  Change Replace(std::vector<Token> tokens);

 private:
  using List = std::vector<Token>;

  [[nodiscard]] std::shared_ptr<const List> Current() const;

  mutable base::Mutex mutex_;
  // A list never changes, so a token of an old list stays valid while a client holds it.
  std::shared_ptr<const List> list_ LAUREL_GUARDED_BY(mutex_);
  std::atomic<bool> empty_;
};

}  // namespace laurel::server
