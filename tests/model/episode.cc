#include "model/episode.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace laurel::model {
namespace {

constexpr std::size_t kSmallBoard = 300;  // larger boards are rarely compared as a whole
constexpr std::size_t kEmptyBoardBytes = 1024;

core::Shape ShapeFrom(base::Random* random) {
  core::Shape shape;
  if (random->OneIn(3)) return shape;
  if (random->OneIn(2)) return TinyShape();
  shape.packed_entries = static_cast<unsigned>(1 + random->Below(20));
  shape.leaf_entries = static_cast<unsigned>(4 + random->Below(9));
  shape.inner_children = static_cast<unsigned>(4 + random->Below(5));
  shape.segment_buckets = static_cast<unsigned>(2 << random->Below(4));
  shape.listed_removals = static_cast<unsigned>(random->Below(50));
  return shape;
}

std::string JoinMembers(const std::vector<std::string_view>& members) { return Render(members); }

}  // namespace

EpisodePlan EpisodePlan::FromSeed(std::uint64_t seed) {
  base::Random random(seed);
  EpisodePlan plan;
  plan.seed = seed;
  plan.shape = ShapeFrom(&random);
  switch (random.Below(20)) {
    case 0:
      plan.members = 1 + random.Below(6);
      break;
    case 1:
    case 2:
    case 3:
      plan.members = 300;
      break;
    case 4:
      plan.members = 600 + random.Below(3000);
      break;
    default:
      plan.members = 20 + random.Below(120);
      break;
  }
  // Long enough that the growth phase adds most members.
  plan.phase_length = 300 + 3 * plan.members;
  plan.operations = 3 * plan.phase_length * (plan.members > kSmallBoard ? 1 : 3);
  return plan;
}

Episode::Episode(const EpisodePlan& plan)
    : plan_(plan),
      generator_(plan.seed + 1, plan.members),
      random_(generator_.random()),
      board_(generator_.spec(), plan.shape, plan.seed),
      model_(generator_.spec()) {}

void Episode::Run() {
  const std::uint64_t check_interval = plan_.members > kSmallBoard ? 2000 : 200;
  while (operations_ < plan_.operations && failure_.empty()) {
    Execute(ChooseOperation());
    if (operations_ % check_interval == 0) CompareContents();
    const bool cycle_ends = operations_ % (3 * plan_.phase_length) == 0;
    if (cycle_ends) DeleteAll();
  }
  CompareContents();
  DeleteAll();
  if (!failure_.empty()) return;
  const std::size_t leaked = board_.DestroyAndCountLeakedBytes();
  if (leaked != 0) Fail("bytes in use after destruction", std::to_string(leaked), "0");
}

// Choice of the operation -----------------------------------------------------------------------

Episode::Phase Episode::phase() const {
  return static_cast<Phase>(operations_ / plan_.phase_length % 3);
}

Operation Episode::ChooseOperation() {
  const auto weight = [phase = phase()](const OperationInfo& info) {
    if (phase == Phase::kGrow) return info.grow;
    return phase == Phase::kSteady ? info.steady : info.shrink;
  };
  std::uint64_t total = 0;
  for (const OperationInfo& info : kOperations) total += weight(info);
  for (;;) {
    std::uint64_t drawn = random_.Below(total);
    for (const OperationInfo& info : kOperations) {
      if (drawn < weight(info)) {
        if (Applicable(info.operation)) return info.operation;
        break;
      }
      drawn -= weight(info);
    }
  }
}

// Operations that this kind of board refuses are still tried, but less often.
bool Episode::Applicable(Operation operation) {
  const bool sorted_set = model_.spec().kind == BoardKind::kSortedSet;
  const bool seldom = random_.OneIn(8);
  switch (operation) {
    case Operation::kIncrement:
      if (generator_.one_score_only()) return false;
      return model_.spec().cap == 0 || seldom;
    case Operation::kLexCount:
    case Operation::kLexRange:
      return generator_.one_score_only();
    case Operation::kClear:
    case Operation::kLoad:
      // Otherwise a large board would never grow large.
      return model_.size() < kSmallBoard || (seldom && random_.OneIn(8));
    case Operation::kSetMeta:
    case Operation::kHide:
    case Operation::kShow:
    case Operation::kAlterCap:
    case Operation::kHistogram:
      return !sorted_set || seldom;
    default:
      return true;
  }
}

void Episode::Execute(Operation operation) {
  const Operation outer = std::exchange(current_, operation);
  ++operations_;
  ++counts_[static_cast<std::size_t>(operation)];
  Dispatch(operation);
  current_ = outer;
}

void Episode::Dispatch(Operation operation) {
  struct Row {
    Operation operation;
    void (Episode::*run)();
  };
  static constexpr std::array<Row, kOperationCount> kRows = {{
      {Operation::kSubmit, &Episode::RunShorthand},
      {Operation::kSet, &Episode::RunShorthand},
      {Operation::kIncrement, &Episode::RunShorthand},
      {Operation::kApply, &Episode::RunApply},
      {Operation::kApplyAll, &Episode::RunApplyAll},
      {Operation::kApplyBatch, &Episode::RunApplyBatch},
      {Operation::kSetMeta, &Episode::RunSetMeta},
      {Operation::kRemove, &Episode::RunRemove},
      {Operation::kPopBest, &Episode::RunPopBest},
      {Operation::kPopWorst, &Episode::RunPopWorst},
      {Operation::kTrim, &Episode::RunTrim},
      {Operation::kClear, &Episode::RunClear},
      {Operation::kHide, &Episode::RunHide},
      {Operation::kShow, &Episode::RunShow},
      {Operation::kAlterCap, &Episode::RunAlterCap},
      {Operation::kLoad, &Episode::RunLoad},
      {Operation::kGet, &Episode::RunGet},
      {Operation::kRanks, &Episode::RunRanks},
      {Operation::kAt, &Episode::RunAt},
      {Operation::kTop, &Episode::RunTop},
      {Operation::kRange, &Episode::RunRange},
      {Operation::kAround, &Episode::RunAround},
      {Operation::kAmong, &Episode::RunAmong},
      {Operation::kRankOf, &Episode::RunRankOf},
      {Operation::kCount, &Episode::RunCount},
      {Operation::kBetween, &Episode::RunBetween},
      {Operation::kLexCount, &Episode::RunLexCount},
      {Operation::kLexRange, &Episode::RunLexRange},
      {Operation::kPercentile, &Episode::RunPercentile},
      {Operation::kQuantile, &Episode::RunQuantile},
      {Operation::kHistogram, &Episode::RunHistogram},
      {Operation::kRandomEntries, &Episode::RunRandomEntries},
      {Operation::kScan, &Episode::RunScan},
      {Operation::kForEachBest, &Episode::RunForEachBest},
      {Operation::kForEachWorst, &Episode::RunForEachWorst},
      {Operation::kSize, &Episode::RunSize},
      {Operation::kContains, &Episode::RunContains},
      {Operation::kSpec, &Episode::RunSpec},
      {Operation::kMemoryUsage, &Episode::RunMemoryUsage},
      {Operation::kValidate, &Episode::RunValidate},
  }};
  static_assert([] {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      if (kRows[i].operation != kOperations[i].operation || kRows[i].run == nullptr) return false;
    }
    return true;
  }());
  (this->*kRows[static_cast<std::size_t>(operation)].run)();
}

void Episode::Fail(const std::string& arguments, const std::string& board,
                   const std::string& model) {
  failure_ = "episode seed " + std::to_string(plan_.seed) + ", operation " +
             std::to_string(operations_) + "\n  spec:  " + Render(model_.spec()) +
             "\n  shape: " + DescribeShape(plan_.shape) + ", " + std::to_string(model_.size()) +
             " visible entries\n  " + std::string(OperationName(current_)) + " " + arguments +
             "\n  board: " + board + "\n  model: " + model;
}

// Input -----------------------------------------------------------------------------------------

Moment Episode::NextMoment(std::uint64_t stamps) {
  // The system clock stands still, advances, and now and then steps back; stamps always rise.
  if (random_.OneIn(3)) now_ += static_cast<Stamp>(random_.Below(50'000'000));
  if (random_.OneIn(500)) now_ -= 100'000'000;
  const Stamp stamp = std::max(now_, last_stamp_ + 1);
  last_stamp_ = stamp + static_cast<Stamp>(stamps) - 1;
  return {now_, stamp};
}

std::vector<Write> Episode::RandomWrites(std::size_t count, Stamp now) {
  std::vector<Write> writes(count);
  for (Write& write : writes) write = generator_.RandomWrite(now, model_.spec().cap);
  return writes;
}

std::string_view Episode::LikelyMember() {
  if (model_.size() == 0 || random_.OneIn(5)) return generator_.Member();
  // A view of the generator's member, which outlives the entry.
  const std::string& member = model_.visible()[random_.Below(model_.size())].member;
  return *std::lower_bound(generator_.members().begin(), generator_.members().end(), member);
}

Episode::Members Episode::LikelyMembers(std::size_t most) {
  Members members(random_.Below(most + 1));
  for (std::string_view& member : members) member = LikelyMember();
  return members;
}

// Writes ----------------------------------------------------------------------------------------

void Episode::RunShorthand() {
  const std::string_view member = generator_.Member();
  const Score score = generator_.RandomScore();
  const Moment moment = NextMoment(1);
  const Arguments arguments = [&] {
    return Quoted(member) + " " + Render(score) + " stamp " + std::to_string(moment.stamp);
  };
  if (current_ == Operation::kSubmit) {
    Compare(arguments, Plain(board_->Submit(member, score, moment)),
            model_.Submit(member, score, moment));
  } else if (current_ == Operation::kSet) {
    Compare(arguments, Plain(board_->Set(member, score, moment)),
            model_.Set(member, score, moment));
  } else {
    Compare(arguments, Plain(board_->Increment(member, score, moment)),
            model_.Increment(member, score, moment));
  }
}

void Episode::RunApply() {
  const Moment moment = NextMoment(1);
  const Write write = generator_.RandomWrite(moment.now, model_.spec().cap);
  Compare([&] { return Render(write) + " stamp " + std::to_string(moment.stamp); },
          Plain(board_->Apply(write, moment)), model_.Apply(write, moment));
}

void Episode::RunApplyAll() {
  const std::size_t count = random_.Below(random_.OneIn(5) ? 40 : 7);
  const Moment moment = NextMoment(count + 1);
  const std::vector<Write> writes = RandomWrites(count, moment.now);
  Compare([&] { return Render(writes) + " stamp " + std::to_string(moment.stamp); },
          Plain(board_->ApplyAll(writes, moment)), model_.ApplyAll(writes, moment));
}

void Episode::RunApplyBatch() {
  const std::size_t count = random_.Below(random_.OneIn(5) ? 40 : 7);
  const Moment moment = NextMoment(count + 1);
  const std::vector<Write> writes = RandomWrites(count, moment.now);
  std::vector<Result<Verdict>> board_verdicts;
  std::vector<Result<Verdict>> model_verdicts;
  board_->ApplyBatch(writes, moment, &board_verdicts);
  model_.ApplyBatch(writes, moment, &model_verdicts);
  Compare([&] { return Render(writes) + " stamp " + std::to_string(moment.stamp); }, board_verdicts,
          model_verdicts);
}

void Episode::RunSetMeta() {
  const std::string_view member = LikelyMember();
  const std::string_view meta = random_.OneIn(30) ? generator_.overlong_meta() : generator_.Meta();
  Compare([&] { return Quoted(member) + " " + Quoted(meta); }, board_->SetMeta(member, meta, now_),
          model_.SetMeta(member, meta));
}

void Episode::RunRemove() {
  const Members members = LikelyMembers(random_.OneIn(10) ? 20 : 2);
  Compare([&] { return JoinMembers(members); }, board_->Remove(members), model_.Remove(members));
}

void Episode::RunPop(Board::End end) {
  std::uint64_t n = random_.Below(4);
  if (phase() == Phase::kShrink && random_.OneIn(20)) n = generator_.Amount(model_.size());
  Compare([&] { return std::to_string(n); }, board_->Pop(n, end).value(), model_.Pop(n, end));
}

void Episode::RunTrim() {
  std::uint64_t n = model_.size() - std::min<std::uint64_t>(model_.size(), random_.Below(6));
  if (random_.OneIn(10)) n = model_.size() + generator_.Amount(3) / 2;
  if (phase() == Phase::kShrink && random_.OneIn(20)) n = random_.Below(model_.size() + 1);
  Compare([&] { return std::to_string(n); }, board_->Trim(n).value(), model_.Trim(n));
}

void Episode::RunClear() {
  Compare([] { return ""; }, board_->Clear(), model_.Clear());
}

void Episode::RunHide() {
  Members members = LikelyMembers(3);
  const bool leaderboard = model_.spec().kind == BoardKind::kLeaderboard;
  if (leaderboard && random_.OneIn(30)) members.push_back(generator_.overlong_member());
  Compare([&] { return JoinMembers(members); }, board_->Hide(members), model_.Hide(members));
}

void Episode::RunShow() {
  Members members = generator_.Members(2);
  // Views of the generator's members, because Show erases the hidden marks.
  for (const auto& [member, entry] : model_.hidden()) {
    if (!random_.OneIn(4)) continue;
    members.push_back(
        *std::lower_bound(generator_.members().begin(), generator_.members().end(), member));
  }
  Compare([&] { return JoinMembers(members); }, board_->Show(members), model_.Show(members));
}

void Episode::RunAlterCap() {
  std::uint64_t cap = random_.OneIn(4) ? 0 : 1 + random_.Below(2 * plan_.members);
  if (random_.OneIn(10)) cap = 1 + generator_.Amount(3) / 2;
  Spec changed = model_.spec();
  changed.cap = cap;
  Compare([&] { return std::to_string(cap); }, board_->Alter(changed, now_), model_.AlterCap(cap));
}

// Some or all entries of the model, hidden ones included, in order; now and then with a fault.
std::vector<Entry> Episode::EntriesToLoad() {
  std::vector<Entry> entries = model_.visible();
  for (const auto& [member, entry] : model_.hidden()) {
    if (entry) entries.push_back(*entry);
  }
  std::sort(entries.begin(), entries.end(),
            [this](const Entry& a, const Entry& b) { return model_.Ahead(a, b); });
  if (random_.OneIn(2)) {
    const std::uint64_t keep_one_in = 1 + random_.Below(4);
    std::erase_if(entries, [&](const Entry&) { return !random_.OneIn(keep_one_in); });
  }
  for (Entry& entry : entries) entry.rank = random_.Below(3);  // Load must ignore it
  if (entries.size() >= 2 && random_.OneIn(4)) {
    const std::size_t i = random_.Below(entries.size() - 1);
    const std::size_t j = i + 1 + random_.Below(entries.size() - i - 1);
    if (random_.OneIn(2)) {
      std::swap(entries[i], entries[j]);
    } else {
      entries[j].member = entries[i].member;
    }
  }
  return entries;
}

void Episode::RunLoad() {
  const std::vector<Entry> entries = EntriesToLoad();
  const Arguments arguments = [&] { return Render(entries); };
  // Load is refused on a board with entries.
  if (!random_.OneIn(5)) Compare(arguments, board_->Clear(), model_.Clear());
  Compare(arguments, board_->Load(entries), model_.Load(entries));
  Compare(arguments, board_->size(), model_.size());
  Compare(arguments, board_->Validate(), std::string());
}

// Removal of all entries ------------------------------------------------------------------------

void Episode::DeleteAll() {
  const Arguments arguments = [] { return "while all entries are deleted"; };
  while (failure_.empty() && model_.size() > 0) {
    const Members members = LikelyMembers(20);
    Compare(arguments, board_->Remove(members), model_.Remove(members));
    Compare(arguments, board_->Pop(1, Board::End::kWorst).value(),
            model_.Pop(1, Board::End::kWorst));
  }
  if (!failure_.empty()) return;
  Compare(arguments, board_->Validate(), std::string());
  const Members everybody(generator_.members().begin(), generator_.members().end());
  Compare(arguments, board_->Remove(everybody), model_.Remove(everybody));
  Compare(arguments, board_->Show(everybody), model_.Show(everybody));
  Compare(arguments, board_->size(), std::uint64_t{0});
  Compare(arguments, board_->Validate(), std::string());
  const std::size_t bytes = board_->MemoryUsage();
  if (failure_.empty() && bytes > kEmptyBoardBytes) {
    Fail("bytes of a board whose entries are all deleted", std::to_string(bytes), "at most 1024");
  }
}

}  // namespace laurel::model
