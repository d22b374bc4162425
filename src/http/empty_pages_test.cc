#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "http/routes.h"
#include "http/translators.h"
#include "http/url.h"

namespace laurel::http {
namespace {

// The words that a request becomes, or the field for which it is refused.
std::string Translated(std::string_view method, std::string_view path, std::string_view query,
                       std::string_view body = {}) {
  PathSegments segments;
  QueryParameters parameters;
  base::JsonDocument document;
  Match match;
  Refusal refusal;
  if (!segments.Parse(path).ok() || !parameters.Parse(query).ok()) return "malformed";
  FindRoute(method, segments.all(), &match);
  if (match.route == nullptr) return "no route";
  Input in_query;
  in_query.Reset(match.route->query);
  if (!in_query.TakeQuery(parameters, &refusal)) return "refused: " + refusal.field;
  Input in_body;
  in_body.Reset(match.route->body);
  if (!body.empty()) {
    if (!document.Parse(body).ok()) return "not JSON";
    if (!in_body.TakeObject(document.root(), {}, &refusal)) return "refused: " + refusal.field;
  }
  Call call;
  call.Reset(match.route);
  Translation translation{match.path, in_query, &in_body, std::nullopt, call, &refusal};
  if (!match.route->translate(translation)) return "refused: " + refusal.field;
  std::string words;
  for (const std::string_view word : call.words) {
    words += (words.empty() ? "" : " ") + std::string(word);
  }
  return words;
}

TEST(Translators, APageHasFromNoneTo1000Entries) {
  const auto page = [](std::string_view query) {
    return Translated("GET", "/v1/boards/lb/entries", query);
  };
  EXPECT_EQ(page("limit=0"), "LB.TOP lb 0");
  EXPECT_EQ(page("limit=1000"), "LB.TOP lb 1000");
  EXPECT_EQ(page("offset=3&limit=0"), "LB.RANGE lb 3 0");
  EXPECT_EQ(page("offset=-3&limit=0"), "LB.RANGE lb -3 0");
  EXPECT_EQ(Translated("GET", "/v1/boards/lb/between", "limit=0"),
            "LB.BETWEEN lb -inf +inf LIMIT 0 0");
}

TEST(Translators, APopRemovesFromNoneTo1000EntriesAndShowsTheirMeta) {
  const auto pop = [](std::string_view query, std::string_view body) {
    return Translated("POST", "/v1/boards/lb/pop", query, body);
  };
  EXPECT_EQ(pop("", R"({"n":0})"), "LB.POP lb 0");
  EXPECT_EQ(pop("meta=1", R"({"n":1000})"), "LB.POP lb 1000 WITHMETA");
  EXPECT_EQ(pop("meta=1", R"({"n":1,"bottom":true})"), "LB.POP lb 1 BOTTOM WITHMETA");
  EXPECT_EQ(pop("meta=0", R"({"n":1,"bottom":false})"), "LB.POP lb 1");
  EXPECT_EQ(pop("kind=dense", R"({"n":1})"), "refused: kind");
}

}  // namespace
}  // namespace laurel::http
