// A follower of LB.CHANGES that outlives the servers it reads from. It rebuilds the contents of a
// board from the events alone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/resp_client.h"

namespace laurel::black_box {

// "member score stamp" of each visible entry, by instance.
using InstanceContents = std::map<std::string, std::set<std::string>>;

// Reads all instances that LB.PERIODS lists.
InstanceContents ReadInstances(RespClient* client, const std::string& board);

class Follower {
 public:
  explicit Follower(std::string board) : board_(std::move(board)) {}

  // Reads events from its cursor to the end of the feed, or to a gap. Returns a problem, or empty.
  std::string Follow(RespClient* client);
  // True if the log no longer reached back to the cursor: the follower's contents are invalid until
  // Adopt.
  bool has_gap() const { return has_gap_; }
  // Starts again from the server's present contents. REQUIRES: no member is hidden, and no client
  // writes meanwhile.
  void Adopt(RespClient* client);

  // How the contents rebuilt from events differ from `contents`; empty if they do not. Instances
  // that are absent from `contents` are ignored: the server may have dropped them.
  std::string Difference(const InstanceContents& contents) const;
  // The instances whose close event was read. A second close event of an instance is a problem.
  const std::set<std::string>& closed() const { return closed_; }

 private:
  using Entries = std::map<std::string, std::string>;  // by member: score and stamp

  std::string Take(const Value& event);
  std::string TakeClosed(const std::string& instance, const Value& event);
  std::set<std::string> Visible(const Entries& entries) const;

  std::string board_;
  std::string cursor_ = "0";
  bool has_gap_ = false;
  std::map<std::string, Entries> instances_;
  std::set<std::string> hidden_;  // marks apply to all instances
  std::set<std::string> closed_;
  bool caught_up_ = true;  // false from Adopt until the events written before it have been read
};

}  // namespace laurel::black_box
