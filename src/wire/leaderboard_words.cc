#include "wire/leaderboard_words.h"

#include <string>
#include <utility>
#include <variant>

#include "base/assert.h"
#include "base/integer.h"
#include "base/text.h"
#include "base/time_text.h"
#include "laurel/limits.h"
#include "laurel/score.h"
#include "leaderboard/limits.h"
#include "wire/error_texts.h"
#include "wire/limits.h"

namespace laurel::wire {
namespace {

using base::IsWord;
using leaderboard::InstanceSelector;
using leaderboard::ReadOptions;

// The error for a text of error_texts.h. REQUIRES: its code is ERR.
Error Fault(std::string_view line) {
  constexpr std::string_view kCode = "ERR ";
  LAUREL_ASSERT(line.starts_with(kCode));
  return {ErrorCode::kErr, std::string(line.substr(kCode.size()))};
}

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

// The options of a read: PERIOD alone, or also KIND and WITHMETA.
enum class Takes : std::uint8_t { kPeriod, kEntryOptions };

// Parses one request. Functions that return bool set error_ when they return false, except Has().
class OperationReader {
 public:
  OperationReader(const CommandInfo& command, std::span<const std::string_view> words,
                  const Spec& spec, const std::optional<InstanceSelector>& named,
                  ParsedOperation* parsed)
      : command_(command), words_(words), spec_(spec), named_(named), parsed_(*parsed) {}

  bool Read();
  Error TakeError() { return std::move(error_); }

 private:
  bool Refuse(Error error) {
    error_ = std::move(error);
    return false;
  }
  bool Refuse(ErrorCode code, std::string message) {
    return Refuse(Error{code, std::move(message)});
  }
  bool RefuseSyntax() { return Refuse(Fault(kSyntaxError)); }
  // For operations on the whole board: refuses the request if the name is an instance's.
  bool IsWhole();

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
  bool TakeInteger(std::string_view word, std::int64_t* value) {
    return base::ParseInteger(word, value) || Refuse(Fault(kNotInteger));
  }
  // A whole number, at least `least`.
  bool TakeCount(std::string_view word, std::uint64_t* value, std::int64_t least = 0) {
    std::int64_t number = 0;
    if (!base::ParseInteger(word, &number) || number < least) return Refuse(Fault(kMustBePositive));
    *value = static_cast<std::uint64_t>(number);
    return true;
  }
  // Parses "PERIOD p" at word *at and advances *at.
  bool TakePeriod(std::size_t* at, std::optional<InstanceSelector>* instance);
  // Parses all words from `at` on as options of a read.
  bool TakeReadOptions(std::size_t at, Takes takes, ReadOptions* options);
  // Parses one option at word *at and advances *at.
  bool TakeReadOption(std::size_t* at, Takes takes, ReadOptions* options);
  // Parses all words from `at` on; PERIOD is the only option.
  bool TakePeriodOnly(std::size_t at, std::optional<InstanceSelector>* instance);
  // Parses all words from `at` on as options of a Submit or SubmitMany.
  template <typename Write>
  bool TakeWriteOptions(std::size_t at, Write* write);

  bool ReadSubmit(WriteMode mode);
  bool ReadSubmitMany();
  bool ReadSetMeta();
  bool ReadRemove();
  template <typename Mark>
  bool ReadMark();
  bool ReadPop();
  bool ReadTrim();
  bool ReadClear();
  bool ReadAlter();
  bool ReadGet();
  bool ReadTop();
  bool ReadRange();
  bool ReadAround();
  bool ReadAmong();
  bool ReadRankOf();
  bool ReadCount();
  bool ReadBetween();
  bool ReadSize();
  bool ReadPercentile();
  bool ReadQuantile();
  bool ReadHistogram();
  bool ReadDescribe();
  bool ReadPeriods();

  const CommandInfo& command_;
  std::span<const std::string_view> words_;
  const Spec& spec_;
  const std::optional<InstanceSelector>& named_;
  ParsedOperation& parsed_;
  Error error_;
};

bool OperationReader::Read() {
  parsed_.sets_time = false;
  switch (command_.id) {
    case CommandId::kLbSubmit:
      return ReadSubmit(WriteMode::kSubmit);
    case CommandId::kLbSet:
      return ReadSubmit(WriteMode::kSet);
    case CommandId::kLbIncr:
      return ReadSubmit(WriteMode::kIncrement);
    case CommandId::kLbMSubmit:
      return ReadSubmitMany();
    case CommandId::kLbMeta:
      return ReadSetMeta();
    case CommandId::kLbRemove:
      return ReadRemove();
    case CommandId::kLbHide:
      return ReadMark<leaderboard::Hide>();
    case CommandId::kLbShow:
      return ReadMark<leaderboard::Show>();
    case CommandId::kLbPop:
      return ReadPop();
    case CommandId::kLbTrim:
      return ReadTrim();
    case CommandId::kLbClear:
      return ReadClear();
    case CommandId::kLbAlter:
      return ReadAlter();
    case CommandId::kLbGet:
      return ReadGet();
    case CommandId::kLbTop:
      return ReadTop();
    case CommandId::kLbRange:
      return ReadRange();
    case CommandId::kLbAround:
      return ReadAround();
    case CommandId::kLbAmong:
      return ReadAmong();
    case CommandId::kLbRankOf:
      return ReadRankOf();
    case CommandId::kLbCount:
      return ReadCount();
    case CommandId::kLbBetween:
      return ReadBetween();
    case CommandId::kLbSize:
      return ReadSize();
    case CommandId::kLbPercentile:
      return ReadPercentile();
    case CommandId::kLbQuantile:
      return ReadQuantile();
    case CommandId::kLbHistogram:
      return ReadHistogram();
    case CommandId::kLbDescribe:
      return ReadDescribe();
    case CommandId::kLbPeriods:
      return ReadPeriods();
    default:
      LAUREL_ASSERT(false);
      return false;
  }
}

bool OperationReader::IsWhole() {
  if (!named_) return true;
  const std::string_view name = words_[1];
  const std::string_view board = name.substr(0, name.size() - named_->text.size() - 1);
  return Refuse(ErrorCode::kErr, base::Quote(name) + " is a period of " + base::Quote(board) +
                                     ": " + LowerName(command_) + " takes the board itself");
}

// Options -----------------------------------------------------------------------------------------

bool OperationReader::TakePeriod(std::size_t* at, std::optional<InstanceSelector>* instance) {
  if (named_) return Refuse(PeriodBesideInstance(words_[1]));
  if (*instance || !Has(*at, 2)) return RefuseSyntax();
  *instance = leaderboard::ParseSelector(words_[*at + 1]);
  *at += 2;
  return true;
}

bool OperationReader::TakeReadOption(std::size_t* at, Takes takes, ReadOptions* options) {
  const std::string_view word = words_[*at];
  if (IsWord(word, "PERIOD")) return TakePeriod(at, &options->instance);
  if (takes == Takes::kEntryOptions) {
    if (IsWord(word, "WITHMETA")) {
      options->with_meta = true;
      ++*at;
      return true;
    }
    if (IsWord(word, "KIND") && Has(*at, 2) && ReadKind(words_[*at + 1], &options->kind)) {
      *at += 2;
      return true;
    }
  }
  return RefuseSyntax();
}

bool OperationReader::TakeReadOptions(std::size_t at, Takes takes, ReadOptions* options) {
  options->instance = named_;
  while (at < words_.size()) {
    if (!TakeReadOption(&at, takes, options)) return false;
  }
  return true;
}

bool OperationReader::TakePeriodOnly(std::size_t at, std::optional<InstanceSelector>* instance) {
  *instance = named_;
  while (at < words_.size()) {
    if (!IsWord(words_[at], "PERIOD")) return RefuseSyntax();
    if (!TakePeriod(&at, instance)) return false;
  }
  return true;
}

template <typename Write>
bool OperationReader::TakeWriteOptions(std::size_t at, Write* write) {
  constexpr bool kSingle = std::is_same_v<Write, leaderboard::Submit>;
  while (at < words_.size()) {
    const WriteOption option = WriteOptionOf(words_[at]);
    if constexpr (kSingle) {
      if (option == WriteOption::kNx || option == WriteOption::kXx) {
        if (write->condition != laurel::Write::If::kAlways) return RefuseSyntax();
        write->condition =
            option == WriteOption::kNx ? laurel::Write::If::kAbsent : laurel::Write::If::kPresent;
        ++at;
        continue;
      }
      if (option == WriteOption::kMeta && Has(at, 2) && !write->meta) {
        write->meta = words_[at + 1];
        at += 2;
        continue;
      }
    }
    if (option == WriteOption::kAt && Has(at, 2) && !write->at) {
      const Result<Stamp> time = base::ParseTime(words_[at + 1]);
      if (!time.ok()) return Refuse(time.error());
      write->at = *time;
      parsed_.sets_time = true;
    } else if (option == WriteOption::kId && Has(at, 2) && !write->id) {
      write->id = words_[at + 1];
    } else {
      return RefuseSyntax();
    }
    at += 2;
  }
  return true;
}

// Writes ------------------------------------------------------------------------------------------

bool OperationReader::ReadSubmit(WriteMode mode) {
  if (!IsWhole()) return false;
  auto& submit = MakeWrite<leaderboard::Submit>();
  submit.mode = mode;
  submit.member = words_[2];
  // The values end at the first option word. The leaderboard checks how many there are.
  std::size_t end = 3;
  while (end < words_.size() && WriteOptionOf(words_[end]) == WriteOption::kNone) ++end;
  submit.values.texts = words_.subspan(3, end - 3);
  return TakeWriteOptions(end, &submit);
}

bool OperationReader::ReadSubmitMany() {
  if (!IsWhole()) return false;
  std::uint64_t count = 0;
  if (!TakeCount(words_[2], &count, 1)) return false;
  if (count > leaderboard::kMaxSubmits) {
    return Refuse(ErrorCode::kLimit, "LB.MSUBMIT takes at most " +
                                         std::to_string(leaderboard::kMaxSubmits) + " members");
  }
  const std::size_t fields = spec_.fields.size();
  const std::size_t given = words_.size() - 3;
  if (count > given / (fields + 1)) {
    return Refuse(ErrorCode::kErr, base::Quote(words_[1]) + " takes a member and " +
                                       std::to_string(fields) + " values for each of " +
                                       std::to_string(count) + ", got " + std::to_string(given) +
                                       " words");
  }
  auto& many = MakeWrite<leaderboard::SubmitMany>();
  many.words = words_.subspan(3, count * (fields + 1));
  return TakeWriteOptions(3 + many.words.size(), &many);
}

bool OperationReader::ReadSetMeta() {
  auto& meta = MakeWrite<leaderboard::SetMeta>();
  meta.member = words_[2];
  meta.meta = words_[3];
  meta.instance = named_;
  return true;
}

bool OperationReader::ReadRemove() {
  auto& remove = MakeWrite<leaderboard::Remove>();
  remove.members = words_.subspan(2);
  remove.instance = named_;
  return true;
}

template <typename Mark>
bool OperationReader::ReadMark() {
  if (!IsWhole()) return false;
  MakeWrite<Mark>().members = words_.subspan(2);
  return true;
}

bool OperationReader::ReadPop() {
  auto& pop = MakeWrite<leaderboard::Pop>();
  pop.instance = named_;
  if (!TakeCount(words_[2], &pop.count)) return false;
  for (std::size_t at = 3; at < words_.size();) {
    if (IsWord(words_[at], "PERIOD")) {
      if (!TakePeriod(&at, &pop.instance)) return false;
      continue;
    }
    if (IsWord(words_[at], "BOTTOM")) {
      pop.worst = true;
    } else if (IsWord(words_[at], "WITHMETA")) {
      pop.with_meta = true;
    } else {
      return RefuseSyntax();
    }
    ++at;
  }
  return true;
}

bool OperationReader::ReadTrim() {
  auto& trim = MakeWrite<leaderboard::Trim>();
  return TakeCount(words_[2], &trim.kept) && TakePeriodOnly(3, &trim.instance);
}

bool OperationReader::ReadClear() {
  return TakePeriodOnly(2, &MakeWrite<leaderboard::Clear>().instance);
}

bool OperationReader::ReadAlter() {
  if (!IsWhole()) return false;
  parsed_.altered = {};
  parsed_.altered.spec = spec_;
  const Status read = ParseAlterArguments(words_.subspan(2), &parsed_.altered);
  if (!read.ok()) return Refuse(read.error());
  MakeWrite<leaderboard::Alter>().spec = &parsed_.altered.spec;
  return true;
}

// Reads -------------------------------------------------------------------------------------------

bool OperationReader::ReadGet() {
  auto& get = MakeRead<leaderboard::Get>();
  get.member = words_[2];
  return TakeReadOptions(3, Takes::kEntryOptions, &get.options);
}

bool OperationReader::ReadTop() {
  auto& top = MakeRead<leaderboard::Top>();
  return TakeCount(words_[2], &top.count) && TakeReadOptions(3, Takes::kEntryOptions, &top.options);
}

bool OperationReader::ReadRange() {
  auto& range = MakeRead<leaderboard::Range>();
  return TakeInteger(words_[2], &range.first) && TakeInteger(words_[3], &range.last) &&
         TakeReadOptions(4, Takes::kEntryOptions, &range.options);
}

bool OperationReader::ReadAround() {
  auto& around = MakeRead<leaderboard::Around>();
  around.member = words_[2];
  return TakeCount(words_[3], &around.radius) &&
         TakeReadOptions(4, Takes::kEntryOptions, &around.options);
}

bool OperationReader::ReadAmong() {
  std::uint64_t count = 0;
  if (!TakeCount(words_[2], &count)) return false;
  if (count > leaderboard::kMaxAmong) {
    return Refuse(ErrorCode::kLimit,
                  "LB.AMONG takes at most " + std::to_string(leaderboard::kMaxAmong) + " members");
  }
  const std::size_t given = words_.size() - 3;
  if (count > given) {
    return Refuse(ErrorCode::kErr, std::to_string(count) + " members are announced, " +
                                       std::to_string(given) + " given");
  }
  auto& among = MakeRead<leaderboard::Among>();
  among.members = words_.subspan(3, count);
  return TakeReadOptions(3 + count, Takes::kEntryOptions, &among.options);
}

bool OperationReader::ReadRankOf() {
  auto& rank_of = MakeRead<leaderboard::RankOf>();
  std::size_t end = 2;
  while (end < words_.size() && !IsWord(words_[end], "KIND") && !IsWord(words_[end], "PERIOD")) {
    ++end;
  }
  rank_of.values.texts = words_.subspan(2, end - 2);
  return TakeReadOptions(end, Takes::kEntryOptions, &rank_of.options);
}

bool OperationReader::ReadCount() {
  auto& count = MakeRead<leaderboard::Count>();
  count.bounds = {words_[2], words_[3]};
  return TakeReadOptions(4, Takes::kPeriod, &count.options);
}

bool OperationReader::ReadBetween() {
  auto& between = MakeRead<leaderboard::Between>();
  between.bounds = {words_[2], words_[3]};
  between.options.instance = named_;
  for (std::size_t at = 4; at < words_.size();) {
    if (IsWord(words_[at], "LIMIT") && Has(at, 3)) {
      if (!TakeCount(words_[at + 1], &between.offset)) return false;
      if (!TakeCount(words_[at + 2], &between.limit)) return false;
      at += 3;
    } else if (!TakeReadOption(&at, Takes::kEntryOptions, &between.options)) {
      return false;
    }
  }
  return true;
}

bool OperationReader::ReadSize() {
  return TakeReadOptions(2, Takes::kPeriod, &MakeRead<leaderboard::Size>().options);
}

bool OperationReader::ReadPercentile() {
  auto& percentile = MakeRead<leaderboard::PercentileOf>();
  percentile.member = words_[2];
  return TakeReadOptions(3, Takes::kPeriod, &percentile.options);
}

bool OperationReader::ReadQuantile() {
  constexpr int kPercentDecimals = 9;
  auto& quantile = MakeRead<leaderboard::Quantile>();
  const Result<std::int64_t> percent = ParseNumber(words_[2], kPercentDecimals);
  if (!percent.ok()) return Refuse(ErrorCode::kErr, "a quantile lies between 0 and 100");
  quantile.percent = *percent;
  return TakeReadOptions(3, Takes::kPeriod, &quantile.options);
}

bool OperationReader::ReadHistogram() {
  auto& histogram = MakeRead<leaderboard::Histogram>();
  std::int64_t buckets = 0;
  if (!base::ParseInteger(words_[2], &buckets) || buckets < 0) {
    return Refuse(ErrorCode::kErr, "a histogram has 1 to 1000 buckets");
  }
  histogram.buckets = static_cast<std::uint64_t>(buckets);
  return TakeReadOptions(3, Takes::kPeriod, &histogram.options);
}

bool OperationReader::ReadDescribe() {
  return TakePeriodOnly(2, &MakeRead<leaderboard::Describe>().instance);
}

bool OperationReader::ReadPeriods() {
  if (!IsWhole()) return false;
  MakeRead<leaderboard::ListPeriods>();
  return true;
}

}  // namespace

bool IsOperation(CommandId id) {
  switch (id) {
    case CommandId::kLbSubmit:
    case CommandId::kLbSet:
    case CommandId::kLbIncr:
    case CommandId::kLbMSubmit:
    case CommandId::kLbMeta:
    case CommandId::kLbRemove:
    case CommandId::kLbHide:
    case CommandId::kLbShow:
    case CommandId::kLbPop:
    case CommandId::kLbTrim:
    case CommandId::kLbClear:
    case CommandId::kLbAlter:
    case CommandId::kLbGet:
    case CommandId::kLbTop:
    case CommandId::kLbRange:
    case CommandId::kLbAround:
    case CommandId::kLbAmong:
    case CommandId::kLbRankOf:
    case CommandId::kLbCount:
    case CommandId::kLbBetween:
    case CommandId::kLbSize:
    case CommandId::kLbPercentile:
    case CommandId::kLbQuantile:
    case CommandId::kLbHistogram:
    case CommandId::kLbDescribe:
    case CommandId::kLbPeriods:
      return true;
    default:
      return false;
  }
}

Status ParseOperation(const CommandInfo& command, std::span<const std::string_view> words,
                      const Spec& spec, const std::optional<InstanceSelector>& named,
                      ParsedOperation* parsed) {
  OperationReader reader(command, words, spec, named, parsed);
  if (reader.Read()) return Ok{};
  return reader.TakeError();
}

Status ParseChanges(std::span<const std::string_view> words,
                    const std::optional<InstanceSelector>& named, ChangesArguments* wanted) {
  using From = ChangesArguments::From;
  *wanted = {};
  wanted->instance = named;
  for (std::size_t at = 3; at < words.size(); at += 2) {
    if (at + 1 == words.size()) return Fault(kSyntaxError);
    const std::string_view word = words[at];
    const std::string_view value = words[at + 1];
    if (IsWord(word, "MEMBER") && !wanted->member) {
      wanted->member = value;
      continue;
    }
    if (IsWord(word, "PERIOD")) {
      if (named) return PeriodBesideInstance(words[1]);
      if (wanted->instance) return Fault(kSyntaxError);
      wanted->instance = leaderboard::ParseSelector(value);
      continue;
    }
    std::int64_t number = 0;
    if (!base::ParseInteger(value, &number)) return Fault(kNotInteger);
    if (IsWord(word, "COUNT")) {
      if (number < 1 || number > kMaxChanges) {
        return Error{ErrorCode::kErr, "COUNT is 1 to " + std::to_string(kMaxChanges)};
      }
      wanted->count = static_cast<std::size_t>(number);
    } else if (IsWord(word, "BLOCK")) {
      if (number < 0) return Error{ErrorCode::kErr, "timeout is negative"};
      wanted->block_ms = number;
    } else {
      return Fault(kSyntaxError);
    }
  }
  std::int64_t from = 0;
  if (words[2] == "$") {
    wanted->from = From::kEnd;
  } else if (words[2].starts_with('-') && base::ParseInteger(words[2], &from)) {
    wanted->from = From::kLast;
    wanted->last = std::uint64_t{0} - static_cast<std::uint64_t>(from);
  } else if (words[2] != "0") {
    wanted->from = From::kCursor;
    wanted->cursor = words[2];
  }
  return Ok{};
}

}  // namespace laurel::wire
