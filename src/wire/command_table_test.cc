#include "wire/command_table.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "wire/command_syntax.h"

namespace laurel::wire {
namespace {

using namespace std::string_view_literals;

using Arguments = std::vector<std::string_view>;

// Rows --------------------------------------------------------------------------------------------

TEST(CommandTable, HasEveryIdOnceAndInOrder) {
  ASSERT_EQ(CommandTable().size(), kCommandIds);
  for (std::size_t index = 0; index < kCommandIds; ++index) {
    EXPECT_EQ(static_cast<std::size_t>(CommandTable()[index].id), index);
    EXPECT_EQ(&CommandOf(static_cast<CommandId>(index)), &CommandTable()[index]);
  }
}

TEST(CommandTable, NamesAreUniqueAndInCapitals) {
  std::set<std::string_view> names;
  for (const CommandInfo& row : CommandTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(row.name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ._-|"), row.name.npos)
        << row.name;
  }
}

TEST(CommandTable, EveryRowHasASummaryAndAComplexity) {
  for (const CommandInfo& row : CommandTable()) {
    EXPECT_TRUE(row.summary.ends_with('.')) << row.name;
    EXPECT_EQ(row.summary.find('\n'), row.summary.npos) << row.name;
    EXPECT_FALSE(row.complexity.empty()) << row.name;
  }
}

TEST(CommandTable, SubcommandsFollowTheirContainer) {
  const CommandInfo* container = nullptr;
  for (const CommandInfo& row : CommandTable()) {
    if (!IsSubcommand(row)) {
      container = row.Has(kContainer) ? &row : nullptr;
      EXPECT_EQ(SubcommandsOf(row).empty(), container == nullptr) << row.name;
      continue;
    }
    ASSERT_NE(container, nullptr) << row.name;
    EXPECT_TRUE(row.name.starts_with(std::string(container->name) + "|")) << row.name;
    EXPECT_EQ(row.group, container->group) << row.name;
    EXPECT_FALSE(row.Has(kContainer)) << row.name;
    EXPECT_GE(row.arity < 0 ? -row.arity : row.arity, 2) << row.name;
  }
}

TEST(CommandTable, ArityAgreesWithTheSyntax) {
  for (const CommandInfo& row : CommandTable()) {
    if (row.id == CommandId::kQuit) continue;  // takes further arguments and ignores them
    SyntaxCount count = CountOf(ParseSyntax(row.syntax));
    count.least += IsSubcommand(row) ? 2 : 1;
    const int least = static_cast<int>(count.least);
    EXPECT_EQ(row.arity, count.open ? -least : least) << row.name << " " << row.syntax;
  }
}

TEST(CommandTable, KeysLieWithinTheRequiredArguments) {
  for (const CommandInfo& row : CommandTable()) {
    const KeySpec& keys = row.keys;
    const int least = row.arity < 0 ? -row.arity : row.arity;
    EXPECT_EQ(keys.first > 0, keys.step > 0) << row.name;
    if (keys.first > 0) {
      EXPECT_LT(keys.first, least) << row.name;
      EXPECT_LT(keys.last, least) << row.name;
      if (keys.last < 0) {
        EXPECT_LT(row.arity, 0) << row.name;
      }
    }
    EXPECT_LT(keys.numkeys, least) << row.name;
    EXPECT_EQ(row.Has(kMovableKeys), keys.numkeys > 0) << row.name;
  }
}

TEST(CommandTable, FlagsAreConsistent) {
  for (const CommandInfo& row : CommandTable()) {
    EXPECT_FALSE(row.Has(kWrite) && row.Has(kReadOnly)) << row.name;
    if (row.Has(kDenyOom)) {
      EXPECT_TRUE(row.Has(kWrite)) << row.name;
    }
    if (row.Has(kBlocking)) {
      EXPECT_FALSE(row.Has(kLocal)) << row.name;
    }
    if (row.Has(kNoMandatoryKeys)) {
      EXPECT_GT(row.keys.numkeys, 0) << row.name;
    }
    EXPECT_EQ(row.Has(kNoAuth), row.role == Role::kNone) << row.name;
  }
}

// With too low a role a client could change boards without permission.
TEST(CommandTable, WritesRequireAWritingRole) {
  for (const CommandInfo& row : CommandTable()) {
    if (row.Has(kWrite)) {
      EXPECT_GE(row.role, Role::kSubmit) << row.name;
    }
    if (row.role == Role::kSubmit) {
      EXPECT_TRUE(row.id == CommandId::kLbSubmit || row.id == CommandId::kLbMSubmit) << row.name;
    }
    if (row.role == Role::kWrite) {
      EXPECT_TRUE(row.Has(kWrite)) << row.name;
    }
    if (row.Has(kWrite) && row.group == Group::kKeys) {
      EXPECT_EQ(row.role, Role::kAdmin) << row.name;
    }
    if (row.Has(kReadOnly)) {
      const bool shows_hidden_members = row.id == CommandId::kLbWalk;
      EXPECT_EQ(row.role, shows_hidden_members ? Role::kAdmin : Role::kRead) << row.name;
    }
  }
}

// With kDenyOom a removal would be refused when memory runs out.
TEST(CommandTable, RemovalsAreNeverRefusedForLackOfMemory) {
  for (const std::string_view name :
       {"ZREM",    "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE", "ZREMRANGEBYLEX", "ZPOPMIN",
        "ZPOPMAX", "ZMPOP",           "BZPOPMIN",         "BZPOPMAX",       "BZMPOP",
        "DEL",     "UNLINK",          "FLUSHALL",         "FLUSHDB",        "LB.REMOVE",
        "LB.POP",  "LB.TRIM",         "LB.CLEAR",         "LB.DROP",        "LB.HIDE"}) {
    EXPECT_FALSE(FindCommand(name)->Has(kDenyOom)) << name;
  }
  for (const std::string_view name :
       {"ZADD", "ZINCRBY", "ZRANGESTORE", "ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE", "COPY",
        "LB.SUBMIT", "LB.SET", "LB.INCR", "LB.MSUBMIT", "LB.META", "LB.CREATE"}) {
    EXPECT_TRUE(FindCommand(name)->Has(kDenyOom)) << name;
  }
}

TEST(CommandTable, CommandsThatAccessBoardsAreNotLocal) {
  for (const CommandInfo& row : CommandTable()) {
    if (row.group == Group::kSortedSet || row.group == Group::kLeaderboard) {
      EXPECT_FALSE(row.Has(kLocal)) << row.name;
    }
    // Scripts name keys, but are refused before any key is accessed.
    if (row.keys.first > 0 && !row.Has(kNoMandatoryKeys)) {
      EXPECT_FALSE(row.Has(kLocal)) << row.name;
    }
  }
  for (const std::string_view name : {"DBSIZE", "FLUSHALL", "SAVE", "EXEC", "WATCH"}) {
    EXPECT_FALSE(FindCommand(name)->Has(kLocal)) << name;
  }
  for (const std::string_view name :
       {"PING", "MULTI", "AUTH", "CLIENT", "CONFIG", "EVAL", "INFO"}) {
    EXPECT_TRUE(FindCommand(name)->Has(kLocal)) << name;
  }
}

// Lookup ------------------------------------------------------------------------------------------

std::string WithCase(std::string_view name, bool (*capital)(std::size_t index)) {
  std::string text(name);
  for (std::size_t index = 0; index < text.size(); ++index) {
    char& c = text[index];
    if (c >= 'A' && c <= 'Z' && !capital(index)) c = static_cast<char>(c | 0x20);
  }
  return text;
}

TEST(FindCommand, FindsEveryNameInAnyCase) {
  for (const CommandInfo& row : CommandTable()) {
    if (IsSubcommand(row)) continue;
    EXPECT_EQ(FindCommand(row.name), &row);
    EXPECT_EQ(FindCommand(WithCase(row.name, [](std::size_t) { return false; })), &row);
    EXPECT_EQ(FindCommand(WithCase(row.name, [](std::size_t index) { return index % 2 == 0; })),
              &row);
    EXPECT_EQ(FindCommand(WithCase(row.name, [](std::size_t index) { return index % 3 == 0; })),
              &row);
  }
}

TEST(FindCommand, DoesNotFindANameWithOneBitChanged) {
  for (const CommandInfo& row : CommandTable()) {
    if (IsSubcommand(row)) continue;
    for (std::size_t at = 0; at < row.name.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string name(row.name);
        name[at] = static_cast<char>(name[at] ^ 1 << bit);
        const bool letter = row.name[at] >= 'A' && row.name[at] <= 'Z';
        const CommandInfo* found = FindCommand(name);
        if (letter && bit == 5) {
          EXPECT_EQ(found, &row) << name;  // the other case
        } else {
          EXPECT_NE(found, &row) << row.name << " " << at << " " << bit;
        }
      }
    }
  }
}

TEST(FindCommand, DoesNotFindUnknownNames) {
  EXPECT_EQ(FindCommand(""), nullptr);
  EXPECT_EQ(FindCommand("ZAD"), nullptr);
  EXPECT_EQ(FindCommand("ZADDD"), nullptr);
  EXPECT_EQ(FindCommand("ZADD "), nullptr);
  EXPECT_EQ(FindCommand("ZADD\0"sv), nullptr);
  EXPECT_EQ(FindCommand("CLIENT|SETNAME"), nullptr);
  EXPECT_EQ(FindCommand(std::string(24, 'Z')), nullptr);
  EXPECT_EQ(FindCommand(std::string(25, 'Z')), nullptr);
  EXPECT_EQ(FindCommand(std::string(100000, '\xff')), nullptr);
}

TEST(FindSubcommand, FindsEveryNameInAnyCase) {
  for (const CommandInfo& row : CommandTable()) {
    for (const CommandInfo& subcommand : SubcommandsOf(row)) {
      const std::string_view name = subcommand.name.substr(row.name.size() + 1);
      EXPECT_EQ(FindSubcommand(row, name), &subcommand);
      EXPECT_EQ(FindSubcommand(row, WithCase(name, [](std::size_t) { return false; })),
                &subcommand);
    }
  }
  const CommandInfo& client = CommandOf(CommandId::kClient);
  EXPECT_EQ(FindSubcommand(client, ""), nullptr);
  EXPECT_EQ(FindSubcommand(client, "SETNAM"), nullptr);
  EXPECT_EQ(FindSubcommand(client, "SETNAMES"), nullptr);
  EXPECT_EQ(FindSubcommand(client, "CLIENT|SETNAME"), nullptr);
}

TEST(FindSubcommand, ClusterAcceptsAnySubcommand) {
  const CommandInfo& cluster = CommandOf(CommandId::kCluster);
  EXPECT_EQ(FindSubcommand(cluster, "info")->id, CommandId::kClusterInfo);
  EXPECT_EQ(FindSubcommand(cluster, "nodes")->id, CommandId::kClusterOther);
  EXPECT_EQ(FindSubcommand(cluster, "")->id, CommandId::kClusterOther);
}

CommandId Found(const Arguments& arguments) {
  const Lookup lookup = LookUp(arguments);
  EXPECT_EQ(lookup.error, "");
  return lookup.command == nullptr ? CommandId::kEnd : lookup.command->id;
}

std::string Refused(const Arguments& arguments) {
  const Lookup lookup = LookUp(arguments);
  EXPECT_EQ(lookup.command, nullptr);
  return lookup.error;
}

TEST(LookUp, FindsTheRowOfTheCommandThatRuns) {
  EXPECT_EQ(Found({"zadd", "k", "1", "m"}), CommandId::kZAdd);
  EXPECT_EQ(Found({"ZADD", "k", "1", "m", "2", "n"}), CommandId::kZAdd);
  EXPECT_EQ(Found({"Client", "SetName", "x"}), CommandId::kClientSetName);
  EXPECT_EQ(Found({"command"}), CommandId::kCommand);
  EXPECT_EQ(Found({"command", "count"}), CommandId::kCommandCount);
  EXPECT_EQ(Found({"debug", "sleep", "1"}), CommandId::kDebug);
  EXPECT_EQ(Found({"lb.template", "list"}), CommandId::kLbTemplateList);
  EXPECT_EQ(Found({"cluster", "slots"}), CommandId::kClusterOther);
}

// The texts of Redis 7.0.15, byte for byte.
TEST(LookUp, RefusesAnUnknownCommandWithAPreviewOfItsArguments) {
  EXPECT_EQ(Refused({"foo"}), "ERR unknown command 'foo', with args beginning with: ");
  EXPECT_EQ(Refused({"foo", "a", "b"}),
            "ERR unknown command 'foo', with args beginning with: 'a' 'b' ");
  EXPECT_EQ(Refused({"", ""}), "ERR unknown command '', with args beginning with: '' ");
  EXPECT_EQ(Refused({"client|setname", "x"}),
            "ERR unknown command 'client|setname', with args beginning with: 'x' ");
}

TEST(LookUp, TruncatesThePreviewAfter128Bytes) {
  const std::string start = "ERR unknown command 'foo', with args beginning with: ";
  const std::string f200(200, 'f');
  const std::string a200(200, 'a');
  const std::string a124(124, 'a');
  const std::string a125(125, 'a');
  EXPECT_EQ(Refused({f200, "a"}),
            "ERR unknown command '" + f200.substr(0, 128) + "', with args beginning with: 'a' ");
  EXPECT_EQ(Refused({"foo", a200, "b"}), start + "'" + a200.substr(0, 128) + "' ");
  EXPECT_EQ(Refused({"foo", a124, "bcd"}), start + "'" + a124 + "' 'b' ");
  EXPECT_EQ(Refused({"foo", a125, "bcd"}), start + "'" + a125 + "' ");
}

TEST(LookUp, QuotesArgumentsUpToAZeroByte) {
  EXPECT_EQ(Refused({"f\0oo"sv, "\0zz"sv, "q'\\\xff"}),
            "ERR unknown command 'f', with args beginning with: '' 'q'\\\xff' ");
}

TEST(LookUp, RefusesAnUnknownSubcommand) {
  EXPECT_EQ(Refused({"client", "NoPe"}), "ERR unknown subcommand 'NoPe'. Try CLIENT HELP.");
  EXPECT_EQ(Refused({"OBJECT", "nope", "x"}), "ERR unknown subcommand 'nope'. Try OBJECT HELP.");
  EXPECT_EQ(Refused({"client", "no\0x"sv}), "ERR unknown subcommand 'no'. Try CLIENT HELP.");
  const std::string n200(200, 'n');
  EXPECT_EQ(Refused({"acl", n200}),
            "ERR unknown subcommand '" + n200.substr(0, 128) + "'. Try ACL HELP.");
  EXPECT_EQ(Refused({"LB.TEMPLATE", "nope"}),
            "ERR unknown subcommand 'nope'. LB.TEMPLATE takes SET DEL LIST.");
}

TEST(LookUp, RefusesAWrongNumberOfArguments) {
  EXPECT_EQ(Refused({"GeT"}), "ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(Refused({"get", "a", "b"}), "ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(Refused({"client"}), "ERR wrong number of arguments for 'client' command");
  EXPECT_EQ(Refused({"CLIENT", "SETNAME"}),
            "ERR wrong number of arguments for 'client|setname' command");
}

TEST(LookUp, AWrongNumberOfArgumentsForAnLbCommandShowsItsUsage) {
  EXPECT_EQ(Refused({"lb.top", "lb"}),
            "ERR wrong number of arguments for 'lb.top' command: LB.TOP board n [KIND "
            "ordinal|competition|dense] [PERIOD period] [WITHMETA]");
  EXPECT_EQ(Refused({"LB.TEMPLATE"}),
            "ERR wrong number of arguments for 'lb.template' command: LB.TEMPLATE SET|DEL|LIST "
            "[argument …]");
  EXPECT_EQ(Refused({"LB.TEMPLATE", "DEL"}),
            "ERR wrong number of arguments for 'lb.template|del' command: LB.TEMPLATE DEL pattern");
  EXPECT_EQ(Refused({"lb.msubmit", "lb", "ann", "10"}),
            "ERR say how many follow: lb.msubmit lb n ann 10");
  for (const CommandInfo& row : CommandTable()) {
    if (!row.name.starts_with("LB.")) continue;
    EXPECT_EQ(WrongArity(row, {}), "ERR wrong number of arguments for '" + LowerName(row) +
                                       "' command: " + UsageOf(row));
  }
}

TEST(LookUp, SuggestsAnLbCommandForAnUnknownOne) {
  const std::vector<std::pair<std::string_view, std::string_view>> meant = {
      {"LB.RANK", "LB.GET"},      {"lb.add", "LB.INCR or LB.SUBMIT"},
      {"LB.REM", "LB.REMOVE"},    {"LB.DELETE", "LB.DROP or LB.REMOVE"},
      {"LB.TOPS", "LB.TOP"},      {"lb.sumbit", "LB.SUBMIT"},
      {"LB.RANKFO", "LB.RANKOF"}, {"LB.CREAT", "LB.CREATE"}};
  for (const auto& [name, command] : meant) {
    EXPECT_EQ(Refused({name, "lb"}), "ERR unknown command '" + std::string(name) +
                                         "'; did you mean " + std::string(command) + "?");
  }
  EXPECT_EQ(Refused({"LB.FROBNICATE", "lb"}),
            "ERR unknown command 'LB.FROBNICATE', with args beginning with: 'lb' ");
  EXPECT_EQ(Refused({"LB.", "lb"}), "ERR unknown command 'LB.', with args beginning with: 'lb' ");
}

// A client of Redis may look for its exact text.
TEST(LookUp, AnUnknownCommandOfRedisKeepsTheTextOfRedis) {
  EXPECT_EQ(Refused({"SUBSCRIBE", "c"}),
            "ERR unknown command 'SUBSCRIBE', with args beginning with: 'c' ");
  EXPECT_EQ(Refused({"ZADDD", "k"}), "ERR unknown command 'ZADDD', with args beginning with: 'k' ");
}

TEST(LookUp, EnforcesTheArityOfEveryRow) {
  for (const CommandInfo& row : CommandTable()) {
    if (row.Has(kContainer) || row.id == CommandId::kClusterOther) continue;
    const std::size_t bar = row.name.find('|');
    Arguments request = {row.name.substr(0, bar)};
    if (bar != row.name.npos) request.push_back(row.name.substr(bar + 1));
    const std::size_t words = request.size();
    for (std::size_t count = words; count < 12; ++count) {
      request.resize(count, "1");
      const bool fits = row.arity < 0 ? static_cast<int>(count) >= -row.arity
                                      : static_cast<int>(count) == row.arity;
      EXPECT_EQ(LookUp(request).command, fits ? &row : nullptr) << row.name << " " << count;
    }
  }
}

// Keys --------------------------------------------------------------------------------------------

struct Keys {
  bool well_formed = false;
  Arguments keys;

  bool operator==(const Keys&) const = default;
};

Keys KeysIn(const Arguments& arguments) {
  Keys found;
  found.keys = {"left from before"};
  found.well_formed = KeysOf(*LookUp(arguments).command, arguments, &found.keys);
  return found;
}

TEST(KeysOf, NoKeys) {
  EXPECT_EQ(KeysIn({"PING"}), (Keys{true, {}}));
  EXPECT_EQ(KeysIn({"KEYS", "*"}), (Keys{true, {}}));
  EXPECT_EQ(KeysIn({"LB.TEMPLATE", "SET", "rank:*"}), (Keys{true, {}}));
}

TEST(KeysOf, KeysAtFixedPositions) {
  EXPECT_EQ(KeysIn({"ZADD", "k", "1", "m", "2", "n"}), (Keys{true, {"k"}}));
  EXPECT_EQ(KeysIn({"LB.SUBMIT", "lb", "ann", "1"}), (Keys{true, {"lb"}}));
  EXPECT_EQ(KeysIn({"RENAME", "a", "b"}), (Keys{true, {"a", "b"}}));
  EXPECT_EQ(KeysIn({"ZRANGESTORE", "a", "b", "0", "-1", "REV"}), (Keys{true, {"a", "b"}}));
  EXPECT_EQ(KeysIn({"OBJECT", "ENCODING", "k"}), (Keys{true, {"k"}}));
  EXPECT_EQ(KeysIn({"MEMORY", "USAGE", "k", "SAMPLES", "5"}), (Keys{true, {"k"}}));
}

TEST(KeysOf, LastKeyCountedFromTheEnd) {
  EXPECT_EQ(KeysIn({"DEL", "a"}), (Keys{true, {"a"}}));
  EXPECT_EQ(KeysIn({"DEL", "a", "b", "a"}), (Keys{true, {"a", "b", "a"}}));
  EXPECT_EQ(KeysIn({"BZPOPMIN", "a", "0"}), (Keys{true, {"a"}}));
  EXPECT_EQ(KeysIn({"BZPOPMAX", "a", "b", "0"}), (Keys{true, {"a", "b"}}));
}

TEST(KeysOf, CountedKeys) {
  EXPECT_EQ(KeysIn({"ZUNION", "2", "a", "b", "WITHSCORES"}), (Keys{true, {"a", "b"}}));
  EXPECT_EQ(KeysIn({"ZMPOP", "1", "a", "MIN"}), (Keys{true, {"a"}}));
  EXPECT_EQ(KeysIn({"BZMPOP", "0", "2", "a", "b", "MIN"}), (Keys{true, {"a", "b"}}));
  EXPECT_EQ(KeysIn({"ZUNIONSTORE", "d", "2", "a", "b"}), (Keys{true, {"d", "a", "b"}}));
  EXPECT_EQ(KeysIn({"ZDIFFSTORE", "d", "1", "a"}), (Keys{true, {"d", "a"}}));
  EXPECT_EQ(KeysIn({"EVAL", "return 1", "1", "k", "x"}), (Keys{true, {"k"}}));
}

TEST(KeysOf, AnInvalidKeyCountIsMalformed) {
  for (const std::string_view count :
       {"", "a", "1a", " 1", "+1", "-1", "1.0", "0", "3", "99999999999999999999"}) {
    EXPECT_EQ(KeysIn({"ZUNION", count, "a", "b"}), (Keys{false, {}})) << count;
    EXPECT_EQ(KeysIn({"ZUNIONSTORE", "d", count, "a", "b"}), (Keys{false, {"d"}})) << count;
  }
}

TEST(KeysOf, ScriptsMayHaveNoKeys) {
  EXPECT_EQ(KeysIn({"EVAL", "return 1", "0"}), (Keys{true, {}}));
  EXPECT_EQ(KeysIn({"EVAL", "return 1", "1"}), (Keys{false, {}}));
  EXPECT_EQ(KeysIn({"FCALL", "f", "x", "k"}), (Keys{false, {}}));
}

TEST(RoleName, NamesEachRole) {
  EXPECT_EQ(RoleName(Role::kNone), "none");
  EXPECT_EQ(RoleName(Role::kRead), "read");
  EXPECT_EQ(RoleName(Role::kSubmit), "submit");
  EXPECT_EQ(RoleName(Role::kWrite), "write");
  EXPECT_EQ(RoleName(Role::kAdmin), "admin");
}

TEST(LowerName, IsTheNameInLowerCase) {
  EXPECT_EQ(LowerName(CommandOf(CommandId::kClientNoEvict)), "client|no-evict");
  EXPECT_EQ(LowerName(CommandOf(CommandId::kEvalShaRo)), "evalsha_ro");
}

}  // namespace
}  // namespace laurel::wire
