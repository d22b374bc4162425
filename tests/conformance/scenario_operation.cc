#include "tests/conformance/scenario_operation.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/time_text.h"
#include "laurel/score.h"

namespace laurel::conformance {
namespace {

constexpr std::string_view kOptions[] = {"NX",   "XX",     "AT",       "ID",    "META",
                                         "KIND", "PERIOD", "WITHMETA", "LIMIT", "BOTTOM"};

template <typename T>
T Must(const Result<T>& result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return *result;
}

std::optional<Stamp> TimeOrNone(const std::string& text) {
  if (text == "none") return std::nullopt;
  return Must(base::ParseTime(text));
}

}  // namespace

std::vector<std::string> ReadWords(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word == "\"\"" ? "" : word);
  return words;
}

Spec ReadSpec(const std::vector<std::string>& words, std::size_t first, Spec spec) {
  for (std::size_t i = first; i < words.size(); i += 2) {
    const std::string& name = words[i];
    const std::string& value = words.at(i + 1);
    if (name == "FIELDS" || name == "PERIODS") {
      const std::size_t count = std::stoul(value);
      if (name == "FIELDS") spec.fields.clear();
      for (std::size_t n = 0; n < count; ++n) {
        const std::string& item = words.at(i + 2 + n);
        if (name == "FIELDS") {
          spec.fields.push_back(Must(ParseField(item)));
        } else {
          spec.periods.push_back(Must(ParsePeriod(item)));
        }
      }
      i += count;
    } else if (name == "POLICY") {
      spec.policy = Must(ParsePolicy(value));
    } else if (name == "TIE") {
      spec.tie = Must(ParseTie(value));
    } else if (name == "CAP") {
      spec.cap = std::stoull(value);
    } else if (name == "START") {
      spec.start = TimeOrNone(value);
    } else if (name == "END") {
      spec.end = TimeOrNone(value);
    } else if (name == "GRACE") {
      spec.grace_us = Must(base::ParseDuration(value));
    } else if (name == "EXPIRE") {
      spec.expire_us = Must(base::ParseDuration(value));
    } else if (name == "TURN") {
      spec.turn_minutes = Must(ParseTurn(value));
    } else if (name == "TZ") {
      spec.zone = value;
    } else if (name == "KEEP") {
      spec.keep = std::stoull(value);
    } else if (name == "DEDUP") {
      spec.dedup = std::stoull(value);
    } else {
      throw std::runtime_error("no option " + name);
    }
  }
  return spec;
}

ScenarioOperation::ScenarioOperation(std::string_view line, const Spec& spec)
    : words_(ReadWords(line)) {
  if (std::optional<leaderboard::WriteOperation> write = ReadWrite(spec)) {
    operation_ = *write;
  } else {
    operation_ = ReadRead();
  }
}

ScenarioOperation::Views& ScenarioOperation::Plain(std::size_t first) {
  for (std::size_t i = first; i < words_.size(); ++i) {
    if (std::find(std::begin(kOptions), std::end(kOptions), words_[i]) != std::end(kOptions)) break;
    plain_.push_back(words_[i]);
  }
  return plain_;
}

std::optional<std::string_view> ScenarioOperation::Option(std::string_view name) const {
  const auto found = std::find(words_.begin(), words_.end(), name);
  if (found == words_.end()) return std::nullopt;
  return *(found + 1);
}

bool ScenarioOperation::Flag(std::string_view name) const {
  return std::find(words_.begin(), words_.end(), name) != words_.end();
}

std::int64_t ScenarioOperation::Number(std::size_t at) const { return std::stoll(words_.at(at)); }

std::optional<leaderboard::InstanceSelector> ScenarioOperation::Instance() const {
  const std::optional<std::string_view> period = Option("PERIOD");
  if (!period) return std::nullopt;
  return leaderboard::ParseSelector(*period);
}

leaderboard::ReadOptions ScenarioOperation::Options() const {
  leaderboard::ReadOptions options;
  options.with_meta = Flag("WITHMETA");
  options.instance = Instance();
  const std::string_view kind = Option("KIND").value_or("ordinal");
  if (kind == "competition") options.kind = RankKind::kCompetition;
  if (kind == "dense") options.kind = RankKind::kDense;
  return options;
}

leaderboard::WriteOperation ScenarioOperation::ReadSubmit(WriteMode mode) {
  leaderboard::Submit submit;
  submit.mode = mode;
  submit.member = words_.at(1);
  submit.values.texts = Plain(2);
  if (Flag("NX")) submit.condition = Write::If::kAbsent;
  if (Flag("XX")) submit.condition = Write::If::kPresent;
  if (const auto at = Option("AT")) submit.at = Must(base::ParseTime(*at));
  submit.id = Option("ID");
  submit.meta = Option("META");
  return submit;
}

std::optional<leaderboard::WriteOperation> ScenarioOperation::ReadWrite(const Spec& spec) {
  const std::string& command = words_.at(0);
  if (command == "SUBMIT") return ReadSubmit(WriteMode::kSubmit);
  if (command == "SET") return ReadSubmit(WriteMode::kSet);
  if (command == "INCR") return ReadSubmit(WriteMode::kIncrement);
  if (command == "MSUBMIT") {
    leaderboard::SubmitMany many;
    many.texts = Plain(2);
    if (const auto at = Option("AT")) many.at = Must(base::ParseTime(*at));
    many.id = Option("ID");
    return many;
  }
  if (command == "META") return leaderboard::SetMeta{words_.at(1), words_.at(2), {}};
  if (command == "REMOVE") return leaderboard::Remove{Plain(1), Instance()};
  if (command == "HIDE") return leaderboard::Hide{Plain(1)};
  if (command == "SHOW") return leaderboard::Show{Plain(1)};
  if (command == "POP") {
    return leaderboard::Pop{static_cast<std::uint64_t>(Number(1)), Flag("BOTTOM"), Flag("WITHMETA"),
                            Instance()};
  }
  if (command == "TRIM") {
    return leaderboard::Trim{static_cast<std::uint64_t>(Number(1)), Instance()};
  }
  if (command == "CLEAR") return leaderboard::Clear{Instance()};
  if (command != "ALTER") return std::nullopt;
  altered_ = ReadSpec(words_, 1, spec);
  return leaderboard::Alter{&altered_};
}

leaderboard::ReadOperation ScenarioOperation::ReadRead() {
  const std::string& command = words_.at(0);
  const leaderboard::ReadOptions options = Options();
  const auto count = [&](std::size_t at) { return static_cast<std::uint64_t>(Number(at)); };
  if (command == "GET") return leaderboard::Get{words_.at(1), options};
  if (command == "TOP") return leaderboard::Top{count(1), options};
  if (command == "RANGE") return leaderboard::Range{Number(1), Number(2), options};
  if (command == "AROUND") return leaderboard::Around{words_.at(1), count(2), options};
  if (command == "AMONG") return leaderboard::Among{Plain(2), options};
  if (command == "RANKOF") return leaderboard::RankOf{{Plain(1), nullptr}, options};
  if (command == "COUNT") return leaderboard::Count{{words_.at(1), words_.at(2)}, options};
  if (command == "BETWEEN") {
    leaderboard::Between between{{words_.at(1), words_.at(2)}, 0, UINT64_MAX, options};
    const auto limit = std::find(words_.begin(), words_.end(), "LIMIT");
    if (limit != words_.end()) between.offset = std::stoull(*(limit + 1));
    if (limit != words_.end()) between.limit = std::stoull(*(limit + 2));
    return between;
  }
  if (command == "SIZE") return leaderboard::Size{options};
  if (command == "PERCENTILE") return leaderboard::PercentileOf{words_.at(1), options};
  if (command == "QUANTILE") {
    return leaderboard::Quantile{Must(ParseNumber(words_.at(1), 9)), options};
  }
  if (command == "HISTOGRAM") return leaderboard::Histogram{count(1), options};
  if (command == "DESCRIBE") return leaderboard::Describe{options.instance};
  if (command == "PERIODS") return leaderboard::ListPeriods{};
  throw std::runtime_error("no operation " + command);
}

}  // namespace laurel::conformance
