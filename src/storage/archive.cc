#include "storage/archive.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/bytes.h"
#include "base/crc32c.h"
#include "storage/format.h"

namespace laurel::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchiveMagic = "LaurelBk";
constexpr std::string_view kTrailerMagic = "LaurelBe";
constexpr std::size_t kTrailerBytes = 24;
static_assert(kTrailerBytes == 2 * sizeof(std::uint64_t) + kTrailerMagic.size());
constexpr std::string_view kUnfinished = ".unfinished";
constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{64} << 20;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

// A folder and the name of a file in it.
struct FileInFolder {
  std::string folder;
  std::string name;
};

FileInFolder SplitPath(const std::string& path) {
  const fs::path whole(path);
  const std::string folder = whole.parent_path().string();
  return {folder.empty() ? "." : folder, whole.filename().string()};
}

// Writing --------------------------------------------------------------------------------------

class FolderWriter : public ArchiveWriter {
 public:
  // `is_new`: the folder was created for this backup and is removed with an unfinished one.
  FolderWriter(std::unique_ptr<base::Folder> folder, bool is_new)
      : folder_(std::move(folder)), is_new_(is_new) {}
  ~FolderWriter() override {
    if (finished_) return;
    for (const std::string& name : made_) (void)folder_->Remove(name).ok();
    std::error_code ignored;
    if (is_new_) fs::remove(folder_->path(), ignored);
  }

 protected:
  Status Open(const std::string& name) override {
    Result<std::unique_ptr<base::File>> file = folder_->Open(name, base::Folder::Mode::kCreate);
    if (!file.ok()) return file.error();
    file_ = std::move(*file);
    made_.push_back(name);
    end_ = 0;
    return Ok{};
  }
  Status Write(std::string_view bytes) override {
    const Status written = file_->WriteAt(end_, bytes);
    end_ += bytes.size();
    return written;
  }
  // Makes the name durable too, so that files become durable in order: a log without its snapshot
  // could pass for an older state.
  Status Close() override {
    const Status synced = file_->Sync();
    return synced.ok() ? folder_->Sync() : synced;
  }
  Status Seal(std::string_view manifest) override {
    const std::string name = std::string(kManifestName) + std::string(kUnfinished);
    Status done = Open(name);
    if (done.ok()) done = Write(manifest);
    if (done.ok()) done = file_->Sync();
    if (done.ok()) done = folder_->Rename(name, kManifestName);
    if (done.ok()) done = folder_->Sync();
    finished_ = done.ok();
    return done;
  }

 private:
  std::unique_ptr<base::Folder> folder_;
  std::unique_ptr<base::File> file_;
  bool is_new_;
  std::uint64_t end_ = 0;
  std::vector<std::string> made_;
  bool finished_ = false;
};

class FileWriter : public ArchiveWriter {
 public:
  FileWriter(std::unique_ptr<base::Folder> folder, std::unique_ptr<base::File> file,
             std::string name)
      : folder_(std::move(folder)), file_(std::move(file)), name_(std::move(name)) {}
  ~FileWriter() override {
    if (!finished_) (void)folder_->Remove(name_ + std::string(kUnfinished)).ok();
  }

 protected:
  Status Open(const std::string&) override {
    return end_ == 0 ? Write(kArchiveMagic) : Status(Ok{});
  }
  Status Write(std::string_view bytes) override {
    const Status written = file_->WriteAt(end_, bytes);
    end_ += bytes.size();
    return written;
  }
  Status Close() override { return file_->Sync(); }
  Status Seal(std::string_view manifest) override {
    char numbers[16];
    base::Store(numbers, end_);
    base::Store(numbers + 8, std::uint64_t{manifest.size()});
    Status done = Write(manifest);
    if (done.ok()) done = Write({numbers, sizeof(numbers)});
    if (done.ok()) done = Write(kTrailerMagic);
    if (done.ok()) done = file_->Sync();
    if (done.ok()) done = folder_->Rename(name_ + std::string(kUnfinished), name_);
    if (done.ok()) done = folder_->Sync();
    finished_ = done.ok();
    return done;
  }

 private:
  std::unique_ptr<base::Folder> folder_;
  std::unique_ptr<base::File> file_;
  std::string name_;
  std::uint64_t end_ = 0;
  bool finished_ = false;
};

// Reading --------------------------------------------------------------------------------------

// A range of a file, read only.
class FileRange : public base::File {
 public:
  FileRange(std::shared_ptr<base::File> file, std::uint64_t begin, std::uint64_t bytes)
      : file_(std::move(file)), begin_(begin), bytes_(bytes) {}

  Result<std::size_t> ReadAt(std::uint64_t offset, char* to, std::size_t bytes) override {
    if (offset >= bytes_) return std::size_t{0};
    return file_->ReadAt(begin_ + offset, to, std::min<std::uint64_t>(bytes, bytes_ - offset));
  }
  Status WriteAt(std::uint64_t, std::string_view) override { return Err("read only"); }
  Status Sync() override { return Err("read only"); }
  Status Truncate(std::uint64_t) override { return Err("read only"); }
  Result<std::uint64_t> Size() override { return bytes_; }

 private:
  std::shared_ptr<base::File> file_;
  std::uint64_t begin_;
  std::uint64_t bytes_;
};

// The files inside a one-file backup, as a folder.
class ArchiveFolder : public base::Folder {
 public:
  ArchiveFolder(std::string path, std::shared_ptr<base::File> file, const Manifest& manifest)
      : path_(std::move(path)), file_(std::move(file)), files_(manifest.files) {}

  [[nodiscard]] std::string path(std::string_view name) const override {
    return name.empty() ? path_ : path_ + ": " + std::string(name);
  }
  Result<std::unique_ptr<base::File>> Open(std::string_view name, Mode mode) override {
    std::uint64_t at = kArchiveMagic.size();
    for (const Manifest::File& file : files_) {
      if (file.name == name && mode == Mode::kRead) {
        return std::unique_ptr<base::File>(std::make_unique<FileRange>(file_, at, file.bytes));
      }
      at += file.bytes;
    }
    return Err("cannot open " + path(name));
  }
  Result<std::vector<std::string>> List() override {
    std::vector<std::string> names;
    for (const Manifest::File& file : files_) names.push_back(file.name);
    std::sort(names.begin(), names.end());
    return names;
  }
  Status Remove(std::string_view) override { return Err("read only"); }
  Status Rename(std::string_view, std::string_view) override { return Err("read only"); }
  Status Sync() override { return Err("read only"); }
  Result<std::unique_ptr<base::FolderLock>> Lock() override { return Err("read only"); }

 private:
  std::string path_;
  std::shared_ptr<base::File> file_;
  std::vector<Manifest::File> files_;
};

Result<Archive> OpenFile(const std::string& path) {
  const FileInFolder place = SplitPath(path);
  const Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(place.folder, false);
  if (!folder.ok()) return folder.error();
  Result<std::unique_ptr<base::File>> opened =
      (*folder)->Open(place.name, base::Folder::Mode::kRead);
  if (!opened.ok()) return opened.error();
  const std::shared_ptr<base::File> file = std::move(*opened);
  const Result<std::uint64_t> size = file->Size();
  if (!size.ok()) return size.error();
  const Result<std::string> head = base::ReadBytes(file.get(), 0, kArchiveMagic.size());
  if (!head.ok()) return head.error();
  if (*head != kArchiveMagic) return Err(path + " is no backup: it does not begin as one does");
  const std::uint64_t least = kArchiveMagic.size() + kTrailerBytes;
  const Result<std::string> trailer =
      base::ReadBytes(file.get(), std::max(*size, least) - kTrailerBytes, kTrailerBytes);
  if (!trailer.ok()) return trailer.error();
  if (trailer->size() != kTrailerBytes || !trailer->ends_with(kTrailerMagic)) {
    return Err(path + " is not whole: its end is missing");
  }
  const auto at = base::Load<std::uint64_t>(trailer->data());
  const auto bytes = base::Load<std::uint64_t>(trailer->data() + 8);
  if (bytes > kMaxManifestBytes || at > *size || at + bytes + kTrailerBytes != *size) {
    return Err(path + " is damaged: its end does not fit its size");
  }
  const Result<std::string> text = base::ReadBytes(file.get(), at, bytes);
  if (!text.ok()) return text.error();
  Result<Manifest> manifest = ParseManifest(*text);
  if (!manifest.ok()) return Err(path + " is damaged: " + manifest.error().message);
  if (kArchiveMagic.size() + manifest->bytes() != at) {
    return Err(path + " is damaged: its files do not fill it");
  }
  Archive archive;
  archive.folder = std::make_unique<ArchiveFolder>(path, file, *manifest);
  archive.manifest = std::move(*manifest);
  return archive;
}

Result<Archive> OpenBackupFolder(const std::string& path) {
  Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(path, false);
  if (!folder.ok()) return folder.error();
  const Result<std::unique_ptr<base::File>> file =
      (*folder)->Open(kManifestName, base::Folder::Mode::kRead);
  if (!file.ok()) {
    return Err(path + " is no backup, or not a finished one: it has no file '" +
               std::string(kManifestName) + "'");
  }
  const Result<std::uint64_t> size = (*file)->Size();
  if (!size.ok()) return size.error();
  if (*size > kMaxManifestBytes) return Err((*folder)->path(kManifestName) + " is too large");
  const Result<std::string> text = base::ReadBytes(file->get(), 0, *size);
  if (!text.ok()) return text.error();
  Result<Manifest> manifest = ParseManifest(*text);
  if (!manifest.ok()) {
    return Err((*folder)->path(kManifestName) + ": " + manifest.error().message);
  }
  return Archive{std::move(*folder), std::move(*manifest)};
}

}  // namespace

// ArchiveWriter --------------------------------------------------------------------------------

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::Begin(const std::string& path) {
  std::error_code ignored;
  if (path.ends_with(kArchiveEnding)) {
    if (fs::exists(path, ignored)) return Err(path + " is there already");
    const FileInFolder place = SplitPath(path);
    Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(place.folder, false);
    if (!folder.ok()) return folder.error();
    const std::string unfinished = place.name + std::string(kUnfinished);
    (void)(*folder)->Remove(unfinished).ok();  // left by an interrupted backup
    Result<std::unique_ptr<base::File>> file =
        (*folder)->Open(unfinished, base::Folder::Mode::kCreate);
    if (!file.ok()) return file.error();
    return std::unique_ptr<ArchiveWriter>(
        std::make_unique<FileWriter>(std::move(*folder), std::move(*file), place.name));
  }
  const bool is_new = !fs::exists(path, ignored);
  if (!is_new) {
    if (!fs::is_directory(path, ignored)) {
      return Err(path +
                 " is there already, and is no folder; a backup of one file has a name "
                 "that ends in " +
                 std::string(kArchiveEnding));
    }
    const fs::directory_iterator entries(path, ignored);
    if (entries != fs::directory_iterator()) {
      return Err(path + " is not empty: " + entries->path().filename().string() + " is in it");
    }
  }
  Result<std::unique_ptr<base::Folder>> folder = base::OpenFolder(path, true);
  if (!folder.ok()) return folder.error();
  return std::unique_ptr<ArchiveWriter>(std::make_unique<FolderWriter>(std::move(*folder), is_new));
}

Status ArchiveWriter::BeginFile(const std::string& name) {
  const Status opened = Open(name);
  if (opened.ok()) manifest_.files.push_back({name, 0, 0});
  return opened;
}

Status ArchiveWriter::Append(std::string_view bytes) {
  LAUREL_ASSERT(!manifest_.files.empty());
  Manifest::File& file = manifest_.files.back();
  file.bytes += bytes.size();
  file.crc = base::Crc32c(bytes, file.crc);
  return Write(bytes);
}

Status ArchiveWriter::EndFile() {
  LAUREL_ASSERT(!manifest_.files.empty());
  return Close();
}

Status ArchiveWriter::Finish(std::uint64_t history, std::uint64_t record, std::int64_t taken_us) {
  LAUREL_ASSERT(!manifest_.files.empty());
  manifest_.history = history;
  manifest_.record = record;
  manifest_.taken_us = taken_us;
  return Seal(EncodeManifest(manifest_));
}

// Archive --------------------------------------------------------------------------------------

Result<Archive> OpenArchive(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? OpenBackupFolder(path) : OpenFile(path);
}

Status VerifyArchive(const Archive& archive, const ProgressCallback& progress) {
  const Result<std::vector<std::string>> names = archive.folder->List();
  if (!names.ok()) return names.error();
  for (const std::string& name : *names) {
    const auto& files = archive.manifest.files;
    const bool listed = std::any_of(files.begin(), files.end(),
                                    [&](const Manifest::File& file) { return file.name == name; });
    if (listed || name == kManifestName) continue;
    return Err(archive.folder->path(name) + " is no file of the backup: move it away");
  }
  Progress at{0, archive.manifest.bytes()};
  std::string piece(kPieceBytes, '\0');
  for (const Manifest::File& listed : archive.manifest.files) {
    const Result<std::unique_ptr<base::File>> file =
        archive.folder->Open(listed.name, base::Folder::Mode::kRead);
    if (!file.ok()) return file.error();
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
    for (;;) {
      const Result<std::size_t> read = (*file)->ReadAt(bytes, piece.data(), piece.size());
      if (!read.ok()) return read.error();
      if (*read == 0) break;
      crc = base::Crc32c(std::string_view(piece).substr(0, *read), crc);
      bytes += *read;
      at.done_bytes += *read;
      if (progress && !progress(at)) return Err("stopped");
    }
    if (bytes == listed.bytes && crc == listed.crc) continue;
    return Err(archive.folder->path(listed.name) + " is damaged: " +
               (bytes == listed.bytes ? "its checksum is wrong"
                                      : "it has " + std::to_string(bytes) + " bytes, not " +
                                            std::to_string(listed.bytes)));
  }
  return Ok{};
}

}  // namespace laurel::storage
