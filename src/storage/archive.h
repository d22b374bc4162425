// A backup: its files and their manifest, in a folder or in one file.
//
//   one file   offset 0    "LaurelBk", 8 bytes
//              offset 8    the files of the manifest, in its order, one right behind the other
//              behind them the manifest
//              at the end  24 bytes: where the manifest begins (8), its length (8), "LaurelBe"
//
// A folder gets its manifest last, one file its name: what has neither is no backup.
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

// Writes a backup. What is not finished is removed with the object.
class ArchiveWriter {
 public:
  // `path` is a file name if it ends in .laurel, and must not be there; otherwise a folder that is
  // made, or empty.
  static Result<std::unique_ptr<ArchiveWriter>> Begin(const std::string& path);
  virtual ~ArchiveWriter() = default;

  // A file, from its first byte to its last.
  Status BeginFile(const std::string& name);
  Status Append(std::string_view bytes);
  Status EndFile();
  // Everything is on disk when it returns.
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

// A backup to be read, as a folder of its files; `manifest` is what it says of itself.
struct Archive {
  std::unique_ptr<base::Folder> folder;
  Manifest manifest;
};
// Opens a folder or a file. Looks at the manifest alone.
Result<Archive> OpenArchive(const std::string& path);
// Reads all of it: sizes and checksums are those of the manifest, and there are no other files.
Status VerifyArchive(const Archive& archive, const ProgressCallback& progress);

}  // namespace laurel::storage
