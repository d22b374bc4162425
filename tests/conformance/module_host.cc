#include "tests/conformance/module_host.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/conformance/reply_text.h"

namespace laurel::conformance {
namespace {

using resp::Value;

constexpr int kMostWaits = 10'000;  // of a millisecond each

// Calls done() until it is true.
template <typename Done>
void Await(const char* what, const Done& done) {
  for (int i = 0; i < kMostWaits; ++i) {
    if (done()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  throw std::runtime_error(std::string("waited in vain for ") + what);
}

black_box::ServerProcess StartServer() {
  return black_box::ServerProcess::Redis({"--appendonly", "yes", "--appendfsync", "no",
                                          "--aof-use-rdb-preamble", "no", "--enable-debug-command",
                                          "yes", "--repl-diskless-sync-delay", "0", "--loadmodule",
                                          LAUREL_MODULE, "tick", "1"});
}

}  // namespace

ModuleHost::Node::Node() : server(StartServer()), client(server.port()) {
  Do(this, {"HELLO", "3"});
}

ModuleHost::ModuleHost(std::uint64_t seed) : random_(seed) { Replicate(); }

Value ModuleHost::Do(Node* node, const Words& words) {
  Value reply = node->client.Command(words);
  if (reply.type == '-') throw std::runtime_error(words[0] + ": " + reply.text);
  return reply;
}

void ModuleHost::Replicate() {
  Do(primary_, {"REPLICAOF", "NO", "ONE"});
  Do(replica_, {"REPLICAOF", "127.0.0.1", std::to_string(primary_->server.port())});
  Await("the replica", [&] {
    return Do(replica_, {"INFO", "replication"}).text.find("master_link_status:up") !=
           std::string::npos;
  });
}

void ModuleHost::SetTime(Stamp now) {
  now_ = now;
  for (Node* node : {primary_, replica_}) {
    Do(node, {"CONFIG", "SET", "laurel.clock", std::to_string(now)});
  }
}

void ModuleHost::Create(const Spec& spec) {
  Do(primary_, {"DEL", std::string(kBoard)});
  Words words = CreateWords(kBoard, spec);
  // LB.PERIODS shows that an instance is closed by the place of the event in the board's own feed.
  words.insert(words.end(), {"FEED", "100"});
  Do(primary_, words);
  spec_ = spec;
}

bool ModuleHost::Takes(const leaderboard::Operation& operation) const {
  const auto words = WordsOf(operation, kBoard, spec_, InstanceWords::kByPeriod);
  return words && (*words)[1] == kBoard;  // an instance's name would be another key
}

std::string ModuleHost::Ask(const leaderboard::Operation& operation) {
  const auto words = WordsOf(operation, kBoard, spec_, InstanceWords::kByPeriod);
  const Value reply = primary_->client.Command(*words);
  if (const auto* write = std::get_if<leaderboard::WriteOperation>(&operation)) {
    const auto* alter = std::get_if<leaderboard::Alter>(write);
    if (alter != nullptr && reply.type != '-') spec_ = *alter->spec;
  }
  return ReplyText(reply, operation);
}

void ModuleHost::CompareDigests() {
  Await("replication", [&] { return Do(primary_, {"WAIT", "1", "0"}).text == "1"; });
  const Words digest = {"DEBUG", "DIGEST-VALUE", std::string(kBoard)};
  const std::string here = Do(primary_, digest).ToString();
  const std::string there = Do(replica_, digest).ToString();
  if (here != there) trouble_ = "the replica differs: " + here + " and " + there;
  const std::string info = Do(replica_, {"INFO", "laurel"}).text;
  if (info.find("laurel_refused_applies:0") == std::string::npos) {
    trouble_ = "the replica refused effects";
  }
}

void ModuleHost::Advance() {
  Await("the sweep", [&] {
    return Do(primary_, {"INFO", "laurel"}).text.find("laurel_sweep_due:0") != std::string::npos;
  });
  CompareDigests();
}

// After a full synchronisation a replica rewrites its AOF by itself, which is not whole before
// that.
void ModuleHost::AwaitRewrite() {
  constexpr std::string_view kIdle = "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0";
  Await("the rewrite", [&] {
    return Do(primary_, {"INFO", "persistence"}).text.find(kIdle) != std::string::npos;
  });
}

void ModuleHost::Restart() {
  // The sweep may change the board at any time. Where it has work, digests tell nothing.
  const bool is_still = random_.OneIn(2);
  if (is_still) Advance();
  Await("replication", [&] { return Do(primary_, {"WAIT", "1", "0"}).text == "1"; });
  const Words digest = {"DEBUG", "DIGEST-VALUE", std::string(kBoard)};
  const std::string before = Do(primary_, digest).ToString();
  switch (random_.Below(4)) {
    case 0:
      Do(primary_, {"DEBUG", "RELOAD"});
      break;
    case 1:
      AwaitRewrite();
      Do(primary_, {"DEBUG", "LOADAOF"});
      break;
    case 2:
      AwaitRewrite();
      Do(primary_, {"BGREWRITEAOF"});
      AwaitRewrite();
      Do(primary_, {"DEBUG", "LOADAOF"});
      break;
    default:
      std::swap(primary_, replica_);
      Replicate();
  }
  const std::string after = Do(primary_, digest).ToString();
  if (is_still && before != after)
    trouble_ = "a restart changed the board: " + before + " and " + after;
  SetTime(now_);
}

}  // namespace laurel::conformance
