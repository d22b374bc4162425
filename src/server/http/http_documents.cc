// Answers that the server gives without the engine.
#include <string>

#include "engine/engine.h"
#include "http/routes.h"
#include "server/http/console.h"
#include "server/http/http_session.h"
#include "wire/command_table.h"

namespace laurel::server {

using http::Shape;

void HttpSession::AnswerHere() {
  const http::Route& route = *match_.route;
  if (route.command != wire::CommandId::kEnd) {
    const wire::CommandInfo& command = wire::CommandOf(route.command);
    const std::string_view words[] = {command.name};
    if (!MayUse(command, words)) return;
    if (answering_.token == service_->anonymous && route.shape != Shape::kWhoAmI) {
      return RefuseError({ErrorCode::kNoAuth, "a Bearer token is needed"});
    }
  }
  switch (route.shape) {
    case Shape::kWhoAmI:
      return AnswerWhoAmI();
    case Shape::kServer:
      return AnswerJson(service_->documents.ServerJson(connection_->client()->access));
    case Shape::kClients:
      return AnswerClients();
    case Shape::kSlowLog:
      return AnswerSlowLog();
    case Shape::kHealth:
      return AnswerJson("{\"ok\":true}");
    case Shape::kReady:
      return AnswerReady();
    case Shape::kMetrics:
      return AnswerMetrics();
    case Shape::kDocument:
      return AnswerJson(http::OpenApiDocument());
    case Shape::kAsset:
      return AnswerAsset(FindConsoleAsset("assets/" + std::string(match_.path[0])));
    default:
      return AnswerAsset(&ConsolePage());
  }
}

void HttpSession::AnswerAsset(const ConsoleAsset* asset) {
  if (asset == nullptr) {
    return Refuse(
        {.status = 404, .code = "ERR", .detail = "the console has no such file", .field = "file"});
  }
  const bool packs = !asset->gzip.empty() && AcceptsGzip(request_.Header("Accept-Encoding"));
  // Each coding has different bytes, so it needs a different version.
  std::string version(asset->version);
  if (packs) version += "-gzip";
  ResponseHead head;
  head.content_type = asset->content_type;
  head.version = version;
  head.varies_by_coding = true;
  if (answering_.route->shape == Shape::kAsset) head.cache_control = kKeptForEver;
  head.more = packs ? kPackedConsoleHeaders : kConsoleHeaders;
  if (IsKnownVersion(request_.Header("If-None-Match"), version)) {
    head.status = 304;
    head.content_type = {};
    head.more = kConsoleHeaders;
    return Answer(head, {});
  }
  Answer(head, packs ? asset->gzip : asset->plain);
}

void HttpSession::AnswerWhoAmI() {
  std::string body;
  wire::JsonWriter json(&body);
  json.Map(5);
  json.Pair("name", answering_.token != nullptr ? answering_.token->name : "default");
  json.Pair("role", wire::RoleName(answering_.token != nullptr ? answering_.token->role
                                                               : wire::Role::kAdmin));
  json.Pair("boards", answering_.token != nullptr ? answering_.token->boards : "*");
  json.Pair("anonymous", answering_.token == service_->anonymous);
  json.Pair("tokens", !NoTokens());
  AnswerJson(body);
}

void HttpSession::AnswerClients() {
  std::string body;
  wire::JsonWriter json(&body);
  const auto connections = service_->connections.All();
  json.Map(1);
  json.Key("clients");
  json.Array(connections.size());
  for (const auto& connection : connections) {
    const std::int64_t now = base::MonotonicMicros();
    json.Map(6);
    json.Pair("id", connection->id());
    json.Pair("address", connection->remote());
    json.Pair("user", connection->conversation().User());
    json.Pair("age_seconds", (now - connection->opened_us()) / 1'000'000);
    json.Pair("idle_seconds", (now - connection->active_us()) / 1'000'000);
    json.Pair("line", connection->conversation().Describe());
  }
  AnswerJson(body);
}

void HttpSession::AnswerSlowLog() {
  std::string body;
  wire::JsonWriter json(&body);
  const std::vector<SlowEntry> entries = service_->slow_log.Latest(128);
  json.Map(1);
  json.Key("commands");
  json.Array(entries.size());
  for (const SlowEntry& entry : entries) {
    json.Map(6);
    json.Pair("id", entry.id);
    json.Key("time");
    json.Moment(entry.unix_seconds * 1'000'000);
    json.Pair("micros", entry.micros);
    json.Key("words");
    json.Array(entry.arguments.size());
    for (const std::string& word : entry.arguments) json.Bulk(word);
    json.Pair("address", entry.address);
    json.Pair("client", entry.client_name);
  }
  AnswerJson(body);
}

void HttpSession::AnswerReady() {
  const engine::Persistence state = service_->network.engine->Measure().persistence;
  const bool stops = service_->network.stopping;
  const bool ready = !state.loading && !stops;
  std::string body;
  wire::JsonWriter json(&body);
  json.Map(3);
  json.Pair("ready", ready);
  json.Pair("state", stops ? "stopping" : state.loading ? "loading" : "serving");
  json.Pair("writes", ready && state.trouble.empty());
  Answer({.status = ready ? 200 : 503, .retry_after_s = ready ? 0 : 1}, body);
}

void HttpSession::AnswerMetrics() {
  if (!service_->config.metrics_open && !NoTokens()) {
    if (!FindToken(request_)) return;
    if (!connection_->client()->access.all()) {
      return RefuseError({ErrorCode::kNoPerm, "metrics need a token for all boards"});
    }
  }
  Answer({.content_type = "text/plain; version=0.0.4; charset=utf-8"},
         service_->documents.Metrics());
}

}  // namespace laurel::server
