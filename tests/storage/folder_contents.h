// The contents of a data folder, read without an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/file.h"
#include "engine/keyspace/keyspace.h"
#include "laurel/result.h"
#include "storage/recovery.h"

namespace laurel::testing {

// Restores the folder into a keyspace of its own.
class FolderContents {
 public:
  // `on_batch` is called after each batch, while the keyspace is being restored.
  using OnBatch = std::function<void(std::uint64_t number, engine::Keyspace& keys)>;

  explicit FolderContents(base::Folder* folder, const OnBatch& on_batch = nullptr,
                          const storage::RecoverOptions& options = {});

  [[nodiscard]] bool ok() const { return recovery_.ok(); }
  [[nodiscard]] const std::string& error() const { return recovery_.error().message; }
  [[nodiscard]] const storage::Recovery& recovery() const { return *recovery_; }
  [[nodiscard]] engine::Keyspace& keys() { return keys_; }
  // REQUIRES: ok().
  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  [[nodiscard]] Stamp last_stamp() const { return last_stamp_; }

 private:
  engine::Keyspace keys_;
  Result<storage::Recovery> recovery_;
  std::uint64_t digest_ = 0;
  Stamp last_stamp_ = 0;
};

}  // namespace laurel::testing
