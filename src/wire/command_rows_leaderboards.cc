// Rows of the command table: Laurel's own commands, LB.*.
#include "wire/command_rows.h"

namespace laurel::wire {
namespace {

using Id = CommandId;

constexpr CommandInfo kLeaderboardsRows[] = {
    {Id::kLbCreate, "LB.CREATE", -2, kWrite | kDenyOom | kComparesBelowRole, kFirst, Role::kAdmin,
     "board [FIELDS n field [field …]] [POLICY set|best|sum] [TIE first|last|member] [CAP n] "
     "[START time] [END time] [GRACE duration] [EXPIRE duration] [PERIODS n period [period …]] "
     "[TURN hh:mm] [TZ zone] [KEEP n] [DEDUP n] [ADOPT]",
     "Declares a leaderboard; OK also if it exists with the same declaration. A field is "
     "`name[:type[:direction[:operator]]]`, a period is hour, day, week, month or all. ADOPT "
     "turns the sorted set of that name into a leaderboard.",
     "O(1), with ADOPT O(n log n)"},
    {Id::kLbAlter, "LB.ALTER", -2, kWrite, kFirst, Role::kAdmin,
     "board [POLICY set|best|sum] [CAP n] [START time|none] [END time|none] [GRACE duration] "
     "[EXPIRE duration] [KEEP n] [DEDUP n]",
     "Changes the declaration of a leaderboard; a lower cap evicts at once.",
     "O(1), with a lower cap O(m log n), m entries evicted"},
    {Id::kLbDescribe, "LB.DESCRIBE", -2, kReadOnly | kFast, kFirst, Role::kRead,
     "board [PERIOD period]",
     "Shows the declaration of a leaderboard and the number of its entries.", "O(1)"},
    {Id::kLbList, "LB.LIST", -1, kReadOnly, kNoKeys, Role::kRead,
     "[MATCH pattern] [CURSOR cursor] [COUNT n]",
     "Walks through the declared leaderboards step by step, empty ones included.",
     "O(1) per call, O(k) for a whole walk over k boards"},
    {Id::kLbDrop, "LB.DROP", 2, kWrite, kFirst, Role::kAdmin, "board",
     "Removes a leaderboard with its declaration, entries and hidden marks.", "O(i), i instances"},
    {Id::kLbLoad, "LB.LOAD", -4, kWrite | kDenyOom | kNoScript | kNoMulti, kFirst, Role::kAdmin,
     "board BEGIN|CHUNK|COMMIT|ABORT id [argument …]",
     "Fills a new leaderboard, which gets its name at the end. `BEGIN id` takes the options of "
     "LB.CREATE, `CHUNK id number bytes` adds effects (docs/log-format.md), `COMMIT id [REPLACE]` "
     "publishes the board, `ABORT id` drops it. After 10 minutes without a chunk it is dropped "
     "too. The client chooses the id, and may repeat every step.",
     "O(m log n) for a chunk of m entries, otherwise O(1)"},
    {Id::kLbWalk, "LB.WALK", 3, kReadOnly | kNoScript | kNoMulti, kFirst, Role::kAdmin,
     "board cursor",
     "Reads a whole leaderboard in chunks, hidden members included. The first cursor is 0; each "
     "reply has the next one, and 0 after the last chunk. `effects` are what LB.LOAD takes as a "
     "chunk (docs/log-format.md), for a board with the declaration `create`. If all replies have "
     "the same `version`, they are the board at one moment; otherwise each entry is as it was when "
     "its chunk was read.",
     "O(m), m items of the chunk, which has at most 512 KiB"},
    {Id::kLbRestore, "LB.RESTORE", -3, kWrite | kDenyOom | kNoScript, kFirst, Role::kWrite,
     "board bytes [META]",
     "Stores the entries of a chunk (docs/log-format.md) in a leaderboard unchanged, all or "
     "nothing: members, scores and stamps, with META also their meta. The cap and hidden marks "
     "apply, the window does not. Returns how many of the entries the cap has let in.",
     "O(m log n), m entries"},
    {Id::kLbTemplate, "LB.TEMPLATE", -2, kContainer, kNoKeys, Role::kAdmin,
     "SET|DEL|LIST [argument …]", "Declares leaderboards by a pattern of names.",
     "depends on the subcommand"},
    {Id::kLbTemplateSet, "LB.TEMPLATE|SET", -3, kWrite | kDenyOom, kNoKeys, Role::kAdmin,
     "pattern [option …]",
     "Gives new boards with matching names a declaration; the options are those of LB.CREATE "
     "without ADOPT.",
     "O(1)"},
    {Id::kLbTemplateDel, "LB.TEMPLATE|DEL", 3, kWrite, kNoKeys, Role::kAdmin, "pattern",
     "Removes a template; boards made by it stay.", "O(1)"},
    {Id::kLbTemplateList, "LB.TEMPLATE|LIST", 2, kReadOnly, kNoKeys, Role::kRead, "",
     "Lists the templates and their declarations.", "O(t), t templates"},
    {Id::kLbSubmit, "LB.SUBMIT", -4, kWrite | kDenyOom | kFast, kFirst, Role::kSubmit,
     "board member value [value …] [NX|XX] [AT time] [ID id] [META bytes]",
     "Submits a score, one value per field, under the board's policy or operators, and answers "
     "with a verdict; AT needs the role write.",
     "O(log n)"},
    {Id::kLbSet, "LB.SET", -4, kWrite | kDenyOom | kFast, kFirst, Role::kWrite,
     "board member value [value …] [NX|XX] [AT time] [ID id] [META bytes]",
     "Replaces a member's score, whatever the policy, and answers with a verdict.", "O(log n)"},
    {Id::kLbIncr, "LB.INCR", -4, kWrite | kDenyOom | kFast, kFirst, Role::kWrite,
     "board member value [value …] [NX|XX] [AT time] [ID id] [META bytes]",
     "Adds to every field of a member's score, whatever the policy, and answers with a verdict.",
     "O(log n)"},
    {Id::kLbMSubmit, "LB.MSUBMIT", -5, kWrite | kDenyOom, kFirst, Role::kSubmit,
     "board n member value [value …] [member value [value …] …] [AT time] [ID id]",
     "Submits the scores of n members, all of them or none, and answers with a verdict each; AT "
     "needs the role write.",
     "O(m log n), m members"},
    {Id::kLbMeta, "LB.META", 4, kWrite | kDenyOom | kFast, kFirst, Role::kWrite,
     "board member bytes", "Changes the bytes kept beside a member's score; empty removes them.",
     "O(1) per instance, at most max-work of them"},
    {Id::kLbGet, "LB.GET", -3, kReadOnly | kFast, kFirst, Role::kRead,
     "board member [KIND ordinal|competition|dense] [PERIOD period] [WITHMETA]",
     "Gives the entry of a member and the size of the board.", "O(log n)"},
    {Id::kLbTop, "LB.TOP", -3, kReadOnly, kFirst, Role::kRead,
     "board n [KIND ordinal|competition|dense] [PERIOD period] [WITHMETA]",
     "Lists the n best entries.", "O(log n + m), m entries returned"},
    {Id::kLbRange, "LB.RANGE", -4, kReadOnly, kFirst, Role::kRead,
     "board first last [KIND ordinal|competition|dense] [PERIOD period] [WITHMETA]",
     "Lists the entries from one rank to another, both included; negative ranks count from the "
     "end.",
     "O(log n + m), m entries returned"},
    {Id::kLbAround, "LB.AROUND", -4, kReadOnly, kFirst, Role::kRead,
     "board member m [KIND ordinal|competition|dense] [PERIOD period] [WITHMETA]",
     "Lists a member's entry with up to m neighbours on each side.", "O(log n + m)"},
    {Id::kLbAmong, "LB.AMONG", -3, kReadOnly, kFirst, Role::kRead,
     "board n [member …] [KIND ordinal|competition|dense] [PERIOD period] [WITHMETA]",
     "Ranks a list of n members among themselves, with their ranks on the board.",
     "O(m log n), m members"},
    {Id::kLbRankOf, "LB.RANKOF", -3, kReadOnly | kFast, kFirst, Role::kRead,
     "board value [value …] [KIND ordinal|competition|dense] [PERIOD period]",
     "Returns the rank that a new member with this score would get now.", "O(log n)"},
    {Id::kLbCount, "LB.COUNT", -4, kReadOnly | kFast, kFirst, Role::kRead,
     "board min max [PERIOD period]",
     "Counts the entries whose first field lies between two bounds, the lower one first.",
     "O(log n)"},
    {Id::kLbBetween, "LB.BETWEEN", -4, kReadOnly, kFirst, Role::kRead,
     "board min max [LIMIT offset n] [KIND ordinal|competition|dense] [PERIOD period] [WITHMETA]",
     "Lists the entries whose first field lies between two bounds, the lower one first; the "
     "entries come best first.",
     "O(log n + m), m entries returned"},
    {Id::kLbSize, "LB.SIZE", -2, kReadOnly | kFast, kFirst, Role::kRead, "board [PERIOD period]",
     "Counts the visible entries.", "O(1)"},
    {Id::kLbPercentile, "LB.PERCENTILE", -3, kReadOnly | kFast, kFirst, Role::kRead,
     "board member [PERIOD period]", "Returns the share of the other entries that a member beats.",
     "O(log n)"},
    {Id::kLbQuantile, "LB.QUANTILE", -3, kReadOnly | kFast, kFirst, Role::kRead,
     "board p [PERIOD period]", "Gives the score below which p percent of the entries stand.",
     "O(log n)"},
    {Id::kLbHistogram, "LB.HISTOGRAM", -3, kReadOnly, kFirst, Role::kRead,
     "board buckets [PERIOD period]", "Counts the entries in equal steps of the first field.",
     "O(b log n), b buckets"},
    {Id::kLbRemove, "LB.REMOVE", -3, kWrite | kFast, kFirst, Role::kWrite,
     "board member [member …]", "Removes members from a leaderboard.",
     "O(log n) per member and instance, at most max-work of them"},
    {Id::kLbPop, "LB.POP", -3, kWrite, kFirst, Role::kWrite,
     "board n [BOTTOM] [PERIOD period] [WITHMETA]",
     "Removes and returns the n best entries, or the n worst.", "O(m log n), m entries removed"},
    {Id::kLbTrim, "LB.TRIM", -3, kWrite, kFirst, Role::kWrite, "board n [PERIOD period]",
     "Removes all but the n best entries.", "O(m log n), m entries removed"},
    {Id::kLbClear, "LB.CLEAR", -2, kWrite, kFirst, Role::kWrite, "board [PERIOD period]",
     "Removes every entry; the declaration and hidden marks stay.", "O(i), i instances"},
    {Id::kLbHide, "LB.HIDE", -3, kWrite | kFast, kFirst, Role::kWrite, "board member [member …]",
     "Hides members from every rank, page and count until LB.SHOW.",
     "O(log n) per member and instance, at most max-work of them"},
    {Id::kLbShow, "LB.SHOW", -3, kWrite | kFast, kFirst, Role::kWrite, "board member [member …]",
     "Puts hidden members back into their places.",
     "O(log n) per member and instance, at most max-work of them"},
    {Id::kLbPeriods, "LB.PERIODS", 2, kReadOnly, kFirst, Role::kRead, "board",
     "Lists the kept instances of each period, the latest first, each closed one with a cursor "
     "before its close.",
     "O(i log i), i instances"},
    {Id::kLbChanges, "LB.CHANGES", -3, kReadOnly | kNoScript | kNoMulti | kBlocking, kFirst,
     Role::kRead, "board from [MEMBER member] [COUNT n] [BLOCK milliseconds] [PERIOD period]",
     "Returns the durable events of a leaderboard after a cursor, and the next cursor. `0`: from "
     "the oldest that is kept; `$`: only new ones; `-n`: the last n. MEMBER leaves out events "
     "about other members; BLOCK waits for the next event.",
     "O(m), m changes returned or left out"},
};

}  // namespace

std::span<const CommandInfo> LeaderboardsRows() { return kLeaderboardsRows; }

}  // namespace laurel::wire
