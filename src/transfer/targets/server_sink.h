// ServerSink: writes boards of an import to a running server, Laurel or Redis with the module.
//
// A new or replaced board is loaded as a whole by LB.LOAD, so clients never see a part of it.
// The entries of an existing board are sent in chunks by LB.RESTORE, and each chunk is all or
// nothing. Members to hide are hidden first. All requests are idempotent: after a broken connection
// the sink reconnects and repeats the request.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "client/patient_connection.h"
#include "laurel/stamp.h"
#include "leaderboard/load.h"
#include "transfer/targets/board_sink.h"
#include "transfer/targets/draft_chunks.h"

namespace laurel::transfer {

class BoardLoad;

class ServerSink final : public BoardSink {
 public:
  // Connects. `replace`: existing boards are replaced.
  static Result<std::unique_ptr<ServerSink>> Open(const client::ConnectOptions& options,
                                                  bool replace);
  ~ServerSink() override;
  ServerSink(const ServerSink&) = delete;
  ServerSink& operator=(const ServerSink&) = delete;

  Result<std::optional<Spec>> Find(const std::string& board) override;
  Status Begin(const std::string& board, const Spec& spec,
               const std::optional<std::string>& period) override;
  Status Write(Draft* draft, const WriteProgress& progress) override;
  [[nodiscard]] std::uint64_t over_cap() const override { return over_cap_; }
  Status Finish() override { return Ok{}; }

  // The server's figures of the last Write; none if the board existed.
  [[nodiscard]] const std::optional<leaderboard::LoadFigures>& loaded() const { return loaded_; }
  // Writes the entries that differ from those of `since`, or all if it is null, into an existing
  // board.
  Status WriteChanges(const Draft& draft, const Draft* since, const WriteProgress& progress);
  // Removes members of the board that was begun.
  Status Remove(std::span<const std::string_view> members);
  // Asks for the server's clock.
  Result<Stamp> Now();

  // The connection, for reads between writes.
  [[nodiscard]] client::PatientConnection& server() { return server_; }

 private:
  ServerSink(client::PatientConnection server, bool replace);

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
  std::set<std::string> written_;    // boards that were begun; they are not replaced again
  std::unique_ptr<BoardLoad> load_;  // a load that was begun and not yet written
  std::optional<leaderboard::LoadFigures> loaded_;
  std::uint64_t over_cap_ = 0;
};

}  // namespace laurel::transfer
