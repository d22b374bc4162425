#include "wire/leaderboard_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "base/integer.h"
#include "base/text.h"
#include "base/time_text.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "leaderboard/limits.h"
#include "wire/command_syntax.h"
#include "wire/error_texts.h"
#include "wire/limits.h"

namespace laurel::wire {
namespace {

using base::IsWord;
using leaderboard::InstanceSelector;
using leaderboard::ReadOptions;

Error PeriodBesideInstance(std::string_view name) {
  return {ErrorCode::kErr,
          base::Quote(name) + " names an instance already: PERIOD goes with the board's own name"};
}

enum class WriteOption : std::uint8_t { kNone, kNx, kXx, kAt, kId, kMeta };

WriteOption WriteOptionOf(std::string_view word) {
  if (IsWord(word, "NX")) return WriteOption::kNx;
  if (IsWord(word, "XX")) return WriteOption::kXx;
  if (IsWord(word, "AT")) return WriteOption::kAt;
  if (IsWord(word, "ID")) return WriteOption::kId;
  if (IsWord(word, "META")) return WriteOption::kMeta;
  return WriteOption::kNone;
}

bool ReadKind(std::string_view word, RankKind* kind) {
  if (IsWord(word, "ORDINAL")) {
    *kind = RankKind::kOrdinal;
  } else if (IsWord(word, "COMPETITION")) {
    *kind = RankKind::kCompetition;
  } else if (IsWord(word, "DENSE")) {
    *kind = RankKind::kDense;
  } else {
    return false;
  }
  return true;
}

// The options of a read besides PERIOD: none, KIND, or KIND and WITHMETA.
enum class ReadOptionSet : std::uint8_t { kPeriod, kKind, kEntryOptions };

// Whether a word after the values of a score was probably meant as another number, not as an
// option.
bool LooksLikeNumber(std::string_view word) {
  return !word.empty() && word.find_first_of("0123456789+-.") == 0;
}

// Parses one request. Functions that return bool set error_ when they return false, except Has().
class OperationReader {
 public:
  OperationReader(const CommandInfo& command, std::span<const std::string_view> words,
                  const Spec& spec, const std::optional<InstanceSelector>& named,
                  ParsedOperation* parsed, const BesideWords* beside)
      : command_(command),
        words_(words),
        spec_(spec),
        named_(named),
        parsed_(*parsed),
        beside_(beside),
        marked_(beside != nullptr ? beside->scores : std::span<const ScoreWords>()) {}

  // How to read the words of a command.
  struct Grammar {
    bool (OperationReader::*read)() = nullptr;  // null: the command is not an operation
    bool whole_board = false;  // the operation is for whole boards, so instance names are refused
  };

  // REQUIRES: id < CommandId::kEnd.
  static const Grammar& GrammarOf(CommandId id) {
    constexpr bool kWholeBoard = true;
    static constexpr std::pair<CommandId, Grammar> kGrammars[] = {
        {CommandId::kLbSubmit, {&OperationReader::ReadSubmit<WriteMode::kSubmit>, kWholeBoard}},
        {CommandId::kLbSet, {&OperationReader::ReadSubmit<WriteMode::kSet>, kWholeBoard}},
        {CommandId::kLbIncr, {&OperationReader::ReadSubmit<WriteMode::kIncrement>, kWholeBoard}},
        {CommandId::kLbMSubmit, {&OperationReader::ReadSubmitMany, kWholeBoard}},
        {CommandId::kLbRestore, {&OperationReader::ReadRestore, kWholeBoard}},
        {CommandId::kLbMeta, {&OperationReader::ReadSetMeta}},
        {CommandId::kLbRemove, {&OperationReader::ReadRemove}},
        {CommandId::kLbHide, {&OperationReader::ReadMark<leaderboard::Hide>, kWholeBoard}},
        {CommandId::kLbShow, {&OperationReader::ReadMark<leaderboard::Show>, kWholeBoard}},
        {CommandId::kLbPop, {&OperationReader::ReadPop}},
        {CommandId::kLbTrim, {&OperationReader::ReadTrim}},
        {CommandId::kLbClear, {&OperationReader::ReadClear}},
        {CommandId::kLbAlter, {&OperationReader::ReadAlter, kWholeBoard}},
        {CommandId::kLbGet, {&OperationReader::ReadGet}},
        {CommandId::kLbTop, {&OperationReader::ReadTop}},
        {CommandId::kLbRange, {&OperationReader::ReadRange}},
        {CommandId::kLbAround, {&OperationReader::ReadAround}},
        {CommandId::kLbAmong, {&OperationReader::ReadAmong}},
        {CommandId::kLbRankOf, {&OperationReader::ReadRankOf}},
        {CommandId::kLbCount, {&OperationReader::ReadCount}},
        {CommandId::kLbBetween, {&OperationReader::ReadBetween}},
        {CommandId::kLbSize, {&OperationReader::ReadSize}},
        {CommandId::kLbPercentile, {&OperationReader::ReadPercentile}},
        {CommandId::kLbQuantile, {&OperationReader::ReadQuantile}},
        {CommandId::kLbHistogram, {&OperationReader::ReadHistogram}},
        {CommandId::kLbDescribe, {&OperationReader::ReadDescribe}},
        {CommandId::kLbPeriods, {&OperationReader::ReadPeriods, kWholeBoard}},
    };
    static constexpr auto kById = [] {
      std::array<Grammar, kCommandIds> by_id{};
      for (const auto& [command, grammar] : kGrammars) {
        by_id[static_cast<std::size_t>(command)] = grammar;
      }
      return by_id;
    }();
    LAUREL_ASSERT(id < CommandId::kEnd);
    return kById[static_cast<std::size_t>(id)];
  }

  bool Read() {
    parsed_.sets_time = false;
    parsed_.failed_word = kNoWord;
    parsed_.words = {};
    const Grammar& grammar = GrammarOf(command_.id);
    LAUREL_ASSERT(grammar.read != nullptr);
    if (grammar.whole_board && !RequireWholeBoard()) return false;
    return (this->*grammar.read)();
  }
  Error TakeError() { return std::move(error_); }

 private:
  bool Refuse(Error error) {
    error_ = std::move(error);
    return false;
  }
  bool Refuse(ErrorCode code, std::string message) {
    return Refuse(Error{code, std::move(message)});
  }
  // Refuses the argument at index `word`.
  bool RefuseWord(std::size_t word, Error error) {
    parsed_.failed_word = word;
    return Refuse(std::move(error));
  }
  // Returns the board's own name if words_[1] is the name of an instance.
  [[nodiscard]] std::string_view BoardName() const {
    return words_[1].substr(0, words_[1].size() - (named_ ? named_->text.size() + 1 : 0));
  }

  template <typename T>
  T& MakeRead() {
    return std::get<T>(
        parsed_.operation.emplace<leaderboard::ReadOperation>(std::in_place_type<T>));
  }
  template <typename T>
  T& MakeWrite() {
    return std::get<T>(
        parsed_.operation.emplace<leaderboard::WriteOperation>(std::in_place_type<T>));
  }

  [[nodiscard]] bool Has(std::size_t at, std::size_t count = 1) const {
    return at + count <= words_.size();
  }
  // Reads the number at index `at`. `what` names it in the error.
  bool TakeInteger(std::string_view what, std::size_t at, std::int64_t* value) {
    const Status read = ReadWhole(beside_, at, words_[at], what, INT64_MIN, value);
    return read.ok() || RefuseWord(at, read.error());
  }
  bool TakeCount(std::string_view what, std::size_t at, std::uint64_t* value,
                 std::int64_t least = 0) {
    std::int64_t number = 0;
    const Status read = ReadWhole(beside_, at, words_[at], what, least, &number);
    if (!read.ok()) return RefuseWord(at, read.error());
    *value = static_cast<std::uint64_t>(number);
    return true;
  }
  // Sets the flag of an option without value.
  bool TakeFlag(std::string_view option, bool* flag) {
    if (*flag) return Refuse(RepeatedOption(option));
    return *flag = true;
  }

  // Refuses the request if the name is an instance's. For operations on the whole board.
  bool RequireWholeBoard() {
    if (!named_) return true;
    return Refuse(ErrorCode::kErr, base::Quote(words_[1]) + " is a period of " +
                                       base::Quote(BoardName()) + ": name the board itself");
  }

  // Options -------------------------------------------------------------------------------------

  // Reads n, the count of the members that follow it, each with `values` values.
  bool TakeMemberCount(std::size_t values, std::int64_t least, std::uint64_t* count) {
    std::int64_t number = 0;
    const Status read = ReadWhole(beside_, 2, words_[2], "n", least, &number);
    *count = static_cast<std::uint64_t>(number);
    if (read.ok()) return true;
    if (!LacksCount(words_[2])) return Refuse(read.error());
    const std::vector<std::string> options = OptionWords(command_.syntax);
    const auto is_option = [&](std::string_view word) {
      return std::any_of(options.begin(), options.end(),
                         [&](const std::string& option) { return IsWord(word, option); });
    };
    const auto from = words_.begin() + 2;
    const auto end = std::find_if(from, words_.end(), is_option);
    const auto given = static_cast<std::size_t>(end - from);
    const bool whole = given % (values + 1) == 0;
    return Refuse(
        MissingCount(words_.first(2), whole ? given / (values + 1) : 0, words_.subspan(2, given)));
  }

  // Parses "PERIOD p" at word *at and advances *at.
  bool TakePeriod(std::size_t* at, std::optional<InstanceSelector>* instance) {
    if (named_) return Refuse(PeriodBesideInstance(words_[1]));
    if (*instance) return Refuse(RepeatedOption("PERIOD"));
    if (!Has(*at, 2)) return Refuse(MissingValue("PERIOD"));
    *instance = leaderboard::ParseSelector(words_[*at + 1]);
    *at += 2;
    return true;
  }

  bool TakeKind(std::size_t* at, RankKind* kind) {
    if (!TakeFlag("KIND", &has_kind_)) return false;
    if (!Has(*at, 2)) return Refuse(MissingValue("KIND"));
    const std::string_view word = words_[*at + 1];
    if (!ReadKind(word, kind)) {
      return Refuse(ErrorCode::kErr,
                    "unknown KIND " + base::Quote(word) + ": ordinal, competition, dense");
    }
    *at += 2;
    return true;
  }

  // Parses one option at word *at and advances *at.
  bool TakeReadOption(std::size_t* at, ReadOptionSet takes, ReadOptions* options) {
    const std::string_view word = words_[*at];
    if (IsWord(word, "PERIOD")) return TakePeriod(at, &options->instance);
    if (takes != ReadOptionSet::kPeriod && IsWord(word, "KIND"))
      return TakeKind(at, &options->kind);
    if (takes == ReadOptionSet::kEntryOptions && IsWord(word, "WITHMETA")) {
      ++*at;
      return TakeFlag("WITHMETA", &options->with_meta);
    }
    return RefuseOption(*at);
  }

  // Refuses a word that is not an option of the command.
  bool RefuseOption(std::size_t at) {
    std::int64_t first = 0;
    std::int64_t last = 0;
    if (command_.id == CommandId::kLbTop && at == 3 && base::ParseInteger(words_[2], &first) &&
        base::ParseInteger(words_[3], &last)) {
      return Refuse(TopWithTwoNumbers(words_[1], first, last));
    }
    return Refuse(UnknownOption(command_, words_[at]));
  }

  // Parses all words from `at` on as options of a read.
  bool TakeReadOptions(std::size_t at, ReadOptionSet takes, ReadOptions* options) {
    options->instance = named_;
    while (at < words_.size()) {
      if (!TakeReadOption(&at, takes, options)) return false;
    }
    return true;
  }

  // Parses all words from `at` on; PERIOD is the only option.
  bool TakePeriodOnly(std::size_t at, std::optional<InstanceSelector>* instance) {
    *instance = named_;
    while (at < words_.size()) {
      if (!IsWord(words_[at], "PERIOD")) return RefuseOption(at);
      if (!TakePeriod(&at, instance)) return false;
    }
    return true;
  }

  bool TakeCondition(WriteOption option, laurel::Write::If* condition) {
    using If = laurel::Write::If;
    const If wanted = option == WriteOption::kNx ? If::kAbsent : If::kPresent;
    if (*condition == wanted) return Refuse(RepeatedOption(wanted == If::kAbsent ? "NX" : "XX"));
    if (*condition != If::kAlways) return Refuse(ErrorCode::kErr, "NX and XX exclude each other");
    *condition = wanted;
    return true;
  }

  // Parses the options of a Submit or SubmitMany.
  template <typename Write>
  bool TakeWriteOptions(std::size_t at, Write* write) {
    constexpr bool kSingle = std::is_same_v<Write, leaderboard::Submit>;
    while (at < words_.size()) {
      const std::string_view word = words_[at];
      const WriteOption option = WriteOptionOf(word);
      if constexpr (kSingle) {
        if (option == WriteOption::kNx || option == WriteOption::kXx) {
          if (!TakeCondition(option, &write->condition)) return false;
          ++at;
          continue;
        }
      }
      const bool takes_value = option == WriteOption::kAt || option == WriteOption::kId ||
                               (kSingle && option == WriteOption::kMeta);
      if (!takes_value) return RefuseOption(at);
      if (!Has(at, 2)) return Refuse(MissingValue(word));
      const std::string_view value = words_[at + 1];
      if (option == WriteOption::kAt) {
        if (write->at) return Refuse(RepeatedOption(word));
        const Result<Stamp> time = base::ParseTime(value);
        if (!time.ok()) return RefuseWord(at + 1, Labelled(beside_, at + 1, time.error()));
        write->at = *time;
        parsed_.words.time = at + 1;
        parsed_.sets_time = true;
      } else if (option == WriteOption::kId) {
        if (write->id) return Refuse(RepeatedOption(word));
        write->id = value;
        parsed_.words.id = at + 1;
      } else if constexpr (kSingle) {
        if (write->meta) return Refuse(RepeatedOption(word));
        write->meta = value;
      }
      at += 2;
    }
    return true;
  }

  // Refuses a word after the values of a score that is neither a number nor an option.
  bool TakesValues(std::size_t begin, std::size_t end) {
    const std::size_t after = begin + spec_.fields.size();
    if (after >= end || LooksLikeNumber(words_[after])) return true;
    return RefuseOption(after);
  }

  // Parses a score that is marked in BesideWords.
  bool TakeMarked(const ScoreWords& marked, Score* score) {
    const Result<Score> parsed = ParseMarked(marked, *beside_, words_, spec_, BoardName());
    if (!parsed.ok()) {
      return RefuseWord(marked.first, Labelled(beside_, marked.first, parsed.error()));
    }
    *score = *parsed;
    return true;
  }

  // Writes --------------------------------------------------------------------------------------

  template <WriteMode mode>
  bool ReadSubmit() {
    auto& submit = MakeWrite<leaderboard::Submit>();
    submit.mode = mode;
    submit.member = words_[2];
    if (!marked_.empty()) {
      submit.values.score = &parsed_.score;
      parsed_.words.score = marked_[0].first;
      return TakeMarked(marked_[0], &parsed_.score) &&
             TakeWriteOptions(3 + marked_[0].count, &submit);
    }
    // The values end at the first option word. The leaderboard checks their number.
    std::size_t end = 3;
    while (end < words_.size() && WriteOptionOf(words_[end]) == WriteOption::kNone) ++end;
    submit.values.texts = words_.subspan(3, end - 3);
    return TakesValues(3, end) && TakeWriteOptions(end, &submit);
  }

  bool ReadMarkedSubmits() {
    parsed_.writes.clear();
    for (const ScoreWords& marked : marked_) {
      laurel::Write& write = parsed_.writes.emplace_back();
      write.member = words_[marked.first - 1];
      if (!TakeMarked(marked, &write.score)) return false;
    }
    parsed_.words.score = marked_.size() == 1 ? marked_[0].first : 2;  // or all together
    auto& many = MakeWrite<leaderboard::SubmitMany>();
    many.writes = parsed_.writes;
    if (!TakesMembers(marked_.size())) return false;
    if (!TakeWriteOptions(marked_.back().first + marked_.back().count, &many)) return false;
    for (laurel::Write& write : parsed_.writes) write.at = many.at;
    return true;
  }

  // Refuses more members than one LB.MSUBMIT accepts.
  bool TakesMembers(std::uint64_t count) {
    if (count <= leaderboard::kMaxSubmits) return true;
    return Refuse(ErrorCode::kLimit, "one call takes at most " +
                                         std::to_string(leaderboard::kMaxSubmits) + " members");
  }

  bool ReadSubmitMany() {
    if (!marked_.empty()) return ReadMarkedSubmits();
    std::uint64_t count = 0;
    if (!TakeMemberCount(spec_.fields.size(), 1, &count) || !TakesMembers(count)) return false;
    const std::size_t fields = spec_.fields.size();
    const std::size_t given = words_.size() - 3;
    if (count > given / (fields + 1)) {
      return Refuse(ErrorCode::kErr, base::Quote(words_[1]) + " takes a member and " +
                                         std::to_string(fields) +
                                         (fields == 1 ? " value" : " values") + " for each of " +
                                         std::to_string(count) + ", got " + std::to_string(given) +
                                         (given == 1 ? " word" : " words") +
                                         ": the number before them says how many follow");
    }
    auto& many = MakeWrite<leaderboard::SubmitMany>();
    many.texts = words_.subspan(3, count * (fields + 1));
    return TakeWriteOptions(3 + many.texts.size(), &many);
  }

  bool ReadRestore() {
    auto& restore = MakeWrite<leaderboard::Restore>();
    restore.chunk = words_[2];
    for (std::size_t at = 3; at < words_.size(); ++at) {
      if (!IsWord(words_[at], "META")) return RefuseOption(at);
      if (!TakeFlag("META", &restore.with_meta)) return false;
    }
    return true;
  }

  bool ReadSetMeta() {
    auto& meta = MakeWrite<leaderboard::SetMeta>();
    meta.member = words_[2];
    meta.meta = words_[3];
    meta.instance = named_;
    return true;
  }

  bool ReadRemove() {
    auto& remove = MakeWrite<leaderboard::Remove>();
    remove.members = words_.subspan(2);
    remove.instance = named_;
    return true;
  }

  template <typename Mark>
  bool ReadMark() {
    MakeWrite<Mark>().members = words_.subspan(2);
    return true;
  }

  bool ReadPop() {
    auto& pop = MakeWrite<leaderboard::Pop>();
    pop.instance = named_;
    if (!TakeCount("n", 2, &pop.count)) return false;
    for (std::size_t at = 3; at < words_.size();) {
      if (IsWord(words_[at], "PERIOD")) {
        if (!TakePeriod(&at, &pop.instance)) return false;
        continue;
      }
      if (IsWord(words_[at], "BOTTOM")) {
        if (!TakeFlag("BOTTOM", &pop.worst)) return false;
      } else if (IsWord(words_[at], "WITHMETA")) {
        if (!TakeFlag("WITHMETA", &pop.with_meta)) return false;
      } else {
        return RefuseOption(at);
      }
      ++at;
    }
    return true;
  }

  bool ReadTrim() {
    auto& trim = MakeWrite<leaderboard::Trim>();
    return TakeCount("n", 2, &trim.kept) && TakePeriodOnly(3, &trim.instance);
  }

  bool ReadClear() { return TakePeriodOnly(2, &MakeWrite<leaderboard::Clear>().instance); }

  bool ReadAlter() {
    parsed_.altered = {};
    parsed_.altered.spec = spec_;
    const Status read =
        ParseAlterArguments(words_.subspan(2), &parsed_.altered, command_, beside_, 2);
    const std::size_t failed = parsed_.altered.failed_word;
    parsed_.words.spec = failed == kNoWord ? failed : failed + 2;
    if (!read.ok()) return RefuseWord(parsed_.words.spec, read.error());
    MakeWrite<leaderboard::Alter>().spec = &parsed_.altered.spec;
    return true;
  }

  // Reads ---------------------------------------------------------------------------------------

  bool ReadGet() {
    auto& get = MakeRead<leaderboard::Get>();
    get.member = words_[2];
    return TakeReadOptions(3, ReadOptionSet::kEntryOptions, &get.options);
  }

  bool ReadTop() {
    auto& top = MakeRead<leaderboard::Top>();
    return TakeCount("n", 2, &top.count) &&
           TakeReadOptions(3, ReadOptionSet::kEntryOptions, &top.options);
  }

  bool ReadRange() {
    auto& range = MakeRead<leaderboard::Range>();
    if (!TakeInteger("first", 2, &range.first) || !TakeInteger("last", 3, &range.last))
      return false;
    if (beside_ != nullptr && beside_->takes_page) {
      constexpr std::int64_t kFar = INT64_MAX / 4;  // beyond any entry
      const std::int64_t offset = std::clamp(range.first, -kFar, kFar);
      const std::int64_t size = std::clamp(range.last, -kFar, kFar);
      // A negative offset counts from the end: the page then stops at the last entry.
      range.first = offset >= 0 ? offset + 1 : offset;
      range.last = offset >= 0 ? offset + size : std::min<std::int64_t>(-1, offset + size - 1);
      if (range.last == 0) range = {.first = 2, .last = 1};  // no entry: there is no rank 0
    }
    return TakeReadOptions(4, ReadOptionSet::kEntryOptions, &range.options);
  }

  bool ReadAround() {
    auto& around = MakeRead<leaderboard::Around>();
    around.member = words_[2];
    return TakeCount("m", 3, &around.radius) &&
           TakeReadOptions(4, ReadOptionSet::kEntryOptions, &around.options);
  }

  bool ReadAmong() {
    std::uint64_t count = 0;
    if (!TakeMemberCount(0, 0, &count)) return false;
    const std::size_t given = words_.size() - 3;
    if (count > given) {
      return Refuse(ErrorCode::kErr, "LB.AMONG is to look up " + std::to_string(count) +
                                         " members, got " + std::to_string(given) +
                                         ": the number before them says how many follow");
    }
    if (count > leaderboard::kMaxAmong) {
      return Refuse(ErrorCode::kLimit, "one call takes at most " +
                                           std::to_string(leaderboard::kMaxAmong) + " members");
    }
    auto& among = MakeRead<leaderboard::Among>();
    among.members = words_.subspan(3, count);
    return TakeReadOptions(3 + count, ReadOptionSet::kEntryOptions, &among.options);
  }

  bool ReadRankOf() {
    auto& rank_of = MakeRead<leaderboard::RankOf>();
    if (!marked_.empty()) {
      rank_of.values.score = &parsed_.score;
      parsed_.words.score = marked_[0].first;
      return TakeMarked(marked_[0], &parsed_.score) &&
             TakeReadOptions(2 + marked_[0].count, ReadOptionSet::kKind, &rank_of.options);
    }
    std::size_t end = 2;
    while (end < words_.size() && !IsWord(words_[end], "KIND") && !IsWord(words_[end], "PERIOD")) {
      ++end;
    }
    rank_of.values.texts = words_.subspan(2, end - 2);
    return TakesValues(2, end) && TakeReadOptions(end, ReadOptionSet::kKind, &rank_of.options);
  }

  // Reads the bounds at index 2 and 3.
  bool TakeBounds(leaderboard::Bounds* bounds) {
    const auto take = [&](std::size_t at, std::string_view what, BoundSide side,
                          ScoreBound* bound) {
      const Result<ScoreBound> read =
          leaderboard::ReadBound(spec_, LabelOf(beside_, at, what), words_[at], side);
      if (!read.ok()) return RefuseWord(at, read.error());
      *bound = *read;
      return true;
    };
    *bounds = {words_[2], words_[3], &parsed_.bounds};
    return take(2, "min", BoundSide::kMin, &parsed_.bounds.min) &&
           take(3, "max", BoundSide::kMax, &parsed_.bounds.max);
  }

  bool ReadCount() {
    auto& count = MakeRead<leaderboard::Count>();
    if (!TakeBounds(&count.bounds)) return false;
    return TakeReadOptions(4, ReadOptionSet::kPeriod, &count.options);
  }

  bool ReadBetween() {
    auto& between = MakeRead<leaderboard::Between>();
    if (!TakeBounds(&between.bounds)) return false;
    between.options.instance = named_;
    bool has_limit = false;
    for (std::size_t at = 4; at < words_.size();) {
      if (IsWord(words_[at], "LIMIT")) {
        if (!TakeFlag("LIMIT", &has_limit)) return false;
        if (!Has(at, 3)) return Refuse(ErrorCode::kErr, "LIMIT needs an offset and a count");
        if (!TakeCount("LIMIT offset", at + 1, &between.offset)) return false;
        if (!TakeCount("LIMIT count", at + 2, &between.limit)) return false;
        at += 3;
      } else if (!TakeReadOption(&at, ReadOptionSet::kEntryOptions, &between.options)) {
        return false;
      }
    }
    return true;
  }

  bool ReadSize() {
    return TakeReadOptions(2, ReadOptionSet::kPeriod, &MakeRead<leaderboard::Size>().options);
  }

  bool ReadPercentile() {
    auto& percentile = MakeRead<leaderboard::PercentileOf>();
    percentile.member = words_[2];
    return TakeReadOptions(3, ReadOptionSet::kPeriod, &percentile.options);
  }

  bool ReadQuantile() {
    constexpr int kPercentDecimals = 9;
    auto& quantile = MakeRead<leaderboard::Quantile>();
    parsed_.words.number = 2;
    const Result<std::int64_t> percent = ParseNumber(words_[2], kPercentDecimals);
    if (!percent.ok()) {
      return RefuseWord(
          2, {ErrorCode::kErr, std::string(LabelOf(beside_, 2, "p")) +
                                   " must be a number from 0 to 100 with at most 9 decimals, got " +
                                   base::Quote(words_[2])});
    }
    quantile.percent = *percent;
    return TakeReadOptions(3, ReadOptionSet::kPeriod, &quantile.options);
  }

  bool ReadHistogram() {
    auto& histogram = MakeRead<leaderboard::Histogram>();
    return TakeCount("buckets", 2, &histogram.buckets, 1) &&
           TakeReadOptions(3, ReadOptionSet::kPeriod, &histogram.options);
  }

  bool ReadDescribe() { return TakePeriodOnly(2, &MakeRead<leaderboard::Describe>().instance); }

  bool ReadPeriods() {
    MakeRead<leaderboard::ListPeriods>();
    return true;
  }

  const CommandInfo& command_;
  std::span<const std::string_view> words_;
  const Spec& spec_;
  const std::optional<InstanceSelector>& named_;
  ParsedOperation& parsed_;
  const BesideWords* beside_;
  std::span<const ScoreWords> marked_;
  bool has_kind_ = false;
  Error error_;
};

// Reads the start of LB.CHANGES. A minus sign and digits are -n, of any length.
Status ReadPlace(std::string_view word, bool has_count, ChangesArguments* wanted) {
  using From = ChangesArguments::From;
  const bool is_last = word.size() > 1 && word[0] == '-' &&
                       word.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (is_last) {
    std::int64_t last = 0;
    if (!base::ParseInteger(word.substr(1), &last) || last < 1 || last > kMaxChanges) {
      return Error{ErrorCode::kErr,
                   "-n is -1 to -" + std::to_string(kMaxChanges) + ", got " + base::Quote(word)};
    }
    wanted->from = From::kLast;
    wanted->last = static_cast<std::size_t>(last);
    wanted->count = has_count ? std::min(wanted->count, wanted->last) : wanted->last;
  } else if (word == "$") {
    wanted->from = From::kEnd;
  } else if (word != "0") {
    wanted->from = From::kCursor;
    wanted->cursor = word;
  }
  return Ok{};
}

}  // namespace

bool IsOperation(CommandId id) { return OperationReader::GrammarOf(id).read != nullptr; }

bool TakesTemplates(const CommandInfo& command) {
  switch (command.id) {
    case CommandId::kLbSubmit:
    case CommandId::kLbSet:
    case CommandId::kLbIncr:
    case CommandId::kLbMSubmit:
    case CommandId::kLbHide:
      return true;
    case CommandId::kLbDescribe:
    case CommandId::kLbPeriods:
    case CommandId::kLbWalk:
      return false;
    default:
      return command.Has(wire::kReadOnly);
  }
}

bool TakesWholeBoard(CommandId id) { return OperationReader::GrammarOf(id).whole_board; }

Status ParseOperation(const CommandInfo& command, std::span<const std::string_view> words,
                      const Spec& spec, const std::optional<InstanceSelector>& named,
                      ParsedOperation* parsed, const BesideWords* beside) {
  LAUREL_ASSERT(IsOperation(command.id));
  const bool has_scores = beside != nullptr && !beside->scores.empty();
  LAUREL_ASSERT(has_scores || command.AcceptsCount(words.size()));
  OperationReader reader(command, words, spec, named, parsed, beside);
  if (reader.Read()) return Ok{};
  return reader.TakeError();
}

Status ParseChanges(std::span<const std::string_view> words,
                    const std::optional<InstanceSelector>& named, ChangesArguments* wanted,
                    const BesideWords* beside) {
  LAUREL_ASSERT(CommandOf(CommandId::kLbChanges).AcceptsCount(words.size()));
  *wanted = {};
  wanted->instance = named;
  bool has_count = false;
  const auto refuse = [wanted](std::size_t word, Error error) {
    wanted->failed_word = word;
    return error;
  };
  for (std::size_t at = 3; at < words.size(); at += 2) {
    const std::string_view word = words[at];
    const bool is_member = IsWord(word, "MEMBER");
    const bool is_period = IsWord(word, "PERIOD");
    const bool is_count = IsWord(word, "COUNT");
    if (!is_member && !is_period && !is_count && !IsWord(word, "BLOCK")) {
      return UnknownOption(CommandOf(CommandId::kLbChanges), word);
    }
    if (at + 1 == words.size()) return MissingValue(word);
    const std::string_view value = words[at + 1];
    if (is_period && named) return PeriodBesideInstance(words[1]);
    if (is_member   ? wanted->member.has_value()
        : is_period ? wanted->instance.has_value()
        : is_count  ? has_count
                    : wanted->block_ms.has_value()) {
      return RepeatedOption(word);
    }
    if (is_member) {
      wanted->member = value;
    } else if (is_period) {
      wanted->instance = leaderboard::ParseSelector(value);
    } else if (is_count) {
      std::int64_t count = 0;
      const Status read = ReadWhole(beside, at + 1, value, "COUNT", 1, &count);
      if (!read.ok()) return refuse(at + 1, read.error());
      if (count > kMaxChanges) {
        return refuse(at + 1, {ErrorCode::kErr, "COUNT is 1 to " + std::to_string(kMaxChanges) +
                                                    ", got " + base::Quote(value)});
      }
      has_count = true;
      wanted->count = static_cast<std::size_t>(count);
    } else {
      std::int64_t block_ms = 0;
      const Status read = ReadWhole(beside, at + 1, value, "BLOCK", 0, &block_ms);
      if (!read.ok()) return refuse(at + 1, read.error());
      wanted->block_ms = block_ms;
    }
  }
  const Status place = ReadPlace(words[2], has_count, wanted);
  return place.ok() ? place : refuse(2, place.error());
}

std::string FormatCursor(std::span<const std::uint64_t> parts) {
  std::string text;
  for (const std::uint64_t part : parts) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof(digits), part, 16).ptr;
    if (!text.empty()) text += '-';
    text.append(digits, end);
  }
  return text;
}

Status ParseCursor(std::string_view text, std::span<std::uint64_t* const> parts) {
  std::string_view left = text;
  for (std::uint64_t* part : parts) {
    if (part != parts.front()) {
      if (!left.starts_with('-')) return NoCursor(text);
      left.remove_prefix(1);
    }
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), *part, 16);
    if (error != std::errc()) return NoCursor(text);
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
  }
  return left.empty() ? Status(Ok{}) : NoCursor(text);
}

}  // namespace laurel::wire
