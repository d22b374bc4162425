#include "server/resp/pipeline_audit.h"

#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace laurel::server {
namespace {

using Words = std::vector<std::string_view>;

constexpr AuditedClient kClient = {"game", "1.2.3.4:5", "resp"};

class PipelineAuditTest : public ::testing::Test {
 protected:
  PipelineAuditTest() { EXPECT_TRUE(log_->Open(path_).ok()); }
  ~PipelineAuditTest() override { std::filesystem::remove(path_); }

  // Adds a request to the pipeline and notes it.
  void Note(const Words& words) {
    requests_.push_back(RequestOf(words));
    audit_.Note(requests_.size() - 1, &requests_.back());
  }
  // The same for an EXEC of these.
  void NoteTransaction(const std::vector<Words>& queued) {
    std::vector<engine::Request>& parts = queued_.emplace_back();
    for (const Words& words : queued) parts.push_back(RequestOf(words));
    requests_.emplace_back();
    audit_.NoteTransaction(requests_.size() - 1, &requests_.back(), parts);
  }
  engine::Request RequestOf(const Words& words) {
    engine::Request request;
    request.command = wire::LookUp(words).command;
    request.arguments = words_.emplace_back(words);
    return request;
  }
  // Answers as the engine does: with an error if there is a line.
  void Answer(const engine::Request& request, std::string_view error = {}) {
    wire::Reply reply = request.ReplyTo(&replies_);
    error.empty() ? reply.Integer(1) : reply.Error(error);
  }
  void Settle(std::size_t executed) { audit_.Settle(kClient, executed); }
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
  std::deque<engine::Request> requests_;
  std::deque<std::vector<engine::Request>> queued_;
  std::deque<Words> words_;
  std::string replies_;
};

TEST_F(PipelineAuditTest, AddsTheOutcomesOfWrites) {
  audit_.Begin();
  Note({"ZADD", "a", "1", "m"});
  Note({"ZCARD", "a"});
  Note({"ZADD", "b", "1", "m"});
  Note({"ZADD", "c", "1", "m"});
  Answer(requests_[0]);
  Answer(requests_[1], "ERR of a read");
  Answer(requests_[2], "MISCONF no disk");
  Answer(requests_[3]);
  Settle(SIZE_MAX);
  EXPECT_EQ(Outcomes(), "a:ok b:MISCONF c:ok");
}

TEST_F(PipelineAuditTest, AddsEveryPartWhenItIsExecuted) {
  audit_.Begin();
  for (const std::string_view board : {"a", "b", "c"}) Note({"ZADD", board, "1", "m"});
  Answer(requests_[0]);
  Settle(1);
  Answer(requests_[1], "ERR x");
  Settle(2);
  Answer(requests_[2]);
  Settle(SIZE_MAX);
  EXPECT_EQ(Outcomes(), "a:ok b:ERR c:ok");
}

TEST_F(PipelineAuditTest, AWriteThatMayNotBeOnDiskIsUnknown) {
  audit_.Begin();
  for (const std::string_view board : {"a", "b"}) Note({"ZADD", board, "1", "m"});
  NoteTransaction({{"ZADD", "c", "1", "m"}});
  Note({"ZADD", "d", "1", "m"});
  for (const engine::Request& request : requests_) Answer(request);
  Answer(queued_[0][0]);
  audit_.Settle(kClient, SIZE_MAX, {.first = 1, .count = 2});
  EXPECT_EQ(Outcomes(), "a:ok b:UNKNOWN c:UNKNOWN d:ok");
}

TEST_F(PipelineAuditTest, AddsTheWritesOfATransaction) {
  audit_.Begin();
  NoteTransaction({{"ZCARD", "a"}, {"ZADD", "a", "1", "m"}, {"ZADD", "b", "1", "m"}});
  NoteTransaction({{"ZADD", "c", "1", "m"}});
  NoteTransaction({{"ZADD", "d", "1", "m"}, {"ZADD", "e", "1", "m"}});
  Note({"ZADD", "f", "1", "m"});
  for (const engine::Request& exec : requests_) Answer(exec);
  Answer(queued_[0][0]);
  Answer(queued_[0][1], "ERR x");
  Answer(queued_[0][2]);
  Answer(queued_[2][0]);
  Answer(requests_[2], "EXECABORT z");
  Settle(SIZE_MAX);
  EXPECT_EQ(Outcomes(), "a:ERR b:ok c:discarded d:EXECABORT e:EXECABORT f:ok");
}

TEST_F(PipelineAuditTest, ForgetsAPipelineThatWasNotAnswered) {
  audit_.Begin();
  Note({"ZADD", "a", "1", "m"});
  audit_.Begin();
  requests_.clear();
  Note({"ZADD", "b", "1", "m"});
  Answer(requests_[0]);
  Settle(SIZE_MAX);
  EXPECT_EQ(Outcomes(), "b:ok");
}

}  // namespace
}  // namespace laurel::server
