#include "tests/seasons/season_rig.h"

#include <charconv>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/time_text.h"
#include "engine/awaited_turn.h"
#include "wire/command_table.h"

namespace laurel::testing {
namespace {

// Takes one value off the front.
Value Parse(std::string_view* bytes) {
  const std::size_t line_end = bytes->find("\r\n");
  if (line_end == std::string_view::npos) throw std::runtime_error("no whole reply");
  Value value;
  value.kind = bytes->front();
  value.text = bytes->substr(1, line_end - 1);
  bytes->remove_prefix(line_end + 2);
  if (value.kind == '$' || value.kind == '=') {
    const int size = std::stoi(value.text);
    if (size < 0) return {};
    value.kind = '$';
    value.text = bytes->substr(0, static_cast<std::size_t>(size));
    bytes->remove_prefix(static_cast<std::size_t>(size) + 2);
  }
  if (value.kind == '*' || value.kind == '%' || value.kind == '~') {
    int parts = std::stoi(value.text);
    if (parts < 0) return {};
    if (value.kind == '%') parts *= 2;
    value.text.clear();
    for (int i = 0; i < parts; ++i) value.parts.push_back(Parse(bytes));
  }
  return value;
}

Words Split(std::string_view line) {
  std::istringstream stream{std::string(line)};
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string ScoreText(const Value& score) {
  if (score.kind == '_') return "nil";
  std::string text;
  for (const Value& field : score.parts) text += (text.empty() ? "" : ",") + field.text;
  return text;
}

const Value& Named(const Value& map, std::string_view name) {
  const Value* found = map.Find(name);
  if (found == nullptr) {
    throw std::runtime_error("no " + std::string(name) + " in " + map.ToString());
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

const Value* Value::Find(std::string_view name) const {
  if (kind != '%') return nullptr;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (parts[i].text == name) return &parts[i + 1];
  }
  return nullptr;
}

std::string Value::ToString() const {
  if (kind == '_') return "nil";
  if (kind == '-') return "-" + text;
  if (kind == '*' || kind == '~') {
    std::string all;
    for (const Value& part : parts) all += (all.empty() ? "" : " ") + part.ToString();
    return "[" + all + "]";
  }
  if (kind == '%') {
    std::string all;
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      all += (all.empty() ? "" : " ") + parts[i].ToString() + "=" + parts[i + 1].ToString();
    }
    return "{" + all + "}";
  }
  return text;
}

Value Value::WithoutMark(int* marks) const {
  Value plain;
  plain.kind = kind;
  plain.text = text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (kind == '%' && i % 2 == 0 && parts[i].text == "duplicate") {
      ++*marks;
      ++i;
      continue;
    }
    plain.parts.push_back(parts[i].WithoutMark(marks));
  }
  return plain;
}

class Question::WaitingTurn : public engine::AwaitedTurn {
 public:
  using AwaitedTurn::AwaitedTurn;
};

Question::Question(engine::EmbeddedEngine* engine, engine::Client* client,
                   const std::vector<Words>& commands, bool transaction, wire::Protocol protocol)
    : turn_(std::make_unique<WaitingTurn>(client)) {
  std::vector<std::vector<std::string_view>> arguments;
  std::vector<engine::Request> requests;
  arguments.reserve(commands.size());
  for (const Words& command : commands) {
    arguments.emplace_back(command.begin(), command.end());
    const wire::Lookup found = wire::LookUp(arguments.back());
    if (found.command == nullptr) throw std::runtime_error("no command " + command[0]);
    requests.push_back({found.command, protocol, arguments.back()});
  }
  const engine::Transaction all{{}, requests};
  const std::vector<std::string_view> exec = {"EXEC"};
  if (transaction) {
    engine::Request request{wire::LookUp(exec).command, protocol, exec};
    request.transaction = &all;
    turn_->requests.push_back(request);
  } else {
    turn_->requests = requests;
  }
  engine::Turn* turns[] = {turn_.get()};
  engine->Execute(turns);
}

Question::~Question() = default;

bool Question::answered() const { return turn_->done(); }

engine::Turn* Question::turn() const { return turn_.get(); }

std::vector<Value> Question::Answers() {
  turn_->Await();
  std::vector<Value> answers;
  for (std::string_view bytes = turn_->replies; !bytes.empty();) answers.push_back(Parse(&bytes));
  return answers;
}

Season::Season(std::string_view now, std::uint64_t seed)
    : random_(seed), folder_(std::make_unique<SimulatedFolder>()) {
  clock_.Set(Moment(now));
  Start();
}

Season::~Season() {
  ReleaseDisk();
  engine_->Close(false);
}

void Season::Start() {
  folder_->before_call = [this](const Call& call) {
    if (call.kind != CallKind::kSync) return;
    std::unique_lock lock(disk_mutex_);
    disk_released_.wait(lock, [&] { return !disk_held_; });
  };
  const EngineRig::Options small = EngineRig::Small();
  engine::EmbeddedOptions options;
  options.hash_seed = 1;
  options.shape.listed_removals = 2;  // ranges are common
  options.clock = &clock_;
  options.folder = folder_.get();
  options.log = small.log;
  options.keeper = small.keeper;
  engine_ = std::make_unique<engine::EmbeddedEngine>(options, &host_);
  if (const Status opened = engine_->Open(); !opened.ok()) {
    throw std::runtime_error(opened.error().message);
  }
  if (const Result<engine::LoadReport> loaded = engine_->Load(); !loaded.ok()) {
    throw std::runtime_error(loaded.error().message);
  }
}

void Season::Tick() {
  while (engine_->Tick()) {
  }
}

void Season::Restart(Ending ending, Question* under_way) {
  if (ending == Ending::kSaved && Ask("SAVE") != "OK") throw std::runtime_error("no snapshot");
  std::unique_ptr<SimulatedFolder> left;
  if (ending == Ending::kKilled) left = folder_->CrashKillOnly();
  if (ending == Ending::kPowerCut) left = folder_->Crash(&random_);
  if (under_way != nullptr) under_way->Answer();
  StartAnew(std::move(left));
}

void Season::CutPowerWhileHeld() {
  std::unique_ptr<SimulatedFolder> left = folder_->Crash(&random_);
  ReleaseDisk();
  StartAnew(std::move(left));
}

void Season::StartAnew(std::unique_ptr<SimulatedFolder> left) {
  engine_->Close(false);
  engine_.reset();
  if (left != nullptr) folder_ = std::move(left);
  Start();
}

Value Season::Get(std::string_view line) { return Send(Split(line)); }

Value Season::Send(const Words& words) {
  return Question(engine_.get(), &client_, {words}, false, wire::Protocol::kResp3).Answer();
}

std::string Season::AskInResp2(std::string_view line) {
  return Question(engine_.get(), &client_, {Split(line)}, false, wire::Protocol::kResp2)
      .Answer()
      .ToString();
}

std::string Season::Code(std::string_view line) {
  const Value value = Get(line);
  return value.kind == '-' ? value.text.substr(0, value.text.find(' ')) : value.ToString();
}

std::string Season::VerdictText(const Value& verdict) {
  if (verdict.kind == '*') {
    std::string all;
    for (const Value& one : verdict.parts) all += (all.empty() ? "" : "; ") + VerdictText(one);
    return all;
  }
  if (verdict.kind != '%') return verdict.ToString();
  std::string text =
      Named(verdict, "status").text + " " + Named(verdict, "previous_rank").ToString() + "->" +
      Named(verdict, "rank").ToString() + " " + ScoreText(Named(verdict, "previous_score")) + "->" +
      ScoreText(Named(verdict, "score"));
  if (const Value* needs = verdict.Find("needs")) text += " needs=" + ScoreText(*needs);
  if (verdict.Find("hidden") != nullptr) text += " hidden";
  if (verdict.Find("duplicate") != nullptr) text += " duplicate";
  if (const Value* periods = verdict.Find("periods")) {
    for (std::size_t i = 0; i + 1 < periods->parts.size(); i += 2) {
      text += " " + periods->parts[i].text + "(" + VerdictText(periods->parts[i + 1]) + ")";
    }
  }
  return text;
}

std::string Season::Entries(std::string_view line) {
  const Value value = Get(line);
  if (value.kind != '*') return value.ToString();
  std::string all;
  for (const Value& entry : value.parts) {
    all += (all.empty() ? "" : " ") + Named(entry, "rank").ToString() + ":" +
           Named(entry, "member").text + "=" + ScoreText(Named(entry, "score"));
  }
  return all;
}

Stamp Season::StampOf(const std::string& board, const std::string& member) {
  const Value entry = Get("LB.GET " + board + " " + member);
  return entry.kind == '%' ? std::stoll(Named(entry, "stamp").text) : -1;
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
  std::string all = listed.ToString() + "\n" + ReadAll(board);
  for (const Value& instance : listed.parts) all += ReadAll(Named(instance, "board").text);
  return all;
}

std::string Season::Instances(const std::string& board) {
  const Value listed = Get("LB.PERIODS " + board);
  if (listed.kind != '*') return listed.ToString();
  std::string all;
  for (const Value& instance : listed.parts) {
    all += (all.empty() ? "" : " ") + Named(instance, "board").text.substr(board.size() + 1) + "=" +
           Named(instance, "size").text;
    if (Named(instance, "present").text == "t") all += "*";
    if (Named(instance, "closed").kind != '_') all += "!";
  }
  return all;
}

std::string Season::Exec(const std::vector<std::string>& lines) {
  return Begin(&client_, lines, true)->Answer().ToString();
}

std::unique_ptr<Question> Season::Begin(engine::Client* client,
                                        const std::vector<std::string>& lines, bool transaction) {
  std::vector<Words> commands;
  for (const std::string& line : lines) commands.push_back(Split(line));
  return std::unique_ptr<Question>(
      new Question(engine_.get(), client, commands, transaction, wire::Protocol::kResp3));
}

void Season::HoldDisk() {
  const std::lock_guard lock(disk_mutex_);
  disk_held_ = true;
}

void Season::ReleaseDisk() {
  const std::lock_guard lock(disk_mutex_);
  disk_held_ = false;
  disk_released_.notify_all();
}

}  // namespace laurel::testing
