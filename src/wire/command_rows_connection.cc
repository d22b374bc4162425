// Rows of the command table: transactions and connections.
#include "wire/command_rows.h"

namespace laurel::wire {
namespace {

using Id = CommandId;

constexpr CommandInfo kTransactions[] = {
    {Id::kMulti, "MULTI", 1, kNoScript | kLoading | kStale | kFast | kAllowBusy | kLocal, kNoKeys,
     Role::kRead, "", "Begins a transaction: the commands that follow wait for EXEC.", "O(1)"},
    {Id::kExec, "EXEC", 1, kNoScript | kLoading | kStale | kSkipSlowLog, kNoKeys, Role::kRead, "",
     "Runs the commands since MULTI with nobody else's in between.", "the sum of its commands"},
    {Id::kDiscard, "DISCARD", 1, kNoScript | kLoading | kStale | kFast | kAllowBusy, kNoKeys,
     Role::kRead, "", "Forgets the commands since MULTI.", "O(q), q commands"},
    {Id::kWatch, "WATCH", -2, kNoScript | kLoading | kStale | kFast | kAllowBusy, kAll, Role::kRead,
     "key [key …]", "Makes the next EXEC do nothing if one of the keys is changed before it.",
     "O(1) per key"},
    {Id::kUnwatch, "UNWATCH", 1, kNoScript | kLoading | kStale | kFast | kAllowBusy, kNoKeys,
     Role::kRead, "", "Forgets the watched keys.", "O(1) per key"},
};

constexpr CommandInfo kConnectionRows[] = {
    {Id::kPing, "PING", -1, kFast | kLocal, kNoKeys, Role::kRead, "[message]",
     "Answers PONG, or the message.", "O(1)"},
    {Id::kEcho, "ECHO", 2, kFast | kHere, kNoKeys, Role::kRead, "message", "Answers the message.",
     "O(1)"},
    {Id::kAuth, "AUTH", -2, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy | kLocal,
     kNoKeys, Role::kNone, "[username] token",
     "Shows the token that grants a role; the username is not looked at.", "O(t), t tokens"},
    {Id::kHello, "HELLO", -1, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy | kLocal,
     kNoKeys, Role::kNone, "[protover [AUTH username token] [SETNAME clientname]]",
     "Agrees on RESP2 or RESP3 and tells about the server.", "O(1)"},
    {Id::kSelect, "SELECT", 2, kFast | kHere, kNoKeys, Role::kRead, "index",
     "Chooses database 0, the only one.", "O(1)"},
    {Id::kQuit, "QUIT", -1, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy | kLocal,
     kNoKeys, Role::kNone, "", "Ends the connection after its replies.", "O(1)"},
    {Id::kReset, "RESET", 1, kNoScript | kLoading | kStale | kFast | kNoAuth | kAllowBusy | kLocal,
     kNoKeys, Role::kNone, "", "Puts the connection back into the state it began in.", "O(1)"},
    {Id::kClient, "CLIENT", -2, kLocal | kContainer, kNoKeys, Role::kRead,
     "subcommand [argument …]", "Looks at connections and sets their options.",
     "depends on the subcommand"},
    {Id::kClientId, "CLIENT|ID", 2, kNoScript | kHere, kNoKeys, Role::kRead, "",
     "Gives the number of this connection.", "O(1)"},
    {Id::kClientGetName, "CLIENT|GETNAME", 2, kNoScript | kHere, kNoKeys, Role::kRead, "",
     "Gives the name of this connection.", "O(1)"},
    {Id::kClientSetName, "CLIENT|SETNAME", 3, kNoScript | kHere, kNoKeys, Role::kRead,
     "connection-name", "Names this connection.", "O(1)"},
    {Id::kClientSetInfo, "CLIENT|SETINFO", 4, kNoScript | kHere, kNoKeys, Role::kRead,
     "LIB-NAME|LIB-VER value", "Notes the library that this connection is from.", "O(1)"},
    {Id::kClientList, "CLIENT|LIST", -2, kAdminHere, kNoKeys, Role::kAdmin,
     "[TYPE NORMAL|MASTER|REPLICA|PUBSUB] [ID client-id [client-id …]]",
     "Lists the connections, one line each.", "O(c), c connections"},
    {Id::kClientInfo, "CLIENT|INFO", 2, kNoScript | kHere, kNoKeys, Role::kRead, "",
     "Describes this connection in one line.", "O(1)"},
    {Id::kClientKill, "CLIENT|KILL", -3, kAdminHere, kNoKeys, Role::kAdmin,
     "filter [value [filter value …]]",
     "Ends the connection from an address (ip:port), or those that match filters: ID, TYPE, USER, "
     "ADDR, LADDR, SKIPME, each with its value.",
     "O(c), c connections"},
    {Id::kClientReply, "CLIENT|REPLY", 3, kNoScript | kHere, kNoKeys, Role::kRead, "ON|OFF|SKIP",
     "Turns the replies to this connection on or off.", "O(1)"},
    {Id::kClientUnblock, "CLIENT|UNBLOCK", -3, kAdminHere, kNoKeys, Role::kAdmin,
     "client-id [TIMEOUT|ERROR]", "Ends the waiting of a blocked connection.", "O(1)"},
    {Id::kClientPause, "CLIENT|PAUSE", -3, kAdminHere, kNoKeys, Role::kAdmin, "timeout [WRITE|ALL]",
     "Holds back the commands of all connections for some milliseconds.", "O(1)"},
    {Id::kClientUnpause, "CLIENT|UNPAUSE", 2, kAdminHere, kNoKeys, Role::kAdmin, "",
     "Ends CLIENT PAUSE.", "O(1)"},
    {Id::kClientNoEvict, "CLIENT|NO-EVICT", 3, kAdminHere, kNoKeys, Role::kAdmin, "ON|OFF",
     "Accepted without effect: connections are not evicted.", "O(1)"},
    {Id::kClientNoTouch, "CLIENT|NO-TOUCH", 3, kNoScript | kHere, kNoKeys, Role::kRead, "ON|OFF",
     "Accepted without effect: reads change nothing about keys.", "O(1)"},
    {Id::kClientTracking, "CLIENT|TRACKING", -3, kNoScript | kHere, kNoKeys, Role::kRead,
     "ON|OFF [option …]", "Would turn client-side caching on; there is none here.", "O(1)"},
    {Id::kClientTrackingInfo, "CLIENT|TRACKINGINFO", 2, kNoScript | kHere, kNoKeys, Role::kRead, "",
     "Tells that client-side caching is off.", "O(1)"},
    {Id::kClientCaching, "CLIENT|CACHING", 3, kNoScript | kHere, kNoKeys, Role::kRead, "YES|NO",
     "Would choose what client-side caching tracks; there is none here.", "O(1)"},
    {Id::kClientGetRedir, "CLIENT|GETREDIR", 2, kNoScript | kHere, kNoKeys, Role::kRead, "",
     "Tells where invalidations go: nowhere.", "O(1)"},
    HelpRow(Id::kClientHelp, "CLIENT|HELP", "Explains the subcommands of CLIENT."),
};

}  // namespace

std::span<const CommandInfo> TransactionsRows() { return kTransactions; }
std::span<const CommandInfo> ConnectionRows() { return kConnectionRows; }

}  // namespace laurel::wire
