#include "tests/conformance/server_host.h"

#include <stdexcept>

namespace laurel::conformance {
namespace {

using testing::Value;

constexpr std::string_view kBoard = "lb";

const Value& Named(const Value& map, std::string_view name) {
  const Value* found = map.Find(name);
  if (found == nullptr) throw std::runtime_error("no " + std::string(name) + ": " + map.ToString());
  return *found;
}

std::string TextOf(const Value& value) { return value.IsNull() ? "-" : value.text; }

std::string ScoreText(const Value& score) {
  if (score.IsNull()) return "-";
  std::string text;
  for (const Value& field : score.elements) text += (text.empty() ? "" : "/") + field.text;
  return text;
}

std::string OneVerdict(const Value& verdict) {
  std::string text =
      Named(verdict, "status").text + " rank " + TextOf(Named(verdict, "previous_rank")) + ">" +
      TextOf(Named(verdict, "rank")) + " score " + ScoreText(Named(verdict, "previous_score")) +
      ">" + ScoreText(Named(verdict, "score")) + " stamp " + TextOf(Named(verdict, "stamp"));
  if (const Value* needs = verdict.Find("needs")) text += " needs " + ScoreText(*needs);
  if (verdict.Find("hidden") != nullptr) text += " hidden";
  return text;
}

std::string VerdictText(const Value& verdict) {
  std::string text = OneVerdict(verdict);
  const Value* periods = verdict.Find("periods");
  if (periods == nullptr) return text;
  for (std::size_t i = 1; i < periods->elements.size(); i += 2) {
    text += " + " + OneVerdict(periods->elements[i]);
  }
  return text;
}

std::string EntryText(const Value& entry) {
  std::string text = TextOf(Named(entry, "rank")) + " " + Named(entry, "member").text;
  const Value& score = Named(entry, "score");
  text += score.IsNull() ? " absent" : " " + ScoreText(score) + " @" + Named(entry, "stamp").text;
  if (const Value* meta = entry.Find("meta")) {
    text += " meta '" + (meta->IsNull() ? "" : meta->text) + "'";
  }
  if (const Value* place = entry.Find("place")) text += " place " + TextOf(*place);
  return text;
}

std::string InstanceText(const Value& line) {
  const std::string name = Named(line, "board").text;
  const std::string period = Named(line, "period").text;
  const std::string prefix = std::string(kBoard) + "@" + period + ":";
  const std::string label = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
  return period + ":" + label + " size " + Named(line, "size").text +
         (Named(line, "present").text == "t" ? " present" : "") +
         (Named(line, "closed").type != '_' ? " closed" : "") + "; ";
}

std::string MapText(const Value& map) {
  if (map.Find("status") != nullptr) {
    return (map.Find("duplicate") != nullptr ? "duplicate " : "") + VerdictText(map);
  }
  if (map.Find("percentile") != nullptr) {
    return Named(map, "percentile").text + " worse " + Named(map, "worse").text + " equal " +
           Named(map, "equal").text + " of " + Named(map, "count").text;
  }
  if (map.Find("policy") != nullptr) {
    return "policy " + Named(map, "policy").text + " tie " + Named(map, "tie").text + " cap " +
           Named(map, "cap").text + " size " + Named(map, "size").text + " hidden " +
           Named(map, "hidden").text;
  }
  return EntryText(map) + " of " + Named(map, "count").text;
}

std::string ListText(const Value& list) {
  const Value* first = list.elements.empty() ? nullptr : &list.elements[0];
  std::string text;
  if (first != nullptr && first->Find("status") != nullptr) {
    for (const Value& verdict : list.elements) {
      text += (text.empty() ? "[" : " | ") + VerdictText(verdict);
    }
    return (first->Find("duplicate") != nullptr ? "duplicate " : "") + text + "]";
  }
  if (first != nullptr && first->Find("from") != nullptr) {
    for (const Value& bucket : list.elements) {
      text += "[" + Named(bucket, "from").text + "," + Named(bucket, "to").text + ") " +
              Named(bucket, "count").text + "; ";
    }
    return text;
  }
  if (first != nullptr && first->Find("period") != nullptr) {
    for (const Value& line : list.elements) text += InstanceText(line);
    return text;
  }
  text = std::to_string(list.elements.size()) + " entries";
  for (const Value& entry : list.elements) text += "; " + EntryText(entry);
  return text;
}

// An array is a list of entries unless the operation or its elements say otherwise.
std::string ReplyText(const Value& reply, const leaderboard::Operation& operation) {
  if (reply.type == '-') return "!" + reply.text.substr(0, reply.text.find(' '));
  if (reply.IsNull()) return "nil";
  if (reply.type == '%') return MapText(reply);
  if (reply.type != '*') return reply.text;
  if (const auto* read = std::get_if<leaderboard::ReadOperation>(&operation)) {
    if (std::holds_alternative<leaderboard::Quantile>(*read)) return ScoreText(reply);
    const bool lines = std::holds_alternative<leaderboard::Histogram>(*read) ||
                       std::holds_alternative<leaderboard::ListPeriods>(*read);
    if (lines && reply.elements.empty()) return "";
  }
  return ListText(reply);
}

}  // namespace

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
