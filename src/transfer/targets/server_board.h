// ServerBoard: reads the entries of a board on a running server in pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/patient_connection.h"
#include "laurel/result.h"
#include "laurel/spec.h"
#include "transfer/targets/verify.h"

namespace laurel::transfer {

class ServerBoard final : public TargetBoard {
 public:
  // `server` must outlive the board.
  ServerBoard(client::PatientConnection* server, std::string board, Spec spec)
      : server_(server), board_(std::move(board)), spec_(std::move(spec)) {}

  Status ForEach(std::string_view instance, const VisitEntry& visit) override;
  Result<std::optional<BoardEntry>> Find(std::string_view instance,
                                         std::string_view member) override;

 private:
  client::PatientConnection* server_;
  std::string board_;
  Spec spec_;
  std::string found_;  // the reply of LB.GET
};

}  // namespace laurel::transfer
