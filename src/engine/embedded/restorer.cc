#include "engine/embedded/restorer.h"

#include <map>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "laurel/limits.h"

namespace laurel::engine {
namespace {

// A board of so many is finished on two threads.
constexpr std::size_t kManyEntries = 100'000;

Error Damaged(std::string message) { return Error{ErrorCode::kErr, std::move(message)}; }

Status CheckEffect(const core::Board& board, const core::Effect& effect, unsigned words) {
  const bool sorted_set = board.layout().is_double();
  if (effect.member.size() > (sorted_set ? kMaxSortedSetMemberBytes : kMaxMemberBytes)) {
    return Damaged("a member is longer than its board allows");
  }
  const bool has_words = words > 0 || effect.kind == core::Effect::Kind::kPut ||
                         effect.kind == core::Effect::Kind::kDeleteRange;
  if (has_words && !board.spec().periods.empty()) {
    return Damaged("an entry on a board whose instances have them");
  }
  if (has_words && words != board.layout().words()) {
    return Damaged("an entry has " + std::to_string(words) + " words, its board has " +
                   std::to_string(board.layout().words()));
  }
  if (effect.kind == core::Effect::Kind::kAlter &&
      (effect.spec->fields != board.spec().fields || effect.spec->tie != board.spec().tie ||
       effect.spec->kind != board.spec().kind || effect.spec->periods != board.spec().periods ||
       effect.spec->zone != board.spec().zone ||
       effect.spec->turn_minutes != board.spec().turn_minutes)) {
    return Damaged("a board's fields are altered");
  }
  return Ok{};
}

}  // namespace

void Restorer::Reset() {
  loader_.reset();
  board_ = nullptr;
  core::Catalog& catalog = keys_->catalog();
  if (catalog.restoring()) catalog.AbandonRestore();
  catalog.BeginRestore();
  while (!keys_->templates().empty()) {
    keys_->DeleteTemplate(std::string(keys_->templates().front().pattern));
  }
  last_stamp_ = 0;
  entries_ = 0;
}

Status Restorer::OnSnapshot(std::string_view effects) {
  in_snapshot_ = true;
  return Read(effects);
}

Status Restorer::OnSnapshotEnd(const storage::Footer& footer) {
  in_snapshot_ = false;
  last_stamp_ = std::max(last_stamp_, footer.last_stamp);
  keys_->catalog().RaiseNextId(footer.next_board);
  FinishLoad();
  board_ = nullptr;
  return Ok{};
}

Status Restorer::OnBatch(std::uint64_t, std::string_view effects, bool unsettled) {
  unsettled_ = unsettled;
  board_ = nullptr;
  return Read(effects);
}

namespace {

void ShareHiddenMarks(core::NamedBoard* board) {
  std::set<std::string, std::less<>> hidden;
  const auto collect = [&](const core::NamedBoard& of) {
    of.board.ForEachHidden(
        [&](std::string_view member, const core::Board::HiddenEntry*) { hidden.emplace(member); });
  };
  const auto share = [&](core::NamedBoard* with) {
    for (const std::string& member : hidden) {
      if (with->board.IsHidden(member)) continue;
      core::Effect hide;
      hide.kind = core::Effect::Kind::kHide;
      hide.member = member;
      with->board.Apply(hide);
    }
  };
  collect(*board);
  for (const core::NamedBoard* instance : board->parent->instances) collect(*instance);
  share(board);
  for (core::NamedBoard* instance : board->parent->instances) share(instance);
}

}  // namespace

void Restorer::Reconcile() {
  FinishLoad();
  board_ = nullptr;
  core::Catalog& catalog = keys_->catalog();
  std::map<std::string, core::NamedBoard*, std::less<>> by_name;
  using Label = std::tuple<core::NamedBoard*, Period, std::string>;
  std::map<Label, core::NamedBoard*> by_label;
  std::vector<core::NamedBoard*> older;  // instances before their boards
  for (core::NamedBoard* board = catalog.FirstById(); board != nullptr;
       board = core::Catalog::NextById(board)) {
    core::NamedBoard*& known =
        board->part ? by_label[{board->part->of, board->part->span.period, board->part->span.label}]
                    : by_name[std::string(board->name)];
    if (known != nullptr) older.insert(known->part ? older.begin() : older.end(), known);
    known = board;
  }
  for (core::NamedBoard* board : older) catalog.DropRestored(board);
  for (core::NamedBoard* board = catalog.FirstById(); board != nullptr;
       board = core::Catalog::NextById(board)) {
    if (board->parent) ShareHiddenMarks(board);
  }
}

Status Restorer::Finish() {
  const Status named = keys_->catalog().FinishRestore();
  return named.ok() ? keys_->Restored() : named;
}

void Restorer::FinishLoad() {
  if (!loader_) return;
  if (loader_->size() >= kManyEntries) {
    std::thread sorter([this] { loader_->Sort(); });
    loader_->Index();
    sorter.join();
  }
  loader_->Finish();
  loader_.reset();
}

// Up to E a board may be gone from the snapshot already (invariant 8).
Status Restorer::Unknown(std::uint64_t id) const {
  if (unsettled_) return Ok{};
  return Damaged("board " + std::to_string(id) + " is not there");
}

Status Restorer::OnClock(Stamp last) {
  last_stamp_ = std::max(last_stamp_, last);
  return Ok{};
}

Status Restorer::OnSelect(std::uint64_t id) {
  FinishLoad();
  board_ = keys_->catalog().FindById(id);
  return board_ != nullptr ? Status(Ok{}) : Unknown(id);
}

void Restorer::Begin(core::NamedBoard* board) {
  board_ = board;
  if (in_snapshot_) loader_.emplace(board->board.Load());
}

Status Restorer::BeginAgain(const core::NamedBoard& known) const {
  if (in_snapshot_ && &known == board_) return Ok{};
  return Damaged("board " + std::to_string(known.id) + " is created twice");
}

Status Restorer::OnCreate(std::uint64_t id, std::string_view name, const Spec& spec) {
  if (const Status checked = core::CheckName(name, spec); !checked.ok()) return checked;
  core::NamedBoard* known = keys_->catalog().FindById(id);
  if (known == nullptr) {
    FinishLoad();
    Begin(keys_->catalog().Restore(id, name, spec));
    return Ok{};
  }
  if (const Status again = BeginAgain(*known); !again.ok()) return again;
  core::Catalog::SetRestoredName(known, name);
  known->expires_at_ms = 0;
  return Ok{};
}

Status Restorer::OnCreateInstance(std::uint64_t id, std::uint64_t of, const Instance& span,
                                  Policy policy, std::uint64_t cap) {
  if (core::NamedBoard* known = keys_->catalog().FindById(id)) return BeginAgain(*known);
  FinishLoad();
  board_ = nullptr;
  core::NamedBoard* parent = keys_->catalog().FindById(of);
  if (parent == nullptr) return Unknown(of);
  if (!parent->parent) return Damaged("an instance of a board without periods");
  if (id < of) return Damaged("an instance is older than its board");
  Spec spec = InstanceSpec(parent->board.spec());
  spec.policy = policy;
  spec.cap = cap;
  if (const Status checked = CheckSpec(spec); !checked.ok()) return checked;
  Begin(keys_->catalog().RestoreInstance(id, parent, span, spec));
  return Ok{};
}

Status Restorer::OnTurned(Stamp at) {
  if (board_ == nullptr) return Ok{};
  if (!board_->parent) return Damaged("a board without periods has turned");
  board_->parent->turned_at = std::max(board_->parent->turned_at, at);
  return Ok{};
}

Status Restorer::OnClosedThrough(Period period, Stamp end) {
  if (board_ == nullptr) return Ok{};
  if (!board_->parent) return Damaged("a board without periods has closed ones");
  board_->parent->CloseThrough(period, end);
  return Ok{};
}

Status Restorer::OnClosed(const ClosedInstance& closed) {
  if (board_ == nullptr) return Ok{};
  if (!board_->part) return Damaged("a board that is no instance is closed");
  board_->part->closed = true;
  board_->part->closed_epoch = closed.epoch;
  board_->part->closed_after = closed.after;
  return Ok{};
}

Status Restorer::OnDrop(std::uint64_t id, std::string_view /*name*/, const Spec& /*spec*/,
                        bool /*expired*/) {
  return DropBoard(id);
}

Status Restorer::DropBoard(std::uint64_t id) {
  FinishLoad();
  core::NamedBoard* board = keys_->catalog().FindById(id);
  if (board == nullptr) return Unknown(id);  // the selected one stays
  if (board_ != nullptr && (board == board_ || (board_->part && board_->part->of == board))) {
    board_ = nullptr;
  }
  keys_->catalog().DropRestored(board);
  return Ok{};
}

Status Restorer::OnDropBelow(std::uint64_t id) {
  FinishLoad();
  board_ = nullptr;
  keys_->catalog().DropRestoredBelow(id);
  return Ok{};
}

Status Restorer::OnName(std::string_view name, std::string_view /*from*/, const Spec& /*spec*/) {
  if (board_ == nullptr) return Ok{};
  if (const Status checked = core::CheckName(name, board_->board.spec()); !checked.ok()) {
    return checked;
  }
  core::Catalog::SetRestoredName(board_, name);
  return Ok{};
}

Status Restorer::OnWritten(Stamp at) {
  if (board_ != nullptr) Keyspace::NoteWritten(board_, at);
  return Ok{};
}

Status Restorer::OnExpiry(std::int64_t at_ms) {
  if (board_ != nullptr) board_->expires_at_ms = at_ms;
  return Ok{};
}

Status Restorer::OnEffect(const core::Effect& effect, unsigned words) {
  if (board_ == nullptr) return Ok{};
  core::Board& board = board_->board;
  if (const Status checked = CheckEffect(board, effect, words); !checked.ok()) return checked;
  if (effect.kind == core::Effect::Kind::kPut) {
    if (in_snapshot_) ++entries_;
    if (!loader_) {
      if (!board.entries().HasRoom()) return Damaged("more entries than a board can hold");
      board.Apply(effect);
    } else if (!loader_->Add(core::MemberKey(effect.member), effect.words, effect.meta)) {
      return Damaged("more entries than a board can hold");
    }
    return Ok{};
  }
  FinishLoad();
  if (effect.kind == core::Effect::Kind::kClear) {
    core::Catalog::ClearRestored(board_);
    board_->expires_at_ms = 0;
  } else {
    board.Apply(effect);
    if (effect.kind == core::Effect::Kind::kAlter) Keyspace::ForgetWritten(board_);
  }
  // No client waits during a restore, and the entries to come need the memory.
  while (keys_->Reclaim(SIZE_MAX)) {
  }
  return Ok{};
}

Status Restorer::OnRemember(const core::RememberedRequest& request) {
  if (board_ != nullptr) board_->Requests().Remember(request);
  return Ok{};
}

Status Restorer::OnForgetBefore(std::uint64_t sequence) {
  if (board_ != nullptr) board_->Requests().ForgetBefore(sequence);
  return Ok{};
}

Status Restorer::OnTemplate(std::string_view pattern, const Spec& spec) {
  keys_->SetTemplate({std::string(pattern), spec});
  return Ok{};
}

Status Restorer::OnNoTemplate(std::string_view pattern) {
  keys_->DeleteTemplate(pattern);
  return Ok{};
}

}  // namespace laurel::engine
