#include "tests/feed/consumer.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

namespace laurel::testing {
namespace {

std::string ScoreOf(const Value& entry) {
  std::string text;
  for (const Value& field : entry.Find("score")->elements) {
    if (!text.empty()) text += ',';
    text += field.text;
  }
  return text;
}

}  // namespace

bool Consumer::Step(FeedEngine* engine, std::size_t count) {
  if (cursor_.empty()) return ReadBoard(engine);
  const FeedPage page = engine->Changes(board_, cursor_, count);
  if (page.error.starts_with("NOBOARD")) {
    // The board is absent and may be created at any time.
    Clear();
    if (cursor_ != "0") cursor_.clear();
    return false;
  }
  EXPECT_EQ(page.error, "") << board_ << " from " << cursor_;
  if (!page.error.empty()) return false;
  if (page.gap) {
    ++gaps_;
    EXPECT_TRUE(page.events.empty());
    return ReadBoard(engine);
  }
  for (const FeedEvent& event : page.events) {
    SCOPED_TRACE(board_ + ": " + event.Text() + " " + event.cursor);
    Apply(event);
    // A range event does not list its members, so the board itself must be read.
    if (event.cause.ends_with("-range")) return ReadBoard(engine);
  }
  cursor_ = page.next;
  return !page.events.empty();
}

void Consumer::Clear() {
  entries_.clear();
  hidden_.clear();
  unclear_.clear();
}

void Consumer::Apply(const FeedEvent& event) {
  ++events_;
  if (event.cause == "put") {
    entries_[event.board][event.member] = {event.score, event.stamp};
  } else if (event.cause == "removed" || event.cause == "evicted") {
    const std::size_t erased = entries_[event.board].erase(event.member);
    EXPECT_TRUE(erased == 1 || !exact_);
  } else if (event.cause == "removed-range" || event.cause == "evicted-range") {
    EXPECT_GT(event.value.Find("count")->Integer(), 1);
  } else if (event.cause == "hidden") {
    EXPECT_TRUE(hidden_.insert(event.member).second || !exact_);
    unclear_.erase(event.member);
  } else if (event.cause == "shown") {
    EXPECT_TRUE(hidden_.erase(event.member) == 1 || !exact_);
    unclear_.erase(event.member);
  } else if (event.cause == "cleared") {
    event.board.empty() ? entries_.clear() : static_cast<void>(entries_.erase(event.board));
  } else if (event.cause == "closed") {
    ++closes_;
    if (exact_) CheckClose(event);
  } else if (event.cause == "created") {
    EXPECT_TRUE((entries_.empty() && hidden_.empty()) || !exact_);
    Clear();
  } else if (event.cause == "renamed" && event.name == board_) {
    return;
  } else if (event.cause == "renamed" || event.cause == "dropped" || event.cause == "expired") {
    Clear();
  } else {
    EXPECT_EQ(event.cause, "altered");
  }
}

void Consumer::CheckClose(const FeedEvent& event) const {
  std::vector<std::pair<std::string, Entry>> visible;
  if (const auto found = entries_.find(event.board); found != entries_.end()) {
    for (const auto& [member, entry] : found->second) {
      if (!hidden_.contains(member)) visible.emplace_back(member, entry);
    }
  }
  std::sort(visible.begin(), visible.end(), [](const auto& a, const auto& b) {
    const long left = std::atol(a.second.score.c_str());
    const long right = std::atol(b.second.score.c_str());
    if (left != right) return left > right;
    return std::pair(a.second.stamp, a.first) < std::pair(b.second.stamp, b.first);
  });
  EXPECT_EQ(event.value.Find("count")->Integer(), static_cast<std::int64_t>(visible.size()));
  const std::vector<Value>& top = event.value.Find("top")->elements;
  ASSERT_EQ(top.size(), visible.size());
  for (std::size_t i = 0; i < top.size(); ++i) {
    EXPECT_EQ(top[i].Find("rank")->Integer(), static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(top[i].Find("member")->text, visible[i].first);
    EXPECT_EQ(ScoreOf(top[i]), visible[i].second.score);
    EXPECT_EQ(top[i].Find("stamp")->Integer(), visible[i].second.stamp);
  }
}

std::vector<std::string> Consumer::Instances(FeedEngine* engine, const std::string& board) {
  std::vector<std::string> names;
  const Value periods = engine->Ask("LB.PERIODS " + board);
  if (periods.IsError()) return names;
  for (const Value& instance : periods.elements) names.push_back(instance.Find("board")->text);
  if (names.empty()) names.push_back(board);
  return names;
}

bool Consumer::ReadBoard(FeedEngine* engine) {
  ++began_;
  Clear();
  const FeedPage end = engine->Changes(board_, "$");
  cursor_ = end.next;
  if (!end.error.empty()) {
    EXPECT_TRUE(end.error.starts_with("NOBOARD")) << end.error;
    return false;
  }
  EXPECT_FALSE(end.gap);
  exact_ = false;
  unclear_.insert(members_.begin(), members_.end());
  for (const std::string& name : Instances(engine, board_)) {
    for (const std::string& member : members_) {
      const Value entry = engine->Ask({{"LB.GET", name, member}});
      if (entry.IsNull() || entry.IsError()) continue;
      entries_[name == board_ ? "" : name][member] = {ScoreOf(entry),
                                                      entry.Find("stamp")->Integer()};
      if (entry.Find("rank")->IsNull()) hidden_.insert(member);
      unclear_.erase(member);
    }
  }
  return true;
}

void Consumer::ExpectEqual(FeedEngine* engine) const {
  for (const std::string& name : Instances(engine, board_)) {
    SCOPED_TRACE(name);
    Entries held;
    std::size_t visible = 0;
    for (const std::string& member : members_) {
      const Value entry = engine->Ask({{"LB.GET", name, member}});
      if (entry.IsNull()) continue;
      held[member] = {ScoreOf(entry), entry.Find("stamp")->Integer()};
      const bool hidden = entry.Find("rank")->IsNull();
      if (!hidden) ++visible;
      EXPECT_TRUE(hidden_.contains(member) == hidden || unclear_.contains(member)) << member;
    }
    const Value all = engine->Ask({{"LB.RANGE", name, "1", "-1"}});
    EXPECT_EQ(all.elements.size(), visible);
    const auto copy = entries_.find(name == board_ ? "" : name);
    const Entries copied = copy == entries_.end() ? Entries() : copy->second;
    for (const auto& [member, entry] : held) {
      const auto found = copied.find(member);
      if (found == copied.end()) {
        ADD_FAILURE() << member << " is missing";
        continue;
      }
      EXPECT_EQ(found->second.score, entry.score) << member;
      EXPECT_EQ(found->second.stamp, entry.stamp) << member;
    }
    EXPECT_EQ(copied.size(), held.size());
  }
}

}  // namespace laurel::testing
