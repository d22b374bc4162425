#include "tests/conformance/module_host.h"

#include <stdexcept>
#include <utility>

#include "tests/conformance/reply_text.h"

namespace laurel::conformance {

using resp::Value;

namespace {

// Servers that no host uses should not wake up all the time.
constexpr const char* kTickMs = "1";
constexpr const char* kIdleTickMs = "100";

}  // namespace

ModuleHost::ModuleHost(std::vector<ModuleNode*> nodes, std::uint64_t seed)
    : nodes_(std::move(nodes)), random_(seed) {
  Configure("laurel.tick", kTickMs);
}

ModuleHost::~ModuleHost() {
  try {
    Configure("laurel.tick", kIdleTickMs);
  } catch (const std::runtime_error&) {
    // A server has ended, which the test has noticed or the next one will.
  }
}

void ModuleHost::Configure(std::string_view name, const std::string& value) {
  for (ModuleNode* node : nodes_) node->Send({"CONFIG", "SET", std::string(name), value});
  for (ModuleNode* node : nodes_) {
    const Value reply = node->Read();
    if (reply.text != "OK") throw std::runtime_error(std::string(name) + ": " + reply.ToString());
  }
}

void ModuleHost::SetTime(Stamp now) { Configure("laurel.clock", std::to_string(now)); }

void ModuleHost::Create(const Spec& spec) {
  if (!board_.empty()) Send({"DEL", board_});
  board_ = NextBoard();
  Words words = CreateWords(board_, spec);
  // LB.PERIODS shows that an instance is closed by the place of the event in the board's own feed.
  words.insert(words.end(), {"FEED", "100"});
  const Value created = Send(words);
  if (created.text != "OK") throw std::runtime_error("LB.CREATE: " + created.ToString());
  spec_ = spec;
}

bool ModuleHost::Takes(const leaderboard::Operation& operation) const {
  const auto words = WordsOf(operation, board_, spec_, InstanceWords::kByPeriod);
  return words && (*words)[1] == board_;  // an instance's name would be another key
}

std::string ModuleHost::Ask(const leaderboard::Operation& operation) {
  const Value reply = Send(*WordsOf(operation, board_, spec_, InstanceWords::kByPeriod));
  if (const auto* write = std::get_if<leaderboard::WriteOperation>(&operation)) {
    const auto* alter = std::get_if<leaderboard::Alter>(write);
    if (alter != nullptr && reply.type != '-') spec_ = *alter->spec;
  }
  return ReplyText(reply, operation);
}

void ModuleHost::AwaitReplicas() {
  for (ModuleNode* replica : Replicas()) replica->AwaitAllOf(&Primary());
}

void ModuleHost::Advance() {
  Primary().AwaitSweep();
  AwaitReplicas();
  const std::string here = Primary().Digest(board_);
  for (ModuleNode* replica : Replicas()) {
    const std::string there = replica->Digest(board_);
    if (here != there) Report("a replica differs: " + here + " and " + there);
    const std::string refused = replica->Info("laurel", "laurel_refused_applies");
    if (refused != "0") Report("a replica refused effects: " + refused);
  }
}

void ModuleHost::Restart() {
  // The sweep may change the board at any time. Where it has work, digests tell nothing.
  const bool is_still = random_.OneIn(2);
  if (is_still) Advance();
  AwaitReplicas();
  const std::string before = Primary().Digest(board_);
  Reload();
  if (is_still) {
    const std::string after = Primary().Digest(board_);
    if (before != after) Report("a restart changed the board: " + before + " and " + after);
  }
}

}  // namespace laurel::conformance
