#include "base/file.h"

namespace laurel::base {

Result<std::string> ReadBytes(File* file, std::uint64_t offset, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  const Result<std::size_t> read = file->ReadAt(offset, text.data(), text.size());
  if (!read.ok()) return read.error();
  text.resize(*read);
  return text;
}

Result<std::string> ReadWhole(Folder* folder, std::string_view name) {
  const Result<std::unique_ptr<File>> file = folder->Open(name, Folder::Mode::kRead);
  if (!file.ok()) return file.error();
  const Result<std::uint64_t> size = (*file)->Size();
  if (!size.ok()) return size.error();
  return ReadBytes(file->get(), 0, *size);
}

Status RemoveIfThere(Folder* folder, std::string_view name) {
  const Status removed = folder->Remove(name);
  if (removed.ok()) return removed;
  const Result<std::optional<FileId>> id = folder->IdOf(name);
  return id.ok() && !*id ? Status(Ok{}) : removed;
}

}  // namespace laurel::base
