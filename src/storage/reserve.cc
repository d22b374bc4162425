#include "storage/reserve.h"

#include <utility>

#include "storage/format.h"

namespace laurel::storage {

Reserve::Reserve(base::Folder* folder) : folder_(folder) {
  const Result<std::optional<base::FileId>> id = folder->IdOf(kReserveName);
  if (!id.ok() || !*id) return;
  Result<std::unique_ptr<base::File>> file = folder->Open(kReserveName, base::Folder::Mode::kWrite);
  if (!file.ok()) return;
  const Result<std::uint64_t> size = (*file)->Size();
  if (!size.ok()) return;
  file_ = std::move(*file);
  bytes_ = *size;
}

Status Reserve::Resize(std::uint64_t bytes) {
  if (bytes == bytes_) return Ok{};
  if (file_ == nullptr) {
    // A reserve that could not be opened is replaced by a new one.
    (void)base::RemoveIfThere(folder_, kReserveName).ok();
    Result<std::unique_ptr<base::File>> made =
        folder_->Open(kReserveName, base::Folder::Mode::kCreate);
    if (!made.ok()) return made.error();
    file_ = std::move(*made);
  }
  const Status resized = bytes > bytes_ ? file_->Allocate(bytes) : file_->Truncate(bytes);
  if (resized.ok()) {
    bytes_ = bytes;
  } else {
    (void)file_->Truncate(bytes_).ok();
  }
  return resized;
}

}  // namespace laurel::storage
