#include "wire/ways_out.h"

#include "base/percent.h"

namespace laurel::wire {
namespace {

std::string PutBoard(std::string_view board) {
  std::string request = "PUT /v1/boards/";
  base::AppendPercentEncoded(board, &request);
  return request;
}

}  // namespace

std::string WayToCreate(Surface surface, std::string_view board) {
  const std::string_view bare = board.substr(0, board.rfind('@'));
  return (surface == Surface::kResp ? "LB.CREATE" : PutBoard(bare)) + " or a template makes one";
}

std::string WayToAdopt(Surface surface, std::string_view board) {
  const std::string way =
      surface == Surface::kResp ? "LB.CREATE … ADOPT" : PutBoard(board) + R"( with "adopt":true)";
  return way + " makes it a leaderboard";
}

std::string WayToRemoveSet(Surface surface) {
  return surface == Surface::kResp ? "DEL removes it" : "DEL removes it, over RESP";
}

std::string RequestName(Surface surface, const CommandInfo& command) {
  return surface == Surface::kResp ? LowerName(command) : "this request";
}

}  // namespace laurel::wire
