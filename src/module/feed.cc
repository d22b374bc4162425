#include "module/feed.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/byte_cursor.h"
#include "base/bytes.h"
#include "base/hash_chain.h"
#include "module/limits.h"
#include "wire/leaderboard_words.h"

namespace laurel::module {
namespace {

using leaderboard::EffectReader;
using leaderboard::EffectWriter;
using leaderboard::Event;

constexpr std::uint64_t kCopyTermSeed = 0x4c617572656c4350;

// Copies each event among effects as a separate kept event.
class EventCopier : public EffectReader {
 public:
  explicit EventCopier(const std::function<void(std::string_view)>* take) : take_(*take) {}

 protected:
  Status OnSelect(const leaderboard::InstanceRef& instance) override {
    instance_ = instance;
    return Ok{};
  }
  Status OnCreateInstance(std::uint32_t number, const Instance& span) override {
    instance_ = {number, span.period, leaderboard::BeginSeconds(span)};
    return Ok{};
  }
  Status OnClose(const leaderboard::Closing& closing) override {
    return Copy(true, [&](EffectWriter& to) { to.Close(closing); });
  }
  Status OnAlter(const Spec& spec) override {
    return Copy(false, [&](EffectWriter& to) { to.Alter(spec); });
  }
  Status OnMark(std::string_view member) override {
    return Copy(false, [&](EffectWriter& to) { to.Mark(member); });
  }
  Status OnUnmark(std::string_view member) override {
    return Copy(false, [&](EffectWriter& to) { to.Unmark(member); });
  }
  Status OnEntry(const core::Effect& effect, unsigned words) override {
    using Kind = core::Effect::Kind;
    if (effect.kind == Kind::kHide || effect.kind == Kind::kShow) return Ok{};  // see OnMark
    core::Effect kept = effect;
    kept.meta = {};  // events do not include meta
    return Copy(true, [&](EffectWriter& to) { to.Entry(kept, words); });
  }

 private:
  template <typename Write>
  Status Copy(bool of_instance, const Write& write) {
    bytes_.clear();
    EffectWriter to(&bytes_);
    if (of_instance) to.Select(instance_);
    write(to);
    take_(bytes_);
    return Ok{};
  }

  const std::function<void(std::string_view)>& take_;
  leaderboard::InstanceRef instance_;
  std::string bytes_;
};

// Reads one event of the ring.
class KeptEventReader : public leaderboard::EventReader<EffectReader> {
 public:
  explicit KeptEventReader(const std::function<bool(const Event&)>* visit) : visit_(*visit) {}
  [[nodiscard]] std::size_t events() const { return events_; }

 protected:
  Status OnCreate(const Spec& spec) override {
    Event event = Whole(Cause::kCreated);
    event.spec = spec;
    return OnEvent(event);
  }
  Status OnEvent(const Event& event) override {
    ++events_;
    return visit_(event) ? Status(Ok{}) : Status(Error{ErrorCode::kErr, "no more is wanted"});
  }

 private:
  const std::function<bool(const Event&)>& visit_;
  std::size_t events_ = 0;
};

}  // namespace

std::string FormatCursor(const FeedCursor& place) {
  const std::uint64_t parts[] = {place.term, place.sequence};
  return wire::FormatCursor(parts);
}

Result<FeedCursor> ParseCursor(std::string_view text) {
  FeedCursor place;
  std::uint64_t* const parts[] = {&place.term, &place.sequence};
  const Status parsed = wire::ParseCursor(text, parts);
  return parsed.ok() ? Result<FeedCursor>(place) : parsed.error();
}

void Feed::SetCapacity(std::uint64_t capacity) {
  LAUREL_ASSERT(capacity > 0);
  capacity_ = capacity;
  while (count_ > capacity_) DropOldest();
}

void Feed::BeginTerm(std::uint64_t term, bool own) {
  open_ = own;
  // A term without events is removed, because places belong to the term before it. Not so the first
  // one: it has a place before its events, which a reader may hold. Terms that begin beyond the end
  // were restored without their events.
  while (!terms_.empty() &&
         (terms_.size() > 1 ? terms_.back().first >= end() : terms_.back().first > end())) {
    terms_.pop_back();
  }
  terms_.push_back({term, end()});
  if (terms_.size() > kMaxFeedTerms) terms_.erase(terms_.begin());
  LAUREL_ASSERT(terms_.size() <= kMaxFeedTerms && terms_.back().first <= end());
}

std::size_t Feed::Note(std::string_view effects) {
  std::size_t added = 0;
  const std::function<void(std::string_view)> take = [&](std::string_view event) {
    const bool appended = Append(event);
    LAUREL_ASSERT(appended);
    ++added;
  };
  base::ByteCursor cursor(effects);
  const Status read = EventCopier(&take).Read(&cursor);
  LAUREL_ASSERT(read.ok());  // valid: the board has applied these effects
  return added;
}

bool Feed::Append(std::string_view event) {
  const std::function<bool(const Event&)> any = [](const Event&) { return true; };
  KeptEventReader reader(&any);
  base::ByteCursor cursor(event);
  if (!reader.Read(&cursor).ok() || !cursor.empty() || reader.events() != 1) return false;
  if (end() == kMaxFeedSequence) Restore(0, {{terms_.empty() ? 0 : terms_.back().term, 0}});
  if (end() % kMarkEvery == 0) marks_.push_back(dropped_ + bytes_.size());
  char length[base::kMaxVarintBytes];
  bytes_.append(length, static_cast<std::size_t>(base::PutVarint(length, event.size()) - length));
  bytes_.append(event);
  ++count_;
  LAUREL_ASSERT(end() <= kMaxFeedSequence);
  while (count_ > capacity_ || (bytes_.size() - start_ > kMaxFeedBytes && count_ > 1)) DropOldest();
  return true;
}

void Feed::BeginAsCopy(const Feed& from, std::string_view key) {
  const FeedCursor end = from.End();
  base::HashChain chain(kCopyTermSeed);
  chain.Add(end.term);
  chain.Add(end.sequence);
  chain.Add(key);
  BeginTerm(chain.state(), /*own=*/false);
}

std::string Feed::CreatedEvent(const Spec& spec) {
  std::string event;
  EffectWriter(&event).Create(spec);
  return event;
}

void Feed::Restore(std::uint64_t first, std::vector<FeedTerm> terms) {
  LAUREL_ASSERT(first <= kMaxFeedSequence && terms.size() <= kMaxFeedTerms);
  bytes_.clear();
  marks_.clear();
  start_ = 0;
  dropped_ = 0;
  count_ = 0;
  first_ = first;
  terms_ = std::move(terms);
  open_ = false;
}

void Feed::DropOldest() {
  LAUREL_ASSERT(count_ > 0);
  base::ByteCursor cursor(std::string_view(bytes_).substr(start_));
  const std::uint64_t length = cursor.Number();
  LAUREL_ASSERT(!cursor.failed() && length <= cursor.rest().size());  // Append wrote it
  start_ = bytes_.size() - cursor.rest().size() + length;
  if (first_ % kMarkEvery == 0) {
    LAUREL_ASSERT(!marks_.empty());
    marks_.pop_front();
  }
  ++first_;
  --count_;
  // A term is kept while the place after its last event is available, because a reader may hold it.
  while (terms_.size() > 1 && terms_[1].first < first_) terms_.erase(terms_.begin());
  if (start_ < 4096 || start_ < bytes_.size() / 2) return;
  bytes_.erase(0, start_);
  dropped_ += start_;
  start_ = 0;
}

FeedCursor Feed::PlaceAt(std::uint64_t sequence) const {
  FeedCursor place{0, sequence};
  for (const FeedTerm& term : terms_) {
    if (term.first < sequence || &term == &terms_.front()) place.term = term.term;
  }
  return place;
}

bool Feed::Knows(const FeedCursor& place) const {
  if (place.sequence < first_ || place.sequence > end()) return false;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    // Events before the first term have places of that term: see PlaceAt.
    const std::uint64_t from = i == 0 ? first_ : terms_[i].first;
    const std::uint64_t after = i + 1 < terms_.size() ? terms_[i + 1].first : end();
    if (terms_[i].term == place.term && place.sequence >= from && place.sequence <= after) {
      return true;
    }
  }
  return terms_.empty() && place == End();
}

void Feed::Visit(std::uint64_t sequence, const Visitor& visit) const {
  LAUREL_ASSERT(sequence >= first_ && sequence <= end());
  // Starts at the last mark at or before the sequence, or at the oldest event.
  std::uint64_t at = first_;
  std::size_t offset = start_;
  const std::uint64_t mark = sequence - sequence % kMarkEvery;
  const std::uint64_t first_mark = (first_ + kMarkEvery - 1) / kMarkEvery * kMarkEvery;
  if (mark >= first_mark && (mark - first_mark) / kMarkEvery < marks_.size()) {
    at = mark;
    offset = marks_[(mark - first_mark) / kMarkEvery] - dropped_;
  }
  base::ByteCursor ring(std::string_view(bytes_).substr(offset));
  bool goes_on = true;
  for (; at < end() && goes_on; ++at) {
    const std::string_view bytes = ring.Bytes(kMaxFeedBytes);
    if (at < sequence) continue;
    const std::function<bool(const Event&)> pass = [&](const Event& event) {
      return goes_on = visit(PlaceAt(at + 1), event);
    };
    base::ByteCursor cursor(bytes);
    (void)KeptEventReader(&pass).Read(&cursor);
  }
}

void Feed::VisitBytes(const std::function<void(std::string_view)>& visit) const {
  base::ByteCursor ring(std::string_view(bytes_).substr(start_));
  while (!ring.empty()) visit(ring.Bytes(kMaxFeedBytes));
}

std::uint64_t Feed::Digest() const {
  base::HashChain chain(capacity_);
  chain.Add(first_);
  for (const FeedTerm& term : terms_) {
    chain.Add(term.term);
    chain.Add(term.first);
  }
  VisitBytes([&](std::string_view event) { chain.Add(event); });
  return chain.state();
}

}  // namespace laurel::module
