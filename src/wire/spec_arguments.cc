#include "wire/spec_arguments.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/time_text.h"
#include "laurel/limits.h"
#include "wire/option_errors.h"
#include "wire/resp_parser.h"

namespace laurel::wire {
namespace {

Error Err(std::string message) { return {ErrorCode::kErr, std::move(message)}; }

std::string Upper(std::string_view word) {
  std::string upper(word);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  }
  return upper;
}

// Options of LB.CREATE that LB.ALTER cannot change.
constexpr std::array<std::string_view, 6> kFixed = {"FIELDS", "TIE", "PERIODS",
                                                    "TURN",   "TZ",  "PARTITIONS"};

// Whether the word is an option of LB.CREATE, and therefore probably not the name of a field.
bool IsOptionWord(std::string_view word) {
  constexpr std::array<std::string_view, 10> kOthers = {
      "POLICY", "CAP", "DEDUP", "START", "END", "GRACE", "EXPIRE", "KEEP", "FEED", "ADOPT"};
  const auto matches = [&](std::string_view option) { return base::IsWord(word, option); };
  return std::any_of(kFixed.begin(), kFixed.end(), matches) ||
         std::any_of(kOthers.begin(), kOthers.end(), matches);
}

Error CannotBeAltered(const CommandInfo& alter, std::string_view option) {
  const std::string name(option);
  return Err(name + " cannot be altered: LB.ALTER takes " + OptionsOf(alter) + "; to change " +
             name + ", declare another board and move the entries by laurel export and import");
}

class OptionReader {
 public:
  OptionReader(std::span<const std::string_view> arguments, SpecArguments* wanted,
               const CommandInfo& command, const BesideWords* beside, std::size_t first)
      : arguments_(arguments),
        wanted_(wanted),
        command_(command),
        beside_(beside),
        first_(first),
        alters_(command.id == CommandId::kLbAlter) {
    if (alters_) before_ = wanted->spec;
  }

  Status Read() {
    const bool had_end = wanted_->spec.end.has_value();
    while (at_ < arguments_.size()) {
      begins_.push_back(at_);
      const std::string word = Upper(arguments_[at_++]);
      wanted_->failed_word = at_ - 1;
      if (HasSeen(word)) return RepeatedOption(word);
      seen_.push_back(word);
      const Status status = ReadOption(word);
      wanted_->failed_word = at_ - 1;
      if (!status.ok()) return status;
    }
    wanted_->failed_word = kNoWord;
    // `END none` also clears GRACE, which has no meaning without END.
    if (had_end && !wanted_->spec.end && wanted_->spec.periods.empty() && !HasSeen("GRACE")) {
      wanted_->spec.grace_us = 0;
    }
    return Ok{};
  }

  // Returns the index of the argument at fault, if CheckDeclaration refuses the spec after Read.
  [[nodiscard]] std::size_t WordAtFault() const {
    std::size_t word = kNoWord;
    std::size_t options = 0;
    for (std::size_t i = 0; i < begins_.size(); ++i) {
      const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : arguments_.size();
      if (!IsSpecWithout(begins_[i], end)) continue;
      if (seen_[i] == "FIELDS") return end - 1;
      word = ++options == 1 ? end - 1 : kNoWord;
    }
    return word;
  }

 private:
  [[nodiscard]] bool IsSpecWithout(std::size_t begin, std::size_t end) const {
    std::vector<std::string_view> rest(arguments_.begin(), arguments_.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(begin),
               rest.begin() + static_cast<std::ptrdiff_t>(end));
    SpecArguments wanted;
    wanted.spec = before_;
    return OptionReader(rest, &wanted, command_, nullptr, 0).Read().ok() &&
           CheckDeclaration(wanted.spec).ok();
  }
  [[nodiscard]] bool HasSeen(std::string_view word) const {
    return std::find(seen_.begin(), seen_.end(), word) != seen_.end();
  }

  Status ReadOption(const std::string& word) {
    if (word == "POLICY") return ReadPolicy();
    if (word == "CAP") return ReadCount("CAP", &wanted_->spec.cap);
    if (word == "DEDUP") return ReadCount("DEDUP", &wanted_->spec.dedup);
    if (word == "START") return ReadTime("START", &wanted_->spec.start);
    if (word == "END") return ReadTime("END", &wanted_->spec.end);
    if (word == "GRACE") return ReadDuration("GRACE", &wanted_->spec.grace_us);
    if (word == "EXPIRE") return ReadDuration("EXPIRE", &wanted_->spec.expire_us);
    if (word == "KEEP") return ReadCount("KEEP", &wanted_->spec.keep);
    if (word == "FEED") return ReadCount("FEED", &wanted_->feed.emplace());
    if (alters_ && std::find(kFixed.begin(), kFixed.end(), word) != kFixed.end()) {
      return CannotBeAltered(command_, word);
    }
    if (word == "PERIODS") return ReadPeriods();
    if (word == "TURN") return ReadTurn();
    if (word == "TZ") return ReadZone();
    if (word == "FIELDS") return ReadFields();
    if (word == "TIE") return ReadTie();
    if (word == "PARTITIONS") return ReadPartitions();
    if (word == "ADOPT" && !alters_) {
      wanted_->adopt = true;
      return Ok{};
    }
    if (HasSeen("FIELDS") && arguments_[at_ - 1].find(':') != std::string_view::npos) {
      return OneMore("FIELDS", wanted_->spec.fields.size());
    }
    if (HasSeen("PERIODS") && ParsePeriod(arguments_[at_ - 1]).ok()) {
      return OneMore("PERIODS", wanted_->spec.periods.size());
    }
    return UnknownOption(command_, arguments_[at_ - 1]);
  }

  // Returns the error for a list that has `count` items already; the last word is one too many.
  [[nodiscard]] Error OneMore(std::string_view option, std::size_t count) const {
    return Err(std::string(option) + " says " + std::to_string(count) + ", and " +
               base::Quote(arguments_[at_ - 1]) + " is one more");
  }

  // Whether the argument is an option. A parameter of another protocol is a value.
  [[nodiscard]] bool IsOption(std::size_t at) const {
    return IsOptionWord(arguments_[at]) &&
           (beside_ == nullptr || beside_->NoteOf(first_ + at) == nullptr);
  }
  // Errors call the value that Next has returned by this name.
  [[nodiscard]] std::string Label(std::string_view option) const {
    return std::string(LabelOf(beside_, first_ + at_ - 1, option));
  }

  Result<std::string_view> Next(std::string_view option) {
    if (at_ == arguments_.size()) return MissingValue(option);
    return arguments_[at_++];
  }

  Status ReadCount(std::string_view option, std::uint64_t* value) {
    const Result<std::string_view> text = Next(option);
    if (!text.ok()) return text.error();
    std::int64_t number = 0;
    const Status read = ReadWhole(beside_, first_ + at_ - 1, *text, option, 0, &number);
    if (!read.ok()) return read;
    *value = static_cast<std::uint64_t>(number);
    return Ok{};
  }

  // Reads the number of items of a list.
  Status ReadListCount(std::string_view option, std::uint64_t* count) {
    const auto from = arguments_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end = std::find_if(from, arguments_.end(), IsOptionWord);
    if (from == end || !LacksCount(*from)) return ReadCount(option, count);
    const auto given = static_cast<std::size_t>(end - from);
    return MissingCount(std::span(&option, 1), given, arguments_.subspan(at_, given));
  }

  // Reads a time. In LB.ALTER the word `none` removes it.
  Status ReadTime(std::string_view option, std::optional<Stamp>* time) {
    const Result<std::string_view> text = Next(option);
    if (!text.ok()) return text.error();
    if (alters_ && base::IsWord(*text, "NONE")) {
      time->reset();
      return Ok{};
    }
    const Result<Stamp> parsed = base::ParseTime(*text);
    if (!parsed.ok()) {
      return Error{parsed.error().code, Label(option) + ": " + parsed.error().message};
    }
    *time = *parsed;
    return Ok{};
  }

  Status ReadDuration(std::string_view option, std::int64_t* micros) {
    const Result<std::string_view> text = Next(option);
    if (!text.ok()) return text.error();
    const Result<std::int64_t> parsed = base::ParseDuration(*text);
    if (!parsed.ok()) return Err(Label(option) + ": " + parsed.error().message);
    *micros = *parsed;
    return Ok{};
  }

  Status ReadFields() {
    std::uint64_t count = 0;
    if (Status status = ReadListCount("FIELDS", &count); !status.ok()) return status;
    if (count == 0 || count > kMaxFields) {
      return Err("a leaderboard has 1 to 8 fields, got " + std::to_string(count));
    }
    if (count > arguments_.size() - at_) {
      return Err("FIELDS " + std::to_string(count) + " needs " + std::to_string(count) +
                 " fields, got " + std::to_string(arguments_.size() - at_));
    }
    wanted_->spec.fields.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      if (IsOption(at_)) {
        return Err("FIELDS " + std::to_string(count) + " needs " + std::to_string(count) +
                   " fields, got " + std::to_string(i) + ": " + base::Quote(arguments_[at_]) +
                   " is an option");
      }
      Result<Field> field = ParseField(arguments_[at_++]);
      if (!field.ok()) return field.error();
      wanted_->spec.fields.push_back(*field);
    }
    return Ok{};
  }

  Status ReadPeriods() {
    std::uint64_t count = 0;
    if (Status status = ReadListCount("PERIODS", &count); !status.ok()) return status;
    if (count == 0 || count > kPeriods) {
      return Err("a leaderboard has 1 to 5 periods, got " + std::to_string(count));
    }
    if (count > arguments_.size() - at_) {
      return Err("PERIODS " + std::to_string(count) + " needs " + std::to_string(count) +
                 " periods, got " + std::to_string(arguments_.size() - at_));
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (IsOption(at_)) {
        return Err("PERIODS " + std::to_string(count) + " needs " + std::to_string(count) +
                   " periods, got " + std::to_string(i) + " before " + Upper(arguments_[at_]));
      }
      const Result<Period> period = ParsePeriod(arguments_[at_++]);
      if (!period.ok()) return period.error();
      wanted_->spec.periods.push_back(*period);
    }
    return Ok{};
  }

  Status ReadTurn() {
    const Result<std::string_view> text = Next("TURN");
    if (!text.ok()) return text.error();
    const Result<int> turn = ParseTurn(*text);
    if (!turn.ok()) return Err("TURN: " + turn.error().message);
    wanted_->spec.turn_minutes = *turn;
    return Ok{};
  }

  Status ReadZone() {
    const Result<std::string_view> text = Next("TZ");
    if (!text.ok()) return text.error();
    wanted_->spec.zone = *text;
    wanted_->zone_word = at_ - 1;
    return Ok{};
  }

  Status ReadPolicy() {
    const Result<std::string_view> text = Next("POLICY");
    if (!text.ok()) return text.error();
    const Result<Policy> policy = ParsePolicy(*text);
    if (!policy.ok()) return policy.error();
    wanted_->spec.policy = *policy;
    return Ok{};
  }

  Status ReadTie() {
    const Result<std::string_view> text = Next("TIE");
    if (!text.ok()) return text.error();
    const Result<Tie> tie = ParseTie(*text);
    if (!tie.ok()) return tie.error();
    wanted_->spec.tie = *tie;
    return Ok{};
  }

  Status ReadPartitions() {
    std::uint64_t partitions = 0;
    if (Status status = ReadCount("PARTITIONS", &partitions); !status.ok()) return status;
    if (partitions != 1) return Err("PARTITIONS other than 1 is not supported yet");
    return Ok{};
  }

  std::span<const std::string_view> arguments_;
  SpecArguments* wanted_;
  const CommandInfo& command_;
  const BesideWords* beside_;
  std::size_t first_;  // the index of arguments_[0] among the words of the request
  bool alters_;
  Spec before_;  // the spec that LB.ALTER changes
  std::size_t at_ = 0;
  std::vector<std::string> seen_;    // the options
  std::vector<std::size_t> begins_;  // the position of each
};

}  // namespace

Status ParseSpecArguments(std::span<const std::string_view> arguments, SpecArguments* wanted,
                          const CommandInfo& command, const BesideWords* beside,
                          std::size_t first) {
  OptionReader reader(arguments, wanted, command, beside, first);
  if (Status status = reader.Read(); !status.ok()) return status;
  Status declared = CheckDeclaration(wanted->spec);
  if (!declared.ok()) wanted->failed_word = reader.WordAtFault();
  return declared;
}

Status ParseAlterArguments(std::span<const std::string_view> arguments, SpecArguments* wanted,
                           const CommandInfo& command, const BesideWords* beside,
                           std::size_t first) {
  if (arguments.empty()) return Err("LB.ALTER needs an option to change, such as CAP 100");
  OptionReader reader(arguments, wanted, command, beside, first);
  Status read = reader.Read();
  if (read.ok() && !CheckDeclaration(wanted->spec).ok()) wanted->failed_word = reader.WordAtFault();
  return read;
}

Result<SpecArguments> ParseSpecLine(std::string_view line) {
  std::vector<std::string> words;
  if (!SplitLine(line, &words)) return Err("unbalanced quotes in " + base::Quote(line));
  const std::vector<std::string_view> arguments(words.begin(), words.end());
  SpecArguments wanted;
  if (const Status status = ParseSpecArguments(arguments, &wanted); !status.ok()) {
    return status.error();
  }
  if (wanted.adopt) return Err("a template adopts nothing");
  return wanted;
}

std::optional<PatternAndSpec> SpecInPattern(std::string_view pattern) {
  for (std::size_t at = pattern.find_first_of(" ="); at != std::string_view::npos;
       at = pattern.find_first_of(" =", at + 1)) {
    const std::string_view rest = pattern.substr(at + 1);
    const std::size_t end = rest.find(' ');
    // After '=' an option needs a value, because "kind=cap" may be a name.
    if (pattern[at] == '=' && end == std::string_view::npos) continue;
    if (!IsOptionWord(rest.substr(0, end))) continue;
    const std::size_t last = pattern.substr(0, at).find_last_not_of(' ');
    if (last == std::string_view::npos) continue;  // no pattern precedes the option
    return PatternAndSpec{pattern.substr(0, last + 1), rest};
  }
  return std::nullopt;
}

Status CheckTemplatePattern(std::string_view pattern) {
  if (pattern.empty()) return Err("a template needs a pattern");
  if (pattern.size() > kMaxBoardNameBytes) {
    return Error{ErrorCode::kLimit, "a template's pattern has at most 512 bytes"};
  }
  if (pattern.find('@') != std::string_view::npos) {
    return Err("a template's pattern has no '@': the name of a leaderboard has none");
  }
  return Ok{};
}

}  // namespace laurel::wire
