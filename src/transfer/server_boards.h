// Backups and boards of running servers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/patient_connection.h"
#include "client/redis_connection.h"
#include "laurel/result.h"
#include "storage/manifest.h"
#include "storage/recovery.h"
#include "transfer/folders/loaded_boards.h"

namespace laurel::transfer {

// Writes a backup of the server, in exactly its state at one record, to `target`
// (storage::ArchiveWriter::Begin). Every byte is checked on arrival. Errors of the connection name
// the server. `progress` may be null; if it returns false, the backup ends with an error. The
// connection needs the role admin for all boards.
Result<storage::Manifest> FetchBackup(client::RedisConnection* server, const std::string& target,
                                      const storage::ProgressCallback& progress);

// Boards of a running server.
struct ServerBoards {
  LoadedBoards boards;
  // The boards that were written to during every attempt of LB.WALK: each of their entries is as it
  // was when its chunk was read. The other boards are as they were at one moment.
  std::vector<std::string> changed{};
};

inline constexpr int kWalkAttempts = 3;  // for each board

// Reads boards of a running server while it serves: the board of that name or, if it is empty, all
// boards that match the pattern. A name that is not there is left out.
//
// laurel serve gives a backup, with all its boards, which goes into a temporary folder. The folder
// is in TMPDIR or /tmp, and needs room for all boards of the server. Redis and Valkey with the
// module take no backups: their boards are read by LB.WALK, chunk by chunk. A board that is written
// to meanwhile, and a walk that the server has lost, as after a restart, begin again. ERR if the
// last walk was lost too.
//
// `show` returns the callback that shows the progress of "fetching", "loading" or "reading". Of
// "reading" it counts the bytes of effects, without a total.
Result<ServerBoards> LoadServer(
    client::PatientConnection* server, const std::string& board, const std::string& pattern,
    const std::function<storage::ProgressCallback(std::string work)>& show);

}  // namespace laurel::transfer
