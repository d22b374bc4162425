// Random boards of every kind go into an archive and from there into a data folder: each has the
// same digest, whatever was hidden, capped, closed or renamed. Request ids are left out.
//
// LAUREL_TEST_SEED   the seed of a run; random if not set, and printed
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/spec.h"
#include "storage/archive.h"
#include "tests/storage/boards_world.h"
#include "tests/storage/folder_contents.h"
#include "tests/storage/simulated_files.h"
#include "tests/support/files.h"
#include "tests/support/seed.h"
#include "transfer/export.h"
#include "transfer/folders/loaded_boards.h"
#include "transfer/targets/folder_sink.h"

namespace laurel::testing {
namespace {

using transfer::FolderSink;
using transfer::LoadedBoards;

constexpr int kEpisodes = 25;
constexpr int kSteps = 400;

// Everything of a board but its name, id and request ids. The digest covers what no text shows.
std::string ContentsOf(const engine::NamedBoard& named) {
  std::string text =
      DescribeSpec(named.spec()) + " expires " + std::to_string(named.expires_at_ms) + "\n";
  EXPECT_EQ(named.board.Validate(), "");
  return text + "digest " + std::to_string(named.board.Digest()) + "\n";
}

std::vector<const engine::NamedBoard*> BoardsOf(engine::Keyspace& keys) {
  std::vector<const engine::NamedBoard*> boards;
  for (engine::NamedBoard* named = keys.catalog().FirstById(); named != nullptr;
       named = engine::Catalog::NextById(named)) {
    named->board.ForgetRequests(nullptr);
    boards.push_back(named);
  }
  return boards;
}

bool HasNotes(const engine::NamedBoard& named) {
  for (const auto& stored : named.board.instances()) {
    if (!stored->close_note.empty()) return true;
  }
  return false;
}

class ArchiveOfBoards : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) { return (folder_ / name).string(); }

  // Writes the archive and loads it again.
  LoadedBoards WriteAndLoad(const std::vector<const engine::NamedBoard*>& boards,
                            const std::string& path, Stamp last_stamp) {
    const Result<storage::Manifest> written =
        transfer::WriteArchive(boards, {path, last_stamp, last_stamp, nullptr});
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
    Result<LoadedBoards> loaded = LoadedBoards::Open(path, nullptr);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().message);
    return std::move(*loaded);
  }

  TemporaryFolder folder_;
};

TEST_F(ArchiveOfBoards, RandomBoardsComeOutAsTheyWentIn) {
  const std::uint64_t seed = TestSeed();
  base::Random random(seed);
  std::size_t with_notes = 0;
  // Goes on until an instance was closed, which one run in fifteen does not reach in kEpisodes.
  const auto goes_on = [&](int episode) {
    return episode < kEpisodes || (with_notes == 0 && episode < 20 * kEpisodes);
  };
  for (int episode = 0; goes_on(episode); ++episode) {
    SCOPED_TRACE("episode " + std::to_string(episode));
    RandomBoards world(seed + static_cast<std::uint64_t>(episode));
    for (int i = 0; i < kSteps; ++i) world.Step();
    std::vector<const engine::NamedBoard*> chosen;
    for (const engine::NamedBoard* named : BoardsOf(world.keys())) {
      if (!random.OneIn(4)) chosen.push_back(named);
      with_notes += HasNotes(*named) ? 1 : 0;
    }
    const std::string ending = random.OneIn(2) ? ".laurel" : "";
    const LoadedBoards loaded =
        WriteAndLoad(chosen, Path(std::to_string(episode) + ending), world.stamp());
    ASSERT_EQ(loaded.Match("*").size(), chosen.size());
    EXPECT_EQ(loaded.last_stamp(), world.stamp());

    // From the archive into a folder, under other names.
    SimulatedFolder data;
    auto sink = FolderSink::Open(&data, {world.stamp(), nullptr});
    ASSERT_TRUE(sink.ok()) << sink.error().message;
    for (const engine::NamedBoard* named : loaded.Match("*")) {
      EXPECT_FALSE(HasNotes(*named));
      const Status copied = (*sink)->Copy(*named, "copy-" + std::string(named->name), nullptr);
      ASSERT_TRUE(copied.ok()) << copied.error().message;
    }
    (*sink)->RaiseClock(loaded.last_stamp());
    const Status finished = (*sink)->Finish();
    ASSERT_TRUE(finished.ok()) << finished.error().message;
    sink->reset();
    FolderContents contents(&data);
    ASSERT_TRUE(contents.ok()) << contents.error();
    EXPECT_EQ(contents.last_stamp(), chosen.empty() ? 0 : world.stamp());
    EXPECT_EQ(contents.keys().catalog().size(), chosen.size());
    for (const engine::NamedBoard* named : chosen) {
      const std::string name(named->name);
      SCOPED_TRACE(name);
      const engine::NamedBoard* archived = loaded.Find(name);
      const engine::NamedBoard* imported = contents.keys().catalog().Find("copy-" + name);
      ASSERT_NE(archived, nullptr);
      ASSERT_NE(imported, nullptr);
      EXPECT_EQ(ContentsOf(*archived), ContentsOf(*named));
      EXPECT_EQ(ContentsOf(*imported), ContentsOf(*named));
    }
  }
  EXPECT_GT(with_notes, 0U) << "no instance was closed: the test shows less than it says";
}

TEST_F(ArchiveOfBoards, AnArchiveWithoutBoardsIsWhole) {
  const LoadedBoards loaded = WriteAndLoad({}, Path("none.laurel"), 7);
  EXPECT_TRUE(loaded.Match("*").empty());
  EXPECT_EQ(loaded.record(), 1U);
  EXPECT_EQ(loaded.last_stamp(), 7);
}

TEST_F(ArchiveOfBoards, ATakenPathIsRefused) {
  WriteFile(folder_ / "a.laurel", "something");
  const auto written = transfer::WriteArchive({}, {Path("a.laurel"), 0, 0, nullptr});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(ReadFile(folder_ / "a.laurel"), "something");
}

TEST_F(ArchiveOfBoards, ADamagedArchiveIsRefusedWhereverItIsDamaged) {
  RandomBoards world(3);
  for (int i = 0; i < 60; ++i) world.Step();
  const std::string path = Path("a.laurel");
  ASSERT_TRUE(transfer::WriteArchive(BoardsOf(world.keys()), {path, 1, 1, nullptr}).ok());
  const std::string whole = ReadFile(path);
  base::Random random(TestSeed());
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    const std::uint64_t at = random.Below(whole.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1U << random.Below(8)));
    WriteFile(path, damaged);
    ASSERT_FALSE(LoadedBoards::Open(path, nullptr).ok()) << "byte " << at;
    WriteFile(path, whole.substr(0, at));
    ASSERT_FALSE(LoadedBoards::Open(path, nullptr).ok()) << "cut at " << at;
  }
}

TEST_F(ArchiveOfBoards, ACopyNeverReplacesABoard) {
  RandomBoards world(5);
  engine::NamedBoard* lb = *world.keys().Replace("lb", Spec{});
  SimulatedFolder data;
  auto sink = FolderSink::Open(&data, {world.stamp(), nullptr});
  ASSERT_TRUE(sink.ok());
  ASSERT_TRUE((*sink)->Copy(*lb, "lb", nullptr).ok());
  EXPECT_EQ((*sink)->Copy(*lb, "lb", nullptr).error().ToString(), "EXISTS 'lb' is there already");
  EXPECT_EQ((*sink)->Copy(*lb, "a@b", nullptr).error().code, ErrorCode::kErr);
  ASSERT_TRUE((*sink)->Finish().ok());
  sink->reset();
  sink = FolderSink::Open(&data, {world.stamp(), nullptr});
  ASSERT_TRUE(sink.ok());
  EXPECT_EQ((*sink)->Copy(*lb, "lb", nullptr).error().ToString(), "EXISTS 'lb' is there already");
  ASSERT_TRUE((*sink)->Copy(*lb, "other", nullptr).ok());
}

// Loading -----------------------------------------------------------------------------------------

TEST_F(ArchiveOfBoards, ADataFolderIsLockedWhileItsBoardsAreRead) {
  {
    auto sink = FolderSink::Open(Path("data"), {1'000'000, nullptr});
    ASSERT_TRUE(sink.ok());
    RandomBoards world(5);
    ASSERT_TRUE((*sink)->Copy(**world.keys().Replace("lb", Spec{}), "lb", nullptr).ok());
    ASSERT_TRUE((*sink)->Finish().ok());
    const Result<LoadedBoards> locked = LoadedBoards::Open(Path("data"), nullptr);
    ASSERT_FALSE(locked.ok());
    EXPECT_NE(locked.error().message.find("is in use by process"), std::string::npos);
  }
  const Result<LoadedBoards> loaded = LoadedBoards::Open(Path("data"), nullptr);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_NE(loaded->Find("lb"), nullptr);
  EXPECT_EQ(loaded->Find("other"), nullptr);
  EXPECT_EQ(loaded->record(), 1U);
  const auto sink = FolderSink::Open(Path("data"), {1'000'000, nullptr});
  ASSERT_FALSE(sink.ok());
  EXPECT_NE(sink.error().message.find("is in use by process"), std::string::npos);
}

TEST_F(ArchiveOfBoards, AFolderWithoutDataIsRefused) {
  std::filesystem::create_directory(folder_ / "empty");
  const Result<LoadedBoards> loaded = LoadedBoards::Open(Path("empty"), nullptr);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().message, Path("empty") + " holds no data of Laurel");
  EXPECT_FALSE(LoadedBoards::Open(Path("absent"), nullptr).ok());
}

TEST_F(ArchiveOfBoards, NothingIsImportedIntoABackup) {
  ASSERT_TRUE(transfer::WriteArchive({}, {Path("backup"), 0, 0, nullptr}).ok());
  const auto sink = FolderSink::Open(Path("backup"), {1'000'000, nullptr});
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().message,
            Path("backup") + " is a backup: restore it into a data folder first");
}

}  // namespace
}  // namespace laurel::testing
