#include "http/reference.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "http/examples.h"
#include "http/json_text.h"
#include "http/route_traits.h"
#include "http/routes.h"
#include "http/status.h"
#include "http/url.h"

namespace laurel::http {
namespace {

std::string ReadPage(const std::filesystem::path& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(HttpReference, DocsPageEndsWithTheGeneratedPart) {
  const std::filesystem::path path = std::filesystem::path(LAUREL_SOURCE_DIR) / "docs/http.md";
  std::string page = ReadPage(path);
  const std::size_t begin = page.find(kReferenceBegin);
  ASSERT_NE(begin, std::string::npos) << path << " has no line " << kReferenceBegin;
  if (std::getenv("LAUREL_WRITE_PAGES") != nullptr) {
    std::ofstream(path, std::ios::binary) << page.substr(0, begin) << HttpReference();
    page = ReadPage(path);
  }
  EXPECT_TRUE(page.substr(begin) == HttpReference())
      << path << " is stale; LAUREL_WRITE_PAGES=1 ./dev test -R http_test writes it anew";
}

TEST(HttpReference, ExplainsEveryRouteOnceWithItsParameters) {
  const std::string page = HttpReference();
  for (const Route& route : RouteTable()) {
    const std::string heading = "\n### " + std::string(route.name) + "\n";
    const std::size_t at = page.find(heading);
    ASSERT_NE(at, std::string::npos) << route.name;
    EXPECT_EQ(page.find(heading, at + 1), std::string::npos) << route.name << " stands twice";
    const std::string section = page.substr(at, page.find("\n##", at + 2) - at);
    EXPECT_NE(section.find(route.help), std::string::npos) << route.name;
    EXPECT_NE(section.find("\nErrors: 400 `ERR`"), std::string::npos) << route.name;
    for (const auto properties : {route.query, route.body}) {
      for (const Property& property : properties) {
        EXPECT_NE(section.find("| `" + std::string(property.name) + "` |"), std::string::npos)
            << route.name << "." << property.name;
      }
    }
  }
}

TEST(HttpReference, ChinesePageListsEveryRouteAndEveryCode) {
  const std::string page = ReadPage(std::filesystem::path(LAUREL_SOURCE_DIR) / "docs/http.zh.md");
  for (const Route& route : RouteTable()) {
    const std::string row = "\n| `" + std::string(route.method) + " " + std::string(route.pattern);
    EXPECT_NE(page.find(row + "` |"), std::string::npos) << row;
  }
  for (const CodeStatus& known : ErrorStatuses()) {
    EXPECT_NE(page.find("`" + std::string(ErrorName(known.code)) + "`"), std::string::npos)
        << ErrorName(known.code);
  }
}

TEST(HttpExamples, EveryRouteHasExamplesThatFindIt) {
  for (const Route& route : RouteTable()) {
    const auto examples = ExamplesOf(route);
    ASSERT_FALSE(examples.empty()) << route.name;
    for (const Example* example : examples) {
      PathSegments segments;
      ASSERT_TRUE(segments.Parse(example->target.substr(0, example->target.find('?'))).ok());
      Match match;
      FindRoute(route.method, segments.all(), &match);
      EXPECT_EQ(match.route, &route) << example->target;
      EXPECT_EQ(route.has_body, !example->body.empty()) << route.name;
      base::JsonDocument document;
      const std::string body = CompactJson(route.has_body ? example->body : "{}");
      EXPECT_TRUE(document.Parse(body).ok()) << route.name;
    }
  }
}

TEST(HttpExamples, AllBelongToARoute) {
  // A renamed route must not leave its examples behind.
  std::size_t count = 0;
  for (const Route& route : RouteTable()) count += ExamplesOf(route).size();
  EXPECT_EQ(count, ExampleCount());
}

}  // namespace
}  // namespace laurel::http
