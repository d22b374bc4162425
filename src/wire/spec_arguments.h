// Parses the options of LB.CREATE, LB.ALTER and templates.
//
// Does not check whether the host supports the options: the host checks whether it knows the time
// zone, and whether it keeps a feed of events in the board (FEED).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "wire/beside_words.h"
#include "wire/command_answer.h"
#include "wire/command_table.h"

namespace laurel::wire {

struct SpecArguments {
  Spec spec;
  std::optional<std::uint64_t> feed;  // FEED, if given: the number of events that the board keeps
  bool adopt = false;
  std::size_t failed_word = kNoWord;  // the index of the argument that an error is about
  std::size_t zone_word = kNoWord;    // the index of the time zone, which the host checks
};

// Parses the words after the board's name in LB.CREATE, and checks the spec (CheckDeclaration). If
// the arguments are invalid only together, the error names the one whose removal makes the spec
// valid; if there are several, FIELDS or none. `command`: LB.CREATE as the host declares it; errors
// name the options of its syntax. `beside`: of the request; null if there is none. `first`: the
// index of arguments[0] in the request.
Status ParseSpecArguments(std::span<const std::string_view> arguments, SpecArguments* wanted,
                          const CommandInfo& command = CommandOf(CommandId::kLbCreate),
                          const BesideWords* beside = nullptr, std::size_t first = 0);
// Parses the words after the board's name in LB.ALTER. Before the call wanted->spec is the current
// spec; the options change it. Does not check the result, but if it is not valid, notes the
// argument at fault as ParseSpecArguments does.
Status ParseAlterArguments(std::span<const std::string_view> arguments, SpecArguments* wanted,
                           const CommandInfo& command = CommandOf(CommandId::kLbAlter),
                           const BesideWords* beside = nullptr, std::size_t first = 0);

// Like ParseSpecArguments, for one line in config files and flags: "FIELDS 1 score:int POLICY
// best". Refuses ADOPT.
Result<SpecArguments> ParseSpecLine(std::string_view line);

// Splits a pattern from the options of LB.CREATE after it. An option begins after a blank or, with
// its value, after '=': "rank:* POLICY best" is probably not the name of a board. None if there is
// no option.
struct PatternAndSpec {
  std::string_view pattern;
  std::string_view spec;
};
std::optional<PatternAndSpec> SpecInPattern(std::string_view pattern);

// Whether a template may have this pattern. It has no '@': a board's own name has none.
Status CheckTemplatePattern(std::string_view pattern);

}  // namespace laurel::wire
