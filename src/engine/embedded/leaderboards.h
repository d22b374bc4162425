// What the LB commands share: finding the board, writing entries and verdicts.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/reads.h"
#include "engine/embedded/context.h"
#include "laurel/entry.h"

namespace laurel::engine {

// WRONGTYPE, for LB commands on a sorted set.
Error SortedSetError(const Key& key);

// Null and a reply NOBOARD or WRONGTYPE if there is no such leaderboard.
Key* FindLeaderboard(Context& context, std::string_view name);
// The same, and what reads see of it.
const Key* FindShownLeaderboard(Context& context, std::string_view name);
// The same, and a reply ERR if it is an instance of a board with periods.
Key* FindWholeLeaderboard(Context& context, std::string_view name);

// `count` values of one score from argument `at` on. Replies and gives nothing if they are none:
// "ERR 'run' takes 3 values (points deaths best), got 2".
std::optional<Score> TakeScore(Context& context, const Key& key, std::size_t at, std::size_t count);

// KIND and WITHMETA, where a read takes them.
struct ReadOptions {
  RankKind kind = RankKind::kOrdinal;
  bool with_meta = false;
};

// Takes one option at *at and moves on; false if there is none of them there.
bool TakeReadOption(std::span<const std::string_view> arguments, std::size_t* at,
                    ReadOptions* options);
// All arguments from `at` on are read options; a syntax error is replied otherwise.
bool TakeReadOptions(Context& context, std::size_t at, ReadOptions* options);

// The entry's pairs; `more` further ones follow, which the caller writes.
void ReplyEntry(wire::Reply& reply, const Spec& spec, const Entry& entry,
                const ReadOptions& options, std::size_t more = 0);
// An array of the entries of the run, which is cut off at the end; backward if so wished. They are
// read a slice at a time. False if they exceed --max-reply: the reply says so then.
bool ReplyPage(Context& context, const core::Board& board, core::IndexRange range, bool backward,
               const ReadOptions& options);
void ReplyScore(wire::Reply& reply, const Spec& spec, const Score& score);
// Of a board with periods: one for each, in their order.
void ReplyVerdict(wire::Reply& reply, const Spec& spec, std::span<const Verdict> verdicts,
                  bool duplicate = false);

}  // namespace laurel::engine
