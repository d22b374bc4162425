#include "server/access/token_store.h"

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

Token Make(const std::string& name, const std::string& secret,
           wire::Role role = wire::Role::kRead) {
  return {name, HashToken(secret), role, "*"};
}

using Names = std::vector<std::string>;

TEST(TokenStore, FindsATokenByItsSecret) {
  const TokenStore store({Make("one", "1"), Make("two", "2")});
  EXPECT_FALSE(store.empty());
  ASSERT_NE(store.Find("2"), nullptr);
  EXPECT_EQ(store.Find("2")->name, "two");
  EXPECT_EQ(store.Find("3"), nullptr);
  EXPECT_TRUE(store.HasName("one"));
  EXPECT_FALSE(store.HasName("three"));
}

TEST(TokenStore, ReplaceTellsWhichTokensWereAddedRemovedAndChanged) {
  TokenStore store({Make("same", "1"), Make("gone", "2"), Make("hash", "3"), Make("role", "4")});
  Token pattern = Make("pattern", "5");
  store.Replace(
      {Make("same", "1"), Make("gone", "2"), Make("hash", "3"), Make("role", "4"), pattern});
  pattern.boards = "rank:*";
  const TokenStore::Change change =
      store.Replace({pattern, Make("role", "4", wire::Role::kAdmin), Make("hash", "other"),
                     Make("new", "6"), Make("same", "1")});
  EXPECT_EQ(change.added, Names{"new"});
  EXPECT_EQ(change.removed, Names{"gone"});
  EXPECT_EQ(change.changed, (Names{"pattern", "role", "hash"}));
}

TEST(TokenStore, ATokenThatWasReplacedStaysReadableButIsNotCurrent) {
  TokenStore store({Make("one", "1"), Make("two", "2")});
  const auto one = store.Find("1");
  const auto two = store.Find("2");
  ASSERT_TRUE(one != nullptr && two != nullptr);
  store.Replace({Make("two", "2"), Make("one", "1", wire::Role::kAdmin)});
  EXPECT_EQ(one->name, "one");
  EXPECT_EQ(one->role, wire::Role::kRead);
  EXPECT_FALSE(store.Has(*one));
  EXPECT_TRUE(store.Has(*two));
  EXPECT_EQ(store.Find("1")->role, wire::Role::kAdmin);
}

TEST(TokenStore, BecomesEmptyAndFullAgain) {
  TokenStore store({});
  EXPECT_TRUE(store.empty());
  EXPECT_EQ(store.Find(""), nullptr);
  EXPECT_EQ(store.Replace({Make("one", "1")}).added, Names{"one"});
  EXPECT_FALSE(store.empty());
  EXPECT_EQ(store.Replace({}).removed, Names{"one"});
  EXPECT_TRUE(store.empty());
}

}  // namespace
}  // namespace laurel::server
