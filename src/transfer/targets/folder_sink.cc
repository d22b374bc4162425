#include "transfer/targets/folder_sink.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/assert.h"
#include "base/random.h"
#include "base/text.h"
#include "base/time_text.h"
#include "engine/disk/snapshot_walk.h"
#include "engine/keyspace/catalog.h"
#include "laurel/limits.h"
#include "leaderboard/entries.h"
#include "leaderboard/no_answer.h"
#include "storage/format.h"
#include "storage/manifest.h"
#include "transfer/draft/placement.h"
#include "transfer/folders/board_rows.h"

namespace laurel::transfer {
namespace {

// Refuses a backup, because an import would change data that is kept to restore from.
Status CheckNoBackup(base::Folder* folder) {
  const Result<std::vector<std::string>> names = folder->List();
  if (!names.ok()) return names.error();
  if (std::find(names->begin(), names->end(), storage::kManifestName) == names->end()) return Ok{};
  return Err(folder->path() + " is a backup: restore it into a data folder first");
}

Status CheckStamps(const Draft& draft, Stamp now) {
  if (draft.size() == 0 || draft.last_stamp() - now <= kMaxStampLeadMicros) return Ok{};
  std::string latest;
  ForEachEntry(draft.board(), [&](const BoardEntry& entry) {
    if (entry.stamp == draft.last_stamp()) latest = entry.member;
    return entry.stamp != draft.last_stamp();
  });
  return Error{ErrorCode::kBadTime, "the stamp of " + base::Quote(latest) + ", " +
                                        base::FormatIsoTime(draft.last_stamp()) +
                                        ", is more than a second ahead of the clock, " +
                                        base::FormatIsoTime(now)};
}

// Clears the torn tail of a segment without a whole record. storage::Tidy leaves it, because a
// start replaces such a segment by one of the same name. After an import the next segment has
// another name.
Status ClearTornSegment(base::Folder* folder, const storage::Recovery& found) {
  if (!found.torn || !found.end_file.empty()) return Ok{};
  const Result<std::unique_ptr<base::File>> file =
      folder->Open(found.torn->file, base::Folder::Mode::kWrite);
  if (!file.ok()) return file.error();
  const std::string zeros(found.torn->bytes, '\0');
  const Status cleared = (*file)->WriteAt(found.torn->offset, zeros);
  return cleared.ok() ? (*file)->Sync() : cleared;
}

}  // namespace

// Opening -----------------------------------------------------------------------------------------

Result<std::unique_ptr<FolderSink>> FolderSink::Open(const std::string& path,
                                                     const FolderOptions& options) {
  std::error_code ignored;
  const bool is_new = !std::filesystem::exists(path, ignored);
  Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(path, /*create=*/true);
  if (!folder.ok()) return folder.error();
  Result<std::unique_ptr<FolderSink>> sink = Open(folder->get(), options);
  if (!sink.ok()) return sink;
  (*sink)->own_folder_ = std::move(*folder);
  if (is_new) (*sink)->new_path_ = path;
  return sink;
}

Result<std::unique_ptr<FolderSink>> FolderSink::Open(base::Folder* folder,
                                                     const FolderOptions& options) {
  std::unique_ptr<FolderSink> sink(new FolderSink(folder, options));
  Result<std::unique_ptr<base::FolderLock>> lock = folder->Lock();
  if (!lock.ok()) return lock.error();
  sink->lock_ = std::move(*lock);
  if (const Status checked = CheckNoBackup(folder); !checked.ok()) return checked.error();
  storage::RecoverOptions how;
  how.progress = options.loading;
  Result<LoadedState> state = LoadBoards(folder, how);
  if (!state.ok()) return state.error();
  sink->state_ = std::move(*state);
  sink->keys().SetNow(options.now);
  return sink;
}

FolderSink::~FolderSink() {
  if (finished_) return;
  if (writer_ != nullptr) {
    writer_.reset();
    (void)base::RemoveIfThere(folder_, storage::kUnfinishedSnapshot).ok();
  }
  if (new_path_.empty()) return;
  lock_.reset();
  std::error_code ignored;
  std::filesystem::remove(new_path_ + "/lock", ignored);
  std::filesystem::remove(new_path_, ignored);  // fails if the folder is not empty
}

Status FolderSink::Keep(const Status& status) {
  if (!status.ok()) failure_ = status.error();
  return status;
}

// Boards ------------------------------------------------------------------------------------------

Result<std::optional<Spec>> FolderSink::Find(const std::string& board) {
  const auto written = new_boards_.find(board);
  if (written != new_boards_.end()) return std::optional(written->second);
  const engine::NamedBoard* present = replace_ ? nullptr : keys().Find(board);
  if (present == nullptr) return std::optional<Spec>();
  if (present->is_leaderboard()) return std::optional(present->spec());
  return Error{ErrorCode::kWrongType, base::Quote(board) + " is a sorted set, not a leaderboard"};
}

engine::NamedBoard* FolderSink::TakePresent(const std::string& name) {
  engine::NamedBoard* present = keys().Find(name);
  if (present == nullptr || !replace_) return present;
  keys().Drop(present);
  return nullptr;
}

Status FolderSink::Begin(const std::string& board, const Spec& spec,
                         const std::optional<std::string>& period) {
  LAUREL_ASSERT(!finished_);
  if (failure_) return *failure_;
  begun_.reset();
  const Result<std::optional<Spec>> present = Find(board);
  if (!present.ok()) return present.error();
  if (*present && **present != spec) {
    return Error{ErrorCode::kExists, base::Quote(board) +
                                         " exists with another spec: " + DescribeSpec(**present) +
                                         "; the import has " + DescribeSpec(spec)};
  }
  if (new_boards_.contains(board)) return Err(base::Quote(board) + " is written already");
  if (!*present) {
    // As LB.CREATE refuses a name or a spec.
    if (Status named = engine::CheckName(board, spec); !named.ok()) return named;
    if (Status checked = CheckDeclaration(spec); !checked.ok()) return checked;
  }
  if (leaderboard::EndsAt(spec, now_) <= now_) {
    return Err(base::Quote(board) + " has ended: END and EXPIRE have passed, so the next start " +
               "of the server would drop it");
  }
  if (!spec.periods.empty() || period) {
    const Result<Placement> placement = Placement::Make(spec, period, now_);
    if (!placement.ok()) {
      return Error{placement.error().code, base::Quote(board) + ": " + placement.error().message};
    }
  }
  begun_ = Begun{board, spec, TakePresent(board)};
  return Ok{};
}

// Writing -----------------------------------------------------------------------------------------

Status FolderSink::NeedWriter() {
  if (writer_ != nullptr) return Ok{};
  storage::Recovery& found = state_.recovery;
  // The torn tail must be cleared before the snapshot takes the number of its first record.
  // Otherwise a later start would take whole records after the tail for new ones.
  if (Status cleared = ClearTornSegment(folder_, found); !cleared.ok()) return cleared;
  if (Status tidied = storage::Tidy(folder_, &found); !tidied.ok()) return tidied;
  while (found.history == 0) found.history = base::SystemEntropy();
  const std::uint64_t epoch = storage::NextEpoch(found.epoch, base::SystemEntropy());
  auto writer = storage::SnapshotWriter::Begin(folder_, found.history, epoch, record());
  if (!writer.ok()) {
    (void)base::RemoveIfThere(folder_, storage::kUnfinishedSnapshot).ok();
    return writer.error();
  }
  writer_ = std::move(*writer);
  return Ok{};
}

std::uint64_t FolderSink::NewId() {
  engine::Catalog& catalog = keys().catalog();
  const std::uint64_t id = catalog.next_id();
  catalog.RaiseNextId(id + 1);
  return id;
}

Status FolderSink::Write(Draft* draft, const WriteProgress& progress) {
  LAUREL_ASSERT(begun_.has_value() && draft->spec() == begun_->spec);
  if (failure_) return *failure_;
  if (Status checked = CheckStamps(*draft, now_); !checked.ok()) return checked;
  if (const Status ready = NeedWriter(); !ready.ok()) return Keep(ready);
  const Status written =
      begun_->present != nullptr ? Merge(*draft, progress) : WriteNew(draft, progress);
  begun_.reset();
  return Keep(written);
}

Status FolderSink::WriteNew(Draft* draft, const WriteProgress& progress) {
  const std::uint64_t over_cap = draft->Settle(now_);
  EffectBlocks blocks([this](std::string_view effects) { return writer_->Add(effects); });
  blocks.writer().Create(NewId(), begun_->name, begun_->spec);
  const Status written = WriteBoard(begun_->name, draft->board(), progress, &blocks);
  if (written.ok()) report_.over_cap += over_cap;
  return written;
}

Status FolderSink::WriteBoard(const std::string& name, const leaderboard::Leaderboard& board,
                              const WriteProgress& progress, EffectBlocks* blocks) {
  const Result<std::uint64_t> written = WriteWalk(board, progress, blocks);
  if (!written.ok()) return written.error();
  if (Status passed = blocks->Pass(); !passed.ok()) return passed;
  new_boards_.emplace(name, board.spec());
  new_entries_ += *written;
  report_.entries += *written;
  return Ok{};
}

Status FolderSink::Merge(const Draft& draft, const WriteProgress& progress) {
  // The cap is lifted during the merge. Otherwise it could evict, after one chunk, entries that
  // belong to the best once a later chunk has made others worse.
  Spec uncapped = begun_->spec;
  uncapped.cap = 0;
  if (Status lifted = Execute(leaderboard::Alter{&uncapped}); !lifted.ok()) return lifted;
  const std::vector<std::string_view> hidden = HiddenMembers(draft);
  if (!hidden.empty()) {
    if (Status done = Execute(leaderboard::Hide{hidden}); !done.ok()) return done;
  }
  EffectBlocks blocks([&, with_meta = HasMeta(draft)](std::string_view chunk) {
    return Execute(leaderboard::Restore{chunk, with_meta});
  });
  if (Status written = WriteEntries(draft, nullptr, progress, &blocks); !written.ok())
    return written;
  const std::uint64_t uncapped_rows = begun_->present->board.all_entries();
  if (Status capped = Execute(leaderboard::Alter{&begun_->spec}); !capped.ok()) return capped;
  report_.entries += draft.size();
  report_.over_cap += uncapped_rows - begun_->present->board.all_entries();
  return Ok{};
}

Status FolderSink::Execute(const leaderboard::WriteOperation& operation) {
  leaderboard::Leaderboard& board = begun_->present->board;
  leaderboard::Decision decision;
  board.Decide(operation, {begun_->name, now_, now_}, &decision);
  if (decision.refusal()) return *decision.refusal();
  leaderboard::NoAnswer answer;
  leaderboard::Summary summary;
  board.Commit(&decision, &answer, nullptr, &summary);
  return Ok{};
}

Status FolderSink::Copy(const engine::NamedBoard& from, const std::string& name,
                        const WriteProgress& progress) {
  LAUREL_ASSERT(!finished_);
  if (failure_) return *failure_;
  if (new_boards_.contains(name) || TakePresent(name) != nullptr) {
    return Error{ErrorCode::kExists, base::Quote(name) + " is there already"};
  }
  if (Status checked = engine::CheckName(name, from.spec()); !checked.ok()) return checked;
  if (const Status ready = NeedWriter(); !ready.ok()) return Keep(ready);
  EffectBlocks blocks([this](std::string_view effects) { return writer_->Add(effects); });
  engine::WriteCreation(from, NewId(), name, &blocks.writer());
  return Keep(WriteBoard(name, from.board, progress, &blocks));
}

void FolderSink::RaiseClock(Stamp stamp) { state_.last_stamp = std::max(state_.last_stamp, stamp); }

// Finishing ---------------------------------------------------------------------------------------

Status FolderSink::Finish() {
  LAUREL_ASSERT(!finished_);
  if (failure_) return *failure_;
  // Without a writer nothing was written, and the folder stays unchanged.
  const Status published = writer_ == nullptr ? Status(Ok{}) : Publish();
  finished_ = published.ok();
  return Keep(published);
}

Status FolderSink::Publish() {
  storage::Footer footer;
  footer.started_at = footer.ended_at = record();
  footer.last_stamp = state_.last_stamp;
  footer.boards = new_boards_.size();
  footer.entries = new_entries_;
  Status done = engine::WriteAllBoards(&keys(), writer_.get(), &footer);
  footer.next_board = keys().catalog().next_id();
  if (done.ok()) done = writer_->Finish(footer);
  if (done.ok()) done = folder_->CheckPlace();
  return done.ok() ? writer_->Publish() : done;
}

}  // namespace laurel::transfer
