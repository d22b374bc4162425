// Fetches a backup of a running server, in exactly its state at one record, while it serves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "client/redis_connection.h"
#include "laurel/result.h"
#include "storage/manifest.h"
#include "storage/recovery.h"
#include "transfer/folders/loaded_boards.h"

namespace laurel::transfer {

// Whether the server has LB.BACKUP: it is laurel serve. An error means that the connection is
// broken.
Result<bool> TakesBackups(client::RedisConnection* server);

// Writes a backup of the server to `target` (storage::ArchiveWriter::Begin). Every byte is checked
// on arrival. Errors of the connection name the server. `progress` may be null; if it returns
// false, the backup ends with an error. The connection needs the role admin for all boards.
Result<storage::Manifest> FetchBackup(client::RedisConnection* server, const std::string& target,
                                      const storage::ProgressCallback& progress);

// Fetches a backup into a temporary folder, loads it and removes the folder. The folder is in
// TMPDIR or /tmp, and needs room for all boards of the server.
Result<LoadedBoards> LoadServer(client::RedisConnection* server,
                                const storage::ProgressCallback& fetching,
                                const storage::ProgressCallback& loading);

}  // namespace laurel::transfer
