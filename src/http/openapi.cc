#include "http/openapi.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "http/examples.h"
#include "http/json_text.h"
#include "http/openapi_schemas.h"
#include "http/route_traits.h"
#include "http/routes.h"
#include "http/status.h"
#include "http/translators.h"
#include "wire/command_table.h"

namespace laurel::http {
namespace {

constexpr std::string_view kDescription =
    "Leaderboards over HTTP. Tokens are for servers: a submit token may submit for any member, so "
    "a game client must not hold one. Scores are exact and go out as strings. An error is "
    "problem+json with a stable code. A member, a board or meta whose bytes are not UTF-8 has "
    "base64 under its name with _base64 appended. /v1 only gains fields: ignore unknown ones. HEAD "
    "answers as GET without the body, OPTIONS with Allow.";

constexpr std::string_view kParameters = R"({
  "RequestId": {"name": "X-Request-Id", "in": "header",
    "description": "An id for logs: 1 to 128 visible ASCII characters. Without one the server makes
    it.", "schema": {"type": "string", "maxLength": 128}, "example": "e798ad62864e2661"},
  "IdempotencyKey": {"name": "Idempotency-Key", "in": "header",
    "description": "Makes the write exactly-once: a retry with the same key changes nothing and gets
    the first verdict again, marked as duplicate. Boards remember keys for up to 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 128}, "example": "order-7f3c9a"},
  "IfNoneMatch": {"name": "If-None-Match", "in": "header",
    "description": "Versions that the client has, as ETag shows them. If one of them is the present
    one, the answer is 304.", "schema": {"type": "string"}, "example": "\"94be02427911-1-0-4\""},
  "LastEventId": {"name": "Last-Event-ID", "in": "header",
    "description": "Of a stream: the cursor of the last event that the client has. Replaces from.",
    "schema": {"type": "string"}, "example": "1c0d32-2-1-1"},
  "board": {"name": "board", "in": "path", "required": true,
    "description": "The name of a board, percent-encoded. It may carry a period: season@day,
    season@day:-1, season@day:2026-11-15.",
    "schema": {"type": "string", "minLength": 1}, "example": "arena"},
  "member": {"name": "member", "in": "path", "required": true,
    "description": "The member's bytes, percent-encoded. The empty member has no path.",
    "schema": {"type": "string", "minLength": 1}, "example": "ann"},
  "pattern": {"name": "pattern", "in": "path", "required": true,
    "description": "A pattern of board names, percent-encoded.",
    "schema": {"type": "string", "minLength": 1}, "example": "rank:*"},
  "file": {"name": "file", "in": "path", "required": true,
    "description": "The name of a file that the console's page refers to.",
    "schema": {"type": "string", "minLength": 1}, "example": "index-BkRfboVd.js"}})";

constexpr std::string_view kHeaders = R"({
  "RequestId": {"description": "The request's id.", "schema": {"type": "string"}},
  "ETag": {"description": "The version of what was read, in quotes.",
           "schema": {"type": "string"}},
  "RetryAfter": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
  "WwwAuthenticate": {"description": "Bearer.", "schema": {"type": "string"}}})";

// The data of each event of a stream, by the event's name. Events of /changes are named for their
// cause.
constexpr std::string_view kLiveEvents = R"({
  "state": {"$ref": "#/components/schemas/LiveTop"},
  "update": {"$ref": "#/components/schemas/LiveTop"},
  "members": {"$ref": "#/components/schemas/LiveMembers"},
  "end": {"$ref": "#/components/schemas/StreamEnd"}})";
constexpr std::string_view kChangeEvents = R"({
  "*": {"$ref": "#/components/schemas/Event"},
  "gap": {"$ref": "#/components/schemas/Gap"},
  "end": {"$ref": "#/components/schemas/StreamEnd"}})";
constexpr std::string_view kChangesExample =
    "id: 1c0d32-2-1-1\nevent: put\ndata: {\"cursor\":\"1c0d32-2-1-1\",\"cause\":\"put\","
    "\"member\":\"ann\",\"score\":[\"100\"],\"reached\":\"2026-11-15T12:00:00.000000Z\"}\n\n";

std::string Reference(std::string_view kind, std::string_view name) {
  return JsonObject()
      .AddText("$ref", "#/components/" + std::string(kind) + "/" + std::string(name))
      .Take();
}

// "WriteEntriesBody"
std::string BodyName(const Route& route) {
  std::string name(route.name);
  name[0] = static_cast<char>(name[0] & ~0x20);
  return name + "Body";
}

// "NotFound"
std::string ResponseName(int status) {
  std::string name(ReasonOf(status));
  std::erase(name, ' ');
  return name;
}

// Operations --------------------------------------------------------------------------------------

std::string QueryParameter(const Property& property) {
  JsonObject parameter;
  parameter.AddText("name", property.name).AddText("in", "query");
  if (property.required) parameter.Add("required", "true");
  parameter.AddText("description", property.help).Add("schema", SchemaOf(property));
  const std::string example(property.example);
  return parameter.Add("example", property.type == Type::kTexts ? "[" + example + "]" : example)
      .Take();
}

std::string Parameters(const Route& route) {
  std::vector<std::string> all;
  for (const std::string_view name : PathParameters(route)) {
    all.push_back(Reference("parameters", name));
  }
  for (const Property& property : route.query) all.push_back(QueryParameter(property));
  if (route.takes_id) all.push_back(Reference("parameters", "IdempotencyKey"));
  if (TakesVersions(route)) all.push_back(Reference("parameters", "IfNoneMatch"));
  if (route.shape == Shape::kEvents) all.push_back(Reference("parameters", "LastEventId"));
  all.push_back(Reference("parameters", "RequestId"));
  return JsonArray(all);
}

// {"example1":{"value":…}}: of bodies, or of answers with the status. Texts become strings.
std::string Examples(const Route& route, int status, bool of_body, bool is_text) {
  JsonObject examples;
  std::size_t number = 0;
  for (const Example* example : ExamplesOf(route)) {
    if (example->status != status) continue;
    const std::string_view text = of_body ? example->body : example->answer;
    if (text.empty()) continue;
    const std::string value = is_text ? JsonString(text) : CompactJson(text);
    examples.Add("example" + std::to_string(++number), JsonObject().Add("value", value).Take());
  }
  return examples.empty() ? "" : examples.Take();
}

std::string RequestBody(const Route& route) {
  if (!route.has_body) return {};
  JsonObject media;
  media.Add("schema", SchemaReference(BodyName(route)));
  media.Add("examples",
            Examples(route, SuccessesOf(route).back(), /*of_body=*/true, /*is_text=*/false));
  return JsonObject()
      .Add("required", "true")
      .Add("content", JsonObject().Add("application/json", media.Take()).Take())
      .Take();
}

std::string StreamMedia(const Route& route) {
  const bool is_live = Streams(route);
  JsonObject media;
  media.Add("schema", R"({"type":"string","description":"Server-sent events."})");
  media.Add("x-event-data", CompactJson(is_live ? kLiveEvents : kChangeEvents));
  return media
      .Add("examples",
           is_live ? Examples(route, 200, /*of_body=*/false, /*is_text=*/true)
                   : JsonObject()
                         .Add("example1", JsonObject().AddText("value", kChangesExample).Take())
                         .Take())
      .Take();
}

std::string Content(const Route& route, int status) {
  JsonObject content;
  const std::string_view schema = AnswerSchema(route.shape);
  JsonObject media;
  if (!schema.empty()) {
    media.Add("schema", SchemaReference(schema));
    media.Add("examples", Examples(route, status, /*of_body=*/false, /*is_text=*/false));
    content.Add("application/json", media.Take());
  } else if (!Streams(route)) {
    media.Add("schema", R"({"type":"string"})");
    media.Add("examples", Examples(route, status, /*of_body=*/false, /*is_text=*/true));
    content.Add(route.shape == Shape::kMetrics ? "text/plain"
                : route.shape == Shape::kAsset ? "*/*"
                                               : "text/html",
                media.Take());
  }
  if (MayStream(route)) content.Add("text/event-stream", StreamMedia(route));
  return content.Take();
}

std::string Headers(const Route& route) {
  JsonObject headers;
  headers.Add("X-Request-Id", Reference("headers", "RequestId"));
  if (HasVersion(route)) headers.Add("ETag", Reference("headers", "ETag"));
  return headers.Take();
}

std::string AnswerResponse(const Route& route, int status) {
  return JsonObject()
      .AddText("description", status == 200   ? "It is done."
                              : status == 201 ? "It is done, and it is new."
                                              : "Not now.")
      .Add("headers", Headers(route))
      .Add("content", Content(route, status))
      .Take();
}

std::string Responses(const Route& route) {
  JsonObject responses;
  for (const int status : SuccessesOf(route)) {
    responses.Add(std::to_string(status), AnswerResponse(route, status));
  }
  if (TakesVersions(route)) responses.Add("304", Reference("responses", "NotModified"));
  int last = 0;
  for (const CodeStatus& error : ErrorsOf(route)) {
    if (error.status != last) {
      responses.Add(std::to_string(error.status),
                    Reference("responses", ResponseName(error.status)));
    }
    last = error.status;
  }
  if (route.shape == Shape::kReady) responses.Add("503", AnswerResponse(route, 503));
  return responses.Add("default", Reference("responses", "Other")).Take();
}

// What the route does, the role it needs, and its commands.
std::string Description(const Route& route) {
  std::string text(route.help);
  const wire::Role role = RoleOf(route);
  if (role == wire::Role::kNone) return text + " Needs no token.";
  text += " Needs the role " + std::string(wire::RoleName(role)) + ".";
  std::string_view separator = " Over RESP: ";
  for (const wire::CommandId id : CommandsOf(route)) {
    const wire::CommandInfo& command = wire::CommandOf(id);
    if (command.group != wire::Group::kLeaderboard) continue;
    text.append(separator).append(command.name.substr(0, command.name.find('|')));
    separator = ", ";
  }
  if (separator == ", ") text += ".";
  return text;
}

// The first sentence of the help, without its end.
std::string_view Summary(const Route& route) {
  return route.help.substr(0, std::min(route.help.find(". "), route.help.size() - 1));
}

std::string Operation(const Route& route) {
  JsonObject operation;
  operation.AddText("operationId", route.name).AddText("summary", Summary(route));
  operation.AddText("description", Description(route));
  const std::string_view tag[] = {GroupTitle(GroupOf(route))};
  operation.Add("tags", JsonTexts(tag)).Add("parameters", Parameters(route));
  operation.Add("requestBody", RequestBody(route)).Add("responses", Responses(route));
  if (RoleOf(route) == wire::Role::kNone) operation.Add("security", "[]");
  return operation.Take();
}

// The operations of each path, in the order in which the paths appear in the table.
std::string Paths() {
  JsonObject paths;
  std::vector<std::string_view> seen;
  for (const Route& route : RouteTable()) {
    if (std::find(seen.begin(), seen.end(), route.pattern) != seen.end()) continue;
    seen.push_back(route.pattern);
    JsonObject methods;
    for (const Route& other : RouteTable()) {
      if (other.pattern != route.pattern) continue;
      std::string method(other.method);
      for (char& c : method) c = static_cast<char>(c | 0x20);
      methods.Add(method, Operation(other));
    }
    paths.Add(route.pattern, methods.Take());
  }
  return paths.Take();
}

// Components --------------------------------------------------------------------------------------

std::string Schemas() {
  JsonObject schemas;
  for (const NamedSchema& schema : WrittenSchemas()) {
    schemas.Add(schema.name, CompactJson(schema.json));
  }
  schemas.Add("EntryInput", ObjectSchema(EntryProperties()));
  schemas.Add("SubmitInput", ObjectSchema(SubmitProperties()));
  schemas.Add("ReadInput", ObjectSchema(ReadProperties()));
  for (const Route& route : RouteTable()) {
    if (!route.has_body) continue;
    // One entry, or several.
    const std::string_view any_of =
        route.shape == Shape::kWritten
            ? R"([{"required":["member","score"]},{"required":["member_base64","score"]},)"
              R"({"required":["entries"]}])"
            : "";
    schemas.Add(BodyName(route), ObjectSchema(route.body, any_of));
  }
  return schemas.Take();
}

std::string ProblemResponse(const std::string& description, int status, std::string_view code,
                            std::string_view detail) {
  JsonObject problem;
  problem.AddText("title", ReasonOf(status)).Add("status", std::to_string(status));
  problem.AddText("code", code).AddText("detail", detail);
  problem.AddText("request_id", "e798ad62864e2661");
  JsonObject media;
  media.Add("schema", SchemaReference("Problem")).Add("example", problem.Take());
  JsonObject headers;
  headers.Add("X-Request-Id", Reference("headers", "RequestId"));
  if (status == 503) headers.Add("Retry-After", Reference("headers", "RetryAfter"));
  if (status == 401) headers.Add("WWW-Authenticate", Reference("headers", "WwwAuthenticate"));
  return JsonObject()
      .AddText("description", description)
      .Add("headers", headers.Take())
      .Add("content", JsonObject().Add("application/problem+json", media.Take()).Take())
      .Take();
}

std::string ErrorResponses() {
  JsonObject responses;
  responses.Add("NotModified",
                R"({"description":"The client has this version.","headers":{"X-Request-Id":)" +
                    Reference("headers", "RequestId") + R"(,"ETag":)" +
                    Reference("headers", "ETag") + "}}");
  const std::span<const CodeStatus> all = ErrorStatuses();
  for (std::size_t first = 0; first < all.size();) {
    std::string description;
    std::size_t end = first;
    for (; end < all.size() && all[end].status == all[first].status; ++end) {
      if (!description.empty()) description += ' ';
      description.append(ErrorName(all[end].code)).append(": ").append(all[end].help);
    }
    if (all[first].status == 404) description += " ERR: The console has no such file.";
    responses.Add(ResponseName(all[first].status),
                  ProblemResponse(description, all[first].status, ErrorName(all[first].code),
                                  "the reason, for people"));
    first = end;
  }
  responses.Add(ResponseName(415),
                ProblemResponse("ERR: The body is not application/json.", 415, "ERR",
                                "expected Content-Type: application/json"));
  responses.Add("Other", ProblemResponse("ERR: The request fits no route or cannot be read.", 431,
                                         "ERR", "the head exceeds 16384 bytes"));
  return responses.Take();
}

std::string Tags() {
  std::vector<std::string> tags;
  for (const RouteGroup group : kRouteGroups) {
    tags.push_back(JsonObject()
                       .AddText("name", GroupTitle(group))
                       .AddText("description", GroupHelp(group))
                       .Take());
  }
  return JsonArray(tags);
}

std::string MakeDocument() {
  JsonObject info;
  info.AddText("title", "Laurel").AddText("version", LAUREL_VERSION);
  info.AddText("description", kDescription);
  info.Add("contact", R"({"name":"The Laurel authors"})");
  info.Add("license", R"({"name":"MIT","identifier":"MIT"})");
  JsonObject components;
  components.Add("schemas", Schemas()).Add("responses", ErrorResponses());
  components.Add("parameters", CompactJson(kParameters)).Add("headers", CompactJson(kHeaders));
  components.Add("securitySchemes",
                 R"({"token":{"type":"http","scheme":"bearer","description":"A token, as )"
                 R"(`laurel token` makes it. A server without tokens needs none."}})");
  JsonObject document;
  document.AddText("openapi", "3.1.0").Add("info", info.Take());
  document.Add("servers", R"([{"url":"/"}])").Add("security", R"([{"token":[]}])");
  document.Add("tags", Tags()).Add("paths", Paths()).Add("components", components.Take());
  return document.Take();
}

}  // namespace

const std::string& OpenApiDocument() {
  static const std::string document = MakeDocument();
  return document;
}

}  // namespace laurel::http
