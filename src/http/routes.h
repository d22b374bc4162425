// The only table of routes. Routing, translation into commands, access checks and the reference
// page are derived from it. openapi_test compares openapi.json with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/call.h"
#include "laurel/result.h"
#include "wire/command_id.h"

namespace laurel::http {

// The JSON of a successful answer. The schemas are in /openapi.json.
enum class Shape : std::uint8_t {
  kOk,          // {"ok":true}
  kBoard,       // a description
  kBoards,      // a page of the list of boards
  kTemplates,   // {"templates":[…]}
  kTemplate,    // one template
  kEntry,       // one entry with count; NOMEMBER if absent
  kPage,        // board, version, count, entries
  kAround,      // as kPage; NOMEMBER if absent
  kVerdict,     // one verdict
  kVerdicts,    // {"verdicts":[…]}
  kWritten,     // a verdict, or verdicts if the body has `entries`
  kRank,        // {"rank":n}
  kCount,       // {"count":n}
  kScore,       // {"score":[…]}
  kPercentile,  // an object; NOMEMBER if absent
  kBuckets,     // {"buckets":[…]}
  kPeriods,     // {"periods":[…]}
  kRemoved,     // {"removed":n}
  kRemovedOne,  // as kRemoved; NOMEMBER if 0
  kChanged,     // {"changed":n}
  kChangedOne,  // as kChanged; NOMEMBER if 0
  kEvents,      // events, next, gap
  kResults,     // {"results":[…]}
  kLive,        // a stream
  kWhoAmI,
  kServer,
  kClients,
  kSlowLog,
  kHealth,
  kReady,
  kMetrics,   // text
  kDocument,  // /openapi.json
  kConsole,   // HTML
  kAsset,     // a file of the console
};

// The input and output of a translator.
struct Translation {
  std::span<const std::string_view> path;  // the values of the pattern's parameters, in order
  const Input& query;
  const Input* body = nullptr;           // null if the route takes no body
  std::optional<std::string_view> id{};  // Idempotency-Key
  Call& call;
  Refusal* refusal = nullptr;
};
using Translate = bool (*)(Translation& translation);

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/boards/{board}/entries"
  std::string_view name;     // operationId: "listEntries"
  Shape shape = Shape::kOk;
  // The command whose role the route needs; kEnd if the route needs no token.
  wire::CommandId command = wire::CommandId::kEnd;
  Translate translate = nullptr;  // null if the server answers without the engine
  std::span<const Property> query{};
  std::span<const Property> body{};
  bool has_body = false;
  bool takes_id = false;  // accepts the header Idempotency-Key
  // Other commands that the route may become.
  std::span<const wire::CommandId> others{};
};

std::span<const Route> RouteTable();

// The route of a request.
struct Match {
  const Route* route = nullptr;        // null if no route matches
  std::vector<std::string_view> path;  // values of the pattern's parameters
  // The methods of the routes with this path, as the Allow header lists them. Empty if no route has
  // this path.
  std::string allow;
};
// HEAD matches the route of GET. `segments` are decoded.
void FindRoute(std::string_view method, std::span<const std::string_view> segments, Match* match);
// Returns the pattern that a path without a route was probably meant to match, with this method
// (any if empty): the path may have typing errors, end with a slash, or lack "/v1". Empty if no
// pattern is near.
std::string_view NearestPattern(std::string_view method,
                                std::span<const std::string_view> segments);

// Says which routes go on where a path without a route departs from them: "below /v1 there are
// boards, templates". Empty if it departs at once, or no route goes on there.
std::string RoutesBelow(std::span<const std::string_view> segments);

// Gives a route below /v1/boards/{board} its short name in POST /v1/read.
struct ReadKind {
  std::string_view name;   // "entries"
  std::string_view route;  // operationId
};
std::span<const ReadKind> ReadKinds();
const Route* FindByName(std::string_view name);

inline constexpr std::size_t kMaxReads = 32;
// Limits of one POST /v1/submit, which is one step that delays all other clients.
inline constexpr std::size_t kMaxSubmitsTogether = 1000;
inline constexpr std::size_t kMaxEntriesTogether = 10'000;
inline constexpr std::int64_t kMaxPageEntries = 1000;

// Splits the items of POST /v1/read into one call each. `inputs` keeps their values.
bool TranslateReads(base::JsonValue reads, std::deque<Call>* calls, std::deque<Input>* inputs,
                    Refusal* refusal);
// Splits the items of POST /v1/submit into one LB.MSUBMIT per board, in the order in which the
// boards first appear. (*places)[i] locates the verdict of submit i: the index of its call, and the
// index among that call's verdicts.
struct VerdictPlace {
  std::size_t call = 0;
  std::size_t index = 0;
};
bool TranslateSubmits(const Input& body, std::optional<std::string_view> id,
                      std::deque<Call>* calls, std::vector<VerdictPlace>* places, Refusal* refusal);

// The OpenAPI 3.1 document of the API, without blanks between its tokens. It is data: openapi.json,
// which the build compiles in (cmake/EmbedJson.cmake). openapi_test compares it with the table.
std::string_view OpenApiDocument();

}  // namespace laurel::http
