// BoardLoad: fills a new board of a server by LB.LOAD. The board appears as a whole or not at all.
//
// A draft's entries are sent as chunks of effects, one request each. The load has a random id and
// its chunks have numbers, so a step whose reply was lost can be repeated. If the server was
// restarted and has lost the load, the load starts over, at most kMaxAttempts times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/patient_connection.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "laurel/stamp.h"
#include "leaderboard/load.h"
#include "transfer/targets/draft_chunks.h"

namespace laurel::transfer {

class BoardLoad {
 public:
  // `server` must outlive the load. `replace`: the commit replaces a board of that name.
  BoardLoad(client::PatientConnection* server, std::string board, const Spec& spec, bool replace)
      : server_(*server), board_(std::move(board)), spec_(spec), replace_(replace) {}
  // Aborts a load that was not committed.
  ~BoardLoad();
  BoardLoad(const BoardLoad&) = delete;
  BoardLoad& operator=(const BoardLoad&) = delete;

  // Begins the load. *refusal is set to the text of an error reply, otherwise to empty.
  Status Begin(std::string* refusal);
  // Sends the draft and commits. ERR if the server's entries differ from the draft. REQUIRES: Begin
  // returned Ok; not called before.
  Status Write(const Draft& draft, const WriteProgress& progress);

  // The figures that the reply to the commit has confirmed.
  [[nodiscard]] const leaderboard::LoadFigures& figures() const { return figures_; }

 private:
  // Sends one step of the load and its arguments.
  Result<client::RespValue> Ask(std::string_view step, std::vector<std::string> arguments,
                                std::string* refusal);
  Status Send(const Draft& draft, const WriteProgress& progress, std::string* refusal);
  Status Commit();

  client::PatientConnection& server_;
  std::string board_;
  Spec spec_;
  bool replace_;
  std::string id_;  // empty: there is no load to abort
  leaderboard::LoadFigures figures_;
};

}  // namespace laurel::transfer
