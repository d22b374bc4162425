#include "wire/command_replies.h"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "wire/command_table.h"
#include "wire/reply.h"

namespace laurel::wire {
namespace {

using Arguments = std::vector<std::string_view>;

std::string Answer(Protocol protocol, const Arguments& arguments) {
  const Lookup lookup = LookUp(arguments);
  EXPECT_NE(lookup.command, nullptr) << lookup.error;
  std::string out;
  Reply reply(&out, protocol);
  WriteCommandReply(*lookup.command, arguments, &reply);
  return out;
}

std::string Resp2(const Arguments& arguments) { return Answer(Protocol::kResp2, arguments); }
std::string Resp3(const Arguments& arguments) { return Answer(Protocol::kResp3, arguments); }

// Reads one reply and formats it in one line: aggregates as their type and brackets, strings and
// numbers unchanged. Fails the test if the bytes are no reply.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string Whole() {
    std::string text = Value();
    EXPECT_TRUE(bytes_.empty()) << "bytes behind the reply";
    return text;
  }

 private:
  std::string Line() {
    const std::size_t end = bytes_.find("\r\n");
    if (end == std::string_view::npos) {
      ADD_FAILURE() << "a line without end";
      bytes_ = {};
      return "";
    }
    std::string line(bytes_.substr(0, end));
    bytes_.remove_prefix(end + 2);
    return line;
  }

  std::string Value() {
    const std::string line = Line();
    if (line.empty()) return "";
    const char type = line[0];
    const std::string rest = line.substr(1);
    switch (type) {
      case '+':
      case '-':
      case ':':
        return line[0] == ':' ? rest : line;
      case '_':
        return "nil";
      case '$': {
        if (rest == "-1") return "nil";
        const auto size = static_cast<std::size_t>(std::stoul(rest));
        std::string text(bytes_.substr(0, size));
        bytes_.remove_prefix(size);
        EXPECT_EQ(Line(), "");
        return text;
      }
      case '*':
      case '~':
      case '%': {
        const std::size_t elements = std::stoul(rest) * (type == '%' ? 2 : 1);
        std::string text = std::string(1, type) + "[";
        for (std::size_t index = 0; index < elements; ++index) {
          text.append(index == 0 ? "" : ", ").append(Value());
        }
        return text + "]";
      }
      default:
        ADD_FAILURE() << "unknown type " << type;
        return "";
    }
  }

  std::string_view bytes_;
};

std::string Shape2(const Arguments& arguments) { return Reader(Resp2(arguments)).Whole(); }
std::string Shape3(const Arguments& arguments) { return Reader(Resp3(arguments)).Whole(); }

std::size_t Occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CommandReply, CountsCommandsWithoutSubcommands) {
  std::size_t commands = 0;
  for (const CommandInfo& row : CommandTable()) commands += IsSubcommand(row) ? 0 : 1;
  const std::string count = std::to_string(commands);
  EXPECT_EQ(Resp2({"COMMAND", "COUNT"}), ":" + count + "\r\n");
  EXPECT_TRUE(Resp2({"COMMAND"}).starts_with("*" + count + "\r\n"));
  EXPECT_TRUE(Resp3({"COMMAND", "INFO"}).starts_with("*" + count + "\r\n"));
  EXPECT_TRUE(Resp3({"COMMAND", "DOCS"}).starts_with("%" + count + "\r\n"));
  EXPECT_EQ(Resp2({"COMMAND", "INFO"}), Resp2({"COMMAND"}));
}

TEST(CommandReply, IsWellFormedInBothProtocols) {
  for (const std::string_view what : {"INFO", "DOCS", "LIST", "HELP"}) {
    for (const std::string& text : {Shape2({"COMMAND", what}), Shape3({"COMMAND", what})}) {
      EXPECT_EQ(text.find("cluster|other"), text.npos) << "it is no subcommand's name";
    }
  }
}

// The replies of Redis 7.0.15.
TEST(CommandReply, InfoHasNameArityFlagsKeysAndCategories) {
  EXPECT_EQ(Shape2({"COMMAND", "INFO", "zAdd"}),
            "*[*[zadd, -4, *[+write, +denyoom, +fast], 1, 1, 1, *[+@write, +@sortedset, +@fast], "
            "*[], *[*[flags, *[+RW, +update], begin_search, *[type, index, spec, *[index, 1]], "
            "find_keys, *[type, range, spec, *[lastkey, 0, keystep, 1, limit, 0]]]], *[]]]");
  EXPECT_EQ(Shape3({"COMMAND", "INFO", "zunionstore"}),
            "*[*[zunionstore, -4, ~[+write, +denyoom, +movablekeys], 1, 1, 1, "
            "~[+@write, +@sortedset, +@slow], ~[], ~["
            "%[flags, ~[+OW, +update], begin_search, %[type, index, spec, %[index, 1]], "
            "find_keys, %[type, range, spec, %[lastkey, 0, keystep, 1, limit, 0]]], "
            "%[flags, ~[+RO, +access], begin_search, %[type, index, spec, %[index, 2]], "
            "find_keys, %[type, keynum, spec, %[keynumidx, 0, firstkey, 1, keystep, 1]]]], ~[]]]");
}

TEST(CommandReply, InfoHasOneKeySpecForEachOfTwoKeys) {
  EXPECT_EQ(Shape3({"COMMAND", "INFO", "renamenx"}),
            "*[*[renamenx, 3, ~[+write, +fast], 1, 2, 1, ~[+@keyspace, +@write, +@fast], ~[], ~["
            "%[flags, ~[+RW, +access, +delete], begin_search, %[type, index, spec, %[index, 1]], "
            "find_keys, %[type, range, spec, %[lastkey, 0, keystep, 1, limit, 0]]], "
            "%[flags, ~[+OW, +insert], begin_search, %[type, index, spec, %[index, 2]], "
            "find_keys, %[type, range, spec, %[lastkey, 0, keystep, 1, limit, 0]]]], ~[]]]");
}

TEST(CommandReply, InfoListsTheSubcommandsOfAContainer) {
  EXPECT_EQ(Shape2({"COMMAND", "INFO", "acl"}),
            "*[*[acl, -2, *[], 0, 0, 0, *[+@slow], *[], *[], *["
            "*[acl|whoami, 2, *[+noscript, +loading, +stale], 0, 0, 0, *[+@slow], *[], *[], *[]], "
            "*[acl|help, 2, *[+loading, +stale], 0, 0, 0, *[+@slow], *[], *[], *[]]]]]");
}

TEST(CommandReply, InfoAnswersNilForUnknownNames) {
  EXPECT_EQ(Resp2({"COMMAND", "INFO", "nope"}), "*1\r\n$-1\r\n");
  EXPECT_EQ(Shape3({"COMMAND", "INFO", "nope", "client|nope", "get|x", "get|", "cluster|nodes"}),
            "*[nil, nil, nil, nil, nil]");
  EXPECT_TRUE(Shape2({"COMMAND", "INFO", "Client|SetName"}).starts_with("*[*[client|setname, 3, "));
}

TEST(CommandReply, DocsHaveSyntaxAndComplexity) {
  EXPECT_EQ(Shape3({"COMMAND", "DOCS", "nope", "lb.top"}),
            "%[lb.top, %[summary, Lists the n best entries., since, 0.1.0, group, leaderboard, "
            "complexity, O(log n + m), m entries returned, arguments, *["
            "%[name, board, type, key, key_spec_index, 0], %[name, n, type, integer], "
            "%[name, kind, type, oneof, token, KIND, flags, ~[+optional], arguments, *["
            "%[name, ordinal, type, pure-token, token, ordinal], "
            "%[name, competition, type, pure-token, token, competition], "
            "%[name, dense, type, pure-token, token, dense]]], "
            "%[name, period, type, string, token, PERIOD, flags, ~[+optional]], "
            "%[name, withmeta, type, pure-token, token, WITHMETA, flags, ~[+optional]]]]]");
  EXPECT_EQ(Resp2({"COMMAND", "DOCS", "nope"}), "*0\r\n");
}

TEST(CommandReply, DocsOfAContainerIncludeItsSubcommands) {
  EXPECT_EQ(Shape2({"COMMAND", "DOCS", "acl"}),
            "*[acl, *[summary, Tells about access., since, 0.1.0, group, server, complexity, "
            "depends on the subcommand, subcommands, *["
            "acl|whoami, *[summary, Names the user of this connection., since, 0.1.0, group, "
            "server, complexity, O(1)], "
            "acl|help, *[summary, Explains the subcommands of ACL., since, 0.1.0, group, server, "
            "complexity, O(1)]]]]");
}

TEST(CommandReply, NumberOfNamesIsLimited) {
  Arguments request(2 + kMaxCommandNames, "ping");
  request[0] = "COMMAND";
  for (const std::string_view what : {"INFO", "DOCS"}) {
    request[1] = what;
    request.resize(2 + kMaxCommandNames);
    EXPECT_EQ(Occurrences(Resp2(request), "$4\r\nping\r\n"), kMaxCommandNames);
    request.push_back("ping");
    EXPECT_EQ(Resp2(request), "-LIMIT at most 1000 names at once\r\n");
  }
}

TEST(CommandReply, ListAppliesFilters) {
  const std::string all = Shape2({"COMMAND", "LIST"});
  EXPECT_TRUE(all.starts_with("*[zadd, zincrby, "));
  EXPECT_NE(all.find(", client|setname, "), all.npos);
  EXPECT_EQ(Shape3({"COMMAND", "LIST", "filterby", "pattern", "OBJ*"}),
            "*[object, object|encoding, object|freq, object|idletime, object|refcount, "
            "object|help]");
  EXPECT_EQ(Shape2({"COMMAND", "LIST", "FILTERBY", "ACLCAT", "Transaction"}),
            "*[multi, exec, discard, watch, unwatch]");
  EXPECT_EQ(Shape2({"COMMAND", "LIST", "FILTERBY", "ACLCAT", "nope"}), "*[]");
  EXPECT_EQ(Shape2({"COMMAND", "LIST", "FILTERBY", "MODULE", "search"}), "*[]");
}

TEST(CommandReply, ListRefusesInvalidFilters) {
  for (const Arguments& request :
       {Arguments{"COMMAND", "LIST", "x"}, Arguments{"COMMAND", "LIST", "FILTERBY"},
        Arguments{"COMMAND", "LIST", "FILTERBY", "MODULE"},
        Arguments{"COMMAND", "LIST", "FILTERBY", "NOPE", "x"},
        Arguments{"COMMAND", "LIST", "NOPE", "MODULE", "x"},
        Arguments{"COMMAND", "LIST", "FILTERBY", "MODULE", "x", "y"}}) {
    EXPECT_EQ(Resp2(request), "-ERR syntax error\r\n");
  }
}

TEST(CommandReply, GetKeysListsTheKeysOfARequest) {
  EXPECT_EQ(Shape2({"COMMAND", "GETKEYS", "ZUNIONSTORE", "d", "2", "a", "b"}), "*[d, a, b]");
  EXPECT_EQ(Shape3({"COMMAND", "GETKEYS", "lb.submit", "lb", "ann", "5"}), "*[lb]");
  EXPECT_EQ(Shape2({"COMMAND", "GETKEYS", "object", "encoding", "k"}), "*[k]");
  EXPECT_EQ(Shape2({"COMMAND", "GETKEYS", "eval", "x", "0"}), "*[]");
  EXPECT_EQ(Shape2({"COMMAND", "GETKEYS", "eval", "x", "2", "k"}), "*[]");
}

TEST(CommandReply, GetKeysRefusesAsRedisDoes) {
  EXPECT_EQ(Resp2({"COMMAND", "GETKEYS", "foo", "a"}), "-ERR Invalid command specified\r\n");
  EXPECT_EQ(Resp2({"COMMAND", "GETKEYS", "object", "nope", "a"}),
            "-ERR Invalid command specified\r\n");
  EXPECT_EQ(Resp2({"COMMAND", "GETKEYS", "ping", "a"}),
            "-ERR The command has no key arguments\r\n");
  EXPECT_EQ(Resp2({"COMMAND", "GETKEYS", "get", "a", "b"}),
            "-ERR Invalid number of arguments specified for command\r\n");
  EXPECT_EQ(Resp2({"COMMAND", "GETKEYS", "zunion", "2", "a"}),
            "-ERR Invalid arguments specified for command\r\n");
}

TEST(Help, HasTwoLinesForEachSubcommandOfEveryContainer) {
  for (const CommandInfo& row : CommandTable()) {
    if (!row.Has(kContainer)) continue;
    std::string out;
    Reply reply(&out, Protocol::kResp3);
    WriteHelp(row, &reply);
    const std::string text = Reader(out).Whole();
    EXPECT_TRUE(text.starts_with("*[+" + std::string(row.name) + " <subcommand> ")) << row.name;
    for (const CommandInfo& subcommand : SubcommandsOf(row)) {
      if (subcommand.id == CommandId::kClusterOther) continue;
      const std::string word(subcommand.name.substr(row.name.size() + 1));
      EXPECT_NE(text.find(", +" + word), text.npos) << subcommand.name;
      EXPECT_NE(text.find(", +    " + std::string(subcommand.summary)), text.npos)
          << subcommand.name;
    }
  }
  const std::string help = Shape2({"COMMAND", "HELP"});
  EXPECT_NE(help.find(", +(no subcommand), +    Describes every command"), help.npos);
}

}  // namespace
}  // namespace laurel::wire
