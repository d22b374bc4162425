// A consumer of LB.CHANGES that lives longer than the servers it reads from: what it has been told
// makes the boards up again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "server/resp_client.h"

namespace laurel::black_box {

// "member score stamp" of each entry that is not hidden, by instance.
using InstanceContents = std::map<std::string, std::set<std::string>>;

// Of all instances that LB.PERIODS lists.
InstanceContents ReadInstances(RespClient* client, const std::string& board);

class Follower {
 public:
  explicit Follower(std::string board) : board_(std::move(board)) {}

  // Reads on from its cursor as far as there is something to read. A problem, or empty.
  std::string Follow(RespClient* client);
  // The log did not reach back: what it holds is worth nothing until Adopt.
  bool has_gap() const { return has_gap_; }
  // Begins again with what the server holds. REQUIRES: nobody is hidden, and nobody writes.
  void Adopt(RespClient* client);

  // How what it was told differs from these. Instances that it was told of may be gone.
  std::string Difference(const InstanceContents& contents) const;
  // The instances that it was told are closed, each once.
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
  std::set<std::string> hidden_;  // on all instances
  std::set<std::string> closed_;
  bool caught_up_ = true;  // it has been told of everything before what it adopted
};

}  // namespace laurel::black_box
