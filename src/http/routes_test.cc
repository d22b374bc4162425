#include "http/routes.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "http/call.h"
#include "http/route_traits.h"
#include "http/translators.h"
#include "http/url.h"
#include "wire/command_table.h"

namespace laurel::http {
namespace {

using Id = wire::CommandId;

Match Find(std::string_view method, std::string_view path) {
  static PathSegments segments;
  EXPECT_TRUE(segments.Parse(path).ok()) << path;
  Match match;
  FindRoute(method, segments.all(), &match);
  return match;
}

std::string NameOf(const Match& match) {
  return match.route == nullptr ? "none" : std::string(match.route->name);
}

// The two tables ----------------------------------------------------------------------------------

TEST(RouteTable, EveryLeaderboardCommandButBackupAndLoadHasARoute) {
  std::set<Id> reachable;
  for (const Route& route : RouteTable()) {
    for (const Id id : CommandsOf(route)) reachable.insert(id);
  }
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    const bool of_tools = command.name.starts_with("LB.BACKUP") || command.id == Id::kLbLoad ||
                          command.id == Id::kLbWalk || command.id == Id::kLbRestore;
    if (!command.name.starts_with("LB.") || command.Has(wire::kContainer)) continue;
    EXPECT_EQ(reachable.contains(command.id), !of_tools) << command.name;
  }
}

TEST(RouteTable, EachRouteHasACommandThatClientsCanRunOrIsOpen) {
  const std::set<std::string_view> open = {"health",  "ready",   "metrics",
                                           "openapi", "console", "consoleAsset"};
  for (const Route& route : RouteTable()) {
    EXPECT_EQ(route.command == Id::kEnd, open.contains(route.name)) << route.name;
    EXPECT_TRUE(route.command != Id::kEnd || route.others.empty()) << route.name;
    for (const Id id : CommandsOf(route)) {
      ASSERT_LT(static_cast<std::size_t>(id), wire::kCommandIds) << route.name;
      EXPECT_FALSE(wire::CommandOf(id).Has(wire::kContainer)) << route.name;
      EXPECT_GE(wire::CommandOf(id).role, RoleOf(route)) << route.name;
    }
  }
}

TEST(RouteTable, ARouteWithGetNeverWritesAndAPostHasABody) {
  for (const Route& route : RouteTable()) {
    for (const Id id : CommandsOf(route)) {
      EXPECT_FALSE(route.method == "GET" && wire::CommandOf(id).Has(wire::kWrite)) << route.name;
    }
    EXPECT_FALSE(route.method == "GET" && route.has_body) << route.name;
    EXPECT_FALSE(route.method == "POST" && !route.has_body) << route.name;
    EXPECT_FALSE(!route.body.empty() && !route.has_body) << route.name;
  }
}

TEST(RouteTable, NamesAndPathsAreUnique) {
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, std::string_view>> paths;
  for (const Route& route : RouteTable()) {
    EXPECT_TRUE(names.insert(route.name).second) << route.name;
    EXPECT_TRUE(paths.emplace(route.method, route.pattern).second) << route.pattern;
    EXPECT_TRUE(route.pattern.starts_with('/')) << route.pattern;
    EXPECT_EQ(FindByName(route.name), &route);
  }
  EXPECT_EQ(FindByName("noSuchRoute"), nullptr);
}

TEST(RouteTable, EveryKindOfReadIsAReadBelowABoard) {
  for (const ReadKind& kind : ReadKinds()) {
    const Route* route = FindByName(kind.route);
    ASSERT_NE(route, nullptr) << kind.name;
    EXPECT_TRUE(route->pattern.starts_with("/v1/boards/{board}")) << kind.name;
    EXPECT_NE(route->translate, nullptr) << kind.name;
    EXPECT_FALSE(wire::CommandOf(route->command).Has(wire::kWrite)) << kind.name;
    // All that the route takes can be said in a read.
    const auto has = [](std::string_view name) {
      return std::any_of(ReadProperties().begin(), ReadProperties().end(),
                         [name](const Property& property) { return property.name == name; });
    };
    for (const Property& property : route->query) EXPECT_TRUE(has(property.name)) << property.name;
    for (const Property& property : route->body) EXPECT_TRUE(has(property.name)) << property.name;
  }
}

// Finding routes ----------------------------------------------------------------------------------

TEST(FindRoute, FindsEachRouteByItsOwnPath) {
  for (const Route& route : RouteTable()) {
    std::string path(route.pattern);
    for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{')) {
      path.replace(at, path.find('}') - at + 1, "name");
    }
    const Match match = Find(route.method, path);
    EXPECT_EQ(match.route, &route) << path;
    EXPECT_EQ(match.path.size(), PathParameters(route).size()) << path;
  }
}

TEST(FindRoute, HeadFindsTheRouteOfGet) {
  EXPECT_EQ(NameOf(Find("HEAD", "/v1/boards/arena/entries")), "listEntries");
  EXPECT_EQ(NameOf(Find("HEAD", "/healthz")), "health");
  EXPECT_EQ(NameOf(Find("HEAD", "/v1/submit")), "none");
}

TEST(FindRoute, AnotherMethodGetsTheMethodsOfThePath) {
  EXPECT_EQ(Find("POST", "/v1/boards/arena").allow, "GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
  EXPECT_EQ(Find("DELETE", "/v1/boards/arena/entries").allow, "POST, GET, HEAD, OPTIONS");
  EXPECT_EQ(Find("GET", "/v1/submit").allow, "POST, OPTIONS");
  EXPECT_EQ(Find("get", "/healthz").allow, "GET, HEAD, OPTIONS");  // methods have a case
  EXPECT_EQ(Find("", "/v1/boards/arena/entries/ann/hidden").allow, "PUT, DELETE, OPTIONS");
  EXPECT_EQ(NameOf(Find("POST", "/v1/boards/arena")), "none");
}

TEST(FindRoute, AnUnknownPathHasNoMethods) {
  for (const std::string_view path :
       {"/nope", "/v1", "/v1/", "/v1/boards/arena/", "/v1/boards/arena/entries/ann/", "/V1/boards",
        "/v1/boards/arena/entries/ann/hidden/x", "//v1/boards", "/healthz/"}) {
    const Match match = Find("GET", path);
    EXPECT_EQ(NameOf(match), "none") << path;
    EXPECT_EQ(match.allow, "") << path;
  }
}

std::string_view NearestTo(std::string_view method, std::string_view path) {
  PathSegments segments;
  EXPECT_TRUE(segments.Parse(path).ok()) << path;
  return NearestPattern(method, segments.all());
}

TEST(NearestPattern, ForgivesTypingErrorsSlashesAtTheEndAndAMissingVersion) {
  EXPECT_EQ(NearestTo("GET", "/v1/boards/"), "/v1/boards");
  EXPECT_EQ(NearestTo("GET", "/v1/boards/arena/entries/"), "/v1/boards/{board}/entries");
  EXPECT_EQ(NearestTo("GET", "/v1/board/arena/entires"), "/v1/boards/{board}/entries");
  EXPECT_EQ(NearestTo("HEAD", "/v1/boards/arena/histogramm"), "/v1/boards/{board}/histogram");
  EXPECT_EQ(NearestTo("POST", "/submit"), "/v1/submit");
  EXPECT_EQ(NearestTo("PUT", "/boards/arena"), "/v1/boards/{board}");
  EXPECT_EQ(NearestTo("", "/V1/Boards"), "/v1/boards");
  EXPECT_EQ(NearestTo("GET", "/health"), "/healthz");
  EXPECT_EQ(NearestTo("GET", "/v2/boards"), "/v1/boards");
}

TEST(NearestPattern, IsEmptyIfNoRouteOfTheMethodIsNear) {
  EXPECT_EQ(NearestTo("POST", "/v1/boards/arena/top"), "");  // one letter from pop
  EXPECT_EQ(NearestTo("GET", "/v1/players/ann/boards"), "");
  EXPECT_EQ(NearestTo("GET", "/favicon.ico"), "");
  EXPECT_EQ(NearestTo("BREW", "/v1/boards"), "");
}

TEST(RoutesBelow, NamesWhatFollowsThePartThatIsRight) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"/v1",
       "below /v1 there are boards, templates, submit, read, whoami, server, clients, "
       "slowlog"},
      {"/v1/boards/arena/top/",
       "below /v1/boards/{board} there are entries, among, remove, pop, "
       "trim, clear, rank-of, count, between, percentile, quantile, "
       "histogram, periods, changes, live"},
      {"/v1/boards/arena/entries/ann/rank",
       "below /v1/boards/{board}/entries/{member} there are around, hidden, meta"},
      {"/v1/boards/arena/entries/ann/around/ann", ""},
      {"/favicon.ico", ""},
  };
  for (const auto& [path, below] : cases) {
    PathSegments segments;
    EXPECT_TRUE(segments.Parse(path).ok()) << path;
    EXPECT_EQ(RoutesBelow(segments.all()), below) << path;
  }
}

TEST(FindRoute, TheEmptyMemberAndTheEmptyBoardHaveNoPath) {
  EXPECT_EQ(NameOf(Find("GET", "/v1/boards/arena/entries/")), "none");
  EXPECT_EQ(NameOf(Find("GET", "/v1/boards//entries")), "none");
  EXPECT_EQ(NameOf(Find("GET", "/v1/boards/")), "none");
  EXPECT_EQ(NameOf(Find("PUT", "/v1/boards/arena/entries//hidden")), "none");
  EXPECT_EQ(Find("GET", "/v1/boards/arena/entries/").allow, "");
}

TEST(FindRoute, ASegmentIsDecodedByItselfAndNeverNormalised) {
  Match match = Find("GET", "/v1/boards/a%2Fb/entries/%2e%2e%2F..");
  ASSERT_EQ(NameOf(match), "getEntry");
  EXPECT_EQ(match.path, (std::vector<std::string_view>{"a/b", "../.."}));
  match = Find("GET", "/v1/boards/../entries/.");
  ASSERT_EQ(NameOf(match), "getEntry");
  EXPECT_EQ(match.path, (std::vector<std::string_view>{"..", "."}));
  // A name may be that of a part of another route.
  match = Find("GET", "/v1/boards/entries/entries/around");
  ASSERT_EQ(NameOf(match), "getEntry");
  EXPECT_EQ(match.path, (std::vector<std::string_view>{"entries", "around"}));
  match = Find("GET", "/v1/boards/season%40day/entries/%FF+%00");
  EXPECT_EQ(match.path, (std::vector<std::string_view>{"season@day", {"\xff+\0", 3}}));
  // An encoded fixed part is the part all the same.
  EXPECT_EQ(NameOf(Find("GET", "/%76%31/boards")), "listBoards");
}

TEST(FindRoute, AMatchIsUsedAgain) {
  Match match;
  const std::string_view entry[] = {"v1", "boards", "arena", "entries", "ann"};
  FindRoute("GET", entry, &match);
  EXPECT_EQ(NameOf(match), "getEntry");
  FindRoute("POST", entry, &match);
  EXPECT_EQ(NameOf(match), "none");
  EXPECT_EQ(match.allow, "GET, HEAD, DELETE, OPTIONS");
  const std::string_view health[] = {"healthz"};
  FindRoute("GET", health, &match);
  EXPECT_EQ(NameOf(match), "health");
  EXPECT_TRUE(match.path.empty());
  EXPECT_EQ(match.allow, "");
}

// Traits ------------------------------------------------------------------------------------------

std::string ErrorsText(std::string_view name) {
  std::string text;
  for (const CodeStatus& error : ErrorsOf(*FindByName(name))) {
    text.append(text.empty() ? "" : " ").append(std::to_string(error.status)).append(" ");
    text.append(ErrorName(error.code));
  }
  return text;
}

TEST(RouteTraits, ErrorsFollowFromTheRow) {
  EXPECT_EQ(ErrorsText("health"), "400 ERR 403 NOPERM");
  EXPECT_EQ(ErrorsText("console"), "400 ERR 403 NOPERM");
  EXPECT_EQ(ErrorsText("consoleAsset"), "400 ERR 403 NOPERM 404 ERR");
  EXPECT_EQ(ErrorsText("metrics"), "400 ERR 401 NOAUTH 403 NOPERM");
  EXPECT_EQ(ErrorsText("getEntry"),
            "400 ERR 401 NOAUTH 403 NOPERM 404 NOBOARD 404 NOMEMBER 409 WRONGTYPE 413 LIMIT "
            "503 LOADING");
  EXPECT_EQ(ErrorsText("writeEntries"),
            "400 ERR 401 NOAUTH 403 NOPERM 404 NOBOARD 409 CLOSED 409 WRONGTYPE 413 LIMIT 415 ERR "
            "422 BADSCORE 422 BADTIME 422 OVERFLOW 422 REUSED 503 LOADING 503 MISCONF 503 UNKNOWN "
            "507 OOM");
  EXPECT_EQ(ErrorsText("createBoard"),
            "400 ERR 401 NOAUTH 403 NOPERM 404 NOBOARD 409 EXISTS 409 WRONGTYPE 413 LIMIT 415 ERR "
            "422 BADSCORE 422 BADTIME 503 LOADING 503 MISCONF 503 UNKNOWN 507 OOM");
  EXPECT_EQ(ErrorsText("followBoard"),
            "400 ERR 401 NOAUTH 403 NOPERM 404 NOBOARD 409 WRONGTYPE 413 LIMIT 503 LIMIT "
            "503 LOADING");
}

TEST(RouteTraits, RolesFollowFromTheRow) {
  EXPECT_EQ(RoleOf(*FindByName("writeEntries")), wire::Role::kSubmit);
  EXPECT_EQ(RoleOf(*FindByName("metrics")), wire::Role::kRead);
  EXPECT_EQ(RoleOf(*FindByName("ready")), wire::Role::kNone);
}

}  // namespace
}  // namespace laurel::http
