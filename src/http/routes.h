// The table of routes, and the only one: routing, translation into commands, access checks and the
// reference page are derived from it. openapi_test compares openapi.json with it.
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

// What a successful answer is, as JSON. /openapi.json has their schemas.
enum class Shape : std::uint8_t {
  kOk,          // {"ok":true}
  kBoard,       // a description
  kBoards,      // a page of the list of boards
  kTemplates,   // {"templates":[…]}
  kTemplate,    // the one template
  kEntry,       // one entry with count; nothing: NOMEMBER
  kPage,        // board, version, count, entries
  kAround,      // the same; nothing: NOMEMBER
  kVerdict,     // one verdict
  kVerdicts,    // {"verdicts":[…]}
  kWritten,     // a verdict, or verdicts if `entries` were sent
  kRank,        // {"rank":n}
  kCount,       // {"count":n}
  kScore,       // {"score":[…]}
  kPercentile,  // an object; nothing: NOMEMBER
  kBuckets,     // {"buckets":[…]}
  kPeriods,     // {"periods":[…]}
  kRemoved,     // {"removed":n}
  kRemovedOne,  // the same; 0: NOMEMBER
  kChanged,     // {"changed":n}
  kChangedOne,  // the same; 0: NOMEMBER
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

// What a translator works with.
struct Translation {
  std::span<const std::string_view> path;  // the values of the pattern's parameters, in order
  const Input& query;
  const Input* body = nullptr;           // null: the route takes none
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
  // The command whose role the route needs. kEnd: none, the route needs no token.
  wire::CommandId command = wire::CommandId::kEnd;
  Translate translate = nullptr;  // null: the server answers without the engine
  std::span<const Property> query{};
  std::span<const Property> body{};
  bool has_body = false;
  bool takes_id = false;  // Idempotency-Key
  // Further commands that the route may become.
  std::span<const wire::CommandId> others{};
};

std::span<const Route> RouteTable();

// The route of a request.
struct Match {
  const Route* route = nullptr;        // null: there is none
  std::vector<std::string_view> path;  // values of the pattern's parameters
  // The methods of the routes with this path, as in Allow; empty if no route has it.
  std::string allow;
};
// A HEAD finds the route of GET. `segments`: decoded.
void FindRoute(std::string_view method, std::span<const std::string_view> segments, Match* match);
// The pattern of this method (any if empty) that a path without a route was probably meant to have:
// its words may have typing errors, end with a slash, or lack "/v1". Empty: none is near.
std::string_view NearestPattern(std::string_view method,
                                std::span<const std::string_view> segments);

// A read of POST /v1/read: one of the routes below /v1/boards/{board}, by a short name.
struct ReadKind {
  std::string_view name;   // "entries"
  std::string_view route;  // operationId
};
std::span<const ReadKind> ReadKinds();
const Route* FindByName(std::string_view name);

inline constexpr std::size_t kMaxReads = 32;
// Of POST /v1/submit: they are one step, for which all other clients wait.
inline constexpr std::size_t kMaxSubmitsTogether = 1000;
inline constexpr std::size_t kMaxEntriesTogether = 10'000;
inline constexpr std::int64_t kMaxPageEntries = 1000;

// Splits the items of POST /v1/read into one call each. `inputs` keeps their values.
bool TranslateReads(base::JsonValue reads, std::deque<Call>* calls, std::deque<Input>* inputs,
                    Refusal* refusal);
// Splits those of POST /v1/submit into one LB.MSUBMIT per board, in the order in which the boards
// appear. (*places)[i] is where the verdict of submit i is: the index of its call, and its index
// among that board's verdicts.
struct VerdictPlace {
  std::size_t call = 0;
  std::size_t index = 0;
};
bool TranslateSubmits(const Input& body, std::optional<std::string_view> id,
                      std::deque<Call>* calls, std::vector<VerdictPlace>* places, Refusal* refusal);

}  // namespace laurel::http
