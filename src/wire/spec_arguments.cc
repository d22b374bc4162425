#include "wire/spec_arguments.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/time_text.h"
#include "laurel/limits.h"
#include "wire/error_texts.h"
#include "wire/resp_parser.h"

namespace laurel::wire {
namespace {

Error CannotBeAltered(const CommandInfo& alter, std::string_view option) {
  const std::string name(option);
  return Err(name + " cannot be altered: LB.ALTER takes " + OptionsOf(alter) + "; to change " +
             name + ", declare another board and move the entries by laurel export and import");
}

Result<int> ParseTurnOption(std::string_view text) {
  Result<int> turn = ParseTurn(text);
  if (!turn.ok()) return Err("TURN: " + turn.error().message);
  return turn;
}

class OptionReader {
 public:
  // An option of LB.CREATE, and how its value is read.
  struct Option {
    std::string_view word;
    bool is_fixed;  // LB.ALTER cannot change it
    Status (OptionReader::*read)(std::string_view option);
  };
  static std::span<const Option> Options();
  // Returns the option that the word names; null if there is none.
  static const Option* FindOption(std::string_view word) {
    const auto options = Options();
    const auto found = std::find_if(options.begin(), options.end(), [word](const Option& option) {
      return base::IsWord(word, option.word);
    });
    return found != options.end() ? &*found : nullptr;
  }

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
      const Option* option = FindOption(arguments_[at_++]);
      wanted_->failed_word = at_ - 1;
      if (option != nullptr && HasSeen(option->word)) return RepeatedOption(option->word);
      seen_.push_back({option, at_ - 1});
      const Status status = ReadOption(option);
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
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const std::size_t end = i + 1 < seen_.size() ? seen_[i + 1].begin : arguments_.size();
      if (!IsSpecWithout(seen_[i].begin, end)) continue;
      if (seen_[i].option->word == "FIELDS") return end - 1;
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
    return std::any_of(seen_.begin(), seen_.end(), [word](const Seen& seen) {
      return seen.option != nullptr && seen.option->word == word;
    });
  }

  // Reads the value of the option; null: the last word is none.
  Status ReadOption(const Option* option) {
    if (option != nullptr && alters_ && option->is_fixed) {
      return CannotBeAltered(command_, option->word);
    }
    if (option != nullptr && !(alters_ && option->word == "ADOPT")) {
      return (this->*option->read)(option->word);
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
    return FindOption(arguments_[at]) != nullptr &&
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

  Status ReadNumber(std::string_view option, std::uint64_t* value) {
    const Result<std::string_view> text = Next(option);
    if (!text.ok()) return text.error();
    std::int64_t number = 0;
    const Status read = ReadWhole(beside_, first_ + at_ - 1, *text, option, 0, &number);
    if (!read.ok()) return read;
    *value = static_cast<std::uint64_t>(number);
    return Ok{};
  }

  // The functions below each read the value of an option.

  template <std::uint64_t Spec::*kMember>
  Status ReadCount(std::string_view option) {
    return ReadNumber(option, &(wanted_->spec.*kMember));
  }
  Status ReadFeed(std::string_view option) { return ReadNumber(option, &wanted_->feed.emplace()); }
  Status ReadPartitions(std::string_view option) {
    std::uint64_t partitions = 0;
    if (Status status = ReadNumber(option, &partitions); !status.ok()) return status;
    if (partitions != 1) return Err("PARTITIONS other than 1 is not supported yet");
    return Ok{};
  }
  Status ReadAdopt(std::string_view /*option*/) {
    wanted_->adopt = true;
    return Ok{};
  }

  // Reads a time. In LB.ALTER the word `none` removes it.
  template <std::optional<Stamp> Spec::*kMember>
  Status ReadTime(std::string_view option) {
    const Result<std::string_view> text = Next(option);
    if (!text.ok()) return text.error();
    std::optional<Stamp>& time = wanted_->spec.*kMember;
    if (alters_ && base::IsWord(*text, "NONE")) {
      time.reset();
      return Ok{};
    }
    const Result<Stamp> parsed = base::ParseTime(*text);
    if (!parsed.ok()) {
      return Error{parsed.error().code, Label(option) + ": " + parsed.error().message};
    }
    time = *parsed;
    return Ok{};
  }

  // Reads a value by kParse. With kNames an error begins with the name of the option.
  template <auto kMember, auto kParse, bool kNames = false>
  Status ReadParsed(std::string_view option) {
    const Result<std::string_view> text = Next(option);
    if (!text.ok()) return text.error();
    const auto parsed = kParse(*text);
    if (!parsed.ok() && kNames) return Err(Label(option) + ": " + parsed.error().message);
    if (!parsed.ok()) return parsed.error();
    wanted_->spec.*kMember = *parsed;
    return Ok{};
  }
  Status ReadZone(std::string_view option) {
    const Result<std::string_view> text = Next(option);
    if (!text.ok()) return text.error();
    wanted_->spec.zone = *text;
    wanted_->zone_word = at_ - 1;
    return Ok{};
  }

  // Reads the number of items of a list.
  Status ReadListCount(std::string_view option, std::uint64_t* count) {
    const auto from = arguments_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end = std::find_if(from, arguments_.end(), FindOption);
    if (from == end || !LacksCount(*from)) return ReadNumber(option, count);
    const auto given = static_cast<std::size_t>(end - from);
    return MissingCount(std::span(&option, 1), given, arguments_.subspan(at_, given));
  }

  // Reads the list of FIELDS or PERIODS: its count, and at most kMost items.
  template <auto kMember, auto kParse, std::size_t kMost>
  Status ReadList(std::string_view option) {
    std::uint64_t count = 0;
    if (Status status = ReadListCount(option, &count); !status.ok()) return status;
    const std::string items = base::Lower(option);
    if (count == 0 || count > kMost) {
      return Err("a leaderboard has 1 to " + std::to_string(kMost) + " " + items + ", got " +
                 std::to_string(count));
    }
    const std::string needs = std::string(option) + " " + std::to_string(count) + " needs " +
                              std::to_string(count) + " " + items + ", got ";
    if (count > arguments_.size() - at_) {
      return Err(needs + std::to_string(arguments_.size() - at_));
    }
    auto& list = wanted_->spec.*kMember;
    list.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      if (IsOption(at_)) {
        const std::string_view word = arguments_[at_];
        return Err(needs + std::to_string(i) +
                   (option == "FIELDS" ? ": " + base::Quote(word) + " is an option"
                                       : " before " + std::string(FindOption(word)->word)));
      }
      const auto item = kParse(arguments_[at_++]);
      if (!item.ok()) return item.error();
      list.push_back(*item);
    }
    return Ok{};
  }

  struct Seen {
    const Option* option;
    std::size_t begin;  // its position
  };

  std::span<const std::string_view> arguments_;
  SpecArguments* wanted_;
  const CommandInfo& command_;
  const BesideWords* beside_;
  std::size_t first_;  // the index of arguments_[0] among the words of the request
  bool alters_;
  Spec before_;  // the spec that LB.ALTER changes
  std::size_t at_ = 0;
  std::vector<Seen> seen_;
};

std::span<const OptionReader::Option> OptionReader::Options() {
  using R = OptionReader;
  constexpr bool kFixed = true;
  static constexpr Option kOptions[] = {
      {"FIELDS", kFixed, &R::ReadList<&Spec::fields, ParseField, kMaxFields>},
      {"TIE", kFixed, &R::ReadParsed<&Spec::tie, ParseTie>},
      {"PERIODS", kFixed, &R::ReadList<&Spec::periods, ParsePeriod, kPeriods>},
      {"TURN", kFixed, &R::ReadParsed<&Spec::turn_minutes, ParseTurnOption>},
      {"TZ", kFixed, &R::ReadZone},
      {"PARTITIONS", kFixed, &R::ReadPartitions},
      {"POLICY", false, &R::ReadParsed<&Spec::policy, ParsePolicy>},
      {"CAP", false, &R::ReadCount<&Spec::cap>},
      {"DEDUP", false, &R::ReadCount<&Spec::dedup>},
      {"START", false, &R::ReadTime<&Spec::start>},
      {"END", false, &R::ReadTime<&Spec::end>},
      {"GRACE", false, &R::ReadParsed<&Spec::grace_us, base::ParseDuration, true>},
      {"EXPIRE", false, &R::ReadParsed<&Spec::expire_us, base::ParseDuration, true>},
      {"KEEP", false, &R::ReadCount<&Spec::keep>},
      {"FEED", false, &R::ReadFeed},
      {"ADOPT", false, &R::ReadAdopt},
  };
  return kOptions;
}

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
    if (OptionReader::FindOption(rest.substr(0, end)) == nullptr) continue;
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
