// Imports into data folders: what a server then finds is what LB.SET of every entry would have
// made, also on boards with caps, periods and hidden members, and whatever state the folder was in.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/time_text.h"
#include "laurel/score.h"
#include "laurel/spec.h"
#include "storage/format.h"
#include "storage/log.h"
#include "tests/leaderboard/random_operations.h"
#include "tests/storage/boards_world.h"
#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/engine_rig.h"
#include "tests/support/seed.h"
#include "tests/transfer/draft_rows.h"
#include "tests/transfer/listed_entries.h"
#include "transfer/draft/draft.h"
#include "transfer/targets/folder_sink.h"

namespace laurel::testing {
namespace {

using transfer::Draft;
using transfer::FolderSink;

constexpr std::int64_t kDay = std::int64_t{86'400} * 1'000'000;

// The words of LB.CREATE.
Words CreateWords(const std::string& board, const Spec& spec) {
  Words words = Split(DescribeSpec(spec));
  words.insert(words.begin(), {"LB.CREATE", board});
  return words;
}

// Imports the rows into one board. Returns the error, or nothing.
std::string Import(base::Folder* folder, const std::string& board, const Spec& spec,
                   const std::vector<OwnedRow>& rows, Stamp now,
                   const std::optional<std::string>& period = std::nullopt) {
  auto sink = FolderSink::Open(folder, {now, nullptr});
  if (!sink.ok()) return sink.error().ToString();
  Status done = (*sink)->Begin(board, spec, period);
  if (done.ok()) done = (*sink)->Write(DraftOf(spec, rows, now, period).get(), nullptr);
  if (done.ok()) done = (*sink)->Finish();
  return done.ok() ? "" : done.error().ToString();
}

class FolderImport : public ::testing::Test {
 protected:
  void Start(storage::SyncMode sync = storage::SyncMode::kAlways) {
    EngineRig::Options options = EngineRig::Small();
    options.log.sync = sync;
    rig_ = std::make_unique<EngineRig>(folder_.get(), &clock_, options);
    const Result<engine::LoadReport> started = rig_->Start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    ASSERT_EQ(started->warnings, std::vector<std::string>());
  }
  void Stop(bool snapshot = false) {
    if (rig_ == nullptr) return;
    rig_->engine().Close(snapshot);
    rig_.reset();
  }
  // Kills the server; what was written stays.
  void Kill() {
    std::unique_ptr<SimulatedFolder> left = folder_->CrashKillOnly();
    rig_.reset();
    folder_ = std::move(left);
  }
  // Leaves a log whose last record is damaged and was never synced; `behind`: with a whole record
  // behind it, which was not synced either.
  void TearLog(bool behind) {
    ASSERT_NO_FATAL_FAILURE(Start(storage::SyncMode::kOff));
    const std::string log = folder_->List()->at(LastLog());
    const std::string before = folder_->Bytes(log);
    Ask("LB.SUBMIT lb torn 100");
    ASSERT_NO_FATAL_FAILURE(AwaitChange(log, before));
    const std::string torn = folder_->Bytes(log);
    Ask("LB.SUBMIT lb behind 200");
    ASSERT_NO_FATAL_FAILURE(AwaitChange(log, torn));
    Kill();
    std::string bytes = behind ? folder_->Bytes(log) : torn;
    std::size_t at = 0;
    while (at < before.size() && before[at] == bytes[at]) ++at;
    bytes[at + 40] = static_cast<char>(bytes[at + 40] ^ 1);
    folder_->SetBytes(log, bytes);
  }
  [[nodiscard]] std::size_t LastLog() const {
    const std::vector<std::string> names = *folder_->List();
    std::size_t last = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (storage::NumberOfName(storage::FileKind::kLog, names[i])) last = i;
    }
    return last;
  }
  // Waits until the log's thread has written to the file.
  void AwaitChange(const std::string& name, const std::string& before) {
    for (int i = 0; i < 60'000 && folder_->Bytes(name) == before; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_NE(folder_->Bytes(name), before);
  }
  std::string Ask(const Words& command) { return rig_->Ask(command).Plain(); }
  std::string Ask(const std::string& line) { return Ask(Split(line)); }
  // All pages of LB.CHANGES from the cursor on. LB.CHANGES shows what is on disk: everything so
  // far is, when another write has its reply.
  std::string Changes(const std::string& board, std::string cursor) {
    Ask("ZADD fence 1 a");
    std::string text;
    for (int page = 0; page < 100; ++page) {
      const Value reply = rig_->Ask(Words{"LB.CHANGES", board, cursor});
      text += reply.Plain() + "\n";
      const Value* next = reply.Find("next");
      if (next == nullptr || next->text == cursor) return text;
      cursor = next->text;
    }
    return text;
  }

  TestClock clock_;
  std::unique_ptr<SimulatedFolder> folder_ = std::make_unique<SimulatedFolder>();
  std::unique_ptr<EngineRig> rig_;
};

TEST_F(FolderImport, ANewFolderServesTheImportedBoard) {
  const Stamp at = clock_.Now() - kDay;
  ASSERT_EQ(Import(folder_.get(), "lb", Spec{},
                   {{"ann", {"10"}, at, "m"}, {"bob", {"30"}, at}, {"cid", {"20"}, at, "", true}},
                   clock_.Now()),
            "");
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Ask("LB.RANGE lb 1 -1 WITHMETA"),
            "[[rank 1 member bob score [30] stamp " + std::to_string(at) +
                " meta nil] [rank 2 member ann score [10] stamp " + std::to_string(at) +
                " meta m]]");
  EXPECT_EQ(Ask("LB.GET lb cid"),
            "[rank nil member cid score [20] stamp " + std::to_string(at) + " count 2]");
  EXPECT_EQ(Ask("LB.SHOW lb cid"), "1");
  EXPECT_EQ(Ask("ZREVRANK lb cid"), "1");
  EXPECT_EQ(Ask("LB.SUBMIT lb ann 11").substr(0, 17), "[status accepted ");
}

TEST_F(FolderImport, WhatWasThereStaysAndTheLogGoesOn) {
  ASSERT_NO_FATAL_FAILURE(Start());
  Ask("ZADD set 1 a 2 b");
  Ask("LB.CREATE old");
  Ask("LB.SUBMIT old ann 5 ID one");
  Ask("LB.TEMPLATE SET rank:* CAP 5");
  Stop();
  ASSERT_EQ(Import(folder_.get(), "lb", Spec{}, {{"ann", {"10"}}}, clock_.Now()), "");
  for (int round = 0; round < 3; ++round) {
    ASSERT_NO_FATAL_FAILURE(Start());
    EXPECT_EQ(Ask("ZRANGE set 0 -1"), "[a b]");
    EXPECT_EQ(Ask("LB.SIZE lb"), "1");
    EXPECT_EQ(Ask("LB.TEMPLATE LIST").substr(0, 14), "[[pattern rank");
    EXPECT_NE(Ask("LB.SUBMIT old ann 5 ID one").find("duplicate 1"), std::string::npos);
    EXPECT_EQ(Ask("ZCARD later"), std::to_string(round));
    EXPECT_EQ(Ask("ZADD later 1 m" + std::to_string(round)), "1");
    round == 0 ? Kill() : Stop(round == 1);
  }
}

// Folders in which the log ends in all kinds of ways.
TEST_F(FolderImport, AStartFindsTheImportWhateverTheEndOfTheLogWas) {
  enum class End : std::uint8_t { kStopped, kSnapshot, kKilled, kIdle, kTorn, kTornBehind };
  for (const End end :
       {End::kStopped, End::kSnapshot, End::kKilled, End::kIdle, End::kTorn, End::kTornBehind}) {
    SCOPED_TRACE(static_cast<int>(end));
    rig_.reset();
    folder_ = std::make_unique<SimulatedFolder>();
    ASSERT_NO_FATAL_FAILURE(Start());
    Ask("LB.CREATE lb");
    for (int i = 0; i < 5; ++i) Ask("LB.SUBMIT lb m" + std::to_string(i) + " " + std::to_string(i));
    switch (end) {
      case End::kStopped:
      case End::kSnapshot:
        Stop(end == End::kSnapshot);
        break;
      case End::kKilled:
        Kill();
        break;
      case End::kIdle:  // a start whose segment got no record
        Stop();
        ASSERT_NO_FATAL_FAILURE(Start());
        Kill();
        break;
      case End::kTorn:
      case End::kTornBehind:
        Stop();
        ASSERT_NO_FATAL_FAILURE(TearLog(end == End::kTornBehind));
        break;
    }
    if (end >= End::kTorn) {
      FolderContents torn(folder_.get());
      ASSERT_TRUE(torn.ok()) << torn.error();
      ASSERT_TRUE(torn.recovery().torn.has_value());
    }
    ASSERT_EQ(Import(folder_.get(), "lb", Spec{}, {{"m0", {"70"}}, {"new", {"60"}}}, clock_.Now()),
              "");
    for (int round = 0; round < 3; ++round) {
      ASSERT_NO_FATAL_FAILURE(Start());
      EXPECT_EQ(Ask("ZREVRANGE lb 0 -1"),
                round == 0 ? "[m0 new m4 m3 m2 m1]" : "[m0 new later m4 m3 m2 m1]");
      Ask("LB.SUBMIT lb later 50");
      round == 0 ? Kill() : Stop(round == 1);
    }
  }
}

TEST_F(FolderImport, AConsumerOfChangesGetsAGap) {
  ASSERT_NO_FATAL_FAILURE(Start());
  Ask("LB.CREATE lb");
  Ask("LB.SUBMIT lb ann 1");
  const Value page = rig_->Ask(Words{"LB.CHANGES", "lb", "0"});
  const std::string cursor = page.Find("next")->text;
  Stop();
  ASSERT_EQ(Import(folder_.get(), "lb", Spec{}, {{"ann", {"10"}}}, clock_.Now()), "");
  ASSERT_NO_FATAL_FAILURE(Start());
  Ask("LB.SUBMIT lb bob 2");
  const std::string after = Changes("lb", cursor);
  EXPECT_NE(after.find("gap"), std::string::npos) << after;
  EXPECT_NE(after.find("bob"), std::string::npos) << after;
}

// Refusals ----------------------------------------------------------------------------------------

TEST_F(FolderImport, AFolderInUseIsRefused) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const std::string refusal = Import(folder_.get(), "lb", Spec{}, {{"ann", {"1"}}}, clock_.Now());
  EXPECT_NE(refusal.find("in use"), std::string::npos) << refusal;
}

TEST_F(FolderImport, ABoardWithAnotherSpecIsNotTouched) {
  ASSERT_NO_FATAL_FAILURE(Start());
  Ask("LB.CREATE lb POLICY best");
  Ask("ZADD set 1 a");
  Stop();
  const std::string before = Describe(FolderContents(folder_.get()).keys());
  EXPECT_EQ(Import(folder_.get(), "lb", Spec{}, {{"ann", {"1"}}}, clock_.Now()),
            "EXISTS 'lb' exists with another spec: FIELDS 1 score:int:desc POLICY best TIE first; "
            "the import has FIELDS 1 score:int:desc POLICY set TIE first");
  EXPECT_EQ(Import(folder_.get(), "set", Spec{}, {{"ann", {"1"}}}, clock_.Now()),
            "WRONGTYPE 'set' is a sorted set, not a leaderboard");
  EXPECT_EQ(Describe(FolderContents(folder_.get()).keys()), before);
}

TEST_F(FolderImport, WhatTheServerWouldNotTakeIsRefusedBeforeAnythingIsWritten) {
  const Stamp now = clock_.Now();
  const std::vector<OwnedRow> row = {{"ann", {"1"}, now}};
  EXPECT_EQ(Import(folder_.get(), "a@b", Spec{}, row, now),
            "ERR a leaderboard's name has no '@': 'a@b'");
  EXPECT_EQ(Import(folder_.get(), "", Spec{}, row, now), "ERR a board needs a name");
  Spec graceful;
  graceful.grace_us = 1;
  EXPECT_TRUE(Import(folder_.get(), "lb", graceful, row, now).starts_with("ERR"));
  Spec ended;
  ended.end = now - 10;
  ended.expire_us = 10;
  EXPECT_EQ(Import(folder_.get(), "lb", ended, row, now),
            "ERR 'lb' has ended: END and EXPIRE have passed, so the next start of the server would "
            "drop it");
  EXPECT_TRUE(Import(folder_.get(), "lb", Spec{}, {{"ann", {"1"}, now + 1'000'001}}, now)
                  .starts_with("BADTIME the stamp of 'ann', "));
  EXPECT_EQ(Import(folder_.get(), "lb", Spec{}, row, now, "day"),
            "ERR 'lb': the board has no periods");
  EXPECT_EQ(folder_->List()->size(), 0U);
  EXPECT_EQ(Import(folder_.get(), "lb", Spec{}, {{"ann", {"1"}, now + 1'000'000}}, now), "");
}

TEST_F(FolderImport, AnImportOfNothingChangesNothing) {
  auto sink = FolderSink::Open(folder_.get(), {clock_.Now(), nullptr});
  ASSERT_TRUE(sink.ok());
  EXPECT_FALSE((*sink)->Find("lb")->has_value());
  ASSERT_TRUE((*sink)->Begin("lb", Spec{}, std::nullopt).ok());
  ASSERT_TRUE((*sink)->Finish().ok());
  EXPECT_EQ(folder_->List()->size(), 0U);
}

TEST_F(FolderImport, ADraftWithoutEntriesMakesAnEmptyBoard) {
  ASSERT_EQ(Import(folder_.get(), "lb", Spec{}, {}, clock_.Now()), "");
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Ask("LB.SIZE lb"), "0");
}

TEST_F(FolderImport, SeveralBoardsAreOneStep) {
  auto sink = FolderSink::Open(folder_.get(), {clock_.Now(), nullptr});
  ASSERT_TRUE(sink.ok());
  for (int i = 0; i < 20; ++i) {
    const std::string name = "lb" + std::to_string(i);
    ASSERT_TRUE((*sink)->Begin(name, Spec{}, std::nullopt).ok());
    const std::vector<OwnedRow> rows = {{"ann", {std::to_string(i)}}};
    ASSERT_TRUE((*sink)->Write(DraftOf(Spec{}, rows, clock_.Now()).get(), nullptr).ok());
    EXPECT_TRUE((*sink)->Find(name)->has_value());
  }
  EXPECT_EQ((*sink)->Begin("lb3", Spec{}, std::nullopt).error().ToString(),
            "ERR 'lb3' is written already");
  EXPECT_EQ(FolderContents(folder_.get()).keys().boards(), 0U);
  ASSERT_TRUE((*sink)->Finish().ok());
  EXPECT_EQ((*sink)->report().entries, 20U);
  sink->reset();
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Ask("LB.GET lb7 ann").substr(0, 31), "[rank 1 member ann score [7] st");
}

// Against LB.SET ----------------------------------------------------------------------------------

// What a board holds, without the clock's own numbers.
std::string EntriesOf(const engine::NamedBoard* named) {
  if (named == nullptr) return "absent";
  const engine::Leaderboard& board = named->board;
  EXPECT_EQ(board.Validate(), "");
  std::string text = DescribeSpec(board.spec()) + "\n";
  const auto line = [&](std::string_view member, const core::Words& words, std::string_view meta) {
    text += std::string(member);
    for (unsigned i = 0; i < board.standings().layout().words(); ++i) {
      text += " " + std::to_string(words[i]);
    }
    text += " " + std::string(meta) + "\n";
  };
  board.standings().entries().ForRange(0, UINT64_MAX, false, [&](const core::EntryView& view) {
    line(view.member, view.words, view.meta);
    return true;
  });
  board.standings().ForEachHidden(
      [&](std::string_view member, const core::Standings::HiddenEntry& entry) {
        text += "hidden ";
        line(member, entry.words, entry.meta);
      });
  if (board.marks() != nullptr) {
    board.marks()->ForSome(nullptr, SIZE_MAX,
                           [&](std::string_view member) { text += std::string(member) + " "; });
  }
  return text;
}

// A spec without a window and without periods.
Spec PlainSpec(base::Random* random, Stamp now) {
  Spec spec = leaderboard::RandomSpec(random, now);
  Spec plain;
  plain.fields = spec.fields;
  plain.policy = spec.policy;
  plain.tie = spec.tie;
  plain.cap = spec.cap;
  return plain;
}

// Executes the same import as commands. The cap is lifted meanwhile: an import is one step.
void ImportByCommands(EngineRig* rig, const std::string& board, const Spec& spec,
                      const Draft& draft) {
  const auto expect = [](const std::string& reply) {
    ASSERT_FALSE(reply.starts_with('-')) << reply;
  };
  bool any_meta = false;
  if (spec.cap > 0) expect(rig->AskBytes(Words{"LB.ALTER", board, "CAP", "0"}));
  const std::vector<ListedEntry> entries = ListEntries(draft);
  for (const ListedEntry& entry : entries) {
    if (entry.hidden) expect(rig->AskBytes(Words{"LB.HIDE", board, entry.member}));
  }
  for (const ListedEntry& entry : entries) {
    Words set = {"LB.SET", board, entry.member};
    for (const std::string& value : FormatScore(spec, entry.score)) set.push_back(value);
    set.insert(set.end(), {"AT", std::to_string(entry.stamp) + "us"});
    if (!entry.meta.empty()) set.insert(set.end(), {"META", entry.meta});
    expect(rig->AskBytes(set));
    any_meta = any_meta || !entry.meta.empty();
  }
  for (std::size_t i = 0; any_meta && i < entries.size(); ++i) {
    expect(rig->AskBytes(Words{"LB.META", board, entries[i].member, entries[i].meta}));
  }
  if (spec.cap > 0) {
    expect(rig->AskBytes(Words{"LB.ALTER", board, "CAP", std::to_string(spec.cap)}));
  }
}

TEST_F(FolderImport, RandomImportsDoWhatSetCommandsDo) {
  base::Random random(TestSeed());
  for (int episode = 0; episode < 25; ++episode) {
    rig_.reset();
    folder_ = std::make_unique<SimulatedFolder>();
    const Stamp now = clock_.Now();
    const Spec spec = PlainSpec(&random, now);
    SCOPED_TRACE("episode " + std::to_string(episode) + ": " + DescribeSpec(spec));
    // No reply waits for the disk.
    ASSERT_NO_FATAL_FAILURE(Start(storage::SyncMode::kOff));
    const bool is_new = random.OneIn(3);
    const std::uint64_t members = random.OneIn(2) ? 20 : 300;
    if (!is_new) {
      ASSERT_EQ(rig_->AskBytes(CreateWords("lb", spec)), "+OK\r\n");
      const std::size_t present = random.OneIn(4) ? 0 : random.Below(2 * members);
      const auto rows = RandomRows(spec, present, members, now, &random);
      ASSERT_NO_FATAL_FAILURE(ImportByCommands(rig_.get(), "lb", spec, *DraftOf(spec, rows, now)));
    }
    const std::size_t count = random.OneIn(8) ? 6000 : random.Below(2 * members);
    const auto rows =
        RandomRows(spec, count, random.OneIn(2) ? 10 * members : members, now, &random);
    const auto draft = DraftOf(spec, rows, now);
    Stop(random.OneIn(2));
    const std::unique_ptr<SimulatedFolder> judged = folder_->Copy();
    ASSERT_EQ(Import(folder_.get(), "lb", spec, rows, now), "");

    EngineRig::Options options = EngineRig::Small();
    options.log.sync = storage::SyncMode::kOff;
    EngineRig judge(judged.get(), &clock_, options);
    ASSERT_TRUE(judge.Start().ok());
    // Of a board that is there, an equal declaration changes nothing.
    ASSERT_EQ(judge.AskBytes(CreateWords("lb", spec)), "+OK\r\n");
    ASSERT_NO_FATAL_FAILURE(ImportByCommands(&judge, "lb", spec, *draft));
    judge.engine().Close(false);
    FolderContents expected(judged.get());
    FolderContents found(folder_.get());
    ASSERT_TRUE(found.ok()) << found.error();
    ASSERT_EQ(EntriesOf(found.keys().catalog().Find("lb")),
              EntriesOf(expected.keys().catalog().Find("lb")));
  }
}

// Periods -----------------------------------------------------------------------------------------

class PeriodImport : public FolderImport {
 protected:
  PeriodImport() {
    spec_.periods = {Period::kDay, Period::kAll};
    spec_.keep = 2;
  }
  // 2023-11-14T22:13:20Z and the days before.
  [[nodiscard]] Stamp Ago(int days) const { return clock_.Now() - days * kDay; }

  Spec spec_;
};

TEST_F(PeriodImport, RowsGoIntoTheInstancesOfTheirTimes) {
  ASSERT_EQ(Import(folder_.get(), "lb", spec_,
                   {{"ann", {"1"}, Ago(0)},
                    {"bob", {"2"}, Ago(1)},
                    {"cid", {"3"}, Ago(2)},
                    {"dan", {"4"}, Ago(3)}},
                   clock_.Now()),
            "");
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Ask("ZREVRANGE lb@day 0 -1"), "[ann]");
  EXPECT_EQ(Ask("ZREVRANGE lb@day:-1 0 -1"), "[bob]");
  EXPECT_EQ(Ask("ZREVRANGE lb@day:2023-11-12 0 -1"), "[cid]");
  EXPECT_TRUE(Ask("LB.SIZE lb@day:2023-11-11").starts_with("-NOBOARD"));
  EXPECT_EQ(Ask("ZREVRANGE lb@all 0 -1"), "[dan cid bob ann]");
  // Past instances are closed, and their end is no event.
  EXPECT_TRUE(Ask("LB.SUBMIT lb eve 9 AT " + std::to_string(Ago(1)) + "us").starts_with("-CLOSED"));
  rig_->Tick();
  EXPECT_EQ(Changes("lb", "0").find("closed"), std::string::npos);
  EXPECT_EQ(Ask("LB.SUBMIT lb ann 7").substr(0, 17), "[status accepted ");
  EXPECT_EQ(Ask("ZREVRANGE lb@day 0 -1"), "[ann]");
  clock_.Move(kDay);
  rig_->Tick();
  EXPECT_EQ(Ask("ZREVRANGE lb@day:-1 0 -1"), "[ann]");
  EXPECT_NE(Changes("lb", "0").find("closed"), std::string::npos);
}

TEST_F(PeriodImport, OnePeriodMayBeFilledAlone) {
  ASSERT_EQ(Import(folder_.get(), "lb", spec_, {{"ann", {"1"}, Ago(0)}, {"bob", {"2"}, Ago(300)}},
                   clock_.Now(), "all"),
            "");
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Ask("ZREVRANGE lb@all 0 -1"), "[bob ann]");
  EXPECT_EQ(Ask("LB.SIZE lb@day"), "0");
}

TEST_F(PeriodImport, AnImportJoinsTheInstancesThatAreThere) {
  spec_.cap = 2;
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_EQ(rig_->AskBytes(CreateWords("lb", spec_)), "+OK\r\n");
  Ask("LB.SUBMIT lb ann 10");
  Ask("LB.SUBMIT lb bob 20");
  clock_.Move(kDay);
  rig_->Tick();  // closes the day
  Ask("LB.SUBMIT lb ann 30");
  Ask("LB.HIDE lb bob");
  Stop();
  ASSERT_EQ(Import(folder_.get(), "lb", spec_,
                   {{"cid", {"15"}, Ago(1)},
                    {"ann", {"5"}, Ago(0)},
                    {"bob", {"6"}, Ago(0)},
                    {"dan", {"7"}, Ago(2), "", true}},
                   clock_.Now()),
            "");
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_EQ(Ask("ZREVRANGE lb@day 0 -1 WITHSCORES"), "[ann 5]");
  EXPECT_EQ(Ask("ZREVRANGE lb@day:-1 0 -1 WITHSCORES"), "[cid 15 ann 10]");
  EXPECT_EQ(Ask("ZREVRANGE lb@all 0 -1 WITHSCORES"), "[cid 15 ann 5]");
  EXPECT_EQ(Ask("LB.SHOW lb bob dan"), "2");
  EXPECT_EQ(Ask("ZREVRANGE lb@day 0 -1 WITHSCORES"), "[bob 6 ann 5]");
  EXPECT_EQ(Ask("ZREVRANGE lb@day:-1 0 -1 WITHSCORES"), "[bob 20 cid 15]");
  EXPECT_EQ(Ask("ZREVRANGE lb@day:-2 0 -1 WITHSCORES"), "[dan 7]");
}

TEST_F(PeriodImport, AnInstanceThatIsOverAndNotClosedYetStaysSoUntilTheNextStart) {
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_EQ(rig_->AskBytes(CreateWords("lb", spec_)), "+OK\r\n");
  Ask("LB.SUBMIT lb ann 10");
  Stop();
  clock_.Move(kDay);
  ASSERT_EQ(Import(folder_.get(), "lb", spec_, {{"bob", {"20"}, Ago(1)}}, clock_.Now()), "");
  ASSERT_NO_FATAL_FAILURE(Start());
  rig_->Tick();
  EXPECT_EQ(Ask("ZREVRANGE lb@day:-1 0 -1"), "[bob ann]");
  EXPECT_NE(Changes("lb", "0").find("closed"), std::string::npos);
}

// The draft and the server agree on every instance.
TEST_F(PeriodImport, RandomRowsAreWhereTheDraftPutsThem) {
  base::Random random(TestSeed());
  const Stamp now = clock_.Now();
  for (int episode = 0; episode < 40; ++episode) {
    rig_.reset();
    folder_ = std::make_unique<SimulatedFolder>();
    Spec spec = leaderboard::RandomSpec(&random, now);
    spec.start.reset();
    spec.end.reset();
    if (spec.periods.empty()) continue;
    SCOPED_TRACE("episode " + std::to_string(episode) + ": " + DescribeSpec(spec));
    const auto rows = RandomRows(spec, random.Below(400), 60, now, &random);
    const auto draft = DraftOf(spec, rows, now);
    std::map<std::string, std::vector<std::string>> expected;
    for (const ListedEntry& entry : ListEntries(*draft)) {
      std::vector<std::string>& members = expected[entry.instance];
      const bool is_full = spec.cap > 0 && members.size() == spec.cap;
      if (!entry.hidden && !is_full) members.push_back(entry.member);
    }
    ASSERT_EQ(Import(folder_.get(), "lb", spec, rows, now), "");
    ASSERT_NO_FATAL_FAILURE(Start());
    for (const auto& [instance, members] : expected) {
      std::string listed;
      for (const std::string& member : members) listed += (listed.empty() ? "" : " ") + member;
      const std::string range =
          spec.fields[0].direction == Direction::kAsc ? "ZRANGE" : "ZREVRANGE";
      EXPECT_EQ(Ask(Words{range, "lb@" + instance, "0", "-1"}), "[" + listed + "]") << instance;
    }
  }
}

}  // namespace
}  // namespace laurel::testing
