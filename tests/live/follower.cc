#include "tests/live/follower.h"

#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "wire/leaderboard_answer.h"
#include "wire/reply.h"

namespace laurel::testing {
namespace {

// An update that takes longer counts as missing.
constexpr std::chrono::seconds kPatience{60};

}  // namespace

TestLiveReader::TestLiveReader(engine::Engine* engine, const engine::LiveQuery& query)
    : engine_(engine), query_(query) {
  const Result<engine::LiveHandle> handle = engine->Subscribe(query, this);
  LAUREL_ASSERT(handle.ok());
  handle_ = *handle;
}

TestLiveReader::~TestLiveReader() { engine_->Unsubscribe(handle_); }

void TestLiveReader::OnReady() {
  const std::lock_guard lock(mutex_);
  ready_ = true;
  ++notified_;
  changed_.notify_one();
}

std::uint64_t TestLiveReader::notified() const {
  const std::lock_guard lock(mutex_);
  return notified_;
}

bool TestLiveReader::Take() {
  {
    const std::lock_guard lock(mutex_);
    ready_ = false;  // before Take: OnReady may run again from there on
  }
  std::optional<engine::LiveUpdate> update = engine_->Take(handle_);
  if (!update) return false;
  Apply(*update);
  last_ = std::move(update);
  ++taken_;
  return true;
}

bool TestLiveReader::TakeNext() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_for(lock, kPatience, [&] { return ready_; })) {
        ADD_FAILURE() << "no news of " << query_.board << "; the last: " << Top();
        return false;
      }
    }
    if (Take()) return true;
  }
}

bool TestLiveReader::TakeUntil(const std::function<bool()>& done) {
  while (!done()) {
    if (!TakeNext()) return false;
  }
  return true;
}

bool TestLiveReader::CatchUp(EngineRig* rig) {
  const std::string n = std::to_string(query_.top);
  const std::string top = rig->AskBytes(Words{"LB.TOP", query_.board, n, "WITHMETA"});
  const std::string size_reply = rig->AskBytes(Words{"LB.SIZE", query_.board});
  const std::uint64_t size = size_reply[0] == ':' ? std::stoull(size_reply.substr(1)) : 0;
  std::map<std::string, std::string> places;
  for (const std::string& member : query_.members) {
    places[member] = rig->AskBytes(Words{"LB.GET", query_.board, member, "WITHMETA"});
  }
  return TakeUntil([&] {
    if (!last_) return false;
    if (top[0] == '-') return last_->gone;
    for (const auto& [member, place] : places) {
      if (Place(member, size) != place) return false;
    }
    return Top() == top && (query_.top == 0 || last_->size == size);
  });
}

void TestLiveReader::Apply(const engine::LiveUpdate& update) {
  if (last_) {
    EXPECT_GT(update.version, last_->version);
  } else {
    EXPECT_TRUE(update.whole);
  }
  EXPECT_LE(update.top_size, query_.top);
  if (update.whole) {
    top_.clear();
    places_.clear();
    EXPECT_EQ(update.top.size(), update.top_size);
    const std::set<std::string> members(query_.members.begin(), query_.members.end());
    EXPECT_EQ(update.places.size(), members.size());
  }
  top_.resize(update.top_size);
  std::uint64_t before = 0;
  for (const std::shared_ptr<const Entry>& entry : update.top) {
    const std::uint64_t rank = entry->rank.value_or(0);
    ASSERT_GT(rank, before) << "not in order";
    ASSERT_LE(rank, update.top_size);
    top_[rank - 1] = *entry;
    before = rank;
  }
  for (const engine::LivePlace& place : update.places) {
    places_[place.member] = place.entry ? std::optional<Entry>(*place.entry) : std::nullopt;
  }
}

namespace {

leaderboard::EntryLine LineOf(const Entry& entry) {
  return {entry.rank, entry.member, &entry.score, entry.stamp, entry.meta};
}

}  // namespace

std::string TestLiveReader::Top() const {
  if (!last_) return "nothing";
  if (last_->gone) return "gone";
  std::string text;
  wire::Reply reply(&text, wire::Protocol::kResp2);
  wire::LeaderboardAnswer answer(&reply, {}, SIZE_MAX);
  const leaderboard::EntryShape shape{last_->spec.get(), /*with_meta=*/true, false, std::nullopt};
  answer.BeginEntries(shape, top_.size());
  for (const Entry& entry : top_) answer.NextEntry(shape, LineOf(entry), std::nullopt);
  return text;
}

std::string TestLiveReader::Place(const std::string& member, std::uint64_t size) const {
  std::string text;
  wire::Reply reply(&text, wire::Protocol::kResp2);
  const auto found = places_.find(member);
  if (found == places_.end()) return "nothing";
  if (!found->second) {
    reply.Null();
    return text;
  }
  wire::LeaderboardAnswer answer(&reply, {}, SIZE_MAX);
  answer.OneEntry({last_->spec.get(), /*with_meta=*/true, false, size}, LineOf(*found->second));
  return text;
}

}  // namespace laurel::testing
