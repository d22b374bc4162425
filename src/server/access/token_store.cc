#include "server/access/token_store.h"

#include <algorithm>
#include <utility>

namespace laurel::server {
namespace {

const Token* Named(const std::vector<Token>& tokens, std::string_view name) {
  const auto found = std::find_if(tokens.begin(), tokens.end(),
                                  [name](const Token& token) { return token.name == name; });
  return found == tokens.end() ? nullptr : &*found;
}

}  // namespace

TokenStore::TokenStore(std::vector<Token> tokens)
    : list_(std::make_shared<const List>(std::move(tokens))), empty_(list_->empty()) {}

std::shared_ptr<const TokenStore::List> TokenStore::Current() const {
  const base::MutexLock lock(mutex_);
  return list_;
}

std::shared_ptr<const Token> TokenStore::Find(std::string_view presented) const {
  const std::shared_ptr<const List> list = Current();
  const Token* found = FindToken(*list, presented);
  if (found == nullptr) return nullptr;
  return {list, found};
}

bool TokenStore::Has(const Token& token) const {
  const std::shared_ptr<const List> list = Current();
  const Token* found = Named(*list, token.name);
  return found != nullptr && *found == token;
}

bool TokenStore::HasName(std::string_view name) const { return Named(*Current(), name) != nullptr; }

TokenStore::Change TokenStore::Replace(std::vector<Token> tokens) {
  const auto list = std::make_shared<const List>(std::move(tokens));
  const std::shared_ptr<const List> before = Current();
  Change change;
  for (const Token& token : *list) {
    const Token* old = Named(*before, token.name);
    if (old == nullptr) {
      change.added.push_back(token.name);
    } else if (*old != token) {
      change.changed.push_back(token.name);
    }
  }
  for (const Token& token : *before) {
    if (Named(*list, token.name) == nullptr) change.removed.push_back(token.name);
  }
  const base::MutexLock lock(mutex_);
  list_ = list;
  empty_ = list->empty();
  return change;
}

}  // namespace laurel::server
