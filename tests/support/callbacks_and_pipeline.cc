#include "tests/support/callbacks_and_pipeline.h"

#include <stdexcept>
#include <utility>

#include "engine/engine.h"
#include "wire/command_table.h"

namespace laurel::testing {

// Reads all arguments, as a server's slow log does.
void TestCallbacks::NoteTime(const engine::Request& request, const engine::Client& /*client*/,
                             std::int64_t /*micros*/) {
  for (const std::string_view argument : request.arguments) noted_bytes_ += argument.size();
}

void TestCallbacks::Notice(NoticeLevel level, const std::string& text) {
  const std::lock_guard lock(mutex_);
  notices_.push_back((level == NoticeLevel::kWarning ? "! " : "") + text);
}

std::string TestCallbacks::notices() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const std::string& notice : notices_) all += notice + "\n";
  return all;
}

std::vector<std::string> TestCallbacks::TakeNotices() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notices_, {});
}

TestPipeline::TestPipeline(wire::Protocol protocol)
    : Pipeline(&own_client_), own_client_(protocol), asker_(&own_client_) {}

TestPipeline::TestPipeline(TestClient* client) : Pipeline(client), asker_(client) {}

engine::Request TestPipeline::RequestOf(Words command) {
  const std::span<const std::string_view> arguments = Keep(std::move(command));
  const wire::Lookup found = wire::LookUp(arguments);
  if (found.command == nullptr) {
    throw std::runtime_error("no command " + resp::Quoted(words_.back()) + ": " + found.error);
  }
  return {found.command, asker_->protocol, arguments};
}

void TestPipeline::Add(Words command) { requests.push_back(RequestOf(std::move(command))); }

void TestPipeline::AddTransaction(const std::vector<Words>& commands) {
  std::vector<engine::Request> queued;
  for (const Words& command : commands) queued.push_back(RequestOf(command));
  AddTransaction(std::move(queued));
}

void TestPipeline::AddTransaction(std::vector<engine::Request> queued, std::string_view abort) {
  const auto& queue = queues_.emplace_back(std::move(queued));
  // Without arguments, as a session of the server sends it.
  engine::Request& request = requests.emplace_back();
  request.command = &wire::CommandOf(wire::CommandId::kExec);
  request.protocol = asker_->protocol;
  request.transaction = &transactions_.emplace_back(engine::Transaction{abort, queue});
}

std::span<const std::string_view> TestPipeline::Keep(Words words) {
  const Words& kept = words_.emplace_back(std::move(words));
  return arguments_.emplace_back(kept.begin(), kept.end());
}

std::string_view TestPipeline::Keep(std::string text) {
  return texts_.emplace_back(std::move(text));
}

void TestPipeline::Reset() {
  ForgetRequests();
  executed = 0;
  deadline_ms_ = -1;
  TakeReplies();
}

void TestPipeline::ForgetRequests() {
  requests.clear();
  texts_.clear();
  words_.clear();
  arguments_.clear();
  queues_.clear();
  transactions_.clear();
}

void TestPipeline::TakeReplies() {
  replies.clear();
  const std::lock_guard lock(mutex_);
  times_done_ = 0;
}

void TestPipeline::Done() {
  engine::ReplaceUnknownReplies(this);
  const std::lock_guard lock(mutex_);
  ++times_done_;
  changed_.notify_all();
}

int TestPipeline::times_done() const {
  const std::lock_guard lock(mutex_);
  return times_done_;
}

void TestPipeline::Await() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return times_done_ > 0; });
}

const std::string& TestPipeline::Bytes() {
  Await();
  return replies;
}

std::vector<Value> TestPipeline::Answers() {
  std::vector<Value> answers = resp::ParseReplies(Bytes());
  if (answers.size() != executed) {
    throw std::runtime_error("not one reply to each request: " + resp::Quoted(replies));
  }
  return answers;
}

}  // namespace laurel::testing
