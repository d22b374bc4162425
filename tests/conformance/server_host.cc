#include "tests/conformance/server_host.h"

#include <stdexcept>

#include "tests/conformance/reply_text.h"

namespace laurel::conformance {

using testing::Value;

ServerHost::~ServerHost() { FinishSave(); }

ServerHost::ServerHost(std::uint64_t seed) : random_(seed), engine_("2026-01-01T00:00:00Z", seed) {}

void ServerHost::Create(const Spec& spec) {
  (void)engine_.Send({"LB.DROP", std::string(kBoard)});  // the board may be absent
  const Value created = engine_.Send(CreateWords(kBoard, spec));
  if (created.text != "OK") throw std::runtime_error(created.ToString());
  spec_ = spec;
  closes_.clear();
}

std::optional<Words> ServerHost::CommandOf(const leaderboard::Operation& operation) const {
  return WordsOf(operation, kBoard, spec_, kInstances);
}

bool ServerHost::Takes(const leaderboard::Operation& operation) const {
  return CommandOf(operation).has_value();
}

std::string ServerHost::Ask(const leaderboard::Operation& operation) {
  const Value reply = engine_.Send(*CommandOf(operation));
  if (const auto* write = std::get_if<leaderboard::WriteOperation>(&operation)) {
    const auto* alter = std::get_if<leaderboard::Alter>(write);
    if (alter != nullptr && reply.type != '-') spec_ = *alter->spec;
  }
  if (const auto* read = std::get_if<leaderboard::ReadOperation>(&operation)) {
    if (std::holds_alternative<leaderboard::ListPeriods>(*read)) CompareCloses(reply);
  }
  return ReplyText(reply, operation);
}

void ServerHost::CompareCloses(const Value& periods) {
  for (const Value& line : periods.elements) {
    const Value& closed = Named(line, "closed");
    const auto [known, is_new] = closes_.emplace(Named(line, "board").text, closed.text);
    if (is_new && closed.IsNull()) closes_.erase(known);
    if (!is_new && known->second != closed.text) trouble_ = known->first + " has closed again";
  }
}

void ServerHost::Advance() {
  engine_.Tick();
  (void)engine_.Send({"DEL", "nothing"});  // a write waits until all before it is on disk
  if (saving_ != nullptr && random_.OneIn(2)) FinishSave();
  if (saving_ == nullptr && random_.OneIn(10)) saving_ = engine_.Begin(&saver_, {"SAVE"});
}

void ServerHost::FinishSave() {
  if (saving_ == nullptr) return;
  const std::string answer = saving_->Answer().text;
  if (answer != "OK") trouble_ = "SAVE: " + answer;
  saving_.reset();
}

void ServerHost::Restart() {
  const testing::Ending ending = testing::kEndings[random_.Below(4)];
  if (ending == testing::Ending::kSaved) FinishSave();
  engine_.Restart(ending, saving_.get());
  saving_.reset();
}

}  // namespace laurel::conformance
