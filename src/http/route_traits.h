// Properties of a route that are derived from its row: for /openapi.json and the reference page.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "http/routes.h"
#include "http/status.h"
#include "wire/command_id.h"
#include "wire/command_table.h"

namespace laurel::http {

enum class RouteGroup : std::uint8_t { kBoards, kTemplates, kWrites, kReads, kEvents, kServer };
inline constexpr std::array kRouteGroups = {RouteGroup::kBoards, RouteGroup::kTemplates,
                                            RouteGroup::kWrites, RouteGroup::kReads,
                                            RouteGroup::kEvents, RouteGroup::kServer};
std::string_view GroupTitle(RouteGroup group);  // "Boards"
std::string_view GroupHelp(RouteGroup group);   // sentences
RouteGroup GroupOf(const Route& route);

// "board" and "member" of "/v1/boards/{board}/entries/{member}".
std::vector<std::string_view> PathParameters(const Route& route);

// The commands that the route may become; none for a route that is open to all clients.
std::vector<wire::CommandId> CommandsOf(const Route& route);
// The least role that the route needs; kNone if it is open to all clients.
wire::Role RoleOf(const Route& route);

// Whether the answer has an ETag, and whether the route knows If-None-Match.
bool HasVersion(const Route& route);
bool TakesVersions(const Route& route);

// Whether the answer is a stream of events: always, or if the client accepts one.
bool Streams(const Route& route);
bool MayStream(const Route& route);

// The statuses of success, 304 left out: 200, or 201 and 200.
std::span<const int> SuccessesOf(const Route& route);

// The errors that the route may answer, by rising status. Those of requests that fit no route or
// cannot be read are left out.
std::vector<CodeStatus> ErrorsOf(const Route& route);

}  // namespace laurel::http
