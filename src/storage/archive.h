// A backup: data files and their manifest, in a folder or in one file.
//
//   one file   offset 0    "LaurelBk", 8 bytes
//              offset 8    the files of the manifest, in its order, without gaps
//              after them  the manifest
//              at the end  24 bytes: where the manifest begins (8), its length (8), "LaurelBe"
//
// The manifest of a folder is written last, and one file gets its name last. A folder without a
// manifest is not a backup.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.h"
#include "laurel/result.h"
#include "storage/manifest.h"
#include "storage/recovery.h"

namespace laurel::storage {

inline constexpr std::string_view kArchiveEnding = ".laurel";

// Writes a backup. The destructor removes an unfinished one.
class ArchiveWriter {
 public:
  // A `path` that ends in .laurel is a file, which must not exist. Any other path is a folder,
  // which must be empty or absent; an absent one is created.
  static Result<std::unique_ptr<ArchiveWriter>> Begin(const std::string& path);
  virtual ~ArchiveWriter() = default;

  // Writes a file, from its first byte to its last.
  Status BeginFile(const std::string& name);
  Status Append(std::string_view bytes);
  Status EndFile();
  // Writes the manifest. If it succeeds, everything is on disk.
  Status Finish(std::uint64_t history, std::uint64_t record, std::int64_t taken_us);

  [[nodiscard]] const Manifest& manifest() const { return manifest_; }

 protected:
  virtual Status Open(const std::string& name) = 0;
  virtual Status Write(std::string_view bytes) = 0;
  virtual Status Close() = 0;
  virtual Status Seal(std::string_view manifest) = 0;

 private:
  Manifest manifest_;
};

// A backup opened for reading, as a folder of its files, with its manifest.
struct Archive {
  std::unique_ptr<base::Folder> folder;
  Manifest manifest;
};
// Opens a backup folder or file. Reads the manifest only.
Result<Archive> OpenArchive(const std::string& path);
// Reads all files. Checks that sizes and checksums are those of the manifest and that there are no
// other files.
Status VerifyArchive(const Archive& archive, const ProgressCallback& progress);

}  // namespace laurel::storage
