// The embedded engine's data folder: opening and loading it, log batches and the pipelines that
// wait for them, snapshots, backups, the change feed, and disk failures.
#include <algorithm>
#include <optional>
#include <string>
#include <system_error>

#include "base/assert.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/disk/snapshot_walk.h"
#include "engine/disk/template_note.h"
#include "engine/embedded/embedded_engine.h"
#include "engine/embedded/hold.h"
#include "engine/keyspace/digest.h"
#include "engine/limits.h"
#include "leaderboard/operation.h"
#include "wire/leaderboard_words.h"

namespace laurel::engine {
namespace {

// On a full disk removals are accepted while the log has at least this fraction (1/N) of
// fill_bytes() left.
constexpr std::uint64_t kRoomParts = 8;

std::string_view SyncModeName(storage::SyncMode mode) {
  static constexpr std::string_view kNames[] = {"always", "everysec", "off"};
  return kNames[static_cast<std::size_t>(mode)];
}

// Adds what the recovery has read, and its warnings.
void DescribeRecovery(const storage::Recovery& found, LoadReport* report) {
  report->snapshot_entries = found.footer.entries;
  report->batches = found.batches;
  report->warnings.insert(report->warnings.end(), found.warnings.begin(), found.warnings.end());
  if (!found.torn) return;
  report->warnings.push_back(found.torn->file + ": cleared " + std::to_string(found.torn->bytes) +
                             " bytes at offset " + std::to_string(found.torn->offset) +
                             ": record " + std::to_string(found.torn->record) +
                             " was being written when the server ended");
}

Error NoChanges() {
  return {ErrorCode::kErr, "changes are read from the log, and boards are in memory only"};
}

}  // namespace

// Opening --------------------------------------------------------------------------------------

Status EmbeddedEngine::Open() {
  if (!loading_) return Ok{};
  if (folder_ == nullptr) {
    Result<std::unique_ptr<base::Folder>> opened = base::OpenFolder(options_.data, true);
    if (!opened.ok()) return opened.error();
    own_folder_ = std::move(*opened);
    folder_ = own_folder_.get();
  }
  Result<std::unique_ptr<base::FolderLock>> taken = folder_->Lock();
  if (!taken.ok()) return taken.error();
  folder_lock_ = std::move(*taken);
  loading_since_us_ = SystemNow();
  return Ok{};
}

Result<LoadReport> EmbeddedEngine::Load(const LoadProgress& progress) {
  LoadReport report;
  if (loading_) {
    try {
      const Status loaded = LoadFolder(progress, &report);
      if (!loaded.ok()) return loaded.error();
    } catch (const std::system_error& error) {  // the log, the feed and the keeper start threads
      return Error{ErrorCode::kErr, "cannot start a thread: " + error.code().message()};
    }
  }
  for (const Template& declared : keys_.templates().all()) {
    report.templates.push_back(declared.pattern);
  }
  loading_.store(false, std::memory_order_release);
  return report;
}

Status EmbeddedEngine::LoadFolder(const LoadProgress& progress, LoadReport* report) {
  const std::int64_t began_us = base::MonotonicMicros();
  Restorer restorer(&keys_);
  Result<storage::Recovery> found = Restore(progress, &restorer);
  if (!found.ok()) return found.error();
  const Result<storage::LogStart> start = PrepareLog(&*found);
  if (!start.ok()) return start.error();
  epoch_ = start->epoch;
  parked_ = std::make_unique<ParkedPipelines>(found->last);
  Result<std::unique_ptr<storage::Log>> log =
      storage::Log::Open(folder_, options_.log, *start, this);
  if (!log.ok()) return log.error();
  stamps_ = StampClock(restorer.last_stamp());
  // The templates configured for this start override templates of the same pattern in the log.
  for (const Template& declared : options_.templates) keys_.SetTemplate(declared);
  NoteTemplates(&report->warnings);
  BeginLogging(std::move(*log), *found, start->history);
  DescribeRecovery(*found, report);
  report->boards = keys_.boards();
  report->micros = base::MonotonicMicros() - began_us;
  return Ok{};
}

Result<storage::Recovery> EmbeddedEngine::Restore(const LoadProgress& progress,
                                                  Restorer* restorer) {
  storage::RecoverOptions how;
  how.progress = [&](const storage::Progress& at) {
    loaded_bytes_ = at.done_bytes;
    loading_bytes_ = at.total_bytes;
    return !progress || progress(at.done_bytes, at.total_bytes);
  };
  Result<storage::Recovery> found = storage::Recover(folder_, restorer, how);
  if (!found.ok()) return found;
  if (const Status finished = restorer->Finish(); !finished.ok()) {
    return Error{ErrorCode::kErr, folder_->path() + ": " + finished.error().message};
  }
  return found;
}

Result<storage::LogStart> EmbeddedEngine::PrepareLog(storage::Recovery* found) {
  storage::LogStart start;
  if (const Status tidied = storage::Tidy(folder_, found); !tidied.ok()) {
    if (tidied.error().code != ErrorCode::kNoSpace) return tidied.error();
    // The disk is full: the log tidies the folder before its first segment, when there is room.
    // Until then reads are served.
    start.before = [this, recovery = *found]() mutable {
      return storage::Tidy(folder_, &recovery);
    };
  }
  start.history = found->history;
  start.is_new = found->history == 0;
  while (start.history == 0) start.history = base::SystemEntropy();
  start.epoch = storage::NextEpoch(found->epoch, base::SystemEntropy());
  start.next = found->last + 1;
  start.segments = found->segments;
  return start;
}

void EmbeddedEngine::BeginLogging(std::unique_ptr<storage::Log> log, const storage::Recovery& found,
                                  std::uint64_t history) {
  keys_.journal().Enable();
  keys_.SetLogPosition({epoch_, found.last});
  {
    const base::FairLockGuard lock(lock_);
    log_ = std::move(log);
  }
  feed_ = std::make_unique<ChangeFeed>(folder_, log_.get(), options_.log.sync);
  feed_for_log_.store(feed_.get(), std::memory_order_release);
  keeper_.reset(new Keeper(folder_, log_.get(), options_.keeper, found, history, epoch_, this));
  keeper_for_log_.store(keeper_.get(), std::memory_order_release);
  backups_ = std::make_unique<Backups>(folder_, log_.get(), keeper_.get());
}

void EmbeddedEngine::NoteTemplates(std::vector<std::string>* warnings) {
  std::vector<std::string> given;
  for (const Template& declared : options_.templates) given.push_back(declared.pattern);
  const Result<std::vector<std::string>> missing = UpdateTemplateNote(folder_, given);
  if (!missing.ok()) {
    warnings->push_back(missing.error().message);
    return;
  }
  for (const std::string& pattern : *missing) {
    warnings->push_back("the last start had --template " + base::Quote(pattern) +
                        ", this one has not: new keys under it are sorted sets now");
  }
}

void EmbeddedEngine::Close(bool snapshot) {
  live_.Stop();
  if (keeper_) keeper_->Stop(snapshot);
  backups_.reset();
  if (feed_) feed_->Stop();
  log_.reset();  // until then its thread calls the feed and the keeper
  keeper_for_log_ = nullptr;
  keeper_.reset();
  feed_for_log_ = nullptr;
  feed_.reset();
}

// Batches --------------------------------------------------------------------------------------

bool EmbeddedEngine::CanRemove() const {
  if (CanWrite()) return true;
  return log_->state() == storage::Log::State::kFull &&
         log_->room() >= log_->fill_bytes() / kRoomParts;
}

bool EmbeddedEngine::RefusesForDisk(const Request& request) const {
  if (keys_.frozen() || !CanRemove()) return true;
  return !CanWrite() && request.Has(wire::kDenyOom) && !AbortsLoad(request);
}

Error EmbeddedEngine::DiskError(const Client& client) const {
  const bool is_full = log_->state() == storage::Log::State::kFull;
  const std::string_view state =
      is_full ? "the disk is full, so Laurel takes only what removes until there is room: "
              : "Laurel cannot write to disk, so it takes no writes until it can: ";
  return {ErrorCode::kMisconf, std::string(state) + client.access.Shown(log_->trouble())};
}

void EmbeddedEngine::DoneOrPark(Pipeline* pipeline) {
  const bool waits = WaitsForDisk() && pipeline->unconfirmed.count > 0;
  waits ? finished_.push_back(pipeline) : pipeline->Done();
}

void EmbeddedEngine::Seal() {
  if (!has_log()) return;
  Journal& journal = keys_.journal();
  std::uint64_t number = log_->appended();
  if (!journal.empty()) {
    number = log_->Append(journal.Finish(stamps_.last()));
    feed_->OnBatch(journal.boards(), number);
    NoteNames(journal, number);
    journal.Reset();
    keys_.SetLogPosition({epoch_, number});
  }
  if (finished_.empty()) return;
  const std::int64_t now_us = base::MonotonicMicros();
  for (Pipeline* pipeline : finished_) parked_->Park(pipeline, number, now_us);
  finished_.clear();
}

void EmbeddedEngine::NoteNames(const Journal& journal, std::uint64_t record) {
  const std::uint64_t durable = log_->durable();
  const auto is_durable = [durable](const auto& named) { return named.second <= durable; };
  if (!renames_.empty()) std::erase_if(renames_, is_durable);
  if (!publications_.empty()) std::erase_if(publications_, is_durable);
  while (!creations_.empty() && creations_.front().first <= durable) creations_.pop_front();
  for (const std::uint64_t board : journal.renamed()) renames_[board] = record;
  for (const std::uint64_t board : journal.published()) publications_[board] = record;
  if (journal.created()) creations_.emplace_back(record, *journal.created());
}

std::uint64_t EmbeddedEngine::CreationOf(std::uint64_t board) const {
  const auto published = publications_.find(board);
  if (published != publications_.end()) return published->second;
  const auto created = std::lower_bound(
      creations_.begin(), creations_.end(), board,
      [](const auto& creation, std::uint64_t id) { return creation.second.highest < id; });
  const bool is_here = created != creations_.end() && created->second.lowest <= board;
  return is_here ? created->first : 0;
}

void EmbeddedEngine::OnDurable(std::uint64_t number) {
  parked_->Release(number);
  if (ChangeFeed* feed = feed_for_log_.load(std::memory_order_acquire)) feed->OnDurable(number);
  live_.OnDurable();
}

void EmbeddedEngine::OnBroken(const Error& error) {
  callbacks_->Notice(ServerCallbacks::NoticeLevel::kError,
                     error.message + ": writes are refused until the disk works again");
  parked_->Fail(error.message);
}

bool EmbeddedEngine::MakeRoom() {
  Keeper* keeper = keeper_for_log_.load(std::memory_order_acquire);
  return keeper != nullptr && keeper->DropDispensableFiles();
}

void EmbeddedEngine::OnMended(std::uint64_t number) {
  parked_->Mend(number);
  if (ChangeFeed* feed = feed_for_log_.load(std::memory_order_acquire)) feed->OnDurable(number);
  live_.OnDurable();
}

std::uint64_t EmbeddedEngine::UnderLock(const std::function<void(Keyspace*)>& look) {
  const Hold hold(this);
  look(&keys_);
  Seal();
  return has_log() ? log_->appended() : 0;
}

bool EmbeddedEngine::MayPublish(std::uint64_t number) const {
  return !has_log() || options_.log.sync != storage::SyncMode::kAlways || log_->durable() >= number;
}

void EmbeddedEngine::OnTrouble(const std::string& what) {
  callbacks_->Notice(ServerCallbacks::NoticeLevel::kError, what);
}

void EmbeddedEngine::OnWarning(const std::string& what) {
  callbacks_->Notice(ServerCallbacks::NoticeLevel::kWarning, what);
}

void EmbeddedEngine::OnNews(const std::string& what) {
  callbacks_->Notice(ServerCallbacks::NoticeLevel::kInfo, what);
}

// Snapshots ------------------------------------------------------------------------------------

bool EmbeddedEngine::Save(Pipeline* pipeline, const Request& request, wire::Reply& reply) {
  if (!has_log()) {
    reply.Error(kInMemory);
    return false;
  }
  keeper_->Request([pipeline, protocol = request.protocol](const Status& status) {
    wire::Reply later(&pipeline->replies, protocol);
    status.ok() ? later.Ok() : later.Error("ERR " + status.error().message);
    pipeline->Done();
  });
  return true;
}

bool EmbeddedEngine::BackgroundSave(Pipeline* /*pipeline*/, const Request& request,
                                    wire::Reply& reply) {
  const auto arguments = request.arguments;
  const bool schedule = arguments.size() == 2 && base::IsWord(arguments[1], "SCHEDULE");
  if (!has_log()) {
    reply.Error(kInMemory);
  } else if (request.command->id == wire::CommandId::kBgRewriteAof) {
    keeper_->Request();
    reply.Simple("Background append only file rewriting started");
  } else if (arguments.size() > 1 && !schedule) {
    reply.Error(wire::kSyntaxError);
  } else if (!keeper_->figures().snapshot_runs) {
    keeper_->Request();
    reply.Simple("Background saving started");
  } else if (schedule) {
    keeper_->Request();
    reply.Simple("Background saving scheduled");
  } else {
    reply.Error("ERR Background save already in progress");
  }
  return false;
}

bool EmbeddedEngine::Backup(Pipeline* pipeline, const Request& request, wire::Reply& reply) {
  if (!has_log()) {
    reply.Error(kInMemory);
    return false;
  }
  switch (request.command->id) {
    case wire::CommandId::kLbBackupStart:
      backups_->Start(pipeline, request.protocol);
      return true;
    case wire::CommandId::kLbBackupRead:
      backups_->Read(pipeline, request);
      return true;
    default:
      backups_->End(request, reply);
      return false;
  }
}

Status EmbeddedEngine::FindFollowed(std::string_view name, ChangesRequest* wanted) {
  const wire::WaysOut& ways = wire::WaysOutOf(wanted->answer);
  const std::string_view bare = keys_.OwnerOf(name);
  const NamedBoard* named = keys_.Find(bare);
  wanted->name = bare;
  if (named == nullptr) return Ok{};
  if (!named->is_leaderboard()) return SortedSetError(*named, ways);
  wanted->board = named->id;
  wanted->spec = named->spec();
  if (bare == name) return Ok{};
  const Keyspace::View view = keys_.ViewOf(name);
  if (!view) return keys_.NoBoard(name, ways);
  wanted->filter.period = view.span->period;
  if (name.find(':', bare.size()) != std::string_view::npos) {
    wanted->filter.begin_s = leaderboard::BeginSeconds(*view.span);
  }
  return Ok{};
}

bool EmbeddedEngine::Changes(Pipeline* pipeline, const Request& request, wire::Reply& reply) {
  const auto arguments = request.arguments;
  // An error about the board names the argument itself.
  const auto refuse = [&](const Error& error, std::size_t word = wire::kNoWord) {
    reply.Error(error, error.code == ErrorCode::kNoBoard ? 1 : word);
    return false;
  };
  if (!has_log()) return refuse(NoChanges());
  std::string name(arguments[1]);
  const std::string_view bare = keys_.OwnerOf(arguments[1]);
  std::optional<leaderboard::InstanceSelector> named;
  if (bare != name) named = leaderboard::ParseSelector(arguments[1].substr(bare.size() + 1));
  wire::ChangesArguments asked;
  const Status parsed = wire::ParseChanges(arguments, named, &asked, request.beside);
  if (!parsed.ok()) return refuse(parsed.error(), asked.failed_word);
  ChangesRequest wanted;
  wanted.pipeline = pipeline;
  wanted.protocol = request.protocol;
  wanted.answer = request.answer;
  const wire::WaysOut& ways = wire::WaysOutOf(wanted.answer);
  if (wanted.answer != nullptr) {
    wanted.events = wanted.answer->NewEvents();
    wanted.max_bytes = std::min(wanted.max_bytes, wanted.answer->MaxEventBytes());
  } else {
    wanted.events = std::make_unique<wire::RespEvents>(wanted.protocol);
  }
  wanted.access = pipeline->client()->access;
  wanted.count = asked.count;
  wanted.waits = asked.block_ms.has_value();
  wanted.filter.member = asked.member;
  wanted.from = asked.from;
  wanted.last = asked.last;
  if (wanted.from == ChangesRequest::From::kCursor) {
    const Result<FeedCursor> cursor = ParseCursor(asked.cursor);
    if (!cursor.ok()) return refuse(cursor.error(), 2);
    wanted.cursor = *cursor;
  }
  if (asked.instance && !named) {  // given by the option PERIOD
    name += "@" + std::string(asked.instance->text);
    if (keys_.OwnerOf(name) == name) return refuse(keys_.NoBoard(name, ways));
  }
  const Status found = FindFollowed(name, &wanted);
  if (!found.ok()) return refuse(found.error());
  if (wanted.board == 0 && wanted.from != ChangesRequest::From::kCursor) {
    return refuse(keys_.NoBoard(name, ways));
  }
  Seal();  // notes the boards that got their names in this hold
  if (const auto renamed = renames_.find(wanted.board); renamed != renames_.end()) {
    wanted.renamed_at = {epoch_, renamed->second};
  }
  wanted.created_at = CreationOf(wanted.board);
  if (wanted.waits) pipeline->Blocked(DeadlineOf(now_, *asked.block_ms));
  feed_->Ask(std::move(wanted));
  return true;
}

std::uint64_t EmbeddedEngine::BeginSnapshot() {
  const Hold hold(this);
  Seal();
  walk_.emplace(&keys_);
  walk_begins_ = true;
  return log_->appended();
}

bool EmbeddedEngine::SnapshotSlice(std::string* effects, std::vector<std::size_t>* ends,
                                   storage::Footer* footer, std::uint64_t* estimate) {
  const Hold hold(this);
  Seal();
  if (std::exchange(walk_begins_, false)) {
    WriteTemplates(keys_, effects);
  }
  const bool more = walk_->Next(kSliceEntries, effects, ends);
  footer->entries = walk_->entries_visited();
  *estimate = walk_->EstimateEntries();
  if (more) return true;
  footer->ended_at = log_->appended();
  footer->next_board = keys_.catalog().next_id();
  footer->last_stamp = stamps_.last();
  footer->boards = walk_->boards_visited();
  return false;
}

void EmbeddedEngine::EndSnapshot() {
  const Hold hold(this);
  walk_.reset();
}

std::uint64_t EmbeddedEngine::BoardBytes() {
  const Hold hold(this);
  return memory_.bytes_in_use();
}

std::int64_t EmbeddedEngine::SavedAt() const {
  return !loading_ && keeper_ ? keeper_->figures().snapshot_at_us : 0;
}

std::uint64_t EmbeddedEngine::Digest() {
  const Hold hold(this);
  return DigestOf(&keys_).value;
}

// Figures --------------------------------------------------------------------------------------

Persistence EmbeddedEngine::MeasurePersistence() const {
  Persistence figures;
  if (folder_ == nullptr) return figures;
  figures.durable = true;
  figures.folder = folder_->path();
  figures.fsync = SyncModeName(options_.log.sync);
  figures.loading = loading_;
  if (figures.loading) {
    figures.loaded_bytes = loaded_bytes_;
    figures.loading_bytes = loading_bytes_;
    figures.loading_since_us = loading_since_us_;
    return figures;
  }
  if (!CanWrite()) figures.trouble = log_->trouble();
  figures.takes_removals = log_->state() == storage::Log::State::kFull;
  figures.epoch = epoch_;
  figures.parked_pipelines = parked_->size();
  figures.disk_waits = parked_->waits();
  figures.log = log_->figures();
  figures.keeper = keeper_->figures();
  return figures;
}

}  // namespace laurel::engine
