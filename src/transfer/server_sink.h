// ServerSink: writes boards of an import to a running server, Laurel or Redis with the module.
//
// Each entry is one LB.SET … AT … META, pipelined. LB.SET with AT is absolute, so a connection that
// breaks costs nothing but time: the sink connects again and repeats what has no reply yet. Members
// that are to be hidden are hidden before their entries are written.
//
// A reply that refuses a row (BADSCORE, BADTIME, CLOSED, …) sends the row to the rejects. A reply
// that says more about the server than about the row (NOPERM, OOM, MISCONF, …) ends the import.
//
// A new board gets its window (START, END, GRACE) and its EXPIRE when its entries are written: a
// window that is closed would refuse them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "client/patient_connection.h"
#include "laurel/stamp.h"
#include "transfer/board_sink.h"
#include "transfer/rejects.h"

namespace laurel::transfer {

// The spec without window and EXPIRE: what a board has while it is imported.
Spec WithoutWindow(const Spec& spec);

class ServerSink final : public BoardSink {
 public:
  // Connects. `rejects` must outlive the sink.
  static Result<std::unique_ptr<ServerSink>> Open(const client::ConnectOptions& options,
                                                  Rejects* rejects);

  Result<std::optional<Spec>> Find(const std::string& board) override;
  // ERR for a board with periods: LB.SET reaches open instances only.
  Status Begin(const std::string& board, const Spec& spec,
               const std::optional<std::string>& period) override;
  Status Write(const RowTable& table, const WriteProgress& progress) override;
  [[nodiscard]] std::uint64_t over_cap() const override { return over_cap_; }
  Status Finish() override { return Ok{}; }

  // As Write for the entries from `first` on (0-based). For an import that resumes.
  Status WriteFrom(const RowTable& table, std::size_t first, const WriteProgress& progress);
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
  ServerSink(client::PatientConnection server, Rejects* rejects)
      : server_(std::move(server)), rejects_(rejects) {}

  // Rejects the row that an error reply is about; ERR if it is about the server.
  Status Reject(std::string_view reply, std::string_view member);
  // Writes `count` entries from the one with index `first` on; `number` gives the number of an
  // entry in the table by its index.
  Status WriteEntries(const RowTable& table, std::size_t first, std::size_t count,
                      const std::function<std::size_t(std::size_t index)>& number,
                      const WriteProgress& progress);
  Status SetWindow();
  Status WriteMeta(const RowTable& table, std::span<const std::size_t> entries);
  Status ForMembers(std::string_view command, std::span<const std::string> members);

  client::PatientConnection server_;
  Rejects* rejects_;
  std::string board_;
  Spec spec_;
  bool sets_window_ = false;  // the board has no window yet, and its spec has one
  std::uint64_t over_cap_ = 0;
};

}  // namespace laurel::transfer
