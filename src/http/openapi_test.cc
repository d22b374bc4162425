#include "http/openapi.h"

#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "http/routes.h"

namespace laurel::http {
namespace {

// The member of an object; fails the test if there is none.
base::JsonValue At(base::JsonValue object, std::string_view key) {
  for (const base::JsonValue value : object) {
    if (value.key() == key) return value;
  }
  ADD_FAILURE() << "no " << key;
  return object;
}

class OpenApi : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(document_.Parse(OpenApiDocument()).ok()); }
  [[nodiscard]] base::JsonValue root() const { return document_.root(); }

 private:
  base::JsonDocument document_;
};

void CollectReferences(base::JsonValue value, std::set<std::string>* references) {
  if (value.key() == "$ref") references->emplace(value.text());
  if (!value.Is(base::JsonKind::kArray) && !value.Is(base::JsonKind::kObject)) return;
  for (const base::JsonValue part : value) CollectReferences(part, references);
}

TEST_F(OpenApi, NamesItsVersionAndItsProduct) {
  EXPECT_EQ(At(root(), "openapi").text(), "3.1.0");
  EXPECT_EQ(At(At(root(), "info"), "title").text(), "Laurel");
  EXPECT_FALSE(At(At(root(), "info"), "version").text().empty());
}

TEST_F(OpenApi, HasEveryRouteAndNoOther) {
  std::size_t operations = 0;
  for (const base::JsonValue path : At(root(), "paths")) {
    for (const base::JsonValue operation : path) {
      const Route* route = FindByName(At(operation, "operationId").text());
      ASSERT_NE(route, nullptr) << path.key();
      EXPECT_EQ(route->pattern, path.key());
      std::string method(operation.key());
      for (char& c : method) c = static_cast<char>(c & ~0x20);
      EXPECT_EQ(route->method, method);
      ++operations;
    }
  }
  EXPECT_EQ(operations, RouteTable().size());
}

TEST_F(OpenApi, EveryReferenceLeadsToAComponent) {
  std::set<std::string> references;
  CollectReferences(root(), &references);
  EXPECT_GT(references.size(), 50U);
  for (const std::string& reference : references) {
    constexpr std::string_view kBegin = "#/components/";
    ASSERT_TRUE(reference.starts_with(kBegin)) << reference;
    const std::string rest = reference.substr(kBegin.size());
    const std::size_t slash = rest.find('/');
    const base::JsonValue kind = At(At(root(), "components"), rest.substr(0, slash));
    EXPECT_TRUE(At(kind, rest.substr(slash + 1)).Is(base::JsonKind::kObject)) << reference;
  }
}

TEST_F(OpenApi, EveryOperationHasAnswersAndAnExampleOfEachBody) {
  for (const base::JsonValue path : At(root(), "paths")) {
    for (const base::JsonValue operation : path) {
      const Route& route = *FindByName(At(operation, "operationId").text());
      EXPECT_TRUE(At(At(operation, "responses"), "200").Is(base::JsonKind::kObject)) << route.name;
      EXPECT_TRUE(At(At(operation, "responses"), "400").Is(base::JsonKind::kObject)) << route.name;
      if (!route.has_body) continue;
      const base::JsonValue content = At(At(operation, "requestBody"), "content");
      EXPECT_GT(At(At(content, "application/json"), "examples").size(), 0U) << route.name;
    }
  }
}

}  // namespace
}  // namespace laurel::http
