#include "engine/disk/restorer.h"

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "base/thread.h"
#include "laurel/limits.h"

namespace laurel::engine {
namespace {

// The load of a board with at least this many entries is finished on two threads.
constexpr std::size_t kManyEntries = 100'000;

void FinishOnTwoThreads(leaderboard::Loader* loader) {
  if (loader->unsorted() >= kManyEntries) {
    Result<std::thread> sorter = base::StartThread([loader] { loader->Sort(); });
    if (!sorter.ok()) loader->Sort();
    loader->Index();
    if (sorter.ok()) sorter->join();
  }
  loader->Finish();
}

}  // namespace

void Restorer::Reset() {
  loader_.reset();
  named_ = nullptr;
  Catalog& catalog = keys_->catalog();
  if (catalog.restoring()) catalog.AbandonRestore();
  catalog.BeginRestore();
  while (!keys_->templates().all().empty()) {
    keys_->DeleteTemplate(std::string(keys_->templates().all().front().pattern));
  }
  last_stamp_ = 0;
  entries_ = 0;
  in_snapshot_ = false;
}

Status Restorer::OnSnapshot(std::string_view effects) {
  in_snapshot_ = true;
  return ReadAll(effects);
}

Status Restorer::OnSnapshotEnd(const storage::Footer& footer) {
  FinishLoad();
  in_snapshot_ = false;
  last_stamp_ = std::max(last_stamp_, footer.last_stamp);
  keys_->catalog().RaiseNextId(footer.next_board);
  named_ = nullptr;
  return Ok{};
}

Status Restorer::OnBatch(std::uint64_t, std::string_view effects, bool lenient) {
  lenient_ = lenient;
  named_ = nullptr;
  return ReadAll(effects);
}

void Restorer::Reconcile() {
  FinishLoad();
  named_ = nullptr;
  Catalog& catalog = keys_->catalog();
  std::map<std::string, NamedBoard*, std::less<>> by_name;
  std::vector<NamedBoard*> older;
  for (NamedBoard* named = catalog.FirstById(); named != nullptr;
       named = Catalog::NextById(named)) {
    if (named->loading) continue;
    NamedBoard*& known = by_name[std::string(named->name)];
    if (known != nullptr) older.push_back(known);
    known = named;
  }
  for (NamedBoard* named : older) catalog.DropRestored(named);
  for (NamedBoard* named = catalog.FirstById(); named != nullptr;
       named = Catalog::NextById(named)) {
    named->board.Reconcile();
  }
}

Status Restorer::Finish() {
  Status named = keys_->catalog().FinishRestore();
  if (named.ok()) keys_->Restored();
  return named;
}

void Restorer::FinishLoad() {
  if (!loader_) return;
  entries_ += loader_->entries();
  FinishOnTwoThreads(&*loader_);
  loader_.reset();
}

// Up to E a board may be absent, because it was dropped before the snapshot's walk came to it
// (invariant 8).
Status Restorer::Unknown(std::uint64_t id) const {
  if (lenient_) return Ok{};
  return Err("board " + std::to_string(id) + " is not there");
}

Status Restorer::OnClock(Stamp last) {
  last_stamp_ = std::max(last_stamp_, last);
  return Ok{};
}

Status Restorer::OnSelectBoard(std::uint64_t id) {
  FinishLoad();
  named_ = keys_->catalog().FindById(id);
  return named_ != nullptr ? Status(Ok{}) : Unknown(id);
}

Status Restorer::OnCreateBoard(std::uint64_t id, std::string_view name, const Spec& spec) {
  if (Status checked = CheckName(name, spec); !checked.ok()) return checked;
  FinishLoad();
  if (id == 0 || id == UINT64_MAX) return Err("a board has no id");
  if (keys_->catalog().FindById(id) != nullptr) {
    return Err("board " + std::to_string(id) + " is created twice");
  }
  const Result<NamedBoard*> restored = keys_->catalog().Restore(id, name, spec);
  if (!restored.ok()) {
    return Err("board " + base::Quote(name) + ": " + restored.error().message);
  }
  named_ = *restored;
  if (!in_snapshot_) return Ok{};
  loader_.emplace(&named_->board);
  return Ok{};
}

Status Restorer::OnDrop(std::uint64_t id, std::string_view /*name*/, const Spec& /*spec*/,
                        bool /*expired*/) {
  FinishLoad();
  NamedBoard* named = keys_->catalog().FindById(id);
  if (named == nullptr) return Unknown(id);  // the selected board stays selected
  if (named == named_) named_ = nullptr;
  keys_->catalog().DropRestored(named);
  return Ok{};
}

Status Restorer::OnDropBelow(std::uint64_t id) {
  FinishLoad();
  named_ = nullptr;
  keys_->catalog().DropRestoredBelow(id);
  return Ok{};
}

Status Restorer::OnName(std::string_view name, std::string_view /*from*/, const Spec& /*spec*/) {
  if (named_ == nullptr) return Ok{};
  if (Status checked = CheckName(name, named_->spec()); !checked.ok()) return checked;
  named_->name = name;
  return Ok{};
}

Status Restorer::OnLoad(std::uint64_t id, std::string_view name, const Spec& spec) {
  const Status created = OnCreateBoard(id, name, spec);
  if (created.ok()) named_->loading = true;
  return created;
}

Status Restorer::OnPublish(std::uint64_t id, const Spec& /*spec*/, std::uint64_t /*entries*/) {
  if (const Status selected = OnSelectBoard(id); !selected.ok()) return selected;
  if (named_ != nullptr) named_->loading = false;
  return Ok{};
}

Status Restorer::OnExpiry(std::int64_t at_ms) {
  if (named_ != nullptr) named_->expires_at_ms = at_ms;
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

Status Restorer::OnBoardEffects(base::ByteCursor* cursor) {
  if (named_ == nullptr) return EffectReader::Skip(cursor);
  if (loader_) return loader_->Read(cursor);
  leaderboard::Summary summary;
  const Status applied = named_->board.Apply(cursor, lenient_, &summary);
  // No client waits during a restore, and the entries to come need the memory.
  while (keys_->Reclaim(SIZE_MAX)) {
  }
  return applied;
}

}  // namespace laurel::engine
