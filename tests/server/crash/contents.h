// Describes the contents of a server as lines of text, to compare two servers or two starts of one.
#pragma once

#include <string>
#include <vector>

#include "server/resp_client.h"

namespace laurel::black_box {

// kEverything includes stamps and exact expiry times. kTimeless leaves out what depends on when a
// command was executed: stamps, and expiry times that come from a relative EXPIRE. Both show the
// order of the entries.
enum class Detail { kEverything, kTimeless };

// Describes `boards`: declaration, expiry, and entries in order with meta. Unless `prefix` is
// empty, it adds the hidden entries of Stream's members with meta, and the templates whose patterns
// begin with `prefix`. To read hidden entries it copies each board to `prefix` + "probe", shows the
// members there and drops the copy.
std::vector<std::string> Contents(RespClient* client, const std::vector<std::string>& boards,
                                  const std::string& prefix, Detail detail);

// The reply as text, without stamps.
std::string TimelessText(const Value& reply);

// The first lines that differ, for a failure message; empty if all are equal.
std::string Difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& found);

}  // namespace laurel::black_box
