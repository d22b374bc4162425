// Applying effects, bulk loading, walking and copying: what replication, logs and saved files need.
#include <algorithm>
#include <set>
#include <utility>

#include "core/decide.h"
#include "leaderboard/entries.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/loader.h"

namespace laurel::leaderboard {
namespace {

Error NotInSet() { return Err("a sorted set has entries and nothing else"); }

Status CheckTime(Stamp at, Stamp latest) {
  if (at <= latest) return Ok{};
  return Error{ErrorCode::kBadTime, "a time lies in the far future"};
}

Status CheckEntry(const core::Standings& standings, const core::Effect& effect, unsigned words,
                  Stamp latest) {
  if (!core::CheckMember(standings, effect.member).ok()) {
    return Err("a member is longer than its board allows");
  }
  const bool is_set = standings.spec().kind == BoardKind::kSortedSet;
  const bool hides =
      effect.kind == core::Effect::Kind::kHide || effect.kind == core::Effect::Kind::kShow;
  if (is_set && (hides || !effect.meta.empty())) return NotInSet();
  const bool has_words = words > 0 || effect.kind == core::Effect::Kind::kDeleteRange;
  if (has_words && words != standings.layout().words()) {
    return Err("an entry has " + std::to_string(words) + " words, its board has " +
               std::to_string(standings.layout().words()));
  }
  // The keys of a range are no words of the effect.
  const bool has_stamp =
      effect.kind == core::Effect::Kind::kPut || effect.kind == core::Effect::Kind::kHide;
  return CheckTime(has_stamp && words > 0 ? standings.layout().StampOf(effect.words) : 0, latest);
}

}  // namespace

// Applying ----------------------------------------------------------------------------------------

// Applies effects to a leaderboard. Entries go through OnBoard: one by one here, in bulk in
// Loader::Reader.
class Leaderboard::Applier : public EffectReader {
 public:
  Applier(Leaderboard* board, bool lenient, Stamp latest, Summary* summary)
      : board_(*board), lenient_(lenient), latest_(latest), summary_(*summary) {}

 protected:
  Status OnCreate(const Spec& /*spec*/) override {
    return Err("a leaderboard is created inside of another");
  }
  Status OnAlter(const Spec& spec) override {
    if (is_set()) return NotInSet();
    if (Status same = CheckAltered(board_.spec(), spec); !same.ok()) return same;
    board_.SetSpec(spec);
    summary_.declared = true;
    return Ok{};
  }
  Status OnMark(std::string_view member) override { return SetMark(member, true); }
  Status OnUnmark(std::string_view member) override { return SetMark(member, false); }
  Status OnStamped(Stamp last) override {
    if (is_set()) return NotInSet();
    if (Status checked = CheckTime(last, latest_); !checked.ok()) return checked;
    board_.RaiseStamp(last);
    return Ok{};
  }
  Status OnWritten(Stamp at) override {
    if (Status checked = CheckTime(at, latest_); !checked.ok()) return checked;
    if (board_.ExpiresAfterLastWrite()) board_.NeedExtras().written_at = at;
    return Ok{};
  }
  Status OnTurned(Stamp at) override {
    if (!board_.has_periods()) return Err("a board without periods has turned");
    board_.RaiseTurn(at);
    return Ok{};
  }
  Status OnClosedThrough(Period period, Stamp end) override {
    if (!Declares(period)) return Err("a period that the board does not have is closed");
    board_.CloseThrough(period, end);
    return Ok{};
  }
  Status OnRemember(const RememberedRequest& request) override {
    if (is_set()) return NotInSet();
    if (Status checked = CheckTime(request.at, latest_); !checked.ok()) return checked;
    board_.Requests().Remember(request);
    summary_.remembered = true;
    return Ok{};
  }
  Status OnForgetBefore(std::uint64_t sequence) override {
    if (is_set()) return NotInSet();
    board_.Requests().ForgetBefore(sequence);
    return Ok{};
  }
  Status OnCreateInstance(std::uint32_t number, const Instance& span) override {
    if (!Declares(span.period)) return Err("an instance of a period that the board lacks");
    if (number == 0) return Err("an instance without a number");
    const bool present = board_.FindStored(number) != nullptr;
    if (!lenient_ && (present || board_.FindStored(span) != nullptr)) {
      return Err("instance " + std::to_string(number) + " is created twice");
    }
    if (!present) {
      board_.AddStored(number, span);
      summary_.due_earlier = true;
    }
    selected_ = number;
    return Ok{};
  }
  Status OnSelect(const InstanceRef& instance) override {
    selected_ = instance.number;
    if (lenient_) return Ok{};
    const StoredInstance* stored = board_.FindStored(selected_);
    const bool matches = stored == nullptr ? board_.StandingsOf(selected_) != nullptr
                                           : stored->span.period == instance.period &&
                                                 BeginSeconds(stored->span) == instance.begin_s;
    if (matches) return Ok{};
    return Err("instance " + std::to_string(selected_) + " is not there");
  }
  Status OnDropInstance(std::uint32_t number) override {
    if (board_.FindStored(number) == nullptr) {
      return lenient_ ? Status(Ok{})
                      : Status(Err("instance " + std::to_string(number) + " is not there"));
    }
    summary_.gone.push_back(board_.FindStored(number)->span);
    board_.EraseStored(number);
    return Ok{};
  }
  Status OnClose(const Closing& closing) override {
    StoredInstance* stored = board_.FindStored(selected_);
    if (stored == nullptr) {
      return lenient_ ? Status(Ok{}) : Status(Err("a board that is no instance is closed"));
    }
    stored->closed = true;
    stored->close_note = closing.note;
    summary_.declared = true;
    return Ok{};
  }
  Status OnEntry(const core::Effect& effect, unsigned words) override {
    core::Standings* standings = board_.StandingsOf(selected_);
    if (standings == nullptr && (!lenient_ || selected_ == 0))
      return Err("an entry of no instance");
    const core::Standings& like = standings != nullptr ? *standings : board_.standings_;
    if (Status checked = CheckEntry(like, effect, words, latest_); !checked.ok()) return checked;
    if (standings == nullptr) {  // dropped by a later effect; its stamps still count
      board_.NoteStamp(effect);
      return Ok{};
    }
    summary_.NoteEntries(selected_);
    return OnBoard(standings, effect);
  }

  virtual Status OnBoard(core::Standings* standings, const core::Effect& effect) {
    if (effect.kind == core::Effect::Kind::kPut && !standings->entries().HasRoom()) {
      return Err("more entries than a board can hold");
    }
    if (!lenient_ && effect.kind == core::Effect::Kind::kHide &&
        !standings->IsHidden(effect.member)) {
      return Err("an entry is hidden without a mark");
    }
    board_.ApplyEntry(standings, effect);
    return Ok{};
  }

  [[nodiscard]] Leaderboard& board() { return board_; }
  [[nodiscard]] std::uint32_t selected() const { return selected_; }

 private:
  [[nodiscard]] bool Declares(Period period) const {
    const std::vector<Period>& all = board_.spec().periods;
    return std::find(all.begin(), all.end(), period) != all.end();
  }
  [[nodiscard]] bool is_set() const { return board_.spec().kind == BoardKind::kSortedSet; }
  Status SetMark(std::string_view member, bool hidden) {
    if (is_set()) return NotInSet();
    board_.SetMark(member, hidden);
    summary_.declared = true;
    // The effects on entries that follow are those of the host that decided them. This board may
    // have others.
    if (lenient_) return Ok{};
    Settle(&board_.standings_, member);
    for (const auto& stored : board_.instances()) Settle(&stored->standings, member);
    return Ok{};
  }

  Leaderboard& board_;
  bool lenient_;
  Stamp latest_;
  Summary& summary_;
  std::uint32_t selected_ = 0;
};

Status Leaderboard::Apply(base::ByteCursor* effects, bool lenient, Summary* summary, Stamp latest) {
  return Applier(this, lenient, latest, summary).Read(effects);
}

void Leaderboard::Settle(core::Standings* standings, std::string_view member) {
  core::EffectBatch copies;
  core::Effect put;
  put.member = member;
  put.stamp_not_from_clock = true;
  const core::Location found = standings->entries().Find(core::MemberKey(member));
  if (found != core::kNowhere && standings->IsHidden(member)) {
    put.words = standings->entries().WordsAt(found);
    put.meta = copies.Own(standings->entries().MetaAt(found));
  } else if (const auto* hidden = standings->FindHidden(member);
             hidden != nullptr && !standings->IsHidden(member)) {
    put.words = hidden->words;
    put.meta = copies.Own(hidden->meta);
  } else {
    return;
  }
  standings->Apply(
      put);  // places the entry by the member's mark, and removes it from the other ones
}

void Leaderboard::Reconcile() {
  std::set<std::pair<Period, std::string_view>> labels;
  std::vector<std::uint32_t> older;
  const auto all = instances();
  for (auto stored = all.rbegin(); stored != all.rend(); ++stored) {
    const Instance& span = (*stored)->span;
    if (!labels.emplace(span.period, span.label).second) older.push_back((*stored)->number);
  }
  for (const std::uint32_t number : older) EraseStored(number);
  const auto settle = [&](core::Standings* standings) {
    std::vector<std::string> members;
    standings->ForEachHidden([&](std::string_view member, const core::Standings::HiddenEntry&) {
      if (!standings->IsHidden(member)) members.emplace_back(member);
    });
    for (const std::string& member : members) Settle(standings, member);
    if (marks() == nullptr) return;
    marks()->ForSome(nullptr, SIZE_MAX,
                     [&](std::string_view member) { Settle(standings, member); });
  };
  settle(&standings_);
  for (const auto& stored : instances()) settle(&stored->standings);
}

// Loading -----------------------------------------------------------------------------------------

class Loader::Reader : public Leaderboard::Applier {
 public:
  Reader(Leaderboard* into, Stamp latest) : Applier(into, /*lenient=*/true, latest, &summary_) {}

  [[nodiscard]] std::uint64_t entries() const { return entries_; }
  void Finish() {
    if (!store_) return;
    store_->Finish();
    store_.reset();
    for (const Deferred& entry : std::exchange(deferred_, {})) {
      core::Effect put;
      put.member = entry.member;
      put.words = entry.words;
      put.meta = entry.meta;
      put.stamp_not_from_clock = true;
      into_->Apply(put);
    }
  }
  [[nodiscard]] std::optional<core::EntryStore::Loader>& store() { return store_; }

 protected:
  Status OnDropInstance(std::uint32_t number) override {
    Finish();  // it may be the one that is being loaded
    return Applier::OnDropInstance(number);
  }
  Status OnBoard(core::Standings* standings, const core::Effect& effect) override {
    const bool is_put = effect.kind == core::Effect::Kind::kPut;
    if (!is_put) {
      Finish();
      return Applier::OnBoard(standings, effect);
    }
    ++entries_;
    if (into_ != standings || !store_) {
      // A bulk load needs an empty board. If other effects interrupted the load of this board, its
      // further entries are added one by one.
      Finish();
      into_ = standings;
      if (standings->entries().size() > 0) return Applier::OnBoard(standings, effect);
      store_.emplace(standings->Load());
    }
    // The walk wrote the member's mark, and LB.SHOW removed it before the walk came to the entry.
    if (standings->IsHidden(effect.member)) {
      deferred_.push_back({std::string(effect.member), effect.words, std::string(effect.meta)});
      return Ok{};
    }
    if (store_->Add(core::MemberKey(effect.member), effect.words, effect.meta)) return Ok{};
    return Err("more entries than a board can hold");
  }

 private:
  // The entry of a marked member, to be applied after the load: hiding an entry searches the store
  // for a visible one, which is not possible during the load.
  struct Deferred {
    std::string member;
    core::Words words;
    std::string meta;
  };

  Summary summary_;
  std::uint64_t entries_ = 0;
  std::vector<Deferred> deferred_;
  core::Standings* into_ = nullptr;
  std::optional<core::EntryStore::Loader> store_;
};

Loader::Loader(Leaderboard* into, Stamp latest) : reader_(std::make_unique<Reader>(into, latest)) {}
Loader::~Loader() = default;
Status Loader::Read(base::ByteCursor* effects) { return reader_->Read(effects); }
std::uint64_t Loader::entries() const { return reader_->entries(); }
std::size_t Loader::unsorted() const { return reader_->store() ? reader_->store()->size() : 0; }
void Loader::Index() {
  if (reader_->store()) reader_->store()->Index();
}
void Loader::Sort() {
  if (reader_->store()) reader_->store()->Sort();
}
void Loader::Finish() { reader_->Finish(); }

// Walking -----------------------------------------------------------------------------------------

bool Leaderboard::Walk(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const {
  using Phase = WalkCursor::Phase;
  while (cursor->phase != Phase::kDone && budget > 0) {
    std::size_t visited = 0;
    switch (cursor->phase) {
      case Phase::kHead:
        WalkHead(cursor->portable, effects);
        cursor->phase = Phase::kMarks;
        break;
      case Phase::kMarks:
        visited = WalkMarks(cursor, budget, effects);
        break;
      case Phase::kInstance:
        WalkNextInstance(cursor, effects);
        break;
      case Phase::kEntries:
      case Phase::kHidden:
        visited = WalkEntries(cursor, budget, effects);
        break;
      case Phase::kRequests:
        visited = WalkRequests(cursor, budget, effects);
        break;
      case Phase::kDone:
        break;
    }
    budget -= std::min(budget, std::max<std::size_t>(visited, 1));
  }
  return cursor->phase != Phase::kDone;
}

void Leaderboard::WalkHead(bool portable, EffectWriter* effects) const {
  if (last_stamp_ != 0) effects->Stamped(last_stamp_);
  if (written_at() != 0) effects->Written(written_at());
  if (has_periods()) {
    if (periods().turned_at != INT64_MIN) effects->Turned(periods().turned_at);
    for (const Period period : spec().periods) {
      const Stamp end = periods().closed_through[static_cast<std::size_t>(period)];
      if (end != INT64_MIN) effects->ClosedThrough(period, end);
    }
  }
  if (requests() != nullptr &&
      !portable) {  // keeps the next sequence number even if no request is left
    effects->ForgetBefore(requests()->size() > 0 ? requests()->Oldest().sequence
                                                 : requests()->next_sequence());
  }
}

std::size_t Leaderboard::WalkMarks(WalkCursor* cursor, std::size_t budget,
                                   EffectWriter* effects) const {
  std::size_t visited = 0;
  std::string_view last;
  const bool more =
      marks() != nullptr && marks()->ForSome(cursor->after ? &*cursor->after : nullptr, budget,
                                             [&](std::string_view member) {
                                               effects->Mark(member);
                                               last = member;
                                               ++visited;
                                             });
  if (more) {
    cursor->after.emplace(last);
    return visited;
  }
  cursor->after.reset();
  cursor->entries = {};
  cursor->stored = 0;
  cursor->phase = has_periods() ? WalkCursor::Phase::kInstance : WalkCursor::Phase::kEntries;
  return visited;
}

void Leaderboard::WalkNextInstance(WalkCursor* cursor, EffectWriter* effects) const {
  const auto& all = periods().instances;
  const auto next = std::upper_bound(
      all.begin(), all.end(), cursor->stored,
      [](std::uint32_t number, const auto& stored) { return number < stored->number; });
  cursor->entries = {};
  cursor->position = 0;
  cursor->after.reset();
  cursor->request = 0;
  if (next == all.end()) {
    cursor->phase = WalkCursor::Phase::kRequests;
    return;
  }
  const StoredInstance& stored = **next;
  cursor->stored = stored.number;
  cursor->phase = WalkCursor::Phase::kEntries;
  effects->CreateInstance(stored.number, stored.span);
  if (!stored.closed) return;
  Closing closing;
  if (!cursor->portable) closing.note = stored.close_note;
  effects->Close(closing);
}

namespace {

// Calls visit(view) for at most `limit` entries whose hash is at or above `from`. Returns the hash
// to continue with; 0 at the end. The store scans entries that are together in its index, which can
// be many where a client has inserted members in the order of a scan.
template <typename Visit>
std::uint64_t ScanSome(const core::Standings& standings, std::uint64_t from, std::size_t limit,
                       const Visit& visit) {
  const auto hash_of = [seed = standings.environment()->hash_seed()](const core::EntryView& view) {
    return core::MemberKey(view.member).Hash(seed);
  };
  std::vector<std::uint64_t> hashes;
  std::uint64_t next = standings.entries().Scan(
      from, [&](const core::EntryView& view) { hashes.push_back(hash_of(view)); });
  if (hashes.size() > limit) {
    const auto first_left = hashes.begin() + static_cast<std::ptrdiff_t>(limit);
    std::nth_element(hashes.begin(), first_left, hashes.end());
    // Members of equal hash are visited together, so that the scan goes on.
    next = std::max(*first_left, *std::min_element(hashes.begin(), first_left) + 1);
  }
  standings.entries().Scan(from, [&](const core::EntryView& view) {
    if (next == 0 || hash_of(view) < next) visit(view);
  });
  return next;
}

}  // namespace

std::size_t Leaderboard::WalkEntries(WalkCursor* cursor, std::size_t budget,
                                     EffectWriter* effects) const {
  using Phase = WalkCursor::Phase;
  const StoredInstance* stored = cursor->stored == 0 ? nullptr : FindStored(cursor->stored);
  if (cursor->stored != 0 && stored == nullptr) {  // it was dropped since the last slice
    cursor->phase = Phase::kInstance;
    return 0;
  }
  const core::Standings& standings = stored != nullptr ? stored->standings : standings_;
  effects->Select(stored != nullptr ? RefOf(*stored) : InstanceRef{});
  const unsigned words = standings.layout().words();
  std::size_t visited = 0;
  core::Effect effect;
  effect.stamp_not_from_clock = true;
  const auto put = [&](const core::EntryView& view) {
    effect.member = view.member;
    effect.words = view.words;
    effect.meta = view.meta;
    effects->Entry(effect, words);
    ++visited;
    return true;
  };
  using Order = WalkCursor::Order;
  if (cursor->phase == Phase::kEntries && cursor->order == Order::kBest) {
    standings.entries().ForRange(cursor->position, budget, /*backward=*/false, put);
    cursor->position += visited;
    if (cursor->position >= standings.entries().size()) {
      cursor->position = 0;
      cursor->phase = Phase::kHidden;
    }
  } else if (cursor->phase == Phase::kEntries && cursor->order == Order::kHash) {
    cursor->position = ScanSome(standings, cursor->position, budget, put);
    if (cursor->position == 0) cursor->phase = Phase::kHidden;
  } else if (cursor->phase == Phase::kEntries) {
    const auto state = standings.entries().Walk(&cursor->entries, budget, put);
    if (state == core::EntryStore::WalkState::kVoid) cursor->entries = {};
    if (state == core::EntryStore::WalkState::kDone) cursor->phase = Phase::kHidden;
  } else {
    effect.kind = core::Effect::Kind::kHide;
    std::string_view last;
    const bool more = standings.ForHiddenAfter(
        cursor->after ? &*cursor->after : nullptr, budget,
        [&](std::string_view member, const core::Standings::HiddenEntry& entry) {
          effect.member = last = member;
          effect.words = entry.words;
          effect.meta = entry.meta;
          effects->Entry(effect, words);
          ++visited;
        });
    if (more) {
      cursor->after.emplace(last);
    } else {
      cursor->after.reset();
      cursor->request = 0;
      cursor->phase = stored != nullptr ? Phase::kInstance : Phase::kRequests;
    }
  }
  cursor->visited += visited;
  return visited;
}

std::size_t Leaderboard::WalkRequests(WalkCursor* cursor, std::size_t budget,
                                      EffectWriter* effects) const {
  std::size_t visited = 0;
  const RequestIds* ids = cursor->portable ? nullptr : requests();
  if (ids != nullptr && cursor->request < ids->next_sequence()) {
    cursor->request = ids->ForSome(cursor->request, budget, [&](const RememberedRequest& request) {
      effects->Remember(request);
      ++visited;
    });
    if (cursor->request < ids->next_sequence()) return visited;
  }
  cursor->phase = WalkCursor::Phase::kDone;
  return visited;
}

// Whole boards ------------------------------------------------------------------------------------

Summary Leaderboard::TakeEntries(core::Standings* from, Stamp now, EffectWriter* effects) {
  LAUREL_ASSERT(!has_periods() &&
                standings_.hidden_entries() == 0);  // Board checks the visible ones
  Summary summary;
  summary.NoteEntries(0);
  standings_.TakeEntries(from);
  const unsigned words = standings_.layout().words();
  core::Effect put;
  const core::EntryStore& entries = standings_.entries();
  entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
    RaiseStamp(standings_.layout().StampOf(view.words));
    put.member = view.member;
    put.words = view.words;
    put.meta = view.meta;
    if (effects != nullptr) effects->Entry(put, words);
    return true;
  });
  NoteWritten(now, effects, &summary);
  return summary;
}

Summary Leaderboard::CopyFrom(const Leaderboard& other, Stamp now, EffectWriter* effects) {
  LAUREL_ASSERT(!has_periods() && spec() == other.spec());
  LAUREL_ASSERT(environment() == other.environment());
  LAUREL_ASSERT(standings_.entries().size() + standings_.hidden_entries() == 0);
  Summary summary;
  summary.NoteEntries(0);
  const unsigned words = standings_.layout().words();
  RaiseStamp(other.last_stamp_);
  if (effects != nullptr && last_stamp_ != 0) effects->Stamped(last_stamp_);
  if (other.marks() != nullptr) {
    other.marks()->ForSome(nullptr, SIZE_MAX, [&](std::string_view member) {
      if (effects != nullptr) effects->Mark(member);
      SetMark(member, true);
    });
  }
  core::Effect put;
  put.stamp_not_from_clock = true;
  other.standings_.ForEachHidden(
      [&](std::string_view member, const core::Standings::HiddenEntry& entry) {
        put.member = member;
        put.words = entry.words;
        put.meta = entry.meta;
        if (effects != nullptr) effects->Entry(put, words);
        standings_.Apply(put);
      });
  core::EntryStore::Loader loader = standings_.Load();
  const core::EntryStore& entries = other.standings_.entries();
  entries.ForRange(0, entries.size(), false, [&](const core::EntryView& view) {
    const bool added = loader.Add(core::MemberKey(view.member), view.words, view.meta);
    LAUREL_ASSERT(added);  // the entry fits into the other board, so it fits here
    put.member = view.member;
    put.words = view.words;
    put.meta = view.meta;
    if (effects != nullptr) effects->Entry(put, words);
    return true;
  });
  loader.Finish();
  LAUREL_ASSERT(standings_.entries().size() == entries.size());
  NoteWritten(now, effects, &summary);
  return summary;
}

void Leaderboard::ForgetRequests(EffectWriter* effects) {
  if (requests() == nullptr) return;
  const std::uint64_t next = requests()->next_sequence();
  Requests().ForgetBefore(next);
  if (effects != nullptr) effects->ForgetBefore(next);
}

}  // namespace laurel::leaderboard
