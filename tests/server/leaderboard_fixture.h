// Fixture of the leaderboard tests over the wire: one server per test suite, a client of either
// protocol version, and replies as short texts that are the same in both versions.
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

// The parameter is the protocol version, 2 or 3. Every test starts without boards. Templates
// survive from test to test, so each test that sets templates uses patterns of its own.
class LeaderboardTest : public testing::TestWithParam<int> {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void SetUp() override;

  // Sends a command and returns its reply. `line` holds the arguments separated by blanks;
  // arguments that contain blanks are passed as a list.
  Value Command(std::string_view line) { return Command(Split(line)); }
  Value Command(const Arguments& arguments);
  // Sends a command and returns its reply as Value::ToString shows it.
  std::string Ask(std::string_view line) { return Command(line).ToString(); }
  std::string Ask(const Arguments& arguments) { return Command(arguments).ToString(); }
  // Sends a command and returns the code of an error reply, or any other reply as text.
  std::string Code(std::string_view line);

  // "accepted rank nil->1 score nil->100", with " needs 20" and " hidden" where they apply; an
  // error reply as text. Fails the test if a required name of the verdict is absent.
  std::string Verdict(std::string_view line) { return VerdictText(Command(line)); }
  std::string VerdictText(const Value& verdict);
  // "1 a 100; 2 b 90,3": rank, member and score of each entry, with " place 1" and " meta x" where
  // the reply has them.
  std::string Entries(std::string_view line);
  std::string EntryText(const Value& entry);
  // The members of a board with their scores, as ZRANGE 0 -1 WITHSCORES returns them.
  std::string LowToHigh(const std::string& board) {
    return Ask("ZRANGE " + board + " 0 -1 WITHSCORES");
  }
  // The stamp of a member. REQUIRES: the member is on the board.
  std::int64_t Stamp(const std::string& board, const std::string& member);

  // Expected texts that depend on the protocol version, as Ask returns them: a score; members with
  // scores, alternating in RESP2 and in pairs in RESP3.
  std::string Score(const std::string& number) const;
  std::string Scored(std::initializer_list<std::pair<std::string, std::string>> entries) const;

  static Arguments Split(std::string_view line);

  RespClient& client() { return *client_; }
  RespClient NewClient() const;
  bool resp3() const { return GetParam() == 3; }

  // The value of `name` in a map. Fails the test if it is absent.
  const Value& Named(const Value& map, std::string_view name) const;

 private:
  static std::unique_ptr<ServerProcess> server_;
  std::optional<RespClient> client_;
};

}  // namespace laurel::black_box
