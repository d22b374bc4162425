#include "server/config/tokens.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "laurel/limits.h"
#include "server/config/config.h"

namespace laurel::server {
namespace {

using wire::Role;
using Arguments = std::vector<std::string_view>;

// SHA-256 of "abc", the example of FIPS 180.
constexpr std::string_view kHashOfAbc =
    "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(TokenHash, IsSha256) { EXPECT_EQ(FormatTokenHash(HashToken("abc")), kHashOfAbc); }

TEST(TokenHash, IsParsedInEitherCase) {
  const Result<TokenHash> hash = ParseTokenHash(kHashOfAbc);
  ASSERT_TRUE(hash.ok());
  EXPECT_EQ(*hash, HashToken("abc"));
  std::string upper(kHashOfAbc);
  for (std::size_t i = 7; i < upper.size(); ++i) {
    upper[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(upper[i])));
  }
  const Result<TokenHash> from_upper = ParseTokenHash(upper);
  ASSERT_TRUE(from_upper.ok());
  EXPECT_EQ(*from_upper, *hash);
}

TEST(TokenHash, MalformedHashesAreRefused) {
  const std::string good(kHashOfAbc);
  for (const std::string& text :
       {std::string(), good.substr(7), good.substr(0, good.size() - 1), good + "0",
        "md5:" + good.substr(7), good.substr(0, good.size() - 1) + "g", std::string("sha256:")}) {
    const Result<TokenHash> hash = ParseTokenHash(text);
    ASSERT_FALSE(hash.ok()) << text;
    EXPECT_NE(hash.error().message.find("64 hexadecimal digits"), std::string::npos);
  }
}

TEST(FindToken, FindsTheTokenWhoseSecretIsPresented) {
  std::vector<Token> tokens;
  for (const char* secret : {"one", "two", "three"}) {
    tokens.push_back({secret, HashToken(secret), Role::kRead, "*"});
  }
  for (const Token& token : tokens) EXPECT_EQ(FindToken(tokens, token.name), &token);
  for (const std::string_view wrong : {"", "One", "one ", "on", "four"}) {
    EXPECT_EQ(FindToken(tokens, wrong), nullptr) << wrong;
  }
  EXPECT_EQ(FindToken({}, "one"), nullptr);
}

TEST(FindToken, DoesNotAcceptAHashAsASecret) {
  const std::vector<Token> tokens = {{"a", HashToken("abc"), Role::kAdmin, "*"}};
  EXPECT_EQ(FindToken(tokens, kHashOfAbc), nullptr);
  EXPECT_EQ(FindToken(tokens, kHashOfAbc.substr(7)), nullptr);
}

TEST(ParseRole, AcceptsOnlyTheFourRoles) {
  for (const Role role : {Role::kRead, Role::kSubmit, Role::kWrite, Role::kAdmin}) {
    const Result<Role> parsed = ParseRole(wire::RoleName(role));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, role);
  }
  for (const std::string_view text : {"", "none", "Admin", "root"}) {
    EXPECT_FALSE(ParseRole(text).ok()) << text;
  }
}

TEST(CheckToken, BoundsNameAndPattern) {
  const auto ok = [](std::string name, std::string boards) {
    return CheckToken({std::move(name), {}, Role::kRead, std::move(boards)}).ok();
  };
  EXPECT_TRUE(ok("game-server_1.a", "rank:*"));
  EXPECT_TRUE(ok(std::string(kMaxTokenNameBytes, 'x'), std::string(kMaxBoardNameBytes, '*')));
  EXPECT_FALSE(ok("", "*"));
  EXPECT_FALSE(ok(std::string(kMaxTokenNameBytes + 1, 'x'), "*"));
  EXPECT_FALSE(ok("a:b", "*"));
  EXPECT_FALSE(ok("a b", "*"));
  EXPECT_FALSE(ok("a", ""));
  EXPECT_FALSE(ok("a", std::string(kMaxBoardNameBytes + 1, '*')));
  EXPECT_FALSE(ok("a", "x\ny"));
}

TEST(IssueToken, MakesADifferentSecretEachTime) {
  const Result<IssuedToken> a = IssueToken({});
  const Result<IssuedToken> b = IssueToken({});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->secret.size(), 64U);
  EXPECT_NE(a->secret, b->secret);
  EXPECT_NE(a->token.name, b->token.name);
}

TEST(IssueToken, TakesRoleAndBoards) {
  const Result<IssuedToken> all = IssueToken({});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->token.role, Role::kAdmin);
  EXPECT_EQ(all->token.boards, "*");
  const Result<IssuedToken> some = IssueToken(Arguments{"submit", "rank:*"});
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->token.role, Role::kSubmit);
  EXPECT_EQ(some->token.boards, "rank:*");
}

TEST(IssueToken, TakesAName) {
  const Result<IssuedToken> issued = IssueToken(Arguments{"write"}, "support-anna");
  ASSERT_TRUE(issued.ok());
  EXPECT_EQ(issued->token.name, "support-anna");
  EXPECT_FALSE(IssueToken(Arguments{"write"}, "support anna").ok());
}

TEST(IssueToken, RefusesBadArguments) {
  EXPECT_FALSE(IssueToken(Arguments{"root"}).ok());
  EXPECT_FALSE(IssueToken(Arguments{"read", ""}).ok());
  EXPECT_FALSE(IssueToken(Arguments{"read", "*", "more"}).ok());
}

TEST(DescribeToken, ShowsTheSecretOnceAndLinesThatTheServerAccepts) {
  const Result<IssuedToken> issued = IssueToken(Arguments{"write", "it's \"mine\":*\\"});
  ASSERT_TRUE(issued.ok());
  const std::string shown = DescribeSecret(*issued);
  EXPECT_TRUE(shown.starts_with(issued->secret + "\n")) << shown;
  EXPECT_EQ(shown.find(issued->secret, 1), std::string::npos);
  const std::string text = DescribeToken(issued->token);
  EXPECT_EQ(text.find(issued->secret), std::string::npos);

  Config config;
  const Status read = ReadConfigText(text, "laurel.toml", &config);
  ASSERT_TRUE(read.ok()) << read.error().ToString();
  EXPECT_EQ(config.tokens, std::vector<Token>{issued->token});
  EXPECT_EQ(FindToken(config.tokens, issued->secret), config.tokens.data());
}

TEST(DescribeToken, ShowsAFlagThatTheServerAccepts) {
  const Result<IssuedToken> issued = IssueToken(Arguments{"read", "a:b:*"});
  ASSERT_TRUE(issued.ok());
  const std::string text = DescribeToken(issued->token);
  const std::string start = "# --token '";
  const std::size_t at = text.find(start) + start.size();
  const std::string flag = text.substr(at, text.find('\'', at) - at);
  const Result<ServeOptions> options = ParseServeOptions(Arguments{"--token", flag});
  ASSERT_TRUE(options.ok()) << options.error().ToString();
  EXPECT_EQ(options->config.tokens, std::vector<Token>{issued->token});
}

}  // namespace
}  // namespace laurel::server
