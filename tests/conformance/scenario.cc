#include "tests/conformance/scenario.h"

#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>

#include "base/time_text.h"
#include "laurel/score.h"
#include "laurel/stamp_clock.h"
#include "model/naive_leaderboard.h"
#include "tests/conformance/conformance_answer.h"
#include "tests/conformance/scenario_operation.h"

namespace laurel::conformance {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::string_view kArrow = " =>";

Stamp Beginning() { return *base::ParseTime("2026-11-15T12:00:00Z"); }

// Replaces stamps by seconds since Beginning(): "@1794744001000000" becomes "@+1".
std::string WithRelativeStamps(const std::string& text) {
  std::string relative;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    const std::size_t name = rest.starts_with("@") ? 1 : rest.starts_with("stamp ") ? 6 : 0;
    std::size_t end = name;
    while (end < rest.size() && rest[end] >= '0' && rest[end] <= '9') ++end;
    if (name == 0 || end - name < 15) {
      relative += text[at++];
      continue;
    }
    const Stamp stamp = std::stoll(std::string(rest.substr(name, end - name)));
    std::string seconds = FormatNumber(stamp - Beginning(), 6);
    seconds.erase(seconds.find_last_not_of('0') + 1);
    if (seconds.ends_with('.')) seconds.pop_back();
    relative += std::string(rest.substr(0, name)) + (stamp >= Beginning() ? "+" : "") + seconds;
    at += end;
  }
  while (relative.ends_with(' ')) relative.pop_back();
  return relative;
}

// The model as a host.
class ModelHost : public Host {
 public:
  void SetTime(Stamp now) override { now_ = now; }
  void Create(const Spec& spec) override {
    model_ = std::make_unique<model::NaiveLeaderboard>(spec);
  }
  std::string Ask(const leaderboard::Operation& operation) override {
    if (model_->HasExpired(now_)) return "!NOBOARD";
    const auto* write = std::get_if<leaderboard::WriteOperation>(&operation);
    const std::uint64_t stamps = write != nullptr ? StampsFor(*write, model_->spec()) : 0;
    ModelAnswer answer;
    model_->Ask(operation, now_, stamps > 0 ? stamps_.Take(now_, stamps) : 0, &answer);
    return answer.text();
  }
  void Advance() override { model_->Pass(now_); }
  void Restart() override {}
  [[nodiscard]] bool Takes(const leaderboard::Operation& /*operation*/) const override {
    return true;
  }

 private:
  Stamp now_ = 0;
  StampClock stamps_;
  std::unique_ptr<model::NaiveLeaderboard> model_;
};

// Plays a scenario and calls `answered` with the line and the answer of each operation.
void PlayOn(const Scenario& scenario, Host* host,
            const std::function<void(const ScenarioLine&, const std::string&)>& answered) {
  Stamp now = Beginning();
  Spec spec;
  host->SetTime(now);
  host->Create(spec);
  for (const ScenarioLine& line : scenario.lines) {
    const std::vector<std::string> words = ReadWords(line.text);
    const std::string& first = words.at(0);
    if (first == "create") {
      spec = ReadSpec(words, 1, Spec{});
      if (const Status good = CheckSpec(spec); !good.ok()) {
        throw std::runtime_error(good.error().message);
      }
      host->Create(spec);
    } else if (first == "advance") {
      host->Advance();
    } else if (first == "restart") {
      host->Restart();
    } else if (first == "now") {
      host->SetTime(now = *base::ParseTime(words.at(1)));
    } else if (first[0] == '+' || first[0] == '-') {
      const std::int64_t by = *base::ParseDuration(std::string_view(first).substr(1));
      host->SetTime(now += first[0] == '+' ? by : -by);
    } else {
      host->SetTime(now += kSecond);
      const ScenarioOperation operation(line.text, spec);
      const std::string answer = host->Ask(operation.operation());
      answered(line, WithRelativeStamps(answer));
      if (first == "ALTER" && answer == "OK") spec = ReadSpec(words, 1, spec);
    }
  }
}

}  // namespace

std::vector<Scenario> ReadScenarios(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Scenario> scenarios;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.starts_with("## ")) {
      scenarios.push_back({text.substr(3), {}});
    } else if (!text.empty() && text[0] != '#') {
      const std::size_t arrow = text.find(kArrow);
      const bool answers = arrow != std::string::npos && arrow + kArrow.size() < text.size();
      scenarios.at(scenarios.size() - 1)
          .lines.push_back({number, text.substr(0, arrow),
                            answers ? text.substr(arrow + kArrow.size() + 1) : ""});
    }
  }
  return scenarios;
}

std::vector<std::string> Play(const Scenario& scenario, Host* host) {
  std::vector<std::string> differences;
  const auto compare = [&](std::string_view who, const ScenarioLine& line, const std::string& got) {
    if (got == line.expected) return;
    differences.push_back("line " + std::to_string(line.number) + ": " + line.text +
                          "\n  due:  " + line.expected + "\n  " + std::string(who) + " " + got);
  };
  PlayOn(scenario, host, [&](const ScenarioLine& line, const std::string& answer) {
    compare("host:", line, answer);
  });
  ModelHost model;
  PlayOn(scenario, &model, [&](const ScenarioLine& line, const std::string& answer) {
    if (!Agrees(line.expected, answer)) compare("model:", line, answer);
  });
  return differences;
}

std::string WithAnswersOfTheModel(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) lines.push_back(text);
  for (const Scenario& scenario : ReadScenarios(path)) {
    ModelHost model;
    PlayOn(scenario, &model, [&](const ScenarioLine& line, const std::string& answer) {
      lines[static_cast<std::size_t>(line.number) - 1] =
          line.text + std::string(kArrow) + (answer.empty() ? "" : " ") + answer;
    });
  }
  std::string written;
  for (const std::string& line : lines) written += line + "\n";
  return written;
}

}  // namespace laurel::conformance
