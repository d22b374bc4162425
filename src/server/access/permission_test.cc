#include "server/access/permission.h"

#include <vector>

#include <gtest/gtest.h>

#include "http/json_answer.h"

namespace laurel::server {
namespace {

using Words = std::vector<std::string_view>;

Token TokenFor(wire::Role role, std::string boards) {
  Token token;
  token.name = "guest";
  token.role = role;
  token.boards = std::move(boards);
  return token;
}

std::string Refused(const Token* token, const Words& words,
                    const wire::WaysOut& ways = wire::kRespWaysOut) {
  const engine::Access access = token != nullptr ? AccessOf(*token) : engine::Access();
  const auto refusal = RefusalOf(token, access, *wire::LookUp(words).command, words, ways);
  return refusal ? refusal->ToString() : "";
}

TEST(Permission, AnUnauthenticatedClientMayOnlyLogIn) {
  EXPECT_EQ(Refused(nullptr, {"AUTH", "secret"}), "");
  EXPECT_EQ(Refused(nullptr, {"ZSCORE", "b", "m"}), "NOAUTH Authentication required.");
}

TEST(Permission, ARoleIncludesTheLowerOnes) {
  const Token token = TokenFor(wire::Role::kSubmit, "*");
  EXPECT_EQ(Refused(&token, {"LB.SUBMIT", "b", "m", "1"}), "");
  EXPECT_EQ(Refused(&token, {"LB.TOP", "b", "10"}), "");
  EXPECT_EQ(Refused(&token, {"ZADD", "b", "1", "m"}),
            "NOPERM token 'guest' has the role submit, 'zadd' needs write");
  EXPECT_EQ(Refused(&token, {"LB.SET", "b", "m", "1"}, http::kWaysOut),
            "NOPERM token 'guest' has the role submit, this request needs write");
}

TEST(Permission, ACommandThatComparesBelowItsRoleIsLeftToTheEngine) {
  const Token token = TokenFor(wire::Role::kRead, "guest:*");
  EXPECT_EQ(Refused(&token, {"LB.CREATE", "guest:a", "CAP", "5"}), "");
  EXPECT_EQ(AccessOf(token).role(), wire::Role::kRead);
  EXPECT_EQ(Refused(&token, {"LB.CREATE", "other"}),
            "NOPERM token 'guest' has no access to 'other'");
  EXPECT_EQ(Refused(&token, {"LB.ALTER", "guest:a", "CAP", "5"}),
            "NOPERM token 'guest' has the role read, 'lb.alter' needs admin");
}

TEST(Permission, EveryBoardOfARequestMustBeAccessible) {
  const Token token = TokenFor(wire::Role::kAdmin, "guest:*");
  EXPECT_EQ(Refused(&token, {"ZADD", "guest:a", "1", "m"}), "");
  EXPECT_EQ(Refused(&token, {"ZUNION", "2", "guest:a", "other"}),
            "NOPERM token 'guest' has no access to 'other'");
  EXPECT_EQ(Refused(&token, {"RENAME", "guest:a", "other"}),
            "NOPERM token 'guest' has no access to 'other'");
}

TEST(Permission, NamesThatMayBeInstancesAreLeftToTheEngine) {
  const Token token = TokenFor(wire::Role::kAdmin, "guest:*");
  EXPECT_EQ(Refused(&token, {"ZADD", "other@day", "1", "m"}), "");
}

TEST(Permission, CommandsAboutTheWholeServerNeedATokenForAllBoards) {
  const Token some = TokenFor(wire::Role::kAdmin, "guest:*");
  EXPECT_EQ(Refused(&some, {"CONFIG", "GET", "*"}),
            "NOPERM token 'guest' is for some boards, 'config|get' needs one for all");
  const Token all = TokenFor(wire::Role::kAdmin, "*");
  EXPECT_EQ(Refused(&all, {"CONFIG", "GET", "*"}), "");
}

}  // namespace
}  // namespace laurel::server
