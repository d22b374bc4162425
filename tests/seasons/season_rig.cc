#include "tests/seasons/season_rig.h"

#include <cstddef>
#include <stdexcept>
#include <utility>

#include "base/time_text.h"

namespace laurel::testing {
namespace {

std::string ScoreText(const Value& score) {
  if (score.IsNull()) return "nil";
  std::string text;
  for (const Value& field : score.elements) text += (text.empty() ? "" : ",") + field.text;
  return text;
}

const Value& Named(const Value& map, std::string_view name) {
  const Value* found = map.Find(name);
  if (found == nullptr) {
    throw std::runtime_error("no " + std::string(name) + " in " + map.Plain());
  }
  return *found;
}

}  // namespace

Stamp Moment(std::string_view text) {
  const Result<Stamp> moment = base::ParseTime(text);
  if (!moment.ok()) throw std::runtime_error(moment.error().message);
  return *moment;
}

std::string Micros(Stamp moment) { return std::to_string(moment) + "us"; }

std::string_view EndingName(Ending ending) {
  switch (ending) {
    case Ending::kClosed:
      return "Closed";
    case Ending::kSaved:
      return "Saved";
    case Ending::kKilled:
      return "Killed";
    case Ending::kPowerCut:
      return "PowerCut";
  }
  return {};
}

Value WithoutDuplicateMark(const Value& value, int* marks) {
  Value plain = value;
  plain.elements.clear();
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    if (value.type == '%' && i % 2 == 0 && value.elements[i].text == "duplicate") {
      ++*marks;
      ++i;
      continue;
    }
    plain.elements.push_back(WithoutDuplicateMark(value.elements[i], marks));
  }
  return plain;
}

Season::Season(std::string_view now, std::uint64_t seed)
    : clock_(Moment(now)),
      random_(seed),
      folder_(std::make_unique<SimulatedFolder>()),
      rig_(folder_.get(), &clock_, Options()) {
  rig_.client().protocol = wire::Protocol::kResp3;
  syncs_.Guard(folder_.get());
  rig_.StartOrThrow();
}

Season::~Season() { ReleaseDisk(); }

EngineRig::Options Season::Options() {
  EngineRig::Options options = EngineRig::Small();
  options.shape.listed_removals = 2;  // makes range effects common
  return options;
}

void Season::Restart(Ending ending, TestPipeline* under_way) {
  if (ending == Ending::kSaved && Ask("SAVE") != "OK") throw std::runtime_error("no snapshot");
  std::unique_ptr<SimulatedFolder> left;
  if (ending == Ending::kKilled) left = folder_->CrashKillOnly();
  if (ending == Ending::kPowerCut) left = folder_->Crash(&random_);
  if (under_way != nullptr) under_way->Await();
  StartAnew(std::move(left));
}

void Season::CutPowerWhileHeld() {
  std::unique_ptr<SimulatedFolder> left = folder_->Crash(&random_);
  ReleaseDisk();
  StartAnew(std::move(left));
}

void Season::StartAnew(std::unique_ptr<SimulatedFolder> left) {
  if (left == nullptr) return rig_.Restart();
  syncs_.Guard(left.get());
  rig_.Restart(left.get());
  folder_ = std::move(left);
}

std::string Season::AskInResp2(std::string_view line) {
  TestPipeline question(wire::Protocol::kResp2);
  question.Add(Split(line));
  rig_.Execute(&question);
  return question.Answer().Plain();
}

std::string Season::Code(std::string_view line) {
  const Value value = Get(line);
  return value.IsError() ? value.text.substr(0, value.text.find(' ')) : value.Plain();
}

std::string Season::VerdictText(const Value& verdict) {
  if (verdict.type == '*') {
    std::string all;
    for (const Value& one : verdict.elements) all += (all.empty() ? "" : "; ") + VerdictText(one);
    return all;
  }
  if (verdict.type != '%') return verdict.Plain();
  std::string text = Named(verdict, "status").text + " " + Named(verdict, "previous_rank").Plain() +
                     "->" + Named(verdict, "rank").Plain() + " " +
                     ScoreText(Named(verdict, "previous_score")) + "->" +
                     ScoreText(Named(verdict, "score"));
  if (const Value* needs = verdict.Find("needs")) text += " needs=" + ScoreText(*needs);
  if (verdict.Find("hidden") != nullptr) text += " hidden";
  if (verdict.Find("duplicate") != nullptr) text += " duplicate";
  if (const Value* periods = verdict.Find("periods")) {
    for (std::size_t i = 0; i + 1 < periods->elements.size(); i += 2) {
      text += " " + periods->elements[i].text + "(" + VerdictText(periods->elements[i + 1]) + ")";
    }
  }
  return text;
}

std::string Season::Entries(std::string_view line) {
  const Value value = Get(line);
  if (value.type != '*') return value.Plain();
  std::string all;
  for (const Value& entry : value.elements) {
    all += (all.empty() ? "" : " ") + Named(entry, "rank").Plain() + ":" +
           Named(entry, "member").text + "=" + ScoreText(Named(entry, "score"));
  }
  return all;
}

Stamp Season::StampOf(const std::string& board, const std::string& member) {
  const Value entry = Get("LB.GET " + board + " " + member);
  return entry.type == '%' ? std::stoll(Named(entry, "stamp").text) : -1;
}

const std::vector<std::string>& Season::Reads() {
  static const std::vector<std::string> kReads = {
      "LB.GET ? ann",
      "LB.GET ? nobody",
      "LB.TOP ? 100 WITHMETA",
      "LB.RANGE ? 1 -1 KIND dense",
      "LB.AROUND ? ann 2",
      "LB.AMONG ? 3 ann bob nobody",
      "LB.RANKOF ? 5",
      "LB.COUNT ? -inf +inf",
      "LB.BETWEEN ? 0 100",
      "LB.SIZE ?",
      "LB.PERCENTILE ? ann",
      "LB.QUANTILE ? 50",
      "LB.HISTOGRAM ? 2",
      "ZSCORE ? ann",
      "ZMSCORE ? ann bob nobody",
      "ZCARD ?",
      "ZCOUNT ? -inf (100",
      "ZRANK ? ann",
      "ZREVRANK ? ann WITHSCORE",
      "ZRANGE ? 0 -1 WITHSCORES",
      "ZRANGE ? +inf -inf BYSCORE REV",
      "ZREVRANGE ? 0 -1",
      "ZRANGEBYSCORE ? -inf +inf",
      "ZREVRANGEBYSCORE ? +inf -inf WITHSCORES",
      "ZUNION 1 ? WITHSCORES",
      "ZINTER 1 ? WITHSCORES",
      "ZDIFF 1 ? WITHSCORES",
      "ZINTERCARD 1 ?",
      "ZSCAN ? 0 COUNT 1000",
      "EXISTS ?",
      "TYPE ?",
      "TTL ?",
  };
  return kReads;
}

std::string Season::ReadAll(const std::string& board) {
  std::string all;
  for (std::string read : Reads()) {
    read.replace(read.find('?'), 1, board);
    all += read.substr(0, read.find(board)) + Ask(read) + "\n";
  }
  return all;
}

std::string Season::ReadAllPeriods(const std::string& board) {
  const Value listed = Get("LB.PERIODS " + board);
  std::string all = listed.Plain() + "\n" + ReadAll(board);
  for (const Value& instance : listed.elements) all += ReadAll(Named(instance, "board").text);
  return all;
}

std::string Season::Instances(const std::string& board) {
  const Value listed = Get("LB.PERIODS " + board);
  if (listed.type != '*') return listed.Plain();
  std::string all;
  for (const Value& instance : listed.elements) {
    all += (all.empty() ? "" : " ") + Named(instance, "board").text.substr(board.size() + 1) + "=" +
           Named(instance, "size").text;
    if (Named(instance, "present").text == "t") all += "*";
    if (!Named(instance, "closed").IsNull()) all += "!";
  }
  return all;
}

std::string Season::Exec(const std::vector<std::string>& lines) {
  return Begin(&rig_.client(), lines, true)->Answer().Plain();
}

}  // namespace laurel::testing
