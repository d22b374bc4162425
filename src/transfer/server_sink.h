// ServerSink: writes boards of an import to a running server, Laurel or Redis with the module.
//
// A board that is new, or replaced, is loaded as a whole (board_load.h): no client sees a part of
// it. Into a board that is there entries are written one by one.
//
// Each of these is one LB.SET … AT … META, pipelined. LB.SET with AT is absolute, so a connection
// that breaks costs nothing but time: the sink connects again and repeats what has no reply yet.
// Members that are to be hidden are hidden before their entries are written.
//
// A reply that refuses a row (BADSCORE, BADTIME, CLOSED, …) sends the row to the rejects. A reply
// that says more about the server than about the row (NOPERM, OOM, MISCONF, …) ends the import.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
#include "transfer/rejects.h"

namespace laurel::transfer {

class ServerSink final : public BoardSink {
 public:
  // Connects. `rejects` must outlive the sink. `replace`: boards that are there are replaced.
  static Result<std::unique_ptr<ServerSink>> Open(const client::ConnectOptions& options,
                                                  bool replace, Rejects* rejects);

  Result<std::optional<Spec>> Find(const std::string& board) override;
  // REQUIRES: a board that is there has no periods, because LB.SET reaches open instances only.
  Status Begin(const std::string& board, const Spec& spec,
               const std::optional<std::string>& period) override;
  Status Write(const RowTable& table, const WriteProgress& progress) override;
  [[nodiscard]] std::uint64_t over_cap() const override { return over_cap_; }
  Status Finish() override { return Ok{}; }

  // What the last Write has loaded, as the server has confirmed it; none if it wrote entries one by
  // one.
  [[nodiscard]] const std::optional<leaderboard::LoadFigures>& loaded() const { return loaded_; }
  // As Write for the entries with these numbers.
  Status WriteSome(const RowTable& table, std::span<const std::size_t> numbers,
                   const WriteProgress& progress);
  // Removes members of the board that was begun.
  Status Remove(std::span<const std::string> members);
  // The server's clock.
  Result<Stamp> Now();

  // For reads between writes.
  [[nodiscard]] client::PatientConnection& server() { return server_; }

 private:
  ServerSink(client::PatientConnection server, bool replace, Rejects* rejects)
      : server_(std::move(server)), replace_(replace), rejects_(rejects) {}

  // Begins a new board.
  Status BeginNew();
  Status WriteLoad(const RowTable& table, const WriteProgress& progress);

  // Rejects the row that an error reply is about; ERR if it is about the server.
  Status Reject(std::string_view reply, std::string_view member);
  // Writes `count` entries; `number` gives the number of an entry in the table by its index.
  Status WriteEntries(const RowTable& table, std::size_t count,
                      const std::function<std::size_t(std::size_t index)>& number,
                      const WriteProgress& progress);
  Status WriteMeta(const RowTable& table, std::span<const std::size_t> entries);
  Status ForMembers(std::string_view command, std::span<const std::string> members);

  client::PatientConnection server_;
  bool replace_;
  Rejects* rejects_;
  std::string board_;
  Spec spec_;
  std::set<std::string> written_;    // the boards that were begun: these are not replaced again
  std::unique_ptr<BoardLoad> load_;  // begun, and not written yet
  std::optional<leaderboard::LoadFigures> loaded_;
  std::uint64_t over_cap_ = 0;
};

}  // namespace laurel::transfer
