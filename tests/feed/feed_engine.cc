#include "tests/feed/feed_engine.h"

#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

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
    const std::string& named = entry.elements[i].text;
    if (!text.empty()) text += ' ';
    text += named == "score" ? ScoreText(value) : named == "stamp" ? StampText(value) : value.text;
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

std::string FeedEvent::Text() const {
  std::string text = cause;
  for (std::size_t i = 0; i + 1 < value.elements.size(); i += 2) {
    const std::string& named = value.elements[i].text;
    const Value& what = value.elements[i + 1];
    if (named == "cursor" || named == "cause") continue;
    text += ' ';
    if (named == "board" || named == "member") {
      text += what.text;
    } else if (named == "score") {
      text += ScoreText(what);
    } else if (named == "stamp") {
      text += StampText(what);
    } else if (named == "top") {
      text += "top=" + EntriesText(what);
    } else {
      text += named + "=" + (what.IsAggregate() ? what.ToString() : what.text);
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
    const auto text = [&value](std::string_view named) {
      const Value* found = value.Find(named);
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

EngineRig::Options FeedEngine::Keeping() {
  EngineRig::Options options = EngineRig::Small();
  options.keeper.keep_log_bytes = std::uint64_t{1} << 40;
  options.keeper.keep_log_us = INT64_MAX / 2;
  return options;
}

FeedEngine::FeedEngine(base::Folder* folder, const base::Clock* clock,
                       const EngineRig::Options& options)
    : rig_(folder, clock, options) {
  rig_.StartOrThrow();
}

Value FeedEngine::Ask(const std::vector<Words>& commands, wire::Protocol protocol) {
  TestPipeline question(protocol);
  if (commands.size() == 1) {
    question.Add(commands[0]);
  } else {
    question.AddTransaction(commands);
  }
  rig_.Execute(&question);
  return question.Answer();
}

std::unique_ptr<TestPipeline> FeedEngine::Begin(const std::string& line,
                                                const engine::Access& access) {
  auto question = std::make_unique<TestPipeline>(wire::Protocol::kResp3);
  question->client()->access = access;
  question->Add(Split(line));
  rig_.Execute(question.get());
  return question;
}

void FeedEngine::Tick() {
  rig_.Tick();
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
