#include "server/logs/audited_write.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace laurel::server {
namespace {

using Words = std::vector<std::string_view>;

std::optional<AuditedWrite> Audited(const Words& words) {
  const wire::Lookup found = wire::LookUp(words);
  EXPECT_NE(found.command, nullptr) << found.error;
  return found.command == nullptr ? std::nullopt : AuditedWriteOf(*found.command, words);
}

TEST(AuditedWrite, NamesBoardsAndMembers) {
  const auto write = [](std::string command, std::vector<std::string> boards, std::string member,
                        std::size_t members) {
    const std::size_t count = boards.size();
    return AuditedWrite{
        std::move(command), std::move(boards), count, std::move(member), members, "", ""};
  };
  EXPECT_EQ(Audited({"lb.set", "lb", "ann", "1"}), write("lb.set", {"lb"}, "ann", 1));
  EXPECT_EQ(Audited({"LB.INCR", "lb", "ann", "1"}), write("lb.incr", {"lb"}, "ann", 1));
  EXPECT_EQ(Audited({"LB.META", "lb", "ann", "x"}), write("lb.meta", {"lb"}, "ann", 1));
  EXPECT_EQ(Audited({"LB.REMOVE", "lb", "ann", "bob"}), write("lb.remove", {"lb"}, "ann", 2));
  EXPECT_EQ(Audited({"LB.HIDE", "lb", "ann"}), write("lb.hide", {"lb"}, "ann", 1));
  EXPECT_EQ(Audited({"ZREM", "z", "a", "b", "c"}), write("zrem", {"z"}, "a", 3));
  EXPECT_EQ(Audited({"ZINCRBY", "z", "5", "a"}), write("zincrby", {"z"}, "a", 1));
  EXPECT_EQ(Audited({"ZADD", "z", "1", "a"}), write("zadd", {"z"}, "a", 1));
  EXPECT_EQ(Audited({"ZADD", "z", "nx", "CH", "1", "NX", "2", "b"}), write("zadd", {"z"}, "NX", 2));
  EXPECT_EQ(Audited({"ZADD", "z", "NX", "XX", "CH"}), write("zadd", {"z"}, "", 0));
  EXPECT_EQ(Audited({"LB.CLEAR", "lb"}), write("lb.clear", {"lb"}, "", 0));
  EXPECT_EQ(Audited({"DEL", "a", "b"}), write("del", {"a", "b"}, "", 0));
  EXPECT_EQ(Audited({"RENAME", "a", "b"}), write("rename", {"a", "b"}, "", 0));
  EXPECT_EQ(Audited({"ZUNIONSTORE", "to", "2", "a", "b"}),
            write("zunionstore", {"to", "a", "b"}, "", 0));
  EXPECT_EQ(Audited({"FLUSHALL"}), write("flushall", {}, "", 0));
  EXPECT_EQ(Audited({"CONFIG", "SET", "save", "secret"}), write("config|set", {}, "", 0));
}

TEST(AuditedWrite, NamesThePatternOfATemplate) {
  EXPECT_EQ(Audited({"LB.TEMPLATE", "SET", "rank:*", "CAP", "3"})->pattern, "rank:*");
  EXPECT_EQ(Audited({"LB.TEMPLATE", "DEL", "rank:*"})->pattern, "rank:*");
}

TEST(AuditedWrite, ALoadHasOneAtItsCommit) {
  EXPECT_EQ(Audited({"LB.LOAD", "lb", "BEGIN", "1"}), std::nullopt);
  EXPECT_EQ(Audited({"LB.LOAD", "lb", "CHUNK", "1", "1", "x"}), std::nullopt);
  EXPECT_EQ(Audited({"LB.LOAD", "lb", "COMMIT", "1"})->boards, std::vector<std::string>{"lb"});
}

TEST(AuditedWrite, ReadsAndSubmitsHaveNone) {
  EXPECT_EQ(Audited({"LB.TOP", "lb", "10"}), std::nullopt);
  EXPECT_EQ(Audited({"ZSCORE", "z", "a"}), std::nullopt);
  EXPECT_EQ(Audited({"CONFIG", "GET", "*"}), std::nullopt);
  EXPECT_EQ(Audited({"SAVE"}), std::nullopt);
  EXPECT_EQ(Audited({"LB.SUBMIT", "lb", "ann", "1"}), std::nullopt);
  EXPECT_EQ(Audited({"LB.SUBMIT", "lb", "ann", "1", "2", "NX", "ID", "AT", "META", "AT"}),
            std::nullopt);
  EXPECT_EQ(Audited({"LB.MSUBMIT", "lb", "1", "ann", "1", "ID", "x"}), std::nullopt);
  EXPECT_EQ(Audited({"LB.MSUBMIT", "lb", "1", "AT", "1"}), std::nullopt);
  EXPECT_EQ(Audited({"LB.MSUBMIT", "lb", "2", "ann", "1", "AT", "1"}), std::nullopt);
  EXPECT_EQ(Audited({"LB.MSUBMIT", "lb", "x", "ann", "1", "AT", "1"}), std::nullopt);
}

TEST(AuditedWrite, SubmitsWithATimeHaveOne) {
  EXPECT_TRUE(Audited({"LB.SUBMIT", "lb", "ann", "1", "at", "0"}));
  EXPECT_TRUE(Audited({"LB.SUBMIT", "lb", "AT", "1", "2", "NX", "ID", "AT", "AT", "0"}));
  const auto many =
      Audited({"LB.MSUBMIT", "lb", "2", "ann", "1", "2", "bob", "3", "4", "AT", "0", "ID", "x"});
  ASSERT_TRUE(many);
  EXPECT_EQ(many->member, "ann");
  EXPECT_EQ(many->member_count, 2U);
  EXPECT_EQ(many->id, "x");
  EXPECT_TRUE(Audited({"LB.MSUBMIT", "lb", "1", "AT", "1", "AT", "0"}));
}

TEST(AuditedWrite, HasTheRequestId) {
  EXPECT_EQ(Audited({"LB.SET", "lb", "ann", "1", "2", "META", "ID", "id", "7f"})->id, "7f");
  EXPECT_EQ(Audited({"LB.SET", "lb", "ann", "1", "META", "x"})->id, "");
}

TEST(AuditedWrite, LongNamesAndListsAreCutOff) {
  const std::string name(kMaxAuditedBytes, 'n');
  const std::string longer = name + "n";
  EXPECT_EQ(Audited({"ZREM", "z", name})->member, name);
  EXPECT_EQ(Audited({"ZREM", "z", longer})->member, name);
  const std::string wide = name.substr(1) + "\xc3\xbc";  // the cut would split the last letter
  EXPECT_EQ(Audited({"ZREM", "z", wide})->member, name.substr(1));
  const std::vector<std::string> keys(kMaxAuditedBoards + 1, "key");
  Words words = {"DEL"};
  words.insert(words.end(), keys.begin(), keys.end());
  EXPECT_EQ(Audited(words)->boards.size(), kMaxAuditedBoards);
  EXPECT_EQ(Audited(words)->board_count, kMaxAuditedBoards + 1);
}

TEST(AuditedWrite, EveryCommandOfTheRoleWriteAndEveryWriteOfTheRoleAdminHasOne) {
  for (const wire::CommandInfo& command : wire::CommandTable()) {
    if (command.Has(wire::kContainer)) continue;
    const std::string name(command.name.substr(0, command.name.find('|')));
    const std::size_t least = static_cast<std::size_t>(std::abs(command.arity));
    Words words(std::max<std::size_t>(least, 2), "1");
    words[0] = name;
    if (command.id == wire::CommandId::kLbLoad) words[2] = "COMMIT";
    const bool expected = command.role == wire::Role::kWrite ||
                          (command.role == wire::Role::kAdmin && command.Has(wire::kWrite));
    const std::set<std::string_view> others = {"CONFIG|SET", "CLIENT|KILL", "SHUTDOWN"};
    EXPECT_EQ(AuditedWriteOf(command, words).has_value(), expected || others.contains(command.name))
        << command.name;
  }
}

}  // namespace
}  // namespace laurel::server
