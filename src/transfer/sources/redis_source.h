// RedisSource: sorted sets of a Redis or Valkey server as the boards of an import.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/patient_connection.h"
#include "laurel/codecs.h"
#include "transfer/folders/board_names.h"
#include "transfer/sources/board_source.h"
#include "transfer/text/member_text.h"

namespace laurel::transfer {

struct RedisSourceOptions {
  client::ConnectOptions server;
  std::string key;      // one set, or
  std::string pattern;  // all sets whose keys match
  std::string board{};  // for the set `key`; empty: the renamed key
  Rename rename{};
  Codec codec;
  bool codec_given = false;  // false: no codec was named, so packed scores are refused
  MemberEncoding member = MemberEncoding::kRaw;
  // The stamp of rows whose encoding has no time. Rows of equal score get the microseconds after
  // it.
  Stamp untimed_at = 0;
  bool may_vanish = false;  // an absent set has no rows; otherwise it is an error
};

class RedisSource final : public BoardSource {
 public:
  static Result<std::unique_ptr<RedisSource>> Open(RedisSourceOptions options);

  Result<std::vector<SourceBoard>> List() override;
  Result<SourceDraft> Read(const SourceBoard& board, const ReadContext& context) override;
  [[nodiscard]] bool can_repeat() const override { return true; }
  [[nodiscard]] std::string suspects() const override;

  // From now on an absent set has no rows.
  void AllowVanished() { options_.may_vanish = true; }
  [[nodiscard]] client::PatientConnection& server() { return server_; }

 private:
  RedisSource(client::PatientConnection server, RedisSourceOptions options)
      : server_(std::move(server)), options_(std::move(options)) {}

  client::PatientConnection server_;
  RedisSourceOptions options_;
};

}  // namespace laurel::transfer
