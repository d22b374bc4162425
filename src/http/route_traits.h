// Properties of a route that follow from its row: the reference page shows them, and openapi_test
// compares openapi.json with them.
#pragma once

#include <string_view>
#include <vector>

#include "http/routes.h"
#include "http/status.h"
#include "wire/command_id.h"
#include "wire/command_table.h"

namespace laurel::http {

// The names of the pattern's parameters: "board" and "member" for
// "/v1/boards/{board}/entries/{member}".
std::vector<std::string_view> PathParameters(const Route& route);

// The commands that the route may become; none for a route that is open to all clients.
std::vector<wire::CommandId> CommandsOf(const Route& route);
// The least role that the route needs; kNone if it is open to all clients.
wire::Role RoleOf(const Route& route);

// The errors that the route may answer, by ascending status, without those of requests that match
// no route or cannot be parsed.
std::vector<CodeStatus> ErrorsOf(const Route& route);

}  // namespace laurel::http
