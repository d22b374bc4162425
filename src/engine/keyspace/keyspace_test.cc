#include "engine/keyspace/keyspace.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/glob.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/decide.h"
#include "laurel/entry.h"
#include "leaderboard/no_answer.h"
#include "tests/support/seed.h"

namespace laurel::engine {
namespace {

constexpr Stamp kStart = 1'000'000'000;  // microseconds
constexpr std::int64_t kStartMs = kStart / 1000;

class KeyspaceTest : public testing::Test {
 protected:
  KeyspaceTest() { keys_.SetNow(kStart); }

  // Writes as the commands do: to the present board, or to a new one that is withdrawn if the write
  // changes nothing. Returns the status of the write.
  WriteStatus Put(std::string_view name, std::string_view member, std::int64_t score,
                  Write::If condition = Write::If::kAlways) {
    NamedBoard* named = keys_.Find(name);
    if (named == nullptr) named = *keys_.Create(name);
    FreshBoardGuard target(&keys_, named);
    ++stamp_;
    const Score value =
        named->is_leaderboard() ? Score{score} : Score::Double(static_cast<double>(score));
    leaderboard::Submit submit;
    submit.mode = WriteMode::kSet;
    submit.member = member;
    submit.values.score = &value;
    submit.condition = condition;
    return Execute(named, submit);
  }

  // Returns the status of the first verdict; kSkipped if there is no verdict.
  WriteStatus Execute(NamedBoard* named, const leaderboard::WriteOperation& operation) {
    struct Status : leaderboard::NoAnswer {
      void Verdicts(const leaderboard::VerdictList& list) override {
        status = list.verdicts[0].status;
      }
      WriteStatus status = WriteStatus::kSkipped;
    } answer;
    EXPECT_TRUE(keys_.Execute(named, operation, named->name, stamp_, &answer));
    return answer.status;
  }

  void Remove(std::string_view name, std::string_view member) {
    Execute(keys_.Find(name), leaderboard::Remove{{&member, 1}, {}});
  }

  void Hide(std::string_view name, std::string_view member) {
    Execute(keys_.Find(name), leaderboard::Hide{{&member, 1}});
  }

  // The board that a read of the name sees.
  const core::Standings& BoardOf(std::string_view name) { return *keys_.ViewOf(name).standings; }

  bool Exists(std::string_view name) { return keys_.FindExisting(name) != nullptr; }
  bool IsDeclared(std::string_view name) { return keys_.Find(name) != nullptr; }
  void Declare(std::string_view name, const Spec& spec = Spec()) {
    ASSERT_TRUE(keys_.Declare(name, spec).ok());
  }
  std::size_t SizeOf(std::string_view name) { return BoardOf(name).entries().size(); }

  // Checks the counts of existing and expiring names against a full scan, and validates all boards.
  void CheckCounts() {
    std::uint64_t existing = 0;
    std::uint64_t expiring = 0;
    std::size_t all = 0;
    keys_.Scan(0, SIZE_MAX, [&](const NamedBoard& named) {
      ++all;
      existing += named.exists() ? 1 : 0;
      expiring += named.expires_at_ms != 0 ? 1 : 0;
      EXPECT_EQ(named.board.Validate(), "") << named.name;
    });
    EXPECT_EQ(keys_.existing(), existing);
    EXPECT_EQ(keys_.expiring(), expiring);
    EXPECT_EQ(keys_.boards(), all);
  }
  void TearDown() override { CheckCounts(); }

  Keyspace keys_{base::SystemMemory(), 1};
  Stamp stamp_ = kStart;
};

// Several boards ---------------------------------------------------------------------------------

class SeveralBoards : public KeyspaceTest {
 protected:
  SeveralBoards() {
    keys_.journal().Enable();
    Declare("a");
    Spec sum;
    sum.policy = Policy::kSum;
    Declare("b", sum);
    keys_.journal().Reset();
  }

  // Writes to boards a and b in one request.
  Status Submit(std::int64_t to_a, std::int64_t to_b, std::string_view id = {},
                std::uint64_t other_boards_hash = 0) {
    const Write writes[] = {{.member = "ann", .score = {to_a}}, {.member = "ann", .score = {to_b}}};
    std::vector<leaderboard::WriteOperation> operations;
    for (const Write& write : writes) {
      leaderboard::SubmitMany many;
      many.writes = {&write, 1};
      if (!id.empty()) many.id = id;
      many.other_boards_hash = other_boards_hash;
      operations.emplace_back(many);
    }
    leaderboard::NoAnswer answer;
    stamp_ += 2;
    return keys_.ExecuteAll(std::vector<Keyspace::BoardOperation>{
        {keys_.Find("a"), &operations[0], "a", stamp_, &answer},
        {keys_.Find("b"), &operations[1], "b", stamp_ + 1, &answer}});
  }
  std::int64_t ScoreOf(std::string_view name) {
    const core::Standings& standings = BoardOf(name);
    const core::Location found = standings.entries().Find(core::MemberKey("ann"));
    return found == core::kNowhere
               ? 0
               : standings.layout().ScoreOf(standings.entries().WordsAt(found))[0];
  }
};

TEST_F(SeveralBoards, AreWrittenTogetherInOneBatchOfTheLog) {
  ASSERT_TRUE(Submit(5, 7).ok());
  EXPECT_EQ(ScoreOf("a"), 5);
  EXPECT_EQ(ScoreOf("b"), 7);
  const std::vector<std::uint64_t> logged(keys_.journal().boards().begin(),
                                          keys_.journal().boards().end());
  EXPECT_EQ(logged, (std::vector<std::uint64_t>{keys_.Find("a")->id, keys_.Find("b")->id}));
}

TEST_F(SeveralBoards, ARefusalOnTheLastLeavesTheFirstAsItWas) {
  ASSERT_TRUE(Submit(5, INT64_MAX).ok());
  keys_.journal().Reset();
  const Status refused = Submit(6, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kOverflow);
  EXPECT_EQ(refused.error().message.substr(0, 4), "'b':");
  EXPECT_EQ(ScoreOf("a"), 5);
  EXPECT_TRUE(keys_.journal().empty());
}

TEST_F(SeveralBoards, ARetryChangesNothingAndAnIdKnownOnSomeBoardsOnlyIsReused) {
  ASSERT_TRUE(Submit(5, 7, "r1", 11).ok());
  ASSERT_TRUE(Submit(5, 7, "r1", 11).ok());
  EXPECT_EQ(ScoreOf("b"), 7);
  // The same writes with another `other_boards_hash` belong to another request.
  EXPECT_EQ(Submit(5, 7, "r1", 12).error().code, ErrorCode::kReused);
  const Write write{.member = "ann", .score = {5}};
  leaderboard::SubmitMany alone;
  alone.writes = {&write, 1};
  alone.id = "r2";
  Execute(keys_.Find("a"), alone);
  const std::string reused = Submit(5, 7, "r2").error().ToString();
  EXPECT_TRUE(
      reused.starts_with("REUSED id 'r2' was used for another write, on 'a' and not on 'b', at "))
      << reused;
  EXPECT_NE(reused.find("score 5"), std::string::npos) << reused;
  EXPECT_EQ(ScoreOf("b"), 7);
}

// Existence --------------------------------------------------------------------------------------

TEST_F(KeyspaceTest, ASortedSetExistsFromItsFirstEntryToItsLast) {
  EXPECT_FALSE(Exists("z"));
  Put("z", "a", 1);
  Put("z", "b", 2);
  EXPECT_TRUE(Exists("z"));
  EXPECT_EQ(keys_.existing(), 1U);
  Remove("z", "a");
  EXPECT_TRUE(Exists("z"));
  Remove("z", "b");
  EXPECT_FALSE(IsDeclared("z"));
  EXPECT_EQ(keys_.existing(), 0U);
  EXPECT_EQ(keys_.boards(), 0U);
}

TEST_F(KeyspaceTest, ADeclarationOutlivesTheEntries) {
  Declare("lb");
  EXPECT_FALSE(Exists("lb"));
  EXPECT_EQ(keys_.existing(), 0U);
  EXPECT_EQ(keys_.boards(), 1U);
  Put("lb", "a", 1);
  EXPECT_TRUE(Exists("lb"));
  Remove("lb", "a");
  EXPECT_FALSE(Exists("lb"));
  EXPECT_TRUE(IsDeclared("lb"));
  Put("lb", "a", 1);
  EXPECT_TRUE(keys_.Delete("lb"));
  EXPECT_FALSE(keys_.Delete("lb"));
  EXPECT_TRUE(IsDeclared("lb"));
  keys_.Drop(keys_.Find("lb"));
  EXPECT_FALSE(IsDeclared("lb"));
}

TEST_F(KeyspaceTest, ABoardWithOnlyHiddenEntriesDoesNotExist) {
  Declare("lb");
  Put("lb", "a", 1);
  Hide("lb", "a");
  EXPECT_FALSE(Exists("lb"));
  EXPECT_EQ(keys_.existing(), 0U);
  EXPECT_EQ(BoardOf("lb").hidden_entries(), 1U);
  EXPECT_TRUE(keys_.Delete("lb")) << "it has removed an entry";
  EXPECT_FALSE(keys_.Delete("lb"));
  EXPECT_EQ(BoardOf("lb").hidden_entries(), 0U);
  EXPECT_TRUE(BoardOf("lb").IsHidden("a")) << "a mark stays until SHOW or DROP";
}

TEST_F(KeyspaceTest, DeclaringAgainNeedsAnEqualSpec) {
  Declare("lb");
  Put("lb", "a", 1);
  Declare("lb");
  EXPECT_TRUE(Exists("lb"));
  Spec other;
  other.tie = Tie::kLast;
  EXPECT_EQ(keys_.Declare("lb", other).error().code, ErrorCode::kExists);
  Put("z", "a", 1);
  EXPECT_EQ(keys_.Declare("z", Spec()).error().code, ErrorCode::kExists);
}

TEST_F(KeyspaceTest, ReplaceDropsThePresentBoard) {
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 50);
  ASSERT_TRUE(keys_.Replace("z", Spec()).ok());
  EXPECT_FALSE(Exists("z"));
  EXPECT_EQ(keys_.existing(), 0U);
  EXPECT_EQ(keys_.expiring(), 0U);
  EXPECT_FALSE(keys_.Replace("a@b", Spec()).ok());
}

TEST_F(KeyspaceTest, FlushDropsDeclarationsAndKeepsTemplates) {
  keys_.SetTemplate({"t:*", Spec()});
  Declare("lb");
  Put("t:1", "a", 1);
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 50);
  keys_.Flush();
  EXPECT_EQ(keys_.boards(), 0U);
  EXPECT_EQ(keys_.existing(), 0U);
  EXPECT_EQ(keys_.expiring(), 0U);
  EXPECT_EQ(keys_.templates().all().size(), 1U);
}

// Expiry -----------------------------------------------------------------------------------------

TEST_F(KeyspaceTest, ASortedSetExpiresAtItsMillisecond) {
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 10);
  keys_.SetNow(kStart + 9'999);
  EXPECT_TRUE(Exists("z"));
  keys_.SetNow(kStart + 10'000);
  EXPECT_FALSE(Exists("z"));
  EXPECT_EQ(keys_.expired(), 1U);
}

TEST_F(KeyspaceTest, AnExpiredLeaderboardStaysDeclared) {
  Declare("lb");
  Put("lb", "a", 1);
  keys_.SetExpiry(keys_.Find("lb"), kStartMs + 10);
  keys_.SetNow(kStart + 10'000);
  NamedBoard* named = keys_.Find("lb");
  ASSERT_NE(named, nullptr);
  EXPECT_EQ(named->expires_at_ms, 0);
  EXPECT_EQ(SizeOf("lb"), 0U);
  Put("lb", "a", 1);
  keys_.SetNow(kStart + 60'000'000);
  EXPECT_TRUE(Exists("lb")) << "the new entries have no time to live";
}

TEST_F(KeyspaceTest, DueBoardsExpireWithoutBeingAccessed) {
  for (int i = 0; i < 10; ++i) {
    const std::string name = "z" + std::to_string(i);
    Put(name, "a", 1);
    keys_.SetExpiry(keys_.Find(name), kStartMs + 1 + i);
  }
  EXPECT_FALSE(keys_.RunDueWork(100));
  EXPECT_EQ(keys_.existing(), 10U);
  keys_.SetNow(kStart + 5'000);
  EXPECT_TRUE(keys_.RunDueWork(3));
  EXPECT_EQ(keys_.existing(), 7U);
  EXPECT_FALSE(keys_.RunDueWork(100));
  EXPECT_EQ(keys_.existing(), 5U);
  EXPECT_EQ(keys_.expiring(), 5U);
  EXPECT_EQ(keys_.expired(), 5U);
}

TEST_F(KeyspaceTest, ANewExpiryReplacesTheOldOne) {
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 10);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 20);
  EXPECT_EQ(keys_.expiring(), 1U);
  keys_.SetNow(kStart + 15'000);
  EXPECT_TRUE(Exists("z"));
  keys_.SetExpiry(keys_.Find("z"), 0);
  EXPECT_EQ(keys_.expiring(), 0U);
  keys_.SetNow(kStart + 60'000'000);
  EXPECT_TRUE(Exists("z"));
}

TEST_F(KeyspaceTest, RemovingAllEntriesClearsTheExpiry) {
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 10);
  Remove("z", "a");
  EXPECT_EQ(keys_.expiring(), 0U);
  Put("z", "a", 1);
  Declare("lb");
  Put("lb", "a", 1);
  keys_.SetExpiry(keys_.Find("lb"), kStartMs + 10);
  EXPECT_TRUE(keys_.Delete("lb"));
  Put("lb", "a", 1);
  keys_.SetNow(kStart + 20'000);
  EXPECT_TRUE(Exists("z"));
  EXPECT_TRUE(Exists("lb"));
}

// Rename and copy --------------------------------------------------------------------------------

TEST_F(KeyspaceTest, RenameKeepsTheTimeToLive) {
  Put("from", "a", 1);
  Put("to", "b", 2);
  Put("to", "c", 3);
  keys_.SetExpiry(keys_.Find("from"), kStartMs + 10);
  keys_.SetExpiry(keys_.Find("to"), kStartMs + 5);
  keys_.Rename(keys_.Find("from"), "to");
  EXPECT_FALSE(IsDeclared("from"));
  EXPECT_EQ(SizeOf("to"), 1U);
  EXPECT_EQ(keys_.existing(), 1U);
  EXPECT_EQ(keys_.expiring(), 1U);
  keys_.SetNow(kStart + 5'000);
  EXPECT_TRUE(Exists("to"));
  keys_.SetNow(kStart + 10'000);
  EXPECT_FALSE(Exists("to"));
}

TEST_F(KeyspaceTest, ARenamedLeaderboardLeavesItsNameDeclared) {
  Spec spec;
  spec.cap = 7;
  Declare("lb", spec);
  Put("lb", "a", 1);
  Put("lb", "b", 2);
  Hide("lb", "b");
  keys_.Rename(keys_.Find("lb"), "old");
  EXPECT_FALSE(Exists("lb"));
  ASSERT_TRUE(IsDeclared("lb"));
  EXPECT_EQ(keys_.Find("lb")->spec(), spec);
  EXPECT_EQ(keys_.Find("old")->spec(), spec);
  EXPECT_TRUE(BoardOf("old").IsHidden("b"));
  EXPECT_EQ(keys_.existing(), 1U);
  Put("lb", "a", 1);
  EXPECT_EQ(keys_.existing(), 2U);
}

TEST_F(KeyspaceTest, RenameToItselfChangesNothing) {
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 10);
  keys_.Rename(keys_.Find("z"), "z");
  EXPECT_TRUE(Exists("z"));
  EXPECT_EQ(keys_.expiring(), 1U);
}

TEST_F(KeyspaceTest, ACopyHasItsOwnEntriesHiddenMarksAndExpiry) {
  Declare("lb");
  Put("lb", "a", 1);
  Put("lb", "b", 2);
  Hide("lb", "b");
  keys_.SetExpiry(keys_.Find("lb"), kStartMs + 10);
  Put("to", "x", 9);
  keys_.Copy(*keys_.Find("lb"), "to");
  EXPECT_EQ(keys_.existing(), 2U);
  EXPECT_EQ(keys_.expiring(), 2U);
  EXPECT_TRUE(BoardOf("to").IsHidden("b"));
  EXPECT_EQ(BoardOf("to").hidden_entries(), 1U);
  Put("to", "c", 3);
  EXPECT_EQ(SizeOf("lb"), 1U);
  EXPECT_EQ(SizeOf("to"), 2U);
  keys_.SetNow(kStart + 10'000);
  EXPECT_FALSE(Exists("lb"));
  EXPECT_FALSE(Exists("to"));
}

TEST_F(KeyspaceTest, ACopyOfASortedSetIsASortedSet) {
  Put("z", "a", 1);
  keys_.Copy(*keys_.Find("z"), "copy");
  EXPECT_TRUE(Exists("copy"));
  EXPECT_FALSE(keys_.Find("copy")->is_leaderboard());
  Remove("z", "a");
  EXPECT_FALSE(IsDeclared("z"));
  EXPECT_TRUE(Exists("copy"));
}

// Templates and targets --------------------------------------------------------------------------

TEST_F(KeyspaceTest, TheTemplateWithTheLongestPatternWinsThenByteOrder) {
  for (const char* pattern : {"*", "rank:*", "ran??*", "a*", "b*"}) {
    Spec spec;
    spec.fields[0].name = "f" + std::to_string(keys_.templates().all().size());
    keys_.SetTemplate({pattern, spec});
  }
  std::vector<std::string> order;
  for (const Template& declared : keys_.templates().all()) order.push_back(declared.pattern);
  EXPECT_EQ(order, (std::vector<std::string>{"ran??*", "rank:*", "a*", "b*", "*"}));
  EXPECT_EQ(keys_.templates().For("rank:1")->pattern, "ran??*");
  EXPECT_EQ(keys_.templates().For("ax")->pattern, "a*");
  EXPECT_EQ(keys_.templates().For("zz")->pattern, "*");
  EXPECT_TRUE(keys_.DeleteTemplate("*"));
  EXPECT_FALSE(keys_.DeleteTemplate("*"));
  EXPECT_EQ(keys_.templates().For("zz"), nullptr);
  keys_.SetTemplate({"a*", Spec()});
  EXPECT_EQ(keys_.templates().all().size(), 4U) << "one spec per pattern";
  EXPECT_EQ(keys_.templates().For("ax")->spec, Spec());
}

TEST_F(KeyspaceTest, RandomTemplatesAreFoundAsIfEachWereTriedInTurn) {
  base::Random random(TestSeed());
  const auto text = [&](std::string_view alphabet, std::size_t most) {
    std::string made;
    for (std::size_t i = random.Below(most + 1); i > 0; --i) {
      made += alphabet[random.Below(alphabet.size())];
    }
    return made;
  };
  for (int round = 0; round < 300; ++round) {
    const std::string pattern = text("aab:*?[]\\", 5) + "*";
    if (random.OneIn(3)) {
      keys_.DeleteTemplate(pattern);
    } else {
      keys_.SetTemplate({pattern, Spec()});
    }
    const std::string name = "a" + text("ab:", 5);
    const Template* first = nullptr;
    for (const Template& declared : keys_.templates().all()) {
      if (first == nullptr && base::GlobMatch(declared.pattern, name)) first = &declared;
    }
    ASSERT_EQ(keys_.templates().For(name), first) << name;
  }
}

TEST_F(KeyspaceTest, ATemplateDecidesTheKindOfANewBoard) {
  keys_.SetTemplate({"rank:*", Spec()});
  Put("rank:1", "a", 1);
  Put("other", "a", 1);
  EXPECT_TRUE(keys_.Find("rank:1")->is_leaderboard());
  EXPECT_FALSE(keys_.Find("other")->is_leaderboard());
  EXPECT_FALSE(keys_.Create("rank:a@b").ok()) << "no name of a leaderboard";
  EXPECT_FALSE(IsDeclared("rank:a@b"));
}

TEST_F(KeyspaceTest, ABoardCreatedForAWriteThatChangesNothingIsWithdrawn) {
  keys_.SetTemplate({"rank:*", Spec()});
  for (const char* name : {"z", "rank:1"}) {
    EXPECT_EQ(Put(name, "a", 1, Write::If::kPresent), WriteStatus::kSkipped);
    EXPECT_FALSE(IsDeclared(name));
  }
  EXPECT_EQ(keys_.boards(), 0U);
  Declare("lb");
  EXPECT_EQ(Put("lb", "a", 1, Write::If::kPresent), WriteStatus::kSkipped);
  EXPECT_TRUE(IsDeclared("lb")) << "it was there before";
}

// Watches and waiting ----------------------------------------------------------------------------

class Watching : public KeyspaceTest {
 protected:
  // Whether happens() breaks a watch of the name.
  template <typename Happens>
  bool Breaks(std::string_view name, const Happens& happens) {
    Client client;
    keys_.Watch(name, &client);
    happens();
    const bool broken = client.watch_broken;
    keys_.watches().Unwatch(&client);
    EXPECT_FALSE(client.watch_broken);
    EXPECT_TRUE(client.watched.empty());
    return broken;
  }
};

TEST_F(Watching, WritesToTheNameBreakAWatch) {
  EXPECT_TRUE(Breaks("z", [&] { Put("z", "a", 1); }));
  EXPECT_TRUE(Breaks("z", [&] { Put("z", "a", 2); }));
  EXPECT_FALSE(Breaks("z", [&] { Put("z", "a", 2); })) << "nothing changed";
  EXPECT_FALSE(Breaks("z", [&] { Put("y", "a", 2); }));
  EXPECT_TRUE(Breaks("z", [&] { keys_.SetExpiry(keys_.Find("z"), kStartMs + 10); }));
  EXPECT_TRUE(Breaks("z", [&] { Remove("z", "a"); }));
  EXPECT_FALSE(Breaks("z", [&] { Put("z", "a", 1, Write::If::kPresent); }));
}

TEST_F(Watching, RemovingOrReplacingTheBoardBreaksAWatch) {
  const auto fill = [&] { Put("z", "a", 1); };
  fill();
  EXPECT_TRUE(Breaks("z", [&] { keys_.Delete("z"); }));
  EXPECT_FALSE(Breaks("z", [&] { keys_.Delete("z"); })) << "there was nothing";
  fill();
  EXPECT_TRUE(Breaks("z", [&] { keys_.Flush(); }));
  fill();
  EXPECT_TRUE(Breaks("z", [&] { keys_.Drop(keys_.Find("z")); }));
  fill();
  EXPECT_TRUE(Breaks("z", [&] { keys_.Rename(keys_.Find("z"), "y"); }));
  EXPECT_TRUE(Breaks("x", [&] { keys_.Rename(keys_.Find("y"), "x"); }));
  EXPECT_TRUE(Breaks("w", [&] { keys_.Copy(*keys_.Find("x"), "w"); }));
  EXPECT_FALSE(Breaks("x", [&] { keys_.Copy(*keys_.Find("x"), "v"); })) << "it was only read";
}

TEST_F(Watching, ExpiryBreaksAWatchUnlessTheBoardWasDueBefore) {
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 10);
  EXPECT_TRUE(Breaks("z", [&] {
    keys_.SetNow(kStart + 10'000);
    keys_.Find("z");
  }));
  Put("z", "a", 1);
  keys_.SetExpiry(keys_.Find("z"), kStartMs + 20);
  keys_.SetNow(kStart + 20'000);
  EXPECT_FALSE(Breaks("z", [&] { keys_.RunDueWork(10); }));
}

TEST_F(Watching, AWriteBreaksTheWatchesOfAllClientsAndRepeatedWatchesCountOnce) {
  Client first;
  Client second;
  keys_.Watch("z", &first);
  keys_.Watch("z", &first);
  keys_.Watch("y", &first);
  keys_.Watch("z", &second);
  EXPECT_EQ(first.watched.size(), 2U);
  Put("z", "a", 1);
  EXPECT_TRUE(first.watch_broken);
  EXPECT_TRUE(second.watch_broken);
  keys_.watches().Unwatch(&first);
  Put("z", "a", 2);
  EXPECT_FALSE(first.watch_broken);
  keys_.watches().Unwatch(&second);
}

TEST_F(KeyspaceTest, AwaitedNamesAreNotedWhenTheyGetEntries) {
  Put("unwatched", "a", 1);
  EXPECT_FALSE(keys_.watches().any_awaited());
  keys_.watches().Await("z", 1);
  keys_.watches().Await("z", 1);
  keys_.watches().Await("z", -1);
  EXPECT_TRUE(keys_.watches().IsAwaited("z"));
  Put("y", "a", 1);
  EXPECT_TRUE(keys_.watches().TakeReady().empty());
  Put("z", "a", 1);
  EXPECT_EQ(keys_.watches().TakeReady(), std::vector<std::string>{"z"});
  EXPECT_TRUE(keys_.watches().TakeReady().empty());
  Remove("z", "a");
  EXPECT_TRUE(keys_.watches().TakeReady().empty()) << "it has nothing to give";
  keys_.Rename(keys_.Find("y"), "z");
  EXPECT_EQ(keys_.watches().TakeReady(), std::vector<std::string>{"z"});
  keys_.watches().Await("z", -1);
  EXPECT_FALSE(keys_.watches().any_awaited());
}

// A leaderboard's own end -------------------------------------------------------------------------

Spec Ending(std::optional<Stamp> end, std::int64_t expire_us) {
  Spec spec;
  spec.end = end;
  spec.expire_us = expire_us;
  return spec;
}

TEST_F(KeyspaceTest, ABoardIsDroppedWithItsDeclarationAfterItsEnd) {
  ASSERT_TRUE(keys_.Declare("lb", Ending(kStart + 1'000, 500)).ok());
  Put("lb", "ann", 5);
  keys_.SetNow(kStart + 1'499);
  EXPECT_NE(keys_.Find("lb"), nullptr);
  keys_.SetNow(kStart + 1'500);
  EXPECT_EQ(keys_.Find("lb"), nullptr);
  EXPECT_EQ(keys_.boards(), 0U);
}

TEST_F(KeyspaceTest, ExpireDueDropsABoardAfterItsEnd) {
  ASSERT_TRUE(keys_.Declare("lb", Ending(kStart + 1'000, 500)).ok());
  keys_.SetNow(kStart + 1'500);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_EQ(keys_.boards(), 0U);
}

TEST_F(KeyspaceTest, ABoardWithoutEndIsDroppedAfterItsLastWrite) {
  ASSERT_TRUE(keys_.Declare("lb", Ending(std::nullopt, 1'000)).ok());
  keys_.SetNow(kStart + 50'000);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_NE(keys_.Find("lb"), nullptr) << "nothing was ever written";
  Put("lb", "ann", 5);
  keys_.SetNow(kStart + 50'900);
  Put("lb", "bob", 5);
  keys_.SetNow(kStart + 51'899);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_NE(keys_.Find("lb"), nullptr);
  keys_.SetNow(kStart + 51'900);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_EQ(keys_.boards(), 0U);
}

TEST_F(KeyspaceTest, ARemovalDoesNotPostponeTheDropOfABoard) {
  ASSERT_TRUE(keys_.Declare("lb", Ending(std::nullopt, 1'000)).ok());
  Put("lb", "ann", 5);
  Put("lb", "bob", 5);
  keys_.SetNow(kStart + 900);
  Remove("lb", "ann");
  keys_.SetNow(kStart + 1'000);
  EXPECT_EQ(keys_.Find("lb"), nullptr);
}

TEST_F(KeyspaceTest, DeletionDoesNotChangeWhenABoardIsDropped) {
  ASSERT_TRUE(keys_.Declare("lb", Ending(std::nullopt, 1'000)).ok());
  Put("lb", "ann", 5);
  EXPECT_TRUE(keys_.Delete("lb"));
  keys_.SetNow(kStart + 999);
  EXPECT_NE(keys_.Find("lb"), nullptr);
  keys_.SetNow(kStart + 1'000);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_EQ(keys_.boards(), 0U);
}

TEST_F(KeyspaceTest, AlteringMovesTheEnd) {
  ASSERT_TRUE(keys_.Declare("lb", Ending(kStart + 1'000, 500)).ok());
  NamedBoard* named = keys_.Find("lb");
  const Spec later = Ending(kStart + 9'000, 500);
  Execute(named, leaderboard::Alter{&later});
  keys_.SetNow(kStart + 9'499);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_NE(keys_.Find("lb"), nullptr);
  const Spec never = Ending(kStart + 9'000, 0);
  Execute(named, leaderboard::Alter{&never});
  keys_.SetNow(kStart + 9'500'000);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_NE(keys_.Find("lb"), nullptr) << "it has no end any more";
}

TEST_F(KeyspaceTest, NothingEndsWhileTheKeyspaceIsFrozen) {
  ASSERT_TRUE(keys_.Declare("lb", Ending(kStart + 1'000, 500)).ok());
  keys_.SetNow(kStart + 2'000);
  keys_.SetFrozen(true);
  EXPECT_FALSE(keys_.RunDueWork(10));
  EXPECT_NE(keys_.Find("lb"), nullptr);
  keys_.SetFrozen(false);
  EXPECT_EQ(keys_.Find("lb"), nullptr);
}

}  // namespace
}  // namespace laurel::engine
