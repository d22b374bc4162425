// Compares openapi.json with the table of routes.

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/json_reader.h"
#include "http/call.h"
#include "http/route_traits.h"
#include "http/routes.h"
#include "http/status.h"
#include "http/translators.h"
#include "wire/command_table.h"
#include "wire/json_writer.h"

namespace laurel::http {
namespace {

using base::JsonKind;
using base::JsonValue;
using Id = wire::CommandId;
using Names = std::set<std::string>;

std::optional<JsonValue> Find(JsonValue object, std::string_view key) {
  for (const JsonValue value : object) {
    if (value.key() == key) return value;
  }
  return std::nullopt;
}

// The member of an object; fails the test if there is none.
JsonValue At(JsonValue object, std::string_view key) {
  const std::optional<JsonValue> found = Find(object, key);
  EXPECT_TRUE(found) << "no " << key;
  return found.value_or(object);
}

// The same for a member that is a string or a number.
std::string_view TextAt(JsonValue object, std::string_view key) {
  const JsonValue value = At(object, key);
  return value.Is(JsonKind::kString) || value.Is(JsonKind::kNumber) ? value.text() : "";
}

// The texts of a string, or of the strings of an array.
Names Texts(JsonValue value) {
  if (value.Is(JsonKind::kString)) return {std::string(value.text())};
  Names texts;
  for (const JsonValue element : value) {
    if (element.Is(JsonKind::kString)) texts.emplace(element.text());
  }
  return texts;
}

std::string JsonText(JsonValue value) {
  std::string text;
  switch (value.kind()) {
    case JsonKind::kString:
      wire::AppendJsonString(value.text(), &text);
      return text;
    case JsonKind::kBool:
      return value.boolean() ? "true" : "false";
    case JsonKind::kNumber:
      return std::string(value.text());
    default:
      return std::string(value.json());
  }
}

void CollectReferences(JsonValue value, Names* references) {
  if (value.key() == "$ref") references->emplace(value.text());
  for (const JsonValue part : value) CollectReferences(part, references);
}

class OpenApi : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(document_.Parse(OpenApiDocument()).ok()); }
  [[nodiscard]] JsonValue root() const { return document_.root(); }
  [[nodiscard]] JsonValue Component(std::string_view kind, std::string_view name) const {
    return At(At(At(root(), "components"), kind), name);
  }
  // The value, or the component that it refers to.
  [[nodiscard]] JsonValue Resolve(JsonValue value) const {
    const std::optional<JsonValue> reference = Find(value, "$ref");
    if (!reference) return value;
    std::string_view path = reference->text();
    path.remove_prefix(std::string_view("#/components/").size());
    const std::size_t slash = path.find('/');
    return Component(path.substr(0, slash), path.substr(slash + 1));
  }
  [[nodiscard]] JsonValue OperationOf(const Route& route) const {
    std::string method(route.method);
    for (char& c : method) c = static_cast<char>(c | 0x20);
    return At(At(At(root(), "paths"), route.pattern), method);
  }

 private:
  base::JsonDocument document_;
};

TEST_F(OpenApi, NamesItsVersionAndItsProduct) {
  EXPECT_EQ(TextAt(root(), "openapi"), "3.1.0");
  EXPECT_EQ(TextAt(At(root(), "info"), "title"), "Laurel");
  EXPECT_EQ(TextAt(At(root(), "info"), "version"), LAUREL_VERSION);
}

TEST_F(OpenApi, HasEveryRouteAndNoOther) {
  Names described;
  for (const JsonValue path : At(root(), "paths")) {
    for (const JsonValue operation : path) {
      std::string line(operation.key());
      for (char& c : line) c = static_cast<char>(c & ~0x20);
      line.append(" ").append(path.key()).append(" ").append(TextAt(operation, "operationId"));
      described.insert(line);
    }
  }
  Names routes;
  for (const Route& route : RouteTable()) {
    routes.insert(
        std::string(route.method).append(" ").append(route.pattern).append(" ").append(route.name));
  }
  EXPECT_EQ(described, routes);
}

TEST_F(OpenApi, EveryReferenceLeadsToAComponentAndEveryComponentIsUsed) {
  Names references;
  CollectReferences(root(), &references);
  Names components;
  for (const JsonValue kind : At(root(), "components")) {
    if (kind.key() == "securitySchemes") continue;
    for (const JsonValue component : kind) {
      components.insert(
          std::string("#/components/").append(kind.key()).append("/").append(component.key()));
    }
  }
  EXPECT_EQ(references, components);
}

// Requests ----------------------------------------------------------------------------------------

// Checks what the schema says against the property, and that the property accepts the example.
void CheckProperty(const Property& property, JsonValue schema, JsonValue example) {
  SCOPED_TRACE(property.name);
  if (property.type == Type::kChoice) {
    EXPECT_EQ(Texts(At(schema, "enum")), Names(property.choices.begin(), property.choices.end()));
  }
  if (property.type == Type::kInteger) {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;  // larger bounds are left out
    EXPECT_EQ(TextAt(schema, "minimum"), std::to_string(property.min));
    const std::optional<JsonValue> maximum = Find(schema, "maximum");
    EXPECT_EQ(maximum ? maximum->text() : "",
              property.max <= kExact ? std::to_string(property.max) : "");
  }
  const std::optional<JsonValue> type = Find(schema, "type");
  EXPECT_EQ(type && Texts(*type).contains("null"), property.nullable);
  if (property.type == Type::kTexts) {  // of a query
    EXPECT_TRUE(example.Is(JsonKind::kArray));
    return;
  }
  Property alone = property;
  alone.required = false;
  const std::string text = "{\"" + std::string(property.name) + "\":" + JsonText(example) + "}";
  base::JsonDocument document;
  ASSERT_TRUE(document.Parse(text).ok()) << text;
  Input input;
  Refusal refusal;
  input.Reset(std::span(&alone, 1));
  EXPECT_TRUE(input.TakeObject(document.root(), "", &refusal)) << refusal.detail;
}

// The required keys of an object, and those of the first of its alternatives.
Names RequiredKeys(JsonValue schema) {
  Names keys;
  if (const auto required = Find(schema, "required")) keys = Texts(*required);
  if (const auto all_of = Find(schema, "allOf")) {
    keys.merge(Texts(At(*At(*all_of->begin(), "anyOf").begin(), "required")));
  }
  return keys;
}

void CheckObject(std::span<const Property> properties, JsonValue schema) {
  Names keys;
  Names required;
  for (const Property& property : properties) {
    const std::string name(property.name);
    EXPECT_TRUE(keys.insert(name).second) << name;
    if (MayBeBase64(property.type)) keys.insert(name + "_base64");
    if (property.required) required.insert(name);
    const std::optional<JsonValue> found = Find(At(schema, "properties"), name);
    if (!found) continue;
    CheckProperty(property, *found, *At(*found, "examples").begin());
    EXPECT_TRUE(TextAt(*found, "description").ends_with('.')) << name;
  }
  Names described;
  for (const JsonValue property : At(schema, "properties")) described.emplace(property.key());
  EXPECT_EQ(described, keys);
  EXPECT_EQ(RequiredKeys(schema), required);
  EXPECT_FALSE(At(schema, "additionalProperties").boolean());
}

TEST_F(OpenApi, ParametersAreThoseOfTheRow) {
  for (const Route& route : RouteTable()) {
    SCOPED_TRACE(route.name);
    const JsonValue operation = OperationOf(route);
    std::vector<std::string> described;
    for (const JsonValue reference : At(operation, "parameters")) {
      const JsonValue parameter = Resolve(reference);
      const std::string_view name = TextAt(parameter, "name");
      const auto required = Find(parameter, "required");
      described.push_back(std::string(TextAt(parameter, "in"))
                              .append(" ")
                              .append(name)
                              .append(required && required->boolean() ? " required" : ""));
      for (const Property& property : route.query) {
        if (described.back().starts_with("query ") && property.name == name) {
          CheckProperty(property, At(parameter, "schema"), At(parameter, "example"));
        }
      }
      EXPECT_TRUE(TextAt(parameter, "description").ends_with('.')) << name;
    }
    std::vector<std::string> expected;
    for (const std::string_view name : PathParameters(route)) {
      expected.push_back("path " + std::string(name) + " required");
    }
    for (const Property& property : route.query) {
      expected.push_back("query " + std::string(property.name) +
                         (property.required ? " required" : ""));
    }
    if (route.takes_id) expected.emplace_back("header Idempotency-Key");
    if (Find(At(operation, "responses"), "304")) expected.emplace_back("header If-None-Match");
    if (route.shape == Shape::kEvents) expected.emplace_back("header Last-Event-ID");
    expected.emplace_back("header X-Request-Id");
    EXPECT_EQ(described, expected);
  }
}

TEST_F(OpenApi, BodiesAreThoseOfTheRow) {
  for (const Route& route : RouteTable()) {
    SCOPED_TRACE(route.name);
    const std::optional<JsonValue> body = Find(OperationOf(route), "requestBody");
    ASSERT_EQ(body.has_value(), route.has_body);
    if (!body) continue;
    EXPECT_TRUE(At(*body, "required").boolean());
    const JsonValue media = At(At(*body, "content"), "application/json");
    if (route.shape == Shape::kWritten) {
      // One entry, or several: the row cannot say that.
      std::vector<Property> properties(route.body.begin(), route.body.end());
      for (Property& property : properties) {
        property.required = property.name == "member" || property.name == "score";
      }
      CheckObject(properties, Resolve(At(media, "schema")));
    } else {
      CheckObject(route.body, Resolve(At(media, "schema")));
    }
    EXPECT_GT(At(media, "examples").size(), 0U);
    for (const JsonValue example : At(media, "examples")) {
      Input input;
      Refusal refusal;
      input.Reset(route.body);
      EXPECT_TRUE(input.TakeObject(At(example, "value"), "", &refusal)) << refusal.detail;
    }
  }
  CheckObject(EntryProperties(), Component("schemas", "EntryInput"));
  CheckObject(SubmitProperties(), Component("schemas", "SubmitInput"));
  CheckObject(ReadProperties(), Component("schemas", "ReadInput"));
}

// Answers -----------------------------------------------------------------------------------------

TEST_F(OpenApi, StatusesAreThoseThatTheRouteMayAnswer) {
  for (const Route& route : RouteTable()) {
    SCOPED_TRACE(route.name);
    const JsonValue responses = At(OperationOf(route), "responses");
    Names described;
    for (const JsonValue response : responses) described.emplace(response.key());
    Names expected = {"200", "default"};
    if (route.command == Id::kLbCreate || route.command == Id::kLbTemplateSet) {
      expected.insert("201");
    }
    if (route.shape == Shape::kReady) expected.insert("503");
    const bool has_version = Find(At(At(responses, "200"), "headers"), "ETag").has_value();
    if (has_version && route.method == "GET") expected.insert("304");
    for (const CodeStatus& error : ErrorsOf(route)) {
      const std::string status = std::to_string(error.status);
      expected.insert(status);
      const std::optional<JsonValue> response = Find(responses, status);
      if (!response) continue;
      if (error.code == ErrorCode::kLimit && error.status == 503) continue;  // explained at 413
      EXPECT_NE(
          TextAt(Resolve(*response), "description").find(std::string(ErrorName(error.code)) + ": "),
          std::string_view::npos)
          << status << " " << ErrorName(error.code);
    }
    EXPECT_EQ(described, expected);
  }
}

TEST_F(OpenApi, EveryAnswerHasAnExample) {
  for (const Route& route : RouteTable()) {
    SCOPED_TRACE(route.name);
    std::size_t examples = 0;
    for (const JsonValue response : At(OperationOf(route), "responses")) {
      const std::optional<JsonValue> content = Find(response, "content");
      if (!content || response.key() == "503") continue;
      for (const JsonValue media : *content) {
        if (const auto found = Find(media, "examples")) examples += found->size();
      }
    }
    EXPECT_GT(examples, 0U);
  }
}

// Access ------------------------------------------------------------------------------------------

// What the description of the route's operation ends with.
std::string AccessText(const Route& route) {
  const wire::Role role = RoleOf(route);
  if (role == wire::Role::kNone) return " Needs no token.";
  std::string text = " Needs the role " + std::string(wire::RoleName(role)) + ".";
  std::string_view separator = " Over RESP: ";
  for (const Id id : CommandsOf(route)) {
    const wire::CommandInfo& command = wire::CommandOf(id);
    if (command.group != wire::Group::kLeaderboard) continue;
    text.append(separator).append(command.name.substr(0, command.name.find('|')));
    separator = ", ";
  }
  return separator == ", " ? text + "." : text;
}

TEST_F(OpenApi, DescriptionsNameTheRoleAndTheCommands) {
  for (const Route& route : RouteTable()) {
    const JsonValue operation = OperationOf(route);
    const std::string_view description = TextAt(operation, "description");
    EXPECT_TRUE(description.ends_with(AccessText(route))) << route.name << ": " << description;
    const std::string summary = std::string(TextAt(operation, "summary")) + ".";
    EXPECT_TRUE(description.starts_with(summary)) << route.name << ": " << summary;
    EXPECT_EQ(Find(operation, "security").has_value(), RoleOf(route) == wire::Role::kNone)
        << route.name;
  }
}

}  // namespace
}  // namespace laurel::http
