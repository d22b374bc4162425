// What a server holds, as lines of text that two servers, or two starts of one, are compared by.
#pragma once

#include <string>
#include <vector>

#include "server/resp_client.h"

namespace laurel::black_box {

// With stamps, and the exact times that relative expiry came to; or without what depends on when a
// command was executed. The order of entries is told by both.
enum class Detail { kEverything, kTimeless };

// Everything there is to know of these boards: declaration, expiry, entries in order with meta,
// hidden members (of Stream's) with theirs; the templates whose patterns begin with `prefix`. To
// look at hidden members a copy of each board is made, shown and dropped, called `prefix` "probe".
std::vector<std::string> Contents(RespClient* client, const std::vector<std::string>& boards,
                                  const std::string& prefix, Detail detail);

// The reply without stamps.
std::string TimelessText(const Value& reply);

// The first lines that differ, for a failure; empty if none does.
std::string Difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& found);

}  // namespace laurel::black_box
