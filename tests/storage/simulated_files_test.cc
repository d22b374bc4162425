// The simulated disk behaves like a real folder until it crashes, and a crash loses only what it
// may lose.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
#include "tests/storage/simulated_files.h"

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/random.h"
#include "tests/support/files.h"
#include "tests/support/seed.h"

namespace laurel::testing {
namespace {

using base::File;
using base::Folder;
using base::Random;
using Mode = Folder::Mode;
using Names = std::vector<std::string>;
using Survivors = CrashOptions::Survivors;

constexpr CrashOptions kLoseAll{Survivors::kNone, false, {}};
constexpr CrashOptions kLoseNothing{Survivors::kAll, false, {}};

template <typename T>
std::string MessageOf(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().message;
}

std::unique_ptr<File> Create(SimulatedFolder* folder, std::string_view name) {
  return folder->Open(name, Mode::kCreate).value();
}

// A file with a durable name and durable bytes, open for writing.
std::unique_ptr<File> Durable(SimulatedFolder* folder, std::string_view name,
                              std::string_view bytes) {
  folder->SetBytes(name, bytes);
  return folder->Open(name, Mode::kWrite).value();
}

std::string AfterCrash(SimulatedFolder* folder, std::string_view name,
                       const CrashOptions& options = kLoseAll) {
  Random random(1);
  return folder->Crash(&random, options)->Bytes(name);
}

// Returns the sets of names found in many crashes.
std::set<Names> NamesAfterCrashes(SimulatedFolder* folder, Survivors survivors) {
  Random random(TestSeed());
  std::set<Names> found;
  for (int i = 0; i < 500; ++i) {
    found.insert(folder->Crash(&random, {survivors})->List().value());
  }
  return found;
}

std::string RandomBytes(Random* random, std::size_t count) {
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random->Below(256));
  return bytes;
}

std::string ReadAll(Folder* folder, const std::string& name) {
  const auto file = folder->Open(name, Mode::kRead).value();
  std::string bytes(file->Size().value(), '\0');
  EXPECT_EQ(file->ReadAt(0, bytes.data(), bytes.size()).value(), bytes.size());
  return bytes;
}

// Runs random steps on a folder and returns the result of each. The same random numbers give the
// same step on any folder in the same state.
class RandomSteps {
 public:
  explicit RandomSteps(Folder* folder) : folder_(folder) {}

  std::string Run(Random random) {
    const std::string name(1, static_cast<char>('a' + random.Below(5)));
    switch (random.Below(9)) {
      case 0:
        return Open(name, Mode::kCreate);
      case 1:
        return Open(name, random.OneIn(2) ? Mode::kRead : Mode::kWrite);
      case 2:
        return random.OneIn(3) ? Result(folder_->Remove(name)) : "";
      case 3:
        return Result(
            folder_->Rename(name, std::string(1, static_cast<char>('a' + random.Below(5)))));
      case 4:
        return random.OneIn(2) ? Result(folder_->Sync()) : Result(file(name).Sync());
      case 5:
        return Result(file(name).Truncate(Position(&random)));
      case 6: {
        std::string read(Position(&random), '#');
        const auto got = file(name).ReadAt(Position(&random), read.data(), read.size());
        return got.ok() ? read.substr(0, got.value()) : Result(got);
      }
      default:
        return Result(
            file(name).WriteAt(Position(&random), RandomBytes(&random, Position(&random) / 16)));
    }
  }

 private:
  // Sometimes around the borders of pages.
  static std::uint64_t Position(Random* random) {
    return random->Below(random->OneIn(4) ? 200'000 : 2'000);
  }

  // The result as text, without the path of the folder.
  template <typename T>
  std::string Result(const laurel::Result<T>& result) {
    if (result.ok()) return "ok";
    std::string message = result.error().message;
    for (std::size_t at; (at = message.find(folder_->path())) != std::string::npos;) {
      message.erase(at, folder_->path().size());
    }
    return message;
  }

  std::string Open(const std::string& name, Mode mode) {
    auto opened = folder_->Open(name, mode);
    std::string text = Result(opened);
    if (opened.ok()) open_[name] = std::move(opened).value();
    return text;
  }

  // Returns an open file, if possible the one of that name. It may have been removed or renamed
  // since.
  File& file(const std::string& name) {
    if (open_.empty()) open_["first"] = folder_->Open("first", Mode::kCreate).value();
    const auto found = open_.lower_bound(name);
    return *(found == open_.end() ? open_.begin() : found)->second;
  }

  Folder* folder_;
  std::map<std::string, std::unique_ptr<File>> open_;
};

TEST(SimulatedFiles, BehaveLikeARealFolder) {
  const TemporaryFolder root;
  Random random(TestSeed());
  for (int round = 0; round < 20; ++round) {
    const auto real = base::OpenFolder(root / std::to_string(round), true).value();
    SimulatedFolder simulated;
    RandomSteps on_real(real.get());
    RandomSteps on_simulated(&simulated);
    for (int step = 0; step < 200; ++step) {
      const Random same(random.Next());
      ASSERT_EQ(on_simulated.Run(same), on_real.Run(same)) << "round " << round << " step " << step;
    }
    const Names names = real->List().value();
    ASSERT_EQ(simulated.List().value(), names);
    const auto copy = simulated.Copy();
    const auto crashed = simulated.Crash(&random, kLoseNothing);
    for (const std::string& name : names) {
      const std::string bytes = ReadAll(real.get(), name);
      ASSERT_TRUE(simulated.Bytes(name) == bytes && copy->Bytes(name) == bytes &&
                  crashed->Bytes(name) == bytes)
          << "round " << round << " file " << name;
    }
  }
}

TEST(SimulatedFiles, ACrashKeepsWhatWasSyncedAndMayLoseTheRest) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "0123");
  ASSERT_TRUE(file->WriteAt(4, "4567").ok());
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->WriteAt(0, "abcdefghij").ok());
  EXPECT_EQ(folder.Bytes("log"), "abcdefghij");
  EXPECT_EQ(AfterCrash(&folder, "log", kLoseAll), "01234567");
  EXPECT_EQ(AfterCrash(&folder, "log", kLoseNothing), "abcdefghij");
  EXPECT_EQ(folder.Bytes("log"), "abcdefghij") << "this one goes on untouched";
}

TEST(SimulatedFiles, AKilledProcessLosesNothingButAPowerLossThereafterMay) {
  SimulatedFolder folder;
  const auto lock = folder.Lock();
  const auto file = Durable(&folder, "log", "synced");
  ASSERT_TRUE(file->WriteAt(6, " not").ok());
  const auto killed = folder.CrashKillOnly();
  EXPECT_EQ(killed->Bytes("log"), "synced not");
  EXPECT_EQ(AfterCrash(killed.get(), "log"), "synced");
  EXPECT_TRUE(killed->Lock().ok()) << "its lock is gone";
  EXPECT_EQ(MessageOf(folder.Lock()), "/simulated is in use by this process");
}

TEST(SimulatedFiles, ANameIsDurableOnlyAfterASyncOfTheFolder) {
  SimulatedFolder folder;
  const auto file = Create(&folder, "log");
  ASSERT_TRUE(file->WriteAt(0, "bytes").ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kNone), (std::set<Names>{{}}));
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kAny), (std::set<Names>{{}, {"log"}}));
  ASSERT_TRUE(folder.Sync().ok());
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kAny), std::set<Names>{{"log"}});
  EXPECT_EQ(AfterCrash(&folder, "log"), "bytes");
}

TEST(SimulatedFiles, ARenameSurvivesWholeOrNotAtAll) {
  SimulatedFolder folder;
  folder.SetBytes("snapshot", "old");
  folder.SetBytes("snapshot.tmp", "new");
  ASSERT_TRUE(folder.Rename("snapshot.tmp", "snapshot").ok());
  EXPECT_EQ(folder.Bytes("snapshot"), "new");
  EXPECT_FALSE(folder.Exists("snapshot.tmp"));
  EXPECT_EQ(AfterCrash(&folder, "snapshot"), "old");
  EXPECT_EQ(AfterCrash(&folder, "snapshot.tmp"), "new");
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kAny),
            (std::set<Names>{{"snapshot"}, {"snapshot", "snapshot.tmp"}}));
  ASSERT_TRUE(folder.Sync().ok());
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kAny), std::set<Names>{{"snapshot"}});
  EXPECT_EQ(AfterCrash(&folder, "snapshot"), "new");
}

TEST(SimulatedFiles, NamesAreLostInAnyOrderOrFromTheEnd) {
  SimulatedFolder folder;
  folder.SetBytes("a", "");
  ASSERT_TRUE(folder.Remove("a").ok());
  Create(&folder, "b");
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kPrefix), (std::set<Names>{{"a"}, {}, {"b"}}));
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kAny),
            (std::set<Names>{{"a"}, {}, {"b"}, {"a", "b"}}));
}

TEST(SimulatedFiles, ATruncateCanBeLost) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "0123456789");
  ASSERT_TRUE(file->Truncate(3).ok());
  EXPECT_EQ(AfterCrash(&folder, "log"), "0123456789");
  EXPECT_EQ(AfterCrash(&folder, "log", kLoseNothing), "012");
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(AfterCrash(&folder, "log"), "012");
}

TEST(SimulatedFiles, TheLastSurvivingWriteIsTornAtTheGivenByte) {
  SimulatedFolder folder;
  const auto one = Durable(&folder, "1", "");
  const auto two = Durable(&folder, "2", "");
  ASSERT_TRUE(two->WriteAt(0, "first").ok());
  ASSERT_TRUE(one->WriteAt(0, "last").ok());
  for (std::size_t bytes = 0; bytes <= 4; ++bytes) {
    const CrashOptions options{Survivors::kAll, false, bytes};
    EXPECT_EQ(AfterCrash(&folder, "1", options), std::string("last").substr(0, bytes));
    EXPECT_EQ(AfterCrash(&folder, "2", options), "first");
  }
}

TEST(SimulatedFiles, APrefixOfTheWritesSurvivesWithTheLastOneTornAnywhere) {
  SimulatedFolder folder;
  const auto log = Durable(&folder, "log", "");
  const auto other = Durable(&folder, "other", "");
  std::set<std::string> possible;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE((i % 2 == 0 ? log : other)->WriteAt(i / 2 * 2, "xy").ok());
  }
  for (const char* both :
       {"|", "x|", "xy|", "xy|x", "xy|xy", "xyx|xy", "xyxy|xy", "xyxy|xyx", "xyxy|xyxy",
        "xyxyx|xyxy", "xyxyxy|xyxy", "xyxyxy|xyxyx", "xyxyxy|xyxyxy"}) {
    possible.insert(both);
  }
  std::set<std::string> found;
  Random random(TestSeed());
  for (int i = 0; i < 2000; ++i) {
    const auto crashed = folder.Crash(&random, {Survivors::kPrefix});
    found.insert(crashed->Bytes("log") + "|" + crashed->Bytes("other"));
  }
  EXPECT_EQ(found, possible);
}

TEST(SimulatedFiles, SectorsSurviveIndependently) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", std::string(1536, '.'));
  ASSERT_TRUE(file->WriteAt(100, std::string(1400, 'x')).ok());
  std::set<std::string> found;  // the first and the last byte written in each sector
  Random random(TestSeed());
  for (int i = 0; i < 1000; ++i) {
    const std::string bytes = folder.Crash(&random, {Survivors::kAny, false})->Bytes("log");
    found.insert({bytes[100], bytes[511], bytes[512], bytes[1023], bytes[1024], bytes[1499]});
    ASSERT_EQ(bytes.substr(0, 100), std::string(100, '.'));
    ASSERT_EQ(bytes.substr(1500), std::string(36, '.'));
  }
  EXPECT_EQ(found, (std::set<std::string>{"......", "xx....", "..xx..", "....xx", "xxxx..",
                                          "xx..xx", "..xxxx", "xxxxxx"}));
}

TEST(SimulatedFiles, OnlyTheLengthOfAWriteMaySurvive) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "0");
  ASSERT_TRUE(file->WriteAt(1, "12").ok());
  std::set<std::string> found;
  Random random(TestSeed());
  for (int i = 0; i < 1000; ++i) {
    found.insert(folder.Crash(&random, {Survivors::kAny})->Bytes("log"));
  }
  EXPECT_EQ(found, (std::set<std::string>{"0", "01", "012", {"0\0\0", 3}, {"01\0", 3}}));
}

// Every byte found after a crash was synced, or written there since. Bytes not written since the
// last sync are unchanged.
TEST(SimulatedFiles, RandomCrashesInventNothingAndKeepWhatWasSynced) {
  Random random(TestSeed());
  for (int round = 0; round < 300; ++round) {
    constexpr std::size_t kBytes = 3000;
    SimulatedFolder folder;
    const auto file = Durable(&folder, "log", std::string(kBytes, '\0'));
    std::vector<std::set<char>> possible(kBytes, {'\0'});
    std::string current(kBytes, '\0');
    for (std::uint64_t step = random.Below(30); step > 0; --step) {
      if (random.OneIn(5)) {
        ASSERT_TRUE(file->Sync().ok());
        for (std::size_t i = 0; i < kBytes; ++i) possible[i] = {current[i]};
        continue;
      }
      const std::size_t offset = random.Below(kBytes);
      const std::string bytes = RandomBytes(&random, random.Below(kBytes - offset) + 1);
      ASSERT_TRUE(file->WriteAt(offset, bytes).ok());
      for (std::size_t i = 0; i < bytes.size(); ++i) {
        possible[offset + i].insert(bytes[i]);
        current[offset + i] = bytes[i];
      }
    }
    for (const Survivors survivors : {Survivors::kPrefix, Survivors::kAny}) {
      const std::string found = folder.Crash(&random, {survivors})->Bytes("log");
      ASSERT_EQ(found.size(), kBytes);
      for (std::size_t i = 0; i < kBytes; ++i) {
        ASSERT_TRUE(possible[i].contains(found[i])) << "round " << round << " byte " << i;
      }
    }
  }
}

TEST(SimulatedFiles, TheSameSeedGivesTheSameCrash) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "");
  ASSERT_TRUE(file->WriteAt(0, std::string(10'000, 'x')).ok());
  for (int i = 0; i < 8; ++i) Create(&folder, std::to_string(i));
  const std::uint64_t seed = TestSeed();
  Random one(seed);
  Random other(seed);
  const auto first = folder.Crash(&one);
  const auto second = folder.Copy()->Crash(&other);
  EXPECT_EQ(first->List().value(), second->List().value());
  EXPECT_EQ(first->Bytes("log"), second->Bytes("log"));
}

TEST(SimulatedFiles, ALaterSyncDoesNotBringBackWhatAFailedSyncLost) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "");
  ASSERT_TRUE(file->WriteAt(0, "lost").ok());
  folder.FailCall(folder.calls() + 1, Fault::kError);
  EXPECT_EQ(MessageOf(file->Sync()), "cannot sync /simulated/log: Input/output error");
  EXPECT_EQ(folder.Bytes("log"), "lost") << "readers still see it";
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(AfterCrash(&folder, "log"), "");
  ASSERT_TRUE(file->WriteAt(4, "kept").ok());
  EXPECT_EQ(AfterCrash(&folder, "log"), "");
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(AfterCrash(&folder, "log"), std::string("\0\0\0\0kept", 8));
  EXPECT_EQ(AfterCrash(folder.Copy().get(), "log"), std::string("\0\0\0\0kept", 8));
  EXPECT_EQ(AfterCrash(&folder, "log", kLoseNothing), "lostkept") << "it may be there all the same";
}

TEST(SimulatedFiles, ALaterSyncDoesNotBringBackWhatAFailedFolderSyncLost) {
  SimulatedFolder folder;
  Create(&folder, "a");
  folder.FailCall(folder.calls() + 1, Fault::kError);
  EXPECT_EQ(MessageOf(folder.Sync()), "cannot sync /simulated: Input/output error");
  Create(&folder, "b");
  ASSERT_TRUE(folder.Sync().ok());
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kAny), (std::set<Names>{{"b"}, {"a", "b"}}));
  ASSERT_TRUE(folder.Rename("a", "c").ok());
  ASSERT_TRUE(folder.Sync().ok());
  EXPECT_EQ(NamesAfterCrashes(&folder, Survivors::kNone), (std::set<Names>{{"b", "c"}}));
}

TEST(SimulatedFiles, CallsAreNumberedAndPassedToTheHooks) {
  SimulatedFolder folder;
  Names before;
  Names after;
  folder.before_call = [&](const Call& call) { before.push_back(call.ToString()); };
  folder.after_call = [&](const Call& call) { after.push_back(call.ToString()); };
  const auto lock = folder.Lock();
  const auto file = Create(&folder, "log");
  char byte = 0;
  EXPECT_TRUE(file->WriteAt(10, "abc").ok());
  EXPECT_TRUE(file->ReadAt(11, &byte, 1).ok());
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(file->Truncate(5).ok());
  EXPECT_TRUE(folder.Rename("log", "new").ok());
  EXPECT_TRUE(folder.Sync().ok());
  EXPECT_TRUE(folder.List().ok());
  EXPECT_TRUE(folder.Remove("new").ok());
  EXPECT_EQ(before, (Names{"1: lock", "2: open log", "3: write log 10+3", "4: read log 11+1",
                           "5: sync log", "6: truncate log 5", "7: rename log", "8: folder sync",
                           "9: list", "10: remove new"}));
  EXPECT_EQ(after, before);
  EXPECT_EQ(folder.calls(), 10U);
}

TEST(SimulatedFiles, HooksRunBeforeAndAfterACallAndMayFailIt) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "");
  Names seen;
  const auto look = [&](const Call& call) {
    if (call.kind == CallKind::kSync) seen.push_back(AfterCrash(&folder, "log"));
  };
  folder.before_call = look;
  folder.after_call = look;
  ASSERT_TRUE(file->WriteAt(0, "x").ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(seen, (Names{"", "x"}));
  folder.before_call = [&](const Call& call) { folder.FailCall(call.number, Fault::kError); };
  EXPECT_FALSE(file->WriteAt(0, "y").ok());
  EXPECT_EQ(folder.Bytes("log"), "x");
}

TEST(SimulatedFiles, EveryCallCanFailAndThenHasNoEffect) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "abc");
  folder.FailFrom(folder.calls() + 1, Fault::kError);
  char byte = '#';
  EXPECT_EQ(MessageOf(file->ReadAt(0, &byte, 1)), "cannot read /simulated/log: Input/output error");
  EXPECT_EQ(MessageOf(file->WriteAt(0, "x")), "cannot write /simulated/log: Input/output error");
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_FALSE(file->Truncate(0).ok());
  EXPECT_FALSE(folder.Open("log", Mode::kRead).ok());
  EXPECT_FALSE(folder.Open("new", Mode::kCreate).ok());
  EXPECT_FALSE(folder.Rename("log", "new").ok());
  EXPECT_FALSE(folder.Remove("log").ok());
  EXPECT_FALSE(folder.List().ok());
  EXPECT_FALSE(folder.Sync().ok());
  EXPECT_FALSE(folder.Lock().ok());
  folder.Heal();
  EXPECT_EQ(folder.List().value(), Names{"log"});
  EXPECT_EQ(folder.Bytes("log"), "abc");
  EXPECT_EQ(byte, '#');
  EXPECT_TRUE(folder.Lock().ok());
}

TEST(SimulatedFiles, AFullDiskStillReadsAndRemoves) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "abc");
  folder.FailFrom(1, Fault::kNoSpace);
  EXPECT_EQ(MessageOf(file->WriteAt(0, "x")),
            "cannot write /simulated/log: No space left on device");
  EXPECT_FALSE(file->Truncate(4).ok());
  EXPECT_FALSE(folder.Open("new", Mode::kCreate).ok());
  EXPECT_TRUE(file->Truncate(2).ok());
  EXPECT_FALSE(file->Sync().ok());
  char byte = 0;
  EXPECT_TRUE(file->ReadAt(0, &byte, 1).ok());
  EXPECT_TRUE(folder.List().ok());
  EXPECT_TRUE(folder.Remove("log").ok());
}

TEST(SimulatedFiles, AShortWriteWritesHalf) {
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "");
  folder.FailCall(folder.calls() + 1, Fault::kShortWrite);
  EXPECT_EQ(MessageOf(file->WriteAt(0, "12345678")),
            "cannot write /simulated/log: Input/output error");
  EXPECT_EQ(folder.Bytes("log"), "1234");
  EXPECT_EQ(AfterCrash(&folder, "log"), "");
  EXPECT_TRUE(file->WriteAt(4, "5678").ok()) << "one call alone";
}

TEST(SimulatedFiles, TheCapacityIsUsedToTheLastByte) {
  SimulatedFolder folder;
  folder.SetBytes("other", "12345");
  const auto file = Durable(&folder, "log", "");
  folder.set_capacity(10);
  EXPECT_TRUE(file->WriteAt(0, "abc").ok());
  EXPECT_EQ(MessageOf(file->WriteAt(3, "defg")),
            "cannot write /simulated/log: No space left on device");
  EXPECT_EQ(folder.Bytes("log"), "abcde");
  EXPECT_TRUE(file->WriteAt(0, "ABCDE").ok()) << "no more room is needed";
  EXPECT_FALSE(file->WriteAt(20, "x").ok());
  EXPECT_FALSE(file->Truncate(6).ok());
  EXPECT_FALSE(folder.Copy()->Open("log", Mode::kWrite).value()->WriteAt(5, "x").ok());
  EXPECT_TRUE(folder.Remove("other").ok());
  EXPECT_TRUE(file->WriteAt(5, "fghij").ok()) << "there is room again";
  folder.set_capacity({});
  EXPECT_TRUE(file->WriteAt(100, "x").ok());
}

TEST(SimulatedFiles, RemovingAFileFreesItsSpace) {
  SimulatedFolder folder;
  EXPECT_FALSE(folder.Space().has_value());
  folder.set_capacity(100);
  const auto file = folder.Open("a", base::Folder::Mode::kCreate).value();
  ASSERT_TRUE(file->Allocate(70).ok());
  EXPECT_EQ(folder.Space()->free_bytes, 30U);
  EXPECT_EQ(folder.Space()->total_bytes, 100U);
  const Status refused = file->Allocate(101);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kNoSpace);
  ASSERT_TRUE(folder.Remove("a").ok());
  EXPECT_EQ(folder.Space()->free_bytes, 100U);
}

TEST(SimulatedFiles, AReplacedFileHasAnotherIdThanTheOpenFile) {
  SimulatedFolder folder;
  const auto file = folder.Open("a", base::Folder::Mode::kCreate).value();
  EXPECT_EQ(folder.IdOf("a").value(), file->Id().value());
  folder.Steal("a", "other");
  EXPECT_NE(folder.IdOf("a").value(), file->Id().value());
  folder.Steal("a", std::nullopt);
  EXPECT_EQ(folder.IdOf("a").value(), std::nullopt);
}

TEST(SimulatedFiles, CopiesAreIndependent) {
  Random random(TestSeed());
  const std::string bytes = RandomBytes(&random, 300'000);
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", bytes);
  const auto copy = folder.Copy();
  ASSERT_TRUE(file->WriteAt(70'000, "here").ok());
  ASSERT_TRUE(copy->Open("log", Mode::kWrite).value()->WriteAt(140'000, "there").ok());
  EXPECT_TRUE(folder.Bytes("log") == std::string(bytes).replace(70'000, 4, "here"));
  EXPECT_TRUE(copy->Bytes("log") == std::string(bytes).replace(140'000, 5, "there"));
  EXPECT_TRUE(AfterCrash(copy.get(), "log") == bytes);
}

TEST(SimulatedFiles, ServeSeveralThreads) {
  constexpr std::size_t kWriters = 3;
  constexpr std::uint64_t kWrites = 300;
  SimulatedFolder folder;
  const auto file = Durable(&folder, "log", "");
  std::atomic<std::uint64_t> told{0};
  folder.after_call = [&told](const Call&) { ++told; };
  std::vector<std::thread> threads;
  for (std::size_t writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&file, writer] {
      for (std::uint64_t i = 0; i < kWrites; ++i) {
        const char byte = static_cast<char>('a' + writer);
        EXPECT_TRUE(file->WriteAt(i * kWriters + writer, {&byte, 1}).ok());
        EXPECT_TRUE(i % 10 != 0 || file->Sync().ok());
      }
    });
  }
  Random random(TestSeed());
  for (int i = 0; i < 50; ++i) {
    const auto crashed = folder.Crash(&random);
    ASSERT_TRUE(crashed->Open("log", Mode::kWrite).value()->WriteAt(0, "###").ok());
  }
  for (std::thread& thread : threads) thread.join();
  std::string expected;
  for (std::uint64_t i = 0; i < kWrites; ++i) expected += "abc";
  EXPECT_EQ(folder.Bytes("log"), expected);
  EXPECT_EQ(told + 1, folder.calls()) << "the file was opened before";
}

TEST(SimulatedFiles, OpenFilesOutliveTheirFolder) {
  auto folder = std::make_unique<SimulatedFolder>();
  std::uint64_t told = 0;
  folder->after_call = [&told](const Call&) { ++told; };
  const auto file = Create(folder.get(), "log");
  auto lock = folder->Lock();
  folder.reset();
  EXPECT_TRUE(file->WriteAt(0, "x").ok());
  EXPECT_EQ(file->Size().value(), 1U);
  EXPECT_EQ(told, 3U);
}

}  // namespace
}  // namespace laurel::testing
