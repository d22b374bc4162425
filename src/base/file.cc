#include "base/file.h"

namespace laurel::base {

Result<std::string> ReadWhole(Folder* folder, std::string_view name) {
  const Result<std::unique_ptr<File>> file = folder->Open(name, Folder::Mode::kRead);
  if (!file.ok()) return file.error();
  const Result<std::uint64_t> size = (*file)->Size();
  if (!size.ok()) return size.error();
  std::string bytes(*size, '\0');
  const Result<std::size_t> read = (*file)->ReadAt(0, bytes.data(), bytes.size());
  if (!read.ok()) return read.error();
  bytes.resize(*read);
  return bytes;
}

Status RemoveIfThere(Folder* folder, std::string_view name) {
  const Status removed = folder->Remove(name);
  if (removed.ok()) return removed;
  const Result<std::optional<FileId>> id = folder->IdOf(name);
  return id.ok() && !*id ? Status(Ok{}) : removed;
}

}  // namespace laurel::base
