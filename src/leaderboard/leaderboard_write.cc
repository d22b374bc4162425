// Decide and Commit.
#include <algorithm>

#include "base/assert.h"
#include "base/text.h"
#include "core/commands.h"
#include "core/decide.h"
#include "core/reads.h"
#include "core/store/member.h"
#include "leaderboard/entries.h"
#include "leaderboard/identity.h"
#include "leaderboard/leaderboard.h"
#include "leaderboard/limits.h"
#include "leaderboard/load.h"
#include "leaderboard/outcome.h"

namespace laurel::leaderboard {
namespace {

constexpr std::size_t kKeptOutcomeBytes = std::size_t{64} << 10;

Error Refusal(ErrorCode code, std::string message) { return {code, std::move(message)}; }

Write WriteOf(const Submit& submit, const Score& score) {
  return {.member = submit.member,
          .score = score,
          .mode = submit.mode,
          .condition = submit.condition,
          .only = submit.only,
          .at = submit.at,
          .meta = submit.meta};
}

core::Location FindMember(const core::Standings& standings, std::string_view member) {
  return standings.entries().Find(core::MemberKey(member));
}

}  // namespace

void Decision::Clear() {
  refusal_.reset();
  answers_ = AnswerKind::kNumber;
  retry_ = false;
  single_ = true;
  ranks_ = true;
  accepted_write_ = false;
  number_ = 0;
  for (std::size_t i = 0; i < used_; ++i) targets_[i]->effects.Clear();
  used_ = 0;
  writes_.clear();
  verdicts_.clear();
  marks_.clear();
  turned_at_.reset();
  new_spec_ = nullptr;
  id_.reset();
}

bool Decision::changes() const {
  if (refusal_ || retry_) return false;
  if (id_ || new_spec_ != nullptr || !marks_.empty()) return true;
  return std::any_of(targets_.begin(), targets_.begin() + static_cast<std::ptrdiff_t>(used_),
                     [](const auto& target) { return !target->effects.empty(); });
}

Decision::Target& Decision::Add(const core::Standings& standings) {
  if (used_ == targets_.size()) targets_.push_back(std::make_unique<Target>());
  Target& target = *targets_[used_++];
  target.number = 0;
  target.stored = nullptr;
  target.fresh.reset();
  target.standings = &standings;
  target.found = core::kNowhere;
  target.hint = nullptr;
  return target;
}

void Decision::NoteRanks(std::size_t i, const core::Standings& standings, core::Location found,
                         std::optional<std::uint64_t> Verdict::*rank) {
  LAUREL_ASSERT(i < used_ && verdicts_.size() == writes_.size() * used_);
  if (writes_.size() == 1) {
    std::optional<std::uint64_t>& noted = verdicts_[i].*rank;
    noted.reset();
    if (found == core::kNowhere) return;
    const core::EntryStore::WriteHint* hint = targets_[i]->hint;
    const core::RankTree::Route* route = nullptr;
    if (hint != nullptr) route = rank == &Verdict::rank ? &hint->to : &hint->from;
    noted = standings.entries().IndexOf(found, route) + 1;
    return;
  }
  members_.clear();
  for (const Write& write : writes_) members_.push_back(write.member);
  core::Ranks(standings, members_, &ranks_found_);  // prefetches memory for all members
  for (std::size_t write = 0; write < writes_.size(); ++write) {
    verdicts_[write * used_ + i].*rank = ranks_found_[write];
  }
}

// Fills one Decision. Each operation has its own overload; a refusal ends the decision.
class Leaderboard::Deciding {
 public:
  Deciding(const Leaderboard& board, const Call& call, std::span<const Hint> hints,
           Decision* decision)
      : board_(board), spec_(board.spec()), call_(call), hints_(hints), decision_(*decision) {}

  void operator()(const Submit& submit);
  void operator()(const SubmitMany& many);
  void operator()(const Restore& restore);
  void operator()(const SetMeta& meta);
  void operator()(const Remove& remove);
  void operator()(const RemoveRange& range);
  void operator()(const Hide& hide);
  void operator()(const Show& show);
  void operator()(const Pop& pop);
  void operator()(const Trim& trim);
  void operator()(const leaderboard::Clear& clear);
  void operator()(const leaderboard::Alter& alter);

 private:
  void Refuse(const Error& error) { decision_.refusal_ = error; }
  void Refuse(ErrorCode code, std::string message) { Refuse(Refusal(code, std::move(message))); }

  // Decides decision_.writes_ on the board, or on one instance of each period. `at`: the AT of the
  // writes; with periods all writes have the same.
  void DecideWrites(std::optional<Stamp> at);
  // Both return false if the operation is refused.
  bool OpenTargets(std::optional<Stamp> at);
  bool DecideOn(std::size_t target);
  // Returns true if nothing is left to decide: the request is a retry, or it is refused.
  bool DecideId(std::optional<std::string_view> id, std::uint64_t other_boards_hash);

  // Adds the boards that an operation other than a submit changes: the selected instance or,
  // without a selector, the board itself or all instances. Returns false if the operation is
  // refused.
  bool AddTargets(const std::optional<InstanceSelector>& instance);
  // Whether readers see the target. Instances that they do not see change as well, but do not count
  // in the answer.
  static bool IsShown(const Kept& kept, const Decision::Target& target) {
    return target.stored == nullptr || kept.Has(*target.stored);
  }
  // Adds the board or instance that a chunk has entries for. Null if the operation is refused.
  Decision::Target* AddRestored(const std::optional<Instance>& instance);
  // Adds the one board that an operation on ranks changes. Null if the operation is refused, or if
  // the instance is not created yet.
  Decision::Target* AddOne(const std::optional<InstanceSelector>& instance);
  void RemoveAt(Decision::Target* target, std::uint64_t first, std::uint64_t count);

  const Leaderboard& board_;
  const Spec& spec_;
  const Call& call_;
  std::span<const Hint> hints_;
  Decision& decision_;
};

void Leaderboard::Decide(const WriteOperation& operation, const Call& call, Decision* decision,
                         std::span<const Hint> hints) const {
  decision->Clear();
  decision->now_ = call.now;
  decision->stamp_ = call.stamp;
  std::visit(Deciding(*this, call, hints, decision), operation);
}

// Submits -----------------------------------------------------------------------------------------

void Leaderboard::Deciding::operator()(const Submit& submit) {
  decision_.answers_ = Decision::AnswerKind::kVerdicts;
  decision_.ranks_ = submit.ranks;
  const Score* parsed = hints_.empty() ? nullptr : hints_[0].score;
  const Result<Score> score =
      parsed != nullptr ? Result<Score>(*parsed) : ReadScore(spec_, submit.values, call_.board);
  if (!score.ok()) return Refuse(score.error());
  decision_.writes_.push_back(WriteOf(submit, *score));
  if (DecideId(submit.id, 0)) return;
  DecideWrites(submit.at);
}

void Leaderboard::Deciding::operator()(const SubmitMany& many) {
  decision_.answers_ = Decision::AnswerKind::kVerdicts;
  decision_.single_ = false;
  decision_.ranks_ = many.ranks;
  LAUREL_ASSERT(many.texts.empty() || many.writes.empty());
  const std::uint64_t count = StampsFor(many, spec_);
  if (count > kMaxSubmits) {
    return Refuse(ErrorCode::kLimit,
                  "at most " + std::to_string(kMaxSubmits) + " members are written at once");
  }
  const std::size_t boards = std::max<std::size_t>(spec_.periods.size(), 1);
  if (many.id && count * boards > kMaxSubmits) {
    return Refuse(ErrorCode::kLimit,
                  "with ID, members times periods are at most " + std::to_string(kMaxSubmits));
  }
  decision_.writes_.assign(many.writes.begin(), many.writes.end());
  const std::size_t fields = spec_.fields.size();
  for (std::size_t at = 0; at + fields < many.texts.size(); at += fields + 1) {
    const Result<Score> score = ParseScore(spec_, many.texts.subspan(at + 1, fields));
    if (!score.ok()) {
      return Refuse(score.error().code,
                    score.error().message + " (" + base::Quote(many.texts[at]) + ")");
    }
    Write& write = decision_.writes_.emplace_back();
    write.member = many.texts[at];
    write.score = *score;
    write.at = many.at;
  }
  if (decision_.writes_.empty()) return Refuse(ErrorCode::kErr, "there is no write in it");
  const bool at_one_time =
      std::all_of(decision_.writes_.begin(), decision_.writes_.end(),
                  [&](const Write& write) { return write.at == decision_.writes_[0].at; });
  if (board_.has_periods() && !at_one_time) {
    return Refuse(ErrorCode::kErr, "writes to a board with periods have one time");
  }
  if (DecideId(many.id, many.other_boards_hash)) return;
  DecideWrites(decision_.writes_[0].at);
}

bool Leaderboard::Deciding::DecideId(std::optional<std::string_view> id,
                                     std::uint64_t other_boards_hash) {
  if (!id) return false;
  const RequestIds* requests = board_.requests();
  if (spec_.dedup == 0) {
    Refuse(ErrorCode::kErr, "the board remembers no ids: DEDUP is 0");
    return true;
  }
  if (id->empty() || id->size() > kMaxRequestIdLength) {
    Refuse(ErrorCode::kLimit, "an id has 1 to 128 bytes");
    return true;
  }
  if (requests != nullptr && requests->IsSpent()) {
    Refuse(ErrorCode::kLimit, "the board has no number left for another request");
    return true;
  }
  decision_.id_ = id;
  decision_.identity_ = IdentityOf(decision_.writes_, !decision_.single_, other_boards_hash);
  RememberedRequest first;
  if (requests == nullptr || !requests->Find(*id, &first)) return false;
  // An id that is too old may not have been forgotten yet.
  const bool over = requests->next_sequence() - first.sequence > spec_.dedup ||
                    first.at <= call_.now - kRequestIdLifeMicros;
  if (over) return false;
  decision_.retry_ = true;
  if (first.identity != decision_.identity_) {
    Refuse(ErrorCode::kReused, "id " + base::Quote(*id) + " was used for another write at " +
                                   DescribeRequest(spec_, first));
    return true;
  }
  const std::size_t boards = std::max<std::size_t>(spec_.periods.size(), 1);
  if (!DecodeVerdicts(first.outcome, spec_, &decision_.verdicts_) ||
      decision_.verdicts_.size() != decision_.writes_.size() * boards) {
    Refuse(ErrorCode::kErr, "the stored verdict of id " + base::Quote(*id) + " cannot be read");
  }
  return true;
}

void Leaderboard::Deciding::DecideWrites(std::optional<Stamp> at) {
  if (!OpenTargets(at)) return;
  decision_.accepted_write_ = true;
  decision_.verdicts_.resize(decision_.writes_.size() * decision_.used_);
  for (std::size_t i = 0; i < decision_.used_; ++i) {
    if (!DecideOn(i)) return;
  }
}

bool Leaderboard::Deciding::OpenTargets(std::optional<Stamp> at) {
  if (!board_.has_periods()) {
    decision_.Add(board_.standings_);
    return true;
  }
  if (!board_.periods().calendar) {
    Refuse(ErrorCode::kErr, board_.UnknownZone());
    return false;
  }
  if (board_.periods().next_number > kMaxInstanceNumber - kPeriods) {
    Refuse(ErrorCode::kLimit, "the board has no number left for another instance");
    return false;
  }
  Stamp turned = INT64_MIN;
  for (std::size_t i = 0; i < spec_.periods.size(); ++i) {
    const Result<PeriodInstance> opened = board_.Open(i, at, call_);
    if (!opened.ok()) {
      Refuse(opened.error());
      return false;
    }
    const bool fresh = opened->stored == nullptr;
    Decision::Target& target =
        decision_.Add(fresh ? board_.periods().empty : opened->stored->standings);
    target.number = fresh ? 0 : opened->stored->number;
    target.stored = opened->stored;
    target.period = i;
    target.span = opened->span;
    if (fresh) target.fresh = opened->span;
    turned = std::max(turned, opened->span.begin);
  }
  if (!at && turned > board_.periods().turned_at) decision_.turned_at_ = turned;
  if (const Status open = core::CheckWindow(spec_, at, call_.now); !open.ok()) {
    Refuse(open.error());
    return false;
  }
  return true;
}

bool Leaderboard::Deciding::DecideOn(std::size_t i) {
  Decision::Target& target = *decision_.targets_[i];
  const Moment moment{call_.now, call_.stamp};
  const std::span<const Write> writes = decision_.writes_;
  if (writes.size() == 1) {
    const Hint hint = i < hints_.size() ? hints_[i] : Hint{};
    if (hint.standings == target.standings) {
      target.found =
          core::ValidLocation(*target.standings, writes[0].member, hint.location, hint.generation);
      target.hint = hint.hint;
    } else {
      target.found = FindMember(*target.standings, writes[0].member);
    }
    Result<Verdict> verdict =
        core::DecideWrite(*target.standings, writes[0], moment, target.found, &target.effects);
    if (verdict.ok()) {
      decision_.verdicts_[i] = *verdict;
    } else {
      Refuse(verdict.error());
    }
    return verdict.ok();
  }
  Result<std::vector<Verdict>> verdicts =
      core::DecideWrites(*target.standings, writes, moment, &target.effects);
  if (!verdicts.ok()) {
    Refuse(verdicts.error());
    return false;
  }
  for (std::size_t write = 0; write < writes.size(); ++write) {
    decision_.verdicts_[write * decision_.used_ + i] = (*verdicts)[write];
  }
  return true;
}

// Restoring ---------------------------------------------------------------------------------------

void Leaderboard::Deciding::operator()(const Restore& restore) {
  const Result<std::vector<ChunkSection>> sections =
      ReadEntries(restore.chunk, board_.standings_.layout(), restore.with_meta);
  if (!sections.ok()) return Refuse(sections.error());
  for (const ChunkSection& section : *sections) {
    Decision::Target* target = AddRestored(section.instance);
    if (target == nullptr) return;
    const Result<std::vector<Verdict>> verdicts = core::DecideWrites(
        *target->standings, section.writes, {call_.now, call_.stamp}, &target->effects);
    if (!verdicts.ok()) return Refuse(verdicts.error());
    decision_.number_ += static_cast<std::uint64_t>(std::count_if(
        verdicts->begin(), verdicts->end(),
        [](const Verdict& verdict) { return verdict.status != WriteStatus::kNotRanked; }));
  }
  decision_.accepted_write_ = true;
}

Decision::Target* Leaderboard::Deciding::AddRestored(const std::optional<Instance>& instance) {
  if (board_.has_periods() != instance.has_value()) {
    Refuse(ErrorCode::kErr, instance ? "the chunk has instances, and the board has no periods"
                                     : "the board has periods, and the chunk names no instance");
    return nullptr;
  }
  if (!instance) return &decision_.Add(board_.standings_);
  if (!board_.periods().calendar) {
    Refuse(ErrorCode::kErr, board_.UnknownZone());
    return nullptr;
  }
  if (board_.periods().next_number > kMaxInstanceNumber - kMaxChunkInstances) {
    Refuse(ErrorCode::kLimit, "the board has no number left for another instance");
    return nullptr;
  }
  const std::string text = InstanceName("", *instance).substr(1);
  const InstanceSelector selector = ParseSelector(text);
  const std::optional<View> view = board_.ViewAt(selector, call_.now);
  if (!view) {
    Refuse(board_.NoInstance(call_.board, selector, call_.now));
    return nullptr;
  }
  for (std::size_t i = 0; i < decision_.used_; ++i) {  // it may have several names
    const Decision::Target& other = *decision_.targets_[i];
    const Instance& span = other.fresh ? *other.fresh : other.stored->span;
    if (span.period == view->span.period && span.begin == view->span.begin) {
      Refuse(ErrorCode::kErr, "a chunk has an instance twice");
      return nullptr;
    }
  }
  Decision::Target& target = decision_.Add(*view->standings);
  target.number = view->number;
  target.stored = view->stored;
  if (view->stored == nullptr) target.fresh = view->span;
  return &target;
}

// Other writes ------------------------------------------------------------------------------------

bool Leaderboard::Deciding::AddTargets(const std::optional<InstanceSelector>& instance) {
  const auto add = [&](const StoredInstance& stored) {
    Decision::Target& target = decision_.Add(stored.standings);
    target.number = stored.number;
    target.stored = &stored;
  };
  if (instance) {
    const std::optional<View> view = board_.ViewOf(instance, call_.now);
    if (!view) {
      Refuse(board_.NoInstance(call_.board, *instance, call_.now));
      return false;
    }
    if (view->stored != nullptr) add(*view->stored);
  } else if (!board_.has_periods()) {
    decision_.Add(board_.standings_);
  } else {
    for (const auto& stored : board_.instances()) add(*stored);
  }
  return true;
}

Decision::Target* Leaderboard::Deciding::AddOne(const std::optional<InstanceSelector>& instance) {
  if (!instance && board_.has_periods()) {
    const std::string example =
        std::string(call_.board) + "@" + std::string(PeriodName(spec_.periods[0]));
    Refuse(ErrorCode::kErr,
           base::Quote(call_.board) + " has periods: name one, as in " + base::Quote(example));
    return nullptr;
  }
  if (!AddTargets(instance) || decision_.used_ == 0) return nullptr;
  return decision_.targets_[0].get();
}

void Leaderboard::Deciding::operator()(const SetMeta& meta) {
  if (const Status has = core::RefuseSortedSet(board_.standings_, "meta"); !has.ok()) {
    return Refuse(has.error());
  }
  if (meta.meta.size() > kMaxMetaBytes) {  // also checked if there is no instance to write to
    return Refuse(ErrorCode::kLimit, "meta exceeds 4096 bytes");
  }
  if (!AddTargets(meta.instance)) return;
  const Kept kept = board_.KeptInstances(call_.now);
  for (std::size_t i = 0; i < decision_.used_; ++i) {
    Decision::Target& target = *decision_.targets_[i];
    const Result<bool> found =
        core::DecideSetMeta(*target.standings, meta.member, meta.meta, &target.effects);
    if (!found.ok()) return Refuse(found.error());
    if (*found && IsShown(kept, target)) decision_.number_ = 1;
  }
  decision_.accepted_write_ = true;
}

void Leaderboard::Deciding::operator()(const Remove& remove) {
  if (!AddTargets(remove.instance)) return;
  const Kept kept = board_.KeptInstances(call_.now);
  core::MemberSet removed(0, board_.standings_.hasher());
  for (std::size_t i = 0; i < decision_.used_; ++i) {
    Decision::Target& target = *decision_.targets_[i];
    const std::uint64_t count =
        core::DecideRemove(*target.standings, remove.members, &target.effects);
    if (!IsShown(kept, target)) continue;
    if (decision_.used_ == 1) {
      decision_.number_ = count;
      return;
    }
    for (const core::Effect& effect : target.effects) removed.insert(effect.member);
  }
  decision_.number_ = removed.size();
}

void Leaderboard::Deciding::RemoveAt(Decision::Target* target, std::uint64_t first,
                                     std::uint64_t count) {
  if (target == nullptr) return;
  decision_.number_ = core::DecideRemoveRange(*target->standings, first, count, &target->effects);
}

void Leaderboard::Deciding::operator()(const RemoveRange& range) {
  RemoveAt(AddOne(range.instance), range.first, range.count);
}

void Leaderboard::Deciding::operator()(const Trim& trim) {
  RemoveAt(AddOne(trim.instance), trim.kept, UINT64_MAX);
}

void Leaderboard::Deciding::operator()(const Pop& pop) {
  decision_.answers_ = Decision::AnswerKind::kPopped;
  decision_.worst_ = pop.worst;
  decision_.with_meta_ = pop.with_meta;
  decision_.first_ = decision_.count_ = 0;
  Decision::Target* target = AddOne(pop.instance);
  if (target == nullptr) return;
  const std::uint64_t size = target->standings->entries().size();
  decision_.count_ = std::min(pop.count, size);
  decision_.first_ = pop.worst ? size - decision_.count_ : 0;
  RemoveAt(target, decision_.first_, decision_.count_);
}

void Leaderboard::Deciding::operator()(const leaderboard::Clear& clear) {
  if (!AddTargets(clear.instance)) return;
  const Kept kept = board_.KeptInstances(call_.now);
  for (std::size_t i = 0; i < decision_.used_; ++i) {
    Decision::Target& target = *decision_.targets_[i];
    const std::uint64_t count = core::DecideClear(*target.standings, &target.effects);
    if (IsShown(kept, target)) decision_.number_ += count;
  }
}

void Leaderboard::Deciding::operator()(const Hide& hide) {
  if (const Status has = core::RefuseSortedSet(board_.standings_, "hidden members"); !has.ok()) {
    return Refuse(has.error());
  }
  for (const std::string_view member : hide.members) {
    if (const Status fits = core::CheckMember(board_.standings_, member); !fits.ok()) {
      return Refuse(fits.error());
    }
  }
  if (!AddTargets(std::nullopt)) return;
  core::MemberSet seen(0, board_.standings_.hasher());
  for (const std::string_view member : hide.members) {
    if (board_.standings_.IsHidden(member) || !seen.insert(member).second) continue;
    decision_.marks_.push_back(member);
  }
  decision_.sets_marks_ = true;
  decision_.number_ = decision_.marks_.size();
  for (std::size_t i = 0; i < decision_.used_; ++i) {
    Decision::Target& target = *decision_.targets_[i];
    const auto decided = core::DecideHide(*target.standings, decision_.marks_, &target.effects);
    LAUREL_ASSERT(decided.ok());  // the members were checked above
  }
}

void Leaderboard::Deciding::operator()(const Show& show) {
  if (!AddTargets(std::nullopt)) return;
  core::MemberSet seen(0, board_.standings_.hasher());
  for (const std::string_view member : show.members) {
    if (!board_.standings_.IsHidden(member) || !seen.insert(member).second) continue;
    decision_.marks_.push_back(member);
  }
  decision_.sets_marks_ = false;
  decision_.number_ = decision_.marks_.size();
  for (std::size_t i = 0; i < decision_.used_; ++i) {
    Decision::Target& target = *decision_.targets_[i];
    const auto decided = core::DecideShow(*target.standings, decision_.marks_, &target.effects);
    if (!decided.ok()) return Refuse(decided.error());
  }
}

void Leaderboard::Deciding::operator()(const leaderboard::Alter& alter) {
  decision_.answers_ = Decision::AnswerKind::kDone;
  if (const Status checked = CheckSpec(*alter.spec); !checked.ok()) return Refuse(checked.error());
  if (const Status same = CheckAltered(spec_, *alter.spec); !same.ok()) {
    return Refuse(same.error());
  }
  if (*alter.spec == spec_) return;
  // A board whose spec is older than this rule may be altered in other respects.
  if (const Status declared = CheckDeclaration(*alter.spec);
      !declared.ok() && CheckDeclaration(spec_).ok()) {
    return Refuse(declared.error());
  }
  if (const Status lasts = CheckLasts(*alter.spec, board_.written_at(), call_.now); !lasts.ok()) {
    return Refuse(lasts.error());
  }
  decision_.new_spec_ = alter.spec;
  if (!AddTargets(std::nullopt)) return;
  for (std::size_t i = 0; i < decision_.used_; ++i) {
    Decision::Target& target = *decision_.targets_[i];
    core::DecideCap(*target.standings, alter.spec->cap, &target.effects);
  }
}

// Pipelines ---------------------------------------------------------------------------------------

void Prepared::Begin(std::size_t operations, std::size_t boards) {
  boards_ = boards;
  hints_.assign(operations * boards, Hint{});
  writes_.clear();
}

void Leaderboard::Prepare(std::span<const Submit* const> submits, const Call& call,
                          Prepared* prepared) const {
  LAUREL_ASSERT(submits.size() <= kPreparedAtOnce);
  const std::size_t boards = std::max<std::size_t>(spec().periods.size(), 1);
  prepared->Begin(submits.size(), boards);
  if (has_periods() && !periods().calendar) return;
  std::array<std::size_t, kPreparedAtOnce> operations;  // for each of writes_, its submit's index
  for (std::size_t i = 0; i < submits.size(); ++i) {
    if (submits[i]->id && requests() != nullptr) requests()->Prefetch(*submits[i]->id);
    if (has_periods() && submits[i]->at) continue;  // AT may select other instances
    const Result<Score> score = ReadScore(spec(), submits[i]->values, call.board);
    if (!score.ok()) continue;
    operations[prepared->writes_.size()] = i;
    prepared->writes_.push_back(WriteOf(*submits[i], *score));
  }
  for (std::size_t i = 0; i < prepared->writes_.size(); ++i) {
    prepared->hints_[operations[i] * boards].score = &prepared->writes_[i].score;
  }
  if (prepared->write_hints_.size() < boards * kPreparedAtOnce) {
    prepared->write_hints_.resize(boards * kPreparedAtOnce);
  }
  for (std::size_t period = 0; period < boards; ++period) {
    const core::Standings* standings = &standings_;
    if (has_periods()) {
      const StoredInstance* stored = InstanceOfPeriod(period, CalendarTime(call.now)).stored;
      if (stored == nullptr) continue;
      standings = &stored->standings;
    }
    core::EntryStore::WriteHint* hint = &prepared->write_hints_[period * kPreparedAtOnce];
    core::FindHints(*standings, prepared->writes_, call.stamp, hint);
    for (std::size_t i = 0; i < prepared->writes_.size(); ++i) {
      Hint& found = prepared->hints_[operations[i] * boards + period];
      found.standings = standings;
      found.generation = standings->entries().generation();
      found.location = hint[i].location;
      found.hint = &hint[i];
    }
  }
}

Summary Leaderboard::ApplyBatch(std::span<const Write> writes, const Call& call,
                                EffectWriter* effects, const WriteVisitor& visit,
                                std::uint32_t instance) {
  core::Standings* standings = StandingsOf(instance);
  LAUREL_ASSERT(standings != nullptr);
  Summary summary;
  const core::KeyLayout& layout = standings_.layout();
  if (effects != nullptr) {
    effects->Select(instance == 0 ? InstanceRef{} : RefOf(*FindStored(instance)));
  }
  core::ApplyBatch(
      standings, writes, {call.now, call.stamp},
      [&](std::size_t i, const Result<Verdict>& verdict, const core::EffectBatch& batch) {
        summary.accepted = summary.accepted || verdict.ok();
        for (const core::Effect& effect : batch) {
          NoteStamp(effect);
          if (effects != nullptr) effects->Entry(effect, layout.words());
        }
        if (!batch.empty()) summary.NoteEntries(instance);
        visit(i, verdict);
      });
  if (summary.accepted) NoteWritten(call.now, effects, &summary);
  return summary;
}

Status Leaderboard::LoadEntries(std::span<const Entry> sorted) {
  if (!has_periods()) {
    Status loaded = core::Load(&standings_, sorted);
    if (loaded.ok() && standings_.layout().stamped()) {
      for (const Entry& entry : sorted) RaiseStamp(entry.stamp);
    }
    return loaded;
  }
  return Refusal(ErrorCode::kErr, "the entries of a board with periods are in its instances");
}

// Committing --------------------------------------------------------------------------------------

void Leaderboard::Commit(Decision* decision, Answer* answer, EffectWriter* effects,
                         Summary* summary) {
  summary->Clear();
  if (decision->answers_ == Decision::AnswerKind::kPopped && !decision->refusal_) {
    AnswerPopped(decision, answer);
  }
  if (decision->refusal_) {
    answer->Refused(*decision->refusal_);
    return;
  }
  summary->accepted = true;
  if (decision->retry_) {
    answer->Verdicts({&spec(), decision->verdicts_, decision->single_, true});
    return;
  }
  const bool went_after_writes = ExpiresAfterLastWrite();
  CommitDeclared(*decision, effects, summary);
  for (std::size_t i = 0; i < decision->used_; ++i) {
    CommitTarget(decision, i, effects, summary);
  }
  const bool rule_is_new = decision->new_spec_ != nullptr && !went_after_writes;
  if (decision->accepted_write_ || (rule_is_new && (has_entries() || has_hidden_entries()))) {
    NoteWritten(decision->now_, effects, summary);
  }
  if (decision->id_) {
    if (requests() == nullptr || requests()->size() == 0) summary->due_earlier = true;
    Remember(decision, effects);
    summary->remembered = true;
  }
  if (decision->id_ || decision->new_spec_ != nullptr) {
    ForgetOld(decision->now_, kMaxForgottenPerWrite, effects);
  }
  switch (decision->answers_) {
    case Decision::AnswerKind::kNumber:
      answer->Number(decision->number_);
      break;
    case Decision::AnswerKind::kVerdicts:
      answer->Verdicts({&spec(), decision->verdicts_, decision->single_, false});
      break;
    case Decision::AnswerKind::kDone:
      answer->Done();
      break;
    case Decision::AnswerKind::kPopped:
      break;
  }
}

void Leaderboard::CommitDeclared(const Decision& decision, EffectWriter* effects,
                                 Summary* summary) {
  if (decision.turned_at_) {
    RaiseTurn(*decision.turned_at_);
    if (effects != nullptr) effects->Turned(periods().turned_at);
    summary->due_earlier = true;
  }
  if (decision.new_spec_ != nullptr) {
    if (effects != nullptr) effects->Alter(*decision.new_spec_);
    SetSpec(*decision.new_spec_);
    summary->declared = true;
    summary->due_earlier = true;
  }
  for (const std::string_view member : decision.marks_) {
    if (effects != nullptr) decision.sets_marks_ ? effects->Mark(member) : effects->Unmark(member);
    SetMark(member, decision.sets_marks_);
    summary->declared = true;
  }
}

void Leaderboard::CommitTarget(Decision* decision, std::size_t i, EffectWriter* effects,
                               Summary* summary) {
  Decision::Target& target = *decision->targets_[i];
  if (target.effects.empty()) {
    if (!decision->ranked()) return;
    decision->NoteRanks(i, *target.standings, target.found, &Verdict::previous_rank);
    for (std::size_t write = 0; write < decision->writes_.size(); ++write) {
      Verdict& verdict = decision->verdicts_[write * decision->used_ + i];
      verdict.rank = verdict.previous_rank;
    }
    return;
  }
  if (target.fresh) {
    target.number = periods().next_number;
    if (effects != nullptr) effects->CreateInstance(target.number, *target.fresh);
    AddStored(target.number, *target.fresh);
    summary->due_earlier = true;
  }
  core::Standings* standings = target.number == 0 ? &standings_ : nullptr;
  if (standings == nullptr) {
    StoredInstance* stored = FindStored(target.number);
    LAUREL_ASSERT(stored != nullptr);
    standings = &stored->standings;
    ++stored->changes;
    if (effects != nullptr) effects->Select(RefOf(*stored));
    if (decision->answers_ == Decision::AnswerKind::kVerdicts) {
      periods().known[target.period] = {target.span, stored};
    }
  } else if (effects != nullptr) {
    effects->Select({});
  }
  // The board is the one that the effects were decided against. The board itself has no entries if
  // there are periods.
  LAUREL_ASSERT(target.fresh || standings == target.standings);
  LAUREL_ASSERT(target.number != 0 || !has_periods());
  ApplyTarget(decision, i, standings, effects);
  summary->NoteEntries(target.number);
}

void Leaderboard::ApplyTarget(Decision* decision, std::size_t i, core::Standings* standings,
                              EffectWriter* effects) {
  Decision::Target& target = *decision->targets_[i];
  const bool ranked = decision->ranked();
  // For an instance created just now target.board is Periods::empty, which has no entries either.
  if (ranked) decision->NoteRanks(i, *target.standings, target.found, &Verdict::previous_rank);
  const std::uint32_t generation = standings->entries().generation();
  const unsigned words = standings->layout().words();
  const core::EntryStore::WriteHint* hint = target.hint;
  for (const core::Effect& effect : target.effects) {
    if (effects != nullptr) effects->Entry(effect, words);
    ApplyEntry(standings, effect, effect.found_at, hint);
    hint = nullptr;
  }
  if (!ranked) return;
  core::Location found = core::kNowhere;
  if (decision->writes_.size() == 1) {
    found = core::ValidLocation(*standings, decision->writes_[0].member, target.found, generation);
  }
  decision->NoteRanks(i, *standings, found, &Verdict::rank);
}

void Leaderboard::NoteWritten(Stamp now, EffectWriter* effects, Summary* summary) {
  if (!ExpiresAfterLastWrite()) return;
  if (written_at() == 0) summary->due_earlier = true;
  NeedExtras().written_at = now;
  if (effects != nullptr) effects->Written(now);
}

void Leaderboard::Remember(Decision* decision, EffectWriter* effects) {
  EncodeVerdicts(decision->verdicts_, &decision->outcome_);
  LAUREL_ASSERT(decision->outcome_.size() <= kMaxOutcomeBytes);
  RequestIds& ids = Requests();
  const RememberedRequest request{ids.next_sequence(), decision->now_, decision->identity_,
                                  *decision->id_, decision->outcome_};
  ids.Remember(request);
  if (effects != nullptr) effects->Remember(request);
  if (decision->outcome_.capacity() > kKeptOutcomeBytes) std::string().swap(decision->outcome_);
}

void Leaderboard::AnswerPopped(Decision* decision, Answer* answer) const {
  const EntryShape shape{&spec(), decision->with_meta_, false, std::nullopt};
  const core::Standings& standings =
      decision->used_ > 0 ? *decision->targets_[0]->standings : standings_;
  const core::IndexRange range{decision->first_, decision->count_};
  if (const Status fits = CheckRoom(standings, range, shape, *answer); !fits.ok()) {
    decision->refusal_ = fits.error();
    return;
  }
  AnswerPage(standings, range, decision->worst_, shape, RankKind::kOrdinal, answer);
}

}  // namespace laurel::leaderboard
