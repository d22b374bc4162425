// The grammar of the LB commands on one board: parses the words of a request into an operation.
//
// Pure: the result depends only on the words, the BesideWords, the board's spec and the instance
// that the name selects. Scores stay text, which the leaderboard parses when it executes the
// operation, unless they are marked (beside_words.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "laurel/entry.h"
#include "laurel/result.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "leaderboard/operation.h"
#include "wire/beside_words.h"
#include "wire/command_answer.h"
#include "wire/command_table.h"
#include "wire/spec_arguments.h"

namespace laurel::wire {

// An operation, and the data that it may refer to besides the words. Reusable: parsing LB.SUBMIT,
// LB.GET, LB.TOP and most other commands then allocates nothing.
struct ParsedOperation {
  ParsedOperation() = default;
  ParsedOperation(const ParsedOperation&) = delete;
  ParsedOperation& operator=(const ParsedOperation&) = delete;

  // Returns the operation as a read or a write; null if it is not of that kind.
  [[nodiscard]] const leaderboard::ReadOperation* read() const {
    return std::get_if<leaderboard::ReadOperation>(&operation);
  }
  [[nodiscard]] const leaderboard::WriteOperation* write() const {
    return std::get_if<leaderboard::WriteOperation>(&operation);
  }

  leaderboard::Operation operation;
  bool sets_time = false;             // AT was given, which requires the role write
  SpecArguments altered;              // for LB.ALTER: the new spec, and FEED for the host
  std::size_t failed_word = kNoWord;  // the index of the argument that an error is about

  // The arguments that refusals of the operation are about, if they are marked scores or options.
  ErrorWords words;

  // Bounds and marked scores, which the operation refers to.
  leaderboard::ScoreBounds bounds;
  Score score;
  std::vector<laurel::Write> writes;
};

// Whether ParseOperation supports the command.
bool IsOperation(CommandId id);
// Whether the command accepts a name that only a template matches: a write, which creates the
// board, or a read of entries, which answers as for an empty board.
bool TakesTemplates(const CommandInfo& command);
// Whether the command is an operation that takes a board's own name and refuses instance names.
bool TakesWholeBoard(CommandId id);

// Parses a request. words[0] is the command's name, words[1] the board's. `spec`: the board's.
// `named`: the instance if words[1] is an instance name such as "lb@day". The operation then
// applies to that instance; PERIOD is refused, and so is an operation for whole boards. `beside`:
// null if there is none. On an error *parsed is unspecified except for failed_word. REQUIRES:
// IsOperation(command.id), and the number of words fits the command's arity; a marked score may
// have too few or too many values.
Status ParseOperation(const CommandInfo& command, std::span<const std::string_view> words,
                      const Spec& spec, const std::optional<leaderboard::InstanceSelector>& named,
                      ParsedOperation* parsed, const BesideWords* beside = nullptr);

// LB.CHANGES board from|-n [MEMBER m] [COUNT n] [BLOCK ms] [PERIOD p]. The host executes it.
struct ChangesArguments {
  enum class From : std::uint8_t {
    kOldest,  // 0: from the oldest event that is still available
    kEnd,     // $: only events after this request
    kLast,    // -n: the last `last` events
    kCursor,  // other words: a cursor in the host's own format
  };
  From from = From::kOldest;
  std::size_t last = 0;  // 1 to kMaxChanges with kLast
  std::string_view cursor{};
  std::optional<std::string_view> member{};
  std::size_t count = 100;                 // with kLast at most `last`, which is also its default
  std::optional<std::int64_t> block_ms{};  // 0: no time limit
  std::optional<leaderboard::InstanceSelector> instance{};
  std::size_t failed_word = kNoWord;  // the index of the argument that an error is about
};

// Parses LB.CHANGES. `words`, `named` and `beside` as in ParseOperation. REQUIRES: the number of
// words fits the arity of LB.CHANGES.
Status ParseChanges(std::span<const std::string_view> words,
                    const std::optional<leaderboard::InstanceSelector>& named,
                    ChangesArguments* wanted, const BesideWords* beside = nullptr);

// The cursors of LB.CHANGES, as clients hold them: the parts in hexadecimal digits, with dashes
// between them. What the parts are is the host's.
std::string FormatCursor(std::span<const std::uint64_t> parts);
// Reads as many parts as there are.
Status ParseCursor(std::string_view text, std::span<std::uint64_t* const> parts);

}  // namespace laurel::wire
