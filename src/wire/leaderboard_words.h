// The grammar of the LB commands that concern one board: words become operations.
//
// Pure: what a request means follows from its words, the board's spec and the instance that its
// name selects. Numbers stay text where the board's fields give them their meaning; the leaderboard
// reads them when it executes the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/operation.h"
#include "wire/command_table.h"
#include "wire/spec_arguments.h"

namespace laurel::wire {

// An operation and what it may refer to besides the words. May be used again and again: parsing
// LB.SUBMIT, LB.GET, LB.TOP and most others allocates nothing.
struct ParsedOperation {
  ParsedOperation() = default;
  ParsedOperation(const ParsedOperation&) = delete;
  ParsedOperation& operator=(const ParsedOperation&) = delete;

  // Null if it is none.
  [[nodiscard]] const leaderboard::ReadOperation* read() const {
    return std::get_if<leaderboard::ReadOperation>(&operation);
  }
  [[nodiscard]] const leaderboard::WriteOperation* write() const {
    return std::get_if<leaderboard::WriteOperation>(&operation);
  }

  leaderboard::Operation operation;
  bool sets_time = false;  // AT was given, which needs the role write
  SpecArguments altered;   // of LB.ALTER: what the operation refers to; FEED is for the host
};

// Whether the command is one that ParseOperation knows.
bool IsOperation(CommandId id);

// words[0] is the command's name and words[1] the board's. `spec`: the board's. `named`: the
// instance that the name selects, as in "lb@day"; the operation is about it, and PERIOD is refused
// beside it, as is the whole operation if it concerns a board as a whole.
// On an error *parsed is unspecified. REQUIRES: IsOperation(command.id), the command's arity holds.
Status ParseOperation(const CommandInfo& command, std::span<const std::string_view> words,
                      const Spec& spec, const std::optional<leaderboard::InstanceSelector>& named,
                      ParsedOperation* parsed);

// LB.CHANGES board from [MEMBER m] [COUNT n] [BLOCK ms] [PERIOD p]: the host executes it.
struct ChangesArguments {
  enum class From : std::uint8_t {
    kOldest,  // 0: all that there still is
    kEnd,     // $: nothing yet
    kLast,    // -n: the last `last` events
    kCursor,  // anything else; what a cursor is, the host knows
  };
  From from = From::kOldest;
  std::uint64_t last = 0;
  std::string_view cursor{};
  std::optional<std::string_view> member{};
  std::size_t count = 100;
  std::optional<std::int64_t> block_ms{};  // 0: for ever
  std::optional<leaderboard::InstanceSelector> instance{};
};

// As ParseOperation.
Status ParseChanges(std::span<const std::string_view> words,
                    const std::optional<leaderboard::InstanceSelector>& named,
                    ChangesArguments* wanted);

}  // namespace laurel::wire
