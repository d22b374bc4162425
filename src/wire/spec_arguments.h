// The options of LB.CREATE, LB.ALTER and templates.
//
// Whether a host can do what they ask for is the host's to say: whether there is such a time zone,
// and whether it keeps a feed of events (FEED).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"

namespace laurel::wire {

struct SpecArguments {
  Spec spec;
  std::uint64_t feed = 0;  // FEED: events that the board itself keeps
  bool adopt = false;
};

// What follows the board's name in LB.CREATE. The spec is checked (CheckSpec).
Status ParseSpecArguments(std::span<const std::string_view> arguments, SpecArguments* wanted);
// What follows the board's name in LB.ALTER: changes *wanted, which is the present spec. The result
// is not checked yet.
Status ParseAlterArguments(std::span<const std::string_view> arguments, SpecArguments* wanted);

// The same from one line, as config files and flags have it: "FIELDS 1 score:int POLICY best".
Result<SpecArguments> ParseSpecLine(std::string_view line);

}  // namespace laurel::wire
