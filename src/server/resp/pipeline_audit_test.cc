#include "server/resp/pipeline_audit.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace laurel::server {
namespace {

using Words = std::vector<std::string_view>;

class PipelineAuditTest : public ::testing::Test {
 protected:
  PipelineAuditTest() { EXPECT_TRUE(log_->Open(path_).ok()); }
  ~PipelineAuditTest() override { std::filesystem::remove(path_); }

  void Note(std::size_t request, const Words& words) {
    audit_.Note(request, *wire::LookUp(words).command, words);
  }
  void NoteQueued(std::size_t request, std::size_t position, const Words& words) {
    audit_.NoteQueued(request, position, *wire::LookUp(words).command, words);
  }
  void Settle(std::size_t executed, std::string_view replies) {
    audit_.Settle({"game", "1.2.3.4:5", "resp"}, executed, replies);
  }
  // The boards and outcomes of all lines, as "a:ok b:ERR".
  std::string Outcomes() {
    log_.reset();
    std::string text;
    std::ifstream lines(path_);
    const auto value_of = [](const std::string& line, const std::string& key) {
      const std::size_t at = line.find("\"" + key + "\":\"") + key.size() + 4;
      return line.substr(at, line.find('"', at) - at);
    };
    for (std::string line; std::getline(lines, line);) {
      text += (text.empty() ? "" : " ") + value_of(line, "board") + ":" + value_of(line, "outcome");
    }
    return text;
  }

  const std::string path_ =
      testing::TempDir() + "laurel_pipeline_audit_" + std::to_string(getpid());
  std::unique_ptr<AuditLog> log_ = std::make_unique<AuditLog>();
  PipelineAudit audit_{log_.get()};
};

TEST_F(PipelineAuditTest, FindsTheRepliesBehindThoseOfOtherRequests) {
  audit_.Begin();
  Note(1, {"ZADD", "a", "1", "m"});
  Note(2, {"ZCARD", "a"});
  Note(3, {"ZADD", "b", "1", "m"});
  audit_.End(7);
  Settle(SIZE_MAX, "+PONG\r\n*2\r\n:1\r\n:2\r\n:1\r\n:1\r\n-MISCONF no disk\r\n+PONG\r\n");
  EXPECT_EQ(Outcomes(), "a:ok b:MISCONF");
}

TEST_F(PipelineAuditTest, FindsTheRepliesOfEveryPart) {
  audit_.Begin();
  Note(0, {"ZADD", "a", "1", "m"});
  Note(2, {"ZADD", "b", "1", "m"});
  Note(4, {"ZADD", "c", "1", "m"});
  audit_.End(5);
  Settle(2, "+OK\r\n:1\r\n+OK\r\n");
  Settle(4, "-UNKNOWN the disk failed\r\n:5\r\n");
  Settle(SIZE_MAX, ":1\r\n");
  EXPECT_EQ(Outcomes(), "a:ok b:UNKNOWN c:ok");
}

TEST_F(PipelineAuditTest, FindsTheRepliesOfATransaction) {
  audit_.Begin();
  NoteQueued(0, 1, {"ZADD", "a", "1", "m"});
  NoteQueued(0, 3, {"ZADD", "b", "1", "m"});
  NoteQueued(1, 0, {"ZADD", "c", "1", "m"});
  NoteQueued(2, 0, {"ZADD", "d", "1", "m"});
  NoteQueued(2, 1, {"ZADD", "e", "1", "m"});
  Note(3, {"ZADD", "f", "1", "m"});
  audit_.End(0);
  Settle(SIZE_MAX, "*4\r\n:0\r\n-ERR x\r\n*1\r\n-NOBOARD y\r\n:1\r\n*-1\r\n-EXECABORT z\r\n:1\r\n");
  EXPECT_EQ(Outcomes(), "a:ERR b:ok c:discarded d:EXECABORT e:EXECABORT f:ok");
}

TEST_F(PipelineAuditTest, ForgetsAPipelineThatWasNotAnswered) {
  audit_.Begin();
  Note(0, {"ZADD", "a", "1", "m"});
  audit_.End(0);
  audit_.Begin();
  Note(0, {"ZADD", "b", "1", "m"});
  audit_.End(0);
  Settle(SIZE_MAX, ":1\r\n");
  EXPECT_EQ(Outcomes(), "b:ok");
}

}  // namespace
}  // namespace laurel::server
