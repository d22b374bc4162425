// What the tests of leaderboards over the wire share: one server, a client in each protocol, and
// replies as short texts that are the same for both.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/process.h"
#include "server/resp_client.h"

namespace laurel::black_box {

// The parameter is the protocol, 2 or 3. Every test begins without boards; templates stay, so each
// test that sets some has names of its own for them.
class LeaderboardTest : public testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  // A command is one text, its arguments apart by blanks; others are given as a list.
  Value Command(std::string_view line) { return Command(Split(line)); }
  Value Command(const Arguments& arguments);
  // The reply as Value::ToString shows it.
  std::string Ask(std::string_view line) { return Command(line).ToString(); }
  std::string Ask(const Arguments& arguments) { return Command(arguments).ToString(); }
  // The code of an error reply, or all of the reply if it is none.
  std::string Code(std::string_view line);

  // "accepted rank nil->1 score nil->100", and where they apply " needs 20", " hidden". Fails if
  // the reply is no verdict with every name that it must have.
  std::string Verdict(std::string_view line) { return VerdictText(Command(line)); }
  std::string VerdictText(const Value& verdict);
  // "1 a 100; 2 b 90,3": rank, member and score of each entry; " place 1" and " meta x" where they
  // are there.
  std::string Entries(std::string_view line);
  std::string EntryText(const Value& entry);
  // The members of a board with their scores as ZRANGE 0 -1 gives them.
  std::string LowToHigh(const std::string& board) {
    return Ask("ZRANGE " + board + " 0 -1 WITHSCORES");
  }
  // The stamp of a member. REQUIRES: it is there.
  std::int64_t Stamp(const std::string& board, const std::string& member);

  // Texts that depend on the protocol: a score; members and scores in pipeline; a map, as Ask gives
  // it.
  std::string Score(const std::string& number) const;
  std::string Scored(std::initializer_list<std::pair<std::string, std::string>> entries) const;

  static Arguments Split(std::string_view line);

  RespClient& client() { return *client_; }
  RespClient NewClient() const;
  bool resp3() const { return GetParam() == 3; }

  // The value beside a name; fails if it is not there.
  const Value& Named(const Value& map, std::string_view name) const;

 private:
  static std::unique_ptr<ServerProcess> server_;
  std::optional<RespClient> client_;
};

}  // namespace laurel::black_box
