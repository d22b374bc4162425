#include "tests/conformance/episode.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/time_text.h"
#include "tests/conformance/conformance_answer.h"
#include "tests/conformance/operation_words.h"

namespace laurel::conformance {
namespace {

using leaderboard::Operation;
using leaderboard::ReadOperation;
using leaderboard::WriteOperation;

constexpr std::int64_t kSecond = 1'000'000;
constexpr Stamp kStart = 1'794'800'000 * kSecond;  // a day in November 2026
constexpr Stamp kPlausible = 1000;                 // number of stamps that a host may have skipped
constexpr std::size_t kHistory = 40;               // lines shown with a failure

bool NeedsAdvance(const Operation& operation) {
  if (const auto* write = std::get_if<WriteOperation>(&operation)) {
    return std::holds_alternative<leaderboard::Alter>(*write);
  }
  return std::holds_alternative<leaderboard::ListPeriods>(std::get<ReadOperation>(operation));
}

std::string TextOf(const Operation& operation, const Spec& spec) {
  const auto words = WordsOf(operation, "lb", spec, InstanceWords::kInTheName);
  if (!words) return "an operation that no command has";
  std::string text;
  for (const std::string& word : *words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string_view> Split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> instances;
  for (std::size_t at = text.find(by); at != std::string_view::npos; at = text.find(by)) {
    instances.push_back(text.substr(0, at));
    text.remove_prefix(at + by.size());
  }
  instances.push_back(text);
  return instances;
}

}  // namespace

Episode::Episode(Host* host, std::uint64_t seed)
    : host_(*host), random_(seed), operations_(&random_, random_.OneIn(3) ? 30 : 7), now_(kStart) {
  now_ += static_cast<Stamp>(random_.Below(365 * 86'400)) * kSecond;
}

std::string Episode::Run(int steps) {
  host_.SetTime(now_);
  Create();
  for (int i = 0; i < steps && failure_.empty(); ++i) Step();
  if (failure_.empty() && !model_->HasExpired(now_)) CompareAll();
  if (failure_.empty()) return "";
  std::string report;
  for (const std::string& line : history_) report += line + "\n";
  return report + failure_;
}

void Episode::Note(const std::string& line) {
  history_.push_back(base::FormatIsoTime(now_) + "  " + line);
  if (history_.size() > kHistory) history_.pop_front();
}

void Episode::Create() {
  const Spec spec = leaderboard::RandomSpec(&random_, now_);
  history_.clear();
  last_stamp_ = guess_ = 0;
  Note("LB.CREATE lb " + DescribeSpec(spec));
  host_.Create(spec);
  model_ = std::make_unique<model::NaiveLeaderboard>(spec);
}

void Episode::Step() {
  MoveClock();
  if (model_->HasExpired(now_)) {
    const Operation size = ReadOperation(leaderboard::Size{});
    if (const std::string answer = host_.Ask(size); answer != "!NOBOARD") {
      Fail("the board is there behind its EXPIRE: LB.SIZE gives " + answer);
    }
    return Create();
  }
  if (random_.OneIn(40)) {
    Note("restart");
    host_.Restart();
  }
  if (random_.OneIn(6)) {
    Note("advance");
    host_.Advance();
  }
  SetInstances();
  const Operation operation = Draw();
  if (NeedsAdvance(operation)) host_.Advance();
  Ask(operation);
  if (std::string broken = host_.Check(); !broken.empty()) Fail(broken);
}

Operation Episode::Draw() {
  for (;;) {
    if (random_.OneIn(3)) {
      const ReadOperation read = operations_.DrawRead(model_->spec());
      if (host_.Takes(read)) return read;
      continue;
    }
    const WriteOperation write = operations_.Draw(model_->spec(), now_);
    if (host_.Takes(write) && !model_->IsOpen(write, now_)) return write;
  }
}

void Episode::MoveClock() {
  if (host_.TakesStepsBack() && random_.OneIn(25)) {
    StepBack();
  } else if (!random_.OneIn(3)) {
    now_ += static_cast<Stamp>(random_.Below(1000));
  } else if (random_.OneIn(3)) {
    now_ = std::max(now_, Edge());
  } else if (random_.OneIn(20)) {
    now_ += static_cast<Stamp>(random_.Below(40 * 86'400)) * kSecond;
  } else {
    now_ += static_cast<Stamp>(random_.Below(3000)) * kSecond;
  }
  latest_ = std::max(latest_, now_);
  host_.SetTime(now_);
}

void Episode::StepBack() {
  host_.Advance();
  model_->Pass(now_);
  now_ -= static_cast<Stamp>(random_.Below(7200)) * kSecond;
  Note("the clock was set back");
}

Stamp Episode::Edge() {
  std::vector<Stamp> edges = {now_};
  const Spec& spec = model_->spec();
  if (spec.start) edges.push_back(*spec.start);
  if (spec.end) edges.push_back(*spec.end);
  for (const auto& stored : model_->instances()) {
    if (stored.span.period != Period::kAll) edges.push_back(stored.span.end);
  }
  Stamp edge = edges[random_.Below(edges.size())];
  if (random_.OneIn(2)) edge += spec.grace_us;
  return edge + static_cast<Stamp>(random_.Below(3)) - 1;
}

void Episode::SetInstances() {
  std::vector<std::string> names;
  for (const auto& stored : model_->instances()) {
    if (stored.span.label.empty()) continue;
    names.push_back(std::string(PeriodName(stored.span.period)) + ":" +
                    std::string(stored.span.label));
  }
  operations_.SetInstances(std::move(names));
}

std::optional<Episode::Told> Episode::StampsIn(const Operation& operation,
                                               const std::string& answer) {
  const auto* write = std::get_if<WriteOperation>(&operation);
  if (write == nullptr || answer.starts_with("duplicate ")) return std::nullopt;
  if (const auto* one = std::get_if<leaderboard::Submit>(write)) {
    if (one->at) return std::nullopt;
  } else if (const auto* many = std::get_if<leaderboard::SubmitMany>(write)) {
    if (many->at || (!many->writes.empty() && many->writes[0].at)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  std::string_view verdicts = answer;
  if (verdicts.starts_with('[')) verdicts.remove_prefix(1);
  std::optional<Told> told;
  Stamp place = 0;
  for (const std::string_view of_member : Split(verdicts, " | ")) {
    for (const std::string_view verdict : Split(of_member, " + ")) {
      const std::size_t at = verdict.find(" stamp ");
      if (!verdict.starts_with("accepted ") || at == std::string_view::npos) continue;
      const Stamp stamp = std::stoll(std::string(verdict.substr(at + 7)));
      // A score that builds on an old one may keep its later stamp, so use the least one.
      const bool certain = verdict.find(" score ->") != std::string_view::npos;
      if (!told) told = Told{stamp - place, stamp, std::nullopt};
      told->first = std::min(told->first, stamp - place);
      if (certain) told->certain = stamp;
      told->last = stamp;
    }
    ++place;
  }
  return told;
}

void Episode::Ask(const Operation& operation) {
  const std::string text = TextOf(operation, model_->spec());
  const std::string answer = host_.Ask(operation);
  Note(text + "  ->  " + answer.substr(0, 400));
  // The host chooses the stamps, but each must be at least max(now, last + 1).
  const Stamp least = std::max(now_, last_stamp_ + 1);
  const std::optional<Told> told = StampsIn(operation, answer);
  if (told && told->certain) {
    if (told->first < least) Fail("a stamp is before the clock, or not later than the last one");
    last_stamp_ = *told->certain;
  }
  // After the clock was set back, a stamp that the answer does not show lies between `earliest` and
  // `latest`: the host may have taken stamps for operations that it refused.
  const Stamp earliest = told ? told->first : std::max(now_, guess_ + 1);
  const Stamp latest = told ? told->first : std::max(earliest, latest_ + kPlausible);
  model::NaiveLeaderboard later = *model_;
  ModelAnswer due;
  model_->Ask(operation, now_, earliest, &due);
  if (!Agrees(answer, due.text()) && now_ < latest_) {
    ModelAnswer otherwise;
    later.Ask(operation, now_, latest, &otherwise);
    if (Agrees(answer, otherwise.text())) {
      *model_ = std::move(later);
      return;
    }
  }
  if (told && told->certain) guess_ = std::max(guess_, *told->certain);
  if (told && told->last - std::max(now_, guess_) < kPlausible) {
    guess_ = std::max(guess_, told->last);
  }
  if (!Agrees(answer, due.text())) Fail("due: " + due.text());
}

void Episode::CompareAll() {
  host_.Advance();
  model_->Pass(now_);
  Ask(ReadOperation(leaderboard::ListPeriods{}));
  std::vector<std::optional<std::string>> names = {std::nullopt};
  for (const auto& stored : model_->instances()) {
    if (model_->spec().periods.empty()) continue;
    const std::string period(PeriodName(stored.span.period));
    names.emplace_back(stored.span.label.empty() ? period
                                                 : period + ":" + std::string(stored.span.label));
  }
  for (const std::optional<std::string>& name : names) {
    leaderboard::ReadOptions options;
    options.with_meta = true;
    if (name) options.instance = leaderboard::ParseSelector(*name);
    Ask(ReadOperation(leaderboard::Range{1, -1, options}));
    for (int i = 0; i < 30; ++i) {
      const std::string member = "m" + std::to_string(i);
      Ask(ReadOperation(leaderboard::Get{member, options}));
    }
  }
}

}  // namespace laurel::conformance
