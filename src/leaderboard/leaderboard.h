// One leaderboard as a whole: its rules, its window, its periods with their instances, its hidden
// members and its request ids. Operations in; answers and effects out.
//
//   operation ──► Read ─────────────────────────────► answer
//   operation ──► Decide ──► decision ──► Commit ───► answer, effects, summary
//   time      ──► Advance ──────────────────────────► effects, summary
//   effects   ──► Apply  (a replica, a log, a file that was saved)
//
// A leaderboard lives in a host: the embedded engine, a Redis server with our module, a C++ program
// with our library, a test. The host gives time, stamps, memory and a calendar, and takes the
// effects to wherever they must last. There is no name, clock, file, thread or log in here; the
// name in a Call is for messages only.
//
// State.
//   board      the visible entries in order, with the entries of hidden members beside them
//              (core/board.h). A leaderboard without periods has one.
//   instances  of a leaderboard with periods: one board for each hour, day, … that was written to.
//              Each has a number, which is never given again; the board itself has no entries then.
//   marks      the hidden members. They stand once, for all instances, present and to come.
//   requests   the ids of writes that were carried out, with what they were answered.
//   calendar   the moment of the last turn or close (it does not go back), how far each
//              period is closed, when the last write was accepted, the highest stamp given.
//
// Deciding changes nothing, and applying decides nothing. So a follower that applies the effects of
// every Commit and Advance has the same state, and the same digest, at every step.
//
// Time. What time does is computed by readers and made real by writes and by Advance: an instance
// that is over takes no writes, and one that is not kept any more is not found, whether or not
// Advance has been called. Advance makes it lasting and frees memory; call it when Due() has come.
//
// Memory: a leaderboard without periods, hidden members and ids is a core::Board and 16 bytes.
// Threads: any number may call const functions at once; everything else needs it alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/board.h"
#include "core/commands.h"
#include "core/marks.h"
#include "core/store/environment.h"
#include "laurel/calendar.h"
#include "laurel/entry.h"
#include "laurel/period.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "leaderboard/answer.h"
#include "leaderboard/effect_codec.h"
#include "leaderboard/limits.h"
#include "leaderboard/operation.h"
#include "leaderboard/request_ids.h"

namespace laurel::leaderboard {

// When, and under which name, an operation comes.
struct Call {
  std::string_view board{};  // as the client named it, for messages
  Stamp now = 0;             // the host's clock
  Stamp stamp = 0;           // the first of the stamps taken for it (StampsFor)
};

// What a Commit, an Advance or an Apply has changed: what watches, waiting clients and live readers
// follow from. Instance 0 is the board itself.
struct Summary {
  bool accepted = false;    // of a Commit: the operation was not refused
  bool ended = false;       // of an Advance: the board's own EXPIRE has passed; the host drops it
  bool more = false;        // of an Advance: the budget was not enough
  bool declared = false;    // spec, marks or closes changed
  bool remembered = false;  // an id was remembered
  bool sooner = false;      // of a Commit: Due() may be sooner than before; otherwise it is not
  std::vector<std::uint32_t> changed{};  // instances whose entries changed, without repetition
  std::vector<Instance> gone{};          // instances that are not there any more

  // Whether there is more to it than the time of the last write.
  [[nodiscard]] bool anything() const {
    return declared || remembered || ended || !changed.empty() || !gone.empty();
  }
  void NoteEntries(std::uint32_t instance);
  // Its memory is kept.
  void Clear();
};

class Decision;
class Loader;

// What Leaderboard::Prepare has found out about one operation on one board.
struct Hint {
  const core::Board* board = nullptr;  // null: nothing is known
  std::uint32_t generation = 0;        // of the board's entries then
  core::Location location = core::kNowhere;
  const core::EntryStore::Ahead* ahead = nullptr;  // of a submit
  std::uint64_t index = 0;                         // of a read: the entry's, if there is one
};

// Hints for operations that come together. May be used again and again.
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  // For operation i: one hint, or one for each period of the board.
  [[nodiscard]] std::span<const Hint> operator[](std::size_t i) const {
    return {&hints_[i * boards_], boards_};
  }

 private:
  friend class Leaderboard;
  void Begin(std::size_t operations, std::size_t boards);

  std::size_t boards_ = 0;
  std::vector<Hint> hints_;
  std::vector<core::EntryStore::Ahead> ahead_;
  std::vector<Write> writes_;
};

class Leaderboard {
 public:
  // One instance of a leaderboard with periods.
  struct StoredInstance {
    StoredInstance(std::uint32_t its_number, const Instance& its_span, const Spec& spec,
                   core::Environment* environment)
        : number(its_number), span(its_span), board(spec, environment) {}

    std::uint32_t number;
    Instance span;
    core::Board board;
    std::uint64_t changes = 0;  // of its entries, so far: equal numbers, equal entries
    bool closed = false;        // takes no more writes, for good
    std::string close_note;     // the host's, from when it was closed
  };

  // REQUIRES: CheckSpec(spec) is ok, and it is no sorted set. `calendar`: of the spec's zone and
  // turn; null if the spec has no periods, or if the host does not know the zone: the board is then
  // read as it is, and takes no writes.
  Leaderboard(const Spec& spec, core::Environment* environment,
              std::shared_ptr<const Calendar> calendar);
  ~Leaderboard();
  Leaderboard(const Leaderboard&) = delete;
  Leaderboard& operator=(const Leaderboard&) = delete;

  [[nodiscard]] const Spec& spec() const { return board_.spec(); }
  [[nodiscard]] bool has_periods() const { return !spec().periods.empty(); }
  [[nodiscard]] const core::Marks* marks() const {
    return extras_ ? extras_->marks.get() : nullptr;
  }
  [[nodiscard]] const RequestIds* requests() const {
    return extras_ ? extras_->requests.get() : nullptr;
  }
  // The entries of a board without periods. With periods it is empty.
  [[nodiscard]] const core::Board& board() const { return board_; }
  // Instances in the order of their numbers; none without periods.
  [[nodiscard]] std::span<const std::unique_ptr<StoredInstance>> instances() const;
  // Whether there are visible entries, in any instance; and entries of hidden members.
  [[nodiscard]] bool has_entries() const;
  [[nodiscard]] bool has_hidden_entries() const;
  [[nodiscard]] std::size_t MemoryUsage() const;
  // The highest stamp that a write without AT has got.
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }
  // When the last write was accepted; kept by boards that expire some time after it. 0: never.
  [[nodiscard]] Stamp written_at() const { return extras_ ? extras_->written_at : 0; }

  // What reads of a selector see: the selected instance; without a selector the board itself, or
  // the first period's present instance. An instance without writes is an empty board.
  // Null if the selector selects nothing: no such period, no such label, or not kept any more.
  // `number`: that of the instance; 0 where it is the board itself, none where nothing is written.
  struct View {
    const core::Board* board = nullptr;
    std::uint32_t number = 0;
    const StoredInstance* stored = nullptr;
    Instance span{};  // of an instance, whether or not it was written to
  };
  [[nodiscard]] std::optional<View> Look(const std::optional<InstanceSelector>& instance,
                                         Stamp now) const;

  // NOBOARD with the reason why Look finds nothing: no periods, period not declared, no such label,
  // not begun, or not kept any more. `board`: the name for the message.
  [[nodiscard]] Error NoInstance(std::string_view board, const InstanceSelector& selector,
                                 Stamp now) const;

  // Whether an instance takes no more writes, by the board's calendar. REQUIRES: periods.
  [[nodiscard]] bool IsOver(const Instance& span, Stamp now) const {
    return Later(span.end, spec().grace_us) <= CalendarTime(now);
  }

  // Operations --------------------------------------------------------------------------------

  // `hints`: none, or what Prepare says.
  void Read(const ReadOperation& operation, const Call& call, Answer* answer,
            std::span<const Hint> hints = {}) const;

  // Fills *decision, which may be used again and again. Nothing has changed yet.
  void Decide(const WriteOperation& operation, const Call& call, Decision* decision,
              std::span<const Hint> hints = {}) const;
  // Carries out what was decided, or answers why it was refused, and sets *summary. `effects` may
  // be null.
  // REQUIRES: nothing has changed since Decide, and what the operation refers to is still there.
  void Commit(Decision* decision, Answer* answer, EffectWriter* effects, Summary* summary);

  // Fetches the memory that up to kPreparedAtOnce operations will look at, all at once, where one
  // after the other would wait for each cache line. Each of them then executes as if alone, with
  // its hints: what a write in between has made void is found out. Between Prepare and the last of
  // them only they may be executed. Submit i is expected to get the stamp call.stamp + i.
  static constexpr std::size_t kPreparedAtOnce = core::EntryStore::kBatch;
  void Prepare(std::span<const Submit* const> submits, const Call& call, Prepared* prepared) const;
  // For gets and arounds of these members, on one instance or on the board itself.
  void Prepare(std::span<const std::string_view> members,
               const std::optional<InstanceSelector>& instance, const Call& call,
               Prepared* prepared) const;

  // Executes each write as one Decide and one Commit without an id would, but fetches memory for
  // several writes ahead. Made for pipelines. Verdicts have no ranks. Write i has the stamp
  // call.stamp + i; visit(i, verdict) is called after it. REQUIRES: no periods.
  using WriteVisitor = std::function<void(std::size_t, const Result<Verdict>&)>;
  Summary ApplyBatch(std::span<const Write> writes, const Call& call, EffectWriter* effects,
                     const WriteVisitor& visit);

  // Fills an empty board with entries that are in order: see laurel/board.h. It writes no
  // effects: a follower starts from a walk that comes later. ERR if the board has periods.
  Status LoadEntries(std::span<const Entry> sorted);

  // Whole boards. REQUIRES: this one is new and empty, without periods; `now`: the host's clock.
  // Takes over the visible entries of a board of the same layout and environment.
  Summary TakeEntries(core::Board* from, Stamp now, EffectWriter* effects);
  // Copies entries and marks, not ids. REQUIRES: equal specs, same environment.
  Summary CopyFrom(const Leaderboard& other, Stamp now, EffectWriter* effects);
  // Forgets all ids: they were about another name.
  void ForgetRequests(EffectWriter* effects);

  // Time ----------------------------------------------------------------------------------------

  // When Advance has something to do; INT64_MAX: never. It may have nothing to do by then.
  [[nodiscard]] Stamp Due(Stamp now) const;
  // Closes instances whose time is over, drops those that are not kept, forgets old ids, and says
  // whether the board itself has ended. At most `budget` instances and ids. `close_note`: what the
  // host wants kept with what is closed now.
  Summary Advance(Stamp now, std::size_t budget, std::string_view close_note,
                  EffectWriter* effects);
  // When the board's own EXPIRE ends it; INT64_MAX: never.
  [[nodiscard]] Stamp EndsAt() const;
  // Whether the board's own EXPIRE has passed.
  [[nodiscard]] bool HasEnded(Stamp now) const { return EndsAt() <= now; }

  // Followers and files ---------------------------------------------------------------------------

  // Applies effects up to the first one of the host's. `again`: they come behind a snapshot that
  // may have seen some of them, so an instance that is not there, or is there already, is no error.
  // On an error some of the effects may have been applied.
  Status Apply(base::ByteCursor* effects, bool again, Summary* summary);

  // Where effects are missing between those that were applied: settles what they left undone. Of
  // two instances with one label the younger stays; an entry is hidden exactly if its member is
  // marked.
  void Reconcile();

  // A walk over everything, in slices between which anything may change. It writes effects that,
  // read by a Loader (loader.h) and followed by all effects from its beginning to its end, give the
  // state at the end. False when there is nothing left.
  struct WalkCursor {
    enum class Phase : std::uint8_t {
      kHead,
      kMarks,
      kInstance,
      kEntries,
      kHidden,
      kRequests,
      kDone
    };
    Phase phase = Phase::kHead;
    std::uint32_t stored = 0;  // the instance that is being walked
    core::EntryStore::WalkCursor entries;
    std::optional<std::string> after;  // the last mark or hidden member
    std::uint64_t request = 0;
    std::uint64_t visited = 0;  // entries, hidden ones included
  };
  bool Walk(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;

  // The same for equal states, whatever their history; different for different ones.
  [[nodiscard]] std::uint64_t Digest() const;
  // Checks every invariant: an empty string, or what is broken.
  [[nodiscard]] std::string Validate() const;

 private:
  friend class Decision;
  friend class Loader;
  class Applier;
  class Deciding;

  // The instance of a period that was asked for last by a write, mostly the present one.
  struct PeriodInstance {
    Instance span{Period::kAll, 0, 0, ""};
    StoredInstance* stored = nullptr;  // null: the instance has no writes
  };
  struct Periods {
    Periods(const Spec& spec, core::Environment* environment,
            std::shared_ptr<const Calendar> of_zone)
        : calendar(std::move(of_zone)), empty(spec, environment) {}

    std::shared_ptr<const Calendar> calendar;
    std::vector<std::unique_ptr<StoredInstance>> instances;  // by number
    std::uint32_t next_number = 1;
    Stamp turned_at = INT64_MIN;
    std::array<Stamp, kPeriods> closed_through = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN,
                                                  INT64_MIN};
    std::array<PeriodInstance, kPeriods> known;  // in the order of Spec::periods
    core::Board empty;  // what an instance that is not there is decided against
  };
  // What most leaderboards have none of.
  struct Extras {
    std::unique_ptr<core::Marks> marks;
    std::unique_ptr<RequestIds> requests;
    std::unique_ptr<Periods> periods;
    Stamp written_at = 0;

    [[nodiscard]] bool IsEmpty() const {
      return !marks && !requests && !periods && written_at == 0;
    }
  };

  [[nodiscard]] Extras& NeedMore();
  [[nodiscard]] const Periods& periods() const { return *extras_->periods; }
  [[nodiscard]] Periods& periods() { return *extras_->periods; }
  [[nodiscard]] core::Environment* environment() const { return board_.environment(); }
  [[nodiscard]] bool GoesAfterWrites() const { return spec().expire_us != 0 && !spec().end; }
  // The board's calendar: the clock, but never before its last turn.
  [[nodiscard]] Stamp CalendarTime(Stamp now) const { return std::max(now, periods().turned_at); }

  // Instances (leaderboard_periods.cc).
  [[nodiscard]] StoredInstance* FindStored(std::uint32_t number) const;
  [[nodiscard]] StoredInstance* FindStored(const Instance& span) const;
  // The instance of the i-th period at that time. Not kept: readers may share.
  [[nodiscard]] PeriodInstance InstanceOfPeriod(std::size_t i, Stamp time) const;
  // When the oldest instance begins that is kept, at that time on the calendar; or one that begins
  // at `far_enough` or before: counting back is long.
  [[nodiscard]] Stamp OldestKept(Period period, Stamp time, Stamp far_enough) const;
  // Which instances are still there for readers; Advance drops the others.
  struct Kept {
    std::array<Stamp, kPeriods> from;  // by period
    [[nodiscard]] bool Has(const StoredInstance& stored) const {
      return from[static_cast<std::size_t>(stored.span.period)] <= stored.span.begin;
    }
  };
  [[nodiscard]] Kept KeptInstances(Stamp now) const;
  // When the period turns next, and its GRACE is over.
  [[nodiscard]] Stamp NextTurn(Period period, Stamp time) const;
  [[nodiscard]] std::optional<View> LookAt(const InstanceSelector& selector, Stamp now) const;
  [[nodiscard]] Error ClosedError(const Call& call, const Instance& span,
                                  std::optional<Stamp> at) const;
  // The instance of the i-th period for a write at `at`, or now. CLOSED if it takes none any more.
  Result<PeriodInstance> Open(std::size_t i, std::optional<Stamp> at, const Call& call) const;
  void CloseStored(StoredInstance* stored, std::string_view note, EffectWriter* effects);
  // Closes or drops instances whose time has come, at most `budget`; returns how many.
  std::size_t AdvanceInstances(Stamp now, std::size_t budget, std::string_view note,
                               EffectWriter* effects, Summary* summary);

  // Changes of state. Every change goes through one of these, live or applied.
  // Null if there is no such instance.
  core::Board* BoardOf(std::uint32_t number);
  void ApplyEntry(core::Board* board, const core::Effect& effect,
                  core::Location found = core::kNowhere,
                  const core::EntryStore::Ahead* ahead = nullptr);
  void SetSpec(const Spec& spec);
  void SetMark(std::string_view member, bool hidden);
  void ShareMarks();
  void AddStored(std::uint32_t number, const Instance& span);
  void EraseStored(std::uint32_t number);
  // Of every entry that is put.
  void NoteStamp(const core::Effect& effect);
  void RaiseStamp(Stamp stamp) { last_stamp_ = std::max(last_stamp_, stamp); }
  void RaiseTurn(Stamp at);
  void CloseThrough(Period period, Stamp end);
  RequestIds& Requests();

  // Walking (leaderboard_follow.cc). Each but the first and third returns how much it has visited.
  void WalkHead(EffectWriter* effects) const;
  std::size_t WalkMarks(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;
  void BeginStored(WalkCursor* cursor, EffectWriter* effects) const;
  std::size_t WalkEntries(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;
  std::size_t WalkRequests(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;

  // Reads of the whole (leaderboard_read.cc).
  void AnswerDescription(const View& view, bool of_instance, Answer* answer) const;
  void AnswerPeriods(Stamp now, Answer* answer) const;

  // Carrying out a decision (leaderboard_write.cc).
  void CommitDeclared(const Decision& decision, EffectWriter* effects, Summary* summary);
  void CommitTarget(Decision* decision, std::size_t i, EffectWriter* effects, Summary* summary);
  void ApplyTarget(Decision* decision, std::size_t i, core::Board* board, EffectWriter* effects);
  void NoteWritten(Stamp now, EffectWriter* effects, Summary* summary);
  void Remember(Decision* decision, EffectWriter* effects);
  void AnswerPopped(Decision* decision, Answer* answer) const;

  // Forgets ids that are over, at most `most`; returns how many.
  std::size_t ForgetOld(Stamp now, std::size_t most, EffectWriter* effects);

  // A moment and a duration, at most the end of time.
  [[nodiscard]] static Stamp Later(Stamp moment, std::int64_t micros) {
    Stamp later = 0;
    return __builtin_add_overflow(moment, micros, &later) ? INT64_MAX : later;
  }
  [[nodiscard]] static InstanceRef RefOf(const StoredInstance& stored) {
    return {stored.number, stored.span.period, BeginSeconds(stored.span)};
  }

  core::Board board_;
  std::unique_ptr<Extras> extras_;
  Stamp last_stamp_ = 0;
};

// What an operation will do. Made by Leaderboard::Decide, carried out by Leaderboard::Commit.
class Decision {
 public:
  Decision() = default;
  Decision(const Decision&) = delete;
  Decision& operator=(const Decision&) = delete;

  // Why the operation is refused; none if it is not.
  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }
  // A write with an id that was carried out before: the answer is the first one's.
  [[nodiscard]] bool is_retry() const { return retry_; }
  // Whether carrying it out changes anything but the time of the last write.
  [[nodiscard]] bool changes() const;

 private:
  friend class Leaderboard;
  friend class Leaderboard::Deciding;

  enum class Answers : std::uint8_t { kNumber, kVerdicts, kDone, kPopped };

  // What happens to one board.
  struct Target {
    std::uint32_t number = 0;  // 0: the board itself, or an instance that is to be made
    const Leaderboard::StoredInstance* stored = nullptr;
    std::optional<Instance> fresh;  // an instance that is to be made
    std::size_t period = 0;         // of a write: the period, and the instance's time
    Instance span{};
    core::Location found = core::kNowhere;           // of one write: the member's entry before it
    const core::EntryStore::Ahead* ahead = nullptr;  // and the ways to its places, if known
    const core::Board* board = nullptr;              // decided against
    core::EffectBatch effects;
  };

  void Clear();
  Target& Add(const core::Board& board);
  [[nodiscard]] std::span<const Verdict> verdicts() const { return verdicts_; }
  [[nodiscard]] bool ranked() const { return ranks_ && answers_ == Answers::kVerdicts; }
  // Sets a rank in the verdicts of target i, as it is now. `found`: of a single write, where its
  // member's entry is.
  void NoteRanks(std::size_t i, const core::Board& board, core::Location found,
                 std::optional<std::uint64_t> Verdict::*rank);

  std::optional<Error> refusal_;
  Answers answers_ = Answers::kNumber;
  bool retry_ = false;
  bool single_ = true;
  bool ranks_ = true;
  bool accepted_write_ = false;  // counts for EXPIRE after the last write
  std::uint64_t number_ = 0;
  Stamp now_ = 0;
  Stamp stamp_ = 0;
  std::size_t used_ = 0;
  std::deque<Target> targets_;
  std::vector<Write> writes_;
  std::vector<Verdict> verdicts_;        // one for each target of a write, write after write
  std::vector<std::string_view> marks_;  // members whose mark changes
  std::vector<std::string_view> members_;
  std::vector<std::optional<std::uint64_t>> ranks_found_;
  bool hides_ = false;
  std::optional<Stamp> turns_;
  const Spec* alters_ = nullptr;
  std::optional<std::string_view> id_;
  std::uint64_t identity_ = 0;
  std::string outcome_;
  // Of a pop.
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  bool worst_ = false;
  bool with_meta_ = false;
};

}  // namespace laurel::leaderboard
