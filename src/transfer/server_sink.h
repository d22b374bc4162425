// ServerSink: writes boards of an import to a running server, Laurel or Redis with the module.
//
// A board that is new, or replaced, is loaded as a whole (board_load.h): no client sees a part of
// it. Into a board that is there the entries go in chunks, by LB.RESTORE; each chunk is all or
// nothing. Members that are to be hidden are hidden before. All of this is absolute, so a
// connection that breaks costs nothing but time: the sink connects again and repeats the request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "client/patient_connection.h"
#include "laurel/stamp.h"
#include "leaderboard/load.h"
#include "transfer/board_load.h"
#include "transfer/board_sink.h"
#include "transfer/draft_chunks.h"

namespace laurel::transfer {

class ServerSink final : public BoardSink {
 public:
  // Connects. `replace`: boards that are there are replaced.
  static Result<std::unique_ptr<ServerSink>> Open(const client::ConnectOptions& options,
                                                  bool replace);

  Result<std::optional<Spec>> Find(const std::string& board) override;
  Status Begin(const std::string& board, const Spec& spec,
               const std::optional<std::string>& period) override;
  Status Write(Draft* draft, const WriteProgress& progress) override;
  [[nodiscard]] std::uint64_t over_cap() const override { return over_cap_; }
  Status Finish() override { return Ok{}; }

  // What the last Write has loaded, as the server has confirmed it; none if the board was there.
  [[nodiscard]] const std::optional<leaderboard::LoadFigures>& loaded() const { return loaded_; }
  // Writes the entries that `since` has not as well, or all if it is null, into a board that is
  // there.
  Status WriteChanges(const Draft& draft, const Draft* since, const WriteProgress& progress);
  // Removes members of the board that was begun.
  Status Remove(std::span<const std::string_view> members);
  // The server's clock.
  Result<Stamp> Now();

  // For reads between writes.
  [[nodiscard]] client::PatientConnection& server() { return server_; }

 private:
  ServerSink(client::PatientConnection server, bool replace)
      : server_(std::move(server)), replace_(replace) {}

  // Begins a new board.
  Status BeginNew();
  Status WriteLoad(Draft* draft, const WriteProgress& progress);

  // Sends a chunk of entries.
  Status Restore(std::string_view chunk, bool with_meta);
  Status ForMembers(std::string_view command, std::span<const std::string_view> members);

  client::PatientConnection server_;
  bool replace_;
  std::string board_;
  Spec spec_;
  std::set<std::string> written_;    // the boards that were begun: these are not replaced again
  std::unique_ptr<BoardLoad> load_;  // begun, and not written yet
  std::optional<leaderboard::LoadFigures> loaded_;
  std::uint64_t over_cap_ = 0;
};

}  // namespace laurel::transfer
