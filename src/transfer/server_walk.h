// Reads boards of a running server by LB.WALK, chunk by chunk, while it serves. For servers that
// take no backups: Redis and Valkey with the module.
#pragma once

#include <string>
#include <vector>

#include "client/patient_connection.h"
#include "laurel/result.h"
#include "storage/recovery.h"
#include "transfer/folders/loaded_boards.h"

namespace laurel::transfer {

struct WalkedBoards {
  LoadedBoards boards;
  // The boards that were written to during every attempt: each of their entries is as it was when
  // its chunk was read. The other boards are as they were at one moment.
  std::vector<std::string> changed{};
};

inline constexpr int kWalkAttempts = 3;  // for each board

// Reads the board of that name or, if it is empty, all boards that match the pattern. A name that
// is not there is left out. A board that is written to meanwhile, and a walk that the server has
// lost, as after a restart, begin again. ERR if the last walk was lost too. `progress` counts the
// bytes of effects, without a total.
Result<WalkedBoards> WalkServer(client::PatientConnection* server, const std::string& board,
                                const std::string& pattern,
                                const storage::ProgressCallback& progress);

}  // namespace laurel::transfer
