#include "server/logs/line_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace laurel::server {
namespace {

namespace fs = std::filesystem;

class LineFileTest : public ::testing::Test {
 protected:
  LineFileTest() { fs::create_directories(folder_); }
  ~LineFileTest() override { fs::remove_all(folder_); }

  static std::string Read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  // Waits as long as it takes; the test's own timeout ends it if it never comes.
  static void AwaitText(const fs::path& path, const std::string& text) {
    while (Read(path) != text) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  const fs::path folder_ = testing::TempDir() + "laurel_line_file_" + std::to_string(getpid());
  const std::string path_ = folder_ / "lines";
};

TEST_F(LineFileTest, AppendsToWhatIsThere) {
  std::ofstream(path_) << "before\n";
  {
    LineFile file("test");
    EXPECT_FALSE(file.is_open());
    ASSERT_TRUE(file.Open(path_).ok());
    EXPECT_TRUE(file.is_open());
    file.Append("one");
    file.Append("");
    file.Append("two");
  }
  EXPECT_EQ(Read(path_), "before\none\n\ntwo\n");
}

TEST_F(LineFileTest, WritesWithoutBeingClosed) {
  LineFile file("test");
  ASSERT_TRUE(file.Open(path_).ok());
  file.Append("one");
  AwaitText(path_, "one\n");
  file.Append("two");
  AwaitText(path_, "one\ntwo\n");
}

TEST_F(LineFileTest, AFileThatCannotBeOpenedIsAnError) {
  LineFile file("test");
  const Status opened = file.Open((folder_ / "missing" / "lines").string());
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(opened.error().message.starts_with("test: cannot open '"));
  EXPECT_TRUE(opened.error().message.ends_with("': No such file or directory"));
  EXPECT_FALSE(file.is_open());
}

TEST_F(LineFileTest, ReopenStartsANewFileBehindTheLinesSoFar) {
  {
    LineFile file("test");
    ASSERT_TRUE(file.Open(path_).ok());
    file.Append("old");
    fs::rename(path_, path_ + ".1");
    file.Reopen();
    AwaitText(path_ + ".1", "old\n");
    while (!fs::exists(path_)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    file.Append("new");
  }
  EXPECT_EQ(Read(path_ + ".1"), "old\n");
  EXPECT_EQ(Read(path_), "new\n");
}

TEST_F(LineFileTest, KeepsTheOldFileIfTheNewOneCannotBeOpened) {
  {
    LineFile file("test");
    ASSERT_TRUE(file.Open(path_).ok());
    fs::rename(path_, path_ + ".1");
    fs::create_directory(path_);
    file.Reopen();
    file.Append("one");
  }
  EXPECT_EQ(Read(path_ + ".1"), "one\n");
}

TEST_F(LineFileTest, CountsLinesThatTheDiskRefuses) {
  LineFile file("test");
  ASSERT_TRUE(file.Open("/dev/full").ok());
  file.Append("one");
  file.Append("two");
  while (file.lost() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(file.lost(), 2U);
}

TEST_F(LineFileTest, CountsLinesThatTheDiskIsTooSlowFor) {
  // A pipe takes 64 KiB while it is not read, and then the writing thread waits.
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const std::string line(1023, 'x');
  // The thread may have taken as many lines as may wait, and as many may wait then.
  constexpr std::size_t kLines = 3 * kMaxWaitingLineBytes / 1024;
  std::ifstream pipe;
  std::thread reader;
  std::string read;
  {
    std::thread opener([&] { pipe.open(path_, std::ios::binary); });
    LineFile file("test");
    ASSERT_TRUE(file.Open(path_).ok());
    opener.join();
    for (std::size_t i = 0; i < kLines; ++i) file.Append(line);
    reader = std::thread([&] {
      std::ostringstream text;
      text << pipe.rdbuf();
      read = text.str();
    });
    while (file.lost() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_LT(file.lost(), kLines);
    file.Append("last");
  }
  reader.join();  // the pipe has ended: the file is closed
  EXPECT_TRUE(read.ends_with("x\nlast\n"));
  EXPECT_EQ(read.find("xlast"), std::string::npos) << "lines are written whole";
}

TEST_F(LineFileTest, TakesLinesOfSeveralThreads) {
  constexpr int kThreads = 4;
  constexpr int kLines = 2000;
  {
    LineFile file("test");
    ASSERT_TRUE(file.Open(path_).ok());
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&file, i] {
        for (int j = 0; j < kLines; ++j) file.Append(std::to_string(i) + " " + std::to_string(j));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::vector<int> next(kThreads);
  std::ifstream lines(path_);
  int thread = 0;
  int number = 0;
  while (lines >> thread >> number) {
    ASSERT_TRUE(thread >= 0 && thread < kThreads);
    EXPECT_EQ(number, next[static_cast<std::size_t>(thread)]++);
  }
  EXPECT_EQ(next, std::vector<int>(kThreads, kLines));
}

}  // namespace
}  // namespace laurel::server
