#include "engine/disk/backups.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "base/integer.h"
#include "base/text.h"
#include "base/thread.h"
#include "storage/format.h"
#include "wire/error_texts.h"

namespace laurel::engine {
namespace {

constexpr std::int64_t kLeastWaitUs = 1000;

void Answer(Pipeline* pipeline, wire::Protocol protocol,
            const std::function<void(wire::Reply&)>& write) {
  wire::Reply reply(&pipeline->replies, protocol);
  write(reply);
  pipeline->Done();
}

void AnswerError(Pipeline* pipeline, wire::Protocol protocol, const std::string& line) {
  Answer(pipeline, protocol, [&](wire::Reply& reply) { reply.Error(line); });
}

}  // namespace

Backups::~Backups() {
  {
    const base::MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyOne();
  if (reader_.joinable()) reader_.join();
}

// Starting -------------------------------------------------------------------------------------

void Backups::Start(Pipeline* pipeline, wire::Protocol protocol) {
  std::uint64_t id = 0;
  {
    const base::MutexLock lock(mutex_);
    const std::int64_t now_us = base::MonotonicMicros();
    EndIfIdle(now_us);
    if (!reader_.joinable()) {
      Result<std::thread> started = base::StartThread([this] { Run(); });
      if (!started.ok()) return AnswerError(pipeline, protocol, started.error().ToString());
      reader_ = std::move(*started);
    }
    if (!backup_) {
      id = ++last_id_;
      backup_ = Backup();
      backup_->id = id;
      backup_->client = pipeline->client();
      backup_->used_us = now_us;
    }
  }
  if (id == 0) {
    return AnswerError(pipeline, protocol,
                       "BUSY another backup is under way; it ends with its connection, or a minute "
                       "after its last read");
  }
  // A snapshot that begins from now on holds everything written so far.
  keeper_->Request(
      [this, id, at_least = log_->appended(), pipeline, protocol](const Status& status) {
        OnSnapshot(id, at_least, status, pipeline, protocol);
      });
}

void Backups::OnSnapshot(std::uint64_t id, std::uint64_t at_least, const Status& status,
                         Pipeline* pipeline, wire::Protocol protocol) {
  Result<Backup> opened = status.ok() ? Open(at_least) : Result<Backup>(status.error());
  std::optional<Error> failure;
  Backup started;
  {
    const base::MutexLock lock(mutex_);
    const bool wanted = backup_ && backup_->id == id;
    if (!opened.ok()) {
      failure = opened.error();
      if (wanted) backup_.reset();
    } else if (!wanted) {
      failure = Err("the backup was ended");
    } else {
      LAUREL_ASSERT(!opened->files.empty());  // Find takes a backup without files for unfinished
      opened->id = id;
      opened->client = backup_->client;
      opened->used_us = base::MonotonicMicros();
      started = *opened;
      backup_ = std::move(*opened);
    }
  }
  if (failure) return AnswerError(pipeline, protocol, "ERR " + failure->message);
  changed_.NotifyOne();
  Answer(pipeline, protocol, [&](wire::Reply& reply) {
    reply.Map(4);
    reply.Pair("id", started.id);
    reply.Pair("record", started.record);
    reply.Pair("snapshot-began-at", started.started_at);
    reply.Bulk("files");
    reply.Array(started.files.size());
    for (const BackupFile& file_part : started.files) {
      reply.Map(2);
      reply.Pair("name", file_part.name);
      reply.Pair("bytes", file_part.bytes);
    }
  });
}

Result<Backups::BackupFile> Backups::OpenFile(const std::string& name, std::uint64_t bytes) {
  Result<std::unique_ptr<base::File>> file = folder_->Open(name, base::Folder::Mode::kRead);
  if (!file.ok()) return file.error();
  BackupFile file_part{name, bytes, std::move(*file)};
  if (bytes > 0) return file_part;
  const Result<std::uint64_t> size = file_part.file->Size();
  if (!size.ok()) return size.error();
  file_part.bytes = *size;
  return file_part;
}

Result<Backups::Backup> Backups::Open(std::uint64_t at_least) {
  Backup backup;
  backup.record = keeper_->figures().snapshot_record;
  Result<BackupFile> snapshot = OpenFile(storage::SnapshotName(backup.record), 0);
  if (!snapshot.ok()) return snapshot.error();
  std::string head(storage::kFileHeaderBytes, '\0');
  const Result<std::size_t> read = snapshot->file->ReadAt(0, head.data(), head.size());
  if (!read.ok()) return read.error();
  const Result<storage::FileHeader> header =
      storage::ParseFileHeader(head, storage::FileKind::kSnapshot);
  if (!header.ok()) return Err(folder_->path(snapshot->name) + ": " + header.error().message);
  backup.started_at = header->first;
  // The keeper may have handled a full disk instead of taking a snapshot.
  if (backup.started_at < at_least) return Err("no snapshot was taken: try again");
  backup.files.push_back(std::move(*snapshot));
  if (backup.started_at == backup.record) return backup;
  const std::vector<storage::Segment> segments = log_->segments();
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const bool ends_before =
        i + 1 < segments.size() && segments[i + 1].first <= backup.started_at + 1;
    if (ends_before || segments[i].first > backup.record) continue;
    Result<BackupFile> file_part =
        OpenFile(storage::SegmentName(segments[i].first), segments[i].bytes);
    if (!file_part.ok()) return file_part.error();
    backup.files.push_back(std::move(*file_part));
  }
  return backup;
}

// Reading --------------------------------------------------------------------------------------

Result<Backups::Backup*> Backups::Find(std::string_view id) {
  std::int64_t number = 0;
  EndIfIdle(base::MonotonicMicros());
  if (!base::ParseInteger(id, &number) || !backup_ || backup_->files.empty() ||
      backup_->id != static_cast<std::uint64_t>(number)) {
    return Err("there is no backup " + base::Quote(id) + ", or it has ended");
  }
  return &*backup_;
}

void Backups::Read(Pipeline* pipeline, const Request& request) {
  const auto arguments = request.arguments;
  const wire::Protocol protocol = request.protocol;
  const std::string_view name = arguments[3];
  std::int64_t offset = 0;
  std::int64_t count = 0;
  if (!base::ParseInteger(arguments[4], &offset) || !base::ParseInteger(arguments[5], &count)) {
    return AnswerError(pipeline, protocol, std::string(wire::kNotInteger));
  }
  if (offset < 0 || count < 1 || count > kMaxBackupReadBytes) {
    return AnswerError(
        pipeline, protocol,
        "ERR offset must be at least 0, count from 1 to " + std::to_string(kMaxBackupReadBytes));
  }
  std::string refusal;
  {
    const base::MutexLock lock(mutex_);
    const Result<Backup*> backup = Find(arguments[2]);
    const BackupFile* file_part = nullptr;
    if (!backup.ok()) {
      refusal = backup.error().ToString();
    } else {
      for (const BackupFile& one : (*backup)->files) {
        if (one.name == name) file_part = &one;
      }
      if (file_part == nullptr) refusal = "ERR the backup has no file " + base::Quote(name);
    }
    if (file_part != nullptr) {
      (*backup)->used_us = base::MonotonicMicros();
      const std::uint64_t from = std::min(static_cast<std::uint64_t>(offset), file_part->bytes);
      const std::uint64_t bytes =
          std::min(static_cast<std::uint64_t>(count), file_part->bytes - from);
      reads_.emplace_back([pipeline, protocol, file = file_part->file, from, bytes] {
        std::string text(bytes, '\0');
        const Result<std::size_t> read = file->ReadAt(from, text.data(), text.size());
        if (!read.ok()) return AnswerError(pipeline, protocol, read.error().ToString());
        text.resize(*read);
        Answer(pipeline, protocol, [&](wire::Reply& reply) { reply.Bulk(text); });
      });
    }
  }
  if (!refusal.empty()) return AnswerError(pipeline, protocol, refusal);
  changed_.NotifyOne();
}

void Backups::AwaitRead() {
  if (!backup_) {
    while (!stop_ && reads_.empty() && !backup_) changed_.Wait(mutex_);
    return;
  }
  const std::int64_t now_us = base::MonotonicMicros();
  const std::int64_t left_us =
      backup_->files.empty() ? kBackupIdleUs : backup_->used_us + kBackupIdleUs - now_us;
  const std::int64_t until_us = now_us + std::max(left_us, kLeastWaitUs);
  while (!stop_ && reads_.empty() && changed_.WaitUntil(mutex_, until_us)) continue;
}

void Backups::Run() {
  base::MutexLock lock(mutex_);
  while (!stop_ || !reads_.empty()) {
    if (reads_.empty()) {
      EndIfIdle(base::MonotonicMicros());
      AwaitRead();
      continue;
    }
    const std::function<void()> read = std::move(reads_.front());
    reads_.pop_front();
    lock.Unlock();
    read();
    lock.Lock();
  }
}

// Ending ---------------------------------------------------------------------------------------

// A backup whose snapshot is still being taken is not idle.
void Backups::EndIfIdle(std::int64_t now_us) {
  if (backup_ && !backup_->files.empty() && now_us - backup_->used_us >= kBackupIdleUs) {
    backup_.reset();
  }
}

void Backups::End(const Request& request, wire::Reply& reply) {
  const base::MutexLock lock(mutex_);
  const Result<Backup*> backup = Find(request.arguments[2]);
  if (!backup.ok()) return reply.Error(backup.error());
  backup_.reset();
  reply.Ok();
}

void Backups::Forget(const Client* client) {
  const base::MutexLock lock(mutex_);
  if (backup_ && backup_->client == client) backup_.reset();
}

}  // namespace laurel::engine
