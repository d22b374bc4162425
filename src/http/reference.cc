#include "http/reference.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "http/call.h"
#include "http/examples.h"
#include "http/json_text.h"
#include "http/route_traits.h"
#include "http/routes.h"
#include "http/status.h"
#include "http/translators.h"
#include "wire/command_table.h"

namespace laurel::http {
namespace {

constexpr std::size_t kColumns = 100;

constexpr std::string_view kErrors = R"(
## Errors

An error is `application/problem+json`:

```json
{"title": "Not Found", "status": 404, "code": "NOMEMBER", "detail": "the member has no entry here",
 "field": "member", "request_id": "e798ad62864e2661"}
```

`code` is stable and for programs, `detail` is for people. `field` names the parameter, the header or the
key of the body that is wrong, as `entries.0.score`; it is absent if there is none. `detail` names it too, because logs
often show the detail alone. A refused request changed nothing, unless its code is `UNKNOWN`. A 503 has
`Retry-After`.

| code | status | meaning |
|---|---|---|
)";

constexpr std::string_view kRoutes = R"(
## Routes

The **role** is what a token must have, as in [commands.md](commands.md); the commands are those that do the
same over RESP. The examples of each section are one session with a new server, from the requests at its
beginning on.

)";

std::string Code(std::string_view text) { return "`" + std::string(text) + "`"; }

std::string Choices(std::span<const std::string_view> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += Code(choices[i]);
  }
  return text;
}

std::string Range(const Property& property) {
  constexpr std::int64_t kShown = std::int64_t{1} << 53;  // larger bounds are of no interest
  std::string text = "integer";
  if (property.min > -kShown) text += " from " + std::to_string(property.min) + " on";
  if (property.max >= kShown) return text;
  return "integer, " + std::to_string(property.min) + " to " + std::to_string(property.max);
}

std::string TypeText(const Property& property) {
  switch (property.type) {
    case Type::kText:
      return "text";
    case Type::kBytes:
      return "text, or base64 as " + Code(std::string(property.name) + "_base64");
    case Type::kMember:
      return "text, integer, or base64 as " + Code(std::string(property.name) + "_base64");
    case Type::kInteger:
      return Range(property);
    case Type::kBoolean:
      return "boolean";
    case Type::kNumber:
      return "number";
    case Type::kTime:
      return "time";
    case Type::kDuration:
      return "duration";
    case Type::kChoice:
      return Choices(property.choices);
    case Type::kScore:
      return "score";
    case Type::kTexts:
      return "text, may be repeated";
    case Type::kBound:
      return "bound";
    case Type::kMembers:
    case Type::kFields:
    case Type::kPeriods:
    case Type::kEntries:
    case Type::kSubmits:
    case Type::kReads:
      return "array";
  }
  LAUREL_ASSERT(false);
  return {};
}

void AddProperties(std::string_view title, std::span<const Property> properties,
                   std::string* page) {
  if (properties.empty()) return;
  page->append("\n| ").append(title).append(" | type | |\n|---|---|---|\n");
  for (const Property& property : properties) {
    page->append("| ").append(Code(property.name)).append(" | ").append(TypeText(property));
    if (property.nullable) page->append(", or null");
    page->append(" | ").append(property.help);
    if (property.required) page->append(" Required.");
    if (!property.default_text.empty()) {
      page->append(" Default ").append(Code(property.default_text)).append(".");
    }
    page->append(" |\n");
  }
}

// "Role `read` · `LB.TOP`, `LB.RANGE` · ETag"
std::string Traits(const Route& route) {
  const wire::Role role = RoleOf(route);
  if (role == wire::Role::kNone) return HasVersion(route) ? "No token · ETag" : "No token";
  std::string text = "Role " + Code(wire::RoleName(role));
  std::string_view separator = " · ";
  for (const wire::CommandId id : CommandsOf(route)) {
    const wire::CommandInfo& command = wire::CommandOf(id);
    std::string name(command.name);
    if (const std::size_t bar = name.find('|'); bar != std::string::npos) name[bar] = ' ';
    text.append(separator).append(Code(name));
    if (command.role != role) {
      text.append(" (role ").append(Code(wire::RoleName(command.role))).append(")");
    }
    separator = ", ";
  }
  if (route.takes_id) text += " · `Idempotency-Key`";
  if (HasVersion(route)) text += " · ETag";
  return text;
}

// "400 `ERR` · 404 `NOBOARD` `NOMEMBER`"
std::string ErrorsText(const Route& route) {
  std::string text;
  int last = 0;
  for (const CodeStatus& error : ErrorsOf(route)) {
    if (error.status != last) {
      if (last != 0) text += " · ";
      text += std::to_string(error.status);
      last = error.status;
    }
    text.append(" ").append(Code(ErrorName(error.code)));
  }
  return text;
}

void AddRequest(std::string_view method, std::string_view target, std::string_view body,
                std::string* page) {
  page->append(method).append(" ").append(target).append("\n");
  if (!body.empty()) page->append(PrettyJson(CompactJson(body), kColumns)).append("\n");
}

void AddExample(const Route& route, const Example& example, std::string* page) {
  const bool is_json = example.answer.starts_with('{');
  page->append(example.is_stable ? "\n```http\n" : "\n```text\n");
  AddRequest(route.method, example.target, example.body, page);
  page->append("\nHTTP/1.1 ").append(std::to_string(example.status)).append(" ");
  page->append(ReasonOf(example.status)).append("\n");
  page->append(is_json ? PrettyJson(CompactJson(example.answer), kColumns) + "\n"
                       : std::string(example.answer));
  page->append("```\n");
}

void AddRoute(const Route& route, std::string* page) {
  page->append("\n### ").append(route.name).append("\n\n");
  page->append(Code(std::string(route.method) + " " + std::string(route.pattern))).append("\n\n");
  page->append(route.help).append("\n\n").append(Traits(route)).append("\n");
  AddProperties("parameter", route.query, page);
  AddProperties("key of the body", route.body, page);
  if (route.shape == Shape::kVerdicts) AddProperties("key of a submit", SubmitProperties(), page);
  if (route.shape == Shape::kResults) AddProperties("key of a read", ReadProperties(), page);
  for (const Example* example : ExamplesOf(route)) AddExample(route, *example, page);
  page->append("\nErrors: ").append(ErrorsText(route)).append("\n");
}

void AddSetUp(RouteGroup group, std::string* page) {
  const std::vector<SetUp> requests = SetUpOf(group);
  if (requests.empty()) return;
  std::string_view separator = "\n```http\n";
  for (const SetUp& request : requests) {
    page->append(separator);
    AddRequest(request.method, request.target, request.body, page);
    separator = "\n";
  }
  page->append("```\n");
}

void AddContents(std::string* page) {
  for (const RouteGroup group : kRouteGroups) {
    const std::string title(GroupTitle(group));
    std::string anchor = title;
    anchor[0] = static_cast<char>(anchor[0] | 0x20);
    page->append("- [").append(title).append("](#").append(anchor).append("):");
    std::string_view separator = " ";
    for (const Route& route : RouteTable()) {
      if (GroupOf(route) != group) continue;
      anchor.clear();
      for (const char c : route.name) anchor += static_cast<char>(c | 0x20);
      page->append(separator).append("[").append(route.name).append("](#");
      page->append(anchor).append(")");
      separator = " · ";
    }
    page->append("\n");
  }
}

}  // namespace

std::string HttpReference() {
  std::string page(kReferenceBegin);
  page.append("\n").append(kErrors);
  for (const CodeStatus& known : ErrorStatuses()) {
    page.append("| ").append(Code(ErrorName(known.code))).append(" | ");
    page.append(std::to_string(known.status)).append(" | ").append(known.help).append(" |\n");
  }
  page.append(kRoutes);
  AddContents(&page);
  for (const RouteGroup group : kRouteGroups) {
    page.append("\n## ").append(GroupTitle(group)).append("\n\n");
    page.append(GroupHelp(group)).append("\n");
    AddSetUp(group, &page);
    for (const Route& route : RouteTable()) {
      if (GroupOf(route) == group) AddRoute(route, &page);
    }
  }
  return page;
}

}  // namespace laurel::http
