#include "tests/feed/feed_engine.h"

#include <sstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "wire/command_table.h"

namespace laurel::testing {
namespace {

std::string ScoreText(const Value& score) {
  std::string text;
  for (const Value& field : score.elements) {
    if (!text.empty()) text += ',';
    text += field.text;
  }
  return text;
}

std::string StampText(const Value& stamp) { return "@" + std::to_string(stamp.Integer() - kNoon); }

std::string EntryText(const Value& entry) {
  std::string text;
  for (std::size_t i = 0; i + 1 < entry.elements.size(); i += 2) {
    const Value& value = entry.elements[i + 1];
    const std::string& key = entry.elements[i].text;
    if (!text.empty()) text += ' ';
    text += key == "score" ? ScoreText(value) : key == "stamp" ? StampText(value) : value.text;
  }
  return text;
}

std::string EntriesText(const Value& entries) {
  std::string text;
  for (const Value& entry : entries.elements) {
    if (!text.empty()) text += "; ";
    text += EntryText(entry);
  }
  return "[" + text + "]";
}

}  // namespace

Words Split(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string FeedEvent::Text() const {
  std::string text = cause;
  for (std::size_t i = 0; i + 1 < value.elements.size(); i += 2) {
    const std::string& key = value.elements[i].text;
    const Value& what = value.elements[i + 1];
    if (key == "cursor" || key == "cause") continue;
    text += ' ';
    if (key == "board" || key == "member") {
      text += what.text;
    } else if (key == "score") {
      text += ScoreText(what);
    } else if (key == "stamp") {
      text += StampText(what);
    } else if (key == "top") {
      text += "top=" + EntriesText(what);
    } else {
      text += key + "=" + (what.IsAggregate() ? what.ToString() : what.text);
    }
  }
  return text;
}

FeedPage ToPage(const Value& reply) {
  FeedPage page;
  if (reply.IsError()) {
    page.error = reply.text;
    return page;
  }
  const Value* events = reply.Find("events");
  const Value* next = reply.Find("next");
  if (events == nullptr || next == nullptr)
    throw std::runtime_error("no page: " + reply.ToString());
  page.next = next->text;
  page.gap = reply.Find("gap") != nullptr;
  for (const Value& value : events->elements) {
    FeedEvent event;
    event.value = value;
    const auto text = [&value](std::string_view key) {
      const Value* found = value.Find(key);
      return found == nullptr ? std::string() : found->text;
    };
    event.cursor = text("cursor");
    event.cause = text("cause");
    event.board = text("board");
    event.member = text("member");
    event.name = text("name");
    if (const Value* score = value.Find("score")) event.score = ScoreText(*score);
    if (const Value* stamp = value.Find("stamp")) event.stamp = stamp->Integer();
    page.events.push_back(std::move(event));
  }
  return page;
}

std::vector<std::string> Texts(const std::vector<FeedEvent>& events) {
  std::vector<std::string> texts;
  for (const FeedEvent& event : events) texts.push_back(event.Text());
  return texts;
}

FeedTurn::FeedTurn(const std::vector<Words>& commands, wire::Protocol protocol)
    : Turn(&client_), commands_(commands) {
  for (const Words& command : commands_) {
    arguments_.emplace_back(command.begin(), command.end());
  }
  for (const auto& command : arguments_) {
    const wire::Lookup found = wire::LookUp(command);
    LAUREL_ASSERT(found.command != nullptr);
    queued_.push_back({found.command, protocol, command});
  }
  if (queued_.size() == 1) {
    requests = queued_;
    return;
  }
  transaction_ = {{}, queued_};
  engine::Request request{wire::LookUp(exec_).command, protocol, exec_};
  request.transaction = &transaction_;
  requests.push_back(request);
}

void FeedTurn::Done() {
  const std::lock_guard lock(mutex_);
  ++times_done_;
  changed_.notify_all();
}

void FeedTurn::Await() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return times_done_ > 0; });
}

int FeedTurn::times_done() {
  const std::lock_guard lock(mutex_);
  return times_done_;
}

Value FeedTurn::Reply() {
  Await();
  std::size_t consumed = 0;
  const std::optional<Value> value = black_box::ParseReply(replies, &consumed);
  if (!value || consumed != replies.size()) throw std::runtime_error("no reply: " + replies);
  return *value;
}

EngineRig::Options FeedEngine::Keeping() {
  EngineRig::Options options = EngineRig::Small();
  options.keeper.keep_log_bytes = std::uint64_t{1} << 40;
  options.keeper.keep_log_us = INT64_MAX / 2;
  return options;
}

FeedEngine::FeedEngine(base::Folder* folder, const base::Clock* clock,
                       const EngineRig::Options& options) {
  engine::EmbeddedOptions how;
  how.hash_seed = options.hash_seed;
  how.shape = options.shape;
  how.clock = clock;
  how.folder = folder;
  how.log = options.log;
  how.keeper = options.keeper;
  engine_ = std::make_unique<engine::EmbeddedEngine>(how, &host_);
  if (const Status opened = engine_->Open(); !opened.ok()) {
    throw std::runtime_error(opened.error().message);
  }
  if (const Result<engine::LoadReport> loaded = engine_->Load(); !loaded.ok()) {
    throw std::runtime_error(loaded.error().message);
  }
}

FeedEngine::~FeedEngine() { engine_->Close(false); }

Value FeedEngine::Ask(const std::vector<Words>& commands, wire::Protocol protocol) {
  FeedTurn turn(commands, protocol);
  engine::Turn* turns[] = {&turn};
  engine_->Execute(turns);
  return turn.Reply();
}

std::unique_ptr<FeedTurn> FeedEngine::Begin(const std::string& line) {
  auto turn = std::make_unique<FeedTurn>(std::vector<Words>{Split(line)}, wire::Protocol::kResp3);
  engine::Turn* turns[] = {turn.get()};
  engine_->Execute(turns);
  return turn;
}

void FeedEngine::Tick() {
  while (engine_->Tick()) {
  }
  Ask("ZINCRBY ticks 1 tick");
}

FeedPage FeedEngine::Changes(const std::string& board, const std::string& from, std::size_t count) {
  return ToPage(Ask({{"LB.CHANGES", board, from, "COUNT", std::to_string(count)}}));
}

std::vector<FeedEvent> FeedEngine::All(const std::string& board, std::string from,
                                       std::size_t count) {
  std::vector<FeedEvent> all;
  while (true) {
    const FeedPage page = Changes(board, from, count);
    EXPECT_EQ(page.error, "");
    EXPECT_FALSE(page.gap) << board << " from " << from;
    EXPECT_LE(page.events.size(), count);
    if (page.events.empty() || page.gap) return all;
    all.insert(all.end(), page.events.begin(), page.events.end());
    from = page.next;
  }
}

}  // namespace laurel::testing
