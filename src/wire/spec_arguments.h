// Parses the options of LB.CREATE, LB.ALTER and templates.
//
// Does not check whether the host supports them: the host checks whether it knows the time zone,
// and whether it keeps a feed of events in the board (FEED).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "wire/answer.h"
#include "wire/command_table.h"

namespace laurel::wire {

struct SpecArguments {
  Spec spec;
  std::optional<std::uint64_t> feed;  // FEED, if given: events that the board itself keeps
  bool adopt = false;
  std::size_t failed_word = kNoWord;  // the index of the argument that an error is about
};

// Parses what follows the board's name in LB.CREATE, and checks the spec (CheckDeclaration). If the
// arguments make no spec together, the error is about the one without which they would; if there
// are several, about FIELDS or none. `command`: LB.CREATE as the host declares it; errors name the
// options of its syntax.
Status ParseSpecArguments(std::span<const std::string_view> arguments, SpecArguments* wanted,
                          const CommandInfo& command = CommandOf(CommandId::kLbCreate));
// Parses what follows the board's name in LB.ALTER. Before the call wanted->spec is the present
// spec; the options change it. Does not check the result.
Status ParseAlterArguments(std::span<const std::string_view> arguments, SpecArguments* wanted,
                           const CommandInfo& command = CommandOf(CommandId::kLbAlter));

// ParseSpecArguments for one line, as in config files and flags: "FIELDS 1 score:int POLICY best".
// Refuses ADOPT.
Result<SpecArguments> ParseSpecLine(std::string_view line);

// Splits a pattern before the first option of LB.CREATE that follows a blank or, with its value, a
// '=': "rank:* POLICY best" is hardly meant as the name of a board. None if there is no such
// option.
struct PatternAndSpec {
  std::string_view pattern;
  std::string_view spec;
};
std::optional<PatternAndSpec> SpecInPattern(std::string_view pattern);

}  // namespace laurel::wire
