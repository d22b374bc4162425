#include "base/file.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace laurel::base {
namespace {

namespace fs = std::filesystem;

using Mode = Folder::Mode;
using Names = std::vector<std::string>;

constexpr uid_t kUnprivilegedUser = 65534;

// An empty temporary folder, removed after the test.
class PosixFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = (fs::temp_directory_path() / "laurel-file-XXXXXX").string();
    ASSERT_NE(mkdtemp(root_.data()), nullptr);
    folder_ = OpenFolder(root_, false).value();
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(root_, fs::perms::owner_all, ignored);
    fs::remove_all(root_, ignored);
  }

  std::unique_ptr<File> Create(std::string_view name) {
    return folder_->Open(name, Mode::kCreate).value();
  }
  // The whole file, read in one call.
  static std::string All(File* file) {
    std::string bytes(file->Size().value() + 10, '#');
    bytes.resize(file->ReadAt(0, bytes.data(), bytes.size()).value());
    return bytes;
  }
  [[nodiscard]] std::string Path(std::string_view name) const {
    return root_ + "/" + std::string(name);
  }

  std::string root_;
  std::unique_ptr<Folder> folder_;
};

template <typename T>
std::string MessageOf(const Result<T>& result) {
  return result.ok() ? "no error" : result.error().message;
}

TEST_F(PosixFolder, ReadsBackWhatWasWritten) {
  const auto file = Create("log");
  ASSERT_TRUE(file->WriteAt(0, "hello world").ok());
  ASSERT_TRUE(file->WriteAt(6, "there").ok());
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(All(file.get()), "hello there");
  char two[2];
  EXPECT_EQ(file->ReadAt(4, two, 2).value(), 2U);
  EXPECT_EQ(std::string_view(two, 2), "o ");
  EXPECT_EQ(file->ReadAt(10, two, 2).value(), 1U) << "fewer at the end";
  EXPECT_EQ(file->ReadAt(11, two, 2).value(), 0U);
  EXPECT_EQ(file->ReadAt(1000, two, 2).value(), 0U);
  EXPECT_EQ(file->Size().value(), 11U);
  EXPECT_EQ(ReadBytes(file.get(), 4, 2).value(), "o ");
  EXPECT_EQ(ReadBytes(file.get(), 10, 2).value(), "e") << "fewer at the end";
}

TEST_F(PosixFolder, FillsGapsWithZeros) {
  const auto file = Create("log");
  ASSERT_TRUE(file->WriteAt(3, "x").ok());
  EXPECT_EQ(All(file.get()), std::string("\0\0\0x", 4));
  ASSERT_TRUE(file->Truncate(1).ok());
  ASSERT_TRUE(file->Truncate(3).ok());
  EXPECT_EQ(All(file.get()), std::string(3, '\0'));
}

TEST_F(PosixFolder, WritesAndReadsManyMegabytesInOneCall) {
  std::string bytes;
  bytes.resize(9'000'001);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 >> 8);
  const auto file = Create("large");
  ASSERT_TRUE(file->WriteAt(0, bytes).ok());
  EXPECT_TRUE(All(file.get()) == bytes);
}

TEST_F(PosixFolder, ModesDecideWhetherAFileMustExistAndMayBeWritten) {
  EXPECT_EQ(MessageOf(folder_->Open("a", Mode::kRead)),
            "cannot open " + Path("a") + ": No such file or directory");
  EXPECT_EQ(MessageOf(folder_->Open("a", Mode::kWrite)),
            "cannot open " + Path("a") + ": No such file or directory");
  ASSERT_TRUE(Create("a")->WriteAt(0, "1").ok());
  EXPECT_EQ(MessageOf(folder_->Open("a", Mode::kCreate)),
            "cannot create " + Path("a") + ": File exists");
  ASSERT_TRUE(folder_->Open("a", Mode::kWrite).value()->WriteAt(1, "2").ok());
  const auto reader = folder_->Open("a", Mode::kRead).value();
  EXPECT_EQ(All(reader.get()), "12");
  EXPECT_EQ(MessageOf(reader->WriteAt(0, "3")),
            "cannot write " + Path("a") + ": Bad file descriptor");
  EXPECT_FALSE(reader->Truncate(0).ok());
  EXPECT_EQ(All(reader.get()), "12");
}

TEST_F(PosixFolder, ListsOnlyFilesSorted) {
  for (const char* name : {"b", "log-2", "a", "log-10"}) Create(name);
  fs::create_directory(Path("lost+found"));
  const auto lock = folder_->Lock();
  ASSERT_TRUE(lock.ok());
  EXPECT_EQ(folder_->List().value(), (Names{"a", "b", "log-10", "log-2"}));
  EXPECT_EQ(folder_->List().value().size(), 4U) << "and again";
}

TEST_F(PosixFolder, RenameReplacesAFileAndRemoveDeletesIt) {
  ASSERT_TRUE(Create("new")->WriteAt(0, "new").ok());
  ASSERT_TRUE(Create("old")->WriteAt(0, "old").ok());
  const auto replaced = folder_->Open("old", Mode::kRead).value();
  ASSERT_TRUE(folder_->Rename("new", "old").ok());
  ASSERT_TRUE(folder_->Sync().ok());
  EXPECT_EQ(folder_->List().value(), Names{"old"});
  EXPECT_EQ(All(folder_->Open("old", Mode::kRead).value().get()), "new");
  EXPECT_EQ(All(replaced.get()), "old") << "an open file stays usable";
  EXPECT_EQ(MessageOf(folder_->Rename("new", "x")),
            "cannot rename " + Path("new") + " to " + Path("x") + ": No such file or directory");
  ASSERT_TRUE(folder_->Remove("old").ok());
  EXPECT_EQ(folder_->List().value(), Names{});
  EXPECT_EQ(MessageOf(folder_->Remove("old")),
            "cannot remove " + Path("old") + ": No such file or directory");
}

TEST_F(PosixFolder, LockExcludesOthersUntilItIsReleased) {
  auto lock = folder_->Lock();
  ASSERT_TRUE(lock.ok());
  const auto second = OpenFolder(root_, false).value();
  EXPECT_EQ(MessageOf(second->Lock()), root_ + " is in use by process " + std::to_string(getpid()));
  lock.value().reset();
  EXPECT_TRUE(second->Lock().ok());
}

TEST_F(PosixFolder, LockIsReleasedWhenItsProcessEnds) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto lock = folder_->Lock();
    _exit(lock.ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(folder_->Lock().ok());
}

TEST_F(PosixFolder, LockFileContentsThatAreNoProcessIdAreIgnored) {
  std::ofstream(Path("lock")) << "999999999999999999999999999999 is no process of ours";
  auto lock = folder_->Lock();
  ASSERT_TRUE(lock.ok());
  std::ofstream(Path("lock")) << "what is this?";
  EXPECT_EQ(MessageOf(folder_->Lock()), root_ + " is in use by another process");
}

TEST_F(PosixFolder, CheckPlaceDetectsAMovedOrReplacedFolder) {
  EXPECT_TRUE(folder_->CheckPlace().ok());
  const std::string away = root_ + "-away";
  fs::rename(root_, away);
  EXPECT_EQ(MessageOf(folder_->CheckPlace()), "the folder " + root_ + " was moved or removed");
  fs::create_directory(root_);
  EXPECT_EQ(MessageOf(folder_->CheckPlace()), "another folder has taken the place of " + root_);
  fs::remove(root_);
  fs::rename(away, root_);
  EXPECT_TRUE(folder_->CheckPlace().ok());
  fs::remove_all(root_);
  EXPECT_FALSE(folder_->CheckPlace().ok());
}

TEST_F(PosixFolder, CheckPlaceDetectsARemovedOrReplacedLockFile) {
  const auto lock = folder_->Lock().value();
  EXPECT_TRUE(folder_->CheckPlace().ok());
  fs::rename(Path("lock"), Path("lock-away"));
  EXPECT_EQ(MessageOf(folder_->CheckPlace()),
            Path("lock") + " was removed: another process may use the folder");
  std::ofstream(Path("lock")) << "1\n";
  EXPECT_EQ(MessageOf(folder_->CheckPlace()),
            Path("lock") + " was replaced by another file: another process may use the folder");
  fs::rename(Path("lock-away"), Path("lock"));
  EXPECT_TRUE(folder_->CheckPlace().ok());
}

TEST_F(PosixFolder, FileIdsDistinguishFilesOfTheSameName) {
  const auto file = Create("log");
  EXPECT_EQ(folder_->IdOf("log").value(), file->Id().value());
  fs::rename(Path("log"), Path("away"));
  EXPECT_EQ(folder_->IdOf("log").value(), std::nullopt);
  EXPECT_EQ(folder_->IdOf("away").value(), file->Id().value());
  const auto other = Create("log");
  EXPECT_NE(folder_->IdOf("log").value(), file->Id().value());
}

TEST_F(PosixFolder, RemoveIfThereAcceptsAnAbsentFile) {
  Create("log");
  EXPECT_TRUE(RemoveIfThere(folder_.get(), "log").ok());
  EXPECT_FALSE(fs::exists(Path("log")));
  EXPECT_TRUE(RemoveIfThere(folder_.get(), "log").ok());
  fs::create_directory(Path("folder"));
  EXPECT_FALSE(RemoveIfThere(folder_.get(), "folder").ok());
}

TEST_F(PosixFolder, AllocateReservesRoomOnTheDisk) {
  const auto file = Create("reserve");
  ASSERT_TRUE(file->WriteAt(0, "abc").ok());
  ASSERT_TRUE(file->Allocate(1 << 20).ok());
  EXPECT_EQ(file->Size().value(), 1U << 20);
  EXPECT_EQ(All(file.get()).substr(0, 5), std::string("abc\0\0", 5));
  struct stat status {};
  ASSERT_EQ(stat(Path("reserve").c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, 1 << 20);
  ASSERT_TRUE(folder_->Space().has_value());
  EXPECT_GE(folder_->Space()->total_bytes, folder_->Space()->free_bytes);
}

TEST_F(PosixFolder, OpenFolderCreatesMissingFoldersOnlyIfAsked) {
  const std::string deep = root_ + "/x/y//z/";
  EXPECT_EQ(MessageOf(OpenFolder(deep, false)),
            "cannot open " + root_ + "/x/y//z: No such file or directory");
  EXPECT_FALSE(fs::exists(Path("x")));
  const auto folder = OpenFolder(deep, true);
  ASSERT_TRUE(folder.ok()) << MessageOf(folder);
  ASSERT_TRUE(folder.value()->Open("a", Mode::kCreate).ok());
  EXPECT_TRUE(fs::exists(Path("x/y/z/a")));
  EXPECT_TRUE(OpenFolder(deep, true).ok()) << "and again";
  EXPECT_EQ(folder.value()->path(), root_ + "/x/y//z");
  EXPECT_EQ(folder.value()->path("a"), root_ + "/x/y//z/a");
  EXPECT_EQ(OpenFolder("/", false).value()->path("a"), "/a");
}

TEST_F(PosixFolder, OpenFolderRefusesAPathThatIsNotAFolder) {
  Create("file");
  EXPECT_EQ(MessageOf(OpenFolder(Path("file"), true)),
            "cannot open " + Path("file") + ": Not a directory");
  EXPECT_EQ(MessageOf(OpenFolder(Path("file/x"), true)),
            "cannot open " + Path("file/x") + ": Not a directory");
  EXPECT_FALSE(OpenFolder("", true).ok());
  EXPECT_FALSE(OpenFolder("", false).ok());
}

TEST_F(PosixFolder, ReadOnlyFolderReportsPermissionDenied) {
  Create("a");
  fs::permissions(root_, fs::perms(0555));
  const uid_t user = geteuid();
  ASSERT_EQ(seteuid(user == 0 ? kUnprivilegedUser : user), 0) << "root may write everywhere";
  EXPECT_EQ(MessageOf(folder_->Open("b", Mode::kCreate)),
            "cannot create " + Path("b") + ": Permission denied");
  EXPECT_EQ(MessageOf(folder_->Remove("a")), "cannot remove " + Path("a") + ": Permission denied");
  EXPECT_EQ(MessageOf(folder_->Lock()), "cannot lock " + Path("lock") + ": Permission denied");
  EXPECT_EQ(MessageOf(OpenFolder(Path("sub"), true)),
            "cannot create " + Path("sub") + ": Permission denied");
  ASSERT_EQ(seteuid(user), 0);
}

// Runs in a child process, because the limit on the size of files applies to the whole process.
int WriteBeyondTheLimit(File* file) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1000, 1000};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
  const Status written = file->WriteAt(990, std::string(20, 'x'));
  return !written.ok() && written.error().message.ends_with(": File too large") ? 0 : 2;
}

TEST_F(PosixFolder, WriteThatFitsOnlyPartlyIsAnError) {
  const auto file = Create("log");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(WriteBeyondTheLimit(file.get()));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(file->Size().value(), 1000U) << "the first write was short, the second refused";
}

}  // namespace
}  // namespace laurel::base
