// One leaderboard. Start here to learn what a leaderboard is.
//
// A leaderboard ranks members by score, best first, under the rules that its Spec declares
// (laurel/spec.h): fields, policy, tie rule, cap, window, periods. This class holds its whole
// state, takes operations, and produces answers and effects.
//
//   operation ──► Read ─────────────────────────────► answer
//   operation ──► Decide ──► decision ──► Commit ───► answer, effects, summary
//   time      ──► Advance ──────────────────────────► effects, summary
//   effects   ──► Apply  (on a replica; replay of a log or of a saved file)
//
//   operation  a parsed request: Submit, Top, Hide, … (operation.h)
//   answer     a visitor that receives the reply: verdicts, entries, a refusal, … (answer.h)
//   effect     an absolute change of state, as bytes (effect_codec.h)
//   summary    which instances changed or were dropped, for the host's watches and live readers
//
// Deciding changes nothing, and applying decides nothing. Decide checks an operation against the
// rules and the present state; the Decision then holds a refusal, or the effects. Commit applies
// the effects, writes them to the host's EffectWriter, and calls the answer. A replica that applies
// the effects of every Commit and Advance has the same state, and the same Digest, at every step.
//
// Host. A leaderboard lives in a host: the embedded engine, a Redis server with the module, a C++
// program with the library, a test. The host supplies time, stamps, memory and a calendar, and
// stores the effects durably if it needs to. The leaderboard itself has no name, clock, file,
// thread or log; the name in a Call is for messages only.
//
// A sorted set is the plainest leaderboard: one double field, ties by member, and neither stamps,
// marks, ids, periods nor a window (Spec::SortedSet). Its host drops it with its last entry.
//
// State.
//   board      the visible entries in order; apart from them, the entries of hidden members
//              (core/standings.h). A leaderboard without periods has exactly one board.
//   instances  of a leaderboard with periods: one board for each hour, day, … An instance is
//              created with its first entry, and gets a number that is never reused. The board
//              above stays empty.
//   marks      the hidden members: one set for all instances, present and future.
//   requests   the request ids of committed writes, each with the verdicts of the first attempt
//              (request_ids.h). A retry gets these verdicts again.
//   calendar   the time of the last turn or close, which never goes back; for each period, the end
//              of the last closed instance.
//   times      when the last write was accepted (for EXPIRE), the highest stamp given.
//
// Time. Read and Decide derive the effect of time on instances themselves: an instance that is over
// takes no submits, and one that KEEP no longer covers is not found, whether or not Advance has
// been called. Advance makes this permanent with effects, and frees memory; the host calls it when
// Due() has come. The board's own EXPIRE is left to the host: it tests HasExpired() and drops the
// board.
//
// Memory: a leaderboard without periods, hidden members and ids is a core::Board and 16 bytes.
// Threads: const functions may run concurrently; any other function needs exclusive access.
//
// Files: leaderboard_write.cc has Decide and Commit, leaderboard_read.cc Read,
// leaderboard_periods.cc the choice, closing and dropping of instances, leaderboard_follow.cc
// Apply, bulk loading and Walk. What a write does to the entries of one board is decided in
// core/decide.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "core/commands.h"
#include "core/marks.h"
#include "core/standings.h"
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

// The circumstances of an operation.
struct Call {
  std::string_view board{};  // the name that the client used, for messages
  Stamp now = 0;             // the host's clock
  Stamp stamp = 0;           // the first of the stamps that the host took for it (StampsFor)
};

// What a Commit, Advance or Apply has changed. The host uses it to update watches, to wake blocked
// clients and to notify live readers. Instance 0 is the board itself.
struct Summary {
  bool accepted = false;  // of a Commit: the operation was not refused
  bool ended = false;     // of an Advance: the board's own EXPIRE has passed; the host must drop it
  bool more = false;      // of an Advance: the budget is used up; there may be more to do
  bool declared = false;  // the spec or the marks changed, or an instance was closed
  bool remembered = false;   // a request id was added
  bool due_earlier = false;  // of a Commit: Due() may be earlier than before; if false, it is not
  std::vector<std::uint32_t> changed{};  // instances whose entries changed, each once
  std::vector<Instance> gone{};          // instances that were dropped

  // Whether anything changed that this summary shows. The time of the last write, a turn of the
  // calendar and forgotten ids are not shown.
  [[nodiscard]] bool anything() const {
    return declared || remembered || ended || !changed.empty() || !gone.empty();
  }
  void NoteEntries(std::uint32_t instance);
  // Keeps the capacity of the vectors.
  void Clear();
};

class Decision;
class Loader;

// Leaderboard::Prepare has found this for one operation on one board.
struct Hint {
  const core::Standings* standings = nullptr;  // null: there is no hint
  std::uint32_t generation = 0;                // of the board's entries at the time of Prepare
  core::Location location = core::kNowhere;
  const core::EntryStore::WriteHint* hint = nullptr;  // of a submit
  std::uint64_t index = 0;                            // of a read: the entry's index, if it exists
  const Score* score = nullptr;  // of a submit, in its first hint: the score, parsed; or null
};

// Hints for operations that are prepared together. Reusable: Prepare overwrites it.
class Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  // The hints of operation i: one for each period if the operation is a submit to a board with
  // periods, otherwise one.
  [[nodiscard]] std::span<const Hint> operator[](std::size_t i) const {
    LAUREL_ASSERT(boards_ > 0 && (i + 1) * boards_ <= hints_.size());
    return {&hints_[i * boards_], boards_};
  }

 private:
  friend class Leaderboard;
  void Begin(std::size_t operations, std::size_t boards);

  std::size_t boards_ = 0;
  std::vector<Hint> hints_;
  std::vector<core::EntryStore::WriteHint> write_hints_;
  std::vector<Write> writes_;
};

class Leaderboard {
 public:
  // One instance of a leaderboard with periods, with its entries.
  struct StoredInstance {
    StoredInstance(std::uint32_t its_number, const Instance& its_span, const Spec& spec,
                   core::Environment* environment)
        : number(its_number), span(its_span), standings(spec, environment) {}

    std::uint32_t number;
    Instance span;
    core::Standings standings;
    std::uint64_t changes = 0;  // Commits that changed its entries; equal counts, equal entries
    bool closed = false;        // takes no more submits, permanently
    std::string close_note;     // what the host passed to the Advance that closed it
  };

  // REQUIRES: CheckSpec(spec) is ok. `calendar` is for the spec's zone and turn. It is null if the
  // spec has no periods, or if the host does not know the zone; then stored instances can still be
  // read, and submits are refused.
  Leaderboard(const Spec& spec, core::Environment* environment,
              std::shared_ptr<const Calendar> calendar);
  ~Leaderboard();
  Leaderboard(const Leaderboard&) = delete;
  Leaderboard& operator=(const Leaderboard&) = delete;

  [[nodiscard]] const Spec& spec() const { return standings_.spec(); }
  [[nodiscard]] bool has_periods() const { return !spec().periods.empty(); }
  [[nodiscard]] const core::Marks* marks() const {
    return extras_ ? extras_->marks.get() : nullptr;
  }
  [[nodiscard]] const RequestIds* requests() const {
    return extras_ ? extras_->requests.get() : nullptr;
  }
  // The entries of a board without periods. Empty if the board has periods.
  [[nodiscard]] const core::Standings& standings() const { return standings_; }
  // The instances in the order of their numbers; empty without periods.
  [[nodiscard]] std::span<const std::unique_ptr<StoredInstance>> instances() const;
  // Whether the board, or any instance, has visible entries; has entries of hidden members.
  [[nodiscard]] bool has_entries() const;
  [[nodiscard]] bool has_hidden_entries() const;
  // Entries of the board or of all its instances.
  [[nodiscard]] std::uint64_t visible_entries() const;
  [[nodiscard]] std::uint64_t all_entries() const;  // with those of hidden members
  [[nodiscard]] std::size_t MemoryUsage() const;
  // The highest stamp given to a write without AT.
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }
  // When the last write was accepted; 0: never. Only kept by boards with EXPIRE and without END.
  [[nodiscard]] Stamp written_at() const { return extras_ ? extras_->written_at : 0; }
  // The time to which the calendar has advanced; 0: none, or no periods.
  [[nodiscard]] Stamp turned_at() const {
    return has_periods() ? std::max<Stamp>(periods().turned_at, 0) : 0;
  }

  // What a read sees. With a selector it is the selected instance. Without one it is the board
  // itself or, if the board has periods, the present instance of the first period.
  struct View {
    // Never null; empty for an instance that is not created yet.
    const core::Standings* standings = nullptr;
    std::uint32_t number = 0;  // of the instance; 0: the board itself, or one not created yet
    const StoredInstance* stored = nullptr;  // null where `number` is 0
    Instance span{};                         // of the instance, created or not
  };
  // None if the selector selects nothing: an unknown period, an unknown label, or an instance that
  // KEEP no longer covers.
  [[nodiscard]] std::optional<View> ViewOf(const std::optional<InstanceSelector>& instance,
                                           Stamp now) const;

  // The view as the argument of Answer::Wants; refers to view.span.
  [[nodiscard]] Scope ScopeOf(const View& view) const;

  // The NOBOARD error for a selector that Look does not find, with the reason: no periods, period
  // not declared, no such label, not begun, or not kept any more. `board`: the name for the text.
  [[nodiscard]] Error NoInstance(std::string_view board, const InstanceSelector& selector,
                                 Stamp now) const;

  // Whether an instance takes no more submits, by the board's calendar. REQUIRES: has_periods().
  [[nodiscard]] bool IsOver(const Instance& span, Stamp now) const {
    LAUREL_ASSERT(has_periods());
    return Later(span.end, spec().grace_us) <= CalendarTime(now);
  }

  // Operations --------------------------------------------------------------------------------

  // Executes a read and calls `answer`. `hints`: empty, or those of Prepare for this operation.
  void Read(const ReadOperation& operation, const Call& call, Answer* answer,
            std::span<const Hint> hints = {}) const;

  // Decides a write and fills *decision, which is reusable. Changes nothing in the leaderboard.
  void Decide(const WriteOperation& operation, const Call& call, Decision* decision,
              std::span<const Hint> hints = {}) const;
  // Executes the decision, or answers with its refusal, and sets *summary. `effects` may be null.
  // REQUIRES: the leaderboard has not changed since Decide, and the bytes and objects that the
  // operation refers to still exist.
  void Commit(Decision* decision, Answer* answer, EffectWriter* effects, Summary* summary);

  // Fetches the memory that up to kPreparedAtOnce operations will access. The cache misses overlap;
  // operations executed one by one would wait for each. Afterwards each operation is executed by
  // itself, with its hints. Submits detect hints that an earlier submit has made stale. Between
  // Prepare and the last of these operations no others may be executed. Submit i is expected to get
  // the stamp call.stamp + i.
  static constexpr std::size_t kPreparedAtOnce = core::EntryStore::kBatch;
  void Prepare(std::span<const Submit* const> submits, const Call& call, Prepared* prepared) const;
  // Prepares Get and Around of these members, on one instance or on the board itself.
  void Prepare(std::span<const std::string_view> members,
               const std::optional<InstanceSelector>& instance, const Call& call,
               Prepared* prepared) const;

  // Executes each write as a Decide and a Commit without an id would, but fetches memory for
  // several writes ahead. Meant for pipelines. Write i gets the stamp call.stamp + i, and
  // visit(i, verdict) is called after it. Verdicts have no ranks. `instance`: the number of the
  // instance to write; 0: the board itself. REQUIRES: there is such an instance; the board itself
  // has no periods.
  using WriteVisitor = std::function<void(std::size_t, const Result<Verdict>&)>;
  Summary ApplyBatch(std::span<const Write> writes, const Call& call, EffectWriter* effects,
                     const WriteVisitor& visit, std::uint32_t instance = 0);

  // Fills an empty board with sorted entries: see laurel/board.h. ERR if the board has periods.
  // Writes no effects: a replica must start from a later Walk.
  Status LoadEntries(std::span<const Entry> sorted);

  // Gives all visible entries of an instance, or of the board itself (0), other stamps: see
  // core::EntryStore::Restamp. Writes no effects: a replica must start from a later Walk.
  void Restamp(std::uint32_t instance, std::span<const core::EntryStore::Restamped> order) {
    core::Standings* standings = StandingsOf(instance);
    LAUREL_ASSERT(standings != nullptr);
    standings->Restamp(order);
  }

  // TakeEntries and CopyFrom fill this leaderboard from another board. `now`: the host's clock.
  // REQUIRES: this leaderboard is new, empty and without periods.
  //
  // Moves the visible entries of *from here. REQUIRES: same layout, same environment.
  Summary TakeEntries(core::Standings* from, Stamp now, EffectWriter* effects);
  // Copies entries and marks, but no request ids. REQUIRES: equal specs, same environment.
  Summary CopyFrom(const Leaderboard& other, Stamp now, EffectWriter* effects);
  // Forgets all request ids. For a renamed board: ids belong to the old name.
  void ForgetRequests(EffectWriter* effects);

  // Time ----------------------------------------------------------------------------------------

  // When the host should call Advance next; INT64_MAX: never. Advance may find nothing to do then.
  [[nodiscard]] Stamp Due(Stamp now) const;
  // If the board's own EXPIRE has passed: only sets Summary::ended. Otherwise forgets old request
  // ids, closes instances that are over, and drops those that KEEP no longer covers: at most
  // `budget` ids and instances in total. Then turns. `close_note` is stored with each instance
  // closed now. `effects` may be null.
  Summary Advance(Stamp now, std::size_t budget, std::string_view close_note,
                  EffectWriter* effects);
  // Notes that the present instances have begun, so that a host whose clock is behind, after a
  // restart or on a replica, does not go back to earlier ones. Advance and submits do the same: a
  // host calls this for a new board.
  void Turn(Stamp now, EffectWriter* effects);
  // When the board's own EXPIRE passes; INT64_MAX: never.
  [[nodiscard]] Stamp EndsAt() const;
  // Whether the board's own EXPIRE has passed.
  [[nodiscard]] bool HasExpired(Stamp now) const { return EndsAt() <= now; }

  // Replicas and files ----------------------------------------------------------------------------

  // Applies effects up to the end, or up to the first of the host's own effects. `lenient`: lenient
  // replay after a snapshot that may contain some of the effects already; an instance that is
  // unknown, or created a second time, is no error then. On an error some of the effects may have
  // been applied. Stamps and times of writes after `latest` are an error. A board may exceed its
  // cap afterwards, if it differed from the board that decided the effects.
  Status Apply(base::ByteCursor* effects, bool lenient, Summary* summary, Stamp latest = INT64_MAX);
  // Whether the board, or any instance, has more entries than the cap.
  [[nodiscard]] bool ExceedsCap() const;
  // Whether one of these instances has (0: the board itself). Dropped instances have none.
  [[nodiscard]] bool ExceedsCap(std::span<const std::uint32_t> numbers) const;
  // Evicts these entries. Returns whether there were any. For a host that has applied or loaded
  // effects, before it decides the next write.
  bool EvictExcess(EffectWriter* effects);

  // Restores consistency after effects were applied with some missing in between, as from a log
  // with damaged records. Of two instances with the same label the younger one stays. Entries of
  // marked members become hidden, those of other members visible.
  void Reconcile();

  // Walks over the whole state in slices, between which the leaderboard may change. Writes effects.
  // A Loader (loader.h) that reads them, followed by an Apply of all effects from the begin to the
  // end of the walk, gives the state at its end. Each call visits about `budget` items. Returns
  // false when the walk is complete.
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
    std::uint32_t stored = 0;  // number of the instance that is being walked; 0: the board itself
    core::EntryStore::WalkCursor entries;
    std::optional<std::string> after;  // the last mark or hidden member visited
    std::uint64_t request = 0;         // sequence number of the next request
    std::uint64_t visited = 0;         // entries visited so far, hidden ones included
    // The order in which entries are visited. Set before the first call.
    enum class Order : std::uint8_t {
      kStored,  // the fastest one
      // The board's order, which a Loader need not sort. REQUIRES: the leaderboard does not change
      // during the walk.
      kBest,
      // By the hashes of the members. An entry that stays is visited even if it is written to
      // meanwhile, so the walk needs no effects to complete it. `position` is valid while the
      // environment lives.
      kHash,
    };
    Order order = Order::kStored;
    // Set before the first call: leaves out what has no meaning in another host, the request ids
    // and the notes of closed instances.
    bool portable = false;
    std::uint64_t position = 0;  // of the next entry: under kBest its index, under kHash its hash
  };
  bool Walk(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;

  // A hash of the state: equal for equal states, whatever their history.
  [[nodiscard]] std::uint64_t Digest() const;
  // Checks every invariant. Returns an empty string, or what is broken.
  [[nodiscard]] std::string Validate() const;

 private:
  friend class Decision;
  friend class Loader;
  class Applier;
  class Deciding;

  // An instance of one period, and where its entries are.
  struct PeriodInstance {
    Instance span{Period::kAll, 0, 0, {}};
    StoredInstance* stored = nullptr;  // null: the instance is not created yet
  };
  struct Periods {
    Periods(const Spec& spec, core::Environment* environment,
            std::shared_ptr<const Calendar> of_zone)
        : calendar(std::move(of_zone)), empty(spec, environment) {}

    std::shared_ptr<const Calendar> calendar;
    std::vector<std::unique_ptr<StoredInstance>> instances;  // by number
    std::vector<StoredInstance*> by_label;                   // the same, by period and label
    std::uint32_t next_number = 1;
    Stamp turned_at = INT64_MIN;  // time of the last turn or close; never goes back
    // By period: instances that end at or before this are closed, dropped ones included.
    std::array<Stamp, kPeriods> closed_through = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN,
                                                  INT64_MIN};
    // A cache: for each period, in the order of Spec::periods, the instance that a submit changed
    // last. Mostly it is the present one.
    std::array<PeriodInstance, kPeriods> known;
    core::Standings empty;  // stands in for an instance that is not created yet
  };
  // State that most leaderboards do not need.
  struct Extras {
    std::unique_ptr<core::Marks> marks;
    std::unique_ptr<RequestIds> requests;
    std::unique_ptr<Periods> periods;
    Stamp written_at = 0;

    [[nodiscard]] bool IsEmpty() const {
      return !marks && !requests && !periods && written_at == 0;
    }
  };

  // Creates extras_ if it is null.
  [[nodiscard]] Extras& NeedExtras();
  [[nodiscard]] const Periods& periods() const { return *extras_->periods; }
  [[nodiscard]] Periods& periods() { return *extras_->periods; }
  [[nodiscard]] core::Environment* environment() const { return standings_.environment(); }
  // Whether the board ends EXPIRE after its last accepted write.
  [[nodiscard]] bool ExpiresAfterLastWrite() const { return spec().expire_us != 0 && !spec().end; }
  // The time on the board's calendar: the host's clock, but never before the last turn.
  [[nodiscard]] Stamp CalendarTime(Stamp now) const { return std::max(now, periods().turned_at); }

  // Instances (leaderboard_periods.cc).
  // These return null if there is no such instance. The second searches by period and label, the
  // third by period and time, for a board whose zone the host does not know.
  [[nodiscard]] StoredInstance* FindStored(std::uint32_t number) const;
  [[nodiscard]] StoredInstance* FindStored(const Instance& span) const;
  [[nodiscard]] StoredInstance* FindStored(Period period, Stamp time) const;
  [[nodiscard]] static bool IsBeforeLabel(const StoredInstance* stored, const Instance& span);
  // The instance of the i-th period at `time`. Does not update the cache Periods::known, because
  // const functions may run concurrently.
  [[nodiscard]] PeriodInstance InstanceOfPeriod(std::size_t i, Stamp time) const;
  // The begin of the oldest instance that KEEP covers at `time` on the board's calendar.
  [[nodiscard]] Stamp OldestKept(Period period, Stamp time) const;
  // The instances that KEEP covers. Readers see no others, and Advance drops the others.
  struct Kept {
    std::array<Stamp, kPeriods> from;  // by period: the begin of the oldest one kept
    [[nodiscard]] bool Has(const StoredInstance& stored) const {
      return from[static_cast<std::size_t>(stored.span.period)] <= stored.span.begin;
    }
  };
  [[nodiscard]] Kept KeptInstances(Stamp now) const;
  // The first moment after `time` at which GRACE has passed since a turn of the period.
  [[nodiscard]] Stamp NextTurn(Period period, Stamp time) const;
  [[nodiscard]] std::optional<View> ViewAt(const InstanceSelector& selector, Stamp now) const;
  // Why something is refused on a board whose zone the host does not know.
  [[nodiscard]] std::string UnknownZone() const;
  [[nodiscard]] Error ClosedError(const Call& call, const Instance& span,
                                  std::optional<Stamp> at) const;
  // The instance of the i-th period for a submit at `at`, or at the present calendar time. CLOSED
  // if the instance takes no more submits.
  Result<PeriodInstance> Open(std::size_t i, std::optional<Stamp> at, const Call& call) const;
  void CloseStored(StoredInstance* stored, std::string_view note, EffectWriter* effects);
  // Closes instances that are over and drops those that KEEP no longer covers, at most `budget` in
  // total. Returns how many.
  std::size_t AdvanceInstances(Stamp now, std::size_t budget, std::string_view note,
                               EffectWriter* effects, Summary* summary);

  // Single changes of state, shared by Commit, Advance and Apply.
  //
  // The board of an instance; for 0 the board itself. Null if there is no such instance, and for 0
  // if the leaderboard has periods.
  core::Standings* StandingsOf(std::uint32_t number);
  // `found` and `hint` as in core::Board::Apply.
  void ApplyEntry(core::Standings* standings, const core::Effect& effect,
                  core::Location found = core::kNowhere,
                  const core::EntryStore::WriteHint* hint = nullptr);
  void SetSpec(const Spec& spec);
  void SetMark(std::string_view member, bool hidden);
  // Moves the member's entry, if the board has one, to the hidden or to the visible entries, by the
  // member's mark.
  static void Settle(core::Standings* standings, std::string_view member);
  // Gives all boards of this leaderboard the present marks.
  void ShareMarks();
  void AddStored(std::uint32_t number, const Instance& span);
  void EraseStored(std::uint32_t number);
  // Raises last_stamp_ if the effect puts an entry with a stamp that was not given by AT.
  void NoteStamp(const core::Effect& effect);
  void RaiseStamp(Stamp stamp) { last_stamp_ = std::max(last_stamp_, stamp); }
  void RaiseTurn(Stamp at);
  // When the next Turn has something to note; INT64_MAX: never.
  [[nodiscard]] Stamp TurnsAt(Stamp now) const;
  // The latest begin of the present instances. REQUIRES: has_periods(), and the zone is known.
  [[nodiscard]] Stamp PresentBegin(Stamp now) const;
  void CloseThrough(Period period, Stamp end);
  // Creates them if there are none yet.
  RequestIds& Requests();

  // The phases of Walk (leaderboard_follow.cc). Those with a budget return how many items they
  // visited.
  void WalkHead(bool portable, EffectWriter* effects) const;
  std::size_t WalkMarks(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;
  // Moves on to the next instance, or to the requests after the last one.
  void WalkNextInstance(WalkCursor* cursor, EffectWriter* effects) const;
  std::size_t WalkEntries(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;
  std::size_t WalkRequests(WalkCursor* cursor, std::size_t budget, EffectWriter* effects) const;

  // Reads that concern more than the entries of one board (leaderboard_read.cc).
  void AnswerDescription(const View& view, bool of_instance, Answer* answer) const;
  void AnswerPeriods(Stamp now, Answer* answer) const;

  // The steps of Commit (leaderboard_write.cc).
  void CommitDeclared(const Decision& decision, EffectWriter* effects, Summary* summary);
  void CommitTarget(Decision* decision, std::size_t i, EffectWriter* effects, Summary* summary);
  void ApplyTarget(Decision* decision, std::size_t i, core::Standings* standings,
                   EffectWriter* effects);
  void NoteWritten(Stamp now, EffectWriter* effects, Summary* summary);
  void Remember(Decision* decision, EffectWriter* effects);
  void AnswerPopped(Decision* decision, Answer* answer) const;

  // Forgets the oldest request ids while one of their bounds is exceeded (DEDUP,
  // kMaxRequestIdBytes, kRequestIdLifeMicros), at most `most`. Returns how many.
  std::size_t ForgetOld(Stamp now, std::size_t most, EffectWriter* effects);

  // moment + micros, saturated at INT64_MAX.
  [[nodiscard]] static Stamp Later(Stamp moment, std::int64_t micros) {
    Stamp later = 0;
    return __builtin_add_overflow(moment, micros, &later) ? INT64_MAX : later;
  }
  // moment - micros, saturated at INT64_MIN.
  [[nodiscard]] static Stamp Earlier(Stamp moment, std::int64_t micros) {
    Stamp earlier = 0;
    return __builtin_sub_overflow(moment, micros, &earlier) ? INT64_MIN : earlier;
  }
  [[nodiscard]] static InstanceRef RefOf(const StoredInstance& stored) {
    return {stored.number, stored.span.period, BeginSeconds(stored.span)};
  }

  core::Standings standings_;
  std::unique_ptr<Extras> extras_;
  Stamp last_stamp_ = 0;
};

// What a write operation will do. Filled by Leaderboard::Decide, executed by Leaderboard::Commit.
class Decision {
 public:
  Decision() = default;
  Decision(const Decision&) = delete;
  Decision& operator=(const Decision&) = delete;

  // Why the operation is refused; none if it is accepted.
  [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }
  // The write's request id is known: nothing changes, and the answer repeats the first verdicts.
  [[nodiscard]] bool is_retry() const { return retry_; }
  // The id of the request, if it has one.
  [[nodiscard]] std::optional<std::string_view> id() const { return id_; }
  // Whether Commit will change entries, marks, the spec or the request ids. A Commit that only
  // notes the time of the write, or a turn of the calendar, does not count.
  [[nodiscard]] bool changes() const;

 private:
  friend class Leaderboard;
  friend class Leaderboard::Deciding;

  enum class AnswerKind : std::uint8_t { kNumber, kVerdicts, kDone, kPopped };

  // A decision changes one board in this way.
  struct Target {
    std::uint32_t number = 0;  // 0: the board itself, or an instance that Commit creates
    const Leaderboard::StoredInstance* stored = nullptr;
    std::optional<Instance> fresh;          // the span of an instance that Commit creates
    std::size_t period = 0;                 // of a submit: index in Spec::periods
    Instance span{};                        // of a submit: the instance
    core::Location found = core::kNowhere;  // of a single write: its member's present entry
    const core::EntryStore::WriteHint* hint = nullptr;  // of a single write: from Prepare, or null
    const core::Standings* standings = nullptr;         // that it was decided against
    core::EffectBatch effects;
  };

  void Clear();
  Target& Add(const core::Standings& standings);
  [[nodiscard]] std::span<const Verdict> verdicts() const { return verdicts_; }
  [[nodiscard]] bool ranked() const { return ranks_ && answers_ == AnswerKind::kVerdicts; }
  // Sets `rank` in all verdicts of target i to the members' present ranks on `board`. `found`: for
  // a single write, the location of its member's entry.
  void NoteRanks(std::size_t i, const core::Standings& standings, core::Location found,
                 std::optional<std::uint64_t> Verdict::*rank);

  std::optional<Error> refusal_;
  AnswerKind answers_ = AnswerKind::kNumber;
  bool retry_ = false;
  bool single_ = true;  // a Submit, not a SubmitMany
  bool ranks_ = true;
  bool accepted_write_ = false;  // its time counts for EXPIRE
  std::uint64_t number_ = 0;     // the answer of AnswerKind::kNumber
  Stamp now_ = 0;
  Stamp stamp_ = 0;
  std::size_t used_ = 0;                          // targets in use; the others keep their memory
  std::vector<std::unique_ptr<Target>> targets_;  // the first used_ of them; the rest are spare
  std::vector<Write> writes_;
  std::vector<Verdict> verdicts_;        // write by write, one for each target
  std::vector<std::string_view> marks_;  // members whose mark changes
  std::vector<std::string_view> members_;
  std::vector<std::optional<std::uint64_t>> ranks_found_;
  bool sets_marks_ = false;             // marks_ are set, not removed
  std::optional<Stamp> turned_at_;      // the new Periods::turned_at
  const Spec* new_spec_ = nullptr;      // the new spec
  std::optional<std::string_view> id_;  // the request id, if one was given
  std::uint64_t identity_ = 0;          // of a write with an id (identity.h)
  std::string outcome_;                 // of a write with an id: its encoded verdicts (outcome.h)
  // Of a Pop: the entries [first_, first_ + count_), listed from the worst if worst_.
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  bool worst_ = false;
  bool with_meta_ = false;
};

}  // namespace laurel::leaderboard
